//! What is followed: the target, and paths of executions that kept to it with ever more calls executed.

use analysis::Values;
use coverage::GoalId;
use expr::Terms;
use ir::input::{CallMode, Expands, InputSpace, InputValue, InputVector};
use ir::test::Outcome;
use ir::{CellId, ObjectId};
use rustc_hash::FxHashSet;
use vm::{ConstraintKind, Execution, WholeEdge};

use super::Expansion;
use super::ahead::Ahead;
use super::demands::Demands;
use super::drive::Joined;
use super::ending;
use super::focus::{Candidate, Focus};
use super::lemmas::Conditions;
use super::regions::{Stations, first_replaced};
use super::summaries::Occasion;
use super::target::{AbstractPath, Purpose, Target};
use super::trails::Trails;
use super::units::UnitNode;
use super::within::Results;
use crate::path_tree::{self, Flip, NodeId, PathTree};
use crate::strategy::{Place, View};

/// How many executions may be spent on a path on which some calls are executed, before others are
/// tried.
const FOCUS: u32 = 2_000;

/// Where nodes are, and what that says of them.
#[derive(Debug)]
pub(super) struct Ground {
    pub trails: Trails,
    pub stations: Stations,
    pub results: Results,
}

impl Ground {
    /// Adds a flip to a path that it keeps to, unless the call that it is in can no longer return what
    /// so many edges demand of it.
    fn add(
        &mut self,
        focus: &mut Focus,
        flip: Flip,
        edges: usize,
        (terms, view): (&Terms, &View<'_>),
    ) {
        let Some(candidate) = look(flip, &self.stations, view) else {
            return;
        };
        let station = candidate.station;
        let refuted = |call: ObjectId, values: &Values| {
            let demands = &focus.demands;
            demands.refuted(call, values, edges, terms)
        };
        let now = focus.replaced(station).and_then(|call| {
            let left = self.results.of(*call, candidate.place, view.targets);
            refuted(call.call, left)
        });
        let before = station.returned.iter().find_map(|&(call, value)| {
            let value = Values::Of([value].into());
            let counts = !focus.is_entered(call);
            counts.then(|| refuted(call, &value)).flatten()
        });
        match [now, before].into_iter().flatten().min() {
            Some(edges) => focus.refuted = focus.refuted.max(edges),
            None => focus.add(&candidate, &self.trails),
        }
    }
}

impl Expansion {
    /// Records pending flips that may make an abstract path real.
    pub fn wait(&mut self, flips: &[Flip], terms: &Terms, view: &View<'_>) {
        for &flip in flips {
            let Some(station) = self.ground.stations.of(flip.node) else {
                continue;
            };
            self.waiting.entry(station.place).or_default().push(flip);
            if let Some(target) = &mut self.target {
                let edges = target.length;
                for focus in target.all() {
                    self.ground.add(focus, flip, edges, (terms, view));
                }
            }
        }
    }

    /// Records nodes whose ways stood in the way of what is followed.
    pub fn blame(&mut self, nodes: &[NodeId]) {
        if let Some(target) = &mut self.target {
            target.focus_mut().blamed.extend(nodes);
        }
    }

    /// Drops a path on which nothing is left to try. Returns whether there was one. What stood in its way
    /// is left alone: the last decision that is to blame, and all behind it.
    pub(super) fn jump_back(&mut self, target: &mut Target, view: &View<'_>) -> bool {
        let Some(last) = target.layers.pop() else {
            return false;
        };
        let first = last.first.filter(|&node| view.tree.get(node).is_some());
        let to_blame = first.filter(|_| last.budget > 0).and_then(|node| {
            let steps = view.tree.prefix(Flip { node, way: 0 });
            let mut before = steps.into_iter().rev().skip(1);
            before.find(|step| last.blamed.contains(&step.node))
        });
        if let Some(step) = to_blame {
            let is_behind = |focus: &Focus| {
                let first = focus.first.map(|node| Flip { node, way: 0 });
                first.is_some_and(|first| view.tree.is_behind(first, step))
            };
            while target.layers.last().is_some_and(is_behind) {
                target.layers.pop();
            }
            target.hopeless.push(step);
        }
        true
    }

