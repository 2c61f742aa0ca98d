//! Gives tests the inputs that callers most likely pass, as far as these reach the tests' goals too.
//!
//! A search begins with null pointers, and takes two pointers to one object, or a field with a value
//! that no code stores, as readily as others. A reader wants such parts only where a goal needs them:
//!
//! ```text
//! for each test, for each kind of unusual part (null, alias, enumerator, state):
//!     execute it with usual values there, first of all parts of the kind, else of each alone
//!     keep those with which it ends as before, reaches the goals that it is the test of, and else
//!     only such as other tests cover
//! what is left is an assumption of the test
//! ```
//!
//! This removes no test and decides no goal.

use std::collections::{BTreeMap, BTreeSet};

use analysis::StoredValues;
use coverage::{GoalId, GoalStatus, Goals, Suite};
use expr::Terms;
use ir::input::{Expands, InputSpace, InputValue, InputVector, Root};
use ir::test::{Outcome, TestCase};
use ir::{AssumptionKind, CellId, CodeIndex, Program, TestId, Type};
use solver::Stop;
use vm::{Execution, InputProvider, Machine};

use super::unusual::{Inputs, Unusual};
use super::{ALL_STEPS, MOST_STEPS, replacing};
use crate::collect::test_of_goals;
use crate::{Exploration, Options, Outside, goals_of, machine_config};

/// The kinds of parts that are replaced.
const KINDS: [AssumptionKind; 4] = [
    AssumptionKind::Null,
    AssumptionKind::Alias,
    AssumptionKind::Enumerator,
    AssumptionKind::State,
];

/// The most executions for one test.
const MOST_EXECUTIONS: u32 = 32;

/// The most tests of a suite that are looked at.
const MOST_TESTS: usize = 1000;

/// Replaces inputs of tests that reach goals, and notes what the goals need.
pub(crate) fn prefer_usual_inputs(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    found: &mut Exploration,
) {
    let suite = &found.suite;
    let tests = suite.tests.iter().filter(|test| may_change(test));
    let tests: Vec<TestId> = tests.map(|test| test.id).take(MOST_TESTS).collect();
    if tests.is_empty() || !options.usual_inputs {
        return;
    }
    let index = CodeIndex::new(program);
    let goals = goals_of(program, &index, options);
    let mut config = machine_config(program, &index, options);
    config.step_limit = config.step_limit.min(MOST_STEPS);
    let stop = options.solver.stop.as_ref();
    let is_over = || stop.is_some_and(Stop::is_requested);
    let mut trials = Trials {
        program,
        options,
        goals: &goals,
        machine: Machine::new(program, &index, config)
            .with_natives(outside.natives)
            .until(&is_over),
        terms: Terms::default(),
        stored: StoredValues::new(program),
        counts: BTreeSet::new(),
        steps: 0,
        executions: 0,
        contradictions: Vec::new(),
    };
    for id in tests {
        if is_over() || trials.steps > ALL_STEPS {
            return;
        }
        trials.executions = 0;
        let statuses = Statuses::new(&found.suite, id);
        if statuses.of_test.is_empty() {
            continue;
        }
        let test = &found.suite.tests[id];
        let (test, execution) = trials.prefer(test, &statuses, &mut found.space);
        found.suite.tests[id] = test;
        if let Some(execution) = execution {
            let reached: BTreeSet<GoalId> = goals.covered_by(&execution.visited.trace).collect();
            found.suite.claims[id] = reached.into_iter().collect();
        }
    }
    found.contradictions.extend(trials.contradictions);
}

/// The goals by their status, as a test sees them.
struct Statuses {
    /// Those that it is the test of.
    of_test: BTreeSet<GoalId>,
    /// Those that some test covers.
    covered: BTreeSet<GoalId>,
    unreachable: BTreeSet<GoalId>,
}

impl Statuses {
    fn new(suite: &Suite, id: TestId) -> Self {
        let those = |is_it: &dyn Fn(&GoalStatus) -> bool| {
            let goals = suite.goals.iter_enumerated();
            // No execution reaches a derived goal: that follows from others.
            let goals = goals.filter(|(id, _)| !suite.derivations.contains_key(id));
            let goals = goals.filter(|(_, goal)| is_it(&goal.status));
            goals.map(|(goal, _)| goal).collect()
        };
        Statuses {
            of_test: those(&|status| matches!(status, GoalStatus::Covered(test) if *test == id)),
            covered: those(&|status| matches!(status, GoalStatus::Covered(_))),
            unreachable: those(&|status| matches!(status, GoalStatus::Unreachable(_))),
        }
    }
}

/// Whether a test may have other inputs: nothing but its end, its values and its goals matter.
fn may_change(test: &TestCase) -> bool {
    let ends_well = matches!(test.outcome, Outcome::Return | Outcome::Exit(_));
    let is_any = test.path.is_none() && test.trace.is_none() && test.beyond.is_none();
    ends_well && is_any && !test.unsure && test.outgrown.is_none()
}

/// What is tried in place of unusual parts: the likeliest values of all together, then each value of
/// each part.
fn replacements(all: &[Unusual]) -> Vec<Vec<(CellId, InputValue)>> {
    let likeliest = all
        .iter()
        .filter_map(|part| Some((part.cell, *part.instead.first()?)));
    let each = all.iter().flat_map(|part| {
        let values = part.instead.iter();
        values.map(|&value| vec![(part.cell, value)])
    });
    let together = (all.len() > 1).then(|| likeliest.collect());
    together.into_iter().chain(each).collect()
}

