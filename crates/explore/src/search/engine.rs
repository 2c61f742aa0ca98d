//! The parts of a search that execute and find inputs: the machine, the solver, and guesses where
//! the solver cannot know.

use expr::Terms;
use ir::Program;
use ir::input::{InputSpace, InputVector};
use solver::{Chain, Stop};
use vm::{Defaults, Execution, InputProvider, Machine};

use super::guesses::{self, Guesses};
use crate::flip::{self, Flipped};
use crate::lazy::LazyExpansion;
use crate::options::Options;
use crate::path_tree::{Flip, PathTree};
use crate::sources::Sources;

/// See the module.
pub(crate) struct Engine<'a> {
    pub machine: Machine<'a>,
    pub space: InputSpace,
    pub terms: Terms,
    pub solver: Chain,
    pub guesses: Guesses,
    /// Default values for unconstrained inputs.
    pub defaults: Box<dyn Defaults + Send + 'a>,
}

/// The input of an execution.
pub(crate) struct Input<'a> {
    pub vector: &'a InputVector,
    /// Gives the values that the vector leaves open, in place of the usual ones.
    pub seed: Option<&'a dyn Defaults>,
    /// See [`InputProvider::recorded`].
    pub recorded: usize,
    /// See [`InputProvider::unrecorded`].
    pub unrecorded: u64,
}

impl Engine<'_> {
    /// Executes an input, which may take so many steps beyond the limit of the machine.
    pub fn execute(&mut self, input: &Input<'_>, more_steps: u64, options: &Options) -> Execution {
        let input = InputProvider {
            vector: input.vector,
            defaults: input.seed.unwrap_or(&*self.defaults),
            recorded: input.recorded,
            unrecorded: input.unrecorded,
            more_steps,
        };
        let Options {
            entry,
            precondition,
            ..
        } = *options;
        self.machine
            .execute_if(precondition, entry, input, &mut self.space, &mut self.terms)
    }

    /// An input for a flip that gives a native call other values, at random.
    pub fn guess(
        &mut self,
        flip: Flip,
        tree: &PathTree,
        program: &Program,
        options: &Options,
    ) -> Option<InputVector> {
        if !guesses::is_native(flip, tree, program, &options.machine) {
            return None;
        }
        self.guesses.input(flip, tree, &self.terms, &self.space)
    }

    /// Whether the search is to stop.
    pub fn is_stopped(&self, options: &Options) -> bool {
        let stop = options.solver.stop.as_ref();
        stop.is_some_and(Stop::is_requested)
    }

    /// The solver's answer for a flip.
    pub fn solve(&mut self, flip: Flip, tree: &PathTree) -> Flipped {
        flip::solve(tree, flip, &mut self.terms, &mut self.solver)
    }
}

/// What a worker owns can be moved to another thread.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Terms>();
    is_send::<InputSpace>();
    is_send::<Chain>();
    is_send::<Guesses>();
    is_send::<Execution>();
    is_send::<PathTree>();
    is_send::<Sources>();
    is_send::<LazyExpansion>();
};
