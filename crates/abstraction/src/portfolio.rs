//! The provers in steps that the caller limits, on two models of the code.
//!
//! ```text
//! functions without a body may call back:   all provers
//! they do not, if that makes a difference:  what serves the search meanwhile; all provers once the
//!                                           first attempt is through, or has decided nothing for
//!                                           long
//! ```

use std::collections::BTreeSet;

use analysis::Reach;
use ir::{CodeBlock, CodeEdge, CodeIndex, FunctionId, OrderedTrace, Program};
use solver::{Effort, Stop};

use crate::attempt::{Attempt, TURN};
use crate::evidence::proof::Proof;
use crate::formulas::model::{Allocations, Bounds, CallBacks};
use crate::formulas::script::Script;
use crate::formulas::segment::CodePlace;
use crate::graph::unfolding::Unfolding;
use crate::monitor::{Position, Watching};
use crate::objects::locations::KnownElements;
use crate::prover::ProverName;

/// The effort after which the bounded attempt has all provers, if the other one has decided nothing
/// since so much effort.
const PATIENCE: u64 = 4 * TURN;

/// How much more the bounded attempt may spend then.
const HOPE: u64 = 4;

/// The limits of proofs, and what is left out.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many blocks the unfolded graph may have.
    pub blocks: usize,
    /// Provers that are left out.
    pub without: Vec<ProverName>,
    /// Whether allocations may fail.
    pub allocations: Allocations,
    /// Ends the work before its limit.
    pub stop: Option<Stop>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            blocks: 4_000,
            without: Vec::new(),
            allocations: Allocations::default(),
            stop: None,
        }
    }
}

/// What provers found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The places that are proved not to be reached.
    pub proofs: Vec<(CodePlace, Proof)>,
    /// Inputs that seem to lead to places that are not reached yet, with these.
    pub scripts: Vec<(CodePlace, Script)>,
}

/// The code in which places lie.
#[derive(Clone, Copy)]
pub struct Task<'p> {
    /// The program.
    pub program: &'p Program,
    /// Numbers its blocks and edges.
    pub index: &'p CodeIndex,
    /// Its control flow.
    pub reach: &'p Reach,
    /// The function that executions start with.
    pub entry: FunctionId,
}

/// Tries to prove that executions of the entry function reach none of some places. What cannot be
/// proved otherwise is tried once more under the bound that functions without a body call nothing
/// back.
pub struct Portfolio<'p> {
    task: Task<'p>,
    options: Options,
    effort: Effort,
    /// The places, each with the function that it lies in.
    places: Vec<(CodePlace, FunctionId)>,
    /// Whether inputs are of any use.
    are_inputs_wanted: bool,
    /// The attempt in which call backs are possible.
    unbounded: Stage<'p>,
    /// The one in which they are not.
    bounded: Stage<'p>,
    /// Whether the bounded attempt has all provers.
    is_bounded_full: bool,
    /// What the unbounded attempt had spent when it last decided a goal.
    decided_at: u64,
    /// An attempt that is over, and still watches executions.
    watching: Option<Box<Attempt<'p>>>,
    /// The effort that watching took.
    watched: u64,
    /// Whether the attempt that watches knows all goals that are open.
    are_all_goals_known: bool,
}

enum Stage<'p> {
    /// It is to begin, once it is known to be needed.
    Waiting,
    /// It is under way.
    UnderWay(Box<Attempt<'p>>),
    /// There is nothing left to try.
    Over,
}

impl<'p> Stage<'p> {
    fn attempt(&mut self) -> Option<&mut Attempt<'p>> {
        match self {
            Stage::UnderWay(attempt) => Some(attempt),
            Stage::Waiting | Stage::Over => None,
        }
    }
}

