//! The prover that finds equations with products of two locations: polynomials ("Polynomial
//! invariants": Rodríguez-Carbonell and Kapur 2007, "Generating all polynomial invariants in simple
//! loops"; here the degree and the products are bounded, and numbers are modulo `2^w`).
//!
//! ```text
//! products := those in the formulas, and with what the program compares a factor to
//! repeat: add those that segments make of them      // (x + a) * y is x * y + a * y: a * y is new
//! find the linear equations between locations and products        // fixpoint.rs
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use expr::{BvOp, Node, Term, Terms};

use crate::formulas::nodes::nodes_with_terms;
use crate::formulas::segment::Segment;
use crate::formulas::{Formulas, LARGEST};
use crate::prover::{Goals, Progress, Prover};
use crate::relations::{Round, Shape};

/// How many products take part.
const MOST: usize = 20;

/// How many factors one of them may have.
const MOST_FACTORS: usize = 3;

/// The factors of a product, in order.
type Factors = Vec<Term>;

/// See the module.
#[derive(Default)]
pub(crate) struct ByProducts {
    round: Option<Round>,
}

impl Prover for ByProducts {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        if self.round.is_none() {
            formulas.know_products();
            let products = products(formulas);
            if products.is_empty() {
                return Progress::Finished;
            }
            let shape = Shape {
                products,
                // A product and its equations are few, and need not be small: an even one times
                // `2^(w-1)` is 0.
                largest_coefficient: u128::MAX,
                ..Shape::default()
            };
            self.round = Some(Round::new(formulas, goals, &shape));
        }
        match &mut self.round {
            Some(round) => round.step(formulas, goals),
            None => Progress::Finished,
        }
    }
}

/// The products that may take part in equations, as terms over locations.
fn products(formulas: &mut Formulas<'_>) -> Vec<Term> {
    let mut found = products_in_formulas(formulas);
    let mut seen = 0;
    for next in compared_factors(formulas, &found) {
        insert(&mut found, next);
    }
    while seen < found.len() {
        let next = found[seen].clone();
        seen += 1;
        for made in made_of(formulas, &next) {
            insert(&mut found, made);
        }
    }
    let terms = &mut formulas.arena.terms;
    let all = found.iter().map(|factors| product(terms, factors));
    all.collect()
}

fn insert(found: &mut Vec<Factors>, next: Factors) {
    if found.len() < MOST && next.len() <= MOST_FACTORS && !found.contains(&next) {
        found.push(next);
    }
}

fn product(terms: &mut Terms, factors: &Factors) -> Term {
    let mut factors = factors.iter().copied();
    let first = factors.next().unwrap_or_else(|| terms.constant(1, 1));
    factors.fold(first, |product, factor| {
        terms.binary(BvOp::Mul, product, factor)
    })
}

/// The products in the formulas all of whose factors are locations.
fn products_in_formulas(formulas: &mut Formulas<'_>) -> Vec<Factors> {
    let segments = Arc::clone(&formulas.segments);
    let all = segments.iter().flat_map(Segment::terms);
    let Some((products, arena)) = formulas.products() else {
        return Vec::new();
    };
    let replaced = all.map(|it| products.replace(arena, it));
    let replaced = replaced.collect();
    of_locations(formulas, replaced)
}

/// The products in some terms without multiplications all of whose factors are locations.
fn of_locations(formulas: &mut Formulas<'_>, within: Vec<Term>) -> Vec<Factors> {
    let locations: BTreeSet<Term> = formulas.model.at_start.iter().copied().collect();
    let Some((products, arena)) = formulas.products() else {
        return Vec::new();
    };
    let is_location =
        |it: &Term| locations.contains(it) && matches!(arena.terms.node(*it), Node::Var { .. });
    let all = products.within(&arena.terms, within).into_iter();
    let mut found: Vec<Factors> = Vec::new();
    for (_, factors) in all {
        if factors.iter().all(is_location) {
            insert(&mut found, factors.to_vec());
        }
    }
    found
}

/// Products with another location in the place of a factor that it is compared with.
fn compared_factors(formulas: &Formulas<'_>, found: &[Factors]) -> Vec<Factors> {
    let terms = &formulas.arena.terms;
    let segments = formulas.segments.iter();
    let conditions = segments.flat_map(|it| it.conditions.iter().copied());
    let all = nodes_with_terms(terms, conditions.collect()).into_iter();
    let pairs = all.filter_map(|(_, node)| match node {
        Node::Compare(_, a, b) => Some((only_location(terms, a)?, only_location(terms, b)?)),
        _ => None,
    });
    let pairs: BTreeSet<(Term, Term)> = pairs.collect();
    let mut others = Vec::new();
    for factors in found {
        for &(a, b) in &pairs {
            for (from, to) in [(a, b), (b, a)] {
                if let Some(at) = factors.iter().position(|&it| it == from) {
                    let mut other = factors.clone();
                    other[at] = to;
                    other.sort_unstable();
                    others.push(other);
                }
            }
        }
    }
    others
}

/// The location that a term is, or is a constant more or less than.
fn only_location(terms: &Terms, term: Term) -> Option<Term> {
    let is_location = |it: Term| matches!(terms.node(it), Node::Var { .. });
    let is_constant = |it: Term| terms.as_constant(it).is_some();
    match terms.node(term) {
        Node::Var { .. } => Some(term),
        Node::Binary(BvOp::Add | BvOp::Sub, a, b) if is_location(a) && is_constant(b) => Some(a),
        Node::Binary(BvOp::Add, a, b) if is_constant(a) && is_location(b) => Some(b),
        _ => None,
    }
}

/// The products of locations before a segment that make one behind it.
fn made_of(formulas: &mut Formulas<'_>, factors: &Factors) -> Vec<Factors> {
    let term = product(&mut formulas.arena.terms, factors);
    let segments = Arc::clone(&formulas.segments);
    let exits = segments.iter().flat_map(|segment| &segment.exits);
    let mut made = Vec::new();
    for exit in exits {
        let mut substitution = formulas.substitution(exit);
        let before = substitution.apply(&mut formulas.arena.terms, term, LARGEST);
        let Some((products, arena)) = formulas.products() else {
            continue;
        };
        if let Some(before) = before {
            let replaced = products.replace(arena, before);
            made.extend(of_locations(formulas, vec![replaced]));
        }
    }
    made
}
