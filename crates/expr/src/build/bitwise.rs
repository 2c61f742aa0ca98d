//! Bitwise operators.

use crate::semantics::mask;
use crate::{BvOp, Node, Term, Terms};

impl Terms {
    /// Bitwise complement.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match self.node(a) {
            Node::Const { value, .. } => self.constant(width, !value),
            Node::Not(x) => x,
            // -x - 1 and so on: sums keep their own form.
            Node::Neg(x) => self.add_constant(x, u128::MAX),
            Node::Binary(BvOp::Sub, ..) => self.not_of_sum(a),
            Node::Binary(BvOp::Add, _, c) if self.as_constant(c).is_some() => self.not_of_sum(a),
            Node::Ite(c, x, y) if self.both_constant(x, y) => {
                let (x, y) = (self.not(x), self.not(y));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Not(a)),
        }
    }

    /// `-a - 1`.
    fn not_of_sum(&mut self, a: Term) -> Term {
        let negated = self.neg(a);
        self.add_constant(negated, u128::MAX)
    }

    /// Bitwise conjunction.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        if let Some(simple) = self.bitwise_simple(BvOp::And, a, b) {
            return simple;
        }
        let (a, b) = self.in_order(a, b);
        let Some(bits) = self.as_constant(b) else {
            return self.plain_binary(BvOp::And, a, b);
        };
        let width = self.width(a);
        match bits {
            0 => b,
            _ if bits == mask(width) => a,
            _ => self.and_constant(a, bits),
        }
    }

    /// Bitwise disjunction.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        if let Some(simple) = self.bitwise_simple(BvOp::Or, a, b) {
            return simple;
        }
        if let Some(joined) = self.join_disjoint(a, b) {
            return joined;
        }
        let (a, b) = self.in_order(a, b);
        match self.as_constant(b) {
            Some(0) => a,
            Some(ones) if ones == mask(self.width(a)) => b,
            _ => self.plain_binary(BvOp::Or, a, b),
        }
    }

    /// Bitwise exclusive disjunction.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        if let Some(simple) = self.bitwise_simple(BvOp::Xor, a, b) {
            return simple;
        }
        if let Some(joined) = self.join_disjoint(a, b) {
            return joined;
        }
        let (a, b) = self.in_order(a, b);
        match (self.as_constant(b), self.node(a), self.node(b)) {
            (Some(0), ..) => a,
            (Some(ones), ..) if ones == mask(self.width(a)) => self.not(a),
            (Some(bits), Node::Not(x), _) => {
                let width = self.width(a);
                let bits = self.constant(width, !bits);
                self.xor(x, bits)
            }
            (None, Node::Not(x), Node::Not(y)) => self.xor(x, y),
            (None, Node::Not(x), _) => {
                let inner = self.xor(x, b);
                self.not(inner)
            }
            (None, _, Node::Not(y)) => {
                let inner = self.xor(a, y);
                self.not(inner)
            }
            _ => self.plain_binary(BvOp::Xor, a, b),
        }
    }

    /// The simplifications that all three share: equal and complementary operands, constants
    /// inside, operands that consist of pieces, and Booleans as bits.
    fn bitwise_simple(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        if let Some(folded) = self.fold(op, a, b) {
            return Some(folded);
        }
        let width = self.width(a);
        if a == b {
            return Some(if op == BvOp::Xor {
                self.constant(width, 0)
            } else {
                a
            });
        }
        let is_complement = |x: Term, y: Term| self.node(x) == Node::Not(y);
        if is_complement(a, b) || is_complement(b, a) {
            let value = if op == BvOp::And { 0 } else { mask(width) };
            return Some(self.constant(width, value));
        }
        let (a, b) = self.in_order(a, b);
        self.merge_bitwise_constants(op, a, b)
            .or_else(|| self.absorb(op, a, b))
            .or_else(|| self.bitwise_by_pieces(op, a, b))
            .or_else(|| self.bitwise_on_choices(op, a, b))
    }

    /// `(x op c) op d`.
    fn merge_bitwise_constants(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        self.as_constant(b)?;
        match self.node(a) {
            Node::Binary(inner, x, c) if inner == op => {
                let constant = self.fold(op, c, b)?;
                self.nested(|terms| terms.binary(op, x, constant))
            }
            _ => None,
        }
    }

    /// `x & (x | y)` and `x | (x & y)` are `x`; `x & (x & y)` is `x & y`.
    fn absorb(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        for (x, other) in [(a, b), (b, a)] {
            let Node::Binary(inner, y, z) = self.node(other) else {
                continue;
            };
            if y != x && z != x {
                continue;
            }
            match (op, inner) {
                (BvOp::And, BvOp::Or) | (BvOp::Or, BvOp::And) => return Some(x),
                (BvOp::And, BvOp::And) | (BvOp::Or, BvOp::Or) => return Some(other),
                (BvOp::Xor, BvOp::Xor) => return Some(if y == x { z } else { y }),
                _ => {}
            }
        }
        None
    }

    /// Splits the operation into pieces where one operand is a concatenation and the other is too,
    /// or is constant.
    fn bitwise_by_pieces(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        let low_width = match (self.low_piece(a), self.low_piece(b)) {
            (Some(x), Some(y)) => x.max(y),
            (Some(x), None) if self.as_constant(b).is_some() => x,
            _ => return None,
        };
        let top = self.width(a) - 1;
        self.nested(|terms| {
            let (a_high, b_high) = (
                terms.extract(top, low_width, a),
                terms.extract(top, low_width, b),
            );
            let high = terms.binary(op, a_high, b_high);
            let (a_low, b_low) = (
                terms.extract(low_width - 1, 0, a),
                terms.extract(low_width - 1, 0, b),
            );
            let low = terms.binary(op, a_low, b_low);
            terms.concat(high, low)
        })
    }

    /// Width of the low part of a concatenation.
    fn low_piece(&self, a: Term) -> Option<u32> {
        match self.node(a) {
            Node::Concat(_, low) => Some(self.width(low)),
            Node::ZeroExtend { of, .. } => Some(self.width(of)),
            _ => None,
        }
    }

    /// `Ite(c, k, l) op m` with constants, and `Ite(c, 1, 0) op Ite(d, 1, 0)`.
    fn bitwise_on_choices(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        let Node::Ite(c, x, y) = self.node(a) else {
            return None;
        };
        if !self.both_constant(x, y) {
            return None;
        }
        let (if_true, if_false) = match self.node(b) {
            Node::Const { .. } => (self.fold(op, x, b)?, self.fold(op, y, b)?),
            Node::Ite(d, z, w) if d == c && self.both_constant(z, w) => {
                (self.fold(op, x, z)?, self.fold(op, y, w)?)
            }
            Node::Ite(d, z, w) if z == x && w == y && self.as_constant(y) == Some(0) => {
                let c = match op {
                    BvOp::And => self.bool_and(c, d),
                    BvOp::Or => self.bool_or(c, d),
                    _ => return None,
                };
                return Some(self.ite(c, x, y));
            }
            _ => return None,
        };
        Some(self.ite(c, if_true, if_false))
    }

    /// `a & bits`, by the pieces that zeros above and below leave.
    fn and_constant(&mut self, a: Term, bits: u128) -> Term {
        let width = self.width(a);
        let low = bits.trailing_zeros();
        let high = u128::BITS - 1 - bits.leading_zeros();
        let piece = self.extract(high, low, a);
        let piece_width = high - low + 1;
        let masked = if bits >> low == mask(piece_width) {
            piece
        } else if piece_width < width {
            let bits = self.constant(piece_width, bits >> low);
            self.and(piece, bits)
        } else {
            let bits = self.constant(width, bits);
            return self.plain_binary(BvOp::And, a, bits);
        };
        let shifted = if low == 0 {
            masked
        } else {
            let zeros = self.constant(low, 0);
            self.concat(masked, zeros)
        };
        self.zero_extend(width, shifted)
    }

    /// `a | b` (or `a + b`, `a ^ b`) where one ends in zeros and the other fits below them.
    pub(crate) fn join_disjoint(&mut self, a: Term, b: Term) -> Option<Term> {
        for (above, below) in [(a, b), (b, a)] {
            let zeros = self.trailing_zeros(above);
            if zeros > 0 && zeros < self.width(a) && self.unsigned_max(below) >> zeros == 0 {
                let top = self.width(a) - 1;
                return self.nested(|terms| {
                    let high = terms.extract(top, zeros, above);
                    let low = terms.extract(zeros - 1, 0, below);
                    terms.concat(high, low)
                });
            }
        }
        None
    }

    /// The number of zeros that a term is certain to end in, as far as its form shows.
    fn trailing_zeros(&self, a: Term) -> u32 {
        let mut lowest = a;
        loop {
            match self.node(lowest) {
                Node::Concat(_, low) => lowest = low,
                Node::ZeroExtend { of, .. } => lowest = of,
                Node::Const { width, value } => return value.trailing_zeros().min(width),
                _ => return 0,
            }
        }
    }

    pub(crate) fn both_constant(&self, a: Term, b: Term) -> bool {
        self.as_constant(a).is_some() && self.as_constant(b).is_some()
    }
}
