//! Sets of bit vectors of one width, as intervals.

use expr::{mask, to_signed};

/// A set of numbers as intervals, ends included, in increasing order, with gaps between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set(Vec<(u128, u128)>);

impl Set {
    /// No number.
    pub(super) fn empty() -> Set {
        Set(Vec::new())
    }

    /// All numbers of a width.
    pub(super) fn full(width: u32) -> Set {
        Set(vec![(0, mask(width))])
    }

    /// All or none.
    pub(super) fn constant(width: u32, holds: bool) -> Set {
        if holds {
            Set::full(width)
        } else {
            Set::empty()
        }
    }

    /// The numbers between two, ends included; wraps if the first is greater.
    pub(super) fn between(low: u128, high: u128, width: u32) -> Set {
        if low <= high {
            Set(vec![(low, high)])
        } else {
            Set::of([(0, high), (low, mask(width))])
        }
    }

    /// The numbers in any of these intervals.
    pub(super) fn of(intervals: impl IntoIterator<Item = (u128, u128)>) -> Set {
        let mut sorted: Vec<(u128, u128)> = intervals.into_iter().collect();
        sorted.sort_unstable();
        let mut joined: Vec<(u128, u128)> = Vec::with_capacity(sorted.len());
        for (low, high) in sorted {
            match joined.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        Set(joined)
    }

    pub(super) fn intervals(&self) -> &[(u128, u128)] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many intervals there are.
    pub(super) fn pieces(&self) -> usize {
        self.0.len()
    }

    pub(super) fn contains(&self, value: u128) -> bool {
        let after = self.0.partition_point(|&(low, _)| low <= value);
        after > 0 && value <= self.0[after - 1].1
    }

    pub(super) fn complement(&self, width: u32) -> Set {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut from = Some(0);
        for &(low, high) in &self.0 {
            if let Some(start) = from.filter(|&start| start < low) {
                gaps.push((start, low - 1));
            }
            from = (high < mask(width)).then(|| high + 1);
        }
        gaps.extend(from.map(|start| (start, mask(width))));
        Set(gaps)
    }

    pub(super) fn union(&self, other: &Set) -> Set {
        Set::of(self.0.iter().chain(&other.0).copied())
    }

    pub(super) fn intersection(&self, other: &Set) -> Set {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let mut common = Vec::with_capacity(a.len().max(b.len()));
        while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
            let (low, high) = (x.0.max(y.0), x.1.min(y.1));
            if low <= high {
                common.push((low, high));
            }
            if x.1 <= y.1 {
                a = &a[1..];
            } else {
                b = &b[1..];
            }
        }
        Set(common)
    }

    /// Each number moved up, modulo the width.
    pub(super) fn moved(&self, by: u128, width: u32) -> Set {
        let wrapped = |value: u128| value.wrapping_add(by) & mask(width);
        let moved = self
            .0
            .iter()
            .map(|&(low, high)| (wrapped(low), wrapped(high)));
        Set::round(moved, width)
    }

    /// The numbers of the width whose negation is in the set.
    pub(super) fn negated(&self, width: u32) -> Set {
        let negated = |value: u128| value.wrapping_neg() & mask(width);
        let turned = self
            .0
            .iter()
            .map(|&(low, high)| (negated(high), negated(low)));
        Set::round(turned, width)
    }

    /// The numbers of the width whose complement is in the set.
    pub(super) fn complemented(&self, width: u32) -> Set {
        Set::of(
            self.0
                .iter()
                .map(|&(low, high)| (mask(width) - high, mask(width) - low)),
        )
    }

    /// Intervals that may wrap.
    fn round(intervals: impl Iterator<Item = (u128, u128)>, width: u32) -> Set {
        Set::of(intervals.flat_map(|(low, high)| match low <= high {
            true => vec![(low, high)],
            false => vec![(0, high), (low, mask(width))],
        }))
    }
}

/// Known bits: `value` has them, and zeros elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) known: u128,
    pub(super) value: u128,
}

impl Bits {
    /// Both at once, unless they disagree.
    pub(super) fn and(self, other: Bits) -> Option<Bits> {
        let common = self.known & other.known;
        ((self.value ^ other.value) & common == 0).then_some(Bits {
            known: self.known | other.known,
            value: self.value | other.value,
        })
    }

    /// The least number from `from` on that has the bits.
    fn at_least(self, from: u128, width: u32) -> Option<u128> {
        let nearest = from & !self.known | self.value;
        if nearest == from {
            return Some(from);
        }
        // Above `from`: the lowest possible bit of `from` becomes 1; those above it stay.
        (0..width).find_map(|at| {
            let above = !mask(at + 1);
            let may_rise = from >> at & 1 == 0 && (self.known & !self.value) >> at & 1 == 0;
            let fits = (from ^ self.value) & self.known & above & mask(width) == 0;
            (may_rise && fits).then(|| from & above | 1 << at | self.value & !above)
        })
    }

    /// The greatest number up to `to` that has the bits.
    fn at_most(self, to: u128, width: u32) -> Option<u128> {
        let mirrored = Bits {
            known: self.known,
            value: !self.value & self.known,
        };
        let found = mirrored.at_least(!to & mask(width), width)?;
        Some(!found & mask(width))
    }
}

/// Numbers in the set with these bits that are worth a try, the best first: `current` with no more
/// than those bits changed, then the nearest to it among the ends of intervals and the numbers next
/// to itself and to zero.
pub(super) fn candidates(set: &Set, bits: Bits, current: u128, width: u32) -> Vec<u128> {
    let mut found = Vec::new();
    let here = set.intervals().partition_point(|&(low, _)| low <= current);
    let first = here.saturating_sub(PIECES_TRIED / 2);
    for &(low, high) in set.intervals().iter().skip(first).take(PIECES_TRIED) {
        let inside = |value: &u128| (low..=high).contains(value);
        let starts = [current, 0].map(|value| value.clamp(low, high));
        let above = starts.iter().filter_map(|&from| bits.at_least(from, width));
        let below = starts.iter().filter_map(|&to| bits.at_most(to, width));
        found.extend(above.chain(below).filter(inside));
        found.extend(bits.at_least(low, width).filter(inside));
        found.extend(bits.at_most(high, width).filter(inside));
    }
    let distance =
        |value: &u128| to_signed(width, value.wrapping_sub(current) & mask(width)).unsigned_abs();
    found.sort_by_key(|value| (distance(value), *value));
    found.dedup();
    let only_bits = current & !bits.known | bits.value;
    if set.contains(only_bits) {
        found.insert(0, only_bits);
    }
    found
}

/// How many intervals, around the current value, give candidates.
const PIECES_TRIED: usize = 16;

/// Whether no number of the set has the bits.
pub(super) fn is_without(set: &Set, bits: Bits, width: u32) -> bool {
    let has =
        |&(low, high): &(u128, u128)| bits.at_least(low, width).is_some_and(|value| value <= high);
    !set.intervals().iter().any(has)
}

/// The most readable character of a set with these bits: a letter or digit, then anything
/// printable, then the smallest.
pub(super) fn readable(set: &Set, bits: Bits) -> Option<u128> {
    let letters = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9');
    let in_order = letters.chain(b' '..=b'~').chain(0..=255);
    let has = |value: &u128| (value ^ bits.value) & bits.known == 0 && set.contains(*value);
    in_order.map(u128::from).find(has)
}
