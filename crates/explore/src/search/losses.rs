//! The gaps of a search and their reasons: losses, bounds, and an end before all was tried.

use std::ops::ControlFlow;

use ir::test::{Bound, BoundKind, Frame, Loss, LossKind};
use vm::{Execution, Site};

use super::engine::Input;
use super::{End, Search};
use crate::branch_site::BranchSite;
use crate::options::Observer;
use crate::path_tree::{BranchState, Flip};

impl Search<'_> {
    /// Records that the solver gave no answer.
    pub fn gave_up(&mut self, flip: Flip, reason: String) {
        let reason = match self.prefix_text(flip) {
            Some(prefix) => {
                format!("{reason}; paths may be missing, such as those that begin with {prefix}")
            }
            None => reason,
        };
        self.count_try(flip, |tries| &mut tries.unknown);
        let node = self.tree.node(flip.node);
        let (site, is_violation) = (node.site, node.is_violation(flip.branch as usize));
        self.failed(flip, BranchState::Undecided);
        self.lazy.lose();
        if self.lazy.is_real(flip) {
            let kind = match is_violation {
                true => LossKind::UndecidedCheck,
                false => LossKind::SolverGaveUp,
            };
            self.lost(kind, site, reason);
        }
    }

    /// The beginning of the paths that a flip leads to, if the criterion asks for paths. Nothing is
    /// recorded of the execution that shows it.
    fn prefix_text(&mut self, flip: Flip) -> Option<String> {
        let search = self.abstract_search.as_ref()?;
        let node = self.tree.node(flip.node);
        let input = Input {
            vector: self.tree.source(flip),
            seed: None,
            recorded: node.depth as usize + 1,
            unrecorded: 0,
        };
        let more_steps = self.limited.more_steps;
        let execution = self.engine.execute(&input, more_steps, self.options);
        let edge = self.open_goals.edge(BranchSite::of(flip, &self.tree));
        search.prefix_text(flip, &execution, edge)
    }

    /// Records that the search was stopped while the solver worked on a flip. Proofs by abstract
    /// paths stay valid.
    pub(super) fn interrupted(&mut self, flip: Flip) {
        self.count_try(flip, |tries| &mut tries.interrupted);
        self.failed(flip, BranchState::Undecided);
        if self.unit_proof.is_none() {
            self.lazy.lose();
        }
        self.leaves_paths(LossKind::TimeLimit);
    }

    /// Records that no input for a flip exists, or that none was found.
    pub fn failed(&mut self, flip: Flip, state: BranchState) {
        self.sources
            .strategy
            .failed(BranchSite::of(flip, &self.tree));
        self.tree.settle(flip, state);
    }

    /// Records an execution that did not take the flip it was solved for. This happens only where
    /// precision was lost on the way.
    pub(super) fn diverged(&mut self, flip: Flip, execution: &Execution) {
        let has_loss = execution.abstracted == 0 && !execution.imprecision.losses.is_empty();
        let site = self.tree.node(flip.node).site;
        self.count_try(flip, |tries| &mut tries.diverged);
        self.failed(flip, BranchState::Undecided);
        self.lazy.lose();
        if !self.lazy.is_real(flip) {
            return;
        }
        debug_assert!(
            has_loss || !self.found.log.losses.is_empty(),
            "an execution diverged without a loss"
        );
        self.lost(
            LossKind::Divergence,
            site,
            "an input did not go where it should".to_owned(),
        );
    }

    pub fn lost(&mut self, kind: LossKind, site: Site, detail: String) {
        let stack = self.place_of_branch(site);
        self.found.log.loss(&Loss {
            kind,
            detail,
            stack,
        });
    }

    /// The place of a branch that is left out. Where calls are replaced there is none: executions
    /// that replace calls cover nothing, so that goals before the branch may be left out with it.
    fn place_of_branch(&self, site: Site) -> Vec<Frame> {
        let frame = self.frame(site).filter(|_| !self.lazy.is_on());
        frame.into_iter().collect()
    }

    /// The frame of a site; its callers are not known.
    fn frame(&self, site: Site) -> Option<Frame> {
        let body = self.open_goals.code().program.functions[site.function]
            .body
            .as_ref()?;
        let block = body.blocks.get(site.block)?;
        let statement = block.statements.get(site.statement as usize);
        let span = statement.map_or(block.span, |statement| statement.span);
        Some(Frame {
            function: site.function,
            block: site.block,
            span: body.spans[span].clone(),
        })
    }

    pub(super) fn leave_too_deep(&mut self, flip: Flip) {
        self.leave_out(flip, BoundKind::Depth, "the path was longer than --depth");
    }

    /// Leaves out a flip to paths on which a loop has more rounds than the criterion asks for.
    pub(super) fn leave_beyond_rounds(&mut self, flip: Flip) {
        let detail = "the loop had more rounds than the criterion asks for";
        self.leave_out(flip, BoundKind::Rounds, detail);
    }

    fn leave_out(&mut self, flip: Flip, kind: BoundKind, detail: &str) {
        self.count_try(flip, |tries| &mut tries.left_out);
        let site = self.tree.node(flip.node).site;
        self.tree.settle(flip, BranchState::Dropped);
        self.lazy.lose();
        let stack = self.place_of_branch(site);
        self.found.log.bound(&Bound {
            kind,
            detail: detail.to_owned(),
            stack,
        });
    }

    pub(super) fn told_to_stop(&mut self, observer: &mut dyn Observer) -> bool {
        self.is_stopped_by_defect()
            || self.is_out_of_iterations()
            || observer.progress(&self.found.progress) == ControlFlow::Break(())
    }

    fn is_stopped_by_defect(&self) -> bool {
        self.options.stop_on_defect && self.found.progress.defects > 0
    }

    fn is_out_of_iterations(&self) -> bool {
        self.found.progress.iterations >= self.options.iteration_limit
            || self.found.steps >= self.options.all_steps
            || self.lazy.is_out_of_patience()
    }

    pub(super) fn stopped(&mut self, observer: &dyn Observer) -> End {
        // The flip of the interrupted query may be the last.
        let is_interrupted = self.found.log.has(LossKind::TimeLimit);
        if self.next_choice().is_none() {
            if self.goals_decided() {
                return End::GoalsDecided;
            }
            if !is_interrupted {
                return End::Exhausted;
            }
        }
        let kind = if self.is_stopped_by_defect() {
            LossKind::StoppedOnDefect
        } else if self.is_out_of_iterations() {
            LossKind::IterationLimit
        } else if observer.is_out_of_memory() {
            LossKind::MemoryLimit
        } else {
            LossKind::TimeLimit
        };
        self.leaves_paths(kind);
        End::Stopped
    }

    /// Records that the search ends with paths left to try, for this reason.
    pub fn leaves_paths(&mut self, kind: LossKind) {
        let why = match kind {
            LossKind::StoppedOnDefect => "a defect ended the search",
            LossKind::MemoryLimit => "the limit of memory ended the search",
            _ => "the search was stopped",
        };
        self.found.log.loss(&Loss {
            kind,
            detail: format!("{why} with paths left to try"),
            stack: Vec::new(),
        });
    }

    /// The place of the rejection that happened last on a path, if all inputs are known to be
    /// rejected: no bound left any out, no call could have ended the execution before, and there
    /// was a goal to search for.
    pub fn no_input(&self, end: End) -> Option<Vec<Frame>> {
        let is_bound =
            !self.found.log.bounds.is_empty() || !self.found.log.rejected.before_calls.is_clear();
        let has_goals =
            self.open_goals.pathless().count_ones(..) < self.open_goals.code().goals.len();
        let is_known = end == End::Exhausted && !is_bound && has_goals;
        let site = self.found.collector.rejects_all().filter(|_| is_known)?;
        Some(site.and_then(|site| self.frame(site)).into_iter().collect())
    }
}
