//! Substitution by equalities.

use expr::{BvOp, CmpOp, Evaluator, Model, Node, Substitution, Term, Terms, Var};
use rustc_hash::FxHashSet;

use crate::{Answer, Query, Solver};

/// Replaces a variable that the query says to equal a constant, or a term of other variables, in
/// all other constraints, which simplifies them: `x = c`, `x = y`, `x = y + c`, `x + y = z`. The
/// values of replaced variables are found from the model of the rest; a core has the equalities
/// that were used for its constraints.
pub struct Substitute<S> {
    next: S,
    evaluator: Evaluator,
}

/// How often the resulting constraints are searched for equalities again.
const ROUNDS: usize = 4;
/// How many operators may be built again in a round. Terms are never forgotten, so that a query
/// must not leave too many of them behind.
const OPERATORS: usize = 2_000;

/// A constraint, and the positions of those in the query that it follows from.
#[derive(Clone)]
struct Derived {
    constraint: Term,
    origins: Vec<usize>,
}

/// A query with some of its variables replaced.
struct Rest {
    constraints: Vec<Derived>,
    /// The replaced variables, in order: a term may have variables that were replaced later.
    replaced: Vec<(Var, Term)>,
}

impl<S: Solver> Substitute<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Substitute<S> {
        Substitute {
            next,
            evaluator: Evaluator::default(),
        }
    }

    /// The model of the rest with values for what was replaced.
    fn extended(&mut self, terms: &Terms, replaced: &[(Var, Term)], mut model: Model) -> Model {
        for &(var, term) in replaced.iter().rev() {
            let value = self.evaluator.under(terms, &model).eval(term);
            model.set(var, value);
        }
        model
    }

    fn ask(&mut self, terms: &mut Terms, query: &Query<'_>, rest: &Rest) -> Answer {
        let constraints: Vec<Term> = rest.constraints.iter().map(|c| c.constraint).collect();
        if constraints.is_empty() {
            let model = self.extended(terms, &rest.replaced, query.current.clone());
            return Answer::Sat(model);
        }
        match self
            .next
            .check(terms, &Query::new(&constraints, query.current))
        {
            Answer::Sat(model) => Answer::Sat(self.extended(terms, &rest.replaced, model)),
            Answer::Unsat(core) => {
                let origins = core.iter().flat_map(|&at| &rest.constraints[at].origins);
                Answer::Unsat(sorted(origins.copied().collect()))
            }
            unknown => unknown,
        }
    }
}

impl<S: Solver> Solver for Substitute<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match simplified(terms, query.constraints) {
            Simplified::Same => self.next.check(terms, query),
            Simplified::Contradiction(core) => Answer::Unsat(core),
            Simplified::Rest(rest) => self.ask(terms, query, &rest),
        }
    }
}

/// The result of simplifying a query.
enum Simplified {
    /// There are no equalities, or too much to do.
    Same,
    /// One of the constraints has become false.
    Contradiction(Vec<usize>),
    Rest(Rest),
}

fn simplified(terms: &mut Terms, constraints: &[Term]) -> Simplified {
    let mut rest = Rest {
        constraints: (0..)
            .zip(constraints)
            .map(|(at, &constraint)| Derived {
                constraint,
                origins: vec![at],
            })
            .collect(),
        replaced: Vec::new(),
    };
    for _ in 0..ROUNDS {
        let Some(equalities) = Equalities::find(terms, &rest.constraints) else {
            break;
        };
        match equalities.used(terms, &rest.constraints) {
            None => break,
            Some(Err(core)) => return Simplified::Contradiction(core),
            Some(Ok(constraints)) => rest.constraints = constraints,
        }
        rest.replaced.extend(equalities.replaced);
    }
    match rest.replaced.is_empty() {
        true => Simplified::Same,
        false => Simplified::Rest(rest),
    }
}

/// Equalities none of which has a variable that another one replaces.
struct Equalities {
    replaced: Vec<(Var, Term)>,
    /// For each of them, the position of its constraint.
    positions: Vec<usize>,
}

