//! What defects rest on, found by executions without it.
//!
//! The input that shows a defect may have parts that no declaration promises: a null pointer, two
//! pointers to one object, a field with a value that no code stores. A defect rests on such a part
//! unless it shows at the same place with a more usual value there.
//!
//! ```text
//! input := that of the test
//! for each unusual part of it, first all of a kind, then each alone:
//!     if an execution with a usual value there shows the defect, keep that value
//! of the numbers that did not matter alone, some may matter together
//! the defect rests on the parts that are left, and on what the machine says of the last execution
//! ```
//!
//! The test becomes one of that last input. This removes no path and decides no goal.

mod replacing;
mod states;
mod together;
mod unusual;
mod usual;

use std::collections::{BTreeMap, BTreeSet};

use analysis::StoredValues;
use coverage::{FoundDefect, GoalStatus, Goals};
use expr::Terms;
use ir::input::{Expands, InputSpace, InputVector};
use ir::library::Primitive;
use ir::test::{Defect, Outcome};
use ir::{
    Assumption, AssumptionKind, Callee, CellId, CodeIndex, DefectKind, FunctionId, Program, Span,
    Terminator, TestId,
};
use solver::Stop;
use vm::{Execution, InputProvider, Machine};

use crate::collect::test_of;
use crate::plausible::ObjectsOfTheirOwn;
use crate::{Exploration, Options, Outside, goals_of, machine_config};
pub(crate) use states::find_odd_states;
use unusual::{Inputs, Unusual};
pub(crate) use usual::prefer_usual_inputs;

/// The most executions for one defect.
const MOST_EXECUTIONS: u32 = 64;

/// The most assumptions that a report names.
const MOST_ASSUMPTIONS: usize = 32;

/// The most steps of one of them, and of all.
const MOST_STEPS: u64 = 1_000_000;
const ALL_STEPS: u64 = 20_000_000;

/// Finds what each defect rests on, and gives it a test with as few assumptions as are found. Of
/// several reports of a kind at one place, that with the fewest is left.
pub(crate) fn find_assumptions(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    found: &mut Exploration,
) {
    if found.suite.defects.is_empty() {
        return;
    }
    let index = CodeIndex::new(program);
    let goals = goals_of(program, &index, options);
    let mut config = machine_config(program, &index, options);
    config.step_limit = config.step_limit.min(MOST_STEPS);
    let stop = options.solver.stop.as_ref();
    let is_over = || stop.is_some_and(Stop::is_requested);
    let mut retrial = Retrial {
        program,
        options,
        machine: Machine::new(program, &index, config)
            .with_natives(outside.natives)
            .until(&is_over),
        terms: Terms::default(),
        stored: StoredValues::new(program),
        counts: analysis::counts(program, options.entry),
        space: &mut found.space,
        steps: 0,
        executions: 0,
    };
    let mut tests: BTreeMap<usize, Shown> = BTreeMap::new();
    for (number, defect) in found.suite.defects.iter_mut().enumerate() {
        let inputs = &found.suite.tests[defect.test].inputs;
        if let Some(shown) = retrial.explain(&mut defect.defect, inputs) {
            tests.insert(number, shown);
        }
    }
    for (number, shown) in tests {
        replace_test(found, &goals, number, shown);
    }
    keep_best(found);
    for number in 0..found.suite.defects.len() {
        let FoundDefect { defect, test, .. } = &found.suite.defects[number];
        found.suite.tests[*test].outcome = Outcome::Defect(defect.clone());
    }
}

/// An execution that shows a defect.
struct Shown {
    execution: Execution,
    defect: Defect,
}

/// The input with the fewest unusual parts so far.
struct Best {
    inputs: InputVector,
    shown: Shown,
    /// The unusual parts that the defect does not rest on: it shows with several values.
    irrelevant: BTreeSet<CellId>,
    /// Whether it is another input than that of the test.
    is_changed: bool,
}

/// Executes the program on changed inputs.
struct Retrial<'a, 's> {
    program: &'a Program,
    options: &'a Options,
    machine: Machine<'a>,
    terms: Terms,
    stored: StoredValues,
    /// The parameters of the entry that count.
    counts: BTreeSet<u32>,
    space: &'s mut InputSpace,
    steps: u64,
    executions: u32,
}

