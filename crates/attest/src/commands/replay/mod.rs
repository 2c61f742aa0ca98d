//! `attest replay`: the tests of a kept suite, natively once more, held against what the suite
//! claims of the program.

mod debug;
pub(super) mod folder;
mod verdict;

use std::path::Path;

use coverage::Goals;
use emit::BuildRecord;
use emit::replay::{self, Build, Builds, Limits, Replay, ReplayError, Replayed};
use ir::CodeIndex;
use ir::sequence::Sequence;

use super::suite_folders::suite_folders;
use crate::cli::replay::ReplayArguments;
use crate::compilers;
use crate::console::Console;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::sequence;
use crate::status::Status;

use folder::Folder;
use verdict::Judged;

/// Runs the tests of the folder's functions, or one test of one function.
pub fn replay(arguments: &ReplayArguments, console: &mut Console) -> Result<Status, Failure> {
    let folders = suite_folders(&arguments.directory, &arguments.functions)?;
    if arguments.test.is_some() && folders.len() > 1 {
        return Err(Failure::bad_input(
            "several functions have tests with this number",
            "name the function with -f",
        ));
    }
    // The first replay changes the folder that paths start from.
    let folders: Vec<Folder> = folders
        .iter()
        .map(|folder| Folder::open(folder))
        .collect::<Result<_, Failure>>()?;
    let mut status = Status::Complete;
    for folder in &folders {
        status = status.and(replay_one(folder, arguments, console)?);
    }
    Ok(status)
}

/// Runs the tests of one function, or one of them.
fn replay_one(
    folder: &Folder,
    arguments: &ReplayArguments,
    console: &mut Console,
) -> Result<Status, Failure> {
    if let Some(test) = arguments.test {
        folder.has_test(test)?;
        if arguments.gdb {
            return Err(debug::debug(folder, test as usize));
        }
    }
    let build = folder.build()?;
    let units = folder.units(build)?;
    go_to(&folder.working_directory()?)?;
    let changed = build.changed(Path::new("."));
    let mut unit = LoadedProgram::load(&units, &build.flags)?;
    let notation = folder.suite.sequence.as_deref();
    let name = &folder.suite.function;
    let sequence = notation.map(|text| sequence::read(&mut unit.program, text, name));
    let sequence = sequence.transpose()?;
    if let Some(criteria) = folder.suite.criteria() {
        coverage::prepare(&mut unit.program, &criteria);
    }
    judge(
        folder,
        build,
        &unit,
        sequence.as_ref(),
        &changed,
        arguments.test,
        console,
    )
}

/// Works from now on where the suite was made: all its paths are meant from there.
pub(super) fn go_to(folder: &Path) -> Result<(), Failure> {
    std::env::set_current_dir(folder).map_err(|error| {
        let title = format!("cannot work in {}: {error}", folder.display());
        Failure::bad_input(title, "the folder of the sources must be accessible")
    })
}

/// Runs the tests, and tells what they reach now.
fn judge(
    folder: &Folder,
    build: &BuildRecord,
    unit: &LoadedProgram,
    sequence: Option<&Sequence>,
    changed: &[&str],
    only: Option<u32>,
    console: &mut Console,
) -> Result<Status, Failure> {
    let program = &unit.program;
    let kept = &folder.suite;
    let (criteria, scope) = match kept.criteria() {
        Some(criteria) => (criteria, kept.scope),
        None => return Err(folder.unusable()),
    };
    let driver = sequence.map(|sequence| sequence.driver);
    let Some(entry) = driver.or_else(|| kept.entry(program, build)) else {
        return Err(Failure::bad_input(
            format!(
                "there is no function `{}` in {} any more",
                kept.function, kept.file
            ),
            "cover the function under its new name",
        ));
    };
    let tested = sequence.map_or(vec![entry], |sequence| sequence::tested(program, sequence));
    let index = CodeIndex::new(program);
    let goals = Goals::new(program, &index, &tested, &criteria, scope);
    let matched = kept.matched(program, entry, &goals, scope);
    let tools = compilers::tools().map_err(|error| not_replayed(&error.into()))?;
    let replayed = replay::replay(&Replay {
        program,
        suite: &matched.suite,
        files: folder.files(only),
        build: Build {
            flags: folder.compile_flags(build),
            folder: folder.working_directory()?,
            other_units: folder.other_units(),
        },
        tools,
        read_unit: compilers::READ_UNIT,
        limits: Limits::default(),
        builds: Builds::All,
        deadline: None,
    });
    let replayed: Replayed = replayed.map_err(|error| not_replayed(&error))?;
    let judged = Judged {
        program,
        kept,
        matched: &matched,
        replayed: &replayed,
        changed,
        only: only.map(|test| test as usize),
    };
    judged.tell(console)
}

/// What to tell when the tests could not be run.
fn not_replayed(error: &ReplayError) -> Failure {
    let title = format!("the tests could not be run: {error}");
    let help = match error {
        ReplayError::Start { .. } | ReplayError::Tool { .. } => {
            "install clang-19 and libclang-rt-19-dev"
        }
        ReplayError::Io(_) => "replay needs room for temporary files (TMPDIR), and processes",
        ReplayError::Compile { .. } => {
            "the program may have changed so that its tests do not fit any more; cover it again"
        }
        ReplayError::Unit { .. } => "its assembly may be for another machine",
        ReplayError::Late | ReplayError::Export(_) => return Failure::internal(title),
    };
    Failure::bad_input(title, help)
}
