//! Solves queries from the current model by direct inversion.

mod wishes;

use expr::{Evaluator, Model, Term, Terms};

use self::wishes::Wishes;
use crate::{Answer, Query, Solver};

/// Tries to satisfy a query by another value for one variable, or for few: from each constraint
/// that the current model violates, operations are inverted down to a variable, while the other
/// operands keep their values. `x * 3 + 1 == 16` gives 5, `s[0] == 'a'` an `a`, a table's entry its
/// index. Most branches need no more than this. Every value is tried on the whole query.
pub struct Invert<S> {
    next: S,
    evaluator: Evaluator,
}

/// The most violated constraints: with more, values that satisfy one will not satisfy the others.
const MOST_VIOLATED: usize = 8;

impl<S: Solver> Invert<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Invert<S> {
        Invert {
            next,
            evaluator: Evaluator::default(),
        }
    }

    fn invert(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Model> {
        let mut evaluation = self.evaluator.under(terms, query.current);
        let unsure = query.constraints[query.held..].iter().copied();
        let violated: Vec<Term> = unsure.filter(|&c| !evaluation.holds(c)).collect();
        if violated.len() > MOST_VIOLATED {
            return None;
        }
        let candidates = Wishes::new(terms, evaluation).all_hold(&violated);
        let mut model = query.current.clone();
        for changes in candidates {
            model.extend(changes.iter().copied());
            let mut evaluation = self.evaluator.under(terms, &model);
            let mut all = violated.iter().chain(query.constraints);
            if all.all(|&c| evaluation.holds(c)) {
                return Some(model);
            }
            model.clone_from(query.current);
        }
        None
    }
}

impl<S: Solver> Solver for Invert<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match self.invert(terms, query) {
            Some(model) => Answer::Sat(model),
            None => self.next.check(terms, query),
        }
    }
}
