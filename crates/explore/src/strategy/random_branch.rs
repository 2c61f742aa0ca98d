//! Random branches: any pending flip of the last execution, each as likely as the other (CREST's
//! random branch search).

use fastrand::Rng;

use super::{JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// Flips a random branch of the last path, or of any path when the last one has none left.
#[derive(Debug)]
pub(crate) struct RandomBranch {
    random: Rng,
    /// The flips of the last path that are left, in random order.
    last: Vec<Flip>,
    /// All flips that were ever pending, without those that were taken out.
    all: Vec<Flip>,
}

impl RandomBranch {
    /// The strategy with this seed.
    pub fn new(seed: u64) -> Self {
        RandomBranch {
            random: Rng::with_seed(seed),
            last: Vec::new(),
            all: Vec::new(),
        }
    }
}

impl SearchStrategy for RandomBranch {
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        self.all.extend_from_slice(run.pending);
        self.last = on_path(run.path, view.tree);
        self.random.shuffle(&mut self.last);
    }

    fn next(&mut self, view: &View<'_>) -> Option<Flip> {
        while let Some(flip) = self.last.pop() {
            if view.tree.is_pending(flip) {
                return Some(flip);
            }
        }
        let chosen = self.random.choice(0..self.all.len())?;
        Some(self.all.swap_remove(chosen))
    }

    fn evict(&mut self, tree: &PathTree) {
        self.last.retain(|&flip| tree.is_pending(flip));
        self.all.retain(|&flip| tree.is_pending(flip));
    }
}

/// The pending branches along a path that lead on.
fn on_path(path: &[Flip], tree: &PathTree) -> Vec<Flip> {
    let nodes = path
        .iter()
        .filter_map(|step| Some((step.node, tree.get(step.node)?)));
    let branches = nodes.flat_map(|(id, node)| {
        let pending = (0..node.branches.len()).filter(|&branch| node.leads_on(branch));
        pending.map(move |branch| Flip {
            node: id,
            branch: branch as u32,
        })
    });
    branches.collect()
}
