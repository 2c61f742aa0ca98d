//! Prunings at work: questions, and places that they rule out.

use expr::Term;
use rustc_hash::FxHashSet;

use super::LazyExpansion;
use super::accelerate::Question;
use super::surroundings::Surroundings;
use super::target::Target;
use crate::branch_site::BranchSite;
use crate::path_tree::{Flip, NodeId};
use crate::strategy::View;

impl LazyExpansion {
    /// Records that no input takes a flip, because of the demands of the branches out of these
    /// nodes.
    pub fn infeasible(&mut self, flip: Flip, blamed: &[NodeId], view: &View<'_>) {
        for pruning in &mut self.accelerations.prunings {
            pruning.infeasible(flip, blamed, view.tree);
        }
    }

    /// The question whether some call on a target, of which all paths are known, can meet its
    /// guards.
    pub(super) fn doubt(
        &mut self,
        target: &Target,
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Box<Question>> {
        let mut prunings = self.accelerations.prunings.iter_mut();
        let question =
            prunings.find_map(|pruning| pruning.question(target, &self.facts, surroundings));
        question.map(Box::new)
    }

    /// Records the answer: each case contradicts some of these conditions of the path.
    pub fn learn(&mut self, question: &Question, contradicted: &FxHashSet<Term>) {
        for pruning in &mut self.accelerations.prunings {
            pruning.learn(question, contradicted);
        }
        if let Some(mut target) = self.target.take() {
            match self.is_refuted(&target) {
                true => self.forget(&mut target),
                false => self.target = Some(target),
            }
        }
    }

    /// Rules out the purpose of a target, if a pruning shows that it is impossible.
    pub(super) fn is_refuted(&mut self, target: &Target) -> bool {
        let mut prunings = self.accelerations.prunings.iter();
        let refuted = prunings.find_map(|pruning| pruning.refutes_target(target));
        let place = refuted.and_then(|by| Some((*target.places().get(by.edges())?, by)));
        let is_refuted = place.is_some_and(|(place, refutation)| {
            let units = &mut self.facts.units;
            self.proofs.prune(place, refutation, units)
        });
        if let Some((_, refutation)) = place.filter(|_| is_refuted) {
            self.count(refutation.by());
            self.statistics.spurious += 1;
            self.statistics.learned += 1;
        }
        is_refuted
    }

    /// Rules out the places after a flip to further abstract paths, if a pruning shows that none of
    /// these can be made real.
    pub(super) fn rule_out_after(&mut self, flip: Flip, view: &View<'_>) {
        let edge = view.open_goals.edge(BranchSite::of(flip, view.tree));
        let info = self.facts.nodes.of(flip.node);
        let (Some(edge), Some(info)) = (edge, info.filter(|at| at.inside)) else {
            return;
        };
        let from = info.place;
        let mut prunings = self.accelerations.prunings.iter();
        let refuted = prunings.find_map(|pruning| pruning.refutes_flip(flip, &self.facts, view));
        if let Some(refutation) = refuted {
            let units = &mut self.facts.units;
            let place = units.step(from, edge);
            let is_pruned = self.proofs.prune(place, refutation, units);
            if is_pruned {
                self.count(refutation.by());
                self.statistics.learned += 1;
            }
        }
    }
}
