//! Concretising an abstract path, and expanding calls on it (LATEST, sections 4.1 and 4.2, figure
//! 5).
//!
//! ```text
//! latest f:                              next():
//!   loop                                   loop
//!     π := abstract_next_path f              if there is no target: a flip to a further one
//!     concretize π                           if there is one: its best candidate
//!                                              none left: backtrack, or else the path is none
//!
//! concretize π:                          executed(execution):
//!   for the first call g on π              if it keeps to the target with more calls executed:
//!     π' := next_path g                      follow its path, inside these calls too (expand)
//!     if π' can be stitched in,              else: try the next candidate
//!       concretize the rest
//!     else try the next π'
//! ```
//!
//! The recursion of the paper is a stack of partially concretised paths ([`Target::layers`]): each
//! has more calls executed than the one below. Executions show side effects, as in section 4.2.

use coverage::GoalId;
use ir::input::{CallMode, InputVector};
use ir::test::{Bound, BoundKind};
use rustc_hash::FxHashSet;

use super::abstract_path::{
    AbstractPath, ending, expanded, is_abstract, is_rejected, values_of_calls,
};
use super::accelerate::{Proposal, Question, Refutation};
use super::candidates::Exhausted;
use super::guards::Guards;
use super::node_info::first_replaced;
use super::partial_path::{Candidate, PartialPath};
use super::proof::Proof;
use super::surroundings::Surroundings;
use super::target::{Purpose, Target};
use super::unit_paths::{UnitNode, UnitPaths};
use super::{Joined, LazyExpansion, NewFlips};
use crate::path_tree::Flip;
use crate::strategy::View;

/// The executions that may be spent on a path with some calls executed, before others are tried.
const LAYER_BUDGET: u32 = 2_000;

/// What lazy expansion asks the search to do next.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// Ask the solver.
    Ask(Box<Question>),
    /// Execute this input, for the target.
    Execute(Box<InputVector>),
    /// Execute the input that an ordering proposes, if there is one.
    Propose(Box<Proposal>),
    /// Try a flip, for the target or for a further abstract path.
    Try(Flip),
}

impl LazyExpansion {
    /// Records an execution: it may have followed the target, or be the next one.
    pub fn executed(
        &mut self,
        joined: Joined<'_>,
        flips: NewFlips<'_>,
        is_covered: impl Fn(GoalId) -> bool,
        surroundings: &mut Surroundings<'_>,
    ) {
        let execution = joined.execution;
        self.add_candidates(flips.concretising, surroundings);
        self.facts.are_rejected |= is_rejected(execution);
        for ordering in &mut self.accelerations.orderings {
            ordering.executed(joined, flips.leading, &self.facts, surroundings);
        }
        let is_shared = |bound: &Bound| bound.kind == BoundKind::SharedMemory;
        let is_within = execution.imprecision.losses.is_empty()
            && execution.imprecision.bounds.iter().all(is_shared);
        if execution.abstracted > 0 && !is_within {
            self.lose();
        }
        if self.target.is_some() {
            let keeps = self.attempted(joined, surroundings);
            if !keeps && is_abstract(execution) {
                self.put_aside(joined, surroundings);
            }
        } else if execution.abstracted > 0 {
            self.begin(joined, surroundings);
        }
        self.reached(is_covered, surroundings);
    }

    /// Makes the path of an abstract execution the target, unless no execution can take it.
    fn begin(&mut self, joined: Joined<'_>, surroundings: &mut Surroundings<'_>) {
        let Some(mut target) = self.abstract_target(joined, surroundings) else {
            return;
        };
        if self.is_refuted(&target) {
            return self.forget(&mut target);
        }
        self.question = self.doubt(&target, surroundings);
        self.set_target(target, surroundings);
        self.attempted(joined, surroundings);
    }

    /// Puts aside an abstract path that was found on the way to the target, but does not lead
    /// there.
    fn put_aside(&mut self, joined: Joined<'_>, surroundings: &Surroundings<'_>) {
        let target = self.abstract_target(joined, surroundings);
        self.frontier.put_aside.extend(target);
    }

    /// The path of an abstract execution as a target, if it has a purpose.
    fn abstract_target(
        &mut self,
        joined: Joined<'_>,
        surroundings: &Surroundings<'_>,
    ) -> Option<Target> {
        let path = AbstractPath::of(self.next_id(), joined, &self.facts, surroundings);
        let mut target = Target::of(path, self.counted, &self.facts)?;
        self.statistics.abstract_paths += 1;
        for pruning in &mut self.accelerations.prunings {
            pruning.met(&target, joined.execution, &surroundings.view);
        }
        let length = target.length;
        self.follow(&mut target.path.partial, joined, length);
        Some(target)
    }

