//! Pieces: extraction, concatenation, extension.

use crate::semantics::{from_signed, mask, to_signed};
use crate::{BvOp, Node, Term, Terms};

impl Terms {
    /// Bits `high` down to `low` of a term, both included.
    pub fn extract(&mut self, high: u32, low: u32, a: Term) -> Term {
        let outer = self.width(a);
        debug_assert!(
            low <= high && high < outer,
            "bits {high} to {low} of {outer}"
        );
        if low == 0 && high + 1 == outer {
            return a;
        }
        let simple = match self.node(a) {
            Node::Const { value, .. } => Some(self.constant(high - low + 1, value >> low)),
            Node::Extract { low: by, of, .. } => {
                return self.intern(Node::Extract {
                    high: high + by,
                    low: low + by,
                    of,
                });
            }
            _ => self
                .nested(|terms| terms.extract_from(high, low, a))
                .flatten(),
        };
        simple.unwrap_or_else(|| self.intern(Node::Extract { high, low, of: a }))
    }

    fn extract_from(&mut self, high: u32, low: u32, a: Term) -> Option<Term> {
        let width = high - low + 1;
        match self.node(a) {
            Node::Concat(x, y) => Some(self.extract_from_concat(high, low, x, y)),
            Node::ZeroExtend { of, .. } => {
                let inner = self.width(of);
                if low >= inner {
                    return Some(self.constant(width, 0));
                }
                let part = self.extract(high.min(inner - 1), low, of);
                Some(self.zero_extend(width, part))
            }
            Node::SignExtend { of, .. } => {
                let sign = self.width(of) - 1;
                let part = self.extract(high.min(sign), low.min(sign), of);
                Some(self.sign_extend(width, part))
            }
            Node::Ite(c, x, y) if self.is_in_pieces(x) && self.is_in_pieces(y) => {
                let (x, y) = (self.extract(high, low, x), self.extract(high, low, y));
                Some(self.ite(c, x, y))
            }
            Node::Not(x) => {
                let part = self.extract(high, low, x);
                Some(self.not(part))
            }
            Node::Neg(x) if low == 0 && self.is_in_pieces(x) => {
                let part = self.extract(high, low, x);
                Some(self.neg(part))
            }
            Node::Binary(op, x, y) => self.extract_from_binary(high, low, (op, x, y)),
            _ => None,
        }
    }

    fn extract_from_concat(&mut self, high: u32, low: u32, x: Term, y: Term) -> Term {
        let border = self.width(y);
        if low >= border {
            return self.extract(high - border, low - border, x);
        }
        if high < border {
            return self.extract(high, low, y);
        }
        let x = self.extract(high - border, 0, x);
        let y = self.extract(border - 1, low, y);
        self.concat(x, y)
    }

    /// Low bits of sums and products come from low bits alone, and bitwise operators work on each
    /// bit; worth it where the operands become simpler.
    fn extract_from_binary(
        &mut self,
        high: u32,
        low: u32,
        (op, x, y): (BvOp, Term, Term),
    ) -> Option<Term> {
        let pays = match op {
            BvOp::Add | BvOp::Sub | BvOp::Mul if low == 0 => {
                self.is_in_pieces(x) && self.is_in_pieces(y)
            }
            BvOp::And | BvOp::Or | BvOp::Xor => {
                let all = mask(high - low + 1);
                let piece = self.as_constant(y).map(|bits| bits >> low & all);
                self.is_in_pieces(x) && self.is_in_pieces(y)
                    || piece.is_some_and(|bits| bits == 0 || bits == all)
            }
            _ => false,
        };
        pays.then(|| {
            let (x, y) = (self.extract(high, low, x), self.extract(high, low, y));
            self.binary(op, x, y)
        })
    }

    /// Whether an extraction from the term is likely to become simpler than the term.
    fn is_in_pieces(&self, a: Term) -> bool {
        matches!(
            self.node(a),
            Node::Const { .. }
                | Node::ZeroExtend { .. }
                | Node::SignExtend { .. }
                | Node::Concat(..)
        )
    }

