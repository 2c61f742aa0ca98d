//! Which combinations of values the conditions of decisions have when tests run.
//!
//! Clang's coverage counts conditions, and does not say which values belong to one evaluation. So the
//! tests are compiled once more, from a text in which each condition of a decision with several tells
//! its value (`templates/combinations.c`):
//!
//! ```text
//! test_f.c ──clang -E──► text ──front-end──► places of its conditions
//!                          └──────────┬─────────────┘
//!                 (attest_condition(0, 0, 5, !!(a > 0)) || attest_condition(0, 1, 6, !!(b > 3)))
//! ```
//!
//! The decisions of that text are found again in the program by the shape of their functions. Those
//! that are not stay uncounted.

mod compiled;
mod matching;
mod rewritten;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use coverage::{Combination, GoalId, GoalKind};
use ir::{Body, DecisionId, FunctionId, Program, TestId};

use super::whole::run_whole;
use super::{Limits, Profile, Replay, ReplayError, run_test};
use compiled::Compiled;

/// Reads a preprocessed file, compiled with some flags, as a program of one unit.
#[derive(Clone, Copy, Debug)]
pub struct ReadUnit(pub fn(&Path, &[String]) -> Option<Program>);

/// The combinations that a run had, by the numbers of decisions.
type Seen = BTreeSet<(usize, Combination)>;

/// Finds the combinations that each profile's tests have, and adds them to what they reached.
///
/// # Errors
/// The instrumented tests cannot be run.
pub(super) fn add_combinations(
    replay: &Replay<'_>,
    scratch: &Path,
    profiles: &mut [&mut Profile],
) -> Result<(), ReplayError> {
    let wanted = wanted(replay);
    if wanted.is_empty() {
        return Ok(());
    }
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        if replay.is_over() {
            break;
        }
        let name = format!("combinations{number}");
        let Some(compiled) = Compiled::new(replay, scratch, &name, file, &wanted)? else {
            continue;
        };
        let of_file = profiles.iter_mut();
        let of_file = of_file.filter(|profile| profile.tests.iter().any(|id| tests.contains(id)));
        for profile in of_file {
            let seen = Replay::in_time(run(replay, scratch, &compiled, &profile.tests))?;
            let Some(seen) = seen else {
                return Ok(());
            };
            add(replay, &compiled, &seen, profile);
        }
    }
    Ok(())
}

/// The decisions with several conditions of which some combination is a goal.
fn wanted(replay: &Replay<'_>) -> BTreeSet<(FunctionId, DecisionId)> {
    let goals = replay.suite.goals.iter().map(|goal| &goal.goal);
    let of_several = goals.filter_map(|goal| {
        let GoalKind::Combination(decision, _) = goal.kind else {
            return None;
        };
        let body: &Body = replay.program.functions[goal.function].body.as_ref()?;
        let conditions = body.decisions[decision].formula.conditions();
        (conditions.len() > 1).then_some((goal.function, decision))
    });
    of_several.collect()
}

/// Runs the tests of a profile, and reads the combinations that they had.
fn run(
    replay: &Replay<'_>,
    scratch: &Path,
    compiled: &Compiled,
    tests: &[TestId],
) -> Result<Seen, ReplayError> {
    let number = |id: Option<&TestId>| id.map_or(0, |id| id.index());
    let (first, last) = (number(tests.first()), number(tests.last()));
    let output = scratch.join(format!("combinations-of-{first}"));
    let variable = ("ATTEST_COMBINATIONS", &output);
    let environment = vec![(
        variable.0.to_owned(),
        variable.1.to_string_lossy().into_owned(),
    )];
    match tests {
        [test] => {
            run_test(replay, scratch, &compiled.program, *test, environment)?;
        }
        _ => {
            let arguments = ["--part".to_owned(), first.to_string(), last.to_string()];
            let limits = Limits {
                time: replay.left(replay.limits.time),
                ..replay.limits
            };
            run_whole(&compiled.program, arguments.to_vec(), environment, &limits)?;
        }
    }
    Ok(seen(&output))
}

/// The combinations in a file: lines with the number of a decision, the conditions that were
/// evaluated and those that were true, as bits. A last line may be incomplete.
fn seen(output: &PathBuf) -> Seen {
    let text = std::fs::read_to_string(output).unwrap_or_default();
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = complete.lines().filter_map(|line| {
        let numbers: Option<Vec<u64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        match numbers?[..] {
            [decision, evaluated, values] => Some((
                usize::try_from(decision).ok()?,
                Combination::from_bits(evaluated, values),
            )),
            _ => None,
        }
    });
    lines.collect()
}

/// Adds the combinations of a run to what it reached.
fn add(replay: &Replay<'_>, compiled: &Compiled, seen: &Seen, profile: &mut Profile) {
    let numbers: BTreeMap<(FunctionId, DecisionId), usize> = compiled
        .decisions
        .iter()
        .enumerate()
        .map(|(number, &decision)| (decision, number))
        .collect();
    let reached = &mut profile.reached;
    for (id, goal) in replay.suite.goals.iter_enumerated() {
        let GoalKind::Combination(decision, combination) = goal.goal.kind else {
            continue;
        };
        if let Some(&number) = numbers.get(&(goal.goal.function, decision)) {
            let id: GoalId = id;
            reached.unmapped.set(id.index(), false);
            reached.uncounted.set(id.index(), false);
            reached
                .goals
                .set(id.index(), seen.contains(&(number, combination)));
        }
    }
}
