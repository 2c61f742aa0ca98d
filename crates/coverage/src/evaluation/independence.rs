//! Which pairs of combinations show that a condition affects its decision independently (MC/DC).

use ir::{ConditionId, Formula};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Combination, combinations};

/// What shows that a condition affects the outcome of its decision independently.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Independence {
    /// Two evaluations with different outcomes, in which no other condition has different values. A
    /// condition that one of them does not evaluate may have any.
    UniqueCause,
    /// Two evaluations with different outcomes, in each of which the condition alone could change the
    /// outcome: the values of the others are masked.
    Masking,
}

/// Two combinations that show the independence of a condition, the one where it is true first.
pub type Pair = (Combination, Combination);

impl Independence {
    /// The side of a goal that asks for it.
    pub fn side(self) -> &'static str {
        match self {
            Independence::UniqueCause => "independent",
            Independence::Masking => "independent by masking",
        }
    }

    /// The pairs of combinations that show it for the condition at a position, of those that a
    /// decision can have. `None` if there are too many to tell apart.
    pub fn pairs(self, formula: &Formula, position: usize) -> Option<Vec<Pair>> {
        let all = combinations(formula)?;
        let conditions = formula.conditions();
        let with = |wanted: bool| {
            let all = all.iter();
            all.filter(move |(combination, _)| combination.value(position) == Some(wanted))
        };
        let mut pairs = Vec::new();
        for (on_true, true_outcome) in with(true) {
            for (on_false, false_outcome) in with(false) {
                let shows = true_outcome != false_outcome
                    && match self {
                        Independence::UniqueCause => {
                            on_true.differences(*on_false) == 1 << position
                        }
                        Independence::Masking => [on_true, on_false]
                            .iter()
                            .all(|it| it.depends_on(position, formula, &conditions)),
                    };
                if shows {
                    pairs.push((*on_true, *on_false));
                }
            }
        }
        Some(pairs)
    }
}

impl Combination {
    /// Whether the outcome could be another one if the condition at a position had its other value,
    /// and all others that are evaluated the same.
    fn depends_on(self, position: usize, formula: &Formula, conditions: &[ConditionId]) -> bool {
        let changed = Combination {
            values: self.values ^ 1 << position,
            ..self
        };
        let before = self.outcomes(formula, conditions);
        let after = changed.outcomes(formula, conditions);
        (before.may_be_true && after.may_be_false) || (before.may_be_false && after.may_be_true)
    }

    /// The outcomes of a formula, each of whose conditions it has once, where those that are not
    /// evaluated may have any value.
    fn outcomes(self, formula: &Formula, conditions: &[ConditionId]) -> Outcomes {
        match formula {
            Formula::Condition(condition) => {
                let position = conditions.iter().position(|other| other == condition);
                let value = position.and_then(|position| self.value(position));
                Outcomes {
                    may_be_true: value != Some(false),
                    may_be_false: value != Some(true),
                }
            }
            Formula::Constant(value) => Outcomes {
                may_be_true: *value,
                may_be_false: !value,
            },
            Formula::Not(inner) => {
                let inner = self.outcomes(inner, conditions);
                Outcomes {
                    may_be_true: inner.may_be_false,
                    may_be_false: inner.may_be_true,
                }
            }
            Formula::And(left, right) => {
                let left = self.outcomes(left, conditions);
                let right = self.outcomes(right, conditions);
                Outcomes {
                    may_be_true: left.may_be_true && right.may_be_true,
                    may_be_false: left.may_be_false || right.may_be_false,
                }
            }
            Formula::Or(left, right) => {
                let left = self.outcomes(left, conditions);
                let right = self.outcomes(right, conditions);
                Outcomes {
                    may_be_true: left.may_be_true || right.may_be_true,
                    may_be_false: left.may_be_false && right.may_be_false,
                }
            }
        }
    }
}

/// The outcomes that a formula may have.
#[derive(Clone, Copy, Debug)]
struct Outcomes {
    may_be_true: bool,
    may_be_false: bool,
}
