//! Which pending checks to try: the search looks for defects, it does not wait to step on them.
//!
//! Violating a check ends the path in a defect, so such a flip leads to no goal, and one found
//! defect at a place makes further ones at that place superfluous. Each place is tried at once when
//! it is first met; the rest waits until the strategy has nothing else to do.

use std::collections::VecDeque;

use ir::DefectKind;
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{ConstraintKind, Site};

use crate::path_tree::{Flip, PathTree, WayState};

/// How often a place is tried in vain once every goal is decided.
const TRIES_AFTER_GOALS: u32 = 64;

/// A place and the defect that can happen there.
type Place = (Site, DefectKind);

/// The pending violations.
#[derive(Debug, Default)]
pub struct Checks {
    fresh: VecDeque<Flip>,
    waiting: VecDeque<Flip>,
    tries: FxHashMap<Place, u32>,
    found: FxHashSet<Place>,
}

impl Checks {
    /// Adds a pending violation; one where a defect was found already is dropped.
    pub fn add(&mut self, flip: Flip, tree: &mut PathTree) {
        let Some(place) = place(flip, tree) else {
            return;
        };
        if self.found.contains(&place) {
            tree.settle(flip, WayState::Dropped);
            return;
        }
        match self.tries.entry(place) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(0);
                self.fresh.push_back(flip);
            }
            std::collections::hash_map::Entry::Occupied(_) => self.waiting.push_back(flip),
        }
    }

    /// Records that a defect was found at a place.
    pub fn found(&mut self, place: Place) {
        self.found.insert(place);
    }

    /// A violation of a place that was never tried.
    pub fn next_fresh(&mut self, tree: &mut PathTree) -> Option<Flip> {
        while let Some(flip) = self.fresh.pop_front() {
            if self.is_wanted(flip, tree, u32::MAX) {
                return Some(flip);
            }
        }
        None
    }

    /// Any violation that is still worth a try. `goals_decided` says that nothing else is left to
    /// search for, so that a place that resisted for long is given up.
    pub fn next(&mut self, tree: &mut PathTree, goals_decided: bool) -> Option<Flip> {
        let most = if goals_decided {
            TRIES_AFTER_GOALS
        } else {
            u32::MAX
        };
        while let Some(flip) = self.waiting.pop_front() {
            if self.is_wanted(flip, tree, most) {
                return Some(flip);
            }
        }
        None
    }

    /// Lets go of violations that were settled.
    pub fn tidy(&mut self, tree: &PathTree) {
        self.fresh.retain(|&flip| tree.is_pending(flip));
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }

    /// Whether a pending violation is worth a try. If not, it is dropped.
    fn is_wanted(&mut self, flip: Flip, tree: &mut PathTree, most: u32) -> bool {
        let Some(place) = place(flip, tree) else {
            return false;
        };
        let tries = self.tries.entry(place).or_default();
        *tries += 1;
        let is_wanted = *tries <= most && !self.found.contains(&place);
        if !is_wanted {
            tree.settle(flip, WayState::Dropped);
        }
        is_wanted
    }
}

/// Where a pending flip leads to a defect, and to which, if it violates a check.
fn place(flip: Flip, tree: &PathTree) -> Option<Place> {
    if !tree.is_pending(flip) {
        return None;
    }
    let node = tree.node(flip.node);
    match node.kind {
        ConstraintKind::Check(kind) if node.is_violation(flip.way as usize) => {
            Some((node.site, kind))
        }
        _ => None,
    }
}
