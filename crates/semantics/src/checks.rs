//! The conditions under which operators are defined in C.

use expr::{BvOp, CmpOp, mask, signed_min};
use ir::{BinaryOp, DefectKind};

use crate::{Domain, Integer, Overflow};

/// A condition that operands must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The divisor is not zero.
    Divisor,
    /// The signed sum, difference or product fits.
    Fits(Overflow),
    /// The signed quotient fits: the one that does not is that of the least number and -1.
    Quotient,
    /// The negated number fits.
    Negation,
    /// A left shift of a signed number moves no ones out, nor one into the sign bit.
    ShiftedOut,
}

impl Check {
    /// The defect where the condition does not hold.
    pub fn kind(self) -> DefectKind {
        match self {
            Check::Divisor => DefectKind::DivisionByZero,
            Check::Fits(_) | Check::Quotient | Check::Negation => DefectKind::SignedOverflow,
            Check::ShiftedOut => DefectKind::BadShift,
        }
    }
}

/// The checks of an operator that is neither a comparison nor a shift, in the order in which they
/// are made. With `wraps`, signed overflow is defined to wrap (`-fwrapv`), but a quotient that does
/// not fit ends the program all the same.
pub fn checks(op: BinaryOp, ty: Integer, wraps: bool) -> impl Iterator<Item = Check> {
    let is_division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    let fits = match op {
        BinaryOp::Div | BinaryOp::Rem => Some(Check::Quotient),
        BinaryOp::Add if !wraps => Some(Check::Fits(Overflow::Add)),
        BinaryOp::Sub if !wraps => Some(Check::Fits(Overflow::Sub)),
        BinaryOp::Mul if !wraps => Some(Check::Fits(Overflow::Mul)),
        _ => None,
    };
    let divisor = is_division.then_some(Check::Divisor);
    divisor.into_iter().chain(fits.filter(|_| ty.signed))
}

/// The check of a shift, beside that of its amount ([`amount_is_safe`]).
pub fn shift_check(op: BinaryOp, ty: Integer, wraps: bool) -> Option<Check> {
    (op == BinaryOp::Shl && ty.signed && !wraps).then_some(Check::ShiftedOut)
}

/// The check of a negation.
pub fn negation_check(ty: Integer, wraps: bool) -> Option<Check> {
    (ty.signed && !wraps).then_some(Check::Negation)
}

/// The condition of a check. Both operands have the width; a negation has its operand as both, and
/// the amount of a shift is less than the width.
pub fn operands_are_safe<D: Domain>(
    domain: &mut D,
    check: Check,
    width: u32,
    a: D::Value,
    b: D::Value,
) -> D::Truth {
    let unsafe_where = match check {
        Check::Divisor => return domain.is_nonzero(width, b),
        Check::Fits(op) => domain.overflows(op, width, a, b),
        Check::Quotient => {
            let least = domain.constant(width, signed_min(width));
            let minus_one = domain.constant(width, mask(width));
            let is_least = domain.compare(CmpOp::Eq, width, a, least);
            let is_minus_one = domain.compare(CmpOp::Eq, width, b, minus_one);
            domain.and(is_least, is_minus_one)
        }
        Check::Negation => {
            let least = domain.constant(width, signed_min(width));
            domain.compare(CmpOp::Eq, width, a, least)
        }
        Check::ShiftedOut => {
            let top = domain.constant(width, u128::from(width) - 1);
            let distance = domain.binary(BvOp::Sub, width, top, b);
            let out = domain.binary(BvOp::LShr, width, a, distance);
            domain.is_nonzero(width, out)
        }
    };
    domain.not(unsafe_where)
}

/// Whether a value of a width in bits may be shifted by an amount, which has a width of its own.
pub fn amount_is_safe<D: Domain>(
    domain: &mut D,
    (amount, amount_width): (D::Value, u32),
    width: u32,
) -> D::Truth {
    let limit = domain.constant(amount_width, u128::from(width));
    domain.compare(CmpOp::Ult, amount_width, amount, limit)
}
