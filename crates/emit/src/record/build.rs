//! The program in `suite.json`, as a later replay needs it.

use std::fs;
use std::path::Path;

use ir::Origin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Subject;
use crate::relative::relative;

/// How the tested program is read and compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuildRecord {
    /// The folder that paths in units and flags start from, as a path from the folder of
    /// `suite.json`.
    pub directory: String,
    /// The C files, from there as all other paths.
    pub units: Vec<String>,
    /// The unit that holds the tested function.
    pub tested: String,
    /// The user's compiler flags.
    pub flags: Vec<String>,
    /// The files that the program consists of, except headers of the system.
    pub sources: Vec<SourceRecord>,
}

/// A file as it was when the tests were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRecord {
    /// Its path.
    pub path: String,
    /// A digest of its contents.
    #[schemars(regex(pattern = r"^[0-9a-f]{16}$"))]
    pub digest: String,
}

impl BuildRecord {
    /// The record of a program that was read in `working_directory`, for a suite in `directory`.
    /// Both are absolute and without links.
    pub fn new(
        subject: &Subject<'_>,
        flags: &[String],
        working_directory: &Path,
        directory: &Path,
    ) -> Self {
        let program = subject.program;
        let seen = |path: &str| match Path::new(path).is_absolute() {
            true => relative(working_directory, Path::new(path))
                .display()
                .to_string(),
            false => path.to_owned(),
        };
        let units = program.units.iter();
        let user_units = units.filter(|unit| unit.origin == Origin::User);
        let sources = program
            .files
            .iter()
            .filter(|file| !is_of_system(&file.path));
        BuildRecord {
            directory: relative(directory, working_directory).display().to_string(),
            units: user_units.map(|unit| seen(&unit.path)).collect(),
            tested: seen(&program.units[subject.unit()].path),
            flags: flags.to_vec(),
            sources: sources
                .filter_map(|file| {
                    Some(SourceRecord {
                        path: seen(&file.path),
                        digest: digest(&working_directory.join(&file.path))?,
                    })
                })
                .collect(),
        }
    }

    /// The paths of the files that have changed since.
    pub fn changed(&self, working_directory: &Path) -> Vec<&str> {
        let changed = |source: &&SourceRecord| {
            let now = digest(&working_directory.join(&source.path));
            now.as_ref() != Some(&source.digest)
        };
        let sources = self.sources.iter().filter(changed);
        sources.map(|source| source.path.as_str()).collect()
    }
}

/// Whether a header comes with the system.
pub fn is_of_system(path: &str) -> bool {
    ["/usr/include", "/usr/lib", "/usr/local/include"]
        .iter()
        .any(|prefix| Path::new(path).starts_with(prefix))
}

/// 64 bits of FNV-1a over a file's contents: it detects edits; it is no protection against attacks.
fn digest(path: &Path) -> Option<String> {
    let contents = fs::read(path).ok()?;
    let hash = contents
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    Some(format!("{hash:016x}"))
}
