//! Checks every model.

use expr::{Evaluator, Terms};

use crate::{Answer, Query, Reason, Solver};

/// Evaluates the constraints under every model that comes back. A model that fails becomes
/// [`Reason::InvalidModel`], and stops a debug build.
pub struct Validate<S> {
    next: S,
    evaluator: Evaluator,
}

impl<S: Solver> Validate<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Validate<S> {
        Validate {
            next,
            evaluator: Evaluator::default(),
        }
    }
}

impl<S: Solver> Solver for Validate<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        let answer = self.next.check(terms, query);
        let Answer::Sat(model) = &answer else {
            return answer;
        };
        let mut evaluation = self.evaluator.under(terms, model);
        match query.constraints.iter().find(|&&c| !evaluation.holds(c)) {
            None => answer,
            Some(&violated) => {
                debug_assert!(false, "{model:?} violates {}", terms.display(violated));
                Answer::Unknown(Reason::InvalidModel)
            }
        }
    }
}
