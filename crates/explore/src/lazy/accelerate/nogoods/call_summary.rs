//! All paths of a call in a state, as far as they are known: the paths through it that were
//! executed, and the branches out of these that no execution took.
//!
//! Where another call sees the same state and the conditions hold on which the summary relies, it
//! has the same paths, and no others (LATEST, section 4.3).

use expr::{Term, Terms};
use ir::input::CallMode;
use ir::{FunctionId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use slotmap::SecondaryMap;
use vm::{ConstraintKind, Execution, MadeCall};

use crate::branch_site::BranchSite;
use crate::lazy::node_info::NodeInfos;
use crate::lazy::returns::UnitCall;
use crate::path_tree::{Demands, Flip, Inserted, NodeId, PathTree};
use crate::strategy::View;

/// The most paths through a call in one state that are remembered.
const MOST: usize = 1_024;

/// The most calls whose paths are remembered.
const CALLS: usize = 1_024;

/// A call, and the fingerprint of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallState {
    pub call: ObjectId,
    pub function: FunctionId,
    /// See [`MadeCall::context_fingerprint`].
    pub fingerprint: u128,
}

impl CallState {
    /// The state of a call, if it is settled.
    pub fn of(made: &MadeCall) -> Option<CallState> {
        Some(CallState {
            call: made.call,
            function: made.function,
            fingerprint: made.context_fingerprint?,
        })
    }
}

/// A path through a call that returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Through {
    pub conditions: Vec<Term>,
    /// Its result, if that is a number.
    pub result: Option<Term>,
}

/// The paths of a call; see the module.
#[derive(Debug, Default)]
pub(crate) struct CallSummary {
    paths: FxHashSet<Through>,
    /// Branches inside it that no execution took, each with the innermost call around it and its
    /// place.
    open: FxHashMap<Flip, (UnitCall, BranchSite)>,
    /// Conditions from before the call on which the claim depends that there is no other path.
    context: FxHashSet<Term>,
    /// Whether it may have other paths.
    is_partial: bool,
}

impl CallSummary {
    /// The paths, if nothing but the open branches is missing.
    pub fn paths(&self) -> Option<&FxHashSet<Through>> {
        (!self.is_partial).then_some(&self.paths)
    }

    /// The branches that no execution took.
    pub fn open(&self) -> impl Iterator<Item = (UnitCall, BranchSite)> + '_ {
        self.open.values().copied()
    }

    /// The conditions from before the call on which the claim depends.
    pub fn context(&self) -> &FxHashSet<Term> {
        &self.context
    }

    /// Gives up the claim that all paths are known.
    fn give_up(&mut self) {
        *self = CallSummary {
            is_partial: true,
            ..CallSummary::default()
        };
    }

    /// Records an execution of the call.
    fn note(&mut self, made: &MadeCall, execution: &Execution, terms: &Terms) {
        if self.is_partial {
            return;
        }
        let is_lossy = !execution.imprecision.losses.is_empty()
            || !execution.imprecision.bounds.is_empty()
            || !execution.imprecision.fixed.is_empty();
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

/// The summaries of calls, by their nodes.
#[derive(Debug, Default)]
pub(crate) struct CallSummaries {
    states: SecondaryMap<NodeId, CallState>,
    known: FxHashMap<NodeId, CallSummary>,
    /// Where calls were executed in a state.
    nodes: FxHashMap<CallState, Vec<NodeId>>,
    /// The calls whose summaries have an open branch.
    open_in: FxHashMap<Flip, Vec<NodeId>>,
}

impl CallSummaries {
    /// The state of the call at a node.
    pub fn state(&self, node: NodeId) -> Option<CallState> {
        self.states.get(node).copied()
    }

    /// What is known of a call in a state.
    pub fn of(&self, state: CallState) -> impl Iterator<Item = &CallSummary> {
        let nodes = self.nodes.get(&state).into_iter().flatten();
        nodes.filter_map(|node| self.known.get(node))
    }

    /// Records an execution with the nodes on its path, and the branches that it made pending.
    pub fn joined(
        &mut self,
        execution: &Execution,
        Inserted { path, pending, .. }: &Inserted,
        infos: &NodeInfos,
        terms: &Terms,
        view: &View<'_>,
    ) {
        let mut entered: FxHashMap<ObjectId, NodeId> = FxHashMap::default();
        for made in &execution.made {
            let (Some(at), Some(state)) = (path.get(made.at), CallState::of(made)) else {
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
            let summary = self.known.entry(at.node).or_default();
            summary.note(made, execution, terms);
        }
        for step in path {
            self.close(*step);
        }
        for &flip in pending.iter().filter(|&&flip| leads_on(flip, view)) {
            for &call in infos.of(flip.node).iter().flat_map(|at| at.calls.iter()) {
                let node = entered.get(&call.call);
                if let Some(summary) = node.and_then(|node| self.known.get_mut(node))
                    && !summary.is_partial
                {
                    let place = BranchSite::of(flip, view.tree);
                    summary.open.insert(flip, (call, place));
                    self.open_in.entry(flip).or_default().extend(node);
                }
            }
        }
    }

    /// Records that a branch is not open any more. Returns the calls in whose summaries it was.
    fn close(&mut self, flip: Flip) -> Vec<NodeId> {
        let nodes = self.open_in.remove(&flip).unwrap_or_default();
        for node in &nodes {
            if let Some(summary) = self.known.get_mut(node) {
                summary.open.remove(&flip);
            }
        }
        nodes
    }

    /// Records that no input takes a branch, because of the demands of the branches out of these
    /// nodes.
    pub fn infeasible(&mut self, flip: Flip, blamed: &[NodeId], tree: &PathTree) {
        let calls = self.close(flip);
        if calls.is_empty() {
            return;
        }
        let steps = tree.prefix(flip);
        let to_blame = steps.iter().filter(|step| blamed.contains(&step.node));
        for node in calls {
            let (Some(summary), Some(call)) = (self.known.get_mut(&node), tree.get(node)) else {
                continue;
            };
            for &step in to_blame.clone() {
                if tree.node(step.node).depth > call.depth {
                    continue;
                }
                match &tree.branch(step).demands {
                    Demands::Terms(terms) => summary.context.extend(terms.iter().copied()),
                    Demands::Call(..) => {}
                    Demands::Pointer(_) | Demands::Exact(..) => summary.give_up(),
                }
            }
        }
    }
}

/// Whether a call may return by a branch. The mode of a call inside it is no branch of its own: a
/// call that is replaced has all paths of one that is executed.
fn leads_on(flip: Flip, view: &View<'_>) -> bool {
    let Some(node) = view.tree.get(flip.node) else {
        return false;
    };
    let branch = flip.branch as usize;
    let is_call = matches!(node.kind, ConstraintKind::Call(_));
    !is_call
        && !node.is_rejection(branch)
        && !node.is_violation(branch)
        && !view
            .open_goals
            .is_rejecting(BranchSite::of(flip, view.tree))
}
