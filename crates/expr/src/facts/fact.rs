//! Facts about the value of a term.

use crate::semantics::{from_signed, mask, signed_max, to_signed};

/// Bounds of a value without and with its sign, and known bits. A Bool is a number of one bit, 0 or
/// 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Width in bits.
    pub width: u32,
    /// The least value without sign.
    pub low: u128,
    /// The greatest value without sign.
    pub high: u128,
    /// The least value by sign.
    pub least: i128,
    /// The greatest value by sign.
    pub most: i128,
    /// The bits that are certain to be set.
    pub ones: u128,
    /// The bits that may be set.
    pub may: u128,
}

impl Fact {
    /// Nothing is known.
    #[inline]
    pub fn any(width: u32) -> Fact {
        Fact {
            width,
            low: 0,
            high: mask(width),
            least: -to_signed(width, signed_max(width)) - 1,
            most: to_signed(width, signed_max(width)),
            ones: 0,
            may: mask(width),
        }
    }

    /// The value is a constant.
    pub fn constant(width: u32, value: u128) -> Fact {
        Fact {
            width,
            low: value,
            high: value,
            least: to_signed(width, value),
            most: to_signed(width, value),
            ones: value,
            may: value,
        }
    }

    /// The value is a truth value.
    pub fn bool(value: bool) -> Fact {
        Fact::constant(1, u128::from(value))
    }

    /// Known bounds without sign; ends outside the width are no restriction.
    pub fn between(width: u32, low: u128, high: u128) -> Fact {
        let mut fact = Fact::any(width);
        if low <= high && high <= fact.high {
            (fact.low, fact.high) = (low, high);
        }
        fact.agreed()
    }

    /// Known bounds by sign; ends outside the width are no restriction.
    pub fn between_signed(width: u32, least: i128, most: i128) -> Fact {
        let mut fact = Fact::any(width);
        if fact.least <= least && least <= most && most <= fact.most {
            (fact.least, fact.most) = (least, most);
        }
        fact.agreed()
    }

    /// Known bits.
    pub fn bits(width: u32, ones: u128, may: u128) -> Fact {
        let mut fact = Fact::any(width);
        fact.ones = ones & mask(width);
        fact.may = may & mask(width);
        fact.agreed()
    }

    /// Whether no value is left.
    pub fn is_empty(&self) -> bool {
        self.low > self.high || self.least > self.most || self.ones & !self.may != 0
    }

    /// The value, if there is only one.
    pub fn value(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Both facts.
    #[must_use]
    #[inline]
    pub fn and(&self, other: &Fact) -> Fact {
        Fact {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
            ones: self.ones | other.ones,
            may: self.may & other.may,
        }
        .agreed()
    }

    /// The facts that hold in both cases.
    #[must_use]
    #[inline]
    pub fn or(&self, other: &Fact) -> Fact {
        Fact {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            ones: self.ones & other.ones,
            may: self.may | other.may,
        }
    }

    /// Refines bounds by bits and bits by bounds.
    #[must_use]
    #[inline]
    pub fn agreed(mut self) -> Fact {
        // A refinement of one may refine the other again; twice is enough in practice.
        for _ in 0..2 {
            if self.is_empty() {
                return self;
            }
            self.low = self.low.max(self.ones);
            self.high = self.high.min(self.may);
            self.bounds_by_sign();
            if self.low > self.high {
                return self;
            }
            // The bits above the highest in which the bounds differ are those of both.
            let differing = u128::BITS - (self.low ^ self.high).leading_zeros();
            let common = u128::MAX.checked_shl(differing).unwrap_or(0);
            self.ones |= self.low & common;
            self.may &= self.low | !common;
        }
        self
    }

    /// Bounds without sign from those by sign and the other way round, where all values have the
    /// same sign.
    fn bounds_by_sign(&mut self) {
        let width = self.width;
        if self.least >= 0 || self.most < 0 {
            self.low = self.low.max(from_signed(width, self.least));
            self.high = self.high.min(from_signed(width, self.most));
        }
        if self.high <= signed_max(width) || self.low > signed_max(width) {
            self.least = self.least.max(to_signed(width, self.low));
            self.most = self.most.min(to_signed(width, self.high));
        }
    }
}
