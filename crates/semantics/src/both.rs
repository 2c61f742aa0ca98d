//! Two domains side by side: the value in one execution as a number, and the value for all inputs
//! as a term.

use expr::{BvOp, CmpOp, Term, Terms};

use crate::{Concrete, Domain, Overflow};

/// The concrete and the symbolic domain at once.
pub struct Both<'a>(pub &'a mut Terms);

/// A value in both.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The number.
    pub bits: u128,
    /// The term.
    pub term: Term,
}

/// A truth value in both.
#[derive(Clone, Copy, Debug)]
pub struct PairOfTruths {
    /// Whether it holds.
    pub holds: bool,
    /// The term.
    pub term: Term,
}

impl Domain for Both<'_> {
    type Value = Pair;
    type Truth = PairOfTruths;

    fn constant(&mut self, width: u32, bits: u128) -> Pair {
        Pair {
            bits: Concrete.constant(width, bits),
            term: Domain::constant(self.0, width, bits),
        }
    }

    fn binary(&mut self, op: BvOp, width: u32, a: Pair, b: Pair) -> Pair {
        Pair {
            bits: Concrete.binary(op, width, a.bits, b.bits),
            term: Domain::binary(self.0, op, width, a.term, b.term),
        }
    }

    fn negate(&mut self, width: u32, a: Pair) -> Pair {
        Pair {
            bits: Concrete.negate(width, a.bits),
            term: self.0.negate(width, a.term),
        }
    }

    fn complement(&mut self, width: u32, a: Pair) -> Pair {
        Pair {
            bits: Concrete.complement(width, a.bits),
            term: self.0.complement(width, a.term),
        }
    }

    fn resize(&mut self, from: u32, to: u32, signed: bool, a: Pair) -> Pair {
        Pair {
            bits: Concrete.resize(from, to, signed, a.bits),
            term: Domain::resize(self.0, from, to, signed, a.term),
        }
    }

    fn compare(&mut self, op: CmpOp, width: u32, a: Pair, b: Pair) -> PairOfTruths {
        PairOfTruths {
            holds: Concrete.compare(op, width, a.bits, b.bits),
            term: Domain::compare(self.0, op, width, a.term, b.term),
        }
    }

    fn is_nonzero(&mut self, width: u32, a: Pair) -> PairOfTruths {
        PairOfTruths {
            holds: Concrete.is_nonzero(width, a.bits),
            term: Domain::is_nonzero(self.0, width, a.term),
        }
    }

    fn overflows(&mut self, op: Overflow, width: u32, a: Pair, b: Pair) -> PairOfTruths {
        PairOfTruths {
            holds: Concrete.overflows(op, width, a.bits, b.bits),
            term: self.0.overflows(op, width, a.term, b.term),
        }
    }

    fn truth(&mut self, holds: bool) -> PairOfTruths {
        let term = self.0.truth(holds);
        PairOfTruths { holds, term }
    }

    fn not(&mut self, a: PairOfTruths) -> PairOfTruths {
        PairOfTruths {
            holds: !a.holds,
            term: Domain::not(self.0, a.term),
        }
    }

    fn and(&mut self, a: PairOfTruths, b: PairOfTruths) -> PairOfTruths {
        PairOfTruths {
            holds: a.holds && b.holds,
            term: Domain::and(self.0, a.term, b.term),
        }
    }

    fn number(&mut self, width: u32, a: PairOfTruths) -> Pair {
        Pair {
            bits: Concrete.number(width, a.holds),
            term: self.0.number(width, a.term),
        }
    }
}
