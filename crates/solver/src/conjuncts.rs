//! Each conjunct once (CUTE, section 3.5, second optimisation).

use expr::{Node, Term, Terms};
use rustc_hash::FxHashSet;

use crate::{Answer, LinkStatistics, Query, Solver};

/// Splits conjunctions, and removes constraints that are true or that came before.
pub struct Conjuncts<S> {
    next: S,
    statistics: LinkStatistics,
    seen: FxHashSet<Term>,
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
            statistics: LinkStatistics::of("conjuncts"),
            seen: FxHashSet::default(),
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
                if terms.as_bool(term) == Some(true) || !self.seen.insert(term) {
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
        self.statistics.queries += 1;
        self.split(terms, query.constraints);
        if self.conjuncts.is_empty() {
            self.statistics.answered += 1;
            return Answer::Sat(query.current.clone());
        }
        let simpler = Query {
            constraints: &self.conjuncts,
            current: query.current,
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

    fn statistics(&self) -> Vec<LinkStatistics> {
        self.statistics.before(&self.next)
    }
}
