//! The constructors, which simplify.
//!
//! The canonical forms: constants stand right (in strict comparisons also left), other operands of
//! commutative operators by number. A sum has its constant outermost; `x - c` is `x + -c`. Shifts
//! by constants and masks are `Extract`, `Concat` and extensions; zeros in front of a `Concat` are
//! a `ZeroExtend`, and a `Concat` leans right. Comparisons with constants are strict, signed ones
//! of operands that are never negative are unsigned. Disjunction is negated conjunction. All of
//! this keeps equal constraints equal, and the circuits for the solver small.

mod arithmetic;
mod bitwise;
mod boolean;
mod comparison;
mod division;
mod overflow;
mod range;
mod shift;
mod structure;
mod substitute;

pub(crate) use range::Bounds;
pub use substitute::Substitution;

use crate::{BvOp, CmpOp, Node, Term, Terms};

impl Terms {
    /// An operator on two bit vectors of one width.
    pub fn binary(&mut self, op: BvOp, a: Term, b: Term) -> Term {
        match op {
            BvOp::Add => self.add(a, b),
            BvOp::Sub => self.sub(a, b),
            BvOp::Mul => self.mul(a, b),
            BvOp::UDiv => self.udiv(a, b),
            BvOp::SDiv => self.sdiv(a, b),
            BvOp::URem => self.urem(a, b),
            BvOp::SRem => self.srem(a, b),
            BvOp::And => self.and(a, b),
            BvOp::Or => self.or(a, b),
            BvOp::Xor => self.xor(a, b),
            BvOp::Shl => self.shl(a, b),
            BvOp::LShr => self.lshr(a, b),
            BvOp::AShr => self.ashr(a, b),
        }
    }

    /// A comparison of two bit vectors of one width; a Bool.
    pub fn compare(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        match op {
            CmpOp::Eq => self.eq(a, b),
            CmpOp::Ult => self.ult(a, b),
            CmpOp::Ule => self.ule(a, b),
            CmpOp::Slt => self.slt(a, b),
            CmpOp::Sle => self.sle(a, b),
        }
    }

    /// The node as it is, with the operands of a commutative operator in order.
    fn plain_binary(&mut self, op: BvOp, a: Term, b: Term) -> Term {
        let (a, b) = if op.is_commutative() {
            self.in_order(a, b)
        } else {
            (a, b)
        };
        self.intern(Node::Binary(op, a, b))
    }

    /// The two with a constant second, else the older one first.
    fn in_order(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |t: Term| (self.as_constant(t).is_some(), t);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// The value of an operator on two constants.
    fn fold(&mut self, op: BvOp, a: Term, b: Term) -> Option<Term> {
        debug_assert_eq!(
            self.width(a),
            self.width(b),
            "{op:?}: operands of one width"
        );
        let width = self.width(a);
        let value = crate::eval_binary(op, width, self.as_constant(a)?, self.as_constant(b)?);
        Some(self.constant(width, value))
    }
}
