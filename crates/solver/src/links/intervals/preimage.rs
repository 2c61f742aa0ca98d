//! Computes the values of its only variable for which a term has a wanted value.

use expr::{BvOp, CmpOp, Node, Term, Terms, mask, signed_max, signed_min};

use super::set::{Bits, Set};

/// The values of a constraint's variable for which it holds.
#[derive(Clone, Debug)]
pub(super) enum Domain {
    /// These exactly.
    Set(Set),
    /// Those with these bits.
    Bits(Bits),
    /// The list is too long, or an operation cannot be inverted.
    Unclear,
}

/// How many intervals a set may have.
const MOST_PIECES: usize = 1024;
/// The greatest depth of operands that are visited.
const DEPTH: u32 = 300;

/// The domain of a constraint about one variable of this width.
pub(super) fn domain(terms: &Terms, constraint: Term, width: u32) -> Domain {
    if let Some(bits) = known_bits(terms, constraint) {
        return Domain::Bits(bits);
    }
    let preimages = Preimages { terms, width };
    match preimages.of_bool(constraint, DEPTH) {
        Some(set) => Domain::Set(set),
        None => Domain::Unclear,
    }
}

/// The bits of the variable that a constraint determines: a field of it equals a constant, or a
/// single bit does not.
fn known_bits(terms: &Terms, constraint: Term) -> Option<Bits> {
    let (comparison, is_equal) = match terms.node(constraint) {
        Node::BoolNot(inner) => (inner, false),
        _ => (constraint, true),
    };
    let Node::Compare(CmpOp::Eq, field, constant) = terms.node(comparison) else {
        return None;
    };
    let Node::Extract { high, low, of } = terms.node(field) else {
        return None;
    };
    let (Node::Var { .. }, Some(value)) = (terms.node(of), terms.as_constant(constant)) else {
        return None;
    };
    let value = match is_equal {
        true => value,
        false if high == low => 1 - value,
        false => return None,
    };
    Some(Bits {
        known: mask(high - low + 1) << low,
        value: value << low,
    })
}

/// Sets of values of one variable. `None`: this method cannot find them.
struct Preimages<'a> {
    terms: &'a Terms,
    /// The variable's width.
    width: u32,
}