impl Equalities {
    fn find(terms: &mut Terms, constraints: &[Derived]) -> Option<Equalities> {
        let mut found = Equalities {
            replaced: Vec::new(),
            positions: Vec::new(),
        };
        let mut replaced: FxHashSet<Var> = FxHashSet::default();
        let mut used: FxHashSet<Var> = FxHashSet::default();
        for (at, derived) in constraints.iter().enumerate() {
            let Some((var, term)) = solved(terms, derived.constraint) else {
                continue;
            };
            let inside = terms.variables(term);
            let is_free = !replaced.contains(&var) && !used.contains(&var);
            if is_free && !inside.iter().any(|var| replaced.contains(&var)) {
                replaced.insert(var);
                used.extend(inside);
                found.replaced.push((var, term));
                found.positions.push(at);
            }
        }
        (!found.replaced.is_empty()).then_some(found)
    }

    /// The other constraints after the replacements, or a core if one is false. `None`: there is
    /// too much to build.
    fn used(
        &self,
        terms: &mut Terms,
        constraints: &[Derived],
    ) -> Option<Result<Vec<Derived>, Vec<usize>>> {
        let mut substitution = Substitution::default();
        for &(var, term) in &self.replaced {
            substitution.insert(var, term);
        }
        let mut rest = Vec::with_capacity(constraints.len());
        for (at, derived) in constraints.iter().enumerate() {
            if self.positions.binary_search(&at).is_ok() {
                continue;
            }
            let after = substitution.apply(terms, derived.constraint, OPERATORS)?;
            if after == derived.constraint {
                rest.push(derived.clone());
                continue;
            }
            let origins = self.origins(terms, constraints, derived);
            match terms.as_bool(after) {
                Some(true) => {}
                Some(false) => return Some(Err(origins)),
                None => push_conjuncts(terms, after, &origins, &mut rest),
            }
        }
        Some(Ok(rest))
    }

    /// The origins of a constraint and of the equalities of its variables.
    fn origins(&self, terms: &Terms, constraints: &[Derived], derived: &Derived) -> Vec<usize> {
        let variables = terms.variables(derived.constraint);
        let mut origins = derived.origins.clone();
        for ((var, _), &at) in self.replaced.iter().zip(&self.positions) {
            if variables.contains(*var) {
                origins.extend(&constraints[at].origins);
            }
        }
        sorted(origins)
    }
}

fn push_conjuncts(terms: &Terms, term: Term, origins: &[usize], rest: &mut Vec<Derived>) {
    let mut waiting = vec![term];
    while let Some(constraint) = waiting.pop() {
        if let Node::BoolAnd(a, b) = terms.node(constraint) {
            waiting.extend([b, a]);
        } else {
            let origins = origins.to_vec();
            rest.push(Derived {
                constraint,
                origins,
            });
        }
    }
}

/// A constraint as a variable and a term without it that it must equal.
fn solved(terms: &mut Terms, constraint: Term) -> Option<(Var, Term)> {
    let Node::Compare(CmpOp::Eq, a, b) = terms.node(constraint) else {
        return None;
    };
    solved_for(terms, a, b).or_else(|| solved_for(terms, b, a))
}

/// `side = other`, where the side is a variable or a sum with one.
fn solved_for(terms: &mut Terms, side: Term, other: Term) -> Option<(Var, Term)> {
    match terms.node(side) {
        Node::Var { var, .. } => without(terms, var, other),
        Node::Binary(BvOp::Add, x, y) => [(x, y), (y, x)].into_iter().find_map(|(x, y)| {
            let Node::Var { var, .. } = terms.node(x) else {
                return None;
            };
            without(terms, var, y)?;
            without(terms, var, other)?;
            let difference = terms.sub(other, y);
            without(terms, var, difference)
        }),
        Node::Binary(BvOp::Sub, x, y) => {
            let Node::Var { var, .. } = terms.node(x) else {
                return None;
            };
            without(terms, var, y)?;
            without(terms, var, other)?;
            let sum = terms.add(other, y);
            without(terms, var, sum)
        }
        _ => None,
    }
}

fn without(terms: &Terms, var: Var, term: Term) -> Option<(Var, Term)> {
    (!terms.variables(term).contains(var)).then_some((var, term))
}

fn sorted(mut origins: Vec<usize>) -> Vec<usize> {
    origins.sort_unstable();
    origins.dedup();
    origins
}
