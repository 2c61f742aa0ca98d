//! The common operations on concrete numbers of up to 64 bits, as fast as the machine needs them.
//!
//! They say nothing that [`crate::binary`], [`crate::compare`] and [`crate::convert`] with their
//! checks do not: tests hold them to these. `None` stands for what needs a closer look: a result
//! that C leaves undefined, or a wider type.

use ir::BinaryOp;

use crate::Integer;

/// The common operations on numbers of up to 64 bits; `None` where something is to be looked at
/// more closely.
#[inline(always)]
pub fn binary(op: BinaryOp, ty: Integer, a: u64, b: u64) -> Option<u64> {
    let width = ty.width;
    if width == 32 {
        return binary_32(op, ty.signed, a as u32, b as u32).map(u64::from);
    }
    if width > 64 {
        return None;
    }
    let cut = cut(width);
    match op {
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        _ if ty.signed => {
            let shift = 64 - width;
            let (x, y) = (
                ((a << shift) as i64) >> shift,
                ((b << shift) as i64) >> shift,
            );
            let fits = |result: i64| ((result << shift) >> shift) == result;
            let result = match op {
                BinaryOp::Add => x.checked_add(y)?,
                BinaryOp::Sub => x.checked_sub(y)?,
                BinaryOp::Mul => x.checked_mul(y)?,
                BinaryOp::Div => x.checked_div(y)?,
                // It is undefined where the quotient does not fit.
                BinaryOp::Rem if fits(x.checked_div(y)?) => x.checked_rem(y)?,
                _ => return None,
            };
            fits(result).then_some(result as u64 & cut)
        }
        BinaryOp::Add => Some(a.wrapping_add(b) & cut),
        BinaryOp::Sub => Some(a.wrapping_sub(b) & cut),
        BinaryOp::Mul => Some(a.wrapping_mul(b) & cut),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        _ => None,
    }
}

#[inline(always)]
fn binary_32(op: BinaryOp, signed: bool, a: u32, b: u32) -> Option<u32> {
    match (op, signed) {
        (BinaryOp::Add, false) => Some(a.wrapping_add(b)),
        (BinaryOp::Sub, false) => Some(a.wrapping_sub(b)),
        (BinaryOp::Mul, false) => Some(a.wrapping_mul(b)),
        (BinaryOp::Div, false) => a.checked_div(b),
        (BinaryOp::Rem, false) => a.checked_rem(b),
        (BinaryOp::Add, true) => (a as i32).checked_add(b as i32).map(|r| r as u32),
        (BinaryOp::Sub, true) => (a as i32).checked_sub(b as i32).map(|r| r as u32),
        (BinaryOp::Mul, true) => (a as i32).checked_mul(b as i32).map(|r| r as u32),
        (BinaryOp::Div, true) => (a as i32).checked_div(b as i32).map(|r| r as u32),
        (BinaryOp::Rem, true) => (a as i32).checked_rem(b as i32).map(|r| r as u32),
        (BinaryOp::And, _) => Some(a & b),
        (BinaryOp::Or, _) => Some(a | b),
        (BinaryOp::Xor, _) => Some(a ^ b),
        _ => None,
    }
}

/// Shifts of up to 64 bits without anything to be looked at more closely.
#[inline(always)]
pub fn shift(op: BinaryOp, ty: Integer, a: u64, b: u64) -> Option<u64> {
    let width = ty.width;
    if width > 64 || b >= u64::from(width) {
        return None;
    }
    match (op, ty.signed) {
        (BinaryOp::Shr, false) => Some(a >> b),
        (BinaryOp::Shl, false) => Some((a << b) & cut(width)),
        (BinaryOp::Shr, true) => {
            let shift = 64 - width;
            Some(((((a << shift) as i64) >> shift) >> b) as u64 & cut(width))
        }
        _ => None,
    }
}

/// Comparisons of up to 64 bits.
#[inline(always)]
pub fn compare(op: BinaryOp, ty: Integer, a: u64, b: u64) -> Option<bool> {
    let width = ty.width;
    if width > 64 {
        return None;
    }
    let (x, y) = if ty.signed {
        let shift = 64 - width;
        (
            ((a << shift) as i64) >> shift,
            ((b << shift) as i64) >> shift,
        )
    } else {
        // Moves the unsigned order onto the signed one.
        ((a ^ 1 << 63) as i64, (b ^ 1 << 63) as i64)
    };
    Some(match op {
        BinaryOp::Eq => x == y,
        BinaryOp::Ne => x != y,
        BinaryOp::Lt => x < y,
        BinaryOp::Le => x <= y,
        BinaryOp::Gt => x > y,
        BinaryOp::Ge => x >= y,
        _ => return None,
    })
}

/// Conversions between integers of up to 64 bits.
#[inline(always)]
pub fn convert(source: Integer, target: u32, bits: u64) -> Option<u64> {
    if source.width > 64 || target > 64 {
        return None;
    }
    let cut = cut(target);
    Some(extended(source, bits) & cut)
}

/// Extends a number of at most 64 bits to 64.
#[inline(always)]
pub fn extended(ty: Integer, bits: u64) -> u64 {
    if !ty.signed {
        return bits;
    }
    let shift = 64 - ty.width;
    (((bits << shift) as i64) >> shift) as u64
}

/// The arm of a switch whose range an operand lies in; `None` stands for the default.
pub fn arm(
    ty: Integer,
    bits: u128,
    mut ranges: impl Iterator<Item = (i128, i128)>,
) -> Option<usize> {
    match ty.signed {
        true => {
            let at = expr::to_signed(ty.width, bits);
            ranges.position(|(low, high)| low <= at && at <= high)
        }
        false => ranges.position(|(low, high)| low as u128 <= bits && bits <= high as u128),
    }
}

/// All ones up to a width of at most 64.
#[inline(always)]
fn cut(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}
