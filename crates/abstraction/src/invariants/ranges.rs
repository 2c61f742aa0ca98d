//! Candidates about all elements of arrays on one side of a bound: `k < i` implies `a[k] == 7`.
//!
//! | Template | Over |
//! |:--|:--|
//! | `k < x` implies `p`, `x <= k` implies `p` | locations and constants `x`, facts `p` of an element |
//! | `k <= x` implies `p`, `x < k` implies `p` | locations that something is greater than |
//! | `p`: `a[k]` one of few values, its sign, its bounds | each element |
//! | `p`: `a[k] == y`, `a[k] != y`, `a[k] <= y`, `y <= a[k]` | each element and another location |
//! | `p`: `a[k] % m == c` | each element |
//! | `p`: `b[k] == a[k] + c` | two elements |
//! | `p`: `a[k]` has one value for each `k % m` | each element, `m` that the program divides by |
//! | `p`: `a[k] == m*k + c`, `a[k] == m*k + y + c` | each element, and another location |

use std::collections::{BTreeMap, BTreeSet};

use expr::{BvOp, CmpOp, Term, to_signed};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{Pool, Variable, values};
use crate::objects::locations::INDEX_WIDTH;

/// How many remainders of indices are told apart.
const MOST_REMAINDERS: u128 = 4;

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
    pub fn range_bounds(
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
            let values: Vec<Option<u128>> = samples.iter().map(of).collect();
            if self.constants.is_limit(x.term) {
                let one = self.terms.constant(INDEX_WIDTH, 1);
                let behind = self.terms.binary(BvOp::Add, bound, one);
                let next = |value: u128| value.wrapping_add(1) & expr::mask(INDEX_WIDTH);
                let values = values.iter().map(|value| value.map(next)).collect();
                found.push((behind, values));
            }
            found.push((bound, values));
        }
        for constant in self.constants.array_lengths() {
            let bound = self.terms.constant(INDEX_WIDTH, constant);
            found.push((bound, samples.iter().map(|_| Some(constant)).collect()));
        }
        found
    }

    /// Facts of an element that hold in some samples.
    pub fn of_element(
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
            let equal = self.terms.eq(element.term, y.term);
            let facts = [
                equal,
                self.terms.bool_not(equal),
                self.terms.compare(element.order(), element.term, y.term),
                self.terms.compare(element.order(), y.term, element.term),
            ];
            let strictly = [facts[2], facts[3]].map(|it| self.terms.bool_not(it));
            self.found.extend(facts);
            self.found.extend(strictly);
        }
        let later = variables.iter().filter(|y| y.is_element);
        for &y in later.filter(|y| y.width == element.width && y.var > element.var) {
            self.distance(element, y, samples);
        }
        self.residues(element, &of);
        self.by_remainder(element, k, samples);
        if element.width <= INDEX_WIDTH {
            self.progression(element, k, None, samples);
            let others = variables
                .iter()
                .filter(|y| y.width == element.width && !y.is_element);
            for &y in others.take(BOUNDS) {
                self.progression(element, k, Some(y), samples);
            }
        }
    }

    /// That an element has one value for each remainder of its index, which are not all the same.
    fn by_remainder(&mut self, element: Variable, k: Variable, samples: &[Sample]) {
        let divisors = self.constants.divisors();
        let divisors: Vec<u128> = divisors.filter(|&it| it <= MOST_REMAINDERS).collect();
        for divisor in divisors {
            let mut of: BTreeMap<u128, BTreeSet<u128>> = BTreeMap::new();
            for sample in samples {
                if let (Some(at), Some(value)) = (sample.get(&k.var), sample.get(&element.var)) {
                    of.entry(at % divisor).or_default().insert(*value);
                }
            }
            let all: BTreeSet<u128> = of.values().flatten().copied().collect();
            let is_function = of.values().all(|values| values.len() == 1);
            if !is_function || of.len() as u128 != divisor || all.len() < 2 {
                continue;
            }
            let by = self.constant(k, divisor);
            let rest = self.terms.binary(BvOp::URem, k.term, by);
            let mut value = self.constant(element, 0);
            for (at, values) in of {
                let at = self.constant(k, at);
                let is_at = self.terms.eq(rest, at);
                let own = values.first().copied().unwrap_or(0);
                let own = self.constant(element, own);
                value = self.terms.ite(is_at, own, value);
            }
            let follows = self.terms.eq(element.term, value);
            self.found.push(follows);
        }
    }

    /// `b[k] == a[k] + c`, if that holds in all samples.
    fn distance(&mut self, a: Variable, b: Variable, samples: &[Sample]) {
        let mask = expr::mask(a.width);
        let distances = samples.iter().filter_map(|sample| {
            let (a, b) = (sample.get(&a.var)?, sample.get(&b.var)?);
            Some(b.wrapping_sub(*a) & mask)
        });
        let distances: BTreeSet<u128> = distances.collect();
        let mut distances = distances.into_iter();
        if let (Some(distance @ 1..), None) = (distances.next(), distances.next()) {
            let distance = self.constant(a, distance);
            let moved = self.terms.binary(BvOp::Add, a.term, distance);
            let follows = self.terms.eq(b.term, moved);
            self.found.push(follows);
        }
    }

    /// `a[k] == m*k + c` or `a[k] == m*k + y + c` through two samples.
    fn progression(
        &mut self,
        element: Variable,
        k: Variable,
        y: Option<Variable>,
        samples: &[Sample],
    ) {
        let width = element.width;
        let mask = expr::mask(width);
        let points = samples.iter().filter_map(|sample| {
            let start = match y {
                Some(y) => *sample.get(&y.var)?,
                None => 0,
            };
            let value = sample.get(&element.var)?.wrapping_sub(start) & mask;
            Some((*sample.get(&k.var)?, value))
        });
        let mut points: Vec<(u128, u128)> = points.collect();
        points.sort_unstable();
        points.dedup();
        let pairs = points.windows(2).filter(|pair| pair[0].0 != pair[1].0);
        let nearest = pairs.min_by_key(|pair| pair[1].0 - pair[0].0);
        let factor = nearest.and_then(|pair| {
            let by = i128::try_from(pair[1].0 - pair[0].0).ok()?;
            let rise = to_signed(width, pair[1].1.wrapping_sub(pair[0].1) & mask);
            (rise % by == 0).then_some((rise / by) as u128 & mask)
        });
        for factor in [factor, Some(1)].into_iter().flatten() {
            let Some(&(at, value)) = points.first() else {
                return;
            };
            let rest = value.wrapping_sub(factor.wrapping_mul(at)) & mask;
            let index = self.terms.extract(width - 1, 0, k.term);
            let factor = self.constant(element, factor);
            let rest = self.constant(element, rest);
            let mut sum = self.terms.binary(BvOp::Mul, factor, index);
            sum = self.terms.binary(BvOp::Add, sum, rest);
            if let Some(y) = y {
                sum = self.terms.binary(BvOp::Add, sum, y.term);
            }
            let follows = self.terms.eq(element.term, sum);
            self.found.push(follows);
        }
    }
}
