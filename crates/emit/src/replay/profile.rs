//! The coverage of runs: for each function what `llvm-cov export` reports.
//!
//! The output of version 19 (tried on macros, nested macros, macro arguments, headers, `switch`):
//! - `functions[]` has a name (`f`; `test_f.c:f` for a `static`; the symbol, so `attest_unit_main`,
//!   for the unit's `main`), `filenames[]`, `regions[]` and `branches[]`. A position is a file
//!   number, which is an index of `filenames`, with line and column from 1, the end excluded.
//! - File 0 is the one that the function stands in. Each macro expansion in a function has a file
//!   number of its own, so that the same macro used twice has two; a region of kind 1 (expansion)
//!   spans the macro's name and says which file number it leads to. Code from a macro argument
//!   counts as standing where the macro's body uses its parameter.
//! - A branch is a leaf of a decision with a true and a false count, a `case` or `default` label
//!   (`case 5`, without the colon) whose true count is the number of jumps from the `switch`,
//!   falls from the label above not included, or the operand of a `switch` without a `default`
//!   label, whose true count is that of the default. A `!` in front of a leaf belongs to it. There
//!   is no branch for a condition that is folded to a constant, nor for a label whose `case` comes
//!   from a macro that its statement does not.
//! - Several leaves that come from one macro parameter (`#define IF(c) if (c)`, `IF(a && b)`)
//!   stand at one position; they are listed in the order in which clang's visitor leaves them: of
//!   an operator, first what lies inside its operands that are operators, then its operands that
//!   are leaves.
//! - Counts other than a block's own counter are sums and differences, so a call that never
//!   returns leaves the counts after it as if it had.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ir::UnitId;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{ReplayError, Tools, process};

/// A function with its counts.
#[derive(Clone, Debug, Deserialize)]
pub struct ExportedFunction {
    /// Its name.
    pub name: String,
    /// The files by number.
    pub filenames: Vec<String>,
    /// Pieces of code with their counts.
    pub regions: Vec<Region>,
    /// Branches with their counts.
    #[serde(default)]
    pub branches: Vec<Branch>,
    /// The unit that a `static` is of.
    #[serde(skip)]
    pub unit: Option<UnitId>,
}

/// Kind of a region that is code.
pub const CODE: u64 = 0;
/// Kind of a region that is a macro's name, with its expansion.
pub const EXPANSION: u64 = 1;

/// Kind of a region that is code of which nothing else tells the count, such as what stands in a
/// `switch` before its first label.
pub const GAP: u64 = 3;

/// A piece of code: begin line and column, end line and column, count, file, expanded file, kind.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Region(
    pub u32,
    pub u32,
    pub u32,
    pub u32,
    pub u64,
    pub usize,
    pub usize,
    pub u64,
);

/// A branch: begin line and column, end line and column, count of true, count of false, file,
/// expanded file, kind.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Branch(
    pub u32,
    pub u32,
    pub u32,
    pub u32,
    pub u64,
    pub u64,
    pub usize,
    IgnoredAny,
    IgnoredAny,
);

#[derive(Deserialize)]
struct Export {
    data: Vec<ExportData>,
}

#[derive(Deserialize)]
struct ExportData {
    #[serde(default)]
    functions: Vec<ExportedFunction>,
}

impl Export {
    fn functions(self) -> impl Iterator<Item = ExportedFunction> {
        self.data.into_iter().flat_map(|data| data.functions)
    }
}

/// The output of the reader of profiles.
#[derive(Deserialize)]
struct Exports {
    /// By run: the functions that ran, at least; `None` for one that did not begin to write its
    /// profile.
    runs: Vec<Option<Export>>,
    /// All functions, with any counts.
    all: Option<Export>,
}

/// What runs of a program did.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    /// All functions, as where none runs.
    pub functions: Vec<ExportedFunction>,
    /// By run: the functions that ran, by their positions among all; `None` for a run that did not
    /// begin to write its profile.
    pub runs: Vec<Option<Run>>,
}

/// The functions that ran, by their positions among all.
pub type Run = BTreeMap<usize, ExportedFunction>;

impl Profiles {
    fn new(exports: Exports) -> Self {
        let all = exports.all.into_iter().flat_map(Export::functions);
        let functions: Vec<ExportedFunction> = all.map(without_counts).collect();
        let key = |function: &ExportedFunction| (function.name.clone(), function.filenames.clone());
        let positions = functions.iter().enumerate();
        let positions: HashMap<_, usize> = positions
            .map(|(position, function)| (key(function), position))
            .collect();
        let run = |export: Export| -> Run {
            let ran = export.functions();
            ran.filter_map(|function| Some((*positions.get(&key(&function))?, function)))
                .collect()
        };
        let runs = exports.runs.into_iter();
        Profiles {
            runs: runs.map(|export| export.map(run)).collect(),
            functions,
        }
    }
}

fn without_counts(mut function: ExportedFunction) -> ExportedFunction {
    function.regions.iter_mut().for_each(|region| region.4 = 0);
    for branch in &mut function.branches {
        (branch.4, branch.5) = (0, 0);
    }
    function
}

/// The coverage of runs of a program, each from its raw profile.
///
/// # Errors
/// The reader cannot be started, fails, is not done in time, or writes what is not understood.
pub fn read(
    tools: &Tools,
    program: &Path,
    raw: &[PathBuf],
    deadline: Option<Instant>,
) -> Result<Profiles, ReplayError> {
    let mut words = tools.profiles.iter();
    let mut command = Command::new(words.next().map_or(OsStr::new(""), OsString::as_os_str));
    command.args(words).arg(program).args(raw);
    let output = process::output(&mut command, deadline)?;
    if !output.status.success() {
        return Err(ReplayError::Tool {
            program: command.get_program().into(),
            message: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    let exports = serde_json::from_slice(&output.stdout).map_err(ReplayError::Export)?;
    Ok(Profiles::new(exports))
}
