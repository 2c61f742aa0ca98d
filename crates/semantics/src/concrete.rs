//! The domain of numbers.

use expr::{BvOp, CmpOp, eval_binary, eval_compare, from_signed, mask, to_signed};

use crate::{Domain, Overflow};

/// Bits, with zeros above the width.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type Value = u128;
    type Truth = bool;

    fn constant(&mut self, width: u32, bits: u128) -> u128 {
        bits & mask(width)
    }

    fn binary(&mut self, op: BvOp, width: u32, a: u128, b: u128) -> u128 {
        eval_binary(op, width, a, b)
    }

    fn negate(&mut self, width: u32, a: u128) -> u128 {
        a.wrapping_neg() & mask(width)
    }

    fn complement(&mut self, width: u32, a: u128) -> u128 {
        !a & mask(width)
    }

    fn resize(&mut self, from: u32, to: u32, signed: bool, a: u128) -> u128 {
        match signed {
            true => from_signed(to, to_signed(from, a)),
            false => a & mask(to),
        }
    }

    fn compare(&mut self, op: CmpOp, width: u32, a: u128, b: u128) -> bool {
        eval_compare(op, width, a, b)
    }

    fn is_nonzero(&mut self, _: u32, a: u128) -> bool {
        a != 0
    }

    fn overflows(&mut self, op: Overflow, width: u32, a: u128, b: u128) -> bool {
        let (x, y) = (to_signed(width, a), to_signed(width, b));
        let exact = match op {
            Overflow::Add => x.checked_add(y),
            Overflow::Sub => x.checked_sub(y),
            Overflow::Mul => x.checked_mul(y),
        };
        exact.is_none_or(|exact| to_signed(width, from_signed(width, exact)) != exact)
    }

    fn truth(&mut self, holds: bool) -> bool {
        holds
    }

    fn not(&mut self, a: bool) -> bool {
        !a
    }

    fn and(&mut self, a: bool, b: bool) -> bool {
        a && b
    }

    fn number(&mut self, _: u32, a: bool) -> u128 {
        u128::from(a)
    }
}
