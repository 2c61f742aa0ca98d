//! The semantics of the operators on numbers, which the machine, the evaluator and the solver
//! share.

use crate::{BvOp, CmpOp};

/// The widest bit vector, in bits.
pub const MAX_WIDTH: u32 = 128;

/// All ones of `width` bits (1 to 128).
pub const fn mask(width: u32) -> u128 {
    u128::MAX >> (MAX_WIDTH - width)
}

/// The value of the lowest `width` bits, read as two's complement.
pub const fn to_signed(width: u32, value: u128) -> i128 {
    let unused = MAX_WIDTH - width;
    ((value << unused) as i128) >> unused
}

/// The lowest `width` bits of a number in two's complement.
pub const fn from_signed(width: u32, value: i128) -> u128 {
    value as u128 & mask(width)
}

/// The least signed number of `width` bits, as bits.
pub const fn signed_min(width: u32) -> u128 {
    1 << (width - 1)
}

/// The greatest signed number of `width` bits, as bits.
pub const fn signed_max(width: u32) -> u128 {
    signed_min(width) - 1
}

/// The result of an operator on two bit vectors of `width` bits, with SMT-LIB's meaning (see
/// [`BvOp`]). Operands and result have zeros above the width.
pub fn eval_binary(op: BvOp, width: u32, a: u128, b: u128) -> u128 {
    let signed = |value| to_signed(width, value);
    let value = match op {
        BvOp::Add => a.wrapping_add(b),
        BvOp::Sub => a.wrapping_sub(b),
        BvOp::Mul => a.wrapping_mul(b),
        BvOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BvOp::URem => a.checked_rem(b).unwrap_or(a),
        BvOp::SDiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BvOp::SDiv => signed(a).wrapping_div(signed(b)) as u128,
        BvOp::SRem if b == 0 => a,
        BvOp::SRem => signed(a).wrapping_rem(signed(b)) as u128,
        BvOp::And => a & b,
        BvOp::Or => a | b,
        BvOp::Xor => a ^ b,
        BvOp::Shl if b >= u128::from(width) => 0,
        BvOp::Shl => a << b,
        BvOp::LShr if b >= u128::from(width) => 0,
        BvOp::LShr => a >> b,
        BvOp::AShr => (signed(a) >> b.min(u128::from(width - 1))) as u128,
    };
    value & mask(width)
}

/// The result of a comparison of two bit vectors of `width` bits, which have zeros above it.
pub fn eval_compare(op: CmpOp, width: u32, a: u128, b: u128) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => to_signed(width, a) < to_signed(width, b),
        CmpOp::Sle => to_signed(width, a) <= to_signed(width, b),
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration: each step doubles the number
/// of right bits, from three.
pub fn inverse_of_odd(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
