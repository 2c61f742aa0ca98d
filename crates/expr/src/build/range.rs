//! Bounds on values, as far as terms show them: through sums and products however deep, through
//! other operators as far as the upper levels go.

use crate::semantics::{mask, signed_max, signed_min, to_signed};
use crate::{BvOp, Node, Term, Terms};

/// How many levels of a term are looked at, sums and products left out.
const DEPTH: u32 = 5;

/// Numbers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignedRange {
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl SignedRange {
    fn new(low: i128, high: i128) -> SignedRange {
        SignedRange { low, high }
    }

    fn of_width(width: u32) -> SignedRange {
        SignedRange::new(
            to_signed(width, signed_min(width)),
            to_signed(width, signed_max(width)),
        )
    }

    fn contains(self, other: SignedRange) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    fn union(self, other: SignedRange) -> SignedRange {
        SignedRange::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The range of an exact sum.
    pub(crate) fn add(self, other: SignedRange) -> Option<SignedRange> {
        Some(SignedRange::new(
            self.low.checked_add(other.low)?,
            self.high.checked_add(other.high)?,
        ))
    }

    /// The range of an exact difference.
    pub(crate) fn sub(self, other: SignedRange) -> Option<SignedRange> {
        Some(SignedRange::new(
            self.low.checked_sub(other.high)?,
            self.high.checked_sub(other.low)?,
        ))
    }

    /// The range of an exact product.
    pub(crate) fn mul(self, other: SignedRange) -> Option<SignedRange> {
        let corners = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        let low = corners.into_iter().min()?;
        let high = corners.into_iter().max()?;
        Some(SignedRange::new(low, high))
    }

    /// Whether all its numbers are numbers of the width.
    pub(crate) fn fits(self, width: u32) -> bool {
        SignedRange::of_width(width).contains(self)
    }
}

/// The bounds of the value of a sum or a product, since it was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    unsigned_max: u128,
    signed: SignedRange,
}

impl Bounds {
    fn of_width(width: u32) -> Bounds {
        Bounds {
            unsigned_max: mask(width),
            signed: SignedRange::of_width(width),
        }
    }
}

/// Whether the bounds of such a term are remembered.
fn is_remembered(node: Node) -> bool {
    match node {
        Node::Neg(_) => true,
        Node::Binary(op, ..) => matches!(op, BvOp::Add | BvOp::Sub | BvOp::Mul),
        _ => false,
    }
}

impl Terms {
    /// Remembers the bounds of a term that was just built, if they exclude a value.
    pub(crate) fn remember_bounds(&mut self, a: Term) {
        if is_remembered(self.node(a)) {
            let bounds = Bounds {
                unsigned_max: self.unsigned_of_node(a, DEPTH),
                signed: self.signed_of_node(a, DEPTH),
            };
            if bounds != Bounds::of_width(self.width(a)) {
                self.bounds.insert(a, bounds);
            }
        }
    }

    /// The bounds of a sum or a product; `None` for other terms.
    fn remembered_bounds(&self, a: Term) -> Option<Bounds> {
        is_remembered(self.node(a)).then(|| {
            let known = self.bounds.get(&a).copied();
            known.unwrap_or_else(|| Bounds::of_width(self.width(a)))
        })
    }

    /// An upper bound of the term's value as an unsigned number.
    pub(crate) fn unsigned_max(&self, a: Term) -> u128 {
        self.unsigned_bound(a, DEPTH)
    }

    /// Bounds of the term's value as a signed number.
    pub(crate) fn signed_range(&self, a: Term) -> SignedRange {
        self.signed_bounds(a, DEPTH)
    }

    /// Whether the sign of the term's value is surely plus.
    pub(crate) fn is_never_negative(&self, a: Term) -> bool {
        self.signed_range(a).low >= 0
    }

    fn unsigned_bound(&self, a: Term, depth: u32) -> u128 {
        match self.remembered_bounds(a) {
            Some(bounds) => bounds.unsigned_max,
            None => self.unsigned_of_node(a, depth),
        }
    }

