//! Conditions for a signed result out of range, without terms wider than 128 bits.

use super::range::SignedRange;
use crate::semantics::{mask, signed_max, signed_min, to_signed};
use crate::{Term, Terms};

impl Terms {
    /// Whether the signed sum does not fit the operands' width.
    pub fn add_overflows(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.in_order(a, b);
        let width = self.width(a);
        // The parts of a signed division have the dividend's sign, and are together the dividend.
        if self.always_fits(a, b, SignedRange::add) || self.are_parts_of_dividend(a, b) {
            return self.bool(false);
        }
        if let Some(constant) = self.as_constant(b) {
            // a + c > max or a + c < min, with c on the other side.
            if to_signed(width, constant) >= 0 {
                let most = self.constant(width, signed_max(width).wrapping_sub(constant));
                return self.slt(most, a);
            }
            let least = self.constant(width, signed_min(width).wrapping_sub(constant));
            return self.slt(a, least);
        }
        // The operands' signs agree and the result's is another.
        let sum = self.add(a, b);
        let (x, y) = (self.xor(a, sum), self.xor(b, sum));
        let sign = self.and(x, y);
        self.is_negative(sign)
    }

    /// Whether the signed difference does not fit the operands' width.
    pub fn sub_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if self.always_fits(a, b, SignedRange::sub) {
            return self.bool(false);
        }
        if let Some(constant) = self.as_constant(b) {
            if to_signed(width, constant) >= 0 {
                let least = self.constant(width, signed_min(width).wrapping_add(constant));
                return self.slt(a, least);
            }
            let most = self.constant(width, signed_max(width).wrapping_add(constant));
            return self.slt(most, a);
        }
        // The operands' signs differ and the result's is not the first's.
        let difference = self.sub(a, b);
        let (x, y) = (self.xor(a, b), self.xor(a, difference));
        let sign = self.and(x, y);
        self.is_negative(sign)
    }

    /// Whether the signed product does not fit the operands' width.
    pub fn mul_overflows(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.in_order(a, b);
        let width = self.width(a);
        if self.always_fits(a, b, SignedRange::mul) {
            return self.bool(false);
        }
        if let Some((dividend, divisor)) = self.divided_again(a, b) {
            // Only the quotient itself may not fit.
            let least = self.constant(width, signed_min(width));
            let minus_one = self.constant(width, mask(width));
            let is_least = self.eq(dividend, least);
            let is_minus_one = self.eq(divisor, minus_one);
            return self.bool_and(is_least, is_minus_one);
        }
        if let Some(constant) = self.as_constant(b) {
            return self.mul_constant_overflows(a, to_signed(width, constant));
        }
        if width <= crate::MAX_WIDTH / 2 {
            let (wide_a, wide_b) = (
                self.sign_extend(2 * width, a),
                self.sign_extend(2 * width, b),
            );
            let exact = self.mul(wide_a, wide_b);
            let low = self.extract(width - 1, 0, exact);
            let back = self.sign_extend(2 * width, low);
            return self.ne(back, exact);
        }
        self.mul_overflows_by_division(a, b)
    }

    /// Whether the signed negation does not fit the operand's width.
    pub fn neg_overflows(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let least = self.constant(width, signed_min(width));
        self.eq(a, least)
    }

    /// `a * factor` fits exactly for the `a` from `ceil(min / factor)` to `floor(max / factor)`,
    /// or the other way round for a negative factor.
    fn mul_constant_overflows(&mut self, a: Term, factor: i128) -> Term {
        let width = self.width(a);
        match factor {
            0 | 1 => return self.bool(false),
            -1 => return self.neg_overflows(a),
            _ => {}
        }
        // Division rounds towards zero, so both bounds are rounded inwards.
        let by_min = to_signed(width, signed_min(width)) / factor;
        let by_max = to_signed(width, signed_max(width)) / factor;
        let least = self.constant(width, by_min.min(by_max) as u128);
        let most = self.constant(width, by_min.max(by_max) as u128);
        let (below, above) = (self.slt(a, least), self.slt(most, a));
        self.bool_or(below, above)
    }

    /// The product divided by one factor gives the other one only if no bits were lost; -1 times
    /// the least number is the one exception, as that quotient overflows too.
    fn mul_overflows_by_division(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let product = self.mul(a, b);
        let quotient = self.sdiv(product, a);
        let lost = self.ne(quotient, b);
        let nonzero = self.is_nonzero(a);
        let usual = self.bool_and(nonzero, lost);
        let minus_one = self.constant(width, mask(width));
        let (negates, least) = (self.eq(a, minus_one), self.neg_overflows(b));
        let exception = self.bool_and(negates, least);
        self.bool_or(usual, exception)
    }

    fn always_fits(
        &self,
        a: Term,
        b: Term,
        exact: fn(SignedRange, SignedRange) -> Option<SignedRange>,
    ) -> bool {
        let range = exact(self.signed_range(a), self.signed_range(b));
        range.is_some_and(|range| range.fits(self.width(a)))
    }

    fn is_negative(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let zero = self.constant(width, 0);
        self.slt(a, zero)
    }
}
