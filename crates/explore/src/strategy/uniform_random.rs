//! Uniformly random paths: down from the root, each branch that has something pending after it as
//! likely as the others, until a pending one is met (CREST's uniform random search).
//!
//! A short path is thus as likely as a long one that leaves it at the same place, however many
//! flips either has.

use fastrand::Rng;

use super::{JoinedRun, SearchStrategy, View};
use crate::path_tree::{BranchState, Flip, Node, PathTree};

/// Walks down the tree at random.
#[derive(Debug)]
pub(crate) struct UniformRandom {
    random: Rng,
}

impl UniformRandom {
    /// The strategy with this seed.
    pub fn new(seed: u64) -> Self {
        UniformRandom {
            random: Rng::with_seed(seed),
        }
    }

    /// The position of a random branch of the node that has something pending after it, or is
    /// pending itself.
    fn branch(&mut self, node: &Node, tree: &PathTree) -> Option<usize> {
        let leads_on = |branch: &usize| match node.branches[*branch].state {
            BranchState::Taken(next) => tree.node(next).pending.branches > 0,
            _ => node.leads_on(*branch),
        };
        let open = (0..node.branches.len()).filter(leads_on).count();
        let chosen = self.random.choice(0..open)?;
        (0..node.branches.len()).filter(leads_on).nth(chosen)
    }
}

impl SearchStrategy for UniformRandom {
    fn executed(&mut self, _: &JoinedRun<'_>, _: &View<'_>) {}

    fn next(&mut self, view: &View<'_>) -> Option<Flip> {
        let mut at = view.tree.root()?;
        loop {
            let node = view.tree.node(at);
            let branch = self.branch(node, view.tree)?;
            match node.branches[branch].state {
                BranchState::Taken(next) => at = next,
                _ => {
                    return Some(Flip {
                        node: at,
                        branch: branch as u32,
                    });
                }
            }
        }
    }

    fn evict(&mut self, _: &PathTree) {}
}
