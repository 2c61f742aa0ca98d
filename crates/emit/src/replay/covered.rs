//! Runs the tests with clang's coverage: which goals each reached.
//!
//! Each test is a process with a profile of its own; where there are very many, or reading their profiles
//! takes more time than there is, some tests in turn have one together.

use std::path::Path;
use std::time::{Duration, Instant};

use ir::{Origin, TestId, UnitId};

use super::paths::Files;
use super::whole::{MOST_ALONE, run_whole};
use super::{
    COVERAGE_FLAGS, Counted, Limits, Profile, Reached, Replay, ReplayError, TestStatus,
    coverage_map, profile, run_test, status,
};

/// How long after the deadline a profile may be read.
const GRACE: Duration = Duration::from_secs(1);
/// Into so many parts, each with one profile, more tests are divided.
const PARTS: usize = 4;

/// Runs all tests with coverage, as far as the time allows.
pub(super) fn run_first(replay: &Replay<'_>, scratch: &Path) -> Result<Vec<Counted>, ReplayError> {
    let mut found = Vec::new();
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        if replay.is_over() {
            continue;
        }
        let program = scratch.join(format!("clang{number}"));
        if replay
            .compile(&replay.tools.clang, file, &COVERAGE_FLAGS, &program)?
            .is_none()
        {
            continue;
        }
        let run = |part: &[TestId]| match part {
            _ if replay.is_over() => Ok(None),
            &[id] => Replay::in_time(covered_run(replay, scratch, &program, id)),
            _ => Replay::in_time(covered_part(replay, scratch, &program, part)),
        };
        // The runner takes a part from its first number to its last.
        let mut tests = tests.clone();
        tests.sort_unstable();
        let (first, others) = tests.split_at(tests.len().min(1));
        let started = Instant::now();
        found.extend(on_all_cores(&[first], run)?);
        let size = match has_time_for(replay, others.len(), started.elapsed()) {
            true => 1,
            false => others.len().div_ceil(PARTS).max(1),
        };
        let parts: Vec<&[TestId]> = others.chunks(size).collect();
        found.extend(on_all_cores(&parts, run)?);
    }
    Ok(found.into_iter().flatten().collect())
}

/// Whether so many tests can have a profile each, by the time that one took: half of the time left is for
/// other files.
fn has_time_for(replay: &Replay<'_>, tests: usize, one: Duration) -> bool {
    let all = one * tests as u32 / threads() as u32;
    tests <= MOST_ALONE && all <= replay.left(Duration::MAX) / 2
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does something for every part on as many threads as there are cores.
fn on_all_cores<T: Send>(
    parts: &[&[TestId]],
    work: impl Fn(&[TestId]) -> Result<T, ReplayError> + Sync,
) -> Result<Vec<T>, ReplayError> {
    let share = parts.len().div_ceil(threads()).max(1);
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
) -> Result<Counted, ReplayError> {
    let name = id.index().to_string();
    let ran = run_test(replay, scratch, program, id, profiled(scratch, &name))?;
    let status = status(&replay.suite.tests[id].outcome, &ran);
    Ok(Counted {
        profile: Profile {
            tests: vec![id],
            reached: reached(replay, scratch, program, &name)?,
        },
        ended: vec![(id, status)],
    })
}

/// Some tests in turn, with one profile. They are in increasing order, and no other test of the file has a number
/// between theirs.
fn covered_part(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    part: &[TestId],
) -> Result<Counted, ReplayError> {
    let number = |id: Option<&TestId>| id.map_or(0, |id| id.index());
    let (first, last) = (number(part.first()), number(part.last()));
    let name = format!("part{first}");
    let arguments = ["--part".to_owned(), first.to_string(), last.to_string()];
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
    let said = said.into_iter();
    let ended = said.filter(|(id, _)| part.binary_search(id).is_ok());
    let ended = ended.map(|(id, said)| match said.passed {
        true => (id, TestStatus::Passed),
        false => (id, TestStatus::Failed(said.output.trim_end().to_owned())),
    });
    Ok(Counted {
        profile: Profile {
            tests: part.to_vec(),
            reached: reached(replay, scratch, program, &name)?,
        },
        ended: ended.collect(),
    })
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
    let mut exported = match raw.metadata().is_ok_and(|data| data.len() > 0) {
        true => profile::read(&replay.tools, program, &raw, deadline)?,
        false => Vec::new(),
    };
    for record in &mut exported {
        record.unit = unit_of(replay, &record.name);
    }
    let mut files = Files::new(&replay.build.folder);
    let goals = &replay.suite.goals;
    Ok(coverage_map::reached(
        replay.program,
        goals,
        &exported,
        &mut files,
    ))
}

/// The unit that a `static` is of, whose name clang puts behind that of the file that it compiles: the tested
/// unit is compiled with the tests, each other one through a file of its own.
fn unit_of(replay: &Replay<'_>, name: &str) -> Option<UnitId> {
    let (file, _) = name.rsplit_once(':')?;
    let tested = replay.program.functions[replay.suite.function].unit;
    let units = replay.program.units.iter_enumerated();
    let others = units.filter(|(id, unit)| *id != tested && unit.origin == Origin::User);
    let mut compiled = others.zip(&replay.build.other_units);
    let found = compiled.find(|(_, path)| path.file_name() == Path::new(file).file_name());
    Some(found.map_or(tested, |((id, _), _)| id))
}
