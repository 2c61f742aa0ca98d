//! Branches on from goals that only executions with a defect covered: an execution that ends well
//! is a better test, and other branches show further defects.
//!
//! No goal is open after such a goal, so nothing else needs these branches. They are tried last,
//! and only so many: goals do not depend on them.

use std::collections::VecDeque;

use coverage::GoalId;
use ir::test::Outcome;
use rustc_hash::{FxHashMap, FxHashSet};
use vm::Constraint;

use super::{FlipSource, Offered, Situation};
use crate::branch_site::BranchSite;
use crate::path_tree::{Flip, NodeId, PathTree};

/// The most that are tried in one search.
const MOST: u32 = 256;

/// The branches that wait, each with its goal.
#[derive(Debug)]
pub(crate) struct GoodEnds {
    waiting: FxHashMap<Flip, GoalId>,
    order: VecDeque<Flip>,
    left: u32,
}

impl Default for GoodEnds {
    fn default() -> Self {
        GoodEnds {
            waiting: FxHashMap::default(),
            order: VecDeque::new(),
            left: MOST,
        }
    }
}

impl GoodEnds {
    fn is_wanted(&mut self, flip: Flip, situation: &Situation<'_>) -> bool {
        let goal = self.waiting.remove(&flip);
        let is_open = goal.is_some_and(|goal| !situation.collector.settles(goal));
        let is_wanted = self.left > 0 && is_open;
        self.left -= u32::from(is_wanted);
        is_wanted
    }
}

impl FlipSource for GoodEnds {
    /// Records the branches on from the first goal on the path of an execution with a defect that
    /// no execution which ended well covered.
    fn executed(&mut self, offered: &Offered<'_>, situation: &Situation<'_>) {
        let execution = offered.execution;
        if execution.abstracted > 0 || !matches!(execution.outcome, Outcome::Defect(_)) {
            return;
        }
        let goals = situation.open_goals.code().goals;
        let unsettled = |constraint: &Constraint| {
            let edge = situation.open_goals.edge(BranchSite::taken(constraint))?;
            let mut on_edge = goals.on_edge(edge).iter().copied();
            on_edge.find(|&goal| !situation.collector.settles(goal))
        };
        let inserted = offered.inserted;
        let mut steps = execution.path.iter().zip(&inserted.path);
        let Some(goal) = steps.find_map(|(constraint, _)| unsettled(constraint)) else {
            return;
        };
        let behind: FxHashSet<NodeId> = steps.map(|(_, step)| step.node).collect();
        let pending = inserted.pending.iter().copied();
        for flip in pending.filter(|flip| behind.contains(&flip.node)) {
            let has_room = self.order.len() < self.left as usize;
            if has_room && self.waiting.insert(flip, goal).is_none() {
                self.order.push_back(flip);
            }
        }
    }

    fn takes(&mut self, flip: Flip, _: &Offered<'_>, _: &Situation<'_>) -> bool {
        self.waiting.contains_key(&flip)
    }

    fn hand_out(&mut self, flip: Flip, situation: &Situation<'_>) -> bool {
        self.is_wanted(flip, situation)
    }

    fn next(&mut self, situation: &Situation<'_>) -> Option<Flip> {
        while let Some(flip) = self.order.pop_front() {
            if self.is_wanted(flip, situation) && situation.tree.is_pending(flip) {
                return Some(flip);
            }
        }
        None
    }

    fn evict(&mut self, tree: &PathTree) {
        self.order.retain(|&flip| tree.is_pending(flip));
        self.waiting.retain(|&flip, _| tree.is_pending(flip));
    }
}
