//! The turns of the provers in a search ([`crate::proof_share`] says how long they are).
//!
//! They work beside the search ([`super::beside`]), which waits for them while their monitor watches
//! executions, and while the inputs that they propose cover goals.

use std::collections::BTreeSet;

use abstraction::{Allocations, CodePlace, Findings, Portfolio, Proof, Script, Task};
use coverage::{GoalId, ProofStatistics};
use ir::FunctionId;
use ir::input::InputVector;
use ir::test::LossKind;
use vm::Execution;

use super::beside::{ProofThread, Turn};
use super::engine::Input;
use super::watch::WatchedFlips;
use super::{End, Found, Search};
use crate::called_back::called_back;
use crate::options::{Observer, Progress};
use crate::proof_share::{
    ALTERNATIVE, CALL, EXECUTION, ProofShare, ProofTurns, QUERY, STEP, SearchWork, TERM,
};
use crate::scripted::ScriptedInputs;

/// The work of a turn beside the search behind one that found something; it doubles behind others, up to
/// this part of what the search has done.
const BESIDE: u64 = 300_000;
const PART: u64 = 16;

/// The provers of a search.
pub(crate) struct Provers<'a> {
    turns: ProofTurns,
    are_patient: bool,
    are_inputs_unwanted: bool,
    /// How many turns they had.
    count: u64,
    /// What they do, once they have begun.
    work: Option<ProofWork<'a>>,
    /// Where they work beside the search.
    thread: Option<ProofThread<'a>>,
    /// The turn beside the search that is under way.
    beside: Option<Beside>,
    /// Whether the inputs that they proposed in the last turn covered goals.
    are_covering: bool,
    /// The work of the next turn beside the search.
    next: u64,
    /// The work of the search when a turn could begin last.
    looked_at: u64,
    /// What their monitor knows of flips.
    pub watched: WatchedFlips,
}

/// A turn beside the search.
#[derive(Clone, Copy)]
struct Beside {
    /// The work of the search at which it takes what was found.
    ends_at: u64,
    /// The work that provers may have done in all then.
    until: u64,
    /// The work of watching executions when it began.
    watched: u64,
}

/// The work of provers.
struct ProofWork<'a> {
    /// The provers, if no turn is under way.
    portfolio: Option<Portfolio<'a>>,
    /// The goals that were open when they began, each with the edges and blocks that cover it.
    goals: Vec<(GoalId, Vec<CodePlace>)>,
    /// The edges and blocks that are proved not to be reached.
    proofs: Vec<(CodePlace, Proof)>,
}

impl ProofWork<'_> {
    /// The goals that an edge or a block covers.
    fn goals_at(&self, place: CodePlace) -> Vec<GoalId> {
        let covered = self.goals.iter();
        let covered = covered.filter(|(_, places)| places.contains(&place));
        covered.map(|&(goal, _)| goal).collect()
    }
}

