//! Random decisions, and what can be said of them by brute force over their inputs.

#![allow(dead_code)] // each test file uses a part of it

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fastrand::Rng;

/// How many decisions a function has.
pub const DECISIONS: usize = 4;

/// The inputs of a function: three numbers from 0 to 3.
pub fn inputs() -> impl Iterator<Item = [i32; 3]> {
    (0..64).map(|input| [input & 3, input >> 2 & 3, input >> 4])
}

/// A decision. Its conditions are numbered from left to right.
#[derive(Clone, Debug)]
pub enum Decision {
    Condition(Condition),
    Not(Box<Decision>),
    And(Box<Decision>, Box<Decision>),
    Or(Box<Decision>, Box<Decision>),
}

/// A comparison of an input.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    input: usize,
    /// Compared with another input, or with a number.
    other: Result<usize, i32>,
    is_less: bool,
}

/// The values of the conditions that an evaluation evaluates.
pub type Values = Vec<Option<bool>>;

impl Condition {
    fn holds(self, inputs: [i32; 3]) -> bool {
        let (one, other) = (
            inputs[self.input],
            self.other.map_or_else(|it| it, |at| inputs[at]),
        );
        if self.is_less {
            one < other
        } else {
            one == other
        }
    }

    /// The left side less the right one, of a relational condition.
    fn difference(self, inputs: [i32; 3]) -> Option<i32> {
        let other = self.other.map_or_else(|it| it, |at| inputs[at]);
        self.is_less.then_some(inputs[self.input] - other)
    }

    fn text(self) -> String {
        let other = self
            .other
            .map_or_else(|it| it.to_string(), |at| ["a", "b", "c"][at].to_owned());
        let sign = if self.is_less { "<" } else { "==" };
        format!("{} {sign} {other}", ["a", "b", "c"][self.input])
    }
}

impl Decision {
    /// A random decision with so many conditions.
    pub fn random(rng: &mut Rng, conditions: usize) -> Decision {
        if conditions == 1 {
            return Decision::Condition(Condition {
                input: rng.usize(..3),
                other: if rng.u8(..4) == 0 {
                    Ok(rng.usize(..3))
                } else {
                    Err(rng.i32(0..4))
                },
                is_less: rng.bool(),
            });
        }
        let on_left = rng.usize(1..conditions);
        let left = Box::new(Decision::random(rng, on_left));
        let right = Box::new(Decision::random(rng, conditions - on_left));
        let both = match rng.bool() {
            true => Decision::And(left, right),
            false => Decision::Or(left, right),
        };
        match rng.u8(..5) {
            0 => Decision::Not(Box::new(both)),
            _ => both,
        }
    }

    /// It as C.
    pub fn text(&self) -> String {
        match self {
            Decision::Condition(condition) => condition.text(),
            Decision::Not(inner) => format!("!({})", inner.text()),
            Decision::And(left, right) => format!("({} && {})", left.text(), right.text()),
            Decision::Or(left, right) => format!("({} || {})", left.text(), right.text()),
        }
    }

    /// How many conditions it has.
    pub fn conditions(&self) -> usize {
        match self {
            Decision::Condition(_) => 1,
            Decision::Not(inner) => inner.conditions(),
            Decision::And(left, right) | Decision::Or(left, right) => {
                left.conditions() + right.conditions()
            }
        }
    }

    /// Evaluates it, and records the values of the conditions, those that are not evaluated too.
    fn evaluate(&self, inputs: [i32; 3], is_evaluated: bool, values: &mut Values) -> bool {
        match self {
            Decision::Condition(condition) => {
                let value = condition.holds(inputs);
                values.push(is_evaluated.then_some(value));
                value
            }
            Decision::Not(inner) => !inner.evaluate(inputs, is_evaluated, values),
            Decision::And(left, right) => {
                let left = left.evaluate(inputs, is_evaluated, values);
                right.evaluate(inputs, is_evaluated && left, values) && left
            }
            Decision::Or(left, right) => {
                let left = left.evaluate(inputs, is_evaluated, values);
                right.evaluate(inputs, is_evaluated && !left, values) || left
            }
        }
    }

