//! What is tried next: flips for the target, then flips to further abstract paths, then targets that
//! were put aside.

use std::rc::Rc;

use analysis::Values;
use coverage::GoalId;
use expr::Terms;
use ir::input::{CallMode, Expands, InputSpace, InputVector};
use ir::test::{Bound, BoundKind, Outcome};
use vm::{ConstraintKind, Execution};

use super::Expansion;
use super::aim::{self, abstract_path, expansion};
use super::lemmas::Question;
use super::summaries::Plan;
use super::target::{AbstractPath, Purpose, Target};
use super::trails::Trail;
use super::units::{UnitNode, Units};
use crate::path_tree::Flip;
use crate::strategy::{Place, Run, View};

/// What is to be done next.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// To ask the solver.
    Ask(Box<Question>),
    /// To execute this, for the target.
    Input(Box<InputVector>),
    /// To try a flip, for the target.
    Expand(Flip),
    /// To execute a call on a known path, for the target, by this way.
    Again(Flip, Plan),
    /// To try a flip of an execution that ended well, whose input this is, with all calls executed.
    Inside(Flip, Rc<InputVector>),
    /// To look for another abstract path by a flip.
    Abstract(Flip),
}

/// An execution that has joined the tree.
#[derive(Clone, Copy)]
pub(crate) struct Joined<'a> {
    pub execution: &'a Execution,
    /// The nodes on its path.
    pub path: &'a [Flip],
    /// Where its path through the unit comes by.
    pub places: &'a [UnitNode],
    /// Where its whole path comes by.
    pub trail: &'a [Trail],
    /// The open goals that it comes to, if goals are what counts, each with the number of edges that
    /// lead there, in this order.
    pub goals: &'a [(GoalId, usize)],
}

impl Expansion {
    /// Records pending flips that lead to further abstract paths.
    pub fn ready(&mut self, joined: Joined<'_>, run: &Run<'_>, view: &View<'_>) {
        self.strategy.executed(run, view);
        let for_goals = self.criterion.paths().is_none();
        if for_goals && joined.execution.outcome == Outcome::Rejected {
            self.further.add(joined, run.pending, view);
        }
    }

    /// Records an execution: it may have reached the target, or be the next one.
    pub fn executed(
        &mut self,
        joined: Joined<'_>,
        (space, terms): (&mut InputSpace, &mut Terms),
        view: &View<'_>,
    ) {
        let execution = joined.execution;
        self.are_rejected |= is_rejected(execution);
        self.note_calls(joined, terms);
        if self.criterion.paths().is_none() {
            self.inside.add(joined, &mut self.ground, terms, view);
        }
        self.summaries.learn(execution, space, terms);
        let is_shared = |bound: &Bound| bound.kind == BoundKind::SharedMemory;
        let is_within = execution.losses.is_empty() && execution.bounds.iter().all(is_shared);
        if execution.abstracted > 0 && !is_within {
            self.lose();
        }
        if self.target.is_some() {
            let keeps = self.note_attempt(joined, (space, terms), view);
            if !keeps && is_abstract(execution) {
                self.put_off(joined, (space, terms), view);
            }
        } else if execution.abstracted > 0
            && let path = abstract_path(joined, self.are_rejected, (space, terms), view)
            && let Some(mut target) = self.target_of(path, |_| false)
        {
            self.statistics.abstract_paths += 1;
            if self.is_refuted(&target) {
                return;
            }
            self.note_next_calls(&mut target.path.focus, joined, target.length);
            self.question = self.doubt(&target, (space, terms), view);
            if let Some((call, at)) = self.most_constrained(&target, execution, terms) {
                let expands = Expands::Calls([call].into());
                self.input = Some(Box::new(aim::expanded(execution, at, expands)));
                target.ahead = Some(call);
            }
            self.aim(target, terms, view);
            self.note_attempt(joined, (space, terms), view);
        }
    }