    /// The bits of the first above those of the second.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (high_width, low_width) = (self.width(high), self.width(low));
        if self.as_constant(high) == Some(0) {
            return self.zero_extend(high_width + low_width, low);
        }
        if let Some(merged) = self.merge(high, low) {
            return merged;
        }
        let simple = match (self.node(high), self.node(low)) {
            (Node::Concat(x, y), _) => self.nested(|terms| {
                let low = terms.concat(y, low);
                terms.concat(x, low)
            }),
            (Node::ZeroExtend { of, .. }, _) => self.nested(|terms| {
                let part = terms.concat(of, low);
                terms.zero_extend(high_width + low_width, part)
            }),
            (_, Node::Concat(y, z)) => self
                .nested(|terms| {
                    let merged = terms.merge(high, y)?;
                    Some(terms.concat(merged, z))
                })
                .flatten(),
            _ => None,
        };
        simple.unwrap_or_else(|| self.intern(Node::Concat(high, low)))
    }

    /// Two neighbours as one term, if there is a simpler one than their concatenation.
    fn merge(&mut self, high: Term, low: Term) -> Option<Term> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        match (self.node(high), self.node(low)) {
            (Node::Const { value: x, .. }, Node::Const { value: y, .. }) => {
                Some(self.constant(width, x << low_width | y))
            }
            (
                Node::Extract {
                    high: top,
                    low: bottom,
                    of,
                },
                _,
            ) if bottom >= low_width => {
                let neighbour =
                    self.nested(|terms| terms.extract(bottom - 1, bottom - low_width, of))?;
                (neighbour == low).then(|| self.extract(top, bottom - low_width, of))
            }
            (Node::SignExtend { of: sign, .. }, _) if self.width(sign) == 1 => {
                let top = self.nested(|terms| terms.extract(low_width - 1, low_width - 1, low))?;
                (top == sign).then(|| self.sign_extend(width, low))
            }
            (Node::Ite(c, x, y), Node::Ite(d, z, w))
                if c == d && self.both_constant(x, y) && self.both_constant(z, w) =>
            {
                let (x, y) = (self.concat(x, z), self.concat(y, w));
                Some(self.ite(c, x, y))
            }
            (Node::Ite(c, x, y), Node::Const { .. }) if self.both_constant(x, y) => {
                let (x, y) = (self.concat(x, low), self.concat(y, low));
                Some(self.ite(c, x, y))
            }
            (Node::Const { .. }, Node::Ite(c, x, y)) if self.both_constant(x, y) => {
                let (x, y) = (self.concat(high, x), self.concat(high, y));
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }

    /// Zeros in front, up to `width` bits in all.
    pub fn zero_extend(&mut self, width: u32, a: Term) -> Term {
        debug_assert!(width >= self.width(a), "extension to {width} bits");
        match self.node(a) {
            _ if width == self.width(a) => a,
            Node::Const { value, .. } => self.constant(width, value),
            Node::ZeroExtend { of, .. } => self.intern(Node::ZeroExtend { width, of }),
            Node::Ite(c, x, y) if self.both_constant(x, y) => {
                let (x, y) = (self.zero_extend(width, x), self.zero_extend(width, y));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::ZeroExtend { width, of: a }),
        }
    }

    /// Copies of the sign in front, up to `width` bits in all.
    pub fn sign_extend(&mut self, width: u32, a: Term) -> Term {
        let inner = self.width(a);
        debug_assert!(width >= inner, "extension to {width} bits");
        match self.node(a) {
            _ if width == inner => a,
            Node::Const { value, .. } => {
                self.constant(width, from_signed(width, to_signed(inner, value)))
            }
            Node::SignExtend { of, .. } => self.intern(Node::SignExtend { width, of }),
            Node::Ite(c, x, y) if self.both_constant(x, y) => {
                let (x, y) = (self.sign_extend(width, x), self.sign_extend(width, y));
                self.ite(c, x, y)
            }
            _ if self.is_never_negative(a) => self.zero_extend(width, a),
            _ => self.intern(Node::SignExtend { width, of: a }),
        }
    }

    /// The lowest `width` bits, or an extension to `width` bits: by the sign if `signed`, as C
    /// converts integers.
    pub fn resize(&mut self, width: u32, a: Term, signed: bool) -> Term {
        if width <= self.width(a) {
            self.extract(width - 1, 0, a)
        } else if signed {
            self.sign_extend(width, a)
        } else {
            self.zero_extend(width, a)
        }
    }
}
