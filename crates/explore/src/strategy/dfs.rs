//! Depth-first search: the deepest pending flip of the last execution (CUTE, section 3.4).

use super::{JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// A stack of pending flips.
#[derive(Debug, Default)]
pub(crate) struct DepthFirst {
    stack: Vec<Flip>,
}

impl SearchStrategy for DepthFirst {
    fn executed(&mut self, run: &JoinedRun<'_>, _: &View<'_>) {
        self.stack.extend_from_slice(run.pending);
    }

    fn next(&mut self, _: &View<'_>) -> Option<Flip> {
        self.stack.pop()
    }

    fn evict(&mut self, tree: &PathTree) {
        self.stack.retain(|&flip| tree.is_pending(flip));
    }
}