impl Retrial<'_, '_> {
    /// Adds to a defect what it rests on. Returns an execution that shows it with fewer
    /// assumptions, if there is one.
    fn explain(&mut self, defect: &mut Defect, inputs: &InputVector) -> Option<Shown> {
        self.executions = 0;
        let first = InputVector {
            values: inputs.values.clone(),
            expands: Expands::All,
            ..InputVector::default()
        };
        let shown = self.shows(defect, &first);
        let best = shown.map(|shown| {
            let best = Best {
                inputs: first,
                shown,
                irrelevant: BTreeSet::new(),
                is_changed: false,
            };
            let mut best = self.reduce(defect, best);
            self.keep_related(defect, &mut best);
            best
        });
        let nothing = BTreeSet::new();
        let (left, irrelevant, own) = match &best {
            Some(best) => (
                &best.shown.execution.inputs,
                &best.irrelevant,
                best.shown.defect.assumptions.clone(),
            ),
            None => (inputs, &nothing, defect.assumptions.clone()),
        };
        let all = own.into_iter().chain(self.left(defect, left, irrelevant));
        let counts = |assumption: &Assumption| {
            let is_of_caller = matches!(
                assumption.kind,
                AssumptionKind::Caller | AssumptionKind::State
            );
            // A precondition says which objects callers pass.
            !is_of_caller || self.options.precondition.is_none()
        };
        let all: Vec<Assumption> = all.filter(counts).take(MOST_ASSUMPTIONS).collect();
        defect.assumptions.clear();
        all.into_iter()
            .for_each(|assumption| defect.assume(assumption));
        let Best { shown, .. } = best.filter(|best| best.is_changed)?;
        defect.message.clone_from(&shown.defect.message);
        defect.stack.clone_from(&shown.defect.stack);
        Some(shown)
    }

    /// Replaces unusual parts of an input as long as it shows the defect.
    fn reduce(&mut self, defect: &Defect, mut best: Best) -> Best {
        for kind in AssumptionKind::ALL {
            let all = self
                .unusual(defect, &best.shown.execution.inputs)
                .into_iter();
            let of_kind: Vec<Unusual> = all.filter(|it| it.assumption.kind == kind).collect();
            if of_kind.len() < 2 {
                continue;
            }
            let mut changed = best.inputs.clone();
            for unusual in &of_kind {
                if let Some(&value) = unusual.instead.first() {
                    changed =
                        replacing::with(self.program, self.space, &changed, (unusual.cell, value));
                }
            }
            if self.takes_over(defect, changed, &mut best) {
                let replaced = of_kind
                    .iter()
                    .filter(|it| it.enough == 1 && !it.instead.is_empty());
                best.irrelevant.extend(replaced.map(|it| it.cell));
            }
        }
        let mut tried: BTreeSet<CellId> = best.irrelevant.clone();
        loop {
            if self.is_spent() {
                return best;
            }
            let all = self.unusual(defect, &best.shown.execution.inputs);
            let Some(next) = all.into_iter().find(|it| !tried.contains(&it.cell)) else {
                return best;
            };
            tried.insert(next.cell);
            self.replace(defect, &next, &mut best);
        }
    }

    /// Tries other values for an unusual part. The defect does not rest on it if enough of them show
    /// it.
    fn replace(&mut self, defect: &Defect, unusual: &Unusual, best: &mut Best) {
        let mut showing = 0;
        for &value in &unusual.instead {
            let changed = replacing::with(
                self.program,
                self.space,
                &best.inputs,
                (unusual.cell, value),
            );
            if self.takes_over(defect, changed, best) {
                showing += 1;
                if showing == unusual.enough {
                    best.irrelevant.insert(unusual.cell);
                    return;
                }
            }
        }
    }

    /// Takes a changed input over if it shows the defect.
    fn takes_over(&mut self, defect: &Defect, changed: InputVector, best: &mut Best) -> bool {
        let Some(shown) = self.shows(defect, &changed) else {
            return false;
        };
        best.inputs = changed;
        best.shown = shown;
        best.is_changed = true;
        true
    }

    /// Whether no further execution may be made for this defect.
    fn is_spent(&self) -> bool {
        let stop = self.options.solver.stop.as_ref();
        let is_over = stop.is_some_and(Stop::is_requested);
        is_over || self.executions >= MOST_EXECUTIONS || self.steps >= ALL_STEPS
    }

    fn unusual(&self, defect: &Defect, inputs: &InputVector) -> Vec<Unusual> {
        let program = Inputs {
            program: self.program,
            entry: self.options.entry,
            is_driver: self.options.is_driver(),
            space: self.space,
            stored: &self.stored,
            defect: Some(defect.kind),
            is_contract: self.is_contract(defect),
            counts: &self.counts,
        };
        program.unusual(inputs)
    }

