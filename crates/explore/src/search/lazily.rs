//! The work for lazy expansion: flips, inputs, and answers of the solver.

use expr::Model;
use ir::input::InputVector;
use rustc_hash::FxHashSet;
use solver::{Answer, Query, Solver};

use super::Search;
use super::next::Choice;
use crate::branch_site::BranchSite;
use crate::flip::{self, Flipped};
use crate::lazy::{Proposal, Question, Request, Surroundings, Use};
use crate::path_tree::{BranchState, Flip};
use crate::sources::NoneLeft;
use crate::strategy::View;

impl Search<'_> {
    /// What lazy expansion tries next. If nothing is left to try, the tree says so.
    pub(super) fn next_expansion(&mut self) -> Result<Choice, NoneLeft> {
        loop {
            let mut surroundings = Surroundings {
                space: &mut self.engine.space,
                terms: &mut self.engine.terms,
                view: View::of(&self.tree, &self.open_goals),
            };
            let step = match self.lazy.next(&mut surroundings) {
                Some(step) => step,
                None => Request::Try(self.next_forgotten()?),
            };
            let flip = match step {
                Request::Ask(question) => {
                    self.ask(&question);
                    continue;
                }
                Request::Execute(input) => return Ok(Choice::Input(input)),
                Request::Propose(proposal) => match self.proposed(*proposal) {
                    Some(input) => return Ok(Choice::Input(Box::new(input))),
                    None => continue,
                },
                Request::Try(flip) => flip,
            };
            if self.is_needed(flip) {
                self.open_goals.attempted(BranchSite::of(flip, &self.tree));
                return Ok(Choice::Flip(flip));
            }
            self.tree.settle(flip, BranchState::Dropped);
        }
    }

    /// Asks whether each case of a question contradicts the conditions of its path.
    fn ask(&mut self, question: &Question) {
        let mut contradicted = FxHashSet::default();
        let nothing = Model::default();
        for case in &question.cases {
            let constraints = [question.own.as_slice(), case].concat();
            self.found.progress.solver_queries += 1;
            let query = Query::new(&constraints, &nothing);
            let Answer::Unsat(core) = self.engine.solver.check(&mut self.engine.terms, &query)
            else {
                return;
            };
            contradicted.extend(core.into_iter().filter_map(|at| question.own.get(at)));
        }
        self.lazy.learn(question, &contradicted);
    }

    /// The input of a proposal, if there is one.
    fn proposed(&mut self, proposal: Proposal) -> Option<InputVector> {
        self.found.progress.solver_queries += 1;
        let Proposal {
            by,
            flip,
            source,
            further,
            expands,
        } = proposal;
        let source_of_flip = self.tree.source(flip);
        let from = (flip, source.as_ref().unwrap_or(source_of_flip));
        let (terms, solver) = (&mut self.engine.terms, &mut self.engine.solver);
        let flipped = flip::solve_from(&self.tree, from, &further, terms, solver);
        let Flipped::Input(mut input) = flipped else {
            return None;
        };
        input.expands = expands;
        if source.is_none() {
            self.complete(&mut input, flip);
        }
        self.lazy.proposed(by);
        Some(input)
    }

    /// Has lazy expansion complete an input for a flip.
    pub(super) fn complete(&mut self, input: &mut InputVector, flip: Flip) {
        let surroundings = Surroundings {
            space: &mut self.engine.space,
            terms: &mut self.engine.terms,
            view: View::of(&self.tree, &self.open_goals),
        };
        self.lazy.complete(input, flip, &surroundings);
    }

    /// A flip to further abstract paths that lazy expansion does not ask for: behind open goals
    /// that abstract executions came by, or one that was forgotten.
    fn next_forgotten(&mut self) -> Result<Flip, NoneLeft> {
        let leads_to_abstract = |flip| {
            let used = self.lazy.sort(flip, &self.tree);
            matches!(used, Use::Abstract | Use::Both)
        };
        let is_open = |goal| !self.found.collector.covers(goal);
        let provisional = &mut self.sources.provisional;
        if let Some(flip) = provisional.next(&self.tree, is_open, leads_to_abstract) {
            return Ok(flip);
        }
        let mut leftovers = std::mem::take(&mut self.sources.abstract_leftovers);
        let is_needed = |flip| self.is_needed(flip);
        let next = leftovers.next(&self.tree, leads_to_abstract, is_needed);
        self.sources.abstract_leftovers = leftovers;
        next
    }
}
