//! Products of two values that are not constants, as values of which little is known.
//!
//! Solvers know products by the gates of a multiplier, from which the laws of rings are hard to see:
//!
//! ```text
//! (a + b) * c  =>  p(a, c) + p(b, c)              // so for differences and multiples
//! (q ? a : b) * c  =>  q ? p(a, c) : p(b, c)
//! x * y  =>  p(x, y)                              // any number, the same for the same factors
//! axiom: x == z  =>  p(x, y) == p(z, y)          // z may be a sum
//! ```
//!
//! Each execution satisfies the result with the products as values of `p`: what cannot hold then
//! cannot hold at all.

use std::collections::BTreeSet;

use expr::{BvOp, Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::formulas::arena::Arena;
use crate::formulas::nodes::nodes_with_terms;

/// How many operators one product is distributed over.
const MOST_OPERATORS: usize = 200;

/// How many products in one question get axioms.
const MOST_PRODUCTS: usize = 24;

/// How many comparisons take part in them.
const MOST_COMPARED: usize = 64;

/// The products that are known.
#[derive(Clone, Debug, Default)]
pub struct Products {
    /// What stands for a product, by its factors in order.
    known: FxHashMap<Vec<Term>, Term>,
    /// The factors of what stands for one.
    factors: FxHashMap<Term, Vec<Term>>,
    /// The results for terms.
    done: FxHashMap<Term, Term>,
}

impl Products {
    /// A term without multiplications, but for those by constants.
    pub fn replace(&mut self, arena: &mut Arena, term: Term) -> Term {
        let mut waiting = vec![term];
        while let Some(&top) = waiting.last() {
            if self.done.contains_key(&top) {
                waiting.pop();
                continue;
            }
            let node = arena.terms.node(top);
            let before = waiting.len();
            waiting.extend(node.operands().filter(|it| !self.done.contains_key(it)));
            if waiting.len() > before {
                continue;
            }
            let replaced = node.map(|it| self.done.get(&it).copied().unwrap_or(it));
            let result = match replaced {
                Node::Binary(BvOp::Mul, a, b) => {
                    let mut left = MOST_OPERATORS;
                    self.product(arena, [a, b], &mut left)
                }
                _ if replaced == node => top,
                _ => arena.terms.build(replaced),
            };
            self.done.insert(top, result);
            waiting.pop();
        }
        self.done.get(&term).copied().unwrap_or(term)
    }

    /// The product of two terms without multiplications.
    fn product(&mut self, arena: &mut Arena, [a, b]: [Term; 2], left: &mut usize) -> Term {
        let is_constant = |it: Term| arena.terms.as_constant(it).is_some();
        if is_constant(a) || is_constant(b) {
            return arena.terms.binary(BvOp::Mul, a, b);
        }
        for (sum, factor) in [(a, b), (b, a)] {
            if *left == 0 {
                break;
            }
            let node = arena.terms.node(sum);
            let multiple = match node {
                Node::Binary(BvOp::Mul, x, y) => [(x, y), (y, x)]
                    .into_iter()
                    .find(|&(x, _)| arena.terms.as_constant(x).is_some()),
                _ => None,
            };
            if let Some((times, of)) = multiple {
                *left -= 1;
                let product = self.product(arena, [of, factor], left);
                return arena.terms.binary(BvOp::Mul, times, product);
            }
            if !distributes(node) {
                continue;
            }
            *left -= 1;
            let condition = match node {
                Node::Ite(condition, ..) => Some(condition),
                _ => None,
            };
            let distributed = node.map(|it| match Some(it) == condition {
                true => it,
                false => self.product(arena, [it, factor], left),
            });
            return arena.terms.build(distributed);
        }
        self.of_factors(arena, [a, b])
    }

    /// What stands for the product of two terms that are no sums.
    fn of_factors(&mut self, arena: &mut Arena, of: [Term; 2]) -> Term {
        let width = arena.terms.width(of[0]);
        let factors = of.into_iter().flat_map(|it| match self.factors.get(&it) {
            Some(factors) => factors.clone(),
            None => vec![it],
        });
        let mut factors: Vec<Term> = factors.collect();
        factors.sort_unstable();
        if let Some(&known) = self.known.get(&factors) {
            return known;
        }
        let product = arena.fresh(width);
        self.known.insert(factors.clone(), product);
        self.factors.insert(product, factors);
        self.done.insert(product, product);
        product
    }

    /// The products in some terms that are without multiplications, by what stands for each.
    pub fn within(&self, terms: &Terms, of: Vec<Term>) -> Vec<(Term, &[Term])> {
        let all = nodes_with_terms(terms, of).into_iter();
        let found = all.filter_map(|(term, _)| Some((term, self.factors.get(&term)?.as_slice())));
        let mut found: Vec<(Term, &[Term])> = found.collect();
        found.sort_unstable();
        found
    }

    /// That products in some terms are equal where their factors are. A factor may equal what the terms
    /// compare it with.
    pub fn axioms(&mut self, arena: &mut Arena, of: Vec<Term>) -> Vec<Term> {
        let compared = compared(&arena.terms, of.clone());
        let found = self.within(&arena.terms, of).into_iter();
        let found = found.take(MOST_PRODUCTS);
        let found: Vec<(Term, Vec<Term>)> = found.map(|(it, of)| (it, of.to_vec())).collect();
        let mut axioms = Vec::new();
        for (at, (one, factors)) in found.iter().enumerate() {
            for (other, others) in &found[at + 1..] {
                if let Some(factor) = difference(factors, others) {
                    axioms.extend(equal_if(&mut arena.terms, factor, [*one, *other]));
                }
            }
            for &(factor, with) in &compared {
                if let Some(at) = factors.iter().position(|&it| it == factor) {
                    let mut rest = factors.iter().enumerate().filter(|&(it, _)| it != at);
                    let mut left = MOST_OPERATORS;
                    let other = rest.try_fold(with, |product, (_, &factor)| {
                        let is_small = left > 0;
                        is_small.then(|| self.product(arena, [product, factor], &mut left))
                    });
                    let other = other.unwrap_or(*one);
                    axioms.extend(equal_if(&mut arena.terms, [factor, with], [*one, other]));
                }
            }
        }
        axioms
    }
}

/// That two terms are equal if two others are.
fn equal_if(terms: &mut Terms, [x, y]: [Term; 2], [a, b]: [Term; 2]) -> Option<Term> {
    if terms.width(x) != terms.width(y) || a == b {
        return None;
    }
    let same = terms.eq(x, y);
    let differ = terms.bool_not(same);
    let equal = terms.eq(a, b);
    Some(terms.bool_or(differ, equal))
}

/// What some terms compare that is not constant, in both orders.
fn compared(terms: &Terms, of: Vec<Term>) -> Vec<(Term, Term)> {
    let is_varying = |it: Term| terms.as_constant(it).is_none();
    let all = nodes_with_terms(terms, of).into_iter();
    let pairs = all.filter_map(|(_, node)| match node {
        Node::Compare(_, a, b) if is_varying(a) && is_varying(b) => Some([(a, b), (b, a)]),
        _ => None,
    });
    let pairs: BTreeSet<(Term, Term)> = pairs.flatten().collect();
    pairs.into_iter().take(MOST_COMPARED).collect()
}

/// Whether a product by a term is the same operator on products by its operands.
fn distributes(node: Node) -> bool {
    matches!(
        node,
        Node::Binary(BvOp::Add | BvOp::Sub, ..) | Node::Neg(_) | Node::Ite(..)
    )
}

/// The factors in which two products of as many differ, if these are one each.
fn difference(a: &[Term], b: &[Term]) -> Option<[Term; 2]> {
    let only = |in_one: &[Term], not_in: &[Term]| {
        let mut others = not_in.to_vec();
        let mut rest = in_one.iter().filter(|it| {
            let same = others.iter().position(|other| other == *it);
            same.map(|at| others.swap_remove(at)).is_none()
        });
        match (rest.next(), rest.next()) {
            (Some(&only), None) => Some(only),
            _ => None,
        }
    };
    Some([only(a, b)?, only(b, a)?])
}