impl<'p> Portfolio<'p> {
    /// Begins with places that are not reached yet, each with the function that it lies in.
    pub fn new(
        task: Task<'p>,
        options: Options,
        places: Vec<(CodePlace, FunctionId)>,
    ) -> Portfolio<'p> {
        Portfolio {
            task,
            options,
            effort: Effort::default(),
            places,
            are_inputs_wanted: true,
            unbounded: Stage::Waiting,
            bounded: Stage::Waiting,
            is_bounded_full: false,
            decided_at: 0,
            watching: None,
            watched: 0,
            are_all_goals_known: false,
        }
    }

    /// Proposes no inputs from now on.
    pub fn propose_no_inputs(&mut self) {
        let are_left_out = ProverName::ALL.into_iter().filter(|it| it.is_for_search());
        self.options.without.extend(are_left_out);
        self.are_inputs_wanted = false;
        for stage in [&mut self.unbounded, &mut self.bounded] {
            if let Some(attempt) = stage.attempt() {
                attempt.propose_no_inputs();
            }
        }
        self.end();
    }

    /// The effort that it has spent, without that of watching.
    pub fn effort(&self) -> u64 {
        self.effort.spent() - self.watched
    }

    /// The effort that watching executions took.
    pub fn effort_of_watching(&self) -> u64 {
        self.watched
    }

    /// Whether there is nothing left to try.
    pub fn is_over(&self) -> bool {
        matches!((&self.unbounded, &self.bounded), (Stage::Over, Stage::Over))
    }

    /// Works until it has spent so much effort in all, or a little more, or has inputs to be tried.
    /// `is_reached` says of a place whether an execution reached it.
    pub fn step(&mut self, until: u64, is_reached: &dyn Fn(CodePlace) -> bool) -> Findings {
        let until = until.saturating_add(self.watched);
        self.places.retain(|&(place, _)| !is_reached(place));
        let mut found = Findings::default();
        let stop = self.options.stop.clone();
        let is_stopped = || stop.as_ref().is_some_and(Stop::is_requested);
        while self.effort.spent() < until && found.scripts.is_empty() && !is_stopped() {
            self.begin();
            let now = self.effort.spent();
            let places: BTreeSet<CodePlace> = self.places.iter().map(|it| it.0).collect();
            let Some(attempt) = self.next_attempt() else {
                break;
            };
            // The other attempt may have proved some.
            attempt.goals.open.retain(|place| places.contains(place));
            attempt.step(until.min(now + TURN));
            let new = std::mem::take(&mut attempt.goals.proved);
            found.scripts.append(&mut attempt.goals.scripts);
            self.places
                .retain(|(place, _)| !new.iter().any(|(proved, _)| proved == place));
            if !new.is_empty() {
                let unbounded = self.unbounded.attempt();
                self.decided_at = unbounded.map_or(0, |attempt| attempt.spent);
            }
            found.proofs.extend(new);
            self.end();
        }
        self.are_all_goals_known = self.knows_all_goals();
        found
    }

    /// Begins attempts that are needed.
    fn begin(&mut self) {
        if matches!(self.unbounded, Stage::Waiting) {
            let provers = self.provers();
            match self.attempt(CallBacks::Possible, &provers) {
                Some(attempt) => self.unbounded = Stage::UnderWay(attempt),
                None => (self.unbounded, self.bounded) = (Stage::Over, Stage::Over),
            }
        }
        let unbounded = self.unbounded.attempt();
        let is_needed = unbounded.is_some_and(|attempt| {
            let is_time = attempt.spent >= TURN || attempt.is_through();
            is_time && attempt.depends_on_call_backs()
        });
        if matches!(self.bounded, Stage::Waiting) && is_needed {
            let mut meanwhile = self.provers();
            meanwhile.retain(|&name| name.is_for_search());
            let attempt = self.attempt(CallBacks::Excluded, &meanwhile);
            self.bounded = attempt.map_or(Stage::Over, Stage::UnderWay);
        }
    }

    /// The attempt that has the next turn: the one with something to do that has spent less. Once the
    /// bounded one tries what the other has left, it has most of the turns.
    fn next_attempt(&mut self) -> Option<&mut Attempt<'p>> {
        let weight = if self.is_bounded_full { HOPE } else { 1 };
        let attempts = [
            (self.unbounded.attempt(), weight),
            (self.bounded.attempt(), 1),
        ];
        let attempts = attempts.into_iter();
        let attempts = attempts.filter_map(|(attempt, weight)| Some((attempt?, weight)));
        let working = attempts.filter(|(attempt, _)| !attempt.is_through());
        let next = working.min_by_key(|(attempt, weight)| attempt.spent * weight);
        next.map(|(attempt, _)| attempt)
    }

    /// Ends attempts that are through. The bounded one tries what the other leaves with all provers.
    fn end(&mut self) {
        let is_through = |stage: &mut Stage<'_>| {
            let attempt = stage.attempt();
            attempt.is_none_or(|attempt| attempt.is_through())
        };
        let unbounded = self.unbounded.attempt();
        let decided_at = self.decided_at;
        if unbounded.is_some_and(|attempt| attempt.spent >= decided_at + PATIENCE) {
            self.leave_to_bounded();
        }
        if matches!(self.unbounded, Stage::UnderWay(_)) && is_through(&mut self.unbounded) {
            self.begin();
            let over = std::mem::replace(&mut self.unbounded, Stage::Over);
            self.keep_monitor(over);
            match self.bounded {
                Stage::UnderWay(_) => self.leave_to_bounded(),
                Stage::Waiting | Stage::Over => self.bounded = Stage::Over,
            }
        }
        if matches!(self.unbounded, Stage::Over) && is_through(&mut self.bounded) {
            let over = std::mem::replace(&mut self.bounded, Stage::Over);
            self.keep_monitor(over);
        }
    }

    /// Keeps an attempt that is over if it watches executions.
    fn keep_monitor(&mut self, over: Stage<'p>) {
        if let Stage::UnderWay(attempt) = over
            && attempt.is_monitoring()
        {
            self.watching = Some(attempt);
        }
    }

    /// Watches an execution in which no call was replaced, by its ordered trace.
    pub fn watch(&mut self, trace: &OrderedTrace) -> Watching {
        let is_bounded_later = match &self.bounded {
            Stage::UnderWay(attempt) => !attempt.is_through(),
            Stage::Waiting => true,
            Stage::Over => false,
        };
        let before = self.effort.spent();
        let attempt = self.watching_attempt();
        let watching = attempt.map_or(Watching::Never, |attempt| attempt.watch(trace));
        self.watched += self.effort.spent() - before;
        match watching {
            Watching::Never if is_bounded_later => Watching::Waits,
            watching => watching,
        }
    }

    /// Whether executions are watched for the search, so that it is to be asked about branches.
    pub fn is_monitoring(&mut self) -> bool {
        let watching = self.watching_attempt();
        watching.is_some_and(|attempt| attempt.is_monitoring())
    }

    /// Whether an edge at a position may lead to a goal that is open. Where nothing is known, it may.
    pub fn may_lead_to_goal(&mut self, branch: (Position, CodeEdge)) -> bool {
        let before = self.effort.spent();
        let attempt = self.attempt_with_all_goals();
        let may_lead = attempt.is_none_or(|attempt| attempt.may_lead_to_goal(branch));
        self.watched += self.effort.spent() - before;
        may_lead
    }

    /// Whether no goal that is open can be reached from a position.
    pub fn is_dead_end(&mut self, position: Position) -> bool {
        let attempt = self.attempt_with_all_goals();
        attempt.is_some_and(|attempt| attempt.is_dead_end(position))
    }

    /// The attempt that watches executions, if it knows all goals that are open: not those in functions
    /// that the unfolded graph does not have all executions of.
    fn attempt_with_all_goals(&mut self) -> Option<&mut Attempt<'p>> {
        match self.are_all_goals_known {
            true => self.watching_attempt(),
            false => None,
        }
    }

    /// Whether the attempt that watches executions knows all goals that are open.
    fn knows_all_goals(&mut self) -> bool {
        let open: BTreeSet<CodePlace> = self.places.iter().map(|it| it.0).collect();
        let attempt = self.watching_attempt();
        attempt.is_some_and(|attempt| {
            attempt.goals.open.retain(|place| open.contains(place));
            attempt.goals.open.len() == open.len()
        })
    }

    /// The attempt that watches executions: the one with a monitor for the search, or the one that
    /// assumes less.
    fn watching_attempt(&mut self) -> Option<&mut Attempt<'p>> {
        if let Some(attempt) = &mut self.watching {
            return Some(attempt);
        }
        let bounded = self.bounded.attempt();
        let bounded = bounded.filter(|attempt| attempt.is_monitoring());
        bounded.or(self.unbounded.attempt())
    }

    /// Has the bounded attempt try with all provers what the other one has left, if it does not yet.
    fn leave_to_bounded(&mut self) {
        let mut later = self.provers();
        later.retain(|&name| !name.is_for_search());
        let Some(bounded) = self.bounded.attempt() else {
            return;
        };
        if !std::mem::replace(&mut self.is_bounded_full, true) {
            let places = &self.places;
            let is_left = |&goal: &CodePlace| places.iter().any(|&(place, _)| place == goal);
            bounded.goals.open.retain(is_left);
            bounded.add(&later);
        }
    }

    /// The provers that are not left out.
    fn provers(&self) -> Vec<ProverName> {
        let mut names = ProverName::ALL.to_vec();
        names.retain(|name| !self.options.without.contains(name));
        names
    }

    /// Prepares an attempt; `None` if it can prove nothing.
    fn attempt(&self, call_backs: CallBacks, provers: &[ProverName]) -> Option<Box<Attempt<'p>>> {
        let Task { program, index, .. } = self.task;
        let blocks = self.options.blocks;
        let unfolding = Unfolding::new(program, index, self.task.reach, self.task.entry, blocks)?;
        let open = provable(&unfolding, index, &self.places);
        if open.is_empty() {
            return None;
        }
        let spending = (self.effort.clone(), self.options.stop.clone());
        let bounds = Bounds {
            call_backs,
            allocations: self.options.allocations,
            elements: match self.options.without.contains(&ProverName::Pairs) {
                true => KnownElements::One,
                false => KnownElements::Two,
            },
        };
        let mut attempt = Attempt::new((unfolding, index, bounds), open, spending);
        attempt.add(provers);
        if !self.are_inputs_wanted {
            attempt.propose_no_inputs();
        }
        Some(Box::new(attempt))
    }
}

/// Those of some places of which the unfolded graph has all executions.
fn provable(
    unfolding: &Unfolding<'_>,
    index: &CodeIndex,
    places: &[(CodePlace, FunctionId)],
) -> BTreeSet<CodePlace> {
    let contexts = unfolding.contexts();
    let functions: BTreeSet<FunctionId> = contexts.map(|(_, context)| context.function).collect();
    let unfaithful = unfolding.unfaithful();
    let unfaithful: BTreeSet<CodeBlock> = unfaithful
        .map(|(function, block)| index.block(function, block))
        .collect();
    let begins: Vec<CodeBlock> = index.begins().collect();
    let is_provable = |&(place, function): &(CodePlace, FunctionId)| {
        let block = match place {
            CodePlace::Block(block) => Some(block),
            CodePlace::Edge(edge) => begins.get(edge.index()).copied(),
        };
        functions.contains(&function)
            && !unfolding.is_hidden(function)
            && block.is_some_and(|block| !unfaithful.contains(&block))
    };
    let provable = places.iter().copied().filter(is_provable);
    provable.map(|(place, _)| place).collect()
}