impl<'a> Provers<'a> {
    /// The provers, if they have begun and no turn is under way.
    pub fn portfolio(&mut self) -> Option<&mut Portfolio<'a>> {
        self.work.as_mut()?.portfolio.as_mut()
    }

    /// Lets them work on a thread from now on, where they can.
    pub fn work_on(&mut self, thread: Option<ProofThread<'a>>) {
        self.thread = thread;
    }

    /// Provers with a share of the work of the search, which go on at its end if they are patient.
    pub fn new(share: ProofShare, are_patient: bool) -> Self {
        Provers {
            turns: ProofTurns::new(share),
            are_patient,
            are_inputs_unwanted: false,
            count: 0,
            work: None,
            thread: None,
            beside: None,
            are_covering: false,
            next: BESIDE,
            looked_at: 0,
            watched: WatchedFlips::default(),
        }
    }

    /// Whether there are any.
    pub fn are_on(&self) -> bool {
        self.turns.is_on()
    }

    /// Whether the search has not reached a new goal for long.
    pub fn is_stalled(&self, search: SearchWork) -> bool {
        self.turns.is_stalled(search)
    }

    /// The work that they have done, a turn that is under way included.
    pub fn done(&self) -> u64 {
        match self.beside {
            Some(turn) => turn.until,
            None => self.at_rest().map_or(0, Portfolio::effort),
        }
    }

    /// The work of watching executions, which is the search's.
    fn effort_of_watching(&self) -> u64 {
        match self.beside {
            Some(turn) => turn.watched,
            None => self.at_rest().map_or(0, Portfolio::effort_of_watching),
        }
    }

    fn at_rest(&self) -> Option<&Portfolio<'a>> {
        self.work.as_ref()?.portfolio.as_ref()
    }

    /// Gives them most of the work from now on: no flip is known to lead to a goal.
    pub fn only_put_off_are_left(&mut self) {
        self.turns.only_put_off_are_left();
    }

    /// Lets them propose no more inputs.
    fn propose_no_inputs(&mut self) {
        self.are_inputs_unwanted = true;
        if let Some(portfolio) = self.portfolio() {
            portfolio.propose_no_inputs();
        }
    }

    /// Whether they have nothing left to try.
    fn are_through(&self) -> bool {
        !self.turns.is_on() || self.at_rest().is_some_and(Portfolio::is_over)
    }
}

impl<'a> Search<'a> {
    /// Lets provers work, if it is their turn.
    pub(super) fn prove_in_turn(&mut self) {
        let search = self.all_work();
        self.provers.turns.searched(search);
        let before = std::mem::replace(&mut self.provers.looked_at, search.work);
        if let Some(turn) = self.provers.beside {
            if search.work < turn.ends_at {
                return;
            }
            self.take_findings();
        }
        let done = self.provers.done();
        let Some(until) = self.provers.turns.until(search, done) else {
            return;
        };
        match self.provers.are_covering || self.is_monitoring() {
            true => self.prove_until(until),
            false => {
                let since = search.work - before;
                let most = self.provers.next.min(search.work / PART);
                let most = most.max(since).max(BESIDE);
                self.prove_beside(until.min(done + most), search);
            }
        }
    }

    /// Whether the provers' monitor watches executions for the search.
    fn is_monitoring(&mut self) -> bool {
        let portfolio = self.provers.portfolio();
        portfolio.is_some_and(|portfolio| portfolio.is_monitoring())
    }

