//! Eviction: keeps the path tree within its limit.
//!
//! The tree itself forgets what is explored; flips that no goal needs are dropped when they are
//! met, or here when no goal needs them any more. If there are still too many, the deepest are left
//! out, and each place of such a flip is recorded as a loss. A node goes only with everything below
//! it. So it would free no memory to leave out flips that are far from the goals but high up, and
//! flips that stay high up lead to such depths again.

use std::cmp::Reverse;

use ir::test::LossKind;

use super::Search;
use crate::branch_site::BranchSite;
use crate::path_tree::{BranchState, Flip};

/// The limits of the path tree, and when to look at its size again.
#[derive(Debug)]
pub(crate) struct Eviction {
    /// Nodes that the tree may have.
    limit: usize,
    /// The number of nodes at which to look at the tree again.
    next: usize,
    /// The depth below which flips were left out the last time.
    deepest: u32,
}

/// With fewer nodes, the search does not look for flips that no goal needs any more.
const SMALL: usize = 1 << 16;

impl Eviction {
    /// Eviction above that many nodes.
    pub fn new(limit: usize) -> Self {
        Eviction {
            limit,
            next: SMALL.min(limit),
            deepest: u32::MAX,
        }
    }

    /// Three quarters of the limit.
    fn after(&self) -> usize {
        self.limit / 4 * 3
    }
}

impl Search<'_> {
    /// Removes flips from the tree if it is too large, of which some are new.
    pub fn evict(&mut self, new: &[Flip]) {
        if self.tree.len() > self.eviction.after() {
            self.leave_out_deep(new);
        }
        if self.tree.len() <= self.eviction.next {
            return;
        }
        self.drop_unneeded();
        if self.tree.len() > self.eviction.limit {
            self.leave_out_deepest();
        }
        self.sources.evict(&self.tree);
        self.provers.watched.evict(&self.tree);
        self.eviction.next =
            (self.tree.len() * 2).clamp(SMALL.min(self.eviction.limit), self.eviction.limit);
    }

    fn drop_unneeded(&mut self) {
        for flip in self.tree.pending().collect::<Vec<_>>() {
            if !self.is_violation(flip) && !self.is_needed(flip) {
                self.tree.settle(flip, BranchState::Dropped);
            }
        }
    }

    /// Leaves out flips until the tree is three quarters full.
    fn leave_out_deepest(&mut self) {
        for flip in self.deepest_first() {
            if self.tree.len() <= self.eviction.after() {
                return;
            }
            self.eviction.deepest = self.tree.node(flip.node).depth;
            self.leave_out_for_room(flip);
        }
    }

    /// Leaves out those of new flips that are as deep as others that were left out: else each
    /// execution of an endless loop would fill the tree again.
    fn leave_out_deep(&mut self, new: &[Flip]) {
        for &flip in new {
            let is_deep = |depth| depth >= self.eviction.deepest;
            if self.tree.is_pending(flip) && is_deep(self.tree.node(flip.node).depth) {
                self.leave_out_for_room(flip);
            }
        }
    }

    fn leave_out_for_room(&mut self, flip: Flip) {
        let site = self.tree.node(flip.node).site;
        self.count_try(flip, |tries| &mut tries.left_out);
        self.tree.settle(flip, BranchState::Dropped);
        self.lazy.lose();
        self.lost(
            LossKind::TreeLimit,
            site,
            "the tree of paths was full, and branches from here were left out".to_owned(),
        );
    }

    /// All pending flips, deepest first; of equally deep ones, the farthest from the open goals
    /// first.
    fn deepest_first(&self) -> Vec<Flip> {
        let mut flips: Vec<Flip> = self.tree.pending().collect();
        flips.sort_by_cached_key(|&flip| {
            let distance = self.open_goals.distance(BranchSite::of(flip, &self.tree));
            Reverse((
                self.tree.node(flip.node).depth,
                distance.unwrap_or(u32::MAX),
            ))
        });
        flips
    }

    fn is_violation(&self, flip: Flip) -> bool {
        self.tree.node(flip.node).is_violation(flip.branch as usize)
    }
}
