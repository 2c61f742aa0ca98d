//! Decides queries about one variable by intervals of its values and by known bits.

mod preimage;
mod set;

use expr::{Evaluator, Model, Node, Term, Terms, Var};
use rustc_hash::FxHashMap;

use self::preimage::{Domain, domain};
use self::set::{Bits, Set, candidates, is_without, readable};
use crate::{Answer, Query, Solver};

/// Answers queries with a single variable of up to 64 bits. For each constraint the values that
/// satisfy it are computed once: comparisons with constants of sums, multiples, quotients, fields,
/// extensions and choices can be inverted exactly. For other constraints, all values of a byte are
/// tried; of wider variables, some that satisfy the rest, and a query is unsatisfiable only where
/// the others alone are. The chosen value is a readable one for a byte, else the nearest to the
/// current one.
pub struct Intervals<S> {
    next: S,
    evaluator: Evaluator,
    domains: FxHashMap<Term, Domain>,
    /// The intervals in all domains.
    pieces: usize,
}

/// Up to this width, a variable is taken for a character.
const BYTE: u32 = 8;
/// The widest variable.
const MOST_BITS: u32 = 64;
/// How many intervals are kept; when there are more, all domains are forgotten.
const CAPACITY: usize = 1 << 18;
/// How many values are tried on constraints that cannot be inverted.
const TRIES: usize = 16;

/// The values of a variable that constraints leave.
#[derive(Clone)]
struct Left {
    set: Set,
    /// `None` where two constraints disagree about a bit.
    bits: Option<Bits>,
    width: u32,
}

impl Left {
    fn all(width: u32) -> Left {
        Left {
            set: Set::full(width),
            bits: Some(Bits::default()),
            width,
        }
    }

    fn restrict(&mut self, domain: &Domain) {
        match domain {
            Domain::Set(set) => self.set = self.set.intersection(set),
            Domain::Bits(bits) => self.bits = self.bits.and_then(|known| known.and(*bits)),
            Domain::Unclear => {}
        }
    }

    fn is_nothing(&self) -> bool {
        let without = |bits| is_without(&self.set, bits, self.width);
        self.set.is_empty() || self.bits.is_none_or(without)
    }
}

impl<S: Solver> Intervals<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Intervals<S> {
        Intervals {
            next,
            evaluator: Evaluator::default(),
            domains: FxHashMap::default(),
            pieces: 0,
        }
    }

    /// Makes sure that the domains of all constraints are known.
    fn find_domains(&mut self, terms: &Terms, constraints: &[Term], var: Var, width: u32) {
        if self.pieces > CAPACITY {
            self.domains.clear();
            self.pieces = 0;
        }
        for &constraint in constraints {
            if !self.domains.contains_key(&constraint) {
                let domain = match domain(terms, constraint, width) {
                    Domain::Unclear if width <= BYTE => self.tried(terms, constraint, var, width),
                    domain => domain,
                };
                self.pieces += 1;
                if let Domain::Set(set) = &domain {
                    self.pieces += set.pieces();
                }
                self.domains.insert(constraint, domain);
            }
        }
    }

    /// The domain of a constraint about a byte.
    fn tried(&mut self, terms: &Terms, constraint: Term, var: Var, width: u32) -> Domain {
        let mut model = Model::default();
        let values = (0..1u128 << width).filter(|&value| {
            model.set(var, value);
            self.evaluator.under(terms, &model).holds(constraint)
        });
        Domain::Set(Set::of(values.map(|value| (value, value))))
    }

    fn answer(&mut self, terms: &Terms, query: &Query<'_>, var: Var, width: u32) -> Option<Answer> {
        self.find_domains(terms, query.constraints, var, width);
        let domains: Vec<&Domain> = query.constraints.iter().map(|c| &self.domains[c]).collect();
        let mut left = Left::all(width);
        domains.iter().for_each(|domain| left.restrict(domain));
        if left.is_nothing() {
            return Some(Answer::Unsat(core(&domains, width)));
        }
        let unclear = query.constraints.iter().zip(&domains);
        let unclear = unclear.filter(|(_, domain)| matches!(domain, Domain::Unclear));
        let unclear: Vec<Term> = unclear.map(|(&constraint, _)| constraint).collect();
        let current = query.current.get(var).unwrap_or(0);
        let bits = left.bits?;
        let values = match width <= BYTE {
            true => readable(&left.set, bits).into_iter().collect(),
            false => candidates(&left.set, bits, current, width),
        };
        let mut model = query.current.clone();
        for value in values.into_iter().take(TRIES) {
            model.set(var, value);
            let mut evaluation = self.evaluator.under(terms, &model);
            if unclear.iter().all(|&c| evaluation.holds(c)) {
                return Some(Answer::Sat(model));
            }
        }
        None
    }
}

impl<S: Solver> Solver for Intervals<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        let single =
            only_variable(terms, query.constraints).filter(|&(_, width)| width <= MOST_BITS);
        let answer = single.and_then(|(var, width)| self.answer(terms, query, var, width));
        answer.unwrap_or_else(|| self.next.check(terms, query))
    }
}

/// Up to this size, every constraint of a core is needed.
const SMALL: usize = 32;

/// Constraints that leave nothing together: the last ones that do, without those that are not
/// needed.
fn core(domains: &[&Domain], width: u32) -> Vec<usize> {
    let mut core = Vec::new();
    let mut left = Left::all(width);
    for (at, domain) in domains.iter().enumerate().rev() {
        core.push(at);
        left.restrict(domain);
        if left.is_nothing() {
            break;
        }
    }
    if core.len() <= SMALL {
        for candidate in core.clone() {
            let mut left = Left::all(width);
            let others = core.iter().filter(|&&at| at != candidate);
            others.for_each(|&at| left.restrict(domains[at]));
            if left.is_nothing() {
                core.retain(|&at| at != candidate);
            }
        }
    }
    core.sort_unstable();
    core
}

/// The variable of all constraints, and its width, if there is only one.
fn only_variable(terms: &Terms, constraints: &[Term]) -> Option<(Var, u32)> {
    let (&first, others) = constraints.split_first()?;
    let var = terms.variables(first).only()?;
    let is_only = |&c: &Term| terms.variables(c).only() == Some(var);
    if !others.iter().all(is_only) {
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
            .find(|&t| terms.variables(t).only() == Some(var))?;
    }
}