    /// Puts an abstract path aside that was found on the way to the target, by a way that does not lead
    /// there.
    fn put_off(
        &mut self,
        joined: Joined<'_>,
        (space, terms): (&InputSpace, &Terms),
        view: &View<'_>,
    ) {
        let path = abstract_path(joined, self.are_rejected, (space, terms), view);
        if let Some(mut target) = self.target_of(path, |_| false) {
            self.statistics.abstract_paths += 1;
            self.note_next_calls(&mut target.path.focus, joined, target.length);
            self.put_aside.push_back(target);
        }
    }

    /// Records which goals are covered: what the target is for may be among them.
    pub fn reached(&mut self, is_covered: impl Fn(GoalId) -> bool, terms: &Terms, view: &View<'_>) {
        let units = &self.units;
        let is_taken = |target: &Target| match (target.purpose, target.places().last()) {
            (Purpose::Path(ending), Some(&last)) => units.is_known(last, ending),
            _ => false,
        };
        self.put_aside.retain(|target| !is_taken(target));
        let target = self.target.take_if(|target| match target.purpose {
            Purpose::Goal(goal) => is_covered(goal),
            Purpose::Path(_) => is_taken(target),
        });
        let Some(target) = target else { return };
        self.input = None;
        let next = match target.purpose {
            Purpose::Path(_) => None,
            Purpose::Goal(_) => {
                let goal = next_goal(&target.path, is_covered);
                goal.map(|(goal, length)| target.again(Purpose::Goal(goal), length))
            }
        };
        match next {
            Some(next) => self.aim(next, terms, view),
            None => self.statistics.concretised += 1,
        }
    }

    /// What an abstract path is to be made real for, if for anything. One that does not end well is no path
    /// that counts, and yet it comes by goals.
    fn target_of(&self, path: AbstractPath, is_covered: impl Fn(GoalId) -> bool) -> Option<Target> {
        let counted = path.ending.filter(|_| self.criterion.paths().is_some());
        let Some(ending) = counted else {
            let (goal, length) = next_goal(&path, is_covered)?;
            return Some(path.target(Purpose::Goal(goal), length));
        };
        let last = *path.places.last()?;
        let is_open = !self.units.is_known(last, ending) && !self.units.is_finished(last);
        let length = path.edges.len();
        is_open.then(|| path.target(Purpose::Path(ending), length))
    }

    /// What is to be done next, if anything.
    pub fn next(
        &mut self,
        (space, terms): (&mut InputSpace, &mut Terms),
        view: &View<'_>,
    ) -> Option<Step> {
        loop {
            if let Some(question) = self.question.take() {
                return Some(Step::Ask(question));
            }
            if let Some(input) = self.input.take() {
                return Some(Step::Input(input));
            }
            if let Some((flip, input)) = self.inside.next(view) {
                return Some(Step::Inside(flip, input));
            }
            if self.target.is_none()
                && !self.are_rejected
                && let Some((flip, input)) = self.next_beside(view.tree)
            {
                return Some(Step::Inside(flip, input));
            }
            if self.target.is_some() {
                if let Some((flip, plan)) = self.again((space, terms), view) {
                    return Some(Step::Again(flip, plan));
                }
                if let Some(flip) = self.next_of_target(view) {
                    self.question = self.end_ahead(flip, (space, terms), view);
                    return Some(Step::Expand(flip));
                }
            } else if let Some(target) = self.given_up.take() {
                self.question = self.doubt(&target, (space, terms), view);
            } else if let Some(flip) = self.next_abstract(view) {
                if view.tree.is_pending(flip) {
                    self.forbid(flip, view);
                    return Some(Step::Abstract(flip));
                }
            } else {
                let target = self.put_aside.pop_front()?;
                self.aim(target, terms, view);
            }
        }
    }

