//! Candidates about some of the elements on one side of a bound: `k < i` and `k % 2 == 0` implies
//! `a[k] == 7`.
//!
//! | Template | Over |
//! |:--|:--|
//! | `k < x`, `k % m == c` implies `p` | counters that rise by `m` |
//! | `k < x`, `b == v` implies `p` | locations `b` with few values |
//! | `k < x`, `a[k] == v` implies `p` | elements, constants that the program compares with |
//! | `k < x` implies `p` | `x` below which no sampled state has an element |
//! | `p`: `a[k]` one of few values, its sign | each element |
//! | `p`: `a[k] == b[k]`, `a[k] <= b[k]`, `b[k] <= a[k]` | pairs of elements |
//! | `p`: `a[k] == y`, `a[k] != y` | each element and another location |
//!
//! A flag that says whether all elements so far satisfy a condition is told by the second, a loop
//! that treats every other element by the first.

use expr::{BvOp, CmpOp, Term, Var, mask, signed_min};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{CASES, Pool, Variable, holding, values};
use crate::objects::locations::INDEX_WIDTH;

/// How many such candidates there are at a cut.
const MOST: usize = 150;

/// How many constants such elements are below.
const LENGTHS: usize = 3;

/// How many values of an element are told apart.
const MOST_VALUES: usize = 4;

/// How many residues are told apart.
const MOST_RESIDUES: u128 = 4;

/// How many values a counter has that is known to rise by more than one.
const LEAST_VALUES: usize = 3;

/// How many locations elements are compared with that are no elements.
const COMPARED: usize = 4;

/// Some of the elements, in some of the states.
#[derive(Clone)]
struct Part {
    /// Whether the element at the index is none of them.
    is_outside: Term,
    samples: Vec<Sample>,
    /// The location whose value says which states these are.
    of: Option<Var>,
}

