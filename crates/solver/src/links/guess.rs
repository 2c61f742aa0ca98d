//! Queries that a look at their constants answers.

use expr::{Evaluator, Model, Node, Term, Terms, Var, mask};

use crate::{Answer, Query, Solver};

/// Tries to satisfy a query by another value for a single variable: one that stands beside it in a
/// comparison of a constraint that the current model violates, or next to that. Most branches
/// compare an input with a constant, so most queries need no more than this.
pub struct Guess<S> {
    next: S,
    evaluator: Evaluator,
}

/// How many terms of a query are looked at.
const TERMS: usize = 64;
/// How many values are tried on a query.
const GUESSES: usize = 24;

impl<S: Solver> Guess<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Guess<S> {
        Guess {
            next,
            evaluator: Evaluator::default(),
        }
    }

    fn guess(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Model> {
        let mut evaluation = self.evaluator.under(terms, query.current);
        let violated: Vec<Term> = query
            .constraints
            .iter()
            .copied()
            .filter(|&c| !evaluation.holds(c))
            .collect();
        let mut model = query.current.clone();
        for (var, value) in guesses(terms, &violated, query.current) {
            let before = query.current.get(var).unwrap_or(0);
            model.set(var, value);
            let mut evaluation = self.evaluator.under(terms, &model);
            let mut all = violated.iter().chain(query.constraints);
            if all.all(|&c| evaluation.holds(c)) {
                return Some(model);
            }
            model.set(var, before);
        }
        None
    }
}

impl<S: Solver> Solver for Guess<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match self.guess(terms, query) {
            Some(model) => Answer::Sat(model),
            None => self.next.check(terms, query),
        }
    }
}

/// Values for variables that the comparisons in these constraints suggest.
fn guesses(terms: &Terms, constraints: &[Term], current: &Model) -> Vec<(Var, u128)> {
    let mut guesses = Vec::new();
    let mut waiting = constraints.to_vec();
    let mut seen = 0;
    while let Some(term) = waiting.pop() {
        seen += 1;
        if seen > TERMS || guesses.len() >= GUESSES {
            break;
        }
        match terms.node(term) {
            Node::Compare(_, a, b) => {
                suggest(terms, current, a, b, &mut guesses);
                suggest(terms, current, b, a, &mut guesses);
            }
            node if terms.width(term) == 0 => waiting.extend(node.operands()),
            _ => {}
        }
    }
    guesses.truncate(GUESSES);
    guesses
}

/// Suggests for a variable, or a field of one, the other side's value and its neighbours.
fn suggest(
    terms: &Terms,
    current: &Model,
    side: Term,
    other: Term,
    guesses: &mut Vec<(Var, u128)>,
) {
    let (var, low, rest) = match terms.node(side) {
        Node::Var { var, .. } => (var, 0, 0),
        Node::Extract { low, of, .. } => {
            let Node::Var { var, .. } = terms.node(of) else {
                return;
            };
            let field = mask(terms.width(side)) << low;
            (var, low, current.get(var).unwrap_or(0) & !field)
        }
        _ => return,
    };
    let value = match terms.as_constant(other) {
        Some(value) => value,
        None => terms.eval(other, current),
    };
    let near = [value, value.wrapping_add(1), value.wrapping_sub(1)];
    guesses.extend(near.map(|value| (var, (value & mask(terms.width(side))) << low | rest)));
}
