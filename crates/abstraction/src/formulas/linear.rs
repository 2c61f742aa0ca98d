//! Terms as linear sums, modulo a power of two.
//!
//! SAT solvers find it hard that `a + (b + c)` is `(c + a) + b`: here both are one sum. Choices
//! (`c ? a : b`) are no sums; who asks decides their conditions, one case after the other.

use std::collections::BTreeMap;

use expr::{BvOp, CmpOp, Node, Term, Terms, mask, to_signed};
use rustc_hash::FxHashMap;

/// How many operators of a term are looked at. The rest are taken as they are.
const MOST_OPERATORS: usize = 400;

/// How many different terms a sum may have to be put in another order.
const MOST_SUMMANDS: usize = 16;

/// `constant + Σ coefficient * term`, of terms that are no sums themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    width: u32,
    pub constant: u128,
    /// The coefficient of each term; none is 0.
    pub coefficients: BTreeMap<Term, u128>,
}

/// The cases in which a term is looked at: conditions that hold, and that do not.
pub type Cases = FxHashMap<Term, bool>;

impl Linear {
    /// Zero.
    pub fn zero(width: u32) -> Linear {
        Linear {
            width,
            constant: 0,
            coefficients: BTreeMap::new(),
        }
    }

    /// Adds a multiple of a term. If cases are given, a choice between sums is the one of its case.
    ///
    /// # Errors
    ///
    /// The condition of a choice that no case says anything of. The sum is of no use then.
    pub fn add(
        &mut self,
        terms: &Terms,
        term: Term,
        times: u128,
        cases: Option<&Cases>,
    ) -> Result<(), Term> {
        let mut waiting = vec![(term, times)];
        let mut seen = 0;
        while let Some((term, times)) = waiting.pop() {
            let times = times & mask(self.width);
            if times == 0 {
                continue;
            }
            seen += 1;
            if seen > MOST_OPERATORS {
                self.add_atom(term, times);
                continue;
            }
            match (terms.node(term), cases) {
                (Node::Const { value, .. }, _) => self.add_constant(value.wrapping_mul(times)),
                (Node::Binary(BvOp::Add, a, b), _) => waiting.extend([(a, times), (b, times)]),
                (Node::Binary(BvOp::Sub, a, b), _) => {
                    waiting.extend([(a, times), (b, times.wrapping_neg())]);
                }
                (Node::Neg(a), _) => waiting.push((a, times.wrapping_neg())),
                (Node::Not(a), _) => {
                    self.add_constant(times.wrapping_neg());
                    waiting.push((a, times.wrapping_neg()));
                }
                (Node::Binary(BvOp::Mul, a, b), _) => {
                    match (terms.as_constant(a), terms.as_constant(b)) {
                        (Some(factor), _) => waiting.push((b, times.wrapping_mul(factor))),
                        (_, Some(factor)) => waiting.push((a, times.wrapping_mul(factor))),
                        _ => self.add_atom(term, times),
                    }
                }
                (Node::Binary(BvOp::Shl, a, b), _) => match terms.as_constant(b) {
                    Some(shift) if shift < u128::from(self.width) => {
                        waiting.push((a, times.wrapping_mul(1 << shift)));
                    }
                    _ => self.add_atom(term, times),
                },
                (Node::Concat(high, low), _) => match shifted(terms, self.width, high, low) {
                    Some((of, factor, rest)) => {
                        self.add_constant(rest.wrapping_mul(times));
                        waiting.push((of, times.wrapping_mul(factor)));
                    }
                    None => self.add_atom(term, times),
                },
                (Node::Ite(condition, a, b), Some(cases)) => {
                    match cases.get(&condition) {
                        Some(true) => waiting.push((a, times)),
                        Some(false) => waiting.push((b, times)),
                        None => return Err(condition),
                    };
                }
                _ => self.add_atom(term, times),
            }
        }
        Ok(())
    }

    /// Multiplies it.
    pub fn scale(&mut self, times: u128) {
        let before = self.clone();
        *self = Linear::zero(self.width);
        self.add_multiple(&before, times);
    }

    /// Adds a multiple of another one of this width.
    pub fn add_multiple(&mut self, other: &Linear, times: u128) {
        self.add_constant(other.constant.wrapping_mul(times));
        for (&term, &coefficient) in &other.coefficients {
            self.add_atom(term, coefficient.wrapping_mul(times));
        }
    }

    fn add_constant(&mut self, value: u128) {
        self.constant = self.constant.wrapping_add(value) & mask(self.width);
    }

    fn add_atom(&mut self, term: Term, times: u128) {
        let coefficient = self.coefficients.entry(term).or_default();
        *coefficient = coefficient.wrapping_add(times) & mask(self.width);
        if *coefficient == 0 {
            self.coefficients.remove(&term);
        }
    }

    /// Whether it is 0, whatever its terms are.
    pub fn is_zero(&self) -> bool {
        self.constant == 0 && self.coefficients.is_empty()
    }

    /// That it is 0: what has positive coefficients equals the rest, in the order of the terms.
    fn equals_zero(&self, terms: &mut Terms) -> Term {
        let constant = terms.constant(self.width, 1);
        let summands = self
            .coefficients
            .iter()
            .map(|(&term, &times)| (term, times));
        let all: Vec<(Term, u128)> = summands.chain([(constant, self.constant)]).collect();
        equation(terms, self.width, all)
    }
}