impl Preimages<'_> {
    /// The values for which a Bool holds.
    fn of_bool(&self, term: Term, depth: u32) -> Option<Set> {
        let depth = depth.checked_sub(1)?;
        let set = match self.terms.node(term) {
            Node::Bool(value) => Set::constant(self.width, value),
            Node::BoolNot(a) => self.of_bool(a, depth)?.complement(self.width),
            Node::BoolAnd(a, b) => {
                let (a, b) = (self.of_bool(a, depth)?, self.of_bool(b, depth)?);
                a.intersection(&b)
            }
            Node::BoolOr(a, b) => self.of_bool(a, depth)?.union(&self.of_bool(b, depth)?),
            Node::Ite(c, a, b) => {
                let c = self.of_bool(c, depth)?;
                let (a, b) = (self.of_bool(a, depth)?, self.of_bool(b, depth)?);
                self.chosen(&c, &a, &b)
            }
            Node::Compare(op, a, b) => {
                let width = self.terms.width(a);
                match (self.terms.as_constant(a), self.terms.as_constant(b)) {
                    (_, Some(value)) => self.of_bits(a, &compared(op, width, value), depth)?,
                    (Some(value), None) => self.of_bits(b, &comparing(op, width, value), depth)?,
                    (None, None) => return None,
                }
            }
            _ => return None,
        };
        (set.pieces() <= MOST_PIECES).then_some(set)
    }

    /// The values for which a bit vector is in a set.
    fn of_bits(&self, term: Term, wanted: &Set, depth: u32) -> Option<Set> {
        let depth = depth.checked_sub(1)?;
        if wanted.pieces() > MOST_PIECES {
            return None;
        }
        let width = self.terms.width(term);
        match self.terms.node(term) {
            Node::Var { .. } => Some(wanted.clone()),
            Node::Const { value, .. } => Some(Set::constant(self.width, wanted.contains(value))),
            Node::Not(a) => self.of_bits(a, &wanted.complemented(width), depth),
            Node::Neg(a) => self.of_bits(a, &wanted.negated(width), depth),
            Node::Binary(op, a, b) => {
                let constant = self.terms.as_constant(b)?;
                self.of_bits(a, &first_operands(op, width, wanted, constant)?, depth)
            }
            Node::ZeroExtend { of, .. } => {
                let narrow = Set::full(self.terms.width(of)).intersection(wanted);
                self.of_bits(of, &narrow, depth)
            }
            Node::SignExtend { of, .. } => {
                let narrow = before_sign_extension(wanted, self.terms.width(of), width);
                self.of_bits(of, &narrow, depth)
            }
            Node::Extract { high, low, of } => {
                let whole = with_field(wanted, high, low, self.terms.width(of))?;
                self.of_bits(of, &whole, depth)
            }
            Node::Concat(high, low) => self.of_concat(high, low, wanted, depth),
            Node::Ite(c, a, b) => {
                let c = self.of_bool(c, depth)?;
                let a = self.of_bits(a, wanted, depth)?;
                Some(self.chosen(&c, &a, &self.of_bits(b, wanted, depth)?))
            }
            _ => None,
        }
    }

    /// Where one part is constant, the other part.
    fn of_concat(&self, high: Term, low: Term, wanted: &Set, depth: u32) -> Option<Set> {
        let border = self.terms.width(low);
        if let Some(high) = self.terms.as_constant(high) {
            let first = high << border;
            let inside = wanted.intersection(&Set::of([(first, first | mask(border))]));
            let parts = inside.intervals().iter();
            let parts = Set::of(parts.map(|&(from, to)| (from - first, to - first)));
            return self.of_bits(low, &parts, depth);
        }
        let low = self.terms.as_constant(low)?;
        // The high parts from the first whose whole is in an interval to the last.
        let parts = wanted.intervals().iter().filter_map(|&(from, to)| {
            let first = (from >> border) + u128::from(from & mask(border) > low);
            let after = (to >> border) + u128::from(to & mask(border) >= low);
            (first < after).then(|| (first, after - 1))
        });
        self.of_bits(high, &Set::of(parts), depth)
    }

    fn chosen(&self, c: &Set, a: &Set, b: &Set) -> Set {
        let other = c.complement(self.width).intersection(b);
        c.intersection(a).union(&other)
    }
}

/// The numbers for which the comparison with a constant holds: `number op constant`.
fn compared(op: CmpOp, width: u32, value: u128) -> Set {
    let least = if op.is_signed() { signed_min(width) } else { 0 };
    match op {
        CmpOp::Eq => Set::of([(value, value)]),
        CmpOp::Ule | CmpOp::Sle => Set::between(least, value, width),
        CmpOp::Ult | CmpOp::Slt if value == least => Set::empty(),
        CmpOp::Ult | CmpOp::Slt => Set::between(least, value.wrapping_sub(1) & mask(width), width),
    }
}

/// The numbers for which the comparison of a constant holds: `constant op number`.
fn comparing(op: CmpOp, width: u32, value: u128) -> Set {
    let greatest = if op.is_signed() {
        signed_max(width)
    } else {
        mask(width)
    };
    match op {
        CmpOp::Eq => Set::of([(value, value)]),
        CmpOp::Ule | CmpOp::Sle => Set::between(value, greatest, width),
        CmpOp::Ult | CmpOp::Slt if value == greatest => Set::empty(),
        CmpOp::Ult | CmpOp::Slt => {
            Set::between(value.wrapping_add(1) & mask(width), greatest, width)
        }
    }
}