    fn unsigned_of_node(&self, a: Term, depth: u32) -> u128 {
        let all = mask(self.width(a));
        if depth == 0 {
            return self.as_constant(a).unwrap_or(all);
        }
        let bound = |x: Term| self.unsigned_bound(x, depth - 1);
        match self.node(a) {
            Node::Const { value, .. } => value,
            Node::ZeroExtend { of, .. } => bound(of),
            Node::Concat(high, low) => (bound(high) << self.width(low)) | bound(low),
            Node::Ite(_, x, y) => bound(x).max(bound(y)),
            Node::Extract { high, low, of } => {
                let whole = bound(of);
                if whole >> high >> 1 == 0 {
                    whole >> low
                } else {
                    all
                }
            }
            Node::Binary(BvOp::And, x, y) => bound(x).min(bound(y)),
            Node::Binary(BvOp::Or | BvOp::Xor, x, y) => {
                let either = bound(x) | bound(y);
                if either == 0 {
                    0
                } else {
                    mask(u128::BITS - either.leading_zeros())
                }
            }
            Node::Binary(BvOp::Add, x, y) => bound(x)
                .checked_add(bound(y))
                .filter(|&sum| sum <= all)
                .unwrap_or(all),
            Node::Binary(BvOp::Mul, x, y) => bound(x)
                .checked_mul(bound(y))
                .filter(|&product| product <= all)
                .unwrap_or(all),
            Node::Binary(BvOp::LShr, x, _) => bound(x),
            Node::Binary(BvOp::UDiv, x, y) => match self.as_constant(y) {
                Some(divisor) => bound(x).checked_div(divisor).unwrap_or(all),
                None => all,
            },
            Node::Binary(BvOp::URem, x, y) => match self.as_constant(y) {
                Some(divisor) if divisor > 0 => bound(x).min(divisor - 1),
                _ => bound(x),
            },
            _ => all,
        }
    }

    fn signed_bounds(&self, a: Term, depth: u32) -> SignedRange {
        match self.remembered_bounds(a) {
            Some(bounds) => bounds.signed,
            None => self.signed_of_node(a, depth),
        }
    }

    fn signed_of_node(&self, a: Term, depth: u32) -> SignedRange {
        let width = self.width(a);
        let all = SignedRange::of_width(width);
        if let Node::Const { value, .. } = self.node(a) {
            let value = to_signed(width, value);
            return SignedRange::new(value, value);
        }
        if depth == 0 {
            return all;
        }
        let unsigned = self.unsigned_of_node(a, depth);
        if unsigned <= signed_max(width) {
            return SignedRange::new(0, to_signed(width, unsigned));
        }
        let bounds = |x: Term| self.signed_bounds(x, depth - 1);
        let exact = match self.node(a) {
            Node::SignExtend { of, .. } => Some(bounds(of)),
            Node::Ite(_, x, y) => Some(bounds(x).union(bounds(y))),
            Node::Neg(x) => SignedRange::new(0, 0).sub(bounds(x)),
            Node::Not(x) => SignedRange::new(-1, -1).sub(bounds(x)),
            Node::Binary(BvOp::Add, x, y) => bounds(x).add(bounds(y)),
            Node::Binary(BvOp::Sub, x, y) => bounds(x).sub(bounds(y)),
            Node::Binary(BvOp::Mul, x, y) => bounds(x).mul(bounds(y)),
            Node::Binary(BvOp::AShr, x, _) => Some(bounds(x).union(SignedRange::new(0, 0))),
            Node::Binary(BvOp::SRem, x, y) => self.remainder_bounds(bounds(x), y),
            Node::Binary(BvOp::SDiv, x, y) => self.quotient_bounds(bounds(x), y),
            _ => None,
        };
        exact.filter(|range| all.contains(*range)).unwrap_or(all)
    }

    fn remainder_bounds(&self, dividend: SignedRange, divisor: Term) -> Option<SignedRange> {
        let width = self.width(divisor);
        let divisor = to_signed(width, self.as_constant(divisor)?);
        let most = i128::try_from(divisor.unsigned_abs().checked_sub(1)?).ok()?;
        let low = if dividend.low < 0 {
            dividend.low.max(-most)
        } else {
            0
        };
        let high = if dividend.high > 0 {
            dividend.high.min(most)
        } else {
            0
        };
        Some(SignedRange::new(low, high))
    }

    fn quotient_bounds(&self, dividend: SignedRange, divisor: Term) -> Option<SignedRange> {
        let width = self.width(divisor);
        let divisor = to_signed(width, self.as_constant(divisor)?);
        let (x, y) = (
            dividend.low.checked_div(divisor)?,
            dividend.high.checked_div(divisor)?,
        );
        Some(SignedRange::new(x.min(y), x.max(y)))
    }
}
