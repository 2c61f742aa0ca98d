//! Runs the tests with a second compiler.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use ir::{Origin, TestId};

use super::whole::{MOST_ALONE, run_these};
use super::{Limits, Replay, ReplayError, TestStatus, compare, run_test, status};

/// Runs all tests that should pass with the second compiler.
pub(super) fn run_second(
    replay: &Replay<'_>,
    scratch: &Path,
) -> Result<BTreeMap<TestId, TestStatus>, ReplayError> {
    let mut found = BTreeMap::new();
    let gcc = replay.tools.gcc.as_ref();
    let is_alike = !has_wide_bit_fields(replay) && !uses_clang_values(replay);
    let Some(gcc) = gcc.filter(|_| is_alike) else {
        return Ok(found);
    };
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        let passing: Vec<TestId> = tests
            .iter()
            .copied()
            .filter(|&id| compare::must_pass(&replay.suite.tests[id]))
            .collect();
        if passing.is_empty() || replay.is_over() {
            continue;
        }
        let program = scratch.join(format!("gcc{number}"));
        match replay.compile(gcc, file, &[], &program)? {
            Some(said) if !lacks_builtins(&said) => {}
            _ => continue,
        }
        let count = passing.len();
        let mut said: BTreeMap<TestId, TestStatus> = all_at_once(replay, &program, &passing)?
            .into_iter()
            .collect();
        let passes = |id: &TestId| said.get(id) == Some(&TestStatus::Passed);
        let (passed, others): (Vec<TestId>, Vec<TestId>) = passing.into_iter().partition(passes);
        found.extend(passed.into_iter().map(|id| (id, TestStatus::Passed)));
        if count > MOST_ALONE {
            said.retain(|id, _| !found.contains_key(id));
            found.extend(said);
            continue;
        }
        // How a test ends that does not pass, its own process shows.
        for id in others {
            if replay.is_over() {
                break;
            }
            let ran = run_test(replay, scratch, &program, id, Vec::new());
            let Some(ran) = Replay::in_time(ran)? else {
                break;
            };
            found.insert(id, status(&replay.suite.tests[id].outcome, &ran));
        }
    }
    Ok(found)
}

/// Whether the program has bit-fields that are wider than `int`: to gcc, each width is a type of
/// its own, in which expressions wrap around, and C leaves that to compilers (C17 6.7.2.1p5).
fn has_wide_bit_fields(replay: &Replay<'_>) -> bool {
    let types = &replay.program.types;
    let mut fields = types.records.iter().flat_map(|record| &record.fields);
    fields.any(|field| field.bit_width.is_some_and(|width| width > 32))
}

/// Whether a unit of the user uses values that gcc gives otherwise.
fn uses_clang_values(replay: &Replay<'_>) -> bool {
    let mut units = replay.program.units.iter();
    units.any(|unit| unit.origin == Origin::User && unit.clang_values)
}

/// Whether a linker said of a program that it calls a builtin which its compiler does not have, and
/// so takes for a function that nothing defines.
fn lacks_builtins(said: &str) -> bool {
    let is_missing = |line: &str| line.contains("undefined") && line.contains("__builtin_");
    said.lines().any(is_missing)
}

fn all_at_once(
    replay: &Replay<'_>,
    program: &Path,
    passing: &[TestId],
) -> Result<Vec<(TestId, TestStatus)>, ReplayError> {
    let limits = Limits {
        time: replay.left(replay.limits.time + Duration::from_millis(50) * passing.len() as u32),
        ..replay.limits
    };
    let said = run_these(program, passing, Vec::new(), &limits)?.into_iter();
    let status = |passed, output: String| match passed {
        true => TestStatus::Passed,
        false => TestStatus::Failed(output.trim_end().to_owned()),
    };
    Ok(said
        .map(|(id, said)| (id, status(said.passed, said.output)))
        .collect())
}
