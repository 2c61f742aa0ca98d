//! Which combinations of values the conditions of decisions have when tests run.
//!
//! Clang's coverage counts conditions, and does not say which values belong to one evaluation, nor by
//! how much the sides of a comparison differ. So the tests are compiled once more, from a text in which
//! each condition of a decision with several, each side of a comparison or of an operation, and each label
//! tells its value
//! (`templates/combinations.c`):
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
mod operations;
mod rewritten;
mod whole_path;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use coverage::{Combination, GoalKind};
use ir::{
    Body, ConditionId, CoverageLabelKind, DecisionId, FunctionId, OperationId, Program, TestId,
};

use super::{Profile, Replay, ReplayError, each, run_test};
use compiled::Compiled;
use whole_path::Outcomes;

/// So many tests run in turn at most.
const BATCH: usize = 128;
/// The file in the folder of a test that tells its values.
const FILE: &str = "combinations";

/// Reads a preprocessed file, compiled with some flags, as a program of one unit.
#[derive(Clone, Copy, Debug)]
pub struct ReadUnit(pub fn(&Path, &[String]) -> Option<Program>);

/// A piece of code that tells values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// The conditions of a decision.
    Decision(FunctionId, DecisionId),
    /// The sides of a comparison.
    Comparison(FunctionId, ConditionId),
    /// The sides of an operation.
    Operation(FunctionId, OperationId),
}

impl Target {
    /// The function that it is in.
    fn function(self) -> FunctionId {
        match self {
            Target::Decision(function, _)
            | Target::Comparison(function, _)
            | Target::Operation(function, _) => function,
        }
    }
}

/// The name of the label that a goal is.
fn label<'a>(replay: &Replay<'a>, function: FunctionId, goal: GoalKind) -> Option<&'a str> {
    let GoalKind::Label(id) = goal else {
        return None;
    };
    let body = replay.program.functions[function].body.as_ref()?;
    match &body.coverage_labels.get(id)?.kind {
        CoverageLabelKind::User { name, .. } => Some(name),
        CoverageLabelKind::Boundary(..)
        | CoverageLabelKind::Mutant(_)
        | CoverageLabelKind::Use { .. } => None,
    }
}

/// The target that says whether a goal is reached, and how.
fn told_by(function: FunctionId, goal: GoalKind) -> Option<(Target, Combination)> {
    match goal {
        GoalKind::Combination(decision, combination) => {
            Some((Target::Decision(function, decision), combination))
        }
        // See `attest_right` of the runtime.
        GoalKind::Boundary(condition, difference) => Some((
            Target::Comparison(function, condition),
            Combination::from_bits(1 << 63, u64::from(difference.abs_diff(-1))),
        )),
        GoalKind::Mutant(mutant) => Some((
            Target::Operation(function, mutant.operation),
            Combination::from_bits(1 << 63, operations::number_of(mutant.change)),
        )),
        _ => None,
    }
}

/// What a run told.
#[derive(Debug, Default)]
struct Seen {
    /// The combinations, by the numbers of targets.
    combinations: BTreeSet<(usize, Combination)>,
    /// The labels whose conditions held.
    labels: BTreeSet<String>,
    /// The outcomes of conditions and switches in order, if the run told them where it ended.
    outcomes: Option<Outcomes>,
}

impl Seen {
    /// What runs told together, with the path of the last one.
    fn of_all(all: &[&Seen]) -> Seen {
        let mut sum = Seen::default();
        for seen in all {
            sum.combinations.extend(&seen.combinations);
            sum.labels.extend(seen.labels.iter().cloned());
            sum.outcomes = seen.outcomes;
        }
        sum
    }
}

/// What the instrumented tests told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Whether all code that tests claim a goal of that asks for values tells these.
    pub is_complete: bool,
    /// For each test whose path is known: whether it takes that natively.
    pub paths: BTreeMap<TestId, bool>,
}

