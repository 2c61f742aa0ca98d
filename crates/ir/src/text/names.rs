//! The words of the text form, in one table per kind, so that printer and parser agree.

use crate::{BinaryOp, CastKind, DecisionKind, FloatName, HeadKind, IntName};

pub(super) const INTS: [(IntName, &str); 14] = [
    (IntName::Bool, "bool"),
    (IntName::Char, "char"),
    (IntName::SignedChar, "schar"),
    (IntName::UnsignedChar, "uchar"),
    (IntName::Short, "short"),
    (IntName::UnsignedShort, "ushort"),
    (IntName::Int, "int"),
    (IntName::UnsignedInt, "uint"),
    (IntName::Long, "long"),
    (IntName::UnsignedLong, "ulong"),
    (IntName::LongLong, "llong"),
    (IntName::UnsignedLongLong, "ullong"),
    (IntName::Int128, "int128"),
    (IntName::UnsignedInt128, "uint128"),
];

pub(super) const FLOATS: [(FloatName, &str); 5] = [
    (FloatName::Half, "half"),
    (FloatName::Float, "float"),
    (FloatName::Double, "double"),
    (FloatName::LongDouble, "longdouble"),
    (FloatName::Float128, "float128"),
];

pub(super) const BINARY: [(BinaryOp, &str); 16] = [
    (BinaryOp::Add, "add"),
    (BinaryOp::Sub, "sub"),
    (BinaryOp::Mul, "mul"),
    (BinaryOp::Div, "div"),
    (BinaryOp::Rem, "rem"),
    (BinaryOp::And, "and"),
    (BinaryOp::Or, "or"),
    (BinaryOp::Xor, "xor"),
    (BinaryOp::Shl, "shl"),
    (BinaryOp::Shr, "shr"),
    (BinaryOp::Eq, "eq"),
    (BinaryOp::Ne, "ne"),
    (BinaryOp::Lt, "lt"),
    (BinaryOp::Le, "le"),
    (BinaryOp::Gt, "gt"),
    (BinaryOp::Ge, "ge"),
];

pub(super) const CASTS: [(CastKind, &str); 6] = [
    (CastKind::IntToInt, "int_to_int"),
    (CastKind::IntToBool, "int_to_bool"),
    (CastKind::PointerToBool, "pointer_to_bool"),
    (CastKind::PointerToInt, "pointer_to_int"),
    (CastKind::IntToPointer, "int_to_pointer"),
    (CastKind::PointerToPointer, "pointer_to_pointer"),
];

pub(super) const HEADS: [(HeadKind, &str); 4] = [
    (HeadKind::While, "while"),
    (HeadKind::Do, "do"),
    (HeadKind::For, "for"),
    (HeadKind::Label, "label"),
];

pub(super) const DECISIONS: [(DecisionKind, &str); 8] = [
    (DecisionKind::If, "if"),
    (DecisionKind::While, "while"),
    (DecisionKind::DoWhile, "do"),
    (DecisionKind::For, "for"),
    (DecisionKind::Conditional, "conditional"),
    (DecisionKind::BinaryConditional, "binary_conditional"),
    (DecisionKind::Logical, "logical"),
    (DecisionKind::Switch, "switch"),
];

/// The word for a value of one of the tables.
pub(super) fn word<T: Copy + PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table
        .iter()
        .find(|(candidate, _)| *candidate == value)
        .map_or("?", |(_, word)| word)
}

/// The value of a word in one of the tables.
pub(super) fn value<T: Copy>(table: &[(T, &'static str)], word: &str) -> Option<T> {
    table
        .iter()
        .find(|(_, candidate)| *candidate == word)
        .map(|(value, _)| *value)
}

/// Whether a name can be written without quotes.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
