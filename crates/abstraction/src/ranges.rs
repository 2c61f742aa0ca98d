//! Candidates about all elements of arrays on one side of a bound: `k < i` implies `a[k] == 7`.
//!
//! | Template | Over |
//! |:--|:--|
//! | `k < x` implies `p`, `x <= k` implies `p` | locations and constants `x`, and facts `p` of an element |
//! | `p`: `a[k]` one of few values, its sign, its bounds | each element |
//! | `p`: `a[k] == y`, `a[k] <= y`, `y <= a[k]` | each element and another location |
//! | `p`: `a[k] == k + c` | each element |

use expr::{BvOp, CmpOp, Term, to_signed};

use crate::candidates::{Pool, Variable, values};
use crate::locations::INDEX_WIDTH;
use crate::samples::Sample;

/// How many bounds of ranges there are.
const BOUNDS: usize = 10;

impl Pool<'_> {
    /// Candidates about all elements on one side of a bound. `k` is the index of the elements among
    /// the variables.
    pub fn of_ranges(&mut self, k: Variable, variables: &[Variable], samples: &[Sample]) {
        let elements = variables.iter().filter(|it| it.is_element);
        let elements: Vec<Variable> = elements.copied().collect();
        if elements.is_empty() {
            return;
        }
        for (bound, values) in self.range_bounds(variables, samples) {
            for is_below in [true, false] {
                let in_range: Vec<Sample> = samples
                    .iter()
                    .zip(&values)
                    .filter(|(sample, value)| {
                        let at = sample.get(&k.var);
                        at.zip(value.as_ref())
                            .is_some_and(|(at, value)| (at < value) == is_below)
                    })
                    .map(|(sample, _)| sample.clone())
                    .collect();
                if in_range.is_empty() {
                    continue;
                }
                let is_less = self.terms.compare(CmpOp::Ult, k.term, bound);
                let is_outside = match is_below {
                    true => self.terms.bool_not(is_less),
                    false => is_less,
                };
                let before = std::mem::take(&mut self.found);
                for &element in &elements {
                    self.of_element(element, k, variables, &in_range);
                }
                let facts = std::mem::replace(&mut self.found, before);
                for fact in facts {
                    let implied = self.terms.bool_or(is_outside, fact);
                    self.found.push(implied);
                }
            }
        }
    }

    /// Bounds of ranges, each with its value in each sample.
    fn range_bounds(
        &mut self,
        variables: &[Variable],
        samples: &[Sample],
    ) -> Vec<(Term, Vec<Option<u128>>)> {
        let counters = variables.iter().filter(|it| !it.is_element);
        let counters = counters.filter(|it| matches!(it.width, 32 | INDEX_WIDTH));
        let mut found = Vec::new();
        for x in counters.take(BOUNDS) {
            let bound = self.terms.sign_extend(INDEX_WIDTH, x.term);
            let of = |sample: &Sample| {
                let value = sample.get(&x.var)?;
                Some(to_signed(x.width, *value) as u128 & expr::mask(INDEX_WIDTH))
            };
            found.push((bound, samples.iter().map(of).collect()));
        }
        for constant in self.constants.array_lengths() {
            let bound = self.terms.constant(INDEX_WIDTH, constant);
            found.push((bound, samples.iter().map(|_| Some(constant)).collect()));
        }
        found
    }

    /// Facts of an element that hold in some samples.
    fn of_element(
        &mut self,
        element: Variable,
        k: Variable,
        variables: &[Variable],
        samples: &[Sample],
    ) {
        let of = values(samples, element);
        self.of_one_case(element, &of);
        self.bounds(element, &of, CmpOp::Sle, |value| {
            to_signed(element.width, value)
        });
        let others = variables
            .iter()
            .filter(|y| y.width == element.width && y.var != element.var);
        for y in others.take(BOUNDS) {
            let facts = [
                self.terms.eq(element.term, y.term),
                self.terms.compare(CmpOp::Sle, element.term, y.term),
                self.terms.compare(CmpOp::Sle, y.term, element.term),
            ];
            self.found.extend(facts);
        }
        if element.width > INDEX_WIDTH {
            return;
        }
        let index = self.terms.extract(element.width - 1, 0, k.term);
        let first = samples.iter().find_map(|sample| {
            let (value, at) = (sample.get(&element.var)?, sample.get(&k.var)?);
            Some(value.wrapping_sub(*at) & expr::mask(element.width))
        });
        if let Some(offset) = first {
            let offset = self.constant(element, offset);
            let sum = self.terms.binary(BvOp::Add, index, offset);
            let follows = self.terms.eq(element.term, sum);
            self.found.push(follows);
        }
    }
}
