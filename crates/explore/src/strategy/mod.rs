//! Search strategies: which pending flip to try next.
//!
//! A strategy gets every execution and hands out flips, each once. It sees no more of a branch than
//! its place and the branches that are left, so that it does not depend on which side of a
//! condition is its `then`.

mod bfs;
mod cfg;
mod coverage;
mod dfs;
mod generational;
mod places;
mod random_branch;
mod two_pass;
mod uniform_random;

use crate::branch_site::BranchSite;
use crate::open_goals::OpenGoals;
use crate::options::StrategyName;
use crate::path_tree::{Flip, PathTree};

/// Picks the next flip among those that it was given.
pub(crate) trait SearchStrategy: Send {
    /// Records an execution.
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>);

    /// Records that no input for a flip at this place exists, or that none was found.
    fn failed(&mut self, _place: BranchSite) {}

    /// The flip to try next; `None` when all were handed out. The strategy forgets it. A flip may
    /// have been settled in the meantime.
    fn next(&mut self, view: &View<'_>) -> Option<Flip>;

    /// Forgets flips that were settled.
    fn evict(&mut self, tree: &PathTree);
}

/// The part of the search that a strategy may read.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub tree: &'a PathTree,
    pub open_goals: &'a OpenGoals<'a>,
}

impl<'a> View<'a> {
    /// The view of a tree and of the open goals.
    pub fn of(tree: &'a PathTree, open_goals: &'a OpenGoals<'a>) -> Self {
        View { tree, open_goals }
    }
}

/// An execution, after it joined the tree.
#[derive(Clone, Copy)]
pub(crate) struct JoinedRun<'a> {
    /// Branches that it made pending, in path order, without violations of checks.
    pub pending: &'a [Flip],
    /// The branches that its path took; the tree may have forgotten the last of them.
    pub path: &'a [Flip],
    /// How many blocks and edges it visited that no earlier execution did.
    pub news: usize,
    /// The place of the flip that its input was solved for; `None` for one that was given.
    pub flipped: Option<BranchSite>,
}

/// The strategy of a name. What it decides at random depends on the seed alone.
pub(crate) fn named(name: StrategyName, seed: u64) -> Box<dyn SearchStrategy> {
    match name {
        StrategyName::Coverage => Box::new(coverage::Coverage::new(seed)),
        // Flips that are deeper than the bound are dropped before the strategy gets them.
        StrategyName::DepthFirst | StrategyName::BoundedDepthFirst => {
            Box::new(dfs::DepthFirst::default())
        }
        StrategyName::BreadthFirst => Box::new(bfs::BreadthFirst::default()),
        StrategyName::RandomBranch => Box::new(random_branch::RandomBranch::new(seed)),
        StrategyName::UniformRandom => Box::new(uniform_random::UniformRandom::new(seed)),
        StrategyName::Cfg => Box::new(cfg::control_flow(seed)),
        StrategyName::Generational => Box::new(generational::Generational::default()),
        StrategyName::TwoPass => Box::new(two_pass::TwoPass::new(seed)),
    }
}
