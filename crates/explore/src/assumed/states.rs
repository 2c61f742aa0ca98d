//! Goals that tests reach by values which no code stores where they are.
//!
//! Each test of a goal with such values is executed once more, with values that code stores in
//! their place. The goals that it does not reach then are noted. That affects no verdict: other
//! inputs may reach them too.

use std::collections::{BTreeMap, BTreeSet};

use analysis::StoredValues;
use coverage::{GoalId, GoalStatus};
use expr::Terms;
use ir::input::{Expands, InputVector};
use ir::test::Outcome;
use ir::{AssumptionKind, CodeIndex, Program, TestId};
use solver::Stop;
use vm::{InputProvider, Machine};

use super::unusual::{Inputs, Unusual};
use super::{ALL_STEPS, MOST_EXECUTIONS, MOST_STEPS};
use crate::plausible::ObjectsOfTheirOwn;
use crate::{Exploration, Options, Outside, goals_of, machine_config};

/// Notes the goals of such tests, with the names of the inputs.
pub(crate) fn find_odd_states(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    found: &mut Exploration,
) {
    let tests = odd_tests(program, options, found);
    if options.precondition.is_some() || tests.is_empty() {
        return;
    }
    let index = CodeIndex::new(program);
    let goals = goals_of(program, &index, options);
    let mut config = machine_config(program, &index, options);
    config.step_limit = config.step_limit.min(MOST_STEPS);
    let stop = options.solver.stop.as_ref();
    let is_over = || stop.is_some_and(Stop::is_requested);
    let machine = Machine::new(program, &index, config);
    let mut machine = machine.with_natives(outside.natives).until(&is_over);
    let mut terms = Terms::default();
    let mut steps = 0;
    for (test, odd) in tests.into_iter().take(MOST_EXECUTIONS as usize) {
        let changed = with_usual(&found.suite.tests[test].inputs, &odd);
        let provider = InputProvider {
            defaults: &ObjectsOfTheirOwn { program },
            ..InputProvider::from(&changed)
        };
        let (entry, space) = (options.entry, &mut found.space);
        let execution = machine.execute_if(None, entry, provider, space, &mut terms);
        steps += execution.steps;
        if is_over() || steps > ALL_STEPS {
            return;
        }
        if matches!(
            execution.outcome,
            Outcome::LimitReached | Outcome::Unsupported
        ) {
            continue;
        }
        let reached: BTreeSet<GoalId> = goals.covered_by(&execution.visited.trace).collect();
        let names: BTreeSet<String> = odd.into_iter().map(|it| it.assumption.subject).collect();
        let names: Vec<String> = names.into_iter().collect();
        for goal in covered_by(found, test) {
            if !reached.contains(&goal) {
                found.suite.odd_states.insert(goal, names.clone());
            }
        }
    }
}

/// The tests that cover goals and have such values, with these.
fn odd_tests(
    program: &Program,
    options: &Options,
    found: &Exploration,
) -> BTreeMap<TestId, Vec<Unusual>> {
    let goals = found.suite.goals.iter();
    let tests: BTreeSet<TestId> = goals
        .filter_map(|goal| match goal.status {
            GoalStatus::Covered(test) => Some(test),
            _ => None,
        })
        .collect();
    let stored = StoredValues::new(program);
    let inputs = Inputs {
        program,
        entry: options.entry,
        is_driver: options.is_driver(),
        space: &found.space,
        stored: &stored,
        defect: None,
        is_contract: false,
        counts: &BTreeSet::new(),
    };
    let odd = |test: TestId| {
        let all = inputs.unusual(&found.suite.tests[test].inputs).into_iter();
        let odd = all.filter(|it| it.assumption.kind == AssumptionKind::State);
        let odd: Vec<Unusual> = odd.filter(|it| !it.instead.is_empty()).collect();
        (!odd.is_empty()).then_some((test, odd))
    };
    tests.into_iter().filter_map(odd).collect()
}

/// An input with values that code stores.
fn with_usual(inputs: &InputVector, odd: &[Unusual]) -> InputVector {
    let mut changed = InputVector {
        values: inputs.values.clone(),
        expands: Expands::All,
        ..InputVector::default()
    };
    for unusual in odd {
        let first = unusual.instead.first();
        changed
            .values
            .extend(first.map(|&value| (unusual.cell, value)));
    }
    changed
}

/// The goals that a test covers itself.
fn covered_by(found: &Exploration, test: TestId) -> Vec<GoalId> {
    let suite = &found.suite;
    let goals = suite.goals.iter_enumerated();
    let covered = goals.filter(|(id, goal)| {
        let is_derived = suite.derivations.contains_key(id);
        !is_derived && matches!(goal.status, GoalStatus::Covered(of) if of == test)
    });
    covered.map(|(id, _)| id).collect()
}
