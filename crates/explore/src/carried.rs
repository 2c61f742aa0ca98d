//! Goals that paths came by which do not count: what was assumed further on did not hold, or calls were
//! replaced by inputs.
//!
//! Nothing may be open behind such a goal, but how the path goes on decides whether it was reached: the
//! ways further on are needed until some execution covers it.

use std::rc::Rc;

use coverage::GoalId;
use slotmap::SecondaryMap;

use crate::path_tree::{Flip, NodeId, PathTree};

/// The goals that paths by nodes came by.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    goals: SecondaryMap<NodeId, Rc<[GoalId]>>,
    /// Flips that no strategy hands out, since nothing is open behind them.
    waiting: Vec<Flip>,
}

impl Carried {
    /// Takes note of the nodes on a path that came by goals.
    pub fn note(&mut self, path: &[Flip], goals: &[(GoalId, usize)]) {
        if goals.is_empty() {
            return;
        }
        let goals: Rc<[GoalId]> = goals.iter().map(|(goal, _)| *goal).collect();
        for flip in path {
            self.goals.insert(flip.node, Rc::clone(&goals));
        }
    }

    /// Whether a path by the flip's node came by a goal like this.
    pub fn any(&self, flip: Flip, is: impl Fn(GoalId) -> bool) -> bool {
        let goals = self.goals.get(flip.node);
        goals.is_some_and(|goals| goals.iter().any(|&goal| is(goal)))
    }

    /// A pending flip of some by whose node a path came by a goal like this, when the strategies have none
    /// left.
    pub fn next(
        &mut self,
        tree: &PathTree,
        is: impl Fn(GoalId) -> bool,
        counts: impl Fn(Flip) -> bool,
    ) -> Option<Flip> {
        let is_wanted = |carried: &Carried, flip: Flip| {
            let is_violation = || tree.node(flip.node).is_violation(flip.way as usize);
            tree.is_pending(flip) && !is_violation() && carried.any(flip, &is) && counts(flip)
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
}
