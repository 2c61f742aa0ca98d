//! Binary operators of the source, and the mutants of these.

use std::fmt;

use crate::{BinaryOp, OperationId, SpanId};

/// A binary operator of the source: arithmetic, a bit operation or a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The whole expression.
    pub span: SpanId,
    /// The left and the right side.
    pub sides: [SpanId; 2],
    /// Whether it assigns the result to the left side, as `+=` does.
    pub assigns: bool,
}

/// What stands in the place of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mutant {
    /// The operation.
    pub operation: OperationId,
    /// How it differs.
    pub change: Change,
}

/// How a mutant differs from the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It has another operator.
    Operator(BinaryOp),
    /// It is this constant, instead of a comparison.
    Outcome(bool),
    /// The right side is a constant, and more by so much.
    Constant(i8),
}

impl fmt::Display for BinaryOp {
    /// The operator as C writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        })
    }
}
