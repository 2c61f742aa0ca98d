//! Runs the tests with clang's coverage: which goals each reached.
//!
//! Each test is a process with a profile of its own; where there are very many, some tests in turn have one
//! together.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use ir::TestId;

use super::paths::Files;
use super::whole::run_whole;
use super::{
    COVERAGE_FLAGS, Limits, Reached, Replay, ReplayError, ReplayedTest, TestStatus, coverage_map,
    profile, run_test, status,
};

/// So many tests have a profile each.
const MOST_ALONE: usize = 256;
/// How long after the deadline a profile may be read.
const GRACE: Duration = Duration::from_secs(2);
/// Into so many parts, each with one profile, more tests are divided.
const PARTS: usize = 4;

/// Runs all tests with coverage, as far as the time allows.
pub(super) fn run_first(
    replay: &Replay<'_>,
    scratch: &Path,
) -> Result<BTreeMap<TestId, ReplayedTest>, ReplayError> {
    let mut found = BTreeMap::new();
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        if replay.is_over() {
            continue;
        }
        let program = scratch.join(format!("clang{number}"));
        if !replay.compile(&replay.tools.clang, file, &COVERAGE_FLAGS, &program)? {
            continue;
        }
        let size = match tests.len() {
            0..=MOST_ALONE => 1,
            many => many.div_ceil(PARTS),
        };
        let parts: Vec<&[TestId]> = tests.chunks(size).collect();
        let ran = on_all_cores(&parts, |part| match part {
            _ if replay.is_over() => Ok(Vec::new()),
            &[id] => {
                let ran = Replay::in_time(covered_run(replay, scratch, &program, id))?;
                Ok(ran.map(|ran| (id, ran)).into_iter().collect())
            }
            _ => {
                let ran = Replay::in_time(covered_part(replay, scratch, &program, part))?;
                Ok(ran.unwrap_or_default())
            }
        })?;
        found.extend(ran.into_iter().flatten());
    }
    Ok(found)
}

/// Does something for every part on as many threads as there are cores.
fn on_all_cores<T: Send>(
    parts: &[&[TestId]],
    work: impl Fn(&[TestId]) -> Result<T, ReplayError> + Sync,
) -> Result<Vec<T>, ReplayError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = parts.len().div_ceil(threads).max(1);
    let work = &work;
    std::thread::scope(|scope| {
        let workers: Vec<_> = parts
            .chunks(share)
            .map(|share| {
                let all = move || {
                    share
                        .iter()
                        .map(|part| work(part))
                        .collect::<Result<Vec<_>, _>>()
                };
                scope.spawn(all)
            })
            .collect();
        let mut all = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(done) => all.extend(done?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(all)
    })
}

/// One test, in a process of its own.
fn covered_run(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    id: TestId,
) -> Result<ReplayedTest, ReplayError> {
    let name = id.index().to_string();
    let ran = run_test(replay, scratch, program, id, profiled(scratch, &name))?;
    Ok(ReplayedTest {
        status: status(&replay.suite.tests[id].outcome, &ran),
        reached: reached(replay, scratch, program, &name)?,
        beside: Vec::new(),
    })
}

/// Some tests in turn, with one profile.
fn covered_part(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    part: &[TestId],
) -> Result<Vec<(TestId, ReplayedTest)>, ReplayError> {
    let (Some(first), Some(last)) = (part.iter().min(), part.iter().max()) else {
        return Ok(Vec::new());
    };
    let name = format!("part{}", first.index());
    let arguments = [
        "--part".to_owned(),
        first.index().to_string(),
        last.index().to_string(),
    ];
    let limits = Limits {
        time: replay.left(replay.limits.time + Duration::from_millis(50) * part.len() as u32),
        ..replay.limits
    };
    let said = run_whole(
        program,
        arguments.to_vec(),
        profiled(scratch, &name),
        &limits,
    )?;
    let reached = reached(replay, scratch, program, &name)?;
    let tests = said.into_iter().map(|(id, said)| {
        let status = match said.passed {
            true => TestStatus::Passed,
            false => TestStatus::Failed(said.output.trim_end().to_owned()),
        };
        let beside = part.iter().copied().filter(|&other| other != id);
        let test = ReplayedTest {
            status,
            reached: reached.clone(),
            beside: beside.collect(),
        };
        (id, test)
    });
    Ok(tests.collect())
}

/// Where a run's profile goes.
fn profiled(scratch: &Path, name: &str) -> Vec<(String, String)> {
    let pattern = scratch.join(format!("%c{name}.profraw"));
    let pattern = pattern.to_string_lossy().into_owned();
    vec![("LLVM_PROFILE_FILE".to_owned(), pattern)]
}

/// What a run reached, by its profile.
fn reached(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    name: &str,
) -> Result<Reached, ReplayError> {
    let raw = scratch.join(format!("{name}.profraw"));
    // What a run reached that was ended with the time is still read.
    let deadline = replay.deadline.map(|deadline| deadline + GRACE);
    // Killed before it began: no profile, nothing reached.
    let exported = match raw.metadata().is_ok_and(|data| data.len() > 0) {
        true => profile::read(&replay.tools, program, &raw, deadline)?,
        false => Vec::new(),
    };
    let mut files = Files::new(&replay.build.folder);
    let goals = &replay.suite.goals;
    Ok(coverage_map::reached(
        replay.program,
        goals,
        &exported,
        &mut files,
    ))
}
