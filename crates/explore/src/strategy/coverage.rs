//! The default: strategies in turn, so that each program finds one that suits it.
//!
//! Queries for flips at the end of very long paths take seconds, and an endless loop has as many as
//! choices are recorded. So a flip waits until there are none that are less deep, or until the search
//! has made some executions for its depth.

use std::collections::BTreeSet;

use super::cfg::control_flow;
use super::dfs::DepthFirst;
use super::uniform_random::UniformRandom;
use super::{BranchSite, JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// A fair interleaving of strategies.
pub(crate) struct Coverage {
    strategies: [Box<dyn SearchStrategy>; 3],
    turn: usize,
    executions: u32,
    /// Flips that were too deep when a strategy chose them, with their depths.
    deep: BTreeSet<(u32, Flip)>,
}

/// The depth down to which no flip waits.
const DEPTH: u32 = 1_000;

/// How many flips that are too deep a strategy may choose in one turn.
const CHOICES: u32 = 8;

/// How much deeper flips may be for each execution.
const DEEPER: u32 = 8;

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
            executions: 0,
            deep: BTreeSet::new(),
        }
    }

    /// The next flip of a strategy that is not too deep.
    fn next_of(&mut self, strategy: usize, view: &View<'_>) -> Option<Flip> {
        let deepest = self.executions.saturating_mul(DEEPER).saturating_add(DEPTH);
        while let Some(&(depth, flip)) = self.deep.first()
            && depth <= deepest
        {
            self.deep.pop_first();
            if view.tree.is_pending(flip) {
                return Some(flip);
            }
        }
        let mut waiting = 0;
        while waiting < CHOICES {
            let flip = self.strategies[strategy].next(view)?;
            if !view.tree.is_pending(flip) {
                continue;
            }
            let depth = view.tree.node(flip.node).depth;
            if depth <= deepest {
                return Some(flip);
            }
            // Some strategies choose a flip again as long as it is pending.
            self.deep.insert((depth, flip));
            waiting += 1;
        }
        None
    }

    /// The least deep of the flips that wait.
    fn next_deep(&mut self, view: &View<'_>) -> Option<Flip> {
        while let Some((_, flip)) = self.deep.pop_first() {
            if view.tree.is_pending(flip) {
                return Some(flip);
            }
        }
        None
    }
}

impl SearchStrategy for Coverage {
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        self.executions = self.executions.saturating_add(1);
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
            let strategy = TURNS[self.turn];
            self.turn = (self.turn + 1) % TURNS.len();
            let next = self.next_of(strategy, view);
            if next.is_some() {
                return next;
            }
        }
        self.next_deep(view)
    }

    fn evict(&mut self, tree: &PathTree) {
        self.deep.retain(|&(_, flip)| tree.is_pending(flip));
        for strategy in &mut self.strategies {
            strategy.evict(tree);
        }
    }
}
