//! Runs the tests with clang's coverage: which goals each reached. Files whose tests show defects and
//! claim no goal are left out.
//!
//! Each test has a process and a profile of its own; where reading their profiles takes more time
//! than there is, some tests in turn have one together.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ir::{Origin, TestId, UnitId};

use super::each::{self, EndedTest, WRAPPED};
use super::goal_counter::GoalCounter;
use super::paths::Files;
use super::profile::Profiles;
use super::whole::run_whole;
use super::{
    Build, COVERAGE_FLAGS, Counted, Limits, Profile, Reached, Replay, ReplayError, TestStatus,
    profile, run_test, status,
};

/// How long after the deadline a profile may be read.
const GRACE: Duration = Duration::from_secs(1);
/// Into so many parts, each with one profile, tests are divided that have too little time.
const PARTS: usize = 4;
/// So many tests show how long others take.
const FIRST: usize = 16;
/// The profiles of so many tests are read together.
const BATCH: usize = 128;

/// Runs all tests with coverage, as far as the time allows.
pub(super) fn run_first(replay: &Replay<'_>, scratch: &Path) -> Result<Vec<Counted>, ReplayError> {
    let mut found = Vec::new();
    let with_helper = Build {
        other_units: replay
            .build
            .other_units
            .iter()
            .cloned()
            .chain([each::write_helper(scratch)?])
            .collect(),
        ..replay.build.clone()
    };
    let flags: Vec<&str> = COVERAGE_FLAGS.into_iter().chain([WRAPPED]).collect();
    for (number, file, tests) in replay.files_of_goals() {
        if replay.is_over() {
            continue;
        }
        let program = scratch.join(format!("clang{number}"));
        let clang = &replay.tools.clang;
        let compiled = with_helper.compile(clang, file, &flags, &program, replay.deadline);
        if Replay::in_time(compiled)?.is_none() {
            continue;
        }
        // The runner takes a part from its first number to its last.
        let mut tests = tests.to_vec();
        tests.sort_unstable();
        found.extend(run_file(replay, scratch, &program, &tests)?);
    }
    Ok(found)
}

/// Runs the tests of a file: each with a profile of its own, as long as there is time for that.
fn run_file(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    tests: &[TestId],
) -> Result<Vec<Counted>, ReplayError> {
    let (mut batch, mut left) = tests.split_at(tests.len().min(FIRST));
    let mut found = Vec::new();
    loop {
        let started = Instant::now();
        found.extend(run_apart(replay, scratch, program, batch)?);
        let one = started.elapsed() / batch.len().max(1) as u32;
        (batch, left) = left.split_at(left.len().min(BATCH));
        if batch.is_empty() {
            return Ok(found);
        }
        if !has_time_for(replay, batch.len(), one) {
            break;
        }
    }
    let others = &tests[tests.len() - batch.len() - left.len()..];
    for part in others.chunks(others.len().div_ceil(PARTS)) {
        found.extend(run_part(replay, scratch, program, part)?);
    }
    Ok(found)
}

/// Whether the next tests can have a profile each, by the time that one took: half of the time left
/// is for others.
fn has_time_for(replay: &Replay<'_>, tests: usize, one: Duration) -> bool {
    one * tests as u32 <= replay.left(Duration::MAX) / 2
}

/// Some tests in turn, each with a profile of its own, as far as the time allows.
fn run_apart(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    part: &[TestId],
) -> Result<Vec<Counted>, ReplayError> {
    let mut profiles = Vec::new();
    let mut ended = Vec::new();
    let first = part.first().map_or(0, |id| id.index());
    let environment = each::profiled(&program.with_extension(format!("{first}.profraw")));
    for EndedTest {
        id, ran, profile, ..
    } in each::run_each(replay, program, part, environment)?
    {
        ended.push((id, status(&replay.suite.tests[id].outcome, &ran)));
        profiles.push(profile);
    }
    // A test that ended the runner, or took its time, has a process of its own.
    for &id in part.iter().skip(ended.len()) {
        if replay.is_over() {
            break;
        }
        let profile = scratch.join(format!("{}.profraw", id.index()));
        let ran = run_test(replay, scratch, program, id, profiled(&profile));
        let Some(ran) = Replay::in_time(ran)? else {
            break;
        };
        ended.push((id, status(&replay.suite.tests[id].outcome, &ran)));
        profiles.push(profile);
    }
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    let Some(reached) = Replay::in_time(reached(replay, program, &profiles))? else {
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
    let profile = scratch.join(format!("part{first}.profraw"));
    let arguments = ["--part".to_owned(), first.to_string(), last.to_string()];
    let limits = Limits {
        time: replay.left(replay.limits.time + Duration::from_millis(50) * part.len() as u32),
        ..replay.limits
    };
    let environment = profiled(&profile);
    let said = run_whole(program, arguments.to_vec(), environment, &limits)?.into_iter();
    let of_part = said.filter(|(id, _)| part.binary_search(id).is_ok());
    let ended = of_part.map(|(id, said)| match said.passed {
        true => (id, TestStatus::Passed),
        false => (id, TestStatus::Failed(said.output.trim_end().to_owned())),
    });
    let ended: Vec<(TestId, TestStatus)> = ended.collect();
    let reached = Replay::in_time(reached(replay, program, &[profile]))?;
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

/// The variable that says where a run's profile goes.
fn profiled(profile: &Path) -> Vec<(String, String)> {
    let pattern = format!("%c{}", profile.display());
    vec![("LLVM_PROFILE_FILE".to_owned(), pattern)]
}

/// The coverage of runs, by their profiles.
fn reached(
    replay: &Replay<'_>,
    program: &Path,
    raw: &[PathBuf],
) -> Result<Vec<Reached>, ReplayError> {
    // The coverage of a run that ran out of time is still read.
    let deadline = replay.deadline.map(|deadline| deadline + GRACE);
    let Profiles {
        mut functions,
        runs,
    } = profile::read(&replay.tools, program, raw, deadline)?;
    for record in &mut functions {
        record.unit = unit_of(replay, &record.name);
    }
    let files = Files::new(&replay.build.folder);
    let goals = &replay.suite.goals;
    let mut counter = GoalCounter::new(replay.program, goals, functions, files);
    // Killed before it began: no profile, nothing known.
    let reached = runs.iter().map(|run| counter.reached(run.as_ref()));
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
