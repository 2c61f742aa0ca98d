//! Candidates for invariants at a cut, from templates whose constants come from sampled states and
//! from the program (Ernst, Cockrell, Griswold, Notkin 2001, "Dynamically discovering likely
//! program invariants"). They are guesses: only [`crate::invariants::houdini`] proves any.
//!
//! | Template | Over |
//! |:--|:--|
//! | `x == c`, `x` one of few values | each location |
//! | `c <= x`, `x <= c`, signed and unsigned | each location, constants of the program and extremes |
//! | `x % m == c` | each location, and `m` that the program adds or divides by |
//! | `x <= y`, `x == y`, `x != y` | pairs of locations |
//! | `x + y <= z`, `z <= x + y` | triples of locations |
//! | `x - y <= c`, `c <= x - y`, `x + y <= c`, `c <= x + y` | pairs of them |
//! | a condition of a branch, or its negation | as it is |
//! | `k < i` or `i <= k` implies one of `a[k]` | elements at the index, see [`crate::invariants::ranges`] |
//! | `i <= k < n` implies one of `a[k]` | elements at the index, see [`crate::invariants::windows`] |
//! | `k < l` implies one of `a[k]` and `a[l]` | arrays whose elements are compared, see [`crate::invariants::pairs`] |
//! | of nodes that lead to each other | nodes of the heap, see [`crate::invariants::linked`] |
//! | `b == v` implies one of the first three | a location `b` with few values, and another |
//!
//! Linear equations are the work of [`crate::relations`].

use std::collections::BTreeSet;

use expr::{BvOp, CmpOp, Evaluator, Model as Values, Term, Terms, Var, mask, to_signed};

use crate::formulas::constants::Constants;
use crate::formulas::execution::Sample;
use crate::formulas::nodes::variable;
use crate::invariants::compared::Compared;
use crate::invariants::pairs::Pair;

/// How many values a location may have that is taken to be one of few.
const FEW: usize = 8;

/// How many bounds are tried on each side of a location's values.
const BOUNDS: usize = 4;

/// How many of those that the program tests.
const TESTED: usize = 6;

/// How many values a location may have that other locations are told apart by.
pub(crate) const CASES: usize = 4;

/// How many values a location must have to be taken to be congruent.
const LEAST_CONGRUENT: usize = 3;

/// How many candidates there are at a cut.
const MOST: usize = 600;

/// How many of them are about nodes of the heap.
const MOST_OF_NODES: usize = 300;

/// How many locations take part in templates over pairs.
const PAIRED: usize = 24;

/// How many locations take part in templates over triples.
const TRIPLED: usize = 8;

/// A location, as templates use it.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its variable.
    pub var: Var,
    /// The variable as a term.
    pub term: Term,
    /// Its width in bits.
    pub width: u32,
    /// Whether it is an element of an array at the index.
    pub is_element: bool,
    /// What it is of the node on the heap at the index, if it is of one.
    pub node: Option<OfNode>,
    /// The class of nodes that it leads to, if it is a pointer to nodes.
    pub leads_to: Option<u32>,
    /// Whether it is a pointer to the start of an object of the heap.
    pub is_start: bool,
    /// Whether it has an unsigned type.
    pub is_unsigned: bool,
}

/// What a location is of the nodes of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfNode {
    /// The number of the class.
    pub class: u32,
    /// Whether it says that the node is allocated.
    pub is_flag: bool,
}

impl Variable {
    /// The location whose value is a term, if that is a variable.
    pub fn of(terms: &Terms, term: Term) -> Option<Variable> {
        Some(Variable {
            var: variable(terms, term)?,
            term,
            width: terms.width(term),
            is_element: false,
            node: None,
            leads_to: None,
            is_start: false,
            is_unsigned: false,
        })
    }

    /// Whether one is at most another, in the order of its type.
    pub fn order(&self) -> CmpOp {
        match self.is_unsigned {
            true => CmpOp::Ule,
            false => CmpOp::Sle,
        }
    }
}

