//! Generational search (SAGE): every flip of one execution, then every flip of that of the
//! resulting executions which covered most that is new.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::{JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// The worth of an execution's flips: how much it visited that is new, and how many executions came
/// before it; of equal ones, the earlier is worth more.
type Worth = (usize, Reverse<u64>);

/// Flips of executions, to be tried all together.
#[derive(Debug, Default)]
pub(crate) struct Generational {
    current: VecDeque<Flip>,
    waiting: BTreeMap<Worth, VecDeque<Flip>>,
    executions: u64,
}

impl SearchStrategy for Generational {
    fn executed(&mut self, run: &JoinedRun<'_>, _: &View<'_>) {
        if !run.pending.is_empty() {
            let worth = (run.news, Reverse(self.executions));
            let flips = run.pending.iter().copied().collect();
            self.waiting.insert(worth, flips);
        }
        self.executions += 1;
    }

    fn next(&mut self, _: &View<'_>) -> Option<Flip> {
        while self.current.is_empty() {
            self.current = self.waiting.pop_last()?.1;
        }
        self.current.pop_front()
    }

    fn evict(&mut self, tree: &PathTree) {
        self.current.retain(|&flip| tree.is_pending(flip));
        self.waiting.retain(|_, flips| {
            flips.retain(|&flip| tree.is_pending(flip));
            !flips.is_empty()
        });
    }
}
