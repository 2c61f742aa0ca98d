//! Shifts. Shifts by a constant become concatenations of pieces.

use crate::{BvOp, Node, Term, Terms};

impl Terms {
    /// Shift to the left; zero when by the width or more.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        match (self.as_constant(b), self.as_constant(a)) {
            (Some(by), _) => self.shl_constant(a, saturate(by)),
            (None, Some(0)) => a,
            _ => self.intern(Node::Binary(BvOp::Shl, a, b)),
        }
    }

    /// Shift to the right with zeros; zero when by the width or more.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        match (self.as_constant(b), self.as_constant(a)) {
            (Some(by), _) => self.lshr_constant(a, saturate(by)),
            (None, Some(0)) => a,
            _ => self.intern(Node::Binary(BvOp::LShr, a, b)),
        }
    }

    /// Shift to the right with copies of the sign.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_constant(b), self.as_constant(a)) {
            (Some(by), _) => {
                let by = saturate(by).min(width - 1);
                let high = self.extract(width - 1, by, a);
                self.sign_extend(width, high)
            }
            (None, Some(0)) => a,
            _ if self.is_never_negative(a) => self.lshr(a, b),
            _ => self.intern(Node::Binary(BvOp::AShr, a, b)),
        }
    }

    pub(crate) fn shl_constant(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        if by == 0 {
            return a;
        }
        if by >= width {
            return self.constant(width, 0);
        }
        if let Node::Binary(BvOp::Add, x, c) = self.node(a)
            && let Some(c) = self.as_constant(c)
        {
            let shifted = self.shl_constant(x, by);
            return self.add_constant(shifted, c << by);
        }
        let high = self.extract(width - 1 - by, 0, a);
        let zeros = self.constant(by, 0);
        self.concat(high, zeros)
    }

    pub(crate) fn lshr_constant(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        if by >= width {
            return self.constant(width, 0);
        }
        let high = self.extract(width - 1, by, a);
        self.zero_extend(width, high)
    }
}

fn saturate(by: u128) -> u32 {
    u32::try_from(by).unwrap_or(u32::MAX)
}
