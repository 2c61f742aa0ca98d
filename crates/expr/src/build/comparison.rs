//! Comparisons.

use crate::result_cache::Operation;
use crate::semantics::{from_signed, inverse_of_odd, mask, signed_max, signed_min, to_signed};
use crate::{BvOp, CmpOp, Node, Term, Terms};

impl Terms {
    /// Equality of two bit vectors of one width.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.in_order(a, b);
        self.remembered(Operation::Compare(CmpOp::Eq, a, b), |terms| {
            terms.build_eq(a, b)
        })
    }

    fn build_eq(&mut self, a: Term, b: Term) -> Term {
        if let Some(known) = self.compare_known(CmpOp::Eq, a, b) {
            return known;
        }
        let simple = self.nested(|terms| match terms.as_constant(b) {
            Some(value) => terms.eq_constant(a, value),
            None => terms.eq_terms(a, b),
        });
        simple
            .flatten()
            .unwrap_or_else(|| self.intern(Node::Compare(CmpOp::Eq, a, b)))
    }

    /// Inequality.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.bool_not(equal)
    }

    /// Unsigned less than.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.less(CmpOp::Ult, a, b)
    }

    /// Unsigned less than or equal.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        self.less_or_equal(CmpOp::Ule, a, b)
    }

    /// Signed less than.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.less(CmpOp::Slt, a, b)
    }

    /// Signed less than or equal.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        self.less_or_equal(CmpOp::Sle, a, b)
    }

    /// The result that constants, bounds and equal operands determine.
    fn compare_known(&mut self, op: CmpOp, a: Term, b: Term) -> Option<Term> {
        debug_assert_eq!(
            self.width(a),
            self.width(b),
            "{op:?}: operands of one width"
        );
        if a == b {
            return Some(self.bool(matches!(op, CmpOp::Eq | CmpOp::Ule | CmpOp::Sle)));
        }
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return Some(self.bool(crate::eval_compare(op, width, x, y)));
        }
        let known = match op {
            CmpOp::Eq => {
                let (x, y) = (self.signed_range(a), self.signed_range(b));
                (x.high < y.low || y.high < x.low).then_some(false)
            }
            CmpOp::Slt | CmpOp::Sle => {
                let (x, y) = (self.signed_range(a), self.signed_range(b));
                match op {
                    _ if x.high < y.low => Some(true),
                    _ if y.high < x.low => Some(false),
                    CmpOp::Sle if x.high == y.low => Some(true),
                    CmpOp::Slt if y.high == x.low => Some(false),
                    _ => None,
                }
            }
            // Only the upper bounds are known, and the values of constants.
            CmpOp::Ult | CmpOp::Ule => match (self.as_constant(a), self.as_constant(b)) {
                (_, Some(y)) => {
                    let most = self.unsigned_max(a);
                    (most < y || op == CmpOp::Ule && most == y).then_some(true)
                }
                (Some(x), _) => {
                    let most = self.unsigned_max(b);
                    (most < x || op == CmpOp::Ult && most == x).then_some(false)
                }
                _ => None,
            },
        }?;
        Some(self.bool(known))
    }

    fn less(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        self.remembered(Operation::Compare(op, a, b), |terms| {
            terms.build_less(op, a, b)
        })
    }

    fn build_less(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        if let Some(known) = self.compare_known(op, a, b) {
            return known;
        }
        if op == CmpOp::Slt && self.is_never_negative(a) && self.is_never_negative(b) {
            return self.less(CmpOp::Ult, a, b);
        }
        if let Some(edge) = self.less_at_edge(op, a, b) {
            return edge;
        }
        let simple = self.nested(|terms| terms.less_by_parts(op, a, b));
        simple
            .flatten()
            .unwrap_or_else(|| self.intern(Node::Compare(op, a, b)))
    }

    /// `a ≤ b`: strict where one is a constant.
    fn less_or_equal(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        self.remembered(Operation::Compare(op, a, b), |terms| {
            terms.build_less_or_equal(op, a, b)
        })
    }

    fn build_less_or_equal(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        if let Some(known) = self.compare_known(op, a, b) {
            return known;
        }
        let width = self.width(a);
        let strict = if op.is_signed() {
            CmpOp::Slt
        } else {
            CmpOp::Ult
        };
        // The bounds above have settled `a ≤ greatest` and `least ≤ b`, so nothing wraps.
        if let Some(value) = self.as_constant(b) {
            let above = self.constant(width, value.wrapping_add(1));
            return self.less(strict, a, above);
        }
        if let Some(value) = self.as_constant(a) {
            let (least, _) = extremes(op, width);
            if value == least {
                return self.bool(true);
            }
            let below = self.constant(width, value.wrapping_sub(1));
            return self.less(strict, below, b);
        }
        if op == CmpOp::Sle && self.is_never_negative(a) && self.is_never_negative(b) {
            return self.less_or_equal(CmpOp::Ule, a, b);
        }
        // As the strict form of the opposite, if that is simpler than a comparison.
        match self
            .nested(|terms| terms.less_by_parts(strict, b, a))
            .flatten()
        {
            Some(simple) => self.bool_not(simple),
            None => self.intern(Node::Compare(op, a, b)),
        }
    }

    /// `a < b` where a constant leaves one value only, or all but one, or tests the sign.
    fn less_at_edge(&mut self, op: CmpOp, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let (least, greatest) = extremes(op, width);
        if let Some(value) = self.as_constant(b) {
            if value == least {
                return Some(self.bool(false));
            }
            if value == least.wrapping_add(1) & mask(width) {
                return Some(self.eq_value(a, least));
            }
            if value == greatest {
                let equal = self.eq_value(a, greatest);
                return Some(self.bool_not(equal));
            }
            if op == CmpOp::Ult && value == signed_min(width) {
                let minus_one = self.constant(width, mask(width));
                return Some(self.slt(minus_one, a));
            }
        }
        if let Some(value) = self.as_constant(a) {
            if value == greatest {
                return Some(self.bool(false));
            }
            if value == greatest.wrapping_sub(1) & mask(width) {
                return Some(self.eq_value(b, greatest));
            }
            if value == least {
                let equal = self.eq_value(b, least);
                return Some(self.bool_not(equal));
            }
            if op == CmpOp::Ult && value == signed_max(width) {
                let zero = self.constant(width, 0);
                return Some(self.slt(b, zero));
            }
        }
        None
    }

    fn eq_value(&mut self, a: Term, value: u128) -> Term {
        let width = self.width(a);
        let value = self.constant(width, value);
        self.eq(a, value)
    }

    fn eq_constant(&mut self, a: Term, value: u128) -> Option<Term> {
        let width = self.width(a);
        Some(match self.node(a) {
            // A bit is 0 when it is not 1.
            _ if width == 1 && value == 0 => {
                let set = self.eq_value(a, 1);
                self.bool_not(set)
            }
            Node::Not(x) => self.eq_value(x, !value),
            Node::Neg(x) => self.eq_value(x, value.wrapping_neg()),
            Node::ZeroExtend { of, .. } => {
                let inner = self.width(of);
                if value & !mask(inner) != 0 {
                    return Some(self.bool(false));
                }
                self.eq_value(of, value)
            }
            Node::SignExtend { of, .. } => {
                let inner = self.width(of);
                if from_signed(width, to_signed(inner, value)) != value {
                    return Some(self.bool(false));
                }
                self.eq_value(of, value)
            }
            Node::Concat(x, y) => {
                let border = self.width(y);
                let (high, low) = (self.eq_value(x, value >> border), self.eq_value(y, value));
                self.bool_and(high, low)
            }
            Node::Ite(c, x, y) if self.as_constant(x).or(self.as_constant(y)).is_some() => {
                let (x, y) = (self.eq_value(x, value), self.eq_value(y, value));
                self.ite(c, x, y)
            }
            Node::Binary(op, x, y) => return self.eq_constant_binary((op, x, y), value),
            _ => return None,
        })
    }

    fn eq_constant_binary(&mut self, (op, x, y): (BvOp, Term, Term), value: u128) -> Option<Term> {
        Some(match (op, self.as_constant(y)) {
            (BvOp::Add, Some(c)) => self.eq_value(x, value.wrapping_sub(c)),
            (BvOp::Xor, Some(c)) => self.eq_value(x, value ^ c),
            // An odd factor has an inverse.
            (BvOp::Mul, Some(c)) if c & 1 == 1 => {
                self.eq_value(x, value.wrapping_mul(inverse_of_odd(c)))
            }
            (BvOp::And, Some(c)) if value & !c != 0 => self.bool(false),
            (BvOp::Or, Some(c)) if c & !value != 0 => self.bool(false),
            (BvOp::Sub | BvOp::Xor, None) if value == 0 => self.eq(x, y),
            (BvOp::Or, None) if value == 0 => {
                let (x, y) = (self.eq_value(x, 0), self.eq_value(y, 0));
                self.bool_and(x, y)
            }
            _ => return None,
        })
    }

    /// Equality of two terms, neither constant.
    fn eq_terms(&mut self, a: Term, b: Term) -> Option<Term> {
        if let Some(moved) = self.eq_with_constant_moved(a, b) {
            return Some(moved);
        }
        match (self.node(a), self.node(b)) {
            (Node::Neg(x), Node::Neg(y)) => Some(self.eq(x, y)),
            (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. }) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(width, x), self.zero_extend(width, y));
                Some(self.eq(x, y))
            }
            (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. }) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(width, x), self.sign_extend(width, y));
                Some(self.eq(x, y))
            }
            (Node::Concat(x, y), Node::Concat(z, w)) if self.width(y) == self.width(w) => {
                let (high, low) = (self.eq(x, z), self.eq(y, w));
                Some(self.bool_and(high, low))
            }
            (Node::Binary(BvOp::Xor, x, y), Node::Binary(BvOp::Xor, z, w)) if y == w => {
                Some(self.eq(x, z))
            }
            _ => None,
        }
    }

    /// `x + c = y + d` as `x = y + (d - c)`, where `x` was built before `y`.
    fn eq_with_constant_moved(&mut self, a: Term, b: Term) -> Option<Term> {
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        let (x, y) = (x.ok()?, y.ok()?);
        let (first, second, constant) = if x <= y {
            (x, y, d.wrapping_sub(c))
        } else {
            (y, x, c.wrapping_sub(d))
        };
        let second = self.add_constant(second, constant);
        let moved = self.in_order(first, second);
        (moved != (a, b)).then(|| self.eq(first, second))
    }

    /// `a < b` through extensions, concatenations and choices.
    fn less_by_parts(&mut self, op: CmpOp, a: Term, b: Term) -> Option<Term> {
        match (self.as_constant(a), self.as_constant(b)) {
            (None, Some(value)) => self.less_than_constant(op, a, value),
            (Some(value), None) => self.greater_than_constant(op, value, b),
            _ => self.less_terms(op, a, b),
        }
    }

    fn less_terms(&mut self, op: CmpOp, a: Term, b: Term) -> Option<Term> {
        match (self.node(a), self.node(b)) {
            (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. }) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(width, x), self.zero_extend(width, y));
                Some(self.less(CmpOp::Ult, x, y))
            }
            // Extending by sign keeps the unsigned order too.
            (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. }) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(width, x), self.sign_extend(width, y));
                Some(self.less(op, x, y))
            }
            (Node::Concat(x, y), Node::Concat(z, w)) if y == w => Some(self.less(op, x, z)),
            (Node::Concat(x, y), Node::Concat(z, w))
                if x == z && self.width(y) == self.width(w) =>
            {
                Some(self.less(CmpOp::Ult, y, w))
            }
            _ => None,
        }
    }

    fn less_than_constant(&mut self, op: CmpOp, a: Term, value: u128) -> Option<Term> {
        match self.node(a) {
            Node::ZeroExtend { .. } | Node::SignExtend { .. } => {
                Some(match self.narrow(op, a, value)? {
                    Narrowed::Bound(of, bound) => self.less(op, of, bound),
                    Narrowed::BetweenHalves(of) => self.is_not_negative(of),
                })
            }
            Node::Concat(x, y) => {
                let (high, low) = self.split_constant(x, y, value);
                match self.as_constant(y) {
                    Some(y) if y < low => Some(self.less_or_equal(or_equal(op), x, high)),
                    Some(_) => Some(self.less(op, x, high)),
                    None if low == 0 => Some(self.less(op, x, high)),
                    None => None,
                }
            }
            Node::Ite(c, x, y) if self.both_constant(x, y) => {
                let bound = self.constant(self.width(a), value);
                let (x, y) = (self.less(op, x, bound), self.less(op, y, bound));
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }

    fn greater_than_constant(&mut self, op: CmpOp, value: u128, b: Term) -> Option<Term> {
        match self.node(b) {
            Node::ZeroExtend { .. } | Node::SignExtend { .. } => {
                Some(match self.narrow(op, b, value)? {
                    Narrowed::Bound(of, bound) => self.less(op, bound, of),
                    Narrowed::BetweenHalves(of) => {
                        let not_negative = self.is_not_negative(of);
                        self.bool_not(not_negative)
                    }
                })
            }
            Node::Concat(x, y) => {
                let (high, low) = self.split_constant(x, y, value);
                let greatest_low = mask(self.width(y));
                match self.as_constant(y) {
                    Some(y) if low < y => Some(self.less_or_equal(or_equal(op), high, x)),
                    Some(_) => Some(self.less(op, high, x)),
                    None if low == greatest_low => Some(self.less(op, high, x)),
                    None => None,
                }
            }
            Node::Ite(c, x, y) if self.both_constant(x, y) => {
                let bound = self.constant(self.width(b), value);
                let (x, y) = (self.less(op, bound, x), self.less(op, bound, y));
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }

    /// The comparison of an extended term with a constant, in terms of its operand.
    fn narrow(&mut self, op: CmpOp, extended: Term, value: u128) -> Option<Narrowed> {
        let outer = self.width(extended);
        let (of, back) = match self.node(extended) {
            Node::ZeroExtend { of, .. } if op == CmpOp::Ult => (of, value & mask(self.width(of))),
            Node::SignExtend { of, .. } => {
                (of, from_signed(outer, to_signed(self.width(of), value)))
            }
            _ => return None,
        };
        if back == value {
            return Some(Narrowed::Bound(of, self.constant(self.width(of), value)));
        }
        let by_sign = matches!(self.node(extended), Node::SignExtend { .. });
        (by_sign && op == CmpOp::Ult).then_some(Narrowed::BetweenHalves(of))
    }

    /// The part of a constant that belongs to the high part of a concatenation, as a term, and the
    /// one that belongs to the low part.
    fn split_constant(&mut self, high: Term, low: Term, value: u128) -> (Term, u128) {
        let border = self.width(low);
        (
            self.constant(self.width(high), value >> border),
            value & mask(border),
        )
    }

    fn is_not_negative(&mut self, a: Term) -> Term {
        let minus_one = self.constant(self.width(a), u128::MAX);
        self.slt(minus_one, a)
    }
}

/// The simplified form of a comparison of an extended term with a constant.
enum Narrowed {
    /// The same comparison of the operand with this constant.
    Bound(Term, Term),
    /// The constant lies above all extended numbers that are not negative, and below the others
    /// (which are large without sign).
    BetweenHalves(Term),
}

/// The least and the greatest number, as bits.
fn extremes(op: CmpOp, width: u32) -> (u128, u128) {
    if op.is_signed() {
        (signed_min(width), signed_max(width))
    } else {
        (0, mask(width))
    }
}

fn or_equal(strict: CmpOp) -> CmpOp {
    if strict.is_signed() {
        CmpOp::Sle
    } else {
        CmpOp::Ule
    }
}
