//! Sorts the new pending flips of an execution by their use.

use vm::Execution;

use super::Search;
use crate::lazy::Use;
use crate::path_tree::{BranchState, Flip, Inserted};
use crate::sources::{Offered, Situation, Sources};

/// Flips by their use; some have several.
#[derive(Default)]
pub(super) struct Sorted {
    /// Further real executions.
    pub real: Vec<Flip>,
    /// Further abstract paths.
    pub lead_to_abstract: Vec<Flip>,
    /// Making abstract paths real.
    pub waiting: Vec<Flip>,
}

impl Search<'_> {
    /// Sorts the flips that an execution made pending. Those that violate a check are kept apart;
    /// those that are too deep or that nothing needs are dropped.
    pub(super) fn sort_out(&mut self, execution: &Execution, inserted: &Inserted) -> Sorted {
        let mut sorted = Sorted::default();
        let (sources, offered, situation) = self.offer(execution, inserted);
        sources.executed(&offered, &situation);
        for &flip in &inserted.pending {
            let node = self.tree.node(flip.node);
            if self.options.depth.is_some_and(|most| node.depth >= most) {
                self.leave_too_deep(flip);
            } else if self.is_beyond_rounds(flip) {
                self.leave_beyond_rounds(flip);
            } else if node.is_violation(flip.branch as usize) {
                let is_real = self.lazy.is_real(flip);
                if !(is_real && self.sources.checks.takes(flip, &self.tree)) {
                    self.tree.settle(flip, BranchState::Dropped);
                }
            } else {
                let (sources, offered, situation) = self.offer(execution, inserted);
                let is_taken = sources.take(flip, &offered, &situation);
                match self.is_needed(flip) {
                    true => self.sort(flip, &mut sorted),
                    false if is_taken => {}
                    false => self.tree.settle(flip, BranchState::Dropped),
                }
            }
        }
        sorted
    }

    /// The sources, and the parts of an execution that they may read.
    fn offer<'s>(
        &'s mut self,
        execution: &'s Execution,
        inserted: &'s Inserted,
    ) -> (&'s mut Sources, Offered<'s>, Situation<'s>) {
        let offered = Offered {
            execution,
            inserted,
            terms: &self.engine.terms,
            space: &self.engine.space,
        };
        let situation = Situation {
            tree: &self.tree,
            open_goals: &self.open_goals,
            collector: &self.found.collector,
        };
        (&mut self.sources, offered, situation)
    }

    fn sort(&mut self, flip: Flip, sorted: &mut Sorted) {
        let used = self.lazy.sort(flip, &self.tree);
        if matches!(used, Use::Real | Use::Both) {
            sorted.real.push(flip);
        }
        if matches!(used, Use::Abstract | Use::Both) {
            sorted.lead_to_abstract.push(flip);
        }
        match used {
            Use::Real | Use::Both | Use::Mixed => sorted.waiting.push(flip),
            Use::Abstract => {}
            Use::None => self.tree.settle(flip, BranchState::Dropped),
        }
    }
}