    /// Makes a path the target.
    pub(super) fn set_target(&mut self, mut target: Target, surroundings: &Surroundings<'_>) {
        let AbstractPath {
            places, partial, ..
        } = &mut target.path;
        self.add_waiting(partial, &places[..=target.length], surroundings);
        self.target = Some(target);
    }

    /// The next step, if there is any.
    pub fn next(&mut self, surroundings: &mut Surroundings<'_>) -> Option<Request> {
        loop {
            if let Some(question) = self.question.take() {
                return Some(Request::Ask(question));
            }
            if let Some(input) = self.input.take() {
                return Some(Request::Execute(input));
            }
            if let Some(proposal) = self.propose(surroundings) {
                return Some(Request::Propose(Box::new(proposal)));
            }
            if self.target.is_some() {
                if let Some(flip) = self.concretise(surroundings) {
                    return Some(Request::Try(flip));
                }
            } else if let Some(mut target) = self.given_up.take() {
                self.question = self.doubt(&target, surroundings);
                self.forget(&mut target);
            } else if let Some(flip) = self.next_abstract(&surroundings.view) {
                if surroundings.view.tree.is_pending(flip) {
                    self.rule_out_after(flip, &surroundings.view);
                    return Some(Request::Try(flip));
                }
            } else {
                let target = self.frontier.put_aside.pop_front()?;
                self.set_target(target, surroundings);
            }
        }
    }

    /// The first input that an ordering proposes.
    fn propose(&mut self, surroundings: &mut Surroundings<'_>) -> Option<Proposal> {
        let target = self.target.as_ref();
        let mut orderings = self.accelerations.orderings.iter_mut();
        orderings.find_map(|ordering| ordering.propose(target, &self.facts, surroundings))
    }

    /// The next flip that leads to further abstract paths; the strategy and the orderings take
    /// turns.
    fn next_abstract(&mut self, view: &View<'_>) -> Option<Flip> {
        let frontier = &mut self.frontier;
        frontier.is_turn_of_strategy ^= true;
        let used = &mut self.used;
        let mut ordered = || {
            let mut orderings = self.accelerations.orderings.iter_mut();
            orderings.find_map(|ordering| {
                let flip = ordering.next_abstract(view)?;
                *used.entry(ordering.name()).or_default() += 1;
                Some(flip)
            })
        };
        match frontier.is_turn_of_strategy {
            true => frontier.strategy.next(view).or_else(ordered),
            false => ordered().or_else(|| frontier.strategy.next(view)),
        }
    }

    /// The next flip that may make the target real. If there is none, or it took too long, there is
    /// no target any more.
    fn concretise(&mut self, surroundings: &Surroundings<'_>) -> Option<Flip> {
        let mut target = self.target.take()?;
        if target.is_out_of_turn() {
            self.drop_layers(&mut target);
            self.frontier.put_aside.push_back(target);
            return None;
        }
        loop {
            if let Some(flip) = self.next_candidate(&mut target, surroundings) {
                self.target = Some(target);
                return Some(flip);
            }
            if self.backtrack(&mut target) {
                continue;
            }
            for ordering in &mut self.accelerations.orderings {
                ordering.resumed(&target);
            }
            if let Some(exhausted) = target.path.partial.exhausted() {
                self.give_up(target, exhausted);
                return None;
            }
            target.path.partial.resume();
        }
    }

    /// Drops the innermost layer, on which nothing is left to try. Returns whether there was one
    /// beside the abstract path itself.
    fn backtrack(&mut self, target: &mut Target) -> bool {
        let dropped = target.layers.pop();
        if let Some(partial) = &dropped {
            self.accelerations.forget(partial.id);
        }
        dropped.is_some()
    }

    /// The best candidate for the innermost layer.
    fn next_candidate(
        &mut self,
        target: &mut Target,
        surroundings: &Surroundings<'_>,
    ) -> Option<Flip> {
        let orderings = &self.accelerations.orderings;
        let used = &mut self.used;
        let id = target.path.partial.id;
        let partial = target.partial_mut();
        let is_deferred = |flip: Flip| {
            let by = orderings.iter().find(|ordering| ordering.defers(id, flip));
            if let Some(by) = by {
                *used.entry(by.name()).or_default() += 1;
            }
            by.is_some()
        };
        partial.next(&self.facts, &surroundings.view, is_deferred)
    }