/// What is known of a cut.
pub struct Known<'a> {
    /// The locations that are read behind it.
    pub variables: &'a [Variable],
    /// The index at which elements are known, if any are.
    pub index: Option<Variable>,
    /// The second one, if any are known there.
    pub second: Option<Variable>,
    /// The elements that are known at both.
    pub pairs: &'a [Pair],
    /// The locations that elements are read at anywhere.
    pub indices: &'a BTreeSet<Var>,
    /// Conditions of branches behind it.
    pub conditions: &'a [Term],
    /// What the program compares anywhere.
    pub compared: &'a [Compared],
    /// The constants of the program.
    pub constants: &'a Constants,
    /// Sampled states.
    pub samples: &'a [Sample],
}

impl Known<'_> {
    /// The locations that are no parts of nodes on the heap.
    pub fn plain(&self) -> Vec<Variable> {
        let variables = self.variables.iter();
        variables.filter(|it| it.node.is_none()).copied().collect()
    }
}

/// That locations have the value that they have in all samples.
pub fn constants(terms: &mut Terms, known: &Known<'_>) -> Vec<Term> {
    let plain = known.variables.iter();
    let plain = plain.filter(|it| it.node.is_none() && !it.is_element);
    let equal = plain.filter_map(|&x| match *values(known.samples, x) {
        [only] => Some((x, only)),
        _ => None,
    });
    let equal: Vec<(Variable, u128)> = equal.collect();
    let mut found = Vec::new();
    for (x, only) in equal {
        let only = terms.constant(x.width, only);
        found.push(terms.eq(x.term, only));
    }
    found
}

/// The candidates at a cut, in the order of the templates: those that hold in all samples.
pub fn candidates(terms: &mut Terms, known: &Known<'_>) -> Vec<Term> {
    let Known { samples, .. } = *known;
    let is_of_node = |it: &&Variable| it.node.is_some();
    let (starts, plain): (Vec<Variable>, Vec<Variable>) =
        known.plain().into_iter().partition(|it| it.is_start);
    let of_nodes: Vec<Variable> = known.variables.iter().filter(is_of_node).copied().collect();
    let variables = plain.as_slice();
    let mut pool = Pool {
        terms,
        constants: known.constants,
        found: Vec::new(),
    };
    for &start in &starts {
        pool.is_null_or_not(start);
    }
    for &x in variables {
        let values = values(samples, x);
        pool.of_one(x, &values);
    }
    if let Some(k) = known.index {
        pool.of_ranges(k, variables, samples);
    }
    let paired = &variables[..variables.len().min(PAIRED)];
    for (at, &x) in paired.iter().enumerate() {
        for &y in &paired[at + 1..] {
            if x.width == y.width {
                pool.of_two(x, y);
            }
        }
    }
    let tripled = &variables[..variables.len().min(TRIPLED)];
    pool.of_three(tripled);
    for &condition in known.conditions {
        let negated = pool.terms.bool_not(condition);
        pool.found.extend([condition, negated]);
    }
    for &b in tripled {
        pool.of_cases(b, paired, samples);
    }
    pool.of_distances(tripled, samples);
    let found = std::mem::take(&mut pool.found);
    if let Some(k) = known.index {
        pool.of_parts_of_ranges(k, variables, samples);
        pool.of_windows(k, variables, known);
        if let Some(l) = known.second {
            pool.of_pairs((k, l), known);
        }
    }
    if let Some((k, l)) = known.index.zip(known.second) {
        pool.of_linked((k, l), known);
    }
    let parts = std::mem::take(&mut pool.found);
    if let Some(k) = known.index {
        pool.of_nodes(k, &of_nodes, variables, samples);
    }
    let Pool {
        found: facts,
        terms,
        ..
    } = pool;
    let mut found = holding(terms, found, samples);
    found.extend(holding(terms, parts, samples));
    let mut facts = holding(terms, facts, samples);
    facts.truncate(MOST_OF_NODES);
    found.extend(facts);
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|&it| seen.insert(it));
    found
}

/// The terms that hold in all samples, each once.
pub(crate) fn holding(terms: &Terms, mut found: Vec<Term>, samples: &[Sample]) -> Vec<Term> {
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|&term| terms.as_bool(term).is_none() && seen.insert(term));
    let mut evaluator = Evaluator::default();
    for sample in samples {
        let values: Values = sample.iter().map(|(&var, &value)| (var, value)).collect();
        let mut evaluation = evaluator.under(terms, &values);
        found.retain(|&term| evaluation.holds(term));
    }
    found.truncate(MOST);
    found
}

