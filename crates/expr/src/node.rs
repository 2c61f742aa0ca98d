//! The shapes of terms.

/// A term of some [`crate::Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) std::num::NonZeroU32);

/// A variable; its creator knows what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// True or false.
    Bool,
    /// A bit vector of this width, from 1 to 128.
    BitVec(u32),
}

/// An operator on two bit vectors of one width, with the meaning of SMT-LIB: division by zero
/// gives all ones (or 1 for a negative signed dividend), remainder by zero the dividend, shifts by
/// the width or more 0 or copies of the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // SMT-LIB's names
pub enum BvOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// A comparison of two bit vectors of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // SMT-LIB's names
pub enum CmpOp {
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
}

/// A term's operator and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// True or false.
    Bool(bool),
    /// A constant; bits above the width are zero.
    Const {
        /// Width in bits.
        width: u32,
        /// The bits.
        value: u128,
    },
    /// A variable.
    Var {
        /// The variable.
        var: Var,
        /// Width in bits.
        width: u32,
    },
    /// Bitwise complement.
    Not(Term),
    /// Two's complement negation.
    Neg(Term),
    /// An operator on two bit vectors.
    Binary(BvOp, Term, Term),
    /// A comparison; of sort Bool.
    Compare(CmpOp, Term, Term),
    /// Bits `high` down to `low`, both included.
    Extract {
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
        /// The operand.
        of: Term,
    },
    /// The first operand's bits above the second's.
    Concat(Term, Term),
    /// Zeros above.
    ZeroExtend {
        /// New width in bits.
        width: u32,
        /// The operand.
        of: Term,
    },
    /// Copies of the sign above.
    SignExtend {
        /// New width in bits.
        width: u32,
        /// The operand.
        of: Term,
    },
    /// Negation of a Bool.
    BoolNot(Term),
    /// Conjunction of two Bools.
    BoolAnd(Term, Term),
    /// Disjunction of two Bools.
    BoolOr(Term, Term),
    /// The second or the third, bit vectors of one width or Bools, by the first, a Bool.
    Ite(Term, Term, Term),
}
