//! Operators and interesting operands.

use ir::BinaryOp;
use proptest::prelude::*;
use semantics::Integer;

/// The operators that are neither shifts nor comparisons.
pub const ARITHMETIC: [BinaryOp; 8] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];
/// The shifts.
pub const SHIFTS: [BinaryOp; 2] = [BinaryOp::Shl, BinaryOp::Shr];
/// The comparisons.
pub const COMPARISONS: [BinaryOp; 6] = [
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];

/// An integer type of C.
pub fn integer() -> impl Strategy<Value = Integer> {
    let widths = prop::sample::select(vec![8, 16, 32, 64, 128]);
    (widths, any::<bool>()).prop_map(|(width, signed)| Integer { width, signed })
}

/// A number that is small, near a power of two, or any.
pub fn number() -> impl Strategy<Value = u128> {
    prop_oneof![
        0u128..70,
        (0u32..128).prop_map(|bit| 1 << bit),
        (0u32..128).prop_map(|bit| (1u128 << bit).wrapping_sub(1)),
        (0u32..128).prop_map(|bit| (1u128 << bit).wrapping_neg()),
        any::<u128>(),
    ]
}