    /// Whether a defect is that an `assert` of the entry fails: it says what callers pass. The code
    /// calls no entry of `main`, and no driver of a sequence.
    fn is_contract(&self, defect: &Defect) -> bool {
        let entry = self.options.entry;
        let [frame] = defect.stack.as_slice() else {
            return false;
        };
        let body = self.program.functions[entry].body.as_ref();
        let block = body.and_then(|body| body.blocks.get(frame.block));
        let Some(Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        }) = block.map(|block| &block.terminator)
        else {
            return false;
        };
        let called = &self.program.functions[*callee];
        frame.function == entry && Primitive::of(called) == Some(Primitive::AssertFail)
    }

    /// The assumptions of the unusual parts of an input, save for some that do not matter. Code sets
    /// up an object in which one field matters that holds a constant which is stored there.
    fn left(
        &self,
        defect: &Defect,
        inputs: &InputVector,
        irrelevant: &BTreeSet<CellId>,
    ) -> Vec<Assumption> {
        let unusual = self.unusual(defect, inputs).into_iter();
        let left = unusual.filter(|unusual| !irrelevant.contains(&unusual.cell));
        let mut left: Vec<Unusual> = left.collect();
        let states = left.iter().filter(|unusual| unusual.is_state());
        let is_alone = states.count() == 1;
        left.retain(|unusual| !(is_alone && unusual.is_set_up));
        left.into_iter().map(|unusual| unusual.assumption).collect()
    }

    /// An execution of an input, if it shows a defect of this kind at the same place.
    fn shows(&mut self, defect: &Defect, inputs: &InputVector) -> Option<Shown> {
        if self.is_spent() {
            return None;
        }
        self.executions += 1;
        let Options {
            entry,
            precondition,
            ..
        } = *self.options;
        let provider = InputProvider {
            defaults: &ObjectsOfTheirOwn {
                program: self.program,
            },
            ..InputProvider::from(inputs)
        };
        let (machine, terms) = (&mut self.machine, &mut self.terms);
        let execution = machine.execute_if(precondition, entry, provider, self.space, terms);
        self.steps += execution.steps;
        let ended = match &execution.outcome {
            Outcome::Defect(defect) => Some(defect),
            _ => None,
        };
        let all = ended.into_iter().chain(&execution.defects.reported);
        let mut same = all.filter(|other| place(other) == place(defect));
        let defect = same.next()?.clone();
        Some(Shown { execution, defect })
    }
}

/// What tells one report from another.
pub(crate) fn place(defect: &Defect) -> (DefectKind, Option<(FunctionId, &Span)>) {
    let first = defect.stack.first();
    (
        defect.kind,
        first.map(|frame| (frame.function, &frame.span)),
    )
}

/// Gives a defect a better test: in the place of the old one, unless that covers goals.
fn replace_test(found: &mut Exploration, goals: &Goals, number: usize, shown: Shown) {
    let suite = &mut found.suite;
    let old = suite.defects[number].test;
    let covers = |status: &GoalStatus| matches!(status, GoalStatus::Covered(test) if *test == old);
    let is_needed = suite.goals.iter().any(|goal| covers(&goal.status));
    let id = match is_needed {
        true => suite.tests.next_idx(),
        false => old,
    };
    let test = test_of(goals, &shown.execution, &shown.defect, id, &found.space);
    match is_needed {
        true => {
            suite.tests.push(test);
            suite.claims.push(Vec::new());
        }
        false => {
            suite.tests[id] = test;
            suite.claims[id].clear();
        }
    }
    suite.defects[number].test = id;
}

/// Leaves one report of each kind at each place: that with the fewest assumptions.
fn keep_best(found: &mut Exploration) {
    let suite = &mut found.suite;
    let mut kept: Vec<FoundDefect> = Vec::new();
    let mut dropped: BTreeSet<TestId> = BTreeSet::new();
    for defect in std::mem::take(&mut suite.defects) {
        let same = |other: &&mut FoundDefect| {
            let (one, two) = (place(&other.defect), place(&defect.defect));
            one == two && one.1.is_some()
        };
        match kept.iter_mut().find(same) {
            None => kept.push(defect),
            Some(known) => {
                let (more, fewer) = (&known.defect.assumptions, &defect.defect.assumptions);
                let worse = match fewer.len() < more.len() {
                    true => std::mem::replace(known, defect),
                    false => defect,
                };
                dropped.insert(worse.test);
            }
        }
    }
    suite.defects = kept;
    let goals = suite.goals.iter().filter_map(|goal| match goal.status {
        GoalStatus::Covered(test) => Some(test),
        _ => None,
    });
    let beyond = suite.goals.iter().filter_map(|goal| goal.beyond_defect);
    let shown = suite.defects.iter().map(|defect| defect.test);
    let needed: BTreeSet<TestId> = goals.chain(beyond).chain(shown).collect();
    dropped.retain(|test| !needed.contains(test));
    suite.withdraw(&dropped);
}
