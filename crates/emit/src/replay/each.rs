//! Runs tests in processes that the runner of their program forks, each with counts of its own.
//!
//! `templates/profiles.c`, which is linked to the tests, keeps a copy of the profile after each of
//! them, and says how it ended.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ir::TestId;

use super::run::{Limits, Ran, ending};
use super::whole::run_whole;
use super::{Replay, ReplayError};

/// What the runner calls and `templates/profiles.c` defines.
pub(super) const WRAPPED: &str = "-Wl,--wrap=fork,--wrap=_Fork,--wrap=waitpid";

/// The text that is linked to the tests.
const HELPER: &str = include_str!("../templates/profiles.c");

/// The variable that names the file of the profile; without it, tests do not run apart.
const PROFILE: &str = "ATTEST_PROFILE";

/// The time of the whole run that a test adds.
const TIME_OF_TEST: Duration = Duration::from_millis(50);

/// A test that ended.
#[derive(Debug)]
pub(super) struct EndedTest {
    /// The test.
    pub id: TestId,
    /// How it ended, and what it wrote.
    pub ran: Ran,
    /// The folder that it ran in.
    pub folder: PathBuf,
    /// Its raw profile, if profiles are kept.
    pub profile: PathBuf,
}

/// The environment of a run whose profiles are kept.
pub(super) fn profiled(profile: &Path) -> Vec<(String, String)> {
    let path = profile.display();
    vec![
        ("LLVM_PROFILE_FILE".to_owned(), format!("%c{path}")),
        (PROFILE.to_owned(), path.to_string()),
    ]
}

/// The environment of a run without profiles.
pub(super) fn unprofiled() -> (String, String) {
    (PROFILE.to_owned(), String::new())
}

/// Writes the text that is linked to tests.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_helper(scratch: &Path) -> Result<PathBuf, ReplayError> {
    let path = scratch.join("profiles.c");
    std::fs::write(&path, HELPER)?;
    Ok(path)
}

/// Runs some tests in turn, with [`profiled`] or [`unprofiled`] in the environment. They are in increasing order, and no other test of the file has a number
/// between theirs. Those that the runner does not reach in time, or whose end it does not tell, are
/// left out.
///
/// # Errors
/// The program cannot be started, or its output cannot be read.
pub(super) fn run_each(
    replay: &Replay<'_>,
    program: &Path,
    part: &[TestId],
    environment: Vec<(String, String)>,
) -> Result<Vec<EndedTest>, ReplayError> {
    let (Some(first), Some(last)) = (part.first(), part.last()) else {
        return Ok(Vec::new());
    };
    let [from, to] = [first, last].map(|id| id.index().to_string());
    let limits = Limits {
        time: replay.left(replay.limits.time + TIME_OF_TEST * part.len() as u32),
        ..replay.limits
    };
    let arguments = vec!["--part".to_owned(), from, to.clone()];
    let said = run_whole(program, arguments, environment, &limits)?;
    // Such is the folder of `run_whole`.
    let folder = program.with_extension(format!("whole-{to}"));
    let statuses = std::fs::read_to_string(folder.join("statuses")).unwrap_or_default();
    let statuses = statuses_in(&statuses);
    // A process that the unit forks before the first test would shift the numbers.
    let is_known = said.keys().eq(part.iter().take(said.len()));
    if !is_known || statuses.len() != said.len() {
        return Ok(Vec::new());
    }
    let ended = said.into_iter().enumerate();
    let ended = ended.filter_map(|(number, (id, said))| {
        let ran = Ran {
            end: ending(*statuses.get(&number)?),
            output: said.output,
        };
        Some(EndedTest {
            id,
            ran,
            folder: folder.join(format!("folder{number}")),
            profile: folder.join(format!("profile{number}")),
        })
    });
    Ok(ended.collect())
}

/// How tests ended, by their position: lines with that and a wait status.
fn statuses_in(text: &str) -> BTreeMap<usize, i32> {
    let lines = text.lines().filter_map(|line| {
        let (number, status) = line.split_once(' ')?;
        Some((number.parse().ok()?, status.parse().ok()?))
    });
    lines.collect()
}
