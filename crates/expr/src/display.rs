//! Terms as text, in the manner of SMT-LIB.

use std::fmt;

use crate::{BvOp, CmpOp, Node, Term, Terms};

/// Operators deeper than this are shown as `…`.
const MAX_DEPTH: u32 = 40;
/// After this many operators the rest is shown as `…`.
const MAX_OPERATORS: u32 = 2000;

impl Terms {
    /// The term as text: variables are `v0`, `v1`, …; very large terms are cut short.
    pub fn display(&self, term: Term) -> impl fmt::Display {
        Displayed { terms: self, term }
    }
}

struct Displayed<'a> {
    terms: &'a Terms,
    term: Term,
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = MAX_OPERATORS;
        write_term(self.terms, self.term, MAX_DEPTH, &mut left, f)
    }
}

/// Writes a term; the depth is bounded, so that this may recurse.
fn write_term(
    terms: &Terms,
    term: Term,
    depth: u32,
    left: &mut u32,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let node = terms.node(term);
    match node {
        Node::Bool(value) => return write!(f, "{value}"),
        Node::Const { width, value } if width % 4 == 0 => {
            return write!(f, "#x{value:0digits$x}", digits = width as usize / 4);
        }
        Node::Const { width, value } => {
            return write!(f, "#b{value:0digits$b}", digits = width as usize);
        }
        Node::Var { var, .. } => return write!(f, "v{}", var.0),
        _ => {}
    }
    if depth == 0 || *left == 0 {
        return f.write_str("…");
    }
    *left -= 1;
    f.write_str("(")?;
    write_operator(terms, node, f)?;
    for operand in node.operands() {
        f.write_str(" ")?;
        write_term(terms, operand, depth - 1, left, f)?;
    }
    f.write_str(")")
}

fn write_operator(terms: &Terms, node: Node, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match node {
        Node::Extract { high, low, .. } => write!(f, "(_ extract {high} {low})"),
        Node::ZeroExtend { width, of } => write!(f, "(_ zero_extend {})", width - terms.width(of)),
        Node::SignExtend { width, of } => write!(f, "(_ sign_extend {})", width - terms.width(of)),
        Node::Bool(_) | Node::Const { .. } | Node::Var { .. } => Ok(()),
        Node::Not(_) => f.write_str("bvnot"),
        Node::Neg(_) => f.write_str("bvneg"),
        Node::Concat(..) => f.write_str("concat"),
        Node::BoolNot(_) => f.write_str("not"),
        Node::BoolAnd(..) => f.write_str("and"),
        Node::BoolOr(..) => f.write_str("or"),
        Node::Ite(..) => f.write_str("ite"),
        Node::Binary(op, ..) => f.write_str(op.smt_name()),
        Node::Compare(op, ..) => f.write_str(op.smt_name()),
    }
}

impl BvOp {
    /// Its name in SMT-LIB.
    pub fn smt_name(self) -> &'static str {
        match self {
            BvOp::Add => "bvadd",
            BvOp::Sub => "bvsub",
            BvOp::Mul => "bvmul",
            BvOp::UDiv => "bvudiv",
            BvOp::SDiv => "bvsdiv",
            BvOp::URem => "bvurem",
            BvOp::SRem => "bvsrem",
            BvOp::And => "bvand",
            BvOp::Or => "bvor",
            BvOp::Xor => "bvxor",
            BvOp::Shl => "bvshl",
            BvOp::LShr => "bvlshr",
            BvOp::AShr => "bvashr",
        }
    }
}

impl CmpOp {
    /// Its name in SMT-LIB.
    pub fn smt_name(self) -> &'static str {
        match self {
            CmpOp::Eq => "=",
            CmpOp::Ult => "bvult",
            CmpOp::Ule => "bvule",
            CmpOp::Slt => "bvslt",
            CmpOp::Sle => "bvsle",
        }
    }
}
