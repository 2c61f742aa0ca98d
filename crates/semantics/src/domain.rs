//! The operations that a domain of values provides.

use expr::{BvOp, CmpOp};

/// An operation whose signed result may not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// A sum.
    Add,
    /// A difference.
    Sub,
    /// A product.
    Mul,
}

/// A domain of bit vectors and truth values, with the operations that IR is defined by. Widths are
/// those of the operands, in bits, 1 to 128.
pub trait Domain {
    /// A bit vector.
    type Value: Copy;
    /// A truth value.
    type Truth: Copy;

    /// The lowest bits of a number.
    fn constant(&mut self, width: u32, bits: u128) -> Self::Value;

    /// An operator, with SMT-LIB's meaning.
    fn binary(&mut self, op: BvOp, width: u32, a: Self::Value, b: Self::Value) -> Self::Value;

    /// The negated number, modulo the width.
    fn negate(&mut self, width: u32, a: Self::Value) -> Self::Value;

    /// The inverted bits.
    fn complement(&mut self, width: u32, a: Self::Value) -> Self::Value;

    /// The value in another width: cut, or extended by its sign or by zeros.
    fn resize(&mut self, from: u32, to: u32, signed: bool, a: Self::Value) -> Self::Value;

    /// A comparison.
    fn compare(&mut self, op: CmpOp, width: u32, a: Self::Value, b: Self::Value) -> Self::Truth;

    /// Whether a value is not zero.
    fn is_nonzero(&mut self, width: u32, a: Self::Value) -> Self::Truth;

    /// Whether the signed result of an operation does not fit the width of its operands.
    fn overflows(
        &mut self,
        op: Overflow,
        width: u32,
        a: Self::Value,
        b: Self::Value,
    ) -> Self::Truth;

    /// True or false.
    fn truth(&mut self, holds: bool) -> Self::Truth;

    /// Whether the other does not hold.
    fn not(&mut self, a: Self::Truth) -> Self::Truth;

    /// Whether both hold.
    fn and(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;

    /// 1 where it holds, else 0.
    fn number(&mut self, width: u32, a: Self::Truth) -> Self::Value;
}
