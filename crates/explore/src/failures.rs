//! Ways on which an allocation fails: what is wrong there shows though no goal lies there.

use std::collections::VecDeque;

use expr::Terms;
use ir::CellId;
use ir::input::{InputSpace, Root};
use rustc_hash::FxHashSet;
use vm::{Context, Site};

use crate::path_tree::{Demands, Flip, PathTree};

/// Allocations that were not made to fail yet, each by its place and the calls under way.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    seen: FxHashSet<(Site, Context)>,
    waiting: VecDeque<Flip>,
}

impl Failures {
    /// Adds a flip after which an allocation fails that never failed before. Returns whether it is one.
    pub fn add(&mut self, flip: Flip, tree: &PathTree, known: (&Terms, &InputSpace)) -> bool {
        let (terms, space) = known;
        let Demands::Terms(demanded) = &tree.way(flip).demands else {
            return false;
        };
        let variables = demanded.iter().flat_map(|&term| terms.variables(term));
        let is_failure = variables.into_iter().any(|variable| {
            let object = space.cell_data(CellId::from_raw(variable.0)).object;
            let root = &space.object_data(object).root;
            matches!(root, Root::AllocationFails { .. })
        });
        let node = tree.node(flip.node);
        let is_new = is_failure && self.seen.insert((node.site, node.context));
        if is_new {
            self.waiting.push_back(flip);
        }
        is_new
    }

    /// Gives a flip out before its turn, if it waits.
    pub fn take(&mut self, flip: Flip) -> bool {
        let at = self.waiting.iter().position(|&waiting| waiting == flip);
        at.and_then(|at| self.waiting.remove(at)).is_some()
    }

    /// The next flip to try.
    pub fn next(&mut self, tree: &PathTree) -> Option<Flip> {
        loop {
            let flip = self.waiting.pop_front()?;
            if tree.is_pending(flip) {
                return Some(flip);
            }
        }
    }

    /// Lets go of flips that were settled.
    pub fn tidy(&mut self, tree: &PathTree) {
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }
}
