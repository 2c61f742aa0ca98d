//! Fuzzing of what functions without a body return, in the machine without terms.
//!
//! A program that runs an endless loop over such results (`switch (event())`) reaches some goals
//! only after many rounds. The path tree has a node for each choice of each round, and a flip costs
//! a query and an execution that builds terms. An execution of concrete values takes a hundredth of
//! that.
//!
//! ```text
//! repeat, while it is fuzzing's turn:                                           search/fuzz.rs
//!     state := the start, or a state that was kept                                   states.rs
//!     execute the inputs that led to it, and others behind them       attempt.rs, results.rs
//!     keep the states at jumps backwards that are unlike others
//!     if it reaches an open goal, or a new defect: a script for the search
//! ```
//!
//! This is greybox fuzzing with the states of loops as feedback (IJON: Aschermann and others, 2020;
//! Go-Explore: Ecoffet and others, 2021). No verdict rests on it: the search executes the scripts.

mod attempt;
mod frontier;
mod patterns;
mod results;
mod runs;
mod share;
mod states;

use std::sync::Arc;

use abstraction::Script;
use fastrand::Rng;
use ir::input::{InputSpace, InputValue, InputVector, Root};
use ir::{FunctionId, Program};
use rustc_hash::FxHashSet;

pub(crate) use self::attempt::{Attempt, Attempted};
pub(crate) use self::frontier::Frontier;
use self::patterns::Patterns;
use self::results::Results;
pub(crate) use self::share::FuzzShare;
use self::states::States;

/// How many inputs are kept of which parameters and globals are taken.
const MOST_BASES: usize = 8;

/// How many executions in a row come to no new state before fuzzing waits for other values.
const IDLE: u32 = 3_000;

/// How many results an attempt takes behind the state that it begins at: one of these.
const LENGTHS: [usize; 4] = [8, 32, 128, 512];

/// How many it takes where results come in runs.
const LENGTH_OF_RUNS: usize = 4_096;

/// How many results an attempt by a pattern takes at most.
const MOST_PATTERNED: usize = 1_000_000;

/// A result of a function without a body.
pub(crate) type Taken = (FunctionId, u64);

/// The inputs of an execution, but for results: where an attempt begins.
type Base = Arc<InputVector>;

/// See the module.
pub(crate) struct Fuzzer {
    rng: Rng,
    results: Results,
    patterns: Patterns,
    states: States,
    /// Inputs of executions that covered something new, without results.
    bases: Vec<Base>,
    /// Whether some execution took two results of one function.
    is_of_use: bool,
    /// How many executions came to no new state since the last one that did.
    idle: u32,
    /// The defects that were proposed.
    defects: FxHashSet<u64>,
}

/// A point to begin at.
#[derive(Clone)]
pub(crate) struct Beginning {
    pub base: Base,
    /// The results that lead there.
    pub results: Arc<[Taken]>,
}

impl Fuzzer {
    /// A fuzzer of a program that has found nothing yet.
    pub fn new(program: &Program, seed: u64) -> Fuzzer {
        let results = Results::new(program);
        Fuzzer {
            rng: Rng::with_seed(seed),
            states: States::new(results.constants()),
            results,
            patterns: Patterns::default(),
            bases: Vec::new(),
            is_of_use: false,
            idle: 0,
            defects: FxHashSet::default(),
        }
    }

    /// Learns from inputs that the solver found.
    pub fn learn(&mut self, space: &InputSpace, inputs: &InputVector) {
        for (&cell, &value) in &inputs.values {
            let object = space.cell_data(cell).object;
            if let Root::Result { function, .. } = space.object_data(object).root
                && self.results.learn(function, value)
            {
                self.idle = 0;
            }
        }
    }

    /// Finds out whether an execution took two results of one function.
    pub fn look_at_use(&mut self, space: &InputSpace, inputs: &InputVector) {
        let mut cells = inputs.values.keys();
        self.is_of_use = self.is_of_use
            || cells.any(|&cell| {
                let object = space.cell_data(cell).object;
                match space.object_data(object).root {
                    Root::Result { function, nth } => nth > 0 && self.results.is_number(function),
                    _ => false,
                }
            });
    }

