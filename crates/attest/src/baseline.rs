//! Known defects: a file of those that a run need not tell again.
//!
//! A defect is known by its kind, its function, and the text of its line, so that it stays known
//! when lines are added before it.

use std::collections::BTreeSet;
use std::path::Path;

use ir::Program;
use ir::test::Defect;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::write_file;
use crate::sources::{SourceRange, Sources};

/// The version of the format.
const VERSION: u32 = 1;

/// A defect as a baseline knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownDefect {
    /// Its kind.
    kind: String,
    /// The file, without its folders.
    file: String,
    /// The function.
    function: String,
    /// The text of its line, without the space around it.
    text: String,
}

impl KnownDefect {
    /// A defect; `None` for one without a place.
    fn new(program: &Program, defect: &Defect, sources: &mut Sources) -> Option<Self> {
        let frame = defect.stack.first()?;
        let range = SourceRange::of(program, &frame.span);
        let name = Path::new(&range.path).file_name();
        Some(KnownDefect {
            kind: defect.kind.name().to_owned(),
            file: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            function: program.functions[frame.function].name.clone(),
            text: sources.line(&range).unwrap_or_default(),
        })
    }
}

/// The defects that are known, and those that a run finds.
#[derive(Debug, Default)]
pub struct Baseline {
    known: BTreeSet<KnownDefect>,
    found: BTreeSet<KnownDefect>,
}

#[derive(Serialize, Deserialize)]
struct BaselineFile {
    version: u32,
    defects: BTreeSet<KnownDefect>,
}

impl Baseline {
    /// The defects in a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let title = format!("cannot read {}: {error}", path.display());
            Failure::bad_input(title, "write a baseline with --write-baseline")
        })?;
        let read: Option<BaselineFile> = serde_json::from_str(&text).ok();
        let read = read.filter(|read| read.version == VERSION);
        let read = read.ok_or_else(|| {
            let title = format!("{} is no baseline that attest wrote", path.display());
            Failure::bad_input(title, "write a baseline with --write-baseline")
        })?;
        Ok(Baseline {
            known: read.defects,
            found: BTreeSet::new(),
        })
    }

    /// Notes a defect that was found. Returns whether it was known before.
    pub fn note(&mut self, program: &Program, defect: &Defect, sources: &mut Sources) -> bool {
        let Some(defect) = KnownDefect::new(program, defect, sources) else {
            return false;
        };
        let is_known = self.known.contains(&defect);
        self.found.insert(defect);
        is_known
    }

    /// Writes all that was found.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let file = BaselineFile {
            version: VERSION,
            defects: self.found.clone(),
        };
        let text = serde_json::to_string_pretty(&file);
        let text = text.map_err(|error| Failure::internal(error.to_string()))?;
        write_file(path, &(text + "\n"))
    }
}