    /// Whether it is true.
    pub fn holds(&self, inputs: [i32; 3]) -> bool {
        self.evaluate(inputs, true, &mut Vec::new())
    }

    /// For each relational condition, from left to right, the difference of its sides if it is
    /// evaluated.
    pub fn differences(&self, inputs: [i32; 3]) -> Vec<Option<i32>> {
        let mut values = Vec::new();
        self.evaluate(inputs, true, &mut values);
        let mut conditions = Vec::new();
        self.list(&mut conditions);
        let both = conditions.into_iter().zip(values);
        let relational = both.filter(|(condition, _)| condition.is_less);
        relational
            .map(|(condition, value)| value.and_then(|_| condition.difference(inputs)))
            .collect()
    }

    fn list(&self, conditions: &mut Vec<Condition>) {
        match self {
            Decision::Condition(condition) => conditions.push(*condition),
            Decision::Not(inner) => inner.list(conditions),
            Decision::And(left, right) | Decision::Or(left, right) => {
                left.list(conditions);
                right.list(conditions);
            }
        }
    }

    /// The outcome with these values of all conditions.
    fn outcome(&self, values: &mut impl Iterator<Item = bool>) -> bool {
        match self {
            Decision::Condition(_) => values.next().expect("a value for each condition"),
            Decision::Not(inner) => !inner.outcome(values),
            Decision::And(left, right) => {
                let (left, right) = (left.outcome(values), right.outcome(values));
                left && right
            }
            Decision::Or(left, right) => {
                let (left, right) = (left.outcome(values), right.outcome(values));
                left || right
            }
        }
    }

    /// The evaluations that inputs lead to, with their outcomes.
    pub fn evaluations(&self) -> BTreeSet<(Values, bool)> {
        let all = inputs().map(|inputs| {
            let mut values = Vec::new();
            let outcome = self.evaluate(inputs, true, &mut values);
            (values, outcome)
        });
        all.collect()
    }

    /// Whether two evaluations show that a condition alone changes the outcome.
    pub fn has_unique_cause(&self, at: usize) -> bool {
        self.has_pair(at, |one, other| {
            let mut others = one.iter().zip(other).enumerate();
            others.all(|(other, pair)| match pair {
                (Some(one), Some(two)) => other == at || one == two,
                _ => true,
            })
        })
    }

    /// Whether two evaluations show it in each of which other conditions are masked.
    pub fn has_masking(&self, at: usize) -> bool {
        self.has_pair(at, |one, other| {
            self.decides(one, at) && self.decides(other, at)
        })
    }

    fn has_pair(&self, at: usize, shows: impl Fn(&Values, &Values) -> bool) -> bool {
        let all = self.evaluations();
        let with = |value: bool| {
            let all = all.iter();
            all.filter(move |(values, _)| values[at] == Some(value))
        };
        with(true).any(|(one, outcome)| {
            with(false).any(|(two, other)| outcome != other && shows(one, two))
        })
    }

    /// Whether some completion of an evaluation has another outcome with the other value of a
    /// condition, by trying all.
    fn decides(&self, values: &Values, at: usize) -> bool {
        let open: Vec<usize> = (0..values.len())
            .filter(|&at| values[at].is_none())
            .collect();
        (0..1_u32 << open.len()).any(|choice| {
            let value = |position: usize| match open.iter().position(|&it| it == position) {
                Some(bit) => choice >> bit & 1 == 1,
                None => values[position] == Some(true),
            };
            let with = |flipped: bool| {
                let all = (0..values.len()).map(|it| value(it) ^ (flipped && it == at));
                self.outcome(&mut all.collect::<Vec<_>>().into_iter())
            };
            with(false) != with(true)
        })
    }
}

/// A function `f` with some decisions, one in each line from the fifth.
pub fn function(decisions: &[Decision]) -> String {
    let mut text = String::from(
        "int f_precond(int a, int b, int c)\n{ return (a & ~3) == 0 & (b & ~3) == 0 & (c & ~3) == 0; }\nint f(int a, int b, int c)\n{ int r = 0;\n",
    );
    for (at, decision) in decisions.iter().enumerate() {
        let _ = writeln!(text, "    if ({}) r |= {};", decision.text(), 1 << at);
    }
    text += "    return r;\n}\n";
    text
}
