//! Breadth-first search: the flip with the fewest choices before it.

use std::collections::{BTreeMap, VecDeque};

use super::{JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// Pending flips by their depth, each depth's in the order in which they were met.
#[derive(Debug, Default)]
pub(crate) struct BreadthFirst {
    levels: BTreeMap<u32, VecDeque<Flip>>,
}

impl BreadthFirst {
    /// Adds a flip.
    pub fn add(&mut self, flip: Flip, view: &View<'_>) {
        let depth = view.tree.node(flip.node).depth;
        self.levels.entry(depth).or_default().push_back(flip);
    }

    /// The choices before the next flip.
    pub fn depth(&self) -> Option<u32> {
        self.levels.first_key_value().map(|(&depth, _)| depth)
    }
}

impl SearchStrategy for BreadthFirst {
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        for &flip in run.pending {
            self.add(flip, view);
        }
    }

    fn next(&mut self, _: &View<'_>) -> Option<Flip> {
        let mut level = self.levels.first_entry()?;
        let flip = level.get_mut().pop_front();
        if level.get().is_empty() {
            level.remove();
        }
        flip
    }

    fn evict(&mut self, tree: &PathTree) {
        self.levels.retain(|_, level| {
            level.retain(|&flip| tree.is_pending(flip));
            !level.is_empty()
        });
    }
}