/// The number, the power of two and the rest if bits are `number * 2^n + rest`.
fn shifted(terms: &Terms, width: u32, high: Term, low: Term) -> Option<(Term, u128, u128)> {
    let rest = terms.as_constant(low)?;
    let factor = 1u128.checked_shl(terms.width(low))?;
    match terms.node(high) {
        Node::Extract { low: 0, of, .. } if terms.width(of) == width => Some((of, factor, rest)),
        _ => None,
    }
}

/// That a sum of multiples is 0: what has positive coefficients equals the rest.
pub fn equation(
    terms: &mut Terms,
    width: u32,
    summands: impl IntoIterator<Item = (Term, u128)>,
) -> Term {
    let mut sides = [None, None];
    for (term, coefficient) in summands {
        let coefficient = to_signed(width, coefficient);
        if coefficient == 0 {
            continue;
        }
        let size = terms.constant(width, coefficient.unsigned_abs());
        let product = terms.binary(BvOp::Mul, size, term);
        let side = &mut sides[usize::from(coefficient < 0)];
        *side = Some(match *side {
            Some(sum) => terms.binary(BvOp::Add, sum, product),
            None => product,
        });
    }
    let zero = terms.constant(width, 0);
    let [left, right] = sides.map(|side| side.unwrap_or(zero));
    terms.eq(left, right)
}

/// Puts equations between sums into one order.
#[derive(Clone, Debug, Default)]
pub struct Canonical {
    known: FxHashMap<Term, Term>,
}

impl Canonical {
    /// A condition with all of its equations in order. Only what conditions consist of is looked at,
    /// not the operands of choices between numbers.
    pub fn of(&mut self, terms: &mut Terms, condition: Term) -> Term {
        let mut waiting = vec![condition];
        while let Some(&term) = waiting.last() {
            if self.known.contains_key(&term) {
                waiting.pop();
                continue;
            }
            let operands = match terms.node(term) {
                Node::BoolNot(a) => [Some(a), None],
                Node::BoolAnd(a, b) | Node::BoolOr(a, b) => [Some(a), Some(b)],
                _ => [None, None],
            };
            let before = waiting.len();
            let operands = operands.into_iter().flatten();
            waiting.extend(operands.filter(|it| !self.known.contains_key(it)));
            if waiting.len() > before {
                continue;
            }
            let known = |it: Term| self.known.get(&it).copied().unwrap_or(it);
            let canonical = match terms.node(term) {
                Node::BoolNot(a) => terms.bool_not(known(a)),
                Node::BoolAnd(a, b) => terms.bool_and(known(a), known(b)),
                Node::BoolOr(a, b) => terms.bool_or(known(a), known(b)),
                Node::Compare(CmpOp::Eq, a, b) => equal(terms, a, b).unwrap_or(term),
                _ => term,
            };
            self.known.insert(term, canonical);
            waiting.pop();
        }
        self.known.get(&condition).copied().unwrap_or(condition)
    }
}

/// That two sums are equal, in the order of their terms; `None` if that is no simpler.
fn equal(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    let mut difference = Linear::zero(width);
    difference.add(terms, a, 1, None).ok()?;
    difference.add(terms, b, 1u128.wrapping_neg(), None).ok()?;
    let count = difference.coefficients.len();
    (2 < count && count <= MOST_SUMMANDS).then(|| difference.equals_zero(terms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::Var;

    #[test]
    fn sums_in_another_order_are_one_equation() {
        let mut terms = Terms::default();
        let [a, b, c, d] = [0, 1, 2, 3].map(|it| terms.var(Var(it), 32));
        let left = terms.add(a, b);
        let left = terms.add(left, c);
        let right = terms.add(b, c);
        let right = terms.sub(d, right);
        let first = terms.eq(left, d);
        let second = terms.eq(a, right);
        let mut canonical = Canonical::default();
        let (first, second) = (
            canonical.of(&mut terms, first),
            canonical.of(&mut terms, second),
        );
        assert_eq!(first, second);
    }

    #[test]
    fn choices_are_those_of_the_case() {
        let mut terms = Terms::default();
        let [a, b, c] = [0, 1, 2].map(|it| terms.var(Var(it), 8));
        let condition = terms.compare(CmpOp::Ult, b, c);
        let one = terms.constant(8, 1);
        let next = terms.add(a, one);
        let choice = terms.ite(condition, next, c);
        let mut sum = Linear::zero(8);
        let none = Cases::default();
        assert_eq!(sum.add(&terms, choice, 1, Some(&none)), Err(condition));
        let twice = terms.add(choice, choice);
        let three = terms.constant(8, 3);
        let mut sum = Linear::zero(8);
        let shifted = terms.binary(BvOp::Shl, choice, three);
        let ones = terms.constant(8, 5);
        let shifted = terms.binary(BvOp::Or, shifted, ones);
        let case_of_next = Cases::from_iter([(condition, true)]);
        assert_eq!(sum.add(&terms, shifted, 1, Some(&case_of_next)), Ok(()));
        assert_eq!((sum.constant, sum.coefficients[&a]), (13, 8));
        assert_eq!(sum.add(&terms, twice, 4, Some(&case_of_next)), Ok(()));
        assert_eq!((sum.constant, sum.coefficients[&a]), (21, 16));
        let mut sum = Linear::zero(8);
        let case = Cases::from_iter([(condition, true)]);
        assert_eq!(sum.add(&terms, choice, 2, Some(&case)), Ok(()));
        assert_eq!((sum.constant, sum.coefficients[&a]), (2, 2));
    }
}
