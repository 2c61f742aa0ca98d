//! Calls after which executions left the abstract path, though they were replaced, and after which
//! none kept to it: other candidates come first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Ordering;
use crate::acceleration::Acceleration;
use crate::lazy::partial_path::PathId;
use crate::lazy::target::Target;
use crate::path_tree::Flip;

/// The facts about the calls of abstract paths.
#[derive(Debug, Default)]
pub(super) struct FutileCalls(FxHashMap<PathId, Calls>);

/// The calls of one path, by the flips that execute them.
#[derive(Debug, Default)]
struct Calls {
    /// After them executions left the path, and none kept to it.
    futile: FxHashSet<Flip>,
    /// After them one kept to it.
    kept: FxHashSet<Flip>,
}

impl Ordering for FutileCalls {
    fn name(&self) -> Acceleration {
        Acceleration::FutileCalls
    }

    fn attempted(&mut self, target: &Target, expand: Flip, keeps: bool) {
        let calls = self.0.entry(target.path.partial.id).or_default();
        if keeps {
            calls.futile.remove(&expand);
            calls.kept.insert(expand);
        } else if !calls.kept.contains(&expand) {
            calls.futile.insert(expand);
        }
    }

    fn defers(&self, path: PathId, flip: Flip) -> bool {
        let calls = self.0.get(&path);
        calls.is_some_and(|calls| calls.futile.contains(&flip))
    }

    /// Executions may have kept to the path after a call before it was the target.
    fn resumed(&mut self, target: &Target) {
        if let Some(calls) = self.0.get_mut(&target.path.partial.id) {
            calls.kept.extend(calls.futile.drain());
        }
    }

    fn forget(&mut self, path: PathId) {
        self.0.remove(&path);
    }
}
