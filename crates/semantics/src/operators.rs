//! What operators and conversions make of their operands, where C defines it.

use expr::{BvOp, CmpOp};
use ir::{BinaryOp, UnaryOp};

use crate::Domain;

/// How an integer type holds its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Width in bits.
    pub width: u32,
    /// Whether two's complement.
    pub signed: bool,
}

/// An operator that is no comparison, on operands of one type; the amount of a shift has been
/// converted to the width of what is shifted.
pub fn binary<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    ty: Integer,
    a: D::Value,
    b: D::Value,
) -> D::Value {
    domain.binary(operator(op, ty.signed), ty.width, a, b)
}

/// A comparison of operands of one type.
pub fn compare<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    ty: Integer,
    a: D::Value,
    b: D::Value,
) -> D::Truth {
    let comparison = comparison(op, ty.signed);
    let (a, b) = match comparison.is_swapped {
        true => (b, a),
        false => (a, b),
    };
    let holds = domain.compare(comparison.op, ty.width, a, b);
    match comparison.is_negated {
        true => domain.not(holds),
        false => holds,
    }
}

/// An operator with one operand.
pub fn unary<D: Domain>(domain: &mut D, op: UnaryOp, width: u32, a: D::Value) -> D::Value {
    match op {
        UnaryOp::Negate => domain.negate(width, a),
        UnaryOp::Complement => domain.complement(width, a),
    }
}

/// The conversion of an integer to one of another width.
pub fn convert<D: Domain>(domain: &mut D, from: Integer, to: u32, a: D::Value) -> D::Value {
    domain.resize(from.width, to, from.signed, a)
}

/// Whether a number counts as true: as a condition, and converted to `_Bool`.
pub fn is_true<D: Domain>(domain: &mut D, width: u32, a: D::Value) -> D::Truth {
    domain.is_nonzero(width, a)
}

/// The operator of bit vectors that a C operator is, comparisons excepted.
fn operator(op: BinaryOp, signed: bool) -> BvOp {
    match (op, signed) {
        (BinaryOp::Sub, _) => BvOp::Sub,
        (BinaryOp::Mul, _) => BvOp::Mul,
        (BinaryOp::Div, true) => BvOp::SDiv,
        (BinaryOp::Div, false) => BvOp::UDiv,
        (BinaryOp::Rem, true) => BvOp::SRem,
        (BinaryOp::Rem, false) => BvOp::URem,
        (BinaryOp::And, _) => BvOp::And,
        (BinaryOp::Or, _) => BvOp::Or,
        (BinaryOp::Xor, _) => BvOp::Xor,
        (BinaryOp::Shl, _) => BvOp::Shl,
        (BinaryOp::Shr, true) => BvOp::AShr,
        (BinaryOp::Shr, false) => BvOp::LShr,
        _ => BvOp::Add,
    }
}

/// How a C comparison is made of one of bit vectors.
struct Comparison {
    op: CmpOp,
    /// Whether the operands change places.
    is_swapped: bool,
    /// Whether it holds where that of bit vectors does not.
    is_negated: bool,
}

fn comparison(op: BinaryOp, signed: bool) -> Comparison {
    let (less, less_or_equal) = match signed {
        true => (CmpOp::Slt, CmpOp::Sle),
        false => (CmpOp::Ult, CmpOp::Ule),
    };
    let (op, is_swapped, is_negated) = match op {
        BinaryOp::Ne => (CmpOp::Eq, false, true),
        BinaryOp::Lt => (less, false, false),
        BinaryOp::Le => (less_or_equal, false, false),
        BinaryOp::Gt => (less, true, false),
        BinaryOp::Ge => (less_or_equal, true, false),
        _ => (CmpOp::Eq, false, false),
    };
    Comparison {
        op,
        is_swapped,
        is_negated,
    }
}
