//! Where what was learned comes from, and what it is used for.

use expr::{Term, Terms};
use ir::input::InputSpace;
use rustc_hash::FxHashSet;

use super::Expansion;
use super::lemmas::{self, Question};
use super::target::Target;
use crate::path_tree::{Flip, NodeId};
use crate::strategy::{Place, View};

impl Expansion {
    /// Records that nothing takes a flip, for what the ways out of these nodes demand.
    pub fn infeasible(&mut self, flip: Flip, blamed: &[NodeId], view: &View<'_>) {
        self.blame(blamed);
        self.behaviours.infeasible(flip, blamed, view.tree);
    }

    /// Whether all is known that some call on a target may do, and what is to be asked then.
    pub(super) fn doubt(
        &mut self,
        target: &Target,
        (space, terms): (&InputSpace, &mut Terms),
        view: &View<'_>,
    ) -> Option<Box<Question>> {
        let conditions = target.path.conditions.as_ref()?;
        let known = (&self.behaviours, &mut self.ground.results);
        let question = lemmas::question(
            (conditions, target.length),
            &target.path.focus.demands,
            known,
            (space, terms),
            view,
        );
        question.map(Box::new)
    }

    /// Asks the same where a call was executed first, and a flip of another one is next: nothing was found
    /// that the call may do.
    pub(super) fn end_ahead(
        &mut self,
        flip: Flip,
        surroundings: (&InputSpace, &mut Terms),
        view: &View<'_>,
    ) -> Option<Box<Question>> {
        let mut target = self.target.take()?;
        let is_over = target.ahead.is_some() && !self.is_ahead(flip, &target);
        let mut question = None;
        if is_over {
            target.ahead = None;
            question = self.doubt(&target, surroundings, view);
        }
        self.target = Some(target);
        question
    }

    /// Records the answer: each case contradicts some of these of the path's conditions.
    pub fn learn(&mut self, question: Question, contradicted: FxHashSet<Term>) {
        self.lemmas.learn(question, contradicted);
        if let Some(target) = self.target.take()
            && !self.is_refuted(&target)
        {
            self.target = Some(target);
        }
    }

    /// Rules out what a target asks for, if that is known to be impossible.
    pub(super) fn is_refuted(&mut self, target: &Target) -> bool {
        let conditions = target.path.conditions.as_ref();
        let edges = conditions.and_then(|conditions| self.lemmas.refute(conditions));
        let place = edges.and_then(|edges| target.places().get(edges));
        let Some(&place) = place.filter(|_| self.is_exact) else {
            return false;
        };
        self.units.rule_out(place);
        self.statistics.spurious += 1;
        self.statistics.learned += 1;
        true
    }

    /// Rules out what is behind a flip to further abstract paths, if it is known that none of them can be
    /// made real.
    pub(super) fn forbid(&mut self, flip: Flip, view: &View<'_>) {
        let edge = view.targets.edge(Place::of(flip, view.tree));
        let station = self.ground.stations.of(flip.node);
        let (Some(edge), Some(station)) = (edge, station.filter(|at| at.inside)) else {
            return;
        };
        let known = (&self.behaviours, &self.ground.stations);
        if self.is_exact && self.lemmas.forbid(flip, known, view) {
            let place = self.units.step(station.place, edge);
            self.units.rule_out(place);
            self.statistics.learned += 1;
        }
    }
}
