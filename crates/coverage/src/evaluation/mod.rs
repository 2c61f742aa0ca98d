//! How decisions are evaluated: the combinations of values that their conditions have.
//!
//! Conditions are evaluated from left to right, and those that cannot change the outcome any more
//! are not. So `(a || b) && c` has five combinations: `T - T`, `T - F`, `F T T`, `F T F`, `F F -`.

mod independence;
mod unfold;
mod walk;

pub use independence::Independence;
pub(crate) use unfold::unfold;
pub(crate) use walk::{End, Predecessors, Walk, predecessors};

use ir::{ConditionId, Formula};

/// The most conditions of a decision whose combinations are told apart.
const MOST_CONDITIONS: usize = 64;

/// The most combinations of a decision that are told apart.
const MOST_COMBINATIONS: u64 = 1024;

/// The values of those conditions of a decision that an evaluation evaluates, by their positions
/// from left to right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Combination {
    /// A bit for each condition that is evaluated.
    evaluated: u64,
    /// A bit for each condition that is evaluated and true.
    values: u64,
}

impl Combination {
    /// The combination with these conditions evaluated, and these true, as bits.
    pub fn from_bits(evaluated: u64, values: u64) -> Self {
        Combination { evaluated, values }
    }

    /// The value of the condition at a position, if it is evaluated.
    pub fn value(self, position: usize) -> Option<bool> {
        let bit = 1 << position;
        (self.evaluated & bit != 0).then_some(self.values & bit != 0)
    }

    /// The combination where one more condition has a value.
    #[must_use]
    fn with(self, position: usize, value: bool) -> Self {
        Combination {
            evaluated: self.evaluated | 1 << position,
            values: self.values | u64::from(value) << position,
        }
    }

    /// The conditions that both combinations evaluate, with different values, as bits.
    fn differences(self, other: Self) -> u64 {
        self.evaluated & other.evaluated & (self.values ^ other.values)
    }

    /// Its values in the order of the conditions, `-` for those that are not evaluated.
    pub fn text(self, conditions: usize) -> String {
        let values = (0..conditions).map(|position| match self.value(position) {
            Some(true) => "T",
            Some(false) => "F",
            None => "-",
        });
        values.collect::<Vec<_>>().join(" ")
    }
}

/// The combinations of a decision, each with its outcome, those with more true values on the left
/// first. `None` if there are too many to tell apart.
pub fn combinations(formula: &Formula) -> Option<Vec<(Combination, bool)>> {
    let conditions = formula.conditions();
    let (with_true, with_false) = count(formula);
    let is_few = conditions.len() <= MOST_CONDITIONS
        && with_true.saturating_add(with_false) <= MOST_COMBINATIONS;
    is_few.then(|| extend(formula, &conditions, Combination::default()))
}

/// How many combinations have a true outcome, and how many a false one.
fn count(formula: &Formula) -> (u64, u64) {
    let product = |a: u64, b: u64, c: u64| a.saturating_add(b.saturating_mul(c));
    match formula {
        Formula::Condition(_) => (1, 1),
        Formula::Constant(value) => (u64::from(*value), u64::from(!value)),
        Formula::Not(inner) => {
            let (with_true, with_false) = count(inner);
            (with_false, with_true)
        }
        Formula::And(left, right) => {
            let (left, right) = (count(left), count(right));
            (
                product(0, left.0, right.0),
                product(left.1, left.0, right.1),
            )
        }
        Formula::Or(left, right) => {
            let (left, right) = (count(left), count(right));
            (
                product(left.0, left.1, right.0),
                product(0, left.1, right.1),
            )
        }
    }
}

/// The ways to go on with an evaluation that comes to a formula.
fn extend(
    formula: &Formula,
    conditions: &[ConditionId],
    so_far: Combination,
) -> Vec<(Combination, bool)> {
    match formula {
        Formula::Condition(condition) => {
            let position = conditions.iter().position(|other| other == condition);
            let values = position.into_iter().flat_map(|position| {
                [true, false].map(|value| (so_far.with(position, value), value))
            });
            values.collect()
        }
        Formula::Constant(value) => vec![(so_far, *value)],
        Formula::Not(inner) => {
            let inner = extend(inner, conditions, so_far).into_iter();
            inner
                .map(|(combination, value)| (combination, !value))
                .collect()
        }
        Formula::And(left, right) => connective(left, right, false, conditions, so_far),
        Formula::Or(left, right) => connective(left, right, true, conditions, so_far),
    }
}

/// [`extend`] for a connective, whose left side settles it by being `settling`.
fn connective(
    left: &Formula,
    right: &Formula,
    settling: bool,
    conditions: &[ConditionId],
    so_far: Combination,
) -> Vec<(Combination, bool)> {
    let left = extend(left, conditions, so_far).into_iter();
    let both = left.flat_map(|(combination, value)| match value == settling {
        true => vec![(combination, value)],
        false => extend(right, conditions, combination),
    });
    both.collect()
}
