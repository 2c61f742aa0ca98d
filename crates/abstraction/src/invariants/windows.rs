//! Candidates about all elements between two bounds, `i <= k && k < n` implies `a[k] == 7`, and about
//! that at one index: `k == i` implies `a[k] == 7`.
//!
//! A loop to a bound that is a variable leaves the elements from its counter up to that bound as the
//! loop before left them, and says nothing of those behind.
//!
//! | Template | Over |
//! |:--|:--|
//! | `x <= k < y` implies `p` | counters `x`, variables `y` that something is tested to be below |
//! | `x <= k <= y` implies `p` | where elements are compared with each other, locations `y` that elements are read at |
//! | `k == x` implies `p` | counters `x` |
//! | `p` | as in [`crate::invariants::ranges`] |

use std::collections::BTreeSet;

use expr::{CmpOp, Term, to_signed};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{Known, Pool, Variable, holding, values};
use crate::objects::locations::INDEX_WIDTH;

/// How many such candidates there are at a cut.
const MOST: usize = 150;

/// How many upper bounds there are.
const ENDS: usize = 2;

/// How many lower bounds there are.
const COUNTERS: usize = 6;

/// The upper bound of a window.
#[derive(Clone, Copy)]
struct End {
    at: Variable,
    /// Whether the element there is in the window.
    is_inside: bool,
}

impl Pool<'_> {
    /// Candidates about all elements between two bounds.
    pub fn of_windows(&mut self, k: Variable, variables: &[Variable], known: &Known<'_>) {
        let samples = known.samples;
        let elements = variables.iter().filter(|it| it.is_element);
        let elements: Vec<Variable> = elements.copied().collect();
        let counters = variables.iter().filter(|it| !it.is_element);
        let counters = counters.filter(|it| matches!(it.width, 32 | INDEX_WIDTH));
        let mut counters: Vec<Variable> = counters.copied().collect();
        if !known.pairs.is_empty() {
            counters.sort_by_key(|it| !known.indices.contains(&it.var));
        }
        counters.truncate(COUNTERS);
        let ends = counters.iter().filter(|it| self.constants.is_end(it.term));
        let ends = ends.take(ENDS).map(|&at| End {
            at,
            is_inside: false,
        });
        let indices = counters.iter().filter(|it| known.indices.contains(&it.var));
        let closed = indices.take(ENDS).map(|&at| End {
            at,
            is_inside: true,
        });
        let closed = closed.filter(|_| !known.pairs.is_empty());
        let ends: Vec<End> = closed.chain(ends).collect();
        let before = self.found.len();
        for &at in &counters {
            for &element in &elements {
                self.of_point(at, (element, k), variables, samples);
            }
        }
        for &end in &ends {
            for &start in counters.iter().filter(|it| it.var != end.at.var) {
                for &element in &elements {
                    self.of_window((start, end), (element, k), variables, samples);
                }
            }
        }
        self.found.truncate(before + MOST);
    }

    /// Facts of the element at the index that a counter has, but for those that hold of all.
    fn of_point(
        &mut self,
        at: Variable,
        (element, k): (Variable, Variable),
        variables: &[Variable],
        samples: &[Sample],
    ) {
        let is_there = |sample: &&Sample| {
            let (index, here) = (sample.get(&k.var), sample.get(&at.var));
            index
                .zip(here)
                .is_some_and(|(&index, &here)| signed(k, index) == signed(at, here))
        };
        let there: Vec<Sample> = samples.iter().filter(is_there).cloned().collect();
        if there.is_empty() {
            return;
        }
        let found = std::mem::take(&mut self.found);
        self.of_one_case(element, &values(&there, element));
        let others = variables.iter().filter(|y| y.width == element.width);
        for y in others.filter(|y| y.var != element.var) {
            let equal = self.terms.eq(element.term, y.term);
            self.found.push(equal);
        }
        let facts = std::mem::replace(&mut self.found, found);
        let facts = holding(self.terms, facts, &there);
        let known = holding(self.terms, facts.clone(), samples);
        let counter = self.terms.sign_extend(INDEX_WIDTH, at.term);
        let is_at = self.terms.eq(k.term, counter);
        let is_elsewhere = self.terms.bool_not(is_at);
        for fact in facts.into_iter().filter(|fact| !known.contains(fact)) {
            let implied = self.terms.bool_or(is_elsewhere, fact);
            self.found.push(implied);
        }
    }

    /// Facts of an element in a window, but for those that hold of all elements on one side of it.
    fn of_window(
        &mut self,
        (start, end): (Variable, End),
        (element, k): (Variable, Variable),
        variables: &[Variable],
        samples: &[Sample],
    ) {
        let is_behind = |sample: &Sample| {
            Some(signed(k, *sample.get(&k.var)?) >= signed(start, *sample.get(&start.var)?))
        };
        let is_before = |sample: &Sample| {
            let (at, end_at) = (*sample.get(&k.var)?, *sample.get(&end.at.var)?);
            let end_at = signed(end.at, end_at) + i128::from(end.is_inside);
            Some(signed(k, at) < end_at)
        };
        let of = |is_inside: &dyn Fn(&Sample) -> Option<bool>| -> Vec<Sample> {
            let inside = samples.iter().filter(|it| is_inside(it) == Some(true));
            inside.cloned().collect()
        };
        let inside = of(&|sample| Some(is_behind(sample)? && is_before(sample)?));
        if inside.is_empty() {
            return;
        }
        let others = std::mem::take(&mut self.found);
        self.of_element(element, k, variables, &inside);
        let facts = std::mem::replace(&mut self.found, others);
        let facts = holding(self.terms, facts, &inside);
        let mut known = BTreeSet::new();
        for larger in [of(&is_behind), of(&is_before)] {
            known.extend(holding(self.terms, facts.clone(), &larger));
        }
        let is_outside = self.is_outside(k, start, end);
        for fact in facts.into_iter().filter(|fact| !known.contains(fact)) {
            let implied = self.terms.bool_or(is_outside, fact);
            self.found.push(implied);
        }
    }

    fn is_outside(&mut self, k: Variable, start: Variable, end: End) -> Term {
        let [start, last] = [start, end.at].map(|it| self.terms.sign_extend(INDEX_WIDTH, it.term));
        let is_before = self.terms.compare(CmpOp::Slt, k.term, start);
        let op = if end.is_inside {
            CmpOp::Slt
        } else {
            CmpOp::Sle
        };
        let is_behind = self.terms.compare(op, last, k.term);
        self.terms.bool_or(is_before, is_behind)
    }
}

fn signed(variable: Variable, value: u128) -> i128 {
    to_signed(variable.width, value)
}
