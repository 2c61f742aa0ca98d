//! The predicates at a cut between which implications are looked for.
//!
//! | Predicate | Over |
//! |:--|:--|
//! | a condition of a branch | the code behind the cut |
//! | `x == c` | each location that has few values, and these |
//! | `x` is one of its values, `x <= c`, `0 <= x` | what holds in all states |
//! | `x <= c`, signed or unsigned | other locations, and constants of the program between their values |
//! | `x & c == 0` | locations of which the program tests or sets bits, and each of these bits |
//! | `x <= y`, `x == y` | pairs of locations that may be compared, by way of choices too |

use std::collections::BTreeSet;

use expr::{BvOp, CmpOp, Node, Term, Terms, Var, mask, to_signed};
use rustc_hash::FxHashSet;

use crate::formulas::nodes::nodes_with_terms;
use crate::implications::Kind;
use crate::invariants::atoms::{bounds, distinct, equalities};
use crate::invariants::candidates::{Known, Variable, values};

/// How many values a location may have that is told by each of them, and if it is a state or a flag.
const VERY_FEW: usize = 6;
const FEW: usize = 10;

/// How many limits a location may have.
const LIMITS: usize = 3;

/// How many predicates there are at a cut.
const MOST: usize = 400;

/// How many bits of a mask are told apart.
const BITS: u32 = 8;

/// How many ends a term may have that are compared.
const ENDS: usize = 12;

/// How the program treats locations, by way of choices.
#[derive(Clone, Debug, Default)]
pub struct Treatment {
    /// Bits of locations that it tests or sets.
    bits: BTreeSet<(Var, u128)>,
    /// Locations that it compares.
    compared: BTreeSet<(Term, Term)>,
}

impl Treatment {
    /// Looks at the terms of a program.
    pub fn of(terms: &Terms, all: Vec<Term>) -> Treatment {
        let mut found = Treatment::default();
        for (_, node) in nodes_with_terms(terms, all) {
            match node {
                Node::Binary(BvOp::And | BvOp::Or, a, b) => {
                    found.add_bits(terms, a, b);
                    found.add_bits(terms, b, a);
                }
                Node::Compare(_, a, b) => found.add_compared(terms, a, b),
                _ => {}
            }
        }
        found
    }

    fn add_bits(&mut self, terms: &Terms, term: Term, constant: Term) {
        let Some(value) = terms.as_constant(constant) else {
            return;
        };
        let width = terms.width(term);
        let of_few = [value, !value & mask(width)];
        let bits = of_few.into_iter().filter(|it| it.count_ones() <= BITS);
        let bits: Vec<u128> = bits
            .flat_map(|some| {
                (0..width)
                    .map(|bit| 1 << bit)
                    .filter(move |bit| some & bit != 0)
            })
            .collect();
        for end in ends(terms, term, true) {
            if let Node::Var { var, .. } = terms.node(end) {
                self.bits.extend(bits.iter().map(|&bit| (var, bit)));
            }
        }
    }

    fn add_compared(&mut self, terms: &Terms, a: Term, b: Term) {
        let is_variable = |term: &Term| matches!(terms.node(*term), Node::Var { .. });
        let others: Vec<Term> = ends(terms, b, false)
            .into_iter()
            .filter(is_variable)
            .collect();
        for end in ends(terms, a, false).into_iter().filter(is_variable) {
            let others = others.iter().filter(|&&other| other != end);
            let pairs = others.map(|&other| (end.min(other), end.max(other)));
            self.compared.extend(pairs);
        }
    }
}

/// The terms that a term may be by its choices, or that its bits are of.
fn ends(terms: &Terms, term: Term, by_bits: bool) -> BTreeSet<Term> {
    let mut found = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut waiting = vec![term];
    while let Some(term) = waiting.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Ite(_, a, b) => waiting.extend([a, b]),
            Node::Binary(BvOp::And | BvOp::Or, a, b) if by_bits => waiting.extend([a, b]),
            _ => {
                found.insert(term);
                if found.len() > ENDS {
                    return BTreeSet::new();
                }
            }
        }
    }
    found
}

/// The predicates at a cut.
pub fn literals(
    terms: &mut Terms,
    known: &Known<'_>,
    treatment: &Treatment,
    kind: Kind,
) -> Vec<Term> {
    let mut found: Vec<Term> = known.conditions.to_vec();
    let variables = known.plain();
    for &x in &variables {
        let values = values(known.samples, x);
        match values.len() {
            0..=VERY_FEW => found.extend(equalities(terms, x, &values)),
            0..=FEW if kind == Kind::All => found.extend(equalities(terms, x, &values)),
            _ if kind == Kind::All => found.extend(bounds(terms, known, x, &values)),
            _ => {}
        }
        if kind == Kind::All {
            found.extend(limits(terms, known, x, &values));
        }
        if values.len() > 2 {
            found.extend(bits(terms, x, treatment));
        }
    }
    let of_cut: FxHashSet<Term> = variables.iter().map(|it| it.term).collect();
    for &(x, y) in treatment.compared.iter().filter(|_| kind == Kind::All) {
        if of_cut.contains(&x) && of_cut.contains(&y) && terms.width(x) == terms.width(y) {
            found.push(terms.compare(CmpOp::Ule, x, y));
            found.push(terms.compare(CmpOp::Ule, y, x));
        }
    }
    let mut found = distinct(terms, found);
    found.truncate(MOST);
    found
}

/// What holds of all values of a location: that it is one of few, or has limits, which are the next
/// constants of the program.
fn limits(terms: &mut Terms, known: &Known<'_>, x: Variable, values: &[u128]) -> Vec<Term> {
    let mut found = Vec::new();
    if (2..=FEW).contains(&values.len()) {
        let none = terms.bool(false);
        let equal = equalities(terms, x, values).into_iter();
        found.push(equal.fold(none, |any, it| terms.bool_or(any, it)));
    }
    let is_signed = values.iter().any(|&it| to_signed(x.width, it) < 0);
    let Some(&greatest) = values.last().filter(|_| !is_signed) else {
        return found;
    };
    let own = known.constants.all(x.width);
    let near = own.flat_map(|it| [it.wrapping_sub(1) & mask(x.width), it]);
    let above: BTreeSet<u128> = near
        .chain([greatest])
        .filter(|&it| it >= greatest)
        .collect();
    for limit in above.into_iter().take(LIMITS) {
        let limit = terms.constant(x.width, limit);
        found.push(terms.compare(CmpOp::Ule, x.term, limit));
    }
    let zero = terms.constant(x.width, 0);
    found.push(terms.compare(CmpOp::Sle, zero, x.term));
    found
}

fn bits(terms: &mut Terms, x: Variable, treatment: &Treatment) -> Vec<Term> {
    let of_variable = treatment.bits.range((x.var, 0)..=(x.var, u128::MAX));
    let bits: Vec<u128> = of_variable.map(|&(_, bit)| bit).collect();
    let tests = bits.into_iter().map(|bit| {
        let mask = terms.constant(x.width, bit);
        let rest = terms.binary(BvOp::And, x.term, mask);
        let zero = terms.constant(x.width, 0);
        terms.eq(rest, zero)
    });
    tests.collect()
}
