//! Candidates about any two elements of an array: that it is sorted, or that all elements differ.
//!
//! | Template | Over |
//! |:--|:--|
//! | `k < l` implies `p` | facts `p` of two elements |
//! | `k < l`, `l < x` implies `p`; `k < l`, `x <= k` implies `p` | bounds `x`, as in [`crate::invariants::ranges`] |
//! | `k < x`, `x <= l` implies `p` | them |
//! | `k < l`, `x <= k`, `l < y` implies `p` | two of them |
//! | `k < l`, `l < x`, `b == v` implies `p` | bounds, and locations `b` with few values |
//! | `k < l`, `l <= x`, neither is `y` implies `p` | locations `x` and `y` that elements are read at |
//! | `k == x`, `y <= l`, `l < z` implies `p` | counters `x`, bounds `y` and `z` or none |
//! | `p`: `a[k] <= a[l]`, `a[l] <= a[k]`, `a[k] < a[l]`, `a[l] < a[k]`, `a[k] != a[l]` | arrays of which elements are compared |
//!
//! The last is about the smallest or largest element so far, which code knows by its index; the one
//! before about arrays in which a place is free for an element, as when it is inserted.

use expr::{CmpOp, Term, to_signed};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{Known, Pool, Variable, holding, values};
use crate::objects::locations::INDEX_WIDTH;

/// How many such candidates there are at a cut.
const MOST: usize = 60;

/// How many more sampled states a part has at least if what holds there holds not by chance.
const MORE: usize = 12;

/// How many bounds there are.
const BOUNDS: usize = 8;

/// How many counters.
const COUNTERS: usize = 5;

/// How many locations tell cases apart.
const CASED: usize = 4;

/// The elements of an array at two indices.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The element at the index.
    pub first: Variable,
    /// That at the second index.
    pub second: Variable,
}

/// Some states and indices.
#[derive(Clone)]
struct Part {
    /// Whether a state and two indices are none of them.
    is_outside: Term,
    samples: Vec<Sample>,
}

/// A value in each sample, where it is known.
type Value<'a> = Box<dyn Fn(&Sample) -> Option<u128> + 'a>;

/// A number that indices are compared with: a term of [`INDEX_WIDTH`] bits, and its value in each
/// sample.
struct Bound<'a> {
    term: Term,
    value: Value<'a>,
}

/// A relation of an index to a bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    From,
}

/// What candidates about two elements are made of.
struct Elements<'a> {
    k: Variable,
    l: Variable,
    pairs: &'a [Pair],
    /// All states and indices.
    everywhere: Part,
    /// Those where the first index is below the second.
    ordered: Part,
}

