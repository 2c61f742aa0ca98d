//! A second solver for what the first one leaves open.

use expr::Terms;

use crate::{Answer, LinkStatistics, Query, Solver};

/// Asks the second solver where the first gives no answer.
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
            Answer::Unknown(_) => self.second.check(terms, query),
            answer => answer,
        }
    }

    fn statistics(&self) -> Vec<LinkStatistics> {
        let mut all = self.first.statistics();
        all.extend(self.second.statistics());
        all
    }
}
