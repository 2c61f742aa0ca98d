//! Guesses at the values for native calls.
//!
//! No solver knows what a function of the host returns. Where a value was fixed for such a call,
//! any other value takes the other branch, and the solver would give the next value again and
//! again: every second time, a random value takes its place.

use std::collections::BTreeSet;

use expr::{Terms, Var};
use fastrand::Rng;
use ir::input::{InputSpace, InputVector};
use ir::{Callee, CellId, Program, Terminator};
use vm::{CallPolicy, Config, ConstraintKind};

use crate::flip;
use crate::path_tree::{Flip, PathTree};

/// How many values are tried for one flip.
const ATTEMPTS: usize = 4;

/// Half of the values are smaller than this: characters and small numbers.
const SMALL: u128 = 128;

/// Random values for native calls.
#[derive(Debug)]
pub struct Guesses {
    random: Rng,
    /// Whether the next flip is to be guessed.
    is_turn: bool,
}

impl Guesses {
    /// Guesses that depend on the seed alone.
    pub fn new(seed: u64) -> Guesses {
        Guesses {
            random: Rng::with_seed(seed),
            is_turn: false,
        }
    }

    /// An input that takes a flip of a value fixed for a native call, if it is time for a guess and
    /// one guess fits.
    pub fn input(
        &mut self,
        flip: Flip,
        tree: &PathTree,
        terms: &Terms,
        space: &InputSpace,
    ) -> Option<InputVector> {
        self.is_turn = !self.is_turn;
        if !self.is_turn {
            return None;
        }
        let (constraints, held) = flip::demanded_terms(tree, flip, terms);
        let source = tree.source(flip);
        let current = flip::model(source);
        let own = constraints[held..].iter();
        let variables: BTreeSet<Var> = own.flat_map(|&term| terms.variables(term)).collect();
        for _ in 0..ATTEMPTS {
            let mut model = current.clone();
            for &var in &variables {
                let width = space.cell_data(CellId::from_raw(var.0)).width;
                model.set(var, self.value(width));
            }
            if constraints
                .iter()
                .all(|&term| terms.eval(term, &model) == 1)
            {
                let mut input = flip::with_model(source, &current, &model);
                input.calls = flip::demanded_modes(tree, flip);
                return Some(input);
            }
        }
        None
    }

    /// A number of so many bits: a small one, or one of any magnitude.
    fn value(&mut self, width: u32) -> u128 {
        let all = u128::MAX >> (128 - width.clamp(1, 128));
        if self.random.bool() {
            return self.random.u128(..SMALL) & all;
        }
        let magnitude = self.random.u32(1..=width.max(1));
        self.random.u128(..) & (u128::MAX >> (128 - magnitude.clamp(1, 128)))
    }
}

/// Whether a flip gives a native call other values.
pub fn is_native(flip: Flip, tree: &PathTree, program: &Program, config: &Config) -> bool {
    let node = tree.node(flip.node);
    if node.kind != ConstraintKind::Concretisation {
        return false;
    }
    let body = program.functions[node.site.function].body.as_ref();
    let block = body.and_then(|body| body.blocks.get(node.site.block));
    match block.map(|block| &block.terminator) {
        Some(Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        }) => matches!(config.policies.get(callee), Some(CallPolicy::Native(_))),
        _ => false,
    }
}