impl Pool<'_> {
    /// Candidates about parts of the elements on one side of a bound.
    pub fn of_parts_of_ranges(&mut self, k: Variable, variables: &[Variable], samples: &[Sample]) {
        let elements = variables.iter().filter(|it| it.is_element);
        let elements: Vec<Variable> = elements.copied().collect();
        if elements.is_empty() {
            return;
        }
        let strides = self.strides(variables, samples);
        let before = self.found.len();
        let bounds = self.range_bounds(variables, samples);
        let (constants, counters): (Vec<_>, Vec<_>) = bounds
            .into_iter()
            .partition(|(bound, _)| self.terms.as_constant(*bound).is_some());
        for (bound, of_bound) in counters
            .into_iter()
            .chain(constants.into_iter().take(LENGTHS))
        {
            let is_less = self.terms.compare(CmpOp::Ult, k.term, bound);
            let in_range = samples.iter().zip(&of_bound).filter(|(sample, bound)| {
                let at = sample.get(&k.var);
                at.zip(bound.as_ref()).is_some_and(|(at, bound)| at < bound)
            });
            let range = Part {
                is_outside: self.terms.bool_not(is_less),
                samples: in_range.map(|(sample, _)| sample.clone()).collect(),
                of: None,
            };
            if range.samples.is_empty() {
                self.of_part(&range, &[], &elements, variables);
                continue;
            }
            let mut parts: Vec<(Part, Vec<Part>)> = Vec::new();
            for case in self.cases(&range, variables, samples) {
                parts.push((case, vec![range.clone()]));
            }
            for &(modulus, residue) in &strides {
                let part = self.at_residue(&range, k, (modulus, residue));
                for case in self.cases(&part, variables, samples) {
                    parts.push((case, vec![range.clone(), part.clone()]));
                }
                parts.push((part, vec![range.clone()]));
            }
            for (part, larger) in parts {
                self.of_part(&part, &larger, &elements, variables);
            }
        }
        self.found.truncate(before + MOST);
    }

    /// Residues that are told apart, by moduli by which counters rise.
    fn strides(&self, variables: &[Variable], samples: &[Sample]) -> Vec<(u128, u128)> {
        let counters = variables.iter().filter(|it| !it.is_element);
        let counters = counters.filter(|it| matches!(it.width, 32 | INDEX_WIDTH));
        let mut found = Vec::new();
        for &x in counters {
            let values = values(samples, x);
            if values.len() < LEAST_VALUES {
                continue;
            }
            for modulus in self.constants.moduli(x.width) {
                let residue = values[0] % modulus;
                if values.iter().all(|value| value % modulus == residue) {
                    match modulus {
                        ..=MOST_RESIDUES => found.extend((0..modulus).map(|at| (modulus, at))),
                        _ => found.push((modulus, residue)),
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Those elements whose index has a residue.
    fn at_residue(&mut self, range: &Part, k: Variable, (modulus, residue): (u128, u128)) -> Part {
        let by = self.constant(k, modulus);
        let rest = self.terms.binary(BvOp::URem, k.term, by);
        let residue_term = self.constant(k, residue);
        let is_at = self.terms.eq(rest, residue_term);
        self.where_it_holds(range, is_at, None, |sample| {
            sample.get(&k.var).is_some_and(|at| at % modulus == residue)
        })
    }

    /// The cases of locations with few values, and of elements that equal a constant.
    fn cases(&mut self, range: &Part, variables: &[Variable], samples: &[Sample]) -> Vec<Part> {
        let mut found = Vec::new();
        for &x in variables {
            let all = values(samples, x);
            let told: Vec<u128> = if x.is_element {
                let known = |value: &u128| all.binary_search(value).is_ok();
                let (told, others): (Vec<u128>, Vec<u128>) =
                    self.compared(x).into_iter().partition(known);
                told.into_iter().chain(others).take(MOST_VALUES).collect()
            } else if (2..=CASES).contains(&all.len()) {
                all
            } else {
                continue;
            };
            for value in told {
                let is_case = self.equals(x, value);
                let of = Some(x.var);
                let part = self.where_it_holds(range, is_case, of, |sample| {
                    sample.get(&x.var) == Some(&value)
                });
                found.push(part);
            }
        }
        found
    }

    /// The constants that the program compares with, but for the extremes that checks are about.
    fn compared(&self, x: Variable) -> Vec<u128> {
        let extremes = [signed_min(x.width), mask(x.width) >> 1];
        let compared = self.constants.compared(x.width);
        compared.filter(|it| !extremes.contains(it)).collect()
    }

    fn where_it_holds(
        &mut self,
        range: &Part,
        condition: Term,
        of: Option<Var>,
        holds: impl Fn(&Sample) -> bool,
    ) -> Part {
        let otherwise = self.terms.bool_not(condition);
        let samples = range.samples.iter().filter(|it| holds(it));
        Part {
            is_outside: self.terms.bool_or(range.is_outside, otherwise),
            samples: samples.cloned().collect(),
            of,
        }
    }

    /// Candidates about a part, but for those that hold of a larger one.
    fn of_part(
        &mut self,
        part: &Part,
        larger: &[Part],
        elements: &[Variable],
        variables: &[Variable],
    ) {
        let before = std::mem::take(&mut self.found);
        for &element in elements.iter().filter(|it| Some(it.var) != part.of) {
            match values(&part.samples, element).as_slice() {
                &[only] => {
                    let equal = self.equals(element, only);
                    self.found.push(equal);
                }
                several => self.of_one_case(element, several),
            }
            if part.samples.is_empty() {
                for value in self.compared(element).into_iter().take(MOST_VALUES) {
                    let equal = self.equals(element, value);
                    self.found.push(equal);
                }
            }
            let same = variables.iter().filter(|y| y.width == element.width);
            let later = same.clone().filter(|y| y.is_element && y.var > element.var);
            let others = same.filter(|y| !y.is_element).take(COMPARED);
            for y in later.chain(others).filter(|y| Some(y.var) != part.of) {
                let equal = self.terms.eq(element.term, y.term);
                self.found.push(equal);
                if !y.is_element {
                    let differ = self.terms.bool_not(equal);
                    self.found.push(differ);
                } else if holding(self.terms, vec![equal], &part.samples).is_empty() {
                    let ordered = [
                        self.terms.compare(element.order(), element.term, y.term),
                        self.terms.compare(element.order(), y.term, element.term),
                    ];
                    self.found.extend(ordered);
                }
            }
        }
        let facts = std::mem::replace(&mut self.found, before);
        let facts = holding(self.terms, facts, &part.samples);
        let mut known = Vec::new();
        for larger in larger {
            known.extend(holding(self.terms, facts.clone(), &larger.samples));
        }
        for fact in facts.into_iter().filter(|fact| !known.contains(fact)) {
            let implied = self.terms.bool_or(part.is_outside, fact);
            self.found.push(implied);
        }
    }
}