/// Finds the combinations that each profile's tests have, and adds them to what they reached; and whether
/// tests take their paths.
///
/// # Errors
/// The instrumented tests cannot be run.
pub(super) fn add_combinations(
    replay: &Replay<'_>,
    scratch: &Path,
    profiles: &mut [&mut Profile],
) -> Result<Told, ReplayError> {
    let mut wanted = wanted(replay);
    wanted.extend(whole_path::wanted(replay));
    let mut result = Told {
        is_complete: true,
        ..Told::default()
    };
    let goals = replay.suite.goals.iter().map(|goal| &goal.goal);
    let mut labels = goals.filter_map(|goal| label(replay, goal.function, goal.kind));
    if wanted.is_empty() && labels.next().is_none() {
        return Ok(result);
    }
    let claimed = claimed(replay);
    for (number, file, tests) in replay.files_of_goals() {
        if replay.is_over() {
            break;
        }
        let name = format!("combinations{number}");
        let Some(compiled) = Compiled::new(replay, scratch, &name, file, &wanted)? else {
            result.is_complete = false;
            continue;
        };
        result.is_complete &= claimed
            .iter()
            .all(|target| compiled.targets.contains(target));
        let runs = run_all(replay, scratch, &compiled.program, tests)?;
        // Clang may leave out what it is not to evaluate, as in `__builtin_assume`.
        let told = runs.values().flat_map(|seen| &seen.combinations);
        let told: BTreeSet<usize> = told.map(|(number, _)| *number).collect();
        let paths = whole_path::compare_paths(replay, (&compiled, &told), &runs);
        for profile in profiles.iter_mut() {
            let seen = profile.tests.iter().map(|id| runs.get(id));
            // Another file has its tests, or the time was over.
            let Some(seen) = seen.collect::<Option<Vec<&Seen>>>() else {
                continue;
            };
            add(replay, (&compiled, &told), &Seen::of_all(&seen), profile);
            add_by_paths(replay, &paths, profile);
        }
        result.paths.extend(paths);
    }
    Ok(result)
}

/// What tells whether goals are reached that clang does not count: decisions with several conditions,
/// and comparisons.
fn wanted(replay: &Replay<'_>) -> BTreeSet<Target> {
    let goals = replay.suite.goals.iter().map(|goal| &goal.goal);
    let targets = goals.filter_map(|goal| {
        let (target, _) = told_by(goal.function, goal.kind)?;
        let body: &Body = replay.program.functions[goal.function].body.as_ref()?;
        let is_uncounted = match target {
            Target::Decision(_, decision) => {
                body.decisions[decision].formula.conditions().len() > 1
            }
            Target::Comparison(..) | Target::Operation(..) => true,
        };
        is_uncounted.then_some(target)
    });
    targets.collect()
}

/// What of that is claimed by tests.
fn claimed(replay: &Replay<'_>) -> BTreeSet<Target> {
    let wanted = wanted(replay);
    let claims = replay.suite.claims.iter().flatten();
    let goals = claims.filter_map(|&goal| Some(&replay.suite.goals.get(goal)?.goal));
    let targets = goals.filter_map(|goal| told_by(goal.function, goal.kind));
    let targets = targets.map(|(target, _)| target);
    targets.filter(|target| wanted.contains(target)).collect()
}

/// Runs tests, and reads what each tells, as far as the time allows.
fn run_all(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    tests: &[TestId],
) -> Result<BTreeMap<TestId, Seen>, ReplayError> {
    let mut tests = tests.to_vec();
    tests.sort_unstable();
    let mut found = BTreeMap::new();
    for part in tests.chunks(BATCH) {
        let environment = vec![each::unprofiled(), told_to(Path::new(FILE))];
        for ended in each::run_each(replay, program, part, environment)? {
            let own = ended.folder.join(FILE);
            // One that is killed with its whole group may not have told all.
            if own.is_file() {
                // What runs before the first test runs before each.
                let before = ended.folder.with_file_name(FILE);
                found.insert(ended.id, Seen::of_all(&[&seen(&before), &seen(&own)]));
            }
        }
    }
    for &id in &tests {
        if found.contains_key(&id) {
            continue;
        }
        if replay.is_over() {
            break;
        }
        let output = scratch.join(format!("combinations-of-{}", id.index()));
        let ran = run_test(replay, scratch, program, id, vec![told_to(&output)]);
        if Replay::in_time(ran)?.is_none() {
            break;
        }
        found.insert(id, seen(&output));
    }
    Ok(found)
}

