//! The turns of the fuzzer in a search.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use expr::{Model, Term, Var};
use ir::Terminator;
use ir::input::{InputSpace, InputVector};
use ir::test::Outcome;
use rustc_hash::FxHasher;
use solver::{Answer, Chain, ChainOptions, Query, Solver, Stop};
use vm::{ConcreteExecution, Constraint, ConstraintKind, Demand, Execution, InputProvider, Site};

use super::engine::Input;
use super::{Engine, Search};
use crate::fuzzing::{Attempt, Attempted, Beginning, Frontier, FuzzShare, Fuzzer, Taken, script};
use crate::options::Options;
use crate::path_tree::Flip;
use crate::scripted::ScriptedInputs;

/// The work of an attempt, of 16 of its steps, of a call of a function without a body, of 8 parts of
/// states, of a result that follows a pattern, and of a query apart from the SAT solver's work.
const ATTEMPT: u64 = 500;
const STEPS: u64 = 8;
const CALL: u64 = 40;
const PARTS: u64 = 4;
const RESULT: u64 = 10;
const QUERY: u64 = 10_000;

/// How many steps an attempt may take.
const LONGEST: u64 = 2_000_000;

/// The SAT solver's work for one attempt, after which no more queries are asked.
const ASIDE: u64 = 4_000_000;

/// How many choices are recorded where an attempt is executed with terms.
const CHOICES: usize = 2_000;

/// The fuzzer of a search.
pub(crate) struct Fuzzing {
    fuzzer: Fuzzer,
    share: FuzzShare,
    /// The share of attempts by patterns.
    patterns: FuzzShare,
    /// The edges that no execution took.
    frontier: Frontier,
    /// Answers queries about these, or gives up soon.
    solver: Chain,
}

/// How many conflicts the solver may spend on a query.
const CONFLICTS: u64 = 500;

impl Fuzzing {
    /// A fuzzer with a share of the work of a search.
    pub fn new(fuzzer: Fuzzer, frontier: Frontier, options: &Options) -> Fuzzing {
        let solver = solver::chain(&ChainOptions {
            conflict_limit: CONFLICTS,
            smt: Vec::new(),
            ..options.solver.clone()
        });
        Fuzzing {
            fuzzer,
            share: FuzzShare::new(options.fuzzing),
            patterns: FuzzShare::of_few_attempts(options.fuzzing),
            frontier,
            solver,
        }
    }

    /// Learns from an execution: from its inputs if the solver found them for a flip, and if it
    /// visited new places (so many).
    pub fn executed(
        &mut self,
        space: &InputSpace,
        execution: &Execution,
        (flip, news): (Option<Flip>, usize),
    ) {
        if !self.share.is_on() {
            return;
        }
        self.frontier.visit(&execution.visited.trace);
        self.fuzzer.look_at_use(space, &execution.inputs);
        if flip.is_some() {
            self.fuzzer.learn(space, &execution.inputs);
        }
        if news > 0 {
            self.fuzzer.add_base(space, &execution.inputs);
        }
    }

    /// The work of all attempts.
    pub fn done(&self) -> u64 {
        self.share.done() + self.patterns.done()
    }

    /// Counts the work of an attempt.
    fn count(&mut self, execution: &ConcreteExecution, attempted: &Attempted) {
        self.share
            .work(executed(execution) + attempted.parts / 8 * PARTS);
    }

    /// Counts the work of an attempt by a pattern.
    fn count_patterned(&mut self, execution: &ConcreteExecution, attempted: &Attempted) {
        let results = attempted.taken.len() as u64 * RESULT;
        self.patterns.work(executed(execution) + results);
    }
}

/// The work of an execution without terms.
fn executed(execution: &ConcreteExecution) -> u64 {
    ATTEMPT + execution.steps / 16 * STEPS + execution.calls * CALL
}

