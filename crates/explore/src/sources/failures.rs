//! Branches on which an allocation fails: they show defects though no goal lies there.

use std::collections::VecDeque;

use ir::CellId;
use ir::input::Root;
use rustc_hash::FxHashSet;
use vm::{Context, Site};

use super::{FlipSource, Offered, Situation};
use crate::path_tree::{Demands, Flip, PathTree};

/// Allocations that were not made to fail yet, each by its place and the calls on the stack.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    seen: FxHashSet<(Site, Context)>,
    waiting: VecDeque<Flip>,
}

impl FlipSource for Failures {
    /// Takes a flip on which an allocation fails that never failed before.
    fn takes(&mut self, flip: Flip, offered: &Offered<'_>, situation: &Situation<'_>) -> bool {
        let Demands::Terms(demanded) = &situation.tree.branch(flip).demands else {
            return false;
        };
        let variables = demanded
            .iter()
            .flat_map(|&term| offered.terms.variables(term));
        let is_failure = variables.into_iter().any(|variable| {
            let cell = offered.space.cell_data(CellId::from_raw(variable.0));
            let root = &offered.space.object_data(cell.object).root;
            matches!(root, Root::AllocationFails { .. })
        });
        let node = situation.tree.node(flip.node);
        let is_new = is_failure && self.seen.insert((node.site, node.context));
        if is_new {
            self.waiting.push_back(flip);
        }
        is_new
    }

    fn hand_out(&mut self, flip: Flip, _: &Situation<'_>) -> bool {
        let at = self.waiting.iter().position(|&waiting| waiting == flip);
        at.and_then(|at| self.waiting.remove(at)).is_some()
    }

    fn next(&mut self, situation: &Situation<'_>) -> Option<Flip> {
        let mut waiting = std::iter::from_fn(|| self.waiting.pop_front());
        waiting.find(|&flip| situation.tree.is_pending(flip))
    }

    fn evict(&mut self, tree: &PathTree) {
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }
}
