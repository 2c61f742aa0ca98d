//! Removes repeated conjuncts: CUTE's second optimisation, the elimination of common
//! sub-constraints (section 3.5). Common terms below the conjuncts are one term already: see
//! [`expr::Terms`].

use expr::{Node, Term, Terms};

use crate::marks::Marks;
use crate::{Answer, Query, Solver};

/// Splits conjunctions, and removes constraints that are true or that came before.
pub struct Conjuncts<S> {
    next: S,
    seen: Marks,
    conjuncts: Vec<Term>,
    /// For each conjunct, the position of the constraint that it comes from.
    origins: Vec<usize>,
    waiting: Vec<Term>,
}

impl<S: Solver> Conjuncts<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Conjuncts<S> {
        Conjuncts {
            next,
            seen: Marks::default(),
            conjuncts: Vec::new(),
            origins: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn split(&mut self, terms: &Terms, constraints: &[Term]) {
        self.seen.clear();
        self.conjuncts.clear();
        self.origins.clear();
        for (origin, &constraint) in constraints.iter().enumerate() {
            self.waiting.push(constraint);
            while let Some(term) = self.waiting.pop() {
                if terms.as_bool(term) == Some(true) || !self.seen.insert(term.number()) {
                    continue;
                }
                if let Node::BoolAnd(a, b) = terms.node(term) {
                    self.waiting.extend([b, a]);
                } else {
                    self.conjuncts.push(term);
                    self.origins.push(origin);
                }
            }
        }
    }
}

impl<S: Solver> Solver for Conjuncts<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.split(terms, query.constraints);
        if self.conjuncts.is_empty() {
            return Answer::Sat(query.current.clone());
        }
        let simpler = Query {
            constraints: &self.conjuncts,
            current: query.current,
            held: self.origins.partition_point(|&origin| origin < query.held),
        };
        match self.next.check(terms, &simpler) {
            Answer::Unsat(core) => {
                let mut core: Vec<usize> = core.into_iter().map(|at| self.origins[at]).collect();
                core.dedup();
                Answer::Unsat(core)
            }
            other => other,
        }
    }
}
