//! The inputs of all paths that a search took, kept for those who check that there are no others.

use std::sync::Arc;

use coverage::{Abstraction, Paths};
use ir::Program;
use ir::certificate::paths::{ExecutionLimits, SearchPaths, TakenPaths};
use ir::input::{InputSpace, InputVector};
use ir::logical::Addresses;
use rustc_hash::FxHashMap;

use crate::options::{Lazy, Options};

/// The most paths that are kept.
const MOST_PATHS: usize = 20_000;

/// The most values that their inputs have in all.
const MOST_VALUES: usize = 1_000_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct PathInputs {
    inputs: Vec<Arc<InputVector>>,
    values: usize,
    /// Why they are not kept.
    left_out: Option<&'static str>,
}

impl PathInputs {
    /// The paths of a search that has not begun.
    pub fn new(options: &Options) -> Self {
        let machine = &options.machine;
        let left_out = if options.lazy != Lazy::Off {
            Some("the search replaced calls by inputs")
        } else if !machine.policies.is_empty() {
            Some("the search called functions of the host")
        } else if options.depth.is_some() {
            Some("the search had a limit on the length of paths")
        } else if options.criteria.have_labels() {
            Some("inputs of one path differ in what goals ask for")
        } else if limits_rounds(options) {
            Some("the search had a limit on the rounds of loops")
        } else if options.criteria.paths().is_some_and(Paths::have_order) {
            Some("the search left out paths that others dominate")
        } else {
            None
        };
        PathInputs {
            left_out,
            ..PathInputs::default()
        }
    }

    /// Keeps the input of a further path.
    pub fn add(&mut self, input: &Arc<InputVector>) {
        if self.left_out.is_some() {
            return;
        }
        self.values += input.values.len();
        if self.inputs.len() >= MOST_PATHS || self.values > MOST_VALUES {
            self.left_out = Some("the search took more paths than are written down");
            self.inputs = Vec::new();
            return;
        }
        self.inputs.push(Arc::clone(input));
    }

    /// The paths as data.
    pub fn certificate(
        &self,
        program: &Program,
        space: &InputSpace,
        options: &Options,
    ) -> SearchPaths {
        if let Some(why) = self.left_out {
            return SearchPaths::LeftOut {
                left_out: why.to_owned(),
            };
        }
        let addresses = Addresses { program, space };
        let mut numbers = FxHashMap::default();
        let mut cells = Vec::new();
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for input in &self.inputs {
            let values = input.values.iter().map(|(&cell, &value)| {
                let number = *numbers.entry(cell).or_insert_with(|| {
                    cells.push(addresses.cell(cell));
                    cells.len() as u32 - 1
                });
                (number, addresses.value(value))
            });
            inputs.push(values.collect());
        }
        SearchPaths::Taken(TakenPaths {
            limits: limits(program, options),
            cells,
            inputs,
        })
    }
}

/// Whether the criterion leaves out paths with more rounds of loops.
fn limits_rounds(options: &Options) -> bool {
    let paths = options.criteria.paths();
    matches!(paths, Some(Paths::Abstract(Abstraction::MoreRounds(_))))
}

fn limits(program: &Program, options: &Options) -> ExecutionLimits {
    let machine = &options.machine;
    let precondition = options.precondition;
    ExecutionLimits {
        precondition: precondition.map(|function| program.functions[function].name.clone()),
        steps: machine.step_limit,
        choices: machine.choice_limit,
        patience: machine.patience,
        touched: machine.touched_limit,
        elements: machine.max_array,
        allocation_failures: machine.allocation_failures,
        nonnull: machine.assumed_nonnull.clone(),
        disjoint: machine.disjoint_inputs,
        closed_world: options.closed_world,
    }
}
