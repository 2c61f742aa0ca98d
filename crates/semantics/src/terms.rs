//! The domain of terms.

use expr::{BvOp, CmpOp, Term, Terms};

use crate::{Domain, Overflow};

impl Domain for Terms {
    type Value = Term;
    type Truth = Term;

    fn constant(&mut self, width: u32, bits: u128) -> Term {
        Terms::constant(self, width, bits)
    }

    fn binary(&mut self, op: BvOp, _: u32, a: Term, b: Term) -> Term {
        Terms::binary(self, op, a, b)
    }

    fn negate(&mut self, _: u32, a: Term) -> Term {
        self.neg(a)
    }

    fn complement(&mut self, _: u32, a: Term) -> Term {
        Terms::not(self, a)
    }

    fn resize(&mut self, _: u32, to: u32, signed: bool, a: Term) -> Term {
        Terms::resize(self, to, a, signed)
    }

    fn compare(&mut self, op: CmpOp, _: u32, a: Term, b: Term) -> Term {
        Terms::compare(self, op, a, b)
    }

    fn is_nonzero(&mut self, _: u32, a: Term) -> Term {
        Terms::is_nonzero(self, a)
    }

    fn overflows(&mut self, op: Overflow, _: u32, a: Term, b: Term) -> Term {
        match op {
            Overflow::Add => self.add_overflows(a, b),
            Overflow::Sub => self.sub_overflows(a, b),
            Overflow::Mul => self.mul_overflows(a, b),
        }
    }

    fn truth(&mut self, holds: bool) -> Term {
        self.bool(holds)
    }

    fn not(&mut self, a: Term) -> Term {
        self.bool_not(a)
    }

    fn and(&mut self, a: Term, b: Term) -> Term {
        self.bool_and(a, b)
    }

    fn number(&mut self, width: u32, a: Term) -> Term {
        self.bool_to_bits(a, width)
    }
}
