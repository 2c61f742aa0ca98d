//! Provisional coverage: goals on paths of executions that do not count, because an assumption
//! further on did not hold, or because calls were replaced by inputs.
//!
//! Even if no open goal lies after such a goal, the branches after it are needed until an execution
//! that counts covers it.

use std::sync::Arc;

use coverage::GoalId;
use slotmap::SecondaryMap;

use crate::path_tree::{Flip, NodeId, PathTree};

/// The goals that paths through nodes reached.
#[derive(Debug, Default)]
pub(crate) struct ProvisionalCoverage {
    goals: SecondaryMap<NodeId, Arc<[GoalId]>>,
    /// Flips that no strategy hands out, since no goal is open after them.
    waiting: Vec<Flip>,
}

impl ProvisionalCoverage {
    /// Records the nodes on a path that reached goals.
    pub fn note(&mut self, path: &[Flip], goals: &[(GoalId, usize)]) {
        if goals.is_empty() {
            return;
        }
        let goals: Arc<[GoalId]> = goals.iter().map(|(goal, _)| *goal).collect();
        for flip in path {
            self.goals.insert(flip.node, Arc::clone(&goals));
        }
    }

    /// Whether a path through the flip's node reached a goal like this.
    pub fn any(&self, flip: Flip, is: impl Fn(GoalId) -> bool) -> bool {
        let goals = self.goals.get(flip.node);
        goals.is_some_and(|goals| goals.iter().any(|&goal| is(goal)))
    }

    /// A pending flip of some at whose node a path passed that reached a goal like this, when the
    /// strategies have none left.
    pub fn next(
        &mut self,
        tree: &PathTree,
        is: impl Fn(GoalId) -> bool,
        counts: impl Fn(Flip) -> bool,
    ) -> Option<Flip> {
        let is_wanted = |covered: &ProvisionalCoverage, flip: Flip| {
            let is_violation = || tree.node(flip.node).is_violation(flip.branch as usize);
            tree.is_pending(flip) && !is_violation() && covered.any(flip, &is) && counts(flip)
        };
        while let Some(flip) = self.waiting.pop() {
            if is_wanted(self, flip) {
                return Some(flip);
            }
        }
        if self.goals.is_empty() {
            return None;
        }
        self.waiting = tree
            .pending()
            .filter(|&flip| is_wanted(self, flip))
            .collect();
        self.waiting.sort_unstable();
        self.waiting.pop()
    }

    /// Forgets flips that were settled.
    pub fn evict(&mut self, tree: &PathTree) {
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }
}
