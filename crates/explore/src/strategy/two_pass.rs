//! Search for single edges in two passes (PathCrawler, section 5).
//!
//! ```text
//! first pass    breadth-first, the flips whose own edge covers an open goal: each new path may cover
//!               others on its way, and one that turns off early has the longest rest
//! second pass   the flips that may lead to an open goal, the nearest first, until the goal is covered
//!               or none of them is left
//! ```

use std::collections::BTreeMap;

use super::bfs::BreadthFirst;
use super::cfg::control_flow;
use super::places::Places;
use super::{BranchSite, JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// Both passes.
pub(crate) struct TwoPass {
    /// Flips that are still to be looked at in the first pass, by their edges.
    first: BTreeMap<ir::CodeEdge, BreadthFirst>,
    second: Places,
}

impl TwoPass {
    /// The passes, with a seed for flips that are equally near.
    pub fn new(seed: u64) -> TwoPass {
        TwoPass {
            first: BTreeMap::new(),
            second: control_flow(seed),
        }
    }
}

impl SearchStrategy for TwoPass {
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        for &flip in run.pending {
            let place = BranchSite::of(flip, view.tree);
            let edge = view.open_goals.edge(place);
            if let Some(edge) = edge.filter(|&edge| view.open_goals.is_open(edge)) {
                self.first.entry(edge).or_default().add(flip, view);
            }
        }
        self.second.executed(run, view);
    }

    fn failed(&mut self, place: BranchSite) {
        self.second.failed(place);
    }

    fn next(&mut self, view: &View<'_>) -> Option<Flip> {
        self.first
            .retain(|&edge, flips| view.open_goals.is_open(edge) && flips.depth().is_some());
        let flips = self.first.values_mut();
        let next = flips.min_by_key(|flips| flips.depth());
        let next = next.and_then(|flips| flips.next(view));
        next.or_else(|| self.second.next(view))
    }

    fn evict(&mut self, tree: &PathTree) {
        self.first.values_mut().for_each(|flips| flips.evict(tree));
        self.second.evict(tree);
    }
}