/// The variable that says where tests tell their values.
fn told_to(file: &Path) -> (String, String) {
    let path = file.to_string_lossy().into_owned();
    ("ATTEST_COMBINATIONS".to_owned(), path)
}

/// What a file tells: lines with the number of a target, the conditions that were evaluated and those
/// that were true, as bits; and lines with the name of a label. A last line may be incomplete.
fn seen(output: &Path) -> Seen {
    let text = std::fs::read_to_string(output).unwrap_or_default();
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut seen = Seen::default();
    for line in complete.lines() {
        if let Some(name) = line.strip_prefix("label ") {
            seen.labels.insert(name.to_owned());
            continue;
        }
        if let Some(outcomes) = line.strip_prefix("path ") {
            let numbers = outcomes.split_once(' ');
            let numbers = numbers.and_then(|(hash, count)| {
                let (hash, count) = (hash.parse().ok()?, count.parse().ok()?);
                Some(Outcomes { hash, count })
            });
            seen.outcomes = numbers;
            continue;
        }
        let numbers: Option<Vec<u64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        if let Some([number, evaluated, values]) = numbers.as_deref()
            && let Ok(number) = usize::try_from(*number)
        {
            let combination = Combination::from_bits(*evaluated, *values);
            seen.combinations.insert((number, combination));
        }
    }
    seen
}

/// Adds what follows from the paths of tests: a test that takes its path natively does all that it does in
/// the machine.
fn add_by_paths(replay: &Replay<'_>, paths: &BTreeMap<TestId, bool>, profile: &mut Profile) {
    let all = profile.tests.iter().map(|test| paths.get(test));
    let Some(confirmed) = all.collect::<Option<Vec<&bool>>>() else {
        return;
    };
    for (id, goal) in replay.suite.goals.iter_enumerated() {
        if !matches!(goal.goal.kind, GoalKind::Use(_)) {
            continue;
        }
        let claims = |test: &TestId| replay.suite.claims[*test].contains(&id);
        let mut tests = profile.tests.iter().zip(&confirmed);
        let is_reached = tests.any(|(test, confirmed)| **confirmed && claims(test));
        let reached = &mut profile.reached;
        reached.unmapped.set(id.index(), false);
        reached.uncounted.set(id.index(), false);
        reached.goals.set(id.index(), is_reached);
    }
}

/// Adds the combinations of a run to what it reached, for those that some run told of.
fn add(
    replay: &Replay<'_>,
    (compiled, told): (&Compiled, &BTreeSet<usize>),
    seen: &Seen,
    profile: &mut Profile,
) {
    let targets = compiled.targets.iter().enumerate();
    let targets = targets.filter(|(number, _)| told.contains(number));
    let numbers: BTreeMap<Target, usize> = targets.map(|(number, &it)| (it, number)).collect();
    let reached = &mut profile.reached;
    for (id, goal) in replay.suite.goals.iter_enumerated() {
        if let Some(name) = label(replay, goal.goal.function, goal.goal.kind) {
            reached.unmapped.set(id.index(), false);
            reached.uncounted.set(id.index(), false);
            reached.goals.set(id.index(), seen.labels.contains(name));
            continue;
        }
        let Some((target, combination)) = told_by(goal.goal.function, goal.goal.kind) else {
            continue;
        };
        if let Some(&number) = numbers.get(&target) {
            reached.unmapped.set(id.index(), false);
            reached.uncounted.set(id.index(), false);
            reached.goals.set(
                id.index(),
                seen.combinations.contains(&(number, combination)),
            );
        }
    }
}
