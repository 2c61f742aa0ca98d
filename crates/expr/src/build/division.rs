//! Quotients and remainders.

use crate::semantics::mask;
use crate::{BvOp, Node, Term, Terms};

impl Terms {
    /// Unsigned quotient; all ones when dividing by zero.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        if let Some(folded) = self.fold(BvOp::UDiv, a, b) {
            return folded;
        }
        let width = self.width(a);
        match self.as_constant(b) {
            Some(0) => self.constant(width, mask(width)),
            Some(divisor) if divisor.is_power_of_two() => {
                self.lshr_constant(a, divisor.trailing_zeros())
            }
            Some(divisor) if self.unsigned_max(a) < divisor => self.constant(width, 0),
            _ => self.intern(Node::Binary(BvOp::UDiv, a, b)),
        }
    }

    /// Unsigned remainder; the dividend when dividing by zero.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        if let Some(folded) = self.fold(BvOp::URem, a, b) {
            return folded;
        }
        let width = self.width(a);
        match self.as_constant(b) {
            Some(0) => a,
            Some(divisor) if divisor.is_power_of_two() => {
                let low = self.constant(width, divisor - 1);
                self.and(a, low)
            }
            Some(divisor) if self.unsigned_max(a) < divisor => a,
            _ => self.intern(Node::Binary(BvOp::URem, a, b)),
        }
    }

    /// Signed quotient, rounded towards zero; by zero, 1 for a negative dividend, else all ones.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        if let Some(folded) = self.fold(BvOp::SDiv, a, b) {
            return folded;
        }
        if self.is_never_negative(a) && self.is_never_negative(b) {
            return self.udiv(a, b);
        }
        let width = self.width(a);
        match self.as_constant(b) {
            Some(minus_one) if minus_one == mask(width) => self.neg(a),
            // In width 1, minus one is the only number that is not zero.
            Some(1) => a,
            _ => self.intern(Node::Binary(BvOp::SDiv, a, b)),
        }
    }

    /// Signed remainder with the sign of the dividend; by zero, the dividend.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        if let Some(folded) = self.fold(BvOp::SRem, a, b) {
            return folded;
        }
        if self.is_never_negative(a) && self.is_never_negative(b) {
            return self.urem(a, b);
        }
        let width = self.width(a);
        match self.as_constant(b) {
            Some(0) => a,
            Some(one) if one == 1 || one == mask(width) => self.constant(width, 0),
            _ => self.intern(Node::Binary(BvOp::SRem, a, b)),
        }
    }

    /// The dividend, if one term is a quotient times its divisor and the other the remainder of the
    /// same division: their sum is the dividend, for a divisor of 0 too.
    pub(super) fn dividend_of(&self, a: Term, b: Term) -> Option<Term> {
        [(a, b), (b, a)].into_iter().find_map(|(product, rest)| {
            let (Node::Binary(BvOp::Mul, x, y), Node::Binary(remainder, dividend, divisor)) =
                (self.node(product), self.node(rest))
            else {
                return None;
            };
            let quotient = match remainder {
                BvOp::URem => Node::Binary(BvOp::UDiv, dividend, divisor),
                BvOp::SRem => Node::Binary(BvOp::SDiv, dividend, divisor),
                _ => return None,
            };
            let is_product = |q: Term, d: Term| d == divisor && self.node(q) == quotient;
            (is_product(x, y) || is_product(y, x)).then_some(dividend)
        })
    }

    /// Whether the terms are the multiple of the divisor and the remainder of one signed division.
    pub(super) fn are_parts_of_dividend(&self, a: Term, b: Term) -> bool {
        let is_signed = |rest: Term| matches!(self.node(rest), Node::Binary(BvOp::SRem, ..));
        (is_signed(a) || is_signed(b)) && self.dividend_of(a, b).is_some()
    }

    /// The dividend and the divisor, if one term is a signed quotient and the other its divisor.
    pub(super) fn divided_again(&self, a: Term, b: Term) -> Option<(Term, Term)> {
        [(a, b), (b, a)]
            .into_iter()
            .find_map(|(quotient, other)| match self.node(quotient) {
                Node::Binary(BvOp::SDiv, dividend, divisor) if divisor == other => {
                    Some((dividend, divisor))
                }
                _ => None,
            })
    }
}
