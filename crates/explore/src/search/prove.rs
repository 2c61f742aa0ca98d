//! The turns of the provers in a search ([`crate::proof_share`] says how long they are).

use std::collections::BTreeSet;

use abstraction::{Allocations, CodePlace, Portfolio, Proof, Script, Task};
use coverage::{GoalId, ProofStatistics};
use ir::FunctionId;
use ir::input::InputVector;
use ir::test::LossKind;
use vm::Execution;

use super::engine::Input;
use super::watch::WatchedFlips;
use super::{End, Found, Search};
use crate::called_back::called_back;
use crate::options::{Observer, Progress};
use crate::proof_share::{
    ALTERNATIVE, CALL, EXECUTION, ProofShare, ProofTurns, QUERY, STEP, SearchWork, TERM,
};
use crate::scripted::ScriptedInputs;

/// The provers of a search.
pub(crate) struct Provers<'a> {
    turns: ProofTurns,
    are_patient: bool,
    are_inputs_unwanted: bool,
    /// How many turns they had.
    count: u64,
    /// What they do, once they have begun.
    work: Option<ProofWork<'a>>,
    /// What their monitor knows of flips.
    pub watched: WatchedFlips,
}

/// The work of provers.
struct ProofWork<'a> {
    portfolio: Portfolio<'a>,
    /// The goals that were open when they began, each with the edges and blocks that cover it.
    goals: Vec<(GoalId, Vec<CodePlace>)>,
    /// The edges and blocks that are proved not to be reached.
    proofs: Vec<(CodePlace, Proof)>,
}

impl<'a> Provers<'a> {
    /// The provers, if they have begun.
    pub fn portfolio(&mut self) -> Option<&mut Portfolio<'a>> {
        self.work.as_mut().map(|work| &mut work.portfolio)
    }

    /// Provers with a share of the work of the search, which go on at its end if they are patient.
    pub fn new(share: ProofShare, are_patient: bool) -> Self {
        Provers {
            turns: ProofTurns::new(share),
            are_patient,
            are_inputs_unwanted: false,
            count: 0,
            work: None,
            watched: WatchedFlips::default(),
        }
    }

    /// Whether the search has not reached a new goal for long.
    pub fn is_stalled(&self, search: SearchWork) -> bool {
        self.turns.is_stalled(search)
    }

    /// The work that they have done.
    pub fn done(&self) -> u64 {
        self.work.as_ref().map_or(0, |work| work.portfolio.effort())
    }

    /// The work of watching executions, which is the search's.
    fn effort_of_watching(&self) -> u64 {
        let work = self.work.as_ref();
        work.map_or(0, |work| work.portfolio.effort_of_watching())
    }

    /// Gives them most of the work from now on: no flip is known to lead to a goal.
    pub fn only_put_off_are_left(&mut self) {
        self.turns.only_put_off_are_left();
    }

    /// Lets them propose no more inputs.
    fn propose_no_inputs(&mut self) {
        self.are_inputs_unwanted = true;
        if let Some(work) = &mut self.work {
            work.portfolio.propose_no_inputs();
        }
    }

    /// Whether they have nothing left to try.
    fn are_through(&self) -> bool {
        let work = self.work.as_ref();
        !self.turns.is_on() || work.is_some_and(|work| work.portfolio.is_over())
    }
}

impl<'a> Search<'a> {
    /// Lets provers work, if it is their turn.
    pub(super) fn prove_in_turn(&mut self) {
        let search = self.work();
        self.provers.turns.searched(search);
        if let Some(until) = self.provers.turns.until(search, self.provers.done()) {
            self.prove_until(until);
        }
    }