/// Executes an attempt, of which so many choices are recorded, for so many steps.
fn run(
    engine: &mut Engine<'_>,
    options: &Options,
    base: &InputVector,
    attempt: Attempt<'_>,
    (recorded, steps): (usize, u64),
) -> (ConcreteExecution, Attempted) {
    let input = InputProvider {
        vector: base,
        defaults: &attempt,
        recorded,
        unrecorded: u64::MAX,
        more_steps: 0,
    };
    let execution = engine.machine.execute_concretely(
        (options.precondition, options.entry),
        (input, &attempt),
        steps,
        &mut engine.space,
        &mut engine.terms,
    );
    (execution, attempt.end())
}

impl Search<'_> {
    /// Lets the fuzzer work, if it is its turn.
    pub(super) fn fuzz_in_turn(&mut self) {
        let is_stalled = self.provers.is_stalled(self.all_work());
        if !(self.limited.is_met || is_stalled) || !self.can_fuzz() {
            return;
        }
        let other = self.work().work.saturating_add(self.provers.done());
        let is_due = match is_stalled {
            true => FuzzShare::is_due_if_stalled,
            false => FuzzShare::is_due,
        };
        while is_due(&self.fuzzing.share, other)
            && self.fuzzing.fuzzer.is_on()
            && !self.goals_decided()
            && !self.is_stopped()
            && self.found.progress.iterations < self.options.iteration_limit
        {
            self.attempt();
            self.prove_in_turn();
        }
    }

    /// Tries patterns of results, if executions took very many.
    pub(super) fn try_patterns(&mut self) {
        if !self.limited.is_met || !self.can_fuzz() {
            return;
        }
        let other = self.work().work.saturating_add(self.provers.done());
        while self.fuzzing.patterns.is_due(other)
            && self.fuzzing.fuzzer.has_patterns()
            && !self.goals_decided()
            && !self.is_stopped()
        {
            let limit = self.options.machine.step_limit;
            let steps = limit.saturating_add(self.limited.more_steps);
            let (base, attempt) = self.fuzzing.fuzzer.patterned();
            let how_far = (0, steps);
            let (execution, attempted) =
                run(&mut self.engine, self.options, &base, attempt, how_far);
            let has_end = execution.outcome != Outcome::LimitReached;
            self.fuzzing.fuzzer.tried_pattern(has_end);
            self.fuzzing.count_patterned(&execution, &attempted);
            self.propose(&execution, &attempted);
            self.prove_in_turn();
        }
    }

    /// Whether attempts do what executions of the search do, and may cover goals.
    fn can_fuzz(&self) -> bool {
        let has_paths = self.open_goals.code().goals.paths().is_some();
        !has_paths && !self.lazy.is_on() && self.options.machine.policies.is_empty()
    }

    fn is_stopped(&self) -> bool {
        let stop = self.options.solver.stop.as_ref();
        stop.is_some_and(Stop::is_requested)
    }

    /// Executes an attempt.
    fn attempt(&mut self) {
        let (base, attempt) = self.fuzzing.fuzzer.attempt();
        let (execution, attempted) =
            run(&mut self.engine, self.options, &base, attempt, (0, LONGEST));
        self.fuzzing.fuzzer.attempted(attempted.is_new);
        self.fuzzing.count(&execution, &attempted);
        self.propose(&execution, &attempted);
        self.look_aside(&execution, &attempted);
    }

    /// Executes an attempt again with terms, if it came by an edge that no execution took, and then
    /// what leads along such edges.
    fn look_aside(&mut self, execution: &ConcreteExecution, attempted: &Attempted) {
        if !self.fuzzing.frontier.is_passed(&execution.trace) {
            return;
        }
        let again = self.fuzzing.fuzzer.again(attempted);
        let base = &attempted.base;
        let (execution, again) = run(
            &mut self.engine,
            self.options,
            base,
            again,
            (CHOICES, LONGEST),
        );
        self.fuzzing.count(&execution, &again);
        self.fuzzing.frontier.tried(&execution.trace);
        let before = self.fuzzing.solver.effort();
        let found = self.aside(&execution.path, &again);
        let effort = self.fuzzing.solver.effort() - before;
        self.fuzzing.share.work(effort);
        for results in found {
            let beginning = Beginning {
                base: Arc::clone(&again.base),
                results: results.into(),
            };
            let (base, attempt) = self.fuzzing.fuzzer.follow(beginning);
            let (execution, attempted) =
                run(&mut self.engine, self.options, &base, attempt, (0, LONGEST));
            self.fuzzing.fuzzer.attempted(attempted.is_new);
            self.fuzzing.count(&execution, &attempted);
            self.propose(&execution, &attempted);
        }
    }

    /// Results that lead off a path, along edges that no execution took.
    fn aside(&mut self, path: &[Constraint], again: &Attempted) -> Vec<Vec<Taken>> {
        let cells = again.cells.iter().zip(&again.taken);
        let current: Model = cells
            .map(|(cell, &(_, value))| (Var(cell.raw()), u128::from(value)))
            .collect();
        let mut constraints: Vec<Term> = Vec::new();
        let mut found = Vec::new();
        let most = self.fuzzing.solver.effort() + ASIDE;
        for constraint in path {
            if self.fuzzing.solver.effort() > most {
                break;
            }
            for alternative in &constraint.alternatives {
                let Demand::Term(demand) = alternative.demand else {
                    continue;
                };
                if !self.is_wanted(constraint, alternative.number) {
                    continue;
                }
                constraints.push(demand);
                let query = Query::new(&constraints, &current);
                let terms = &mut self.engine.terms;
                self.fuzzing.share.work(QUERY);
                if let Answer::Sat(model) = self.fuzzing.solver.check(terms, &query) {
                    found.push(self.changed(again, &model));
                }
                constraints.pop();
            }
            constraints.push(constraint.term);
        }
        found
    }

    /// Whether no execution took the edge of an alternative, and few queries asked for it.
    fn is_wanted(&mut self, constraint: &Constraint, number: u32) -> bool {
        if constraint.kind != ConstraintKind::Branch {
            return false;
        }
        let Site {
            function, block, ..
        } = constraint.site;
        let code = self.open_goals.code();
        let Some(body) = &code.program.functions[function].body else {
            return false;
        };
        // The first edge of a branch is that of 1.
        let nth = match body.blocks[block].terminator {
            Terminator::Branch { .. } => 1 - number.min(1),
            _ => number,
        };
        let edge = code.index.edge(function, block, nth as usize);
        self.fuzzing.frontier.ask(edge)
    }

    /// Results with the values of a model. The fuzzer learns these.
    fn changed(&mut self, again: &Attempted, model: &Model) -> Vec<Taken> {
        let taken = again.cells.iter().zip(&again.taken);
        let changed = taken.map(|(cell, &(function, value))| {
            let new = model
                .get(Var(cell.raw()))
                .map_or(value, |value| value as u64);
            if new != value {
                self.fuzzing.fuzzer.add_result((function, new));
            }
            (function, new)
        });
        changed.collect()
    }

    /// Executes the inputs of an attempt as a script if it reached something new.
    fn propose(&mut self, execution: &ConcreteExecution, attempted: &Attempted) {
        if !self.is_worth_executing(execution) {
            return;
        }
        let script = script(&attempted.taken);
        let inputs = ScriptedInputs::of(&script);
        let execution = self.execute_input(&Input {
            vector: &attempted.base,
            seed: Some(&inputs),
            recorded: 0,
            unrecorded: u64::MAX,
        });
        let covered = self.found.collector.covered();
        self.absorb(&execution, None);
        if self.found.collector.covered() > covered {
            self.fuzzing.share.covered();
        }
    }

    /// Whether an attempt reached an open goal, or a new defect.
    fn is_worth_executing(&mut self, execution: &ConcreteExecution) -> bool {
        if execution.outcome == Outcome::Rejected {
            return false;
        }
        if self.fuzzing.frontier.visit(&execution.trace) {
            let goals = self.open_goals.code().goals;
            let mut reached = goals.covered_by(&execution.trace);
            if reached.any(|goal| !self.found.collector.covers(goal)) {
                return true;
            }
        }
        match &execution.outcome {
            Outcome::Defect(defect) => {
                let mut hasher = FxHasher::default();
                format!("{:?}", (defect.kind, defect.stack.first())).hash(&mut hasher);
                self.fuzzing.fuzzer.is_new_defect(hasher.finish())
            }
            _ => false,
        }
    }
}
