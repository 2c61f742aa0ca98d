//! Search strategies: which pending flip to try next.

mod dfs;
mod fair;

pub use dfs::DepthFirst;
pub use fair::Fair;

use crate::path_tree::{Flip, PathTree};

/// Picks the next flip among those that it was given.
pub trait SearchStrategy {
    /// Takes note of the flips that an execution made pending, in path order.
    fn add(&mut self, tree: &PathTree, pending: &[Flip]);

    /// The flip to try next, which is forgotten; `None` when all were handed out. A flip may have
    /// been settled in the meantime.
    fn next(&mut self, tree: &PathTree) -> Option<Flip>;
}
