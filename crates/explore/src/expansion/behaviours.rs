//! What is known of all that a call may do in a state: the paths through it that were executed, and the
//! ways out of these that no execution took.
//!
//! Where another call sees the same state and the conditions hold that were relied on, it may do the
//! same, and nothing else (LATEST, section 4.3).

use expr::{Term, Terms};
use ir::input::CallMode;
use ir::{FunctionId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use slotmap::SecondaryMap;
use vm::{ConstraintKind, Execution, MadeCall};

use super::regions::Stations;
use super::within::UnitCall;
use crate::path_tree::{Demands, Flip, NodeId, PathTree};
use crate::strategy::{Place, View};

/// The most paths through a call in one state that are remembered.
const MOST: usize = 1_024;

/// The most calls whose paths are remembered.
const CALLS: usize = 1_024;

/// A call, and what it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub call: ObjectId,
    pub function: FunctionId,
    /// See [`MadeCall::sees`].
    pub sees: u128,
}

impl State {
    /// That of a call, if it is settled.
    pub fn of(made: &MadeCall) -> Option<State> {
        Some(State {
            call: made.call,
            function: made.function,
            sees: made.sees?,
        })
    }
}

/// A path through a call that returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Through {
    pub conditions: Vec<Term>,
    /// What it returned, if that is a number.
    pub result: Option<Term>,
}

/// What a call may do; see the module.
#[derive(Debug, Default)]
pub(crate) struct Behaviour {
    paths: FxHashSet<Through>,
    /// Ways inside it that no execution took, each with the call as it is known there, and its place.
    open: FxHashMap<Flip, (UnitCall, Place)>,
    /// Conditions from before the call on which it depends that there is nothing else.
    context: FxHashSet<Term>,
    /// Whether it may do more than that.
    is_partial: bool,
}

impl Behaviour {
    /// The paths, if nothing but the open ways is missing.
    pub fn paths(&self) -> Option<&FxHashSet<Through>> {
        (!self.is_partial).then_some(&self.paths)
    }

    /// The ways that no execution took.
    pub fn open(&self) -> impl Iterator<Item = (UnitCall, Place)> + '_ {
        self.open.values().copied()
    }

    /// The conditions from before the call on which all of that depends.
    pub fn context(&self) -> &FxHashSet<Term> {
        &self.context
    }

    /// Gives up on knowing all that it may do.
    fn give_up(&mut self) {
        *self = Behaviour {
            is_partial: true,
            ..Behaviour::default()
        };
    }

    /// Records an execution of the call.
    fn note(&mut self, made: &MadeCall, execution: &Execution, terms: &Terms) {
        if self.is_partial {
            return;
        }
        let is_lossy = !execution.losses.is_empty()
            || !execution.bounds.is_empty()
            || !execution.fixed.is_empty();
        if is_lossy || self.paths.len() >= MOST {
            return self.give_up();
        }
        let end = made.returned.map_or(execution.path.len(), |(end, _)| end);
        let inside = execution.path.get(made.at + 1..end).unwrap_or_default();
        let conditions = inside.iter().map(|constraint| constraint.term);
        let conditions: Vec<Term> = conditions
            .filter(|&term| terms.as_bool(term).is_none())
            .collect();
        let own: FxHashSet<Term> = conditions.iter().copied().collect();
        let relied = made.relied.iter().copied();
        self.context
            .extend(relied.filter(|term| !own.contains(term)));
        if let Some((_, result)) = made.returned {
            self.paths.insert(Through { conditions, result });
        }
    }
}

/// The behaviours of calls, by their nodes.
#[derive(Debug, Default)]
pub(crate) struct Behaviours {
    states: SecondaryMap<NodeId, State>,
    known: FxHashMap<NodeId, Behaviour>,
    /// Where calls were executed in a state.
    nodes: FxHashMap<State, Vec<NodeId>>,
    /// The calls whose behaviours have a way open.
    open_in: FxHashMap<Flip, Vec<NodeId>>,
}