    /// Turns to a target.
    pub(super) fn aim(&mut self, mut target: Target, terms: &Terms, view: &View<'_>) {
        let places = target.places().to_vec();
        let length = target.length;
        self.add_waiting(&mut target.path.focus, &places, length, (terms, view));
        self.target = Some(target);
    }

    /// Adds the flips that wait at these places.
    fn add_waiting(
        &mut self,
        focus: &mut Focus,
        places: &[UnitNode],
        edges: usize,
        (terms, view): (&Terms, &View<'_>),
    ) {
        for place in places {
            if let Some(waiting) = self.waiting.get_mut(place) {
                waiting.retain(|&flip| view.tree.is_pending(flip));
                for &flip in waiting.iter() {
                    self.ground.add(focus, flip, edges, (terms, view));
                }
            }
        }
    }

    /// Records how far an execution followed the target. Returns whether it kept to it.
    pub(super) fn note_attempt(
        &mut self,
        joined: Joined<'_>,
        (space, terms): (&InputSpace, &Terms),
        view: &View<'_>,
    ) -> bool {
        let execution = joined.execution;
        let Some(mut target) = self.target.take() else {
            return false;
        };
        target.executions += 1;
        let keeps = target.is_followed(&execution.unit.edges, ending(&execution.outcome));
        if keeps && execution.abstracted == 0 && matches!(target.purpose, Purpose::Path(_)) {
            self.look_beside(joined, &target, terms, view);
        }
        if let Some(first) = first_replaced(execution) {
            let edges_before = execution.unit.places[first].edges as usize;
            let is_behind = edges_before >= target.length;
            if keeps && is_behind && matches!(target.purpose, Purpose::Goal(_)) {
                self.input = Some(Box::new(expanded(execution, first, Expands::All)));
            }
            let node = joined.path.get(first).map(|at| at.node);
            if let Some(expand) = node.and_then(|node| expansion(node, view.tree)) {
                target.note_replaced(expand, keeps);
                if keeps {
                    self.follow(&mut target, joined, (space, terms), view);
                    let edges = target.length;
                    for focus in target.all() {
                        self.ground.add(focus, expand, edges, (terms, view));
                    }
                }
            }
        }
        self.target = Some(target);
        keeps
    }

    /// Records where calls begin to look at inputs.
    pub(super) fn note_calls(&mut self, joined: Joined<'_>, terms: &Terms) {
        for (at, occasion) in Occasion::all(joined.execution, terms) {
            if let Some(flip) = joined.path.get(at) {
                self.occasions.insert(flip.node, occasion);
            }
        }
    }

    /// The calls that an execution replaced on its way to the target, of the first also the node.
    pub(super) fn note_next_calls(&self, focus: &mut Focus, joined: Joined<'_>, edges: usize) {
        let execution = joined.execution;
        let replaced = execution.made.iter().filter(|made| {
            let place = execution.unit.places.get(made.at);
            let is_before = place.is_some_and(|place| place.edges as usize <= edges);
            made.mode != CallMode::Entered && is_before
        });
        focus.next_calls = replaced.map(|made| (made.call, made.function)).collect();
        let first = first_replaced(execution);
        focus.first = first.and_then(|first| Some(joined.path.get(first)?.node));
        focus.next_call = focus.first.and_then(|node| {
            let occasion = self.occasions.get(node)?;
            Some((node, *occasion))
        });
    }

    /// Follows the path of an execution that keeps to the target, if it also keeps to what is followed
    /// now, with more calls executed.
    fn follow(
        &mut self,
        target: &mut Target,
        joined: Joined<'_>,
        (space, terms): (&InputSpace, &Terms),
        view: &View<'_>,
    ) {
        let execution = joined.execution;
        let part = target.part(&execution.unit.whole);
        let Some(&end) = joined.trail.get(part.len()) else {
            return;
        };
        let made = execution.made.iter();
        let entered = made.filter(|made| made.mode == CallMode::Entered);
        let entered: FxHashSet<_> = entered.map(|made| made.call).collect();
        let now = target.focus_mut();
        if entered.len() <= now.entered() || !now.ends_at(end, &self.ground.trails) {
            return;
        }
        let mut focus = Focus::new(part.to_vec(), entered, FOCUS);
        focus.demands = Demands::of_whole(joined, space, terms);
        focus.values = values(execution, space);
        focus.ahead = Ahead::of(execution, terms);
        self.note_next_calls(&mut focus, joined, target.length);
        let places = target.places().to_vec();
        self.add_waiting(&mut focus, &places, target.length, (terms, view));
        target.layers.push(focus);
    }
}

/// The path of an abstract execution.
pub(super) fn abstract_path(
    joined: Joined<'_>,
    are_rejected: bool,
    (space, terms): (&InputSpace, &Terms),
    view: &View<'_>,
) -> AbstractPath {
    let execution = joined.execution;
    let edges = execution.unit.edges.clone();
    let whole = edges.iter().map(|&edge| WholeEdge { edge, call: None });
    let mut focus = Focus::new(whole.collect(), Default::default(), u32::MAX);
    focus.demands = Demands::of_unit(joined, space, terms);
    focus.values = values(execution, space);
    AbstractPath {
        edges,
        places: joined.places.to_vec(),
        ending: ending(&execution.outcome),
        goals: goals(joined, are_rejected),
        conditions: Conditions::of(execution, view),
        focus,
    }
}

/// The goals that an execution comes to, each with the edges that lead there. Where others were rejected,
/// that is the whole path: what else makes it infeasible is unknown. One that is rejected itself comes to
/// none.
fn goals(joined: Joined<'_>, are_rejected: bool) -> Vec<(GoalId, usize)> {
    let execution = joined.execution;
    let whole = execution.unit.edges.len();
    let goals = joined.goals.iter().copied();
    match are_rejected {
        _ if execution.outcome == Outcome::Rejected => Vec::new(),
        true => goals.map(|(goal, _)| (goal, whole)).collect(),
        false => goals.collect(),
    }
}

/// What calls return that were replaced, and what they change.
fn values(execution: &Execution, space: &InputSpace) -> Vec<(CellId, InputValue)> {
    let values = execution.inputs.values.iter();
    let of_calls = values.filter(|(cell, _)| space.is_of_call(**cell));
    of_calls.map(|(&cell, &value)| (cell, value)).collect()
}

/// The input of an execution, to execute some of the calls from a constraint of its path on.
pub(super) fn expanded(execution: &Execution, first: usize, expands: Expands) -> InputVector {
    let before = execution.path[..first].iter();
    let calls = before.filter_map(|constraint| match constraint.kind {
        ConstraintKind::Call(call) => Some((call, CallMode::ALL[constraint.taken as usize])),
        _ => None,
    });
    InputVector {
        values: execution.inputs.values.clone(),
        calls: calls.collect(),
        expands,
        ..InputVector::default()
    }
}

/// The way out of a node that executes its call.
pub(super) fn expansion(node: NodeId, tree: &PathTree) -> Option<Flip> {
    let ways = tree.get(node)?.ways.iter();
    let entered = ways
        .enumerate()
        .find(|(_, way)| matches!(way.demands, path_tree::Demands::Call(_, CallMode::Entered)));
    entered.map(|(way, _)| Flip {
        node,
        way: way as u32,
    })
}

/// What is known of a pending flip.
pub(super) fn look<'s>(
    flip: Flip,
    stations: &'s Stations,
    view: &View<'_>,
) -> Option<Candidate<'s>> {
    let station = stations.of(flip.node)?;
    view.tree.is_pending(flip).then(|| {
        let place = Place::of(flip, view.tree);
        Candidate {
            flip,
            station,
            place,
            edge: view.targets.edge(place),
            distance: view.targets.to_return(place).unwrap_or(FAR),
        }
    })
}

/// How far a flip is from the end of a function that never returns.
const FAR: u32 = 1 << 16;
