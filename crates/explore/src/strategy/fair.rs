//! Depth-first and breadth-first in turn.
//!
//! Depth-first search alone never comes back from a tree without an end, such as that of a linked
//! list which may always have one more node; the oldest pending flip in turn with the deepest one
//! sees to it that each is tried some time.

use std::collections::VecDeque;

use super::SearchStrategy;
use crate::path_tree::{Flip, PathTree};

/// A queue that is served from both ends in turn.
#[derive(Debug, Default)]
pub struct Fair {
    pending: VecDeque<Flip>,
    oldest_was_last: bool,
}

impl SearchStrategy for Fair {
    fn add(&mut self, _: &PathTree, pending: &[Flip]) {
        self.pending.extend(pending);
    }

    fn next(&mut self, _: &PathTree) -> Option<Flip> {
        self.oldest_was_last = !self.oldest_was_last;
        match self.oldest_was_last {
            true => self.pending.pop_front(),
            false => self.pending.pop_back(),
        }
    }
}