    /// Lets provers work when the search ends without deciding all goals, for as long as they prove
    /// more. If it is exhausted, it may be a proof itself: nothing was lost, no bound was hit, and
    /// nothing could have called back. Where an execution would be executed again for longer, they
    /// work for no more than that takes.
    pub(super) fn prove_at_end(&mut self, end: End, observer: &mut dyn Observer) {
        let log = &self.found.log;
        let is_complete = end == End::Exhausted && log.losses.is_empty() && log.bounds.is_empty();
        let is_proof = is_complete && called_back(self.open_goals.code(), self.options).is_none();
        let may_have_more_paths = end == End::Exhausted && log.has(LossKind::ChoiceLimit);
        if !may_have_more_paths {
            // There are no other paths, or no more executions are allowed.
            self.provers.propose_no_inputs();
        }
        let search = self.work();
        let longer = self.longer_execution();
        let turn = longer.map_or(u64::MAX, |steps| {
            let work = steps.saturating_mul(STEP);
            self.provers.done().saturating_add(work)
        });
        while !is_proof && !self.goals_decided() && !self.provers.are_through() {
            let share = self.provers.turns.until_at_end(search, self.provers.done());
            let patience = self.provers.are_patient.then_some(turn);
            let Some(until) = patience.or(share) else {
                return;
            };
            self.prove_until(until);
            let is_over = longer.is_some() && self.provers.done() >= turn;
            if is_over || observer.progress(&self.found.progress).is_break() {
                return;
            }
        }
    }

    /// The counts of the provers, once they have begun.
    pub(super) fn proof_statistics(&self) -> Option<ProofStatistics> {
        self.provers.work.as_ref().map(|_| ProofStatistics {
            goals: self.proofs.goals().count() as u64,
            turns: self.provers.count,
            work: self.provers.done(),
            search_work: self.work().work,
            is_through: self.provers.are_through(),
            put_off: self.provers.watched.put_off,
        })
    }

    /// What the search has done so far.
    pub(super) fn work(&self) -> SearchWork {
        let Found {
            progress,
            steps,
            calls,
            alternatives,
            ..
        } = &self.found;
        let Progress {
            iterations,
            solver_queries,
            ..
        } = *progress;
        let terms = self.engine.terms.len() as u64 * TERM;
        let code = iterations * EXECUTION + steps * STEP + calls * CALL;
        let executions = code + alternatives * ALTERNATIVE + terms;
        let watching = self.provers.effort_of_watching();
        let queries = self.engine.solver.effort() + solver_queries * QUERY + watching;
        SearchWork {
            work: executions + queries,
            iterations,
            covered: self.found.collector.covered(),
        }
    }

    /// Lets provers work until they have done so much work in all.
    fn prove_until(&mut self, until: u64) {
        if self.provers.are_through() {
            return;
        }
        let mut work = match self.provers.work.take() {
            Some(work) => work,
            None => self.proof_work(),
        };
        work.goals
            .retain(|&(goal, _)| self.is_open(goal) && self.proofs.of(goal).is_none());
        let open: BTreeSet<CodePlace> = work
            .goals
            .iter()
            .flat_map(|(_, places)| places)
            .copied()
            .collect();
        let found = work.portfolio.step(until, &|place| !open.contains(&place));
        self.provers.count += 1;
        self.provers.turns.proved(!found.proofs.is_empty());
        if !found.proofs.is_empty() {
            work.proofs.extend(found.proofs);
            self.close_proved(&work);
        }
        self.try_scripts(&work, &found.scripts);
        self.provers.work = Some(work);
    }

    /// Executes the inputs that provers propose, as long as the goals that they lead to are open.
    fn try_scripts(&mut self, work: &ProofWork<'_>, scripts: &[(CodePlace, Script)]) {
        for (place, script) in scripts {
            let mut goals = work.goals.iter();
            if !goals.any(|(goal, places)| places.contains(place) && self.is_open(*goal)) {
                continue;
            }
            let inputs = ScriptedInputs::of(script);
            let execution = self.execute_input(&Input {
                vector: &InputVector::default(),
                seed: Some(&inputs),
                recorded: 0,
                unrecorded: u64::MAX,
            });
            self.absorb(&execution, None);
        }
        let covered = self.found.collector.covered();
        self.provers.turns.tried_inputs(covered);
    }

