//! A second solver for the queries that the first one does not answer.

use expr::Terms;

use crate::{Answer, Query, Solver};

/// Asks the second solver where the first gives no answer. When neither does, both reasons count.
pub struct Fallback<A, B> {
    first: A,
    second: B,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    /// Both in their order.
    pub fn new(first: A, second: B) -> Fallback<A, B> {
        Fallback { first, second }
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match self.first.check(terms, query) {
            Answer::Unknown(first) => match self.second.check(terms, query) {
                Answer::Unknown(second) => Answer::Unknown(first.and(second)),
                answer => answer,
            },
            answer => answer,
        }
    }
}