/// Executes tests with other inputs.
struct Trials<'a> {
    program: &'a Program,
    options: &'a Options,
    goals: &'a Goals,
    machine: Machine<'a>,
    terms: Terms,
    stored: StoredValues,
    /// No parameter counts: that matters to defects alone.
    counts: BTreeSet<u32>,
    steps: u64,
    executions: u32,
    /// Executions that reach what is unreachable: defects of attest.
    contradictions: Vec<String>,
}

impl Trials<'_> {
    /// A test with as many usual inputs as are found, and its execution, if it is another one.
    fn prefer(
        &mut self,
        test: &TestCase,
        statuses: &Statuses,
        space: &mut InputSpace,
    ) -> (TestCase, Option<Execution>) {
        let mut best = InputVector {
            values: test.inputs.values.clone(),
            expands: Expands::All,
            ..InputVector::default()
        };
        let mut changed_test = None;
        let mut needed = BTreeMap::new();
        for kind in KINDS {
            let all = self.unusual(&best, kind, space);
            let before = best.values.clone();
            for others in replacements(&all) {
                let mut cells = others.iter().map(|(cell, _)| cell);
                let are_left = cells.all(|cell| best.values.get(cell) == before.get(cell));
                if !are_left || self.executions >= MOST_EXECUTIONS {
                    continue;
                }
                let changed = others.into_iter().fold(best.clone(), |changed, other| {
                    replacing::with(self.program, space, &changed, other)
                });
                if let Some(execution) = self.reaches(test, statuses, &changed, space) {
                    best = changed;
                    changed_test = Some(execution);
                }
            }
            needed.extend(all.into_iter().map(|part| (part.cell, part)));
        }
        let mut chosen = match &changed_test {
            Some(execution) => test_of_goals(self.goals, execution, test.id, space),
            None => test.clone(),
        };
        let (now, before) = (&chosen.inputs.values, &test.inputs.values);
        needed.retain(|cell, _| now.contains_key(cell) && now.get(cell) == before.get(cell));
        let needed = needed.into_values().map(|part| part.assumption);
        chosen.assumptions = needed.collect();
        (chosen, changed_test)
    }

    /// The unusual parts of a kind for which there is a usual value.
    fn unusual(
        &self,
        inputs: &InputVector,
        kind: AssumptionKind,
        space: &InputSpace,
    ) -> Vec<Unusual> {
        let all = Inputs {
            program: self.program,
            entry: self.options.entry,
            is_driver: self.options.is_driver(),
            space,
            stored: &self.stored,
            defect: None,
            is_contract: false,
            counts: &self.counts,
        };
        let all = all.unusual(inputs).into_iter();
        let of_kind = all.filter(|it| it.assumption.kind == kind && !it.instead.is_empty());
        of_kind
            .filter(|it| kind != AssumptionKind::Null || self.is_argument(it.cell, space))
            .collect()
    }

    /// Whether a cell is a parameter that points to objects of a known type. Behind it, NULL is as usual
    /// as an object: lists end.
    fn is_argument(&self, cell: CellId, space: &InputSpace) -> bool {
        let data = space.cell_data(cell);
        let types = &self.program.types;
        let is_parameter = matches!(space.object_data(data.object).root, Root::Parameter(_));
        let pointee = types.pointee(data.ty);
        let is_object = pointee.is_some_and(|ty| {
            !matches!(types.kind(ty), Type::Function(_) | Type::Void) && types.size(ty) > 0
        });
        is_parameter && is_object
    }

    /// The execution of inputs, if it ends as the test does and reaches its goals, no goal that no test
    /// covers, and nothing about it is uncertain.
    fn reaches(
        &mut self,
        test: &TestCase,
        statuses: &Statuses,
        inputs: &InputVector,
        space: &mut InputSpace,
    ) -> Option<Execution> {
        self.executions += 1;
        let Options {
            entry,
            precondition,
            ..
        } = *self.options;
        let provider = InputProvider::from(inputs);
        let (machine, terms) = (&mut self.machine, &mut self.terms);
        let execution = machine.execute_if(precondition, entry, provider, space, terms);
        self.steps += execution.steps;
        let is_sure = execution.outcome == test.outcome
            && !execution.unsure
            && execution.defects.reported.is_empty()
            && execution.defects.beyond.is_none()
            && execution.imprecision.losses.is_empty()
            && execution.needs.outgrown.is_none();
        // What a rejected execution reaches, or one that ends in a defect, contradicts no verdict.
        if !is_sure {
            return None;
        }
        let reached: BTreeSet<GoalId> = self.goals.covered_by(&execution.visited.trace).collect();
        if let Some(goal) = reached.intersection(&statuses.unreachable).next() {
            let name = &self.program.functions[entry].name;
            let contradiction = format!("goal {goal:?} of {name} is unreachable and was reached");
            self.contradictions.push(contradiction);
        }
        let is_as_good =
            statuses.of_test.is_subset(&reached) && reached.is_subset(&statuses.covered);
        is_as_good.then_some(execution)
    }
}
