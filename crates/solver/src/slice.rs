//! Only what matters (CUTE, section 3.5, third optimisation).

use expr::{Evaluator, Term, Terms, Var};
use rustc_hash::FxHashSet;

use crate::{Answer, LinkStatistics, Query, Solver};

/// Asks about those constraints only that the current model violates, and those that share
/// variables with them, directly or through others. The model of the rest stays the current one.
pub struct Slice<S> {
    next: S,
    statistics: LinkStatistics,
    evaluator: Evaluator,
    variables: FxHashSet<Var>,
    /// Positions of the constraints that are (not) in the slice so far.
    inside: Vec<usize>,
    outside: Vec<usize>,
    constraints: Vec<Term>,
}

impl<S: Solver> Slice<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Slice<S> {
        Slice {
            next,
            statistics: LinkStatistics::of("slice"),
            evaluator: Evaluator::default(),
            variables: FxHashSet::default(),
            inside: Vec::new(),
            outside: Vec::new(),
            constraints: Vec::new(),
        }
    }

    /// Starts with the violated constraints.
    fn start(&mut self, terms: &Terms, query: &Query<'_>) {
        self.inside.clear();
        self.outside.clear();
        self.variables.clear();
        let mut evaluation = self.evaluator.under(terms, query.current);
        for (at, &constraint) in query.constraints.iter().enumerate() {
            if evaluation.holds(constraint) {
                self.outside.push(at);
            } else {
                self.inside.push(at);
                self.variables.extend(terms.variables(constraint));
            }
        }
    }

    /// Adds constraints that share variables, until none is left that does.
    fn close(&mut self, terms: &Terms, constraints: &[Term]) {
        let Slice {
            variables,
            inside,
            outside,
            ..
        } = self;
        let mut before = usize::MAX;
        while outside.len() < before {
            before = outside.len();
            outside.retain(|&at| {
                let used = terms.variables(constraints[at]);
                let shares = used.iter().any(|var| variables.contains(var));
                if shares {
                    inside.push(at);
                    variables.extend(used);
                }
                !shares
            });
        }
        inside.sort_unstable();
    }
}

impl<S: Solver> Solver for Slice<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.start(terms, query);
        if self.inside.is_empty() {
            self.statistics.answered += 1;
            return Answer::Sat(query.current.clone());
        }
        self.close(terms, query.constraints);
        self.constraints.clear();
        self.constraints
            .extend(self.inside.iter().map(|&at| query.constraints[at]));
        let slice = Query {
            constraints: &self.constraints,
            current: query.current,
        };
        match self.next.check(terms, &slice) {
            Answer::Unsat(core) => {
                Answer::Unsat(core.into_iter().map(|at| self.inside[at]).collect())
            }
            other => other,
        }
    }

    fn statistics(&self) -> Vec<LinkStatistics> {
        self.statistics.before(&self.next)
    }
}
