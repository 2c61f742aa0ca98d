//! The operators of clang's tree.

use serde::Deserialize;

/// A unary operator.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+x`.
    Plus,
    /// `-x`.
    Minus,
    /// `~x`.
    Complement,
    /// `!x`.
    LogicalNot,
    /// `*x`.
    Dereference,
    /// `&x`.
    AddressOf,
    /// `++x`.
    PreIncrement,
    /// `--x`.
    PreDecrement,
    /// `x++`.
    PostIncrement,
    /// `x--`.
    PostDecrement,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`.
    Div,
    /// `a % b`.
    Rem,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `a << b`.
    Shl,
    /// `a >> b`.
    Shr,
    /// `a == b`.
    Eq,
    /// `a != b`.
    Ne,
    /// `a < b`.
    Lt,
    /// `a <= b`.
    Le,
    /// `a > b`.
    Gt,
    /// `a >= b`.
    Ge,
    /// `a && b`.
    LogicalAnd,
    /// `a || b`.
    LogicalOr,
    /// `a, b`.
    Comma,
    /// `a = b`.
    Assign,
}