    /// Adds new pending flips that may make abstract paths real.
    fn add_candidates(&mut self, flips: &[Flip], surroundings: &Surroundings<'_>) {
        let mut target = self.target.take();
        for &flip in flips {
            let Some(info) = self.facts.nodes.of(flip.node) else {
                continue;
            };
            self.waiting.entry(info.place).or_default().push(flip);
            if let Some(target) = &mut target {
                let (along, partials) = target.partials();
                for partial in partials {
                    self.add_candidate(partial, flip, along, surroundings);
                }
            }
        }
        self.target = target;
    }

    /// Adds the flips that wait at the places of a target.
    fn add_waiting(
        &mut self,
        partial: &mut PartialPath,
        places: &[UnitNode],
        surroundings: &Surroundings<'_>,
    ) {
        for place in places {
            let Some(mut waiting) = self.waiting.remove(place) else {
                continue;
            };
            waiting.retain(|&flip| surroundings.view.tree.is_pending(flip));
            for &flip in &waiting {
                self.add_candidate(partial, flip, places, surroundings);
            }
            self.waiting.insert(*place, waiting);
        }
    }

    /// Adds a flip to a path through these places that it agrees with, unless a pruning shows that
    /// it leads nowhere.
    fn add_candidate(
        &mut self,
        partial: &mut PartialPath,
        flip: Flip,
        places: &[UnitNode],
        surroundings: &Surroundings<'_>,
    ) {
        let edges = places.len() - 1;
        let Some(candidate) = Candidate::of(flip, &self.facts, &surroundings.view) else {
            return;
        };
        let prunings = self.accelerations.prunings.iter();
        let refuted = prunings
            .filter_map(|pruning| {
                pruning.refutes_candidate(partial, &candidate, edges, &self.facts, surroundings)
            })
            .min_by_key(Refutation::edges);
        match refuted {
            Some(refutation) if !self.proofs.is_audited() => {
                partial.refute(refutation);
                self.count(refutation.by());
            }
            refuted => {
                // What is left out of a layer proves nothing: it is a candidate of the path below
                // too.
                let claim = refuted.filter(|_| partial.entered() == 0);
                if let Some(refutation) = claim {
                    self.proofs.claim(flip, places, refutation);
                }
                partial.add(&candidate, &self.facts.whole_paths);
            }
        }
    }

    /// Records how far an execution followed the target. Returns whether it followed all of it.
    fn attempted(&mut self, joined: Joined<'_>, surroundings: &mut Surroundings<'_>) -> bool {
        let execution = joined.execution;
        let Some(mut target) = self.target.take() else {
            return false;
        };
        target.executions += 1;
        let keeps = target.is_followed(&execution.unit.edges, ending(&execution.outcome));
        if keeps && execution.abstracted == 0 && matches!(target.purpose, Purpose::Path(_)) {
            for ordering in &mut self.accelerations.orderings {
                ordering.concretised(joined, &target, &self.facts, surroundings);
            }
        }
        if let Some(first) = first_replaced(execution) {
            let edges_before = execution.unit.places[first].edges as usize;
            let is_behind = edges_before >= target.length;
            if keeps && is_behind && matches!(target.purpose, Purpose::Goal(_)) {
                self.input = Some(Box::new(expanded(execution, first)));
            }
            let node = joined.path.get(first).map(|at| at.node);
            let tree = surroundings.view.tree;
            let expand = node.and_then(|node| tree.expansion(node));
            if let Some(expand) = expand {
                for ordering in &mut self.accelerations.orderings {
                    ordering.attempted(&target, expand, keeps);
                }
                if keeps {
                    self.expand(&mut target, joined, surroundings);
                    let (along, partials) = target.partials();
                    for partial in partials {
                        self.add_candidate(partial, expand, along, surroundings);
                    }
                }
            }
        }
        self.target = Some(target);
        keeps
    }