/// The values of a location in the samples, in order, each once.
pub(crate) fn values(samples: &[Sample], x: Variable) -> Vec<u128> {
    let mut values: Vec<u128> = samples
        .iter()
        .filter_map(|it| it.get(&x.var).copied())
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// By how much a location is greater than another one of its width, if that is the same in all
/// samples.
pub(crate) fn distance(samples: &[Sample], x: Variable, y: Variable) -> Option<u128> {
    let distances = samples.iter().filter_map(|sample| {
        let (x, y) = (*sample.get(&x.var)?, *sample.get(&y.var)?);
        Some(x.wrapping_sub(y))
    });
    let mut distances = distances.map(|it| it & mask(x.width));
    let first = distances.next()?;
    distances.all(|it| it == first).then_some(first)
}

pub(crate) struct Pool<'a> {
    pub terms: &'a mut Terms,
    pub constants: &'a Constants,
    pub found: Vec<Term>,
}

impl Pool<'_> {
    pub fn constant(&mut self, x: Variable, value: u128) -> Term {
        self.terms.constant(x.width, value)
    }

    pub fn equals(&mut self, x: Variable, value: u128) -> Term {
        let value = self.constant(x, value);
        self.terms.eq(x.term, value)
    }

    /// Constants of the program of a location's width, with those that are next to them.
    fn known(&self, x: Variable) -> Vec<u128> {
        let own = self.constants.all(x.width);
        let near = own.flat_map(|value| [value.wrapping_sub(1), value, value.wrapping_add(1)]);
        let mut known: Vec<u128> = near
            .chain([0, 1])
            .map(|value| value & mask(x.width))
            .collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// That a pointer is NULL, or is not. As a number it says nothing of others.
    fn is_null_or_not(&mut self, pointer: Variable) {
        let is_null = self.equals(pointer, 0);
        let is_some = self.terms.bool_not(is_null);
        self.found.extend([is_null, is_some]);
    }

    fn of_one(&mut self, x: Variable, values: &[u128]) {
        if let &[only] = values {
            let equal = self.equals(x, only);
            self.found.push(equal);
        }
        if (2..=FEW).contains(&values.len()) {
            let one_of = self.one_of(x, values);
            self.found.push(one_of);
        }
        self.bounds(x, values, CmpOp::Sle, |value| to_signed(x.width, value));
        self.bounds(x, values, CmpOp::Ule, |value| value as i128);
        if values.len() >= LEAST_CONGRUENT {
            self.residues(x, values);
        }
    }

    /// Congruences by moduli of the program.
    pub fn residues(&mut self, x: Variable, values: &[u128]) {
        for modulus in self.constants.moduli(x.width) {
            let residues = values.iter().map(|value| value % modulus);
            let mut residues: Vec<u128> = residues.collect();
            residues.dedup();
            if let &[residue] = residues.as_slice() {
                let modulus = self.constant(x, modulus);
                let rest = self.terms.binary(BvOp::URem, x.term, modulus);
                let residue = self.constant(x, residue);
                let congruent = self.terms.eq(rest, residue);
                self.found.push(congruent);
            }
        }
    }

    /// What holds of a location in one case: that it has one of few values, or a sign.
    pub fn of_one_case(&mut self, x: Variable, values: &[u128]) {
        if (1..=CASES).contains(&values.len()) {
            let one_of = self.one_of(x, values);
            self.found.push(one_of);
        }
        let zero = self.constant(x, 0);
        let signs = [
            self.terms.compare(CmpOp::Sle, zero, x.term),
            self.terms.compare(CmpOp::Slt, x.term, zero),
        ];
        self.found.extend(signs);
    }

    fn one_of(&mut self, x: Variable, values: &[u128]) -> Term {
        let none = self.terms.bool(false);
        values.iter().fold(none, |any, &value| {
            let equal = self.equals(x, value);
            self.terms.bool_or(any, equal)
        })
    }

    /// Bounds by the extremes of the samples, and by the next constants of the program beyond.
    pub fn bounds(&mut self, x: Variable, values: &[u128], op: CmpOp, rank: impl Fn(u128) -> i128) {
        let ranked = values.iter().map(|&value| rank(value));
        let (Some(least), Some(greatest)) = (ranked.clone().min(), ranked.max()) else {
            return;
        };
        let mut near: Vec<u128> = self.known(x);
        near.extend(values);
        let own = self.constants.all(x.width);
        let tested = own.flat_map(|value| [value.wrapping_sub(1) & mask(x.width), value]);
        let tested: Vec<u128> = tested.collect();
        // Samples may be far from the bound that a test of the program gives.
        for (mut all, count) in [(near, BOUNDS), (tested, TESTED)] {
            all.sort_unstable_by_key(|&value| rank(value));
            all.dedup();
            let below = all.iter().rev().filter(|&&value| rank(value) <= least);
            let above = all.iter().filter(|&&value| rank(value) >= greatest);
            let below = below.take(count).chain((least >= 0).then_some(&0));
            let above = above.take(count).chain((greatest <= 0).then_some(&0));
            for &value in below {
                let value = self.constant(x, value);
                self.found.push(self.terms.compare(op, value, x.term));
            }
            for &value in above {
                let value = self.constant(x, value);
                self.found.push(self.terms.compare(op, x.term, value));
            }
        }
    }

    fn of_two(&mut self, x: Variable, y: Variable) {
        for op in [CmpOp::Sle, CmpOp::Ule] {
            let holds = [
                self.terms.compare(op, x.term, y.term),
                self.terms.compare(op, y.term, x.term),
            ];
            self.found.extend(holds);
        }
        let equal = self.terms.eq(x.term, y.term);
        let differ = self.terms.bool_not(equal);
        self.found.extend([equal, differ]);
    }

    fn of_three(&mut self, variables: &[Variable]) {
        for (at, &x) in variables.iter().enumerate() {
            for &y in &variables[at + 1..] {
                for &z in variables {
                    let is_apart = z.var != x.var && z.var != y.var;
                    if is_apart && x.width == y.width && y.width == z.width {
                        let sum = self.terms.binary(BvOp::Add, x.term, y.term);
                        let holds = [
                            self.terms.compare(CmpOp::Sle, sum, z.term),
                            self.terms.compare(CmpOp::Sle, z.term, sum),
                        ];
                        self.found.extend(holds);
                    }
                }
            }
        }
    }

    /// Bounds of differences and sums.
    fn of_distances(&mut self, variables: &[Variable], samples: &[Sample]) {
        for (at, &x) in variables.iter().enumerate() {
            for &y in &variables[at + 1..] {
                if x.width != y.width {
                    continue;
                }
                for op in [BvOp::Sub, BvOp::Add] {
                    let term = self.terms.binary(op, x.term, y.term);
                    let combined = Variable { term, ..x };
                    let values = samples.iter().filter_map(|sample| {
                        let (x, y) = (*sample.get(&x.var)?, *sample.get(&y.var)?);
                        let value = match op {
                            BvOp::Sub => x.wrapping_sub(y),
                            _ => x.wrapping_add(y),
                        };
                        Some(value & mask(combined.width))
                    });
                    let values: Vec<u128> = values.collect();
                    self.bounds(combined, &values, CmpOp::Sle, |it| to_signed(x.width, it));
                }
            }
        }
    }

    /// What holds of other locations for each value of one that has few.
    fn of_cases(&mut self, b: Variable, others: &[Variable], samples: &[Sample]) {
        let cases = values(samples, b);
        if !(2..=CASES).contains(&cases.len()) {
            return;
        }
        let before = std::mem::take(&mut self.found);
        let mut implied = Vec::new();
        for &case in &cases {
            let of_case = samples.iter().filter(|it| it.get(&b.var) == Some(&case));
            let of_case: Vec<Sample> = of_case.cloned().collect();
            for &x in others.iter().filter(|x| x.var != b.var) {
                self.of_one_case(x, &values(&of_case, x));
            }
            let is_case = self.equals(b, case);
            let is_other = self.terms.bool_not(is_case);
            for consequence in std::mem::take(&mut self.found) {
                implied.push(self.terms.bool_or(is_other, consequence));
            }
        }
        self.found = before;
        self.found.extend(implied);
    }
}
