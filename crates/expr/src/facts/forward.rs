//! Derives facts about a result from facts about its operands.

use crate::semantics::mask;
use crate::{BvOp, CmpOp, Node, Term, Terms};

use super::fact::Fact;

/// The fact about a term that follows from the known facts about its operands.
pub fn result(terms: &Terms, node: Node, of: impl Fn(Term) -> Fact) -> Fact {
    match node {
        Node::Bool(value) => Fact::bool(value),
        Node::Const { width, value } => Fact::constant(width, value),
        Node::Var { width, .. } => Fact::any(width),
        Node::Not(a) => not(&of(a)),
        Node::Neg(a) => {
            let a = of(a);
            difference(&Fact::constant(a.width, 0), &a)
        }
        Node::Binary(op, a, b) => binary(op, &of(a), &of(b)),
        Node::Compare(op, a, b) => match compared(op, &of(a), &of(b)) {
            Some(known) => Fact::bool(known),
            None => Fact::any(1),
        },
        Node::Extract { high, low, of: a } => field(&of(a), high, low),
        Node::Concat(a, b) => joined(&of(a), &of(b)),
        Node::ZeroExtend { width, of: a } => {
            let a = of(a);
            Fact::between(width, a.low, a.high).and(&Fact::bits(width, a.ones, a.may))
        }
        Node::SignExtend { width, of: a } => {
            let a = of(a);
            Fact::between_signed(width, a.least, a.most)
        }
        Node::BoolNot(a) => not(&of(a)),
        Node::BoolAnd(a, b) => binary(BvOp::And, &of(a), &of(b)),
        Node::BoolOr(a, b) => binary(BvOp::Or, &of(a), &of(b)),
        Node::Ite(c, a, b) => match of(c).value() {
            Some(1) => of(a),
            Some(_) => of(b),
            None => {
                debug_assert_eq!(terms.width(a), terms.width(b), "arms of one width");
                of(a).or(&of(b))
            }
        },
    }
}

fn not(a: &Fact) -> Fact {
    let all = mask(a.width);
    Fact::between(a.width, all - a.high, all - a.low).and(&Fact::bits(a.width, !a.may, !a.ones))
}

pub(super) fn sum(a: &Fact, b: &Fact) -> Fact {
    let signed = a.least.checked_add(b.least).zip(a.most.checked_add(b.most));
    let unsigned = a.low.checked_add(b.low).zip(a.high.checked_add(b.high));
    let unsigned = unsigned.map(|(low, high)| match low > mask(a.width) {
        // All sums wrap.
        true => (low & mask(a.width), high & mask(a.width)),
        false => (low, high),
    });
    exact(a.width, unsigned, signed)
}

pub(super) fn difference(a: &Fact, b: &Fact) -> Fact {
    let signed = a.least.checked_sub(b.most).zip(a.most.checked_sub(b.least));
    let unsigned = match a.high < b.low {
        // All differences wrap.
        true => {
            let wrapped = |x: u128, y: u128| x.wrapping_sub(y) & mask(a.width);
            Some((wrapped(a.low, b.high), wrapped(a.high, b.low)))
        }
        false => a.low.checked_sub(b.high).zip(a.high.checked_sub(b.low)),
    };
    exact(a.width, unsigned, signed)
}

fn product(a: &Fact, b: &Fact) -> Fact {
    let unsigned = a.low.checked_mul(b.low).zip(a.high.checked_mul(b.high));
    let corners = [
        (a.least, b.least),
        (a.least, b.most),
        (a.most, b.least),
        (a.most, b.most),
    ];
    let corners: Option<Vec<i128>> = corners.iter().map(|(x, y)| x.checked_mul(*y)).collect();
    let signed = corners.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
    exact(a.width, unsigned, signed)
}

/// Bounds of results that were computed exactly; those beyond the width are no restriction.
fn exact(width: u32, unsigned: Option<(u128, u128)>, signed: Option<(i128, i128)>) -> Fact {
    let unsigned = unsigned.map(|(low, high)| Fact::between(width, low, high));
    let signed = signed.map(|(least, most)| Fact::between_signed(width, least, most));
    match (unsigned, signed) {
        (Some(x), Some(y)) => x.and(&y),
        (Some(known), None) | (None, Some(known)) => known,
        (None, None) => Fact::any(width),
    }
}

