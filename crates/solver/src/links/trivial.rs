//! Decides queries by their form alone: CUTE's first optimisation, the fast check for
//! unsatisfiability (section 3.5).

use expr::Terms;

use crate::{Answer, Query, Solver};

/// Answers queries with a constraint that is false, or whose last constraint is the negation of
/// another.
pub struct Trivial<S> {
    next: S,
}

impl<S: Solver> Trivial<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Trivial<S> {
        Trivial { next }
    }
}

impl<S: Solver> Solver for Trivial<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match contradiction(terms, query) {
            Some(core) => Answer::Unsat(core),
            None => self.next.check(terms, query),
        }
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
