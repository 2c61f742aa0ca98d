//! Runs the tests with clang's coverage: which goals each reached.
//!
//! Each test is a process with a profile of its own; where there are very many, or reading their
//! profiles takes more time than there is, some tests in turn have one together.

use std::path::{Path, PathBuf};
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
/// The profiles of so many tests are read together.
const BATCH: usize = 16;

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
        // The runner takes a part from its first number to its last.
        let mut tests = tests.clone();
        tests.sort_unstable();
        // The time of the first test shows how long many tests take.
        let (first, others) = tests.split_at(usize::from(tests.len() > BATCH));
        let alone = |part: &[TestId]| run_alone(replay, scratch, &program, part);
        let started = Instant::now();
        found.extend(on_all_cores(&[first], alone)?);
        if has_time_for(replay, others.len(), started.elapsed()) {
            let size = others.len().div_ceil(threads()).clamp(1, BATCH);
            let batches: Vec<&[TestId]> = others.chunks(size).collect();
            found.extend(on_all_cores(&batches, alone)?);
        } else {
            let size = others.len().div_ceil(PARTS).max(1);
            let parts: Vec<&[TestId]> = others.chunks(size).collect();
            let together = |part: &[TestId]| run_part(replay, scratch, &program, part);
            found.extend(on_all_cores(&parts, together)?);
        }
    }
    Ok(found.into_iter().flatten().collect())
}

/// Whether so many tests can have a profile each, by the time that one took: half of the time left
/// is for other files.
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

/// Some tests in turn, each in a process and with a profile of its own, as far as the time allows.
fn run_alone(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    part: &[TestId],
) -> Result<Vec<Counted>, ReplayError> {
    let mut ended = Vec::new();
    for &id in part {
        if replay.is_over() {
            break;
        }
        let name = id.index().to_string();
        let ran = run_test(replay, scratch, program, id, profiled(scratch, &name));
        let Some(ran) = Replay::in_time(ran)? else {
            break;
        };
        ended.push((id, status(&replay.suite.tests[id].outcome, &ran)));
    }
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = ended.iter().map(|(id, _)| id.index().to_string()).collect();
    let Some(reached) = Replay::in_time(reached(replay, scratch, program, &names))? else {
        return Ok(Vec::new());
    };
    let counted = ended
        .into_iter()
        .zip(reached)
        .map(|(ended, reached)| Counted {
            profile: Profile {
                tests: vec![ended.0],
                reached,
            },
            ended: vec![ended],
        });
    Ok(counted.collect())
}

/// Some tests in turn, with one profile. They are in increasing order, and no other test of the
/// file has a number between theirs.
fn run_part(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    part: &[TestId],
) -> Result<Vec<Counted>, ReplayError> {
    if replay.is_over() {
        return Ok(Vec::new());
    }
    let number = |id: Option<&TestId>| id.map_or(0, |id| id.index());
    let (first, last) = (number(part.first()), number(part.last()));
    let name = format!("part{first}");
    let arguments = ["--part".to_owned(), first.to_string(), last.to_string()];
    let limits = Limits {
        time: replay.left(replay.limits.time + Duration::from_millis(50) * part.len() as u32),
        ..replay.limits
    };
    let environment = profiled(scratch, &name);
    let said = run_whole(program, arguments.to_vec(), environment, &limits)?.into_iter();
    let of_part = said.filter(|(id, _)| part.binary_search(id).is_ok());
    let ended = of_part.map(|(id, said)| match said.passed {
        true => (id, TestStatus::Passed),
        false => (id, TestStatus::Failed(said.output.trim_end().to_owned())),
    });
    let ended: Vec<(TestId, TestStatus)> = ended.collect();
    let reached = Replay::in_time(reached(replay, scratch, program, &[name]))?;
    let reached = reached.and_then(|reached| reached.into_iter().next());
    let counted = reached.map(|reached| Counted {
        profile: Profile {
            tests: part.to_vec(),
            reached,
        },
        ended,
    });
    Ok(counted.into_iter().collect())
}

/// Where a run's profile goes.
fn profiled(scratch: &Path, name: &str) -> Vec<(String, String)> {
    let pattern = scratch.join(format!("%c{name}.profraw"));
    let pattern = pattern.to_string_lossy().into_owned();
    vec![("LLVM_PROFILE_FILE".to_owned(), pattern)]
}

/// The coverage of runs, by their profiles.
fn reached(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    names: &[String],
) -> Result<Vec<Reached>, ReplayError> {
    let raw = names
        .iter()
        .map(|name| scratch.join(format!("{name}.profraw")));
    let raw: Vec<PathBuf> = raw.collect();
    // The coverage of a run that ran out of time is still read.
    let deadline = replay.deadline.map(|deadline| deadline + GRACE);
    let read = profile::read(&replay.tools, program, &raw, deadline)?;
    let mut files = Files::new(&replay.build.folder);
    let reached = read.into_iter().map(|functions| {
        // Killed before it began: no profile, nothing reached.
        let mut exported = functions.unwrap_or_default();
        for record in &mut exported {
            record.unit = unit_of(replay, &record.name);
        }
        coverage_map::reached(replay.program, &replay.suite.goals, &exported, &mut files)
    });
    Ok(reached.collect())
}

/// The unit that a `static` is of, whose name clang puts after that of the file that it compiles:
/// the tested unit is compiled with the tests, each other one through a file of its own.
fn unit_of(replay: &Replay<'_>, name: &str) -> Option<UnitId> {
    let (file, _) = name.rsplit_once(':')?;
    let tested = replay.program.functions[replay.suite.function].unit;
    let units = replay.program.units.iter_enumerated();
    let others = units.filter(|(id, unit)| *id != tested && unit.origin == Origin::User);
    let mut compiled = others.zip(&replay.build.other_units);
    let found = compiled.find(|(_, path)| path.file_name() == Path::new(file).file_name());
    Some(found.map_or(tested, |((id, _), _)| id))
}