/// The first operands with which an operation on a constant gives a number of the set.
fn first_operands(op: BvOp, width: u32, wanted: &Set, constant: u128) -> Option<Set> {
    match op {
        BvOp::Add => Some(wanted.moved(constant.wrapping_neg(), width)),
        BvOp::Sub => Some(wanted.moved(constant, width)),
        BvOp::Mul => factors(width, wanted, constant),
        BvOp::UDiv if constant > 0 => {
            let quotients = wanted.intersection(&Set::of([(0, mask(width) / constant)]));
            let multiples = quotients.intervals().iter().map(|&(low, high)| {
                let last = (high * constant).saturating_add(constant - 1);
                (low * constant, last.min(mask(width)))
            });
            Some(Set::of(multiples))
        }
        BvOp::URem if constant > 0 => {
            let periods = mask(width) / constant + 1;
            let rests = wanted.intersection(&Set::of([(0, constant - 1)]));
            repeated(&rests, constant, periods, width)
        }
        _ => None,
    }
}

/// The numbers whose product with a constant is in the set. The product wraps at most once for each
/// unit of the constant as the number runs through the width.
fn factors(width: u32, wanted: &Set, constant: u128) -> Option<Set> {
    let rounds = usize::try_from(constant).ok()?;
    let pieces = wanted.pieces().checked_mul(rounds)?;
    if constant == 0 || width > 64 || pieces > MOST_PIECES {
        return None;
    }
    let all = wanted.intervals().iter().flat_map(|&(low, high)| {
        (0..constant).filter_map(move |round| {
            let first = (round << width | low).div_ceil(constant);
            let last = (round << width | high) / constant;
            (first <= last && first <= mask(width)).then(|| (first, last.min(mask(width))))
        })
    });
    Some(Set::of(all))
}

/// The numbers of `width` bits in which the bits from `high` to `low` are in the set.
fn with_field(wanted: &Set, high: u32, low: u32, width: u32) -> Option<Set> {
    let shifted = wanted.intervals().iter();
    let shifted = Set::of(shifted.map(|&(from, to)| (from << low, to << low | !mask_above(low))));
    if high + 1 == width {
        return Some(shifted);
    }
    repeated(
        &shifted,
        1 << (high + 1),
        1u128.checked_shl(width - high - 1)?,
        width,
    )
}

/// All ones from a bit on.
fn mask_above(bit: u32) -> u128 {
    u128::MAX.checked_shl(bit).unwrap_or(0)
}

/// The union of the set's copies, each moved by one more period.
fn repeated(set: &Set, period: u128, times: u128, width: u32) -> Option<Set> {
    let pieces = u128::try_from(set.pieces()).ok()?.checked_mul(times)?;
    if pieces > MOST_PIECES as u128 {
        return None;
    }
    // Of an empty set, the times are not limited: they stand inside.
    let all = set.intervals().iter().flat_map(|&(low, high)| {
        let moved = (0..times).map(move |time| {
            let by = time * period;
            (
                low.saturating_add(by),
                high.saturating_add(by).min(mask(width)),
            )
        });
        moved.filter(|&(low, _)| low <= mask(width))
    });
    Some(Set::of(all))
}

/// The numbers of `narrow` bits whose extension by the sign to `width` bits is in the set.
fn before_sign_extension(wanted: &Set, narrow: u32, width: u32) -> Set {
    let positive = Set::of([(0, signed_max(narrow))]).intersection(wanted);
    let first_negative = mask(width) - signed_max(narrow);
    let negative = Set::of([(first_negative, mask(width))]).intersection(wanted);
    let added = mask(width) - mask(narrow);
    let cut = negative.intervals().iter();
    positive.union(&Set::of(
        cut.map(|&(low, high)| (low - added, high - added)),
    ))
}

#[cfg(test)]
mod tests {
    use super::{Set, repeated, with_field};

    /// Repeating the empty set costs nothing, however often.
    #[test]
    fn the_empty_set_is_repeated_at_once() {
        let times = 1 << 120;
        assert_eq!(repeated(&Set::empty(), 256, times, 128), Some(Set::empty()));
        assert_eq!(with_field(&Set::empty(), 7, 0, 64), Some(Set::empty()));
    }
}
