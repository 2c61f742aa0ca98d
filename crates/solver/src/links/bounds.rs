//! Bounds and known bits of all terms, which refute queries about several variables.

use expr::facts::{Fact, operands, result};
use expr::{Term, Terms};

use crate::marks::Marks;
use crate::{Answer, Query, Solver};

/// Finds queries unsatisfiable by propagation: a constraint narrows the values of its variables,
/// which narrows the values of other terms, until nothing changes or some term has no value left.
/// The core consists of the constraints that had a part in it.
pub struct Bounds<S> {
    next: S,
    terms: Vec<Term>,
    seen: Marks,
    /// The fact about each term, by its position in `terms`, with the constraints that it follows
    /// from.
    facts: Vec<(Fact, Origins)>,
    /// The places of terms, by their numbers.
    places: Vec<u32>,
}

/// The constraints that a fact follows from, as a set of bits. A query with more constraints than
/// there are bits has several of them for each.
type Origins = u128;

/// How many terms a query may have.
const MOST_TERMS: usize = 20_000;
/// How often facts about all terms are propagated.
const ROUNDS: usize = 8;

/// Some term has no value left.
struct Contradiction(Origins);

impl<S: Solver> Bounds<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Bounds<S> {
        Bounds {
            next,
            terms: Vec::new(),
            seen: Marks::default(),
            facts: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Lists the terms of the query, operands first. Returns false if they are too many.
    fn collect(&mut self, terms: &Terms, constraints: &[Term]) -> bool {
        self.terms.clear();
        self.seen.clear();
        let mut waiting = constraints.to_vec();
        while let Some(term) = waiting.pop() {
            if self.seen.insert(term.number()) {
                self.terms.push(term);
                waiting.extend(terms.node(term).operands());
            }
            if self.terms.len() > MOST_TERMS {
                return false;
            }
        }
        self.terms.sort_unstable();
        self.places.resize(terms.len() + 1, 0);
        self.facts.clear();
        for (place, &term) in (0..).zip(&self.terms) {
            self.places[term.number() as usize] = place;
            // A Bool is a number of one bit.
            self.facts.push((Fact::any(terms.width(term).max(1)), 0));
        }
        true
    }

    fn place(&self, term: Term) -> usize {
        self.places[term.number() as usize] as usize
    }

    /// Looks for a term without a value; the constraints' numbers as `Origins` are given.
    fn propagate(&mut self, terms: &Terms, constraints: &[Term]) -> Result<(), Contradiction> {
        self.upwards(terms)?;
        for (at, &constraint) in constraints.iter().enumerate() {
            self.learn(constraint, &Fact::bool(true), origin(at, constraints.len()))?;
        }
        for _ in 0..ROUNDS {
            let changed = self.downwards(terms)?;
            if !(self.upwards(terms)? | changed) {
                break;
            }
        }
        Ok(())
    }

    /// Propagates facts from operands to results. Returns true if one is new.
    fn upwards(&mut self, terms: &Terms) -> Result<bool, Contradiction> {
        let mut changed = false;
        for place in 0..self.terms.len() {
            let (term, node) = (self.terms[place], terms.node(self.terms[place]));
            let known = result(terms, node, |operand| self.facts[self.place(operand)].0);
            changed |= self.learn(term, &known, self.origins(node))?;
        }
        Ok(changed)
    }

    /// Propagates facts from results to operands. Returns true if one is new.
    fn downwards(&mut self, terms: &Terms) -> Result<bool, Contradiction> {
        let mut changed = false;
        for place in (0..self.terms.len()).rev() {
            let node = terms.node(self.terms[place]);
            let (known, origins) = self.facts[place];
            let news = operands(node, &known, |operand| self.facts[self.place(operand)].0);
            let origins = origins | self.origins(node);
            for (operand, fact) in news {
                changed |= self.learn(operand, &fact, origins)?;
            }
        }
        Ok(changed)
    }

    /// The origins of the facts about a node's operands.
    fn origins(&self, node: expr::Node) -> Origins {
        let operands = node.operands();
        operands.fold(0, |all, operand| all | self.facts[self.place(operand)].1)
    }

    /// Adds a fact to those known of a term. Returns true if it is new.
    fn learn(&mut self, term: Term, fact: &Fact, from: Origins) -> Result<bool, Contradiction> {
        let place = self.place(term);
        let (known, origins) = &mut self.facts[place];
        let both = known.and(fact);
        if both == *known {
            return Ok(false);
        }
        *origins |= from;
        if both.is_empty() {
            return Err(Contradiction(*origins));
        }
        *known = both;
        Ok(true)
    }
}

/// The bit of the constraint at a position.
fn origin(at: usize, constraints: usize) -> Origins {
    let groups = Origins::BITS as usize;
    match constraints <= groups {
        true => 1 << at,
        false => 1 << (at * groups / constraints),
    }
}

impl<S: Solver> Solver for Bounds<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        if !self.collect(terms, query.constraints) {
            return self.next.check(terms, query);
        }
        match self.propagate(terms, query.constraints) {
            Ok(()) => self.next.check(terms, query),
            Err(Contradiction(origins)) => {
                let all = query.constraints.len();
                let inside = |at: &usize| origins & origin(*at, all) != 0;
                Answer::Unsat((0..all).filter(inside).collect())
            }
        }
    }
}