impl Behaviours {
    /// The state of the call at a node.
    pub fn state(&self, node: NodeId) -> Option<State> {
        self.states.get(node).copied()
    }

    /// What is known of a call in a state.
    pub fn of(&self, state: State) -> impl Iterator<Item = &Behaviour> {
        let nodes = self.nodes.get(&state).into_iter().flatten();
        nodes.filter_map(|node| self.known.get(node))
    }

    /// Records an execution with the nodes on its path, and of the ways that it made pending.
    pub fn note(
        &mut self,
        execution: &Execution,
        path: &[Flip],
        pending: &[Flip],
        (stations, terms): (&Stations, &Terms),
        view: &View<'_>,
    ) {
        let mut entered: FxHashMap<ObjectId, NodeId> = FxHashMap::default();
        for made in &execution.made {
            let (Some(at), Some(state)) = (path.get(made.at), State::of(made)) else {
                continue;
            };
            if view.tree.get(at.node).is_some() {
                self.states.insert(at.node, state);
            }
            let is_known = self.known.contains_key(&at.node);
            if made.mode != CallMode::Entered || (!is_known && self.known.len() >= CALLS) {
                continue;
            }
            if !is_known {
                self.nodes.entry(state).or_default().push(at.node);
            }
            entered.insert(made.call, at.node);
            let behaviour = self.known.entry(at.node).or_default();
            behaviour.note(made, execution, terms);
        }
        for step in path {
            self.close(*step);
        }
        for &flip in pending.iter().filter(|&&flip| leads_on(flip, view)) {
            for &call in stations.of(flip.node).iter().flat_map(|at| at.calls.iter()) {
                let node = entered.get(&call.call);
                if let Some(behaviour) = node.and_then(|node| self.known.get_mut(node))
                    && !behaviour.is_partial
                {
                    let place = Place::of(flip, view.tree);
                    behaviour.open.insert(flip, (call, place));
                    self.open_in.entry(flip).or_default().extend(node);
                }
            }
        }
    }

    /// Records that a way is not open any more. Gives the calls in whose behaviours it was.
    fn close(&mut self, flip: Flip) -> Vec<NodeId> {
        let nodes = self.open_in.remove(&flip).unwrap_or_default();
        for node in &nodes {
            if let Some(behaviour) = self.known.get_mut(node) {
                behaviour.open.remove(&flip);
            }
        }
        nodes
    }

    /// Records that nothing takes a way, for what the ways out of these nodes demand.
    pub fn infeasible(&mut self, flip: Flip, blamed: &[NodeId], tree: &PathTree) {
        let calls = self.close(flip);
        if calls.is_empty() {
            return;
        }
        let steps = tree.prefix(flip);
        let to_blame = steps.iter().filter(|step| blamed.contains(&step.node));
        for node in calls {
            let (Some(behaviour), Some(call)) = (self.known.get_mut(&node), tree.get(node)) else {
                continue;
            };
            for &step in to_blame.clone() {
                if tree.node(step.node).depth > call.depth {
                    continue;
                }
                match &tree.way(step).demands {
                    Demands::Terms(terms) => behaviour.context.extend(terms.iter().copied()),
                    Demands::Call(..) => {}
                    Demands::Pointer(_) | Demands::Exact(..) => behaviour.give_up(),
                }
            }
        }
    }
}

/// Whether a call may return by a way. What becomes of a call inside it is no way of its own: a call that
/// is replaced may do all that one may do that is executed.
fn leads_on(flip: Flip, view: &View<'_>) -> bool {
    let Some(node) = view.tree.get(flip.node) else {
        return false;
    };
    let way = flip.way as usize;
    let is_call = matches!(node.kind, ConstraintKind::Call(_));
    !is_call
        && !node.is_rejection(way)
        && !node.is_violation(way)
        && !view.targets.is_rejecting(Place::of(flip, view.tree))
}