    /// Adds the path of an execution that keeps to the target as a layer, if it also keeps to the
    /// innermost layer, with more calls executed.
    fn expand(&mut self, target: &mut Target, joined: Joined<'_>, surroundings: &Surroundings<'_>) {
        let execution = joined.execution;
        let part = target.part(&execution.unit.whole).to_vec();
        let Some(&end) = joined.whole.get(part.len()) else {
            return;
        };
        let made = execution.made.iter();
        let entered = made.filter(|made| made.mode == CallMode::Entered);
        let entered: FxHashSet<_> = entered.map(|made| made.call).collect();
        let now = target.partial_mut();
        if entered.len() <= now.entered() || !now.ends_at(end, &self.facts.whole_paths) {
            return;
        }
        let mut partial = PartialPath::new(self.next_id(), part, entered).within(LAYER_BUDGET);
        partial.guards = Guards::of_whole(joined, surroundings);
        partial.values = values_of_calls(execution, surroundings.space);
        self.follow(&mut partial, joined, target.length);
        self.add_waiting(&mut partial, target.places(), surroundings);
        target.layers.push(partial);
    }

    /// Records the calls that an execution replaced on a path that it takes within so many edges.
    fn follow(&mut self, partial: &mut PartialPath, joined: Joined<'_>, edges: usize) {
        partial.set_replaced(joined, edges, &self.facts);
        for ordering in &mut self.accelerations.orderings {
            ordering.followed(partial);
        }
    }

    /// Records which goals are covered: the purpose of the target may be among them.
    fn reached(&mut self, is_covered: impl Fn(GoalId) -> bool, surroundings: &Surroundings<'_>) {
        self.drop_taken();
        let units = &self.facts.units;
        let target = self.target.take_if(|target| match target.purpose {
            Purpose::Goal(goal) => is_covered(goal),
            Purpose::Path(_) => target.is_taken(units),
        });
        let Some(mut target) = target else { return };
        self.input = None;
        self.drop_layers(&mut target);
        let id = target.path.partial.id;
        let next = match target.purpose {
            Purpose::Path(_) => None,
            Purpose::Goal(_) => target.again(is_covered),
        };
        match next {
            Some(next) => self.set_target(next, surroundings),
            None => {
                self.accelerations.forget(id);
                self.statistics.concretised += 1;
            }
        }
    }

    /// Drops the targets that were put aside and whose paths have been taken since.
    fn drop_taken(&mut self) {
        let units = &self.facts.units;
        let accelerations = &mut self.accelerations;
        self.frontier.put_aside.retain(|target| {
            let is_taken = target.is_taken(units);
            if is_taken {
                accelerations.forget(target.path.partial.id);
            }
            !is_taken
        });
    }

    /// Completes an input for a flip of the target: adds the target's values for the results of
    /// calls, and the calls that an ordering executes.
    pub fn complete(
        &mut self,
        input: &mut InputVector,
        flip: Flip,
        surroundings: &Surroundings<'_>,
    ) {
        let Some(target) = self.target.as_ref().filter(|_| self.is_real(flip)) else {
            return;
        };
        let mut orderings = self.accelerations.orderings.iter();
        let expands = orderings.find_map(|ordering| {
            let expands = ordering.expands(flip, target, &self.facts, surroundings)?;
            Some((ordering.name(), expands))
        });
        let values = &target.partial().values;
        input.values.extend(values.iter().copied());
        if let Some((by, expands)) = expands {
            input.expands = expands;
            self.count(by);
        }
    }

    /// Rules the target out: each candidate was tried. No call could be expanded after the first
    /// place that only executions with all calls replaced reached, or none that meets the guards up
    /// to a later place.
    fn give_up(&mut self, mut target: Target, exhausted: Exhausted) {
        if !self.proofs.is_exact() {
            return self.forget(&mut target);
        }
        self.statistics.spurious += 1;
        let (places, units) = (target.places(), &mut self.facts.units);
        let unvisited = places.iter().position(|&place| !units.was_visited(place));
        let unvisited = unvisited.map(|at| places[at.max(exhausted.refuted_edges())]);
        let last = places.last().copied().unwrap_or(UnitPaths::START);
        let unreached = (!units.was_reached(last)).then_some(last);
        match (unvisited.or(unreached), target.purpose) {
            (Some(place), _) => {
                let proof = Proof::Exhausted(exhausted);
                self.proofs.rule_out(place, &proof, units);
            }
            (None, Purpose::Path(ending)) => units.never_ends(last, ending, &exhausted),
            // It was reached, but by no execution that counts.
            (None, Purpose::Goal(_)) => self.proofs.lose(),
        }
        self.given_up = Some(target);
    }
}
