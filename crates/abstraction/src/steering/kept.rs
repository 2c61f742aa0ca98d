//! The states that executions of the formulas came to and that are unlike others, to begin new
//! executions at.
//!
//! A state is unlike others if no other one is in its cube of predicates, or if it has a value of some
//! location that no other one has: a counter that goes one step further counts, although no predicate
//! tells it. The states that fewest executions began at come first, the later ones of these before.

use expr::Var;
use fastrand::Rng;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::formulas::execution::{Running, Sample};
use crate::formulas::script::StepId;
use crate::graph::cuts::CutId;

/// How many states are kept, and how many values each of them may hold.
const MOST: usize = 2_000;
const MOST_VALUES: usize = 400;

/// How many values of a location are told apart.
const TOLD_APART: usize = 32;

/// Of how many states that are drawn the one is taken that fewest executions began at.
const DRAWN: usize = 4;

/// A state at a cut, with the steps that led there.
#[derive(Clone)]
pub struct Reached {
    pub cut: CutId,
    pub state: Running,
    pub last: Option<StepId>,
}

/// A state, and how many executions began there.
struct KeptState {
    reached: Reached,
    begun: u32,
}

/// See the module.
#[derive(Default)]
pub struct Kept {
    states: Vec<KeptState>,
    cubes: FxHashSet<(CutId, FixedBitSet)>,
    /// The first values of each location at each cut.
    values: FxHashMap<(CutId, Var), FxHashSet<u128>>,
}

impl Kept {
    /// Keeps a state, which is in a cube of predicates, if it is unlike others. Returns whether it
    /// is.
    pub fn keep(&mut self, reached: &Reached, cube: FixedBitSet, rng: &mut Rng) -> bool {
        let is_cube_new = self.cubes.insert((reached.cut, cube));
        let is_value_new = self.note_values(reached.cut, &reached.state.locations);
        let is_new = is_cube_new || is_value_new;
        if is_new && reached.state.len() < MOST_VALUES {
            let kept = KeptState {
                reached: reached.clone(),
                begun: 0,
            };
            if self.states.len() < MOST {
                self.states.push(kept);
            } else if let Some(at) = self.most_begun(rng) {
                self.states[at] = kept;
            }
        }
        is_new
    }

    /// The states at a cut.
    pub fn at(&self, cut: CutId) -> impl Iterator<Item = &Running> {
        let all = self.states.iter().map(|kept| &kept.reached);
        all.filter(move |it| it.cut == cut).map(|it| &it.state)
    }

    /// A state to begin an execution at.
    pub fn any(&mut self, rng: &mut Rng) -> Option<Reached> {
        let drawn = self.drawn(rng).into_iter();
        let at = drawn.min_by_key(|&at| (self.states[at].begun, usize::MAX - at))?;
        let kept = &mut self.states[at];
        kept.begun += 1;
        Some(kept.reached.clone())
    }

    fn most_begun(&self, rng: &mut Rng) -> Option<usize> {
        let drawn = self.drawn(rng).into_iter();
        drawn.max_by_key(|&at| self.states[at].begun)
    }

    fn drawn(&self, rng: &mut Rng) -> Vec<usize> {
        let count = self.states.len();
        let drawn = (0..DRAWN).filter(|_| count > 0);
        drawn.map(|_| rng.usize(0..count)).collect()
    }

    /// Notes the values of a state at a cut. Returns whether one is new, of a location that has had
    /// few.
    fn note_values(&mut self, cut: CutId, state: &Sample) -> bool {
        let mut is_new = false;
        for (&var, &value) in state {
            let seen = self.values.entry((cut, var)).or_default();
            is_new |= seen.len() < TOLD_APART && seen.insert(value);
        }
        is_new
    }
}
