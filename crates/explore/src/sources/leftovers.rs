//! Pending flips that are needed and that no source hands out: a strategy left them, or never got
//! them. Those that were put off come last. The tree says when a search is over, not a strategy.

use crate::path_tree::{Flip, PathTree};

/// No pending flip of a kind is needed: the tree was looked through, and no flip has been added
/// since. [`Leftovers::next`] alone makes one.
#[derive(Debug)]
pub(crate) struct NoneLeft(());

/// The flips; see the module.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    waiting: Vec<Flip>,
    /// Whether none was left, and none has been added since.
    is_empty: bool,
}

impl Leftovers {
    /// Records that flips were added to the tree.
    pub fn added(&mut self) {
        self.is_empty = false;
    }

    /// The next flip of a kind that is needed.
    pub fn next(
        &mut self,
        tree: &PathTree,
        is_of_kind: impl Fn(Flip) -> bool,
        is_needed: impl Fn(Flip) -> bool,
    ) -> Result<Flip, NoneLeft> {
        let is_wanted = |flip: &Flip| tree.is_pending(*flip) && is_needed(*flip);
        let found = next_of(&mut self.waiting, is_wanted);
        if found.is_some() || self.is_empty {
            return found.ok_or(NoneLeft(()));
        }
        let is_violation = |flip: Flip| tree.node(flip.node).is_violation(flip.branch as usize);
        let pending = tree.pending();
        let of_kind = pending.filter(|&flip| !is_violation(flip) && is_of_kind(flip));
        self.waiting = of_kind.collect();
        // The last one is tried first.
        self.waiting
            .sort_unstable_by_key(|&flip| (!tree.is_put_off(flip), flip));
        let found = next_of(&mut self.waiting, is_wanted);
        self.is_empty = found.is_none();
        found.ok_or(NoneLeft(()))
    }

    /// Forgets flips that were settled.
    pub fn evict(&mut self, tree: &PathTree) {
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }
}

fn next_of(waiting: &mut Vec<Flip>, is_wanted: impl Fn(&Flip) -> bool) -> Option<Flip> {
    std::iter::from_fn(|| waiting.pop()).find(is_wanted)
}