    /// Has attempts begin with the inputs of an execution that covered something new.
    pub fn add_base(&mut self, space: &InputSpace, inputs: &InputVector) {
        let base = Arc::new(without_results(space, inputs));
        match self.bases.len() {
            MOST_BASES => self.bases[self.rng.usize(0..MOST_BASES)] = base,
            _ => self.bases.push(base),
        }
    }

    /// Notes a result that the solver found.
    pub fn add_result(&mut self, (function, value): Taken) {
        self.results.learn(function, InputValue::Bits(value.into()));
    }

    /// Whether it may find something.
    pub fn is_on(&self) -> bool {
        self.is_of_use && self.idle < IDLE
    }

    /// Whether patterns of results are left to try.
    pub fn has_patterns(&self) -> bool {
        self.is_of_use && self.patterns.is_on(&self.results)
    }

    /// An attempt whose results follow the next pattern.
    pub fn patterned(&mut self) -> (Base, Attempt<'_>) {
        let base = self.any_base();
        let patterned = self.patterns.next(&self.results);
        let beginning = Beginning {
            base,
            results: Arc::default(),
        };
        let (base, attempt) = self.begin(beginning, MOST_PATTERNED);
        (base, attempt.with_pattern(patterned))
    }

    /// Records whether an attempt by a pattern ended by itself.
    pub fn tried_pattern(&mut self, has_end: bool) {
        self.patterns.tried(has_end);
    }

    /// The same attempt again, with terms for the results that were new.
    pub fn again(&mut self, attempted: &Attempted) -> Attempt<'_> {
        let beginning = Beginning {
            base: Arc::clone(&attempted.base),
            results: attempted.taken.as_slice().into(),
        };
        let (_, attempt) = self.begin(beginning, 0);
        attempt.with_terms(attempted.begun)
    }

    /// An attempt with results that lead behind a state.
    pub fn follow(&mut self, beginning: Beginning) -> (Base, Attempt<'_>) {
        self.begin(beginning, LENGTHS[0])
    }

    /// The next attempt.
    pub fn attempt(&mut self) -> (Base, Attempt<'_>) {
        let has_runs = self.rng.u8(0..8) == 0;
        let length = match has_runs {
            true => LENGTH_OF_RUNS,
            false => LENGTHS[self.rng.usize(0..LENGTHS.len())],
        };
        let kept = match self.rng.u8(0..8) {
            0 => None,
            _ => self.states.any(&mut self.rng),
        };
        let beginning = kept.unwrap_or_else(|| Beginning {
            base: self.any_base(),
            results: Arc::default(),
        });
        let (base, attempt) = self.begin(beginning, length);
        match has_runs {
            true => (base, attempt.with_runs()),
            false => (base, attempt),
        }
    }

    fn any_base(&mut self) -> Base {
        match self.bases.len() {
            0 => Base::default(),
            count => Arc::clone(&self.bases[self.rng.usize(0..count)]),
        }
    }

    fn begin(&mut self, beginning: Beginning, length: usize) -> (Base, Attempt<'_>) {
        let base = Arc::clone(&beginning.base);
        let (results, states) = (&mut self.results, &mut self.states);
        let attempt = Attempt::new(beginning, length, (results, states, &mut self.rng));
        (base, attempt)
    }

    /// Records whether an attempt came to a new state.
    pub fn attempted(&mut self, is_new: bool) {
        self.idle = if is_new { 0 } else { self.idle + 1 };
    }

    /// Whether a defect was not proposed before.
    pub fn is_new_defect(&mut self, defect: u64) -> bool {
        self.defects.insert(defect)
    }
}

/// The inputs that are not results.
fn without_results(space: &InputSpace, inputs: &InputVector) -> InputVector {
    let mut base = inputs.clone();
    base.values.retain(|&cell, _| {
        let object = space.cell_data(cell).object;
        !matches!(space.object_data(object).root, Root::Result { .. })
    });
    base
}

/// The script of results and of what else an attempt began with.
pub(crate) fn script(results: &[Taken]) -> Script {
    let results = results.iter();
    Script {
        results: results
            .map(|&(function, value)| (function, u128::from(value)))
            .collect(),
        ..Script::default()
    }
}
