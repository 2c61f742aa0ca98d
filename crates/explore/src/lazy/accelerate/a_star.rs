//! The order of abstract paths where executions are rejected, as by a parser whose text is no
//! program: the path after a goal decides whether it counts, so the shortest paths come first that
//! lead to an open goal and from there to the end.
//!
//! This is a search for shortest paths with an estimate of the rest (A*): the control-flow graph
//! gives the distance of a branch from an open goal and, after one, from the end of the tested
//! function.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ir::test::Outcome;
use rustc_hash::FxHashSet;

use super::Ordering;
use crate::acceleration::Acceleration;
use crate::branch_site::BranchSite;
use crate::lazy::Joined;
use crate::lazy::facts::Facts;
use crate::lazy::surroundings::Surroundings;
use crate::path_tree::{Flip, NodeId};
use crate::strategy::View;

/// The weight of a branch that is left after a flip, in decisions before it.
const LEFT: u32 = 2;

/// The estimate of the rest from a goal to the end, where it is unknown.
const END: u32 = 8;

/// The flips; see the module.
#[derive(Debug, Default)]
pub(super) struct AStar(BinaryHeap<(Reverse<u32>, Flip)>);

impl Ordering for AStar {
    fn name(&self) -> Acceleration {
        Acceleration::AStar
    }

    fn executed(
        &mut self,
        joined: Joined<'_>,
        pending: &[Flip],
        _: &Facts,
        surroundings: &mut Surroundings<'_>,
    ) {
        if joined.execution.outcome != Outcome::Rejected {
            return;
        }
        let view = &surroundings.view;
        let goal = joined.goals.iter().map(|&(_, edges)| edges).min();
        let along = joined.path.iter().zip(&joined.execution.unit.places);
        let is_behind = |edges: u32| goal.is_some_and(|goal| edges as usize >= goal);
        let behind = along.filter(|(_, at)| is_behind(at.edges));
        let behind: FxHashSet<NodeId> = behind.map(|(step, _)| step.node).collect();
        self.0.extend(pending.iter().filter_map(|&flip| {
            let place = BranchSite::of(flip, view.tree);
            let left = match behind.contains(&flip.node) {
                true => view.open_goals.to_end(place),
                false => view.open_goals.distance(place)?.saturating_add(END),
            };
            let before = view.tree.node(flip.node).depth;
            let all = left.saturating_mul(LEFT).saturating_add(before);
            Some((Reverse(all), flip))
        }));
    }

    fn next_abstract(&mut self, view: &View<'_>) -> Option<Flip> {
        let mut queue = std::iter::from_fn(|| self.0.pop());
        let pending = queue.find(|(_, flip)| view.tree.is_pending(*flip));
        pending.map(|(_, flip)| flip)
    }
}
