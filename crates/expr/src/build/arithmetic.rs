//! Sums, differences, products.

use crate::result_cache::Operation;
use crate::semantics::mask;
use crate::{BvOp, Node, Term, Terms};

impl Terms {
    /// Two's complement negation.
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match self.node(a) {
            Node::Const { value, .. } => self.constant(width, value.wrapping_neg()),
            Node::Neg(x) => x,
            Node::Not(x) => self.add_constant(x, 1),
            Node::Binary(BvOp::Sub, x, y) => self.sub(y, x),
            Node::Binary(BvOp::Add, x, c) if self.as_constant(c).is_some() => {
                let c = self.as_constant(c).unwrap_or(0);
                let negated = self.neg(x);
                self.add_constant(negated, c.wrapping_neg())
            }
            _ => self.intern(Node::Neg(a)),
        }
    }

    /// Sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.width(a), self.width(b), "add: operands of one width");
        self.remembered(Operation::Binary(BvOp::Add, a, b), |terms| {
            terms.build_add(a, b)
        })
    }

    fn build_add(&mut self, a: Term, b: Term) -> Term {
        let (a, c) = self.split_sum(a);
        let (b, d) = self.split_sum(b);
        let constant = c.wrapping_add(d);
        match (a, b) {
            (Ok(a), Ok(b)) => {
                let sum = self.add_cores(a, b);
                self.add_constant(sum, constant)
            }
            (Ok(a), Err(_)) | (Err(_), Ok(a)) => self.add_constant(a, constant),
            (Err(width), Err(_)) => self.constant(width, constant),
        }
    }

    /// Difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.width(a), self.width(b), "sub: operands of one width");
        let (a, c) = self.split_sum(a);
        let (b, d) = self.split_sum(b);
        let constant = c.wrapping_sub(d);
        match (a, b) {
            (Ok(a), Ok(b)) => {
                let difference = self.sub_cores(a, b);
                self.add_constant(difference, constant)
            }
            (Ok(a), Err(_)) => self.add_constant(a, constant),
            (Err(_), Ok(b)) => {
                let negated = self.neg(b);
                self.add_constant(negated, constant)
            }
            (Err(width), Err(_)) => self.constant(width, constant),
        }
    }

    /// Product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        if let Some(folded) = self.fold(BvOp::Mul, a, b) {
            return folded;
        }
        let (a, b) = self.in_order(a, b);
        match self.as_constant(b) {
            Some(factor) => self.mul_constant(a, factor),
            None => self.plain_binary(BvOp::Mul, a, b),
        }
    }

    /// `a + constant`; the constant may have bits above the width.
    pub(crate) fn add_constant(&mut self, a: Term, constant: u128) -> Term {
        let width = self.width(a);
        let (core, c) = self.split_sum(a);
        let constant = constant.wrapping_add(c) & mask(width);
        let core = match core {
            Err(width) => return self.constant(width, constant),
            Ok(core) if constant == 0 => return core,
            Ok(core) => core,
        };
        match self.node(core) {
            Node::Neg(x) if constant == mask(width) => self.intern(Node::Not(x)),
            _ => {
                let constant = self.constant(width, constant);
                self.intern(Node::Binary(BvOp::Add, core, constant))
            }
        }
    }

    /// A sum as its part without a constant (the width if there is none) and its constant.
    pub(crate) fn split_sum(&mut self, a: Term) -> (Result<Term, u32>, u128) {
        match self.node(a) {
            Node::Const { width, value } => (Err(width), value),
            Node::Not(x) => (Ok(self.intern(Node::Neg(x))), u128::MAX),
            Node::Binary(BvOp::Add, x, c) => match self.as_constant(c) {
                Some(c) => (Ok(x), c),
                None => (Ok(a), 0),
            },
            _ => (Ok(a), 0),
        }
    }

    fn add_cores(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            (_, Node::Neg(y)) => return self.sub(a, y),
            (Node::Neg(x), _) => return self.sub(b, x),
            (_, Node::Binary(BvOp::Sub, x, y)) if y == a => return x,
            (Node::Binary(BvOp::Sub, x, y), _) if y == b => return x,
            _ if a == b => return self.mul_constant(a, 2),
            _ => {}
        }
        if let Some(dividend) = self.dividend_of(a, b) {
            return dividend;
        }
        match self.join_disjoint(a, b) {
            Some(joined) => joined,
            None => self.plain_binary(BvOp::Add, a, b),
        }
    }

    fn sub_cores(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            _ if a == b => {
                let width = self.width(a);
                self.constant(width, 0)
            }
            (_, Node::Neg(y)) => self.add(a, y),
            (Node::Neg(x), _) => {
                let sum = self.add(x, b);
                self.neg(sum)
            }
            (Node::Binary(BvOp::Add, x, y), _) if y == b => x,
            (Node::Binary(BvOp::Add, x, y), _) if x == b => y,
            (_, Node::Binary(BvOp::Add, x, y)) if y == a => self.neg(x),
            (_, Node::Binary(BvOp::Add, x, y)) if x == a => self.neg(y),
            (Node::Binary(BvOp::Sub, x, y), _) if x == b => self.neg(y),
            (_, Node::Binary(BvOp::Sub, x, y)) if x == a => y,
            _ => self.intern(Node::Binary(BvOp::Sub, a, b)),
        }
    }

    /// `a * factor`; constants inside sums and products come out.
    fn mul_constant(&mut self, a: Term, factor: u128) -> Term {
        let width = self.width(a);
        let factor = factor & mask(width);
        match factor {
            0 => return self.constant(width, 0),
            1 => return a,
            _ if factor == mask(width) => return self.neg(a),
            _ => {}
        }
        let inside = match self.node(a) {
            Node::Const { value, .. } => {
                return self.constant(width, value.wrapping_mul(factor));
            }
            Node::Neg(x) => Some((x, factor.wrapping_neg(), 0)),
            Node::Not(x) => Some((x, factor.wrapping_neg(), factor.wrapping_neg())),
            Node::Binary(BvOp::Mul, x, c) => {
                self.as_constant(c).map(|c| (x, c.wrapping_mul(factor), 0))
            }
            Node::Binary(BvOp::Add, x, c) => self
                .as_constant(c)
                .map(|c| (x, factor, c.wrapping_mul(factor))),
            _ => None,
        };
        if let Some((x, factor, constant)) = inside {
            let product = self.mul_constant(x, factor);
            return self.add_constant(product, constant);
        }
        if factor.is_power_of_two() {
            return self.shl_constant(a, factor.trailing_zeros());
        }
        let factor = self.constant(width, factor);
        self.intern(Node::Binary(BvOp::Mul, a, factor))
    }
}
