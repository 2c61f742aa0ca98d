//! States at each cut that executions of the formulas from the start on come to.

use expr::Model as Values;
use index_vec::IndexVec;
use rustc_hash::FxHashSet;

use crate::formulas::Formulas;
use crate::formulas::execution::Sample;
use crate::formulas::nodes::size;
use crate::graph::cuts::CutId;
use crate::implications::walker::{StateAt, Walker};
use crate::invariants::samples::evaluated_in;
use crate::prover::Progress;

/// How many states are kept at a cut.
const MOST: usize = 1_500;

/// The effort that executions may take in all, for each operator of the formulas and at most; and
/// without coming to a new state, if that is half of all.
const PER_OPERATOR: u64 = 2_000;
const MOST_EFFORT: u64 = 15_000_000;
const IDLE: u64 = 300_000;

/// Of how many states that are drawn the one is taken that fewest executions began at.
const DRAWN: usize = 4;

/// See the module.
pub struct Sampling {
    /// The states.
    pub states: IndexVec<CutId, Vec<Values>>,
    seen: IndexVec<CutId, FxHashSet<Sample>>,
    /// What executes.
    pub walker: Walker,
    /// The states in the order in which they were found.
    all: Vec<StateAt>,
    /// How many executions began at each of them.
    begun: Vec<u32>,
    effort: u64,
    /// How much it may be.
    limit: u64,
    /// The effort since the last state that was new.
    idle: u64,
}

impl Sampling {
    /// Begins with some states.
    pub fn new(
        formulas: &Formulas<'_>,
        states: IndexVec<CutId, Vec<Values>>,
        walker: Walker,
    ) -> Sampling {
        let terms = formulas.segments.iter().flat_map(evaluated_in);
        let size = size(&formulas.arena.terms, terms.collect());
        let seen = states.iter();
        let seen = seen.map(|states| states.iter().map(|it| it.iter().collect()).collect());
        Sampling {
            seen: seen.collect(),
            states,
            walker,
            all: Vec::new(),
            begun: Vec::new(),
            idle: 0,
            effort: 0,
            limit: MOST_EFFORT.min(size * PER_OPERATOR),
        }
    }

    /// Executes until few states are new.
    pub fn step(&mut self, formulas: &mut Formulas<'_>) -> Progress {
        while self.effort < self.limit && self.idle < IDLE.max(self.effort / 2) {
            if formulas.is_spent() {
                return Progress::Working;
            }
            let before = formulas.spent();
            let mut is_any_new = false;
            let found = match self.walker.any_below(2) {
                0 => self.walker.walk_from_start(formulas),
                _ => match self.least_begun() {
                    Some(at) => {
                        self.begun[at] += 1;
                        self.walker.walk_from(formulas, &self.all[at])
                    }
                    None => Vec::new(),
                },
            };
            for (cut, state) in found {
                is_any_new |= self.keep(cut, state);
            }
            let spent = formulas.spent() - before + 1;
            self.idle = if is_any_new { 0 } else { self.idle + spent };
            self.effort += spent;
        }
        Progress::Finished
    }

    /// One of the states that few executions began at.
    fn least_begun(&mut self) -> Option<usize> {
        let drawn: Vec<usize> = (0..DRAWN)
            .map(|_| self.walker.any_below(self.all.len()))
            .collect();
        let drawn = drawn.into_iter().filter(|&at| at < self.all.len());
        drawn.min_by_key(|&at| (self.begun[at], usize::MAX - at))
    }

    /// Keeps a state. Returns whether it was not known.
    fn keep(&mut self, cut: CutId, state: Values) -> bool {
        let is_new = self.states[cut].len() < MOST && self.seen[cut].insert(state.iter().collect());
        if is_new {
            self.states[cut].push(state.clone());
            self.all.push((cut, state));
            self.begun.push(0);
        }
        is_new
    }
}
