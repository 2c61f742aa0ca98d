//! Executions that end though no constraint of their path says so: a printed string goes on to the
//! end of its object. Its end decides nothing else, so it is no constraint of each path that
//! prints. An input that was solved for a flip after it is replaced by one whose string ends.

use expr::Term;
use ir::input::InputVector;
use vm::Execution;

use super::Search;
use super::engine::Input;
use crate::flip::{self, Flipped};
use crate::path_tree::{BranchState, Flip};

/// How many choices are recorded behind a flip at least.
const CHOICES_BEHIND: usize = 800;

impl Search<'_> {
    /// Executes an input that was solved for a flip. While the execution ends in this way before it
    /// reaches the flip, executes another input, until there is none. Records all executions but
    /// the last.
    pub fn execute_for(&mut self, input: &InputVector, flip: Option<Flip>) -> Option<Execution> {
        let mut execution = self.execute_flipped(input, flip);
        let mut ruled_out: Vec<Term> = Vec::new();
        while let (Some(flip), Some(reason)) = (flip, execution.needs.ended_by)
            && self.tree.ends_before(&execution.path, flip)
        {
            self.absorb(&execution, None);
            if !self.tree.is_pending(flip) {
                return None;
            }
            ruled_out.push(self.engine.terms.bool_not(reason));
            self.found.progress.solver_queries += 1;
            let (terms, solver) = (&mut self.engine.terms, &mut self.engine.solver);
            match flip::solve_with(&self.tree, flip, &ruled_out, terms, solver) {
                Flipped::Input(mut next) => {
                    next.expands = input.expands.clone();
                    execution = self.execute_flipped(&next, Some(flip));
                }
                // Each input that takes the flip ends before it.
                Flipped::Infeasible(_) => {
                    self.count_try(flip, |tries| &mut tries.infeasible);
                    self.failed(flip, BranchState::Infeasible);
                    return None;
                }
                Flipped::Unknown(reason) => {
                    self.gave_up(flip, reason);
                    return None;
                }
            }
        }
        Some(execution)
    }

    /// Executes an input so far, at least, that the flip is on its path.
    fn execute_flipped(&mut self, vector: &InputVector, flip: Option<Flip>) -> Execution {
        let depth = flip.map_or(0, |flip| self.tree.node(flip.node).depth as usize);
        self.execute_input(&Input {
            vector,
            seed: None,
            recorded: depth + CHOICES_BEHIND,
            unrecorded: 0,
        })
    }
}