fn binary(op: BvOp, a: &Fact, b: &Fact) -> Fact {
    let width = a.width;
    match op {
        BvOp::Add => sum(a, b),
        BvOp::Sub => difference(a, b),
        BvOp::Mul => product(a, b),
        BvOp::UDiv if b.low > 0 => Fact::between(width, a.low / b.high, a.high / b.low),
        BvOp::URem if b.low > 0 && a.high < b.low => *a,
        BvOp::URem if b.low > 0 => Fact::between(width, 0, a.high.min(b.high - 1)),
        BvOp::SDiv if a.least >= 0 && b.least > 0 => binary(BvOp::UDiv, a, b),
        BvOp::SRem if a.least >= 0 && b.least > 0 => binary(BvOp::URem, a, b),
        BvOp::SRem if b.least > 0 => Fact::between_signed(
            width,
            (1 - b.most).max(a.least.min(0)),
            (b.most - 1).min(a.most.max(0)),
        ),
        BvOp::And => Fact::bits(width, a.ones & b.ones, a.may & b.may).and(&Fact::between(
            width,
            0,
            a.high.min(b.high),
        )),
        BvOp::Or => Fact::bits(width, a.ones | b.ones, a.may | b.may).and(&Fact::between(
            width,
            a.low.max(b.low),
            mask(width),
        )),
        BvOp::Xor => {
            let both = (a.ones & !b.may) | (b.ones & !a.may);
            Fact::bits(width, both, (a.may | b.may) & !(a.ones & b.ones))
        }
        BvOp::Shl => {
            match b.value().and_then(|by| u32::try_from(by).ok()) {
                Some(by) if by < width => product(a, &Fact::constant(width, 1 << by))
                    .and(&Fact::bits(width, a.ones << by, a.may << by)),
                _ => Fact::any(width),
            }
        }
        BvOp::LShr => Fact::between(width, shifted(a.low, b.high), shifted(a.high, b.low)),
        BvOp::AShr if a.least >= 0 => binary(BvOp::LShr, a, b),
        _ => Fact::any(width),
    }
}

fn shifted(value: u128, by: u128) -> u128 {
    let by = u32::try_from(by).ok();
    by.and_then(|by| value.checked_shr(by)).unwrap_or(0)
}

/// The result of a comparison, if only one is possible.
pub(super) fn compared(op: CmpOp, a: &Fact, b: &Fact) -> Option<bool> {
    match op {
        CmpOp::Eq if a.and(b).is_empty() => Some(false),
        CmpOp::Eq => (a.value()? == b.value()?).then_some(true),
        CmpOp::Ult if a.high < b.low => Some(true),
        CmpOp::Ult if a.low >= b.high => Some(false),
        CmpOp::Ule if a.high <= b.low => Some(true),
        CmpOp::Ule if a.low > b.high => Some(false),
        CmpOp::Slt if a.most < b.least => Some(true),
        CmpOp::Slt if a.least >= b.most => Some(false),
        CmpOp::Sle if a.most <= b.least => Some(true),
        CmpOp::Sle if a.least > b.most => Some(false),
        _ => None,
    }
}

pub(super) fn field(a: &Fact, high: u32, low: u32) -> Fact {
    let width = high - low + 1;
    let bits = Fact::bits(width, a.ones >> low, a.may >> low);
    // The bounds are those of the field if what stands above it is the same in both.
    match (a.low ^ a.high) >> low >> (width - 1) >> 1 {
        0 => {
            let cut = |value: u128| value >> low & mask(width);
            bits.and(&Fact::between(width, cut(a.low), cut(a.high)))
        }
        _ => bits,
    }
}

fn joined(a: &Fact, b: &Fact) -> Fact {
    let (width, border) = (a.width + b.width, b.width);
    let join = |high: u128, low: u128| high << border | low;
    Fact::between(width, join(a.low, b.low), join(a.high, b.high)).and(&Fact::bits(
        width,
        join(a.ones, b.ones),
        join(a.may, b.may),
    ))
}

/// The fact about a number of fewer bits whose extension by the sign has this fact.
pub(super) fn before_sign_extension(extended: &Fact, width: u32) -> Fact {
    let narrow = Fact::any(width);
    let bounds = Fact::between_signed(
        width,
        extended.least.max(narrow.least),
        extended.most.min(narrow.most),
    );
    bounds.and(&Fact::bits(width, extended.ones, extended.may))
}