    /// The next flip that leads to further abstract paths. Where executions are rejected, the strategy has
    /// every other turn.
    fn next_abstract(&mut self, view: &View<'_>) -> Option<Flip> {
        self.is_turn_of_strategy ^= true;
        let (further, strategy) = (&mut self.further, &mut self.strategy);
        match self.is_turn_of_strategy {
            true => strategy.next(view).or_else(|| further.next(view)),
            false => further.next(view).or_else(|| strategy.next(view)),
        }
    }

    /// What the target says of inputs that an input for one of its flips leaves open. Where the call that
    /// the flip is in may then return what is demanded, all that follows is executed.
    pub fn complete(
        &mut self,
        input: &mut InputVector,
        flip: Flip,
        (terms, view): (&Terms, &View<'_>),
    ) {
        if !self.is_real(flip) {
            return;
        }
        if !self.are_rejected && self.may_return_what_is_demanded(flip, terms, view) {
            input.expands = Expands::All;
        }
        if let Some(target) = &self.target {
            let focus = target.focus();
            input.values.extend(focus.values.iter().copied());
            focus.expand_ahead(input);
        }
    }

    /// Whether a flip is in a call that is replaced on what is followed, and of the few values that it may
    /// return then, some meet what is demanded of them.
    fn may_return_what_is_demanded(&mut self, flip: Flip, terms: &Terms, view: &View<'_>) -> bool {
        let station = self.ground.stations.of(flip.node);
        let Some((target, station)) = self.target.as_ref().zip(station) else {
            return false;
        };
        let focus = target.focus();
        let call = focus.replaced(station).copied();
        let Some(call) = call.filter(|call| focus.demands.of_result(call.call).next().is_some())
        else {
            return false;
        };
        let place = Place::of(flip, view.tree);
        let values = self.ground.results.of(call, place, view.targets);
        let demands = &focus.demands;
        matches!(values, Values::Of(_))
            && demands
                .refuted(call.call, values, target.length, terms)
                .is_none()
    }

    /// Known paths for the calls that are replaced on what is followed. Those that leave calls open are
    /// put off while something else is known that leads on.
    fn again(
        &mut self,
        surroundings: (&mut InputSpace, &mut Terms),
        view: &View<'_>,
    ) -> Option<(Flip, Plan)> {
        let focus = self.target.as_mut()?.focus_mut();
        let expand = expansion(focus.next_call?.0, view.tree)?;
        let plan = match focus.plan.take() {
            Some(plan) => plan,
            None => self.plan(surroundings)?,
        };
        let focus = self.target.as_mut()?.focus_mut();
        let leaves_open = plan.calls.len() < focus.next_calls.len();
        if leaves_open && focus.leads_on(&self.ground) {
            focus.plan = Some(plan);
            return None;
        }
        Some((expand, plan))
    }

    /// A known path through the first call that is replaced on what is followed, which may lead on; if
    /// it is known where the next calls begin to look at inputs, first along with paths through these.
    fn plan(&mut self, (space, terms): (&mut InputSpace, &mut Terms)) -> Option<Plan> {
        let target = self.target.as_mut()?;
        let focus = target.focus_mut();
        let (_, occasion) = focus.next_call?;
        let of_result = focus.demands.on(occasion.call);
        let tried = &mut focus.attempts;
        loop {
            let is_alone = std::mem::take(&mut tried.is_further);
            let number = match is_alone {
                true => tried.looked - 1,
                false if tried.fitted >= ATTEMPTS => return None,
                false if tried.looked >= self.summaries.len(occasion.function) => return None,
                false => {
                    tried.looked += 1;
                    tried.looked - 1
                }
            };
            let summary = (number, occasion);
            let surroundings = (&mut *space, &mut *terms);
            let Some(plan) = self.summaries.plan(summary, &of_result, surroundings) else {
                continue;
            };
            if is_alone {
                return Some(plan);
            }
            tried.fitted += 1;
            let next = focus.next_calls.get(1..).unwrap_or_default();
            let of_result = |call| focus.demands.on(call);
            let surroundings = (&mut *space, &mut *terms);
            let summaries = &self.summaries;
            let plan = summaries.further(plan, summary, next, of_result, surroundings);
            tried.is_further = plan.calls.len() > 1;
            return Some(plan);
        }
    }

    /// Records that a known path is taken again.
    pub fn note_again(&mut self) {
        self.statistics.summaries_used += 1;
    }

    /// The next flip for the target; if there is none, or it took too long, there is no target any
    /// more.
    fn next_of_target(&mut self, view: &View<'_>) -> Option<Flip> {
        let mut target = self.target.take()?;
        if target.spent >= target.budget {
            target.budget *= 2;
            target.layers.clear();
            self.put_aside.push_back(target);
            return None;
        }
        target.spent += 1;
        loop {
            if let Some(flip) = self.next_of_focus(&mut target, view) {
                self.target = Some(target);
                return Some(flip);
            }
            if self.jump_back(&mut target, view) {
                continue;
            }
            target.hopeless.clear();
            let left = target.leave_nothing_out();
            if !target.path.focus.take_heart(left) {
                self.give_up(target);
                return None;
            }
        }
    }

    /// The best candidate for what is followed now.
    fn next_of_focus(&self, target: &mut Target, view: &View<'_>) -> Option<Flip> {
        let ground = &self.ground;
        let focus = target.layers.last_mut().unwrap_or(&mut target.path.focus);
        let look = |flip: Flip| {
            let candidate = aim::look(flip, &ground.stations, view);
            candidate.filter(|_| !target.in_vain.contains(&flip))
        };
        focus.budget = focus.budget.checked_sub(1)?;
        let hopeless = &target.hopeless;
        let is_hopeless = |flip| hopeless.iter().any(|&way| view.tree.is_behind(flip, way));
        focus.next(&ground.trails, look, is_hopeless)
    }

    /// Nothing takes the target, or so it seems. No call could be expanded behind the first place that
    /// only executions with all calls replaced came to, or none that does what is demanded up to a later
    /// place.
    fn give_up(&mut self, target: Target) {
        if !self.is_exact {
            return;
        }
        self.statistics.spurious += 1;
        let places = target.places();
        let unvisited = places
            .iter()
            .position(|&place| !self.units.was_visited(place));
        let unvisited = unvisited.map(|at| places[at.max(target.path.focus.refuted)]);
        let last = places.last().copied().unwrap_or(Units::START);
        let is_reached = self.units.was_reached(last);
        match (unvisited, target.purpose) {
            (Some(place), _) => self.units.rule_out(place),
            (None, _) if !is_reached => self.units.rule_out(last),
            (None, Purpose::Path(ending)) => {
                self.units.ended(last, ending);
            }
            // It was reached, but by no execution that counts.
            (None, Purpose::Goal(_)) => self.is_exact = false,
        }
        self.given_up = Some(target);
    }
}

/// The next goal that a path comes to and that is not covered.
fn next_goal(path: &AbstractPath, is_covered: impl Fn(GoalId) -> bool) -> Option<(GoalId, usize)> {
    let mut goals = path.goals.iter().copied();
    goals.find(|(goal, _)| !is_covered(*goal))
}

/// Whether all calls were replaced that could be.
fn is_abstract(execution: &Execution) -> bool {
    let mut modes = execution.inputs.calls.values();
    execution.abstracted > 0 && modes.all(|&mode| mode != CallMode::Entered)
}

/// How many known paths that fit are tried for one call.
const ATTEMPTS: u32 = 8;

/// Whether an execution was rejected, or could have been.
fn is_rejected(execution: &Execution) -> bool {
    let mut kinds = execution.path.iter().map(|constraint| constraint.kind);
    execution.outcome == Outcome::Rejected || kinds.any(|kind| kind == ConstraintKind::Assumption)
}
