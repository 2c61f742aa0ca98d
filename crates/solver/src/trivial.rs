//! Queries that their text answers (CUTE, section 3.5, first optimisation).

use expr::Terms;

use crate::{Answer, LinkStatistics, Query, Solver};

/// Answers queries with a constraint that is false, or whose last constraint is the negation of
/// another.
pub struct Trivial<S> {
    next: S,
    statistics: LinkStatistics,
}

impl<S: Solver> Trivial<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Trivial<S> {
        Trivial {
            next,
            statistics: LinkStatistics::of("trivial"),
        }
    }
}

impl<S: Solver> Solver for Trivial<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        match contradiction(terms, query) {
            Some(core) => {
                self.statistics.answered += 1;
                Answer::Unsat(core)
            }
            None => self.next.check(terms, query),
        }
    }

    fn statistics(&self) -> Vec<LinkStatistics> {
        self.statistics.before(&self.next)
    }
}

fn contradiction(terms: &mut Terms, query: &Query<'_>) -> Option<Vec<usize>> {
    let constraints = query.constraints;
    if let Some(at) = constraints
        .iter()
        .position(|&c| terms.as_bool(c) == Some(false))
    {
        return Some(vec![at]);
    }
    let (&last, others) = constraints.split_last()?;
    let negation = terms.bool_not(last);
    let at = others.iter().position(|&c| c == negation)?;
    Some(vec![at, others.len()])
}
