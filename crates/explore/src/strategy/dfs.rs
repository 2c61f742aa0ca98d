//! Depth-first search: the deepest pending flip of the last execution (CUTE, section 3.4).

use super::SearchStrategy;
use crate::path_tree::{Flip, PathTree};

/// A stack of pending flips.
#[derive(Debug, Default)]
pub struct DepthFirst {
    stack: Vec<Flip>,
}

impl SearchStrategy for DepthFirst {
    fn add(&mut self, _: &PathTree, pending: &[Flip]) {
        self.stack.extend_from_slice(pending);
    }

    fn next(&mut self, _: &PathTree) -> Option<Flip> {
        self.stack.pop()
    }
}