    /// Lets provers work when the search ends without deciding all goals, for as long as they prove
    /// more. If it is exhausted, it may be a proof itself: nothing was lost, no bound was hit, and
    /// nothing could have called back. Where an execution would be executed again for longer, they
    /// work for no more than that takes.
    pub(super) fn prove_at_end(&mut self, end: End, observer: &mut dyn Observer) {
        self.take_findings();
        let log = &self.found.log;
        let is_complete = end == End::Exhausted && log.losses.is_empty() && log.bounds.is_empty();
        let is_proof = is_complete && called_back(self.open_goals.code(), self.options).is_none();
        let may_have_more_paths = end == End::Exhausted && log.has(LossKind::ChoiceLimit);
        if !may_have_more_paths {
            // There are no other paths, or no more executions are allowed.
            self.provers.propose_no_inputs();
        }
        let search = self.all_work();
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
            search_work: self.all_work().work,
            is_through: self.provers.are_through(),
            put_off: self.provers.watched.put_off,
        })
    }

    /// What the search has done so far, fuzzing included.
    pub(super) fn all_work(&self) -> SearchWork {
        let search = self.work();
        SearchWork {
            work: search.work + self.fuzzing.done(),
            ..search
        }
    }

    /// What the search has done so far, apart from fuzzing.
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
        if let Some(mut turn) = self.turn(until) {
            turn.work();
            self.take(turn);
        }
    }

    /// Lets provers work beside the search, which has done so much, until they have done so much work
    /// in all.
    fn prove_beside(&mut self, until: u64, search: SearchWork) {
        let Some(turn) = self.turn(until) else {
            return;
        };
        let left = until.saturating_sub(turn.portfolio.effort());
        let meanwhile = self.provers.turns.meanwhile(search, left);
        let beside = Beside {
            ends_at: search.work + meanwhile,
            until,
            watched: turn.portfolio.effort_of_watching(),
        };
        let thread = self.provers.thread.as_ref();
        let begun = match thread {
            Some(thread) => thread.begin(turn),
            None => Err(Box::new(turn)),
        };
        match begun {
            Ok(()) => self.provers.beside = Some(beside),
            Err(mut turn) => {
                turn.work();
                self.take(*turn);
            }
        }
    }

    /// Waits for the turn beside the search that is under way, if one is, and takes what was found.
    pub(super) fn take_findings(&mut self) {
        if self.provers.beside.take().is_none() {
            return;
        }
        match self.provers.thread.as_ref().and_then(ProofThread::end) {
            Some(turn) => {
                self.take(turn);
                self.watch_waiting();
            }
            // The thread has panicked, as the end of its scope says.
            None => self.provers.turns = ProofTurns::new(ProofShare::None),
        }
    }

    /// A turn for what is open; `None` if there is nothing left to try.
    fn turn(&mut self, until: u64) -> Option<Turn<'a>> {
        if self.provers.are_through() {
            return None;
        }
        let mut work = match self.provers.work.take() {
            Some(work) => work,
            None => self.proof_work(),
        };
        work.goals
            .retain(|&(goal, _)| self.is_open(goal) && self.proofs.of(goal).is_none());
        let places = work.goals.iter().flat_map(|(_, places)| places);
        let open: BTreeSet<CodePlace> = places.copied().collect();
        let portfolio = work.portfolio.take();
        self.provers.work = Some(work);
        Some(Turn {
            portfolio: portfolio?,
            until,
            open,
            found: Findings::default(),
        })
    }

    /// Takes what provers found in a turn.
    fn take(&mut self, turn: Turn<'a>) {
        let Turn {
            portfolio, found, ..
        } = turn;
        let Some(mut work) = self.provers.work.take() else {
            return;
        };
        work.portfolio = Some(portfolio);
        self.provers.count += 1;
        self.provers.next = match found.proofs.is_empty() && found.scripts.is_empty() {
            true => self.provers.next.saturating_mul(2),
            false => BESIDE,
        };
        self.provers.turns.proved(!found.proofs.is_empty());
        if !found.proofs.is_empty() {
            work.proofs.extend(found.proofs);
            self.close_proved(&work);
        }
        let scripts = found.scripts.into_iter();
        let scripts: Vec<(Vec<GoalId>, Script)> = scripts
            .map(|(place, script)| (work.goals_at(place), script))
            .collect();
        self.provers.work = Some(work);
        self.try_scripts(&scripts);
    }

    /// Executes the inputs that provers propose, as long as a goal is open that they lead to.
    fn try_scripts(&mut self, scripts: &[(Vec<GoalId>, Script)]) {
        let before = self.found.collector.covered();
        for (goals, script) in scripts {
            if !goals.iter().any(|&goal| self.is_open(goal)) {
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
        self.provers.are_covering = covered > before;
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
            portfolio: Some(portfolio),
            goals,
            proofs: Vec::new(),
        }
    }

    /// Closes the goals all of whose edges and blocks are proved not to be reached. The search may have
    /// covered goals during the turn.
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
                if self.found.collector.covers(*goal) {
                    self.contradict(*goal);
                }
            }
        }
        let contexts = self.engine.machine.contexts();
        self.open_goals
            .exclude(self.proofs.goals(), &self.found.collector, contexts);
    }

    /// Whether a goal is needed, and neither covered nor excluded by the code alone.
    fn is_open(&self, goal: GoalId) -> bool {
        !self.found.collector.covers(goal)
            && !self.open_goals.needs().excludes(goal)
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
            self.contradict(goal);
        }
    }

    /// Records that an execution reaches a goal that is proved to be unreachable.
    fn contradict(&mut self, goal: GoalId) {
        let code = self.open_goals.code();
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
