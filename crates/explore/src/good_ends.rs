//! Ways on from goals that only executions with a defect covered: one that ends well is a better test, and
//! what is wrong on the other ways shows.
//!
//! No goal is open behind such a goal, so nothing else needs these ways. They are tried last, and only so
//! many: whether a goal is reached does not depend on them.

use std::collections::VecDeque;

use coverage::GoalId;
use rustc_hash::FxHashMap;

use crate::path_tree::{Flip, PathTree};

/// How many are tried in one search.
const MOST: u32 = 256;

/// The ways that wait, each with its goal.
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
    /// Takes a way on from a goal that an execution with a defect came by.
    pub fn add(&mut self, flip: Flip, goal: GoalId) {
        if self.order.len() < self.left as usize && self.waiting.insert(flip, goal).is_none() {
            self.order.push_back(flip);
        }
    }

    /// Whether a way waits.
    pub fn is_waiting(&self, flip: Flip) -> bool {
        self.waiting.contains_key(&flip)
    }

    /// Gives a way out before its turn, if it waits and its goal is still one that no execution which ended
    /// well covered.
    pub fn take(&mut self, flip: Flip, is_settled: impl Fn(GoalId) -> bool) -> bool {
        let goal = self.waiting.remove(&flip);
        let is_wanted = self.left > 0 && goal.is_some_and(|goal| !is_settled(goal));
        self.left -= u32::from(is_wanted);
        is_wanted
    }

    /// The next way to try.
    pub fn next(&mut self, tree: &PathTree, is_settled: impl Fn(GoalId) -> bool) -> Option<Flip> {
        while let Some(flip) = self.order.pop_front() {
            if self.take(flip, &is_settled) && tree.is_pending(flip) {
                return Some(flip);
            }
        }
        None
    }

    /// Lets go of ways that were settled.
    pub fn tidy(&mut self, tree: &PathTree) {
        self.order.retain(|&flip| tree.is_pending(flip));
        self.waiting.retain(|&flip, _| tree.is_pending(flip));
    }
}
