//! The default: strategies in turn, so that each program finds one that suits it.

use super::cfg::control_flow;
use super::dfs::DepthFirst;
use super::uniform_random::UniformRandom;
use super::{BranchSite, JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// A fair interleaving of strategies.
pub(crate) struct Coverage {
    strategies: [Box<dyn SearchStrategy>; 3],
    turn: usize,
}

/// The turns, repeated: positions in [`Coverage::strategies`].
const TURNS: [usize; 8] = [0, 0, 0, 1, 0, 0, 0, 2];

impl Coverage {
    /// The strategies with this seed.
    pub fn new(seed: u64) -> Self {
        Coverage {
            strategies: [
                Box::new(control_flow(seed)),
                Box::new(DepthFirst::default()),
                Box::new(UniformRandom::new(seed)),
            ],
            turn: 0,
        }
    }
}

impl SearchStrategy for Coverage {
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        for strategy in &mut self.strategies {
            strategy.executed(run, view);
        }
    }

    fn failed(&mut self, place: BranchSite) {
        for strategy in &mut self.strategies {
            strategy.failed(place);
        }
    }

    fn next(&mut self, view: &View<'_>) -> Option<Flip> {
        for _ in TURNS {
            let strategy = &mut self.strategies[TURNS[self.turn]];
            self.turn = (self.turn + 1) % TURNS.len();
            while let Some(flip) = strategy.next(view) {
                if view.tree.is_pending(flip) {
                    return Some(flip);
                }
            }
        }
        None
    }

    fn evict(&mut self, tree: &PathTree) {
        for strategy in &mut self.strategies {
            strategy.evict(tree);
        }
    }
}