impl Pool<'_> {
    /// Candidates about two elements of an array, at the indices `k` and `l`.
    pub fn of_pairs(&mut self, (k, l): (Variable, Variable), known: &Known<'_>) {
        let variables = known.plain();
        let of_arrays = known.pairs.iter().filter(|it| it.first.node.is_none());
        let of_arrays: Vec<Pair> = of_arrays.copied().collect();
        if of_arrays.is_empty() {
            return;
        }
        let before = self.found.len();
        let everywhere = Part {
            is_outside: self.terms.bool(false),
            samples: known.samples.to_vec(),
        };
        let of = Elements {
            k,
            l,
            pairs: &of_arrays,
            ordered: self.ordered(&everywhere, k, l),
            everywhere,
        };
        self.of_part_of_pairs(&of.ordered, &[], of.pairs);
        let mut indices = counters(&variables, known);
        let bounds = self.bounds_of_pairs(&indices);
        indices.retain(|it| known.indices.contains(&it.var));
        let is_told = |it: &&Variable| !it.is_element && !known.indices.contains(&it.var);
        let others: Vec<Variable> = variables.iter().filter(is_told).copied().collect();
        self.up_to_bounds(&of, &bounds);
        self.but_free_places(&of, &indices);
        self.in_cases(&of, &bounds, &others);
        self.of_extremes(&of, &bounds, &indices);
        self.between_bounds(&of, &bounds);
        self.found.truncate(before + MOST);
    }

    /// Facts below each bound, from it on, and across it.
    fn up_to_bounds(&mut self, of: &Elements<'_>, bounds: &[Bound<'_>]) {
        for bound in bounds {
            let below = self.on_side(&of.ordered, of.l, Side::Below, bound);
            self.of_part_of_pairs(&below, &[&of.ordered], of.pairs);
            if self.terms.as_constant(bound.term).is_some() {
                continue;
            }
            let from = self.on_side(&of.ordered, of.k, Side::From, bound);
            let split = self.on_side(&of.everywhere, of.k, Side::Below, bound);
            let split = self.on_side(&split, of.l, Side::From, bound);
            for part in [&from, &split] {
                self.of_part_of_pairs(part, &[&of.ordered], of.pairs);
            }
        }
    }

    /// Facts of the elements up to one, but for one of them.
    fn but_free_places(&mut self, of: &Elements<'_>, indices: &[Variable]) {
        for &last in indices {
            for &free in indices.iter().filter(|it| it.var != last.var) {
                let part = self.but_one(&of.ordered, (of.k, of.l), last, free);
                self.of_part_of_pairs(&part, &[&of.ordered], of.pairs);
            }
        }
    }

    /// Facts below each bound that is no constant, while a location is 0 or is not.
    fn in_cases(&mut self, of: &Elements<'_>, bounds: &[Bound<'_>], others: &[Variable]) {
        for bound in bounds {
            if self.terms.as_constant(bound.term).is_some() {
                continue;
            }
            let below = self.on_side(&of.ordered, of.l, Side::Below, bound);
            for case in self.cases_of_pairs(&below, others, &of.everywhere.samples) {
                self.of_part_of_pairs(&case, &[&below], of.pairs);
            }
        }
    }

    /// Facts between two bounds.
    fn between_bounds(&mut self, of: &Elements<'_>, bounds: &[Bound<'_>]) {
        for start in bounds {
            let from = self.on_side(&of.ordered, of.k, Side::From, start);
            for end in bounds.iter().filter(|end| end.term != start.term) {
                let below = self.on_side(&of.ordered, of.l, Side::Below, end);
                let window = self.on_side(&from, of.l, Side::Below, end);
                self.of_sampled_pairs(&window, &[&below, &from], of.pairs);
            }
        }
    }

    /// Where the second index is at most that in one location, and neither is that in another.
    fn but_one(
        &mut self,
        part: &Part,
        (k, l): (Variable, Variable),
        last: Variable,
        free: Variable,
    ) -> Part {
        let [last_at, free_at] =
            [last, free].map(|it| self.terms.sign_extend(INDEX_WIDTH, it.term));
        let is_behind = self.terms.compare(CmpOp::Ult, last_at, l.term);
        let is_inside = self.terms.bool_not(is_behind);
        let is_free = [k, l].map(|it| self.terms.eq(it.term, free_at));
        let is_free = self.terms.bool_or(is_free[0], is_free[1]);
        let is_taken = self.terms.bool_not(is_free);
        let condition = self.terms.bool_and(is_inside, is_taken);
        self.within(part, condition, |sample| {
            let index = |at: Variable| Some(extended(at, *sample.get(&at.var)?));
            let holds = || {
                let (k, l, free) = (index(k)?, index(l)?, index(free)?);
                Some(l <= index(last)? && k != free && l != free)
            };
            holds() == Some(true)
        })
    }

    /// Facts of the element at the index that a counter has, and others.
    fn of_extremes(&mut self, of: &Elements<'_>, bounds: &[Bound<'_>], indices: &[Variable]) {
        let Elements { k, l, pairs, .. } = *of;
        let samples = &of.everywhere.samples;
        for &at in indices {
            let counter = self.terms.sign_extend(INDEX_WIDTH, at.term);
            let is_at = self.terms.eq(k.term, counter);
            let is_there = |sample: &&Sample| {
                let (index, here) = (sample.get(&k.var), sample.get(&at.var));
                index
                    .zip(here)
                    .is_some_and(|(&index, &here)| index == extended(at, here))
            };
            let there = Part {
                is_outside: self.terms.bool_not(is_at),
                samples: samples.iter().filter(is_there).cloned().collect(),
            };
            for bound in bounds {
                let below = self.on_side(&there, l, Side::Below, bound);
                self.of_sampled_pairs(&below, &[&there], pairs);
                let from = self.on_side(&there, l, Side::From, bound);
                self.of_sampled_pairs(&from, &[&there], pairs);
                for end in bounds.iter().filter(|end| end.term != bound.term) {
                    let below = self.on_side(&there, l, Side::Below, end);
                    let window = self.on_side(&from, l, Side::Below, end);
                    self.of_sampled_pairs(&window, &[&below, &from], pairs);
                }
            }
        }
    }

    /// Bounds of indices: counters, what is behind limits, and lengths of arrays.
    fn bounds_of_pairs<'a>(&mut self, counters: &[Variable]) -> Vec<Bound<'a>> {
        let mut found: Vec<Bound<'a>> = Vec::new();
        for &x in counters {
            let term = self.terms.sign_extend(INDEX_WIDTH, x.term);
            let value = move |sample: &Sample| Some(extended(x, *sample.get(&x.var)?));
            if self.constants.is_limit(x.term) {
                let one = self.terms.constant(INDEX_WIDTH, 1);
                found.push(Bound {
                    term: self.terms.binary(expr::BvOp::Add, term, one),
                    value: Box::new(move |sample| {
                        Some(value(sample)?.wrapping_add(1) & expr::mask(INDEX_WIDTH))
                    }),
                });
            }
            found.push(Bound {
                term,
                value: Box::new(value),
            });
        }
        for length in self.constants.array_lengths() {
            found.push(Bound {
                term: self.terms.constant(INDEX_WIDTH, length),
                value: Box::new(move |_| Some(length)),
            });
        }
        found.truncate(BOUNDS);
        found
    }

    /// Where the first index is below the second.
    fn ordered(&mut self, part: &Part, k: Variable, l: Variable) -> Part {
        let is_ordered = self.terms.compare(CmpOp::Ult, k.term, l.term);
        self.within(part, is_ordered, |sample| {
            let both = sample.get(&k.var).zip(sample.get(&l.var));
            both.is_some_and(|(k, l)| k < l)
        })
    }

    /// Where an index is on one side of a bound.
    fn on_side(&mut self, part: &Part, index: Variable, side: Side, bound: &Bound<'_>) -> Part {
        let is_below = self.terms.compare(CmpOp::Ult, index.term, bound.term);
        let condition = match side {
            Side::Below => is_below,
            Side::From => self.terms.bool_not(is_below),
        };
        self.within(part, condition, |sample| {
            let both = sample.get(&index.var).zip((bound.value)(sample));
            both.is_some_and(|(&at, bound)| (at < bound) == (side == Side::Below))
        })
    }

    fn within(&mut self, part: &Part, condition: Term, holds: impl Fn(&Sample) -> bool) -> Part {
        let otherwise = self.terms.bool_not(condition);
        let samples = part.samples.iter().filter(|it| holds(it));
        Part {
            is_outside: self.terms.bool_or(part.is_outside, otherwise),
            samples: samples.cloned().collect(),
        }
    }

    /// The cases of locations that are 0 or not, as flags and counts of changes are.
    fn cases_of_pairs(
        &mut self,
        part: &Part,
        variables: &[Variable],
        samples: &[Sample],
    ) -> Vec<Part> {
        let mut found = Vec::new();
        let told = variables.iter().map(|&b| (b, values(samples, b)));
        let told = told.filter(|(_, values)| values.len() >= 2 && values.contains(&0));
        for (b, values) in told.take(CASED) {
            let is_zero = self.equals(b, 0);
            found.push(self.within(part, is_zero, |it| it.get(&b.var) == Some(&0)));
            if values.len() == 2 {
                let is_other = self.terms.bool_not(is_zero);
                found.push(self.within(part, is_other, |it| it.get(&b.var) != Some(&0)));
            }
        }
        found
    }

    /// The same, if there are sampled states in the part.
    fn of_sampled_pairs(&mut self, part: &Part, larger: &[&Part], pairs: &[Pair]) {
        if !part.samples.is_empty() {
            self.of_part_of_pairs(part, larger, pairs);
        }
    }

    /// Facts of two elements, but for those that hold in a larger part with many more sampled states.
    fn of_part_of_pairs(&mut self, part: &Part, larger: &[&Part], pairs: &[Pair]) {
        let mut facts = Vec::new();
        for &Pair { first, second } in pairs {
            let order = first.order();
            let [up, down] = [(first, second), (second, first)]
                .map(|(a, b)| self.terms.compare(order, a.term, b.term));
            let equal = self.terms.eq(first.term, second.term);
            let others = [up, down, equal].map(|it| self.terms.bool_not(it));
            facts.extend([up, down]);
            if !part.samples.is_empty() {
                facts.extend(others);
            }
        }
        let mut facts = holding(self.terms, facts, &part.samples);
        // Few sampled states have elements in order by chance.
        let enough = part.samples.len() + MORE;
        for larger in larger.iter().filter(|it| it.samples.len() >= enough) {
            let known = holding(self.terms, facts.clone(), &larger.samples);
            facts.retain(|fact| !known.contains(fact));
        }
        for fact in facts {
            let implied = self.terms.bool_or(part.is_outside, fact);
            self.found.push(implied);
        }
    }
}

/// The locations that elements are read at, or that such ones are compared with.
fn counters(variables: &[Variable], known: &Known<'_>) -> Vec<Variable> {
    let plain = variables.iter().filter(|it| !it.is_element);
    let counters = plain.filter(|it| {
        let is_index = known.indices.contains(&it.var);
        let is_end = known.constants.is_end(it.term) || known.constants.is_limit(it.term);
        matches!(it.width, 32 | INDEX_WIDTH) && (is_index || is_end)
    });
    let mut counters: Vec<Variable> = counters.copied().collect();
    counters.sort_by_key(|it| !known.indices.contains(&it.var));
    counters.truncate(COUNTERS);
    counters
}

/// A value as an index.
fn extended(variable: Variable, value: u128) -> u128 {
    to_signed(variable.width, value) as u128 & expr::mask(INDEX_WIDTH)
}
