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
}
