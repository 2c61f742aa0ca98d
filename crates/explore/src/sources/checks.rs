//! The order of pending checks: the search looks for defects, and does not wait to meet them.
//!
//! Violating a check ends the path in a defect, so such a flip leads to no goal, and one defect
//! found at a place makes further ones at that place superfluous. A violation is tried at each
//! place when it is first met; the rest waits until the strategy has nothing else to do.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use ir::DefectKind;
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{ConstraintKind, Site};

use crate::path_tree::{Flip, PathTree};

/// A place and the defect that can happen there.
type CheckSite = (Site, DefectKind);

/// The pending violations.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    fresh: VecDeque<Flip>,
    waiting: VecDeque<Flip>,
    tries: FxHashMap<CheckSite, u32>,
    found: FxHashSet<CheckSite>,
}

/// What the search does with a violation that was handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// Try it.
    Try(Flip),
    /// Leave it out: a defect was found at its place, or many attempts failed there.
    Drop(Flip),
}

impl Checks {
    /// Takes a pending violation. Returns whether to try it: not where a defect was found.
    pub fn takes(&mut self, flip: Flip, tree: &PathTree) -> bool {
        let Some(place) = place(flip, tree).filter(|place| !self.found.contains(place)) else {
            return false;
        };
        match self.tries.entry(place) {
            Entry::Vacant(entry) => {
                entry.insert(0);
                self.fresh.push_back(flip);
            }
            Entry::Occupied(_) => self.waiting.push_back(flip),
        }
        true
    }

    /// Records that a defect was found at a place.
    pub fn found(&mut self, site: Site, kind: DefectKind) {
        self.found.insert((site, kind));
    }

    /// A violation at a place that was never tried.
    pub fn next_fresh(&mut self, tree: &PathTree) -> Option<Check> {
        loop {
            let flip = self.fresh.pop_front()?;
            if let Some(check) = self.judged(flip, tree, u32::MAX) {
                return Some(check);
            }
        }
    }

    /// Any violation. The search gives up on a place after so many failed attempts.
    pub fn next(&mut self, tree: &PathTree, most: u32) -> Option<Check> {
        loop {
            let flip = self.waiting.pop_front()?;
            if let Some(check) = self.judged(flip, tree, most) {
                return Some(check);
            }
        }
    }

    /// Forgets violations that were settled.
    pub fn evict(&mut self, tree: &PathTree) {
        self.fresh.retain(|&flip| tree.is_pending(flip));
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }

    /// What the search does with a violation, if it is pending.
    fn judged(&mut self, flip: Flip, tree: &PathTree, most: u32) -> Option<Check> {
        let place = place(flip, tree)?;
        let tries = self.tries.entry(place).or_default();
        *tries += 1;
        let is_wanted = *tries <= most && !self.found.contains(&place);
        Some(match is_wanted {
            true => Check::Try(flip),
            false => Check::Drop(flip),
        })
    }
}

/// The site and kind of the defect that a pending flip leads to, if it violates a check.
fn place(flip: Flip, tree: &PathTree) -> Option<CheckSite> {
    if !tree.is_pending(flip) {
        return None;
    }
    let node = tree.node(flip.node);
    match node.kind {
        ConstraintKind::Check(kind) if node.is_violation(flip.branch as usize) => {
            Some((node.site, kind))
        }
        _ => None,
    }
}
