//! The states that executions came to and that are unlike others, to begin new ones at.
//!
//! A state is unlike others if a part of it has a value that it had in no other one, as long as the
//! part had few, or if the value is a constant of the program; or if the parts that have few values have them in a new combination. The former
//! are rare, the latter may be very many: they are kept apart. The states that fewest executions
//! began at come first, the later ones of these before.

use std::hash::{Hash, Hasher};

use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use vm::Part;

use super::Beginning;

/// How many states of each kind are kept, and how many results may lead to each of them.
const MOST: usize = 1_000;
const MOST_RESULTS: usize = 4_000;

/// How many values of a part are told apart.
const TOLD_APART: usize = 32;

/// Parts that have at most so many values are combined.
const COMBINED: usize = 8;

/// How many combinations are told apart.
const MOST_COMBINATIONS: usize = 1_000_000;

/// Of how many states that are drawn the one is taken that fewest executions began at.
const DRAWN: usize = 4;

/// What is new about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A value of some part.
    Value,
    /// The combination of values.
    Combination,
}

/// See the module.
pub(crate) struct States {
    /// The integer constants of the program.
    constants: FxHashSet<u64>,
    /// The values that parts had at each position in the code.
    values: FxHashMap<u32, PartValues>,
    combinations: FxHashSet<u64>,
    by_value: Kept,
    by_combination: Kept,
}

/// The values of parts at one position.
#[derive(Default)]
struct PartValues {
    parts: Vec<Values>,
    /// Where a part is in `parts`.
    places: FxHashMap<u64, usize>,
}

/// The first values of a part.
struct Values {
    place: u64,
    /// The last one that was looked for.
    last: Option<u64>,
    all: Vec<u64>,
}

impl PartValues {
    /// The values of a part, which most of the time is the same one of those that are shown.
    fn of(&mut self, nth: usize, place: u64) -> &mut Values {
        let at = match self.parts.get(nth) {
            Some(values) if values.place == place => nth,
            _ => *self.places.entry(place).or_insert_with(|| {
                self.parts.push(Values {
                    place,
                    last: None,
                    all: Vec::new(),
                });
                self.parts.len() - 1
            }),
        };
        &mut self.parts[at]
    }
}

impl Values {
    /// Notes a value. Returns whether it is new, and one of the first ones or a constant.
    fn is_new(&mut self, value: u64, constants: &FxHashSet<u64>) -> bool {
        if self.last == Some(value) {
            return false;
        }
        self.last = Some(value);
        let is_told = self.all.len() < TOLD_APART || constants.contains(&value);
        let is_new = is_told && !self.all.contains(&value);
        if is_new {
            self.all.push(value);
        }
        is_new
    }
}

/// States of one kind.
#[derive(Default)]
struct Kept {
    states: Vec<KeptState>,
}

/// A state, and how many executions began there.
struct KeptState {
    beginning: Beginning,
    begun: u32,
}

impl States {
    /// None are kept yet, of a program with these integer constants.
    pub fn new(constants: &[u64]) -> States {
        States {
            constants: constants.iter().copied().collect(),
            values: FxHashMap::default(),
            combinations: FxHashSet::default(),
            by_value: Kept::default(),
            by_combination: Kept::default(),
        }
    }

    /// Whether something about a state is new.
    pub fn news(&mut self, position: u32, parts: &[Part]) -> Option<Kind> {
        let known = self.values.entry(position).or_default();
        let mut is_value_new = false;
        let mut combination = FxHasher::default();
        position.hash(&mut combination);
        for (at, part) in parts.iter().enumerate() {
            let values = known.of(at, part.place);
            is_value_new |= values.is_new(part.value, &self.constants);
            if (2..=COMBINED).contains(&values.all.len()) {
                (part.place, part.value).hash(&mut combination);
            }
        }
        let has_room = self.combinations.len() < MOST_COMBINATIONS;
        let is_combination_new = has_room && self.combinations.insert(combination.finish());
        match (is_value_new, is_combination_new) {
            (true, _) => Some(Kind::Value),
            (false, true) => Some(Kind::Combination),
            (false, false) => None,
        }
    }

    /// Keeps a state.
    pub fn keep(&mut self, kind: Kind, beginning: Beginning, rng: &mut Rng) {
        if beginning.results.len() > MOST_RESULTS {
            return;
        }
        match kind {
            Kind::Value => self.by_value.keep(beginning, rng),
            Kind::Combination => self.by_combination.keep(beginning, rng),
        }
    }

    /// A state to begin at.
    pub fn any(&mut self, rng: &mut Rng) -> Option<Beginning> {
        let (first, second) = match rng.bool() {
            true => (&mut self.by_value, &mut self.by_combination),
            false => (&mut self.by_combination, &mut self.by_value),
        };
        first.any(rng).or_else(|| second.any(rng))
    }
}

impl Kept {
    fn keep(&mut self, beginning: Beginning, rng: &mut Rng) {
        let kept = KeptState {
            beginning,
            begun: 0,
        };
        if self.states.len() < MOST {
            self.states.push(kept);
        } else if let Some(at) = self.drawn(rng).max_by_key(|&at| self.states[at].begun) {
            self.states[at] = kept;
        }
    }

    fn any(&mut self, rng: &mut Rng) -> Option<Beginning> {
        let drawn = self.drawn(rng);
        let at = drawn.min_by_key(|&at| (self.states[at].begun, usize::MAX - at))?;
        let kept = &mut self.states[at];
        kept.begun += 1;
        Some(kept.beginning.clone())
    }

    fn drawn(&self, rng: &mut Rng) -> impl Iterator<Item = usize> + use<> {
        let count = self.states.len();
        let draws = if count > 0 { DRAWN } else { 0 };
        let drawn: Vec<usize> = (0..draws).map(|_| rng.usize(0..count)).collect();
        drawn.into_iter()
    }
}
