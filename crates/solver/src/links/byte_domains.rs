//! Queries about one small variable: its values are few enough to look at all.

use expr::{Evaluator, Model, Node, Term, Terms, Var};
use rustc_hash::FxHashMap;

use crate::{Answer, Query, Solver};

/// Answers queries with a single variable of at most 8 bits. For each constraint the values that
/// satisfy it are found once, so that a long path over one byte costs little.
pub struct ByteDomains<S> {
    next: S,
    evaluator: Evaluator,
    domains: FxHashMap<Term, Domain>,
}

/// A set of values, as bits.
type Domain = [u64; 4];

/// How many sets are kept; when there are more, all are forgotten.
const CAPACITY: usize = 1 << 17;

impl<S: Solver> ByteDomains<S> {
    /// A link in front of another.
    pub fn new(next: S) -> ByteDomains<S> {
        ByteDomains {
            next,
            evaluator: Evaluator::default(),
            domains: FxHashMap::default(),
        }
    }

    fn answer(&mut self, terms: &mut Terms, var: Var, width: u32, query: &Query<'_>) -> Answer {
        let mut left = [u64::MAX; 4];
        let domains: Vec<Domain> = query
            .constraints
            .iter()
            .map(|&c| self.domain(terms, var, width, c))
            .collect();
        for domain in &domains {
            left = intersection(left, *domain);
        }
        match preferred(left) {
            Some(value) => {
                let mut model = query.current.clone();
                model.set(var, u128::from(value));
                Answer::Sat(model)
            }
            None => Answer::Unsat(core(&domains)),
        }
    }

    /// The values that satisfy a constraint.
    fn domain(&mut self, terms: &Terms, var: Var, width: u32, constraint: Term) -> Domain {
        if let Some(&known) = self.domains.get(&constraint) {
            return known;
        }
        let mut domain = [0; 4];
        let mut model = Model::default();
        for value in 0..1u16 << width {
            model.set(var, u128::from(value));
            if self.evaluator.under(terms, &model).holds(constraint) {
                domain[usize::from(value / 64)] |= 1 << (value % 64);
            }
        }
        if self.domains.len() >= CAPACITY {
            self.domains.clear();
        }
        self.domains.insert(constraint, domain);
        domain
    }
}

impl<S: Solver> Solver for ByteDomains<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match only_variable(terms, query.constraints) {
            Some((var, width)) if width <= 8 => self.answer(terms, var, width, query),
            _ => self.next.check(terms, query),
        }
    }
}

/// The variable of all constraints, and its width, if there is only one.
fn only_variable(terms: &Terms, constraints: &[Term]) -> Option<(Var, u32)> {
    let (&first, others) = constraints.split_first()?;
    let &[var] = terms.variables(first) else {
        return None;
    };
    if others.iter().any(|&c| terms.variables(c) != [var]) {
        return None;
    }
    width_of(terms, first, var).map(|width| (var, width))
}

/// The width of the only variable of a term, found on the way down to it.
fn width_of(terms: &Terms, term: Term, var: Var) -> Option<u32> {
    let mut at = term;
    loop {
        if let Node::Var { width, .. } = terms.node(at) {
            return Some(width);
        }
        at = terms
            .node(at)
            .operands()
            .find(|&t| terms.variables(t) == [var])?;
    }
}

fn intersection(a: Domain, b: Domain) -> Domain {
    [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
}

/// The most readable value of a set: a letter or digit, then anything printable, then the smallest.
fn preferred(domain: Domain) -> Option<u8> {
    let letters = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9');
    let in_order = letters.chain(b' '..=b'~').chain(0..=255);
    let inside = |value: &u8| domain[usize::from(value / 64)] >> (value % 64) & 1 == 1;
    in_order.into_iter().find(inside)
}

/// Constraints that exclude all values together: each one that is not needed is left out, the last
/// first considered needed, since the others held so far.
fn core(domains: &[Domain]) -> Vec<usize> {
    let mut needed: Vec<usize> = (0..domains.len()).collect();
    for candidate in 0..domains.len() {
        let others = needed.iter().filter(|&&at| at != candidate);
        let left = others.fold([u64::MAX; 4], |left, &at| intersection(left, domains[at]));
        if left == [0; 4] {
            needed.retain(|&at| at != candidate);
        }
    }
    needed
}