    /// What provers have to do.
    fn proof_work(&self) -> ProofWork<'a> {
        let code = self.open_goals.code();
        let open = code.goals.iter().map(|(id, _)| id);
        let open = open.filter(|&goal| self.is_open(goal));
        let mut all = Vec::new();
        let goals = open.map(|goal| {
            let places = self.places(goal);
            all.extend_from_slice(&places);
            (goal, places.into_iter().map(|(place, _)| place).collect())
        });
        let goals: Vec<(GoalId, Vec<CodePlace>)> = goals.collect();
        let task = Task {
            program: code.program,
            index: code.index,
            reach: code.reach,
            entry: code.entry,
        };
        let options = abstraction::Options {
            without: self.options.without_provers.clone(),
            stop: self.options.solver.stop.clone(),
            allocations: match self.options.machine.allocation_failures {
                true => Allocations::MayFail,
                false => Allocations::NeverFail,
            },
            ..abstraction::Options::default()
        };
        let mut portfolio = Portfolio::new(task, options, all);
        if self.provers.are_inputs_unwanted {
            portfolio.propose_no_inputs();
        }
        ProofWork {
            portfolio,
            goals,
            proofs: Vec::new(),
        }
    }

    /// Closes the goals all of whose edges and blocks are proved not to be reached.
    fn close_proved(&mut self, work: &ProofWork<'_>) {
        let program = self.open_goals.code().program;
        let proof_of = |place: &CodePlace| {
            let mut proofs = work.proofs.iter();
            proofs
                .find(|(proved, _)| proved == place)
                .map(|(_, proof)| proof)
        };
        for (goal, places) in &work.goals {
            let proofs: Option<Vec<&Proof>> = places.iter().map(proof_of).collect();
            if let Some(proofs) = proofs.filter(|proofs| !proofs.is_empty()) {
                self.proofs.add(*goal, program, &proofs);
            }
        }
        let contexts = self.engine.machine.contexts();
        self.open_goals
            .exclude(self.proofs.goals(), &self.found.collector, contexts);
    }

    /// Whether a goal is neither covered nor excluded by the code alone.
    fn is_open(&self, goal: GoalId) -> bool {
        !self.found.collector.covers(goal)
            && !self.open_goals.pathless().contains(goal.index())
            && !self.open_goals.rejected().contains(&goal)
    }

    /// The edges and blocks that cover a goal.
    fn places(&self, goal: GoalId) -> Vec<(CodePlace, FunctionId)> {
        let code = self.open_goals.code();
        let function = code.goals.goal(goal).function;
        let Some(body) = &code.program.functions[function].body else {
            return Vec::new();
        };
        let mut places = Vec::new();
        for &block in code.goals.covering(goal) {
            let number = code.index.block(function, block);
            if code.goals.on_block(number).contains(&goal) {
                places.push((CodePlace::Block(number), function));
            }
            let terminator = &body.blocks[block].terminator;
            let edges = match terminator.decides() {
                true => terminator.successor_count(),
                false => 0,
            };
            let edges = (0..edges).map(|nth| code.index.edge(function, block, nth));
            let edges = edges.filter(|&edge| code.goals.on_edge(edge).contains(&goal));
            places.extend(edges.map(|edge| (CodePlace::Edge(edge), function)));
        }
        places
    }

    /// Checks that an execution reaches no goal that is proved to be unreachable.
    pub(super) fn check_proofs(&mut self, execution: &Execution) {
        if self.proofs.is_empty() || execution.abstracted > 0 {
            return;
        }
        let code = self.open_goals.code();
        let reached = code.goals.covered_by(&execution.visited.trace);
        let mut broken = reached.filter(|&goal| self.proofs.of(goal).is_some());
        if let Some(goal) = broken.next() {
            let goal = code.goals.goal(goal);
            let place = goal.span.place();
            let what = format!(
                "{}:{}: {} is proved to be unreachable, but an execution reaches it",
                code.program.files[place.file].path, place.line, goal.side
            );
            debug_assert!(false, "{what}");
            self.proofs.contradict(what);
        }
    }
}
