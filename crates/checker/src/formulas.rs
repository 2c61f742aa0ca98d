//! Terms that are as the code has them: only operators on constants are carried out.
//!
//! The one semantics builds them, as a [`Domain`]; no other part of attest simplifies them.

use expr::{BvOp, CmpOp, Model, Node, Term, Terms, Var};
use semantics::{Domain, Overflow};

/// The widest vector whose products have a term for both halves.
const WIDEST_PRODUCT: u32 = 64;

/// The terms of some obligations.
#[derive(Default)]
pub struct Formulas {
    /// The terms.
    pub terms: Terms,
    next: u32,
}

impl Formulas {
    /// A variable that occurs nowhere else.
    pub fn fresh(&mut self, width: u32) -> Term {
        let var = Var(self.next);
        self.next += 1;
        self.terms.var(var, width)
    }

    /// A truth value of which nothing is known.
    pub fn fresh_truth(&mut self) -> Term {
        let bit = self.fresh(1);
        let one = self.terms.constant(1, 1);
        self.build(Node::Compare(CmpOp::Eq, bit, one))
    }

    /// The term of a node, or its value if the operands are constants.
    pub fn build(&mut self, node: Node) -> Term {
        if let Some(plain) = self.shortcut(node) {
            return plain;
        }
        let is_constant = |term: Term| {
            let node = self.terms.node(term);
            matches!(node, Node::Const { .. } | Node::Bool(_))
        };
        let mut operands = node.operands();
        let is_value = operands.all(is_constant) && node.operands().next().is_some();
        let term = self.terms.unsimplified(node);
        if !is_value {
            return term;
        }
        let value = self.terms.eval(term, &Model::default());
        match self.terms.width(term) {
            0 => self.terms.bool(value != 0),
            width => self.terms.constant(width, value),
        }
    }

    /// One of the operands, or a truth value, if the node is it whatever the others are.
    fn shortcut(&mut self, node: Node) -> Option<Term> {
        let known = |term| self.terms.as_bool(term);
        match node {
            Node::Ite(condition, a, b) => match known(condition) {
                Some(true) => Some(a),
                Some(false) => Some(b),
                None => (a == b).then_some(a),
            },
            Node::BoolAnd(a, b) => match (known(a), known(b)) {
                (Some(true), _) => Some(b),
                (_, Some(true)) => Some(a),
                (Some(false), _) => Some(a),
                (_, Some(false)) => Some(b),
                _ => (a == b).then_some(a),
            },
            Node::BoolOr(a, b) => match (known(a), known(b)) {
                (Some(false), _) => Some(b),
                (_, Some(false)) => Some(a),
                (Some(true), _) => Some(a),
                (_, Some(true)) => Some(b),
                _ => (a == b).then_some(a),
            },
            Node::Compare(CmpOp::Eq, a, b) if a == b => Some(self.terms.bool(true)),
            Node::ZeroExtend { width, of } | Node::SignExtend { width, of } => {
                (self.terms.width(of) == width).then_some(of)
            }
            Node::Extract { high, low: 0, of } => (self.terms.width(of) == high + 1).then_some(of),
            _ => None,
        }
    }

    /// A vector of so many bits; higher bits are cut off.
    pub fn constant(&mut self, width: u32, value: u128) -> Term {
        self.terms.constant(width, value)
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) -> Term {
        self.terms.bool(value)
    }

    /// The value of a truth value that is known.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        self.terms.as_bool(term)
    }

    /// Whether two vectors are equal.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.build(Node::Compare(CmpOp::Eq, a, b))
    }

    /// Whether one does not hold.
    pub fn negated(&mut self, a: Term) -> Term {
        self.build(Node::BoolNot(a))
    }

    /// Whether both hold.
    pub fn both(&mut self, a: Term, b: Term) -> Term {
        self.build(Node::BoolAnd(a, b))
    }

    /// Whether one of them holds.
    pub fn either(&mut self, a: Term, b: Term) -> Term {
        self.build(Node::BoolOr(a, b))
    }

    /// Whether any of some holds.
    pub fn any(&mut self, of: impl IntoIterator<Item = Term>) -> Term {
        let none = self.bool(false);
        of.into_iter().fold(none, |any, it| self.either(any, it))
    }

    /// One of two, by a condition.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.build(Node::Ite(condition, then, otherwise))
    }

    /// The bits from `low` on, so many.
    pub fn extract(&mut self, low: u32, width: u32, of: Term) -> Term {
        let high = low + width - 1;
        self.build(Node::Extract { high, low, of })
    }

    /// The first above the second.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.build(Node::Concat(high, low))
    }
}

impl Domain for Formulas {
    type Value = Term;
    type Truth = Term;

    fn constant(&mut self, width: u32, bits: u128) -> Term {
        self.terms.constant(width, bits)
    }

    fn binary(&mut self, op: BvOp, _: u32, a: Term, b: Term) -> Term {
        self.build(Node::Binary(op, a, b))
    }

    fn negate(&mut self, _: u32, a: Term) -> Term {
        self.build(Node::Neg(a))
    }

    fn complement(&mut self, _: u32, a: Term) -> Term {
        self.build(Node::Not(a))
    }

    fn resize(&mut self, from: u32, to: u32, signed: bool, a: Term) -> Term {
        if to <= from {
            return self.extract(0, to, a);
        }
        match signed {
            true => self.build(Node::SignExtend { width: to, of: a }),
            false => self.build(Node::ZeroExtend { width: to, of: a }),
        }
    }

    fn compare(&mut self, op: CmpOp, _: u32, a: Term, b: Term) -> Term {
        self.build(Node::Compare(op, a, b))
    }

    fn is_nonzero(&mut self, width: u32, a: Term) -> Term {
        let zero = self.terms.constant(width, 0);
        let is_zero = self.eq(a, zero);
        self.negated(is_zero)
    }

    fn overflows(&mut self, op: Overflow, width: u32, a: Term, b: Term) -> Term {
        match op {
            Overflow::Add => {
                let sum = self.build(Node::Binary(BvOp::Add, a, b));
                let signs = [(a, sum), (b, sum)];
                self.signs_differ(width, signs)
            }
            Overflow::Sub => {
                let difference = self.build(Node::Binary(BvOp::Sub, a, b));
                let signs = [(a, b), (a, difference)];
                self.signs_differ(width, signs)
            }
            Overflow::Mul if width <= WIDEST_PRODUCT => {
                let [wide_a, wide_b] = [a, b].map(|it| self.resize(width, 2 * width, true, it));
                let wide = self.build(Node::Binary(BvOp::Mul, wide_a, wide_b));
                let low = self.extract(0, width, wide);
                let again = self.resize(width, 2 * width, true, low);
                let fits = self.eq(wide, again);
                self.negated(fits)
            }
            Overflow::Mul => self.wide_product_overflows(width, a, b),
        }
    }

    fn truth(&mut self, holds: bool) -> Term {
        self.terms.bool(holds)
    }

    fn not(&mut self, a: Term) -> Term {
        self.negated(a)
    }

    fn and(&mut self, a: Term, b: Term) -> Term {
        self.both(a, b)
    }

    fn number(&mut self, width: u32, a: Term) -> Term {
        let [one, zero] = [1, 0].map(|bits| self.terms.constant(width, bits));
        self.ite(a, one, zero)
    }
}

impl Formulas {
    /// Whether the sign differs within each of two pairs.
    fn signs_differ(&mut self, width: u32, pairs: [(Term, Term); 2]) -> Term {
        let [one, other] = pairs.map(|(a, b)| self.build(Node::Binary(BvOp::Xor, a, b)));
        let both = self.build(Node::Binary(BvOp::And, one, other));
        let zero = self.terms.constant(width, 0);
        self.build(Node::Compare(CmpOp::Slt, both, zero))
    }

    /// Whether a product does not fit: dividing it by a factor does not give the other one.
    fn wide_product_overflows(&mut self, width: u32, a: Term, b: Term) -> Term {
        let product = self.build(Node::Binary(BvOp::Mul, a, b));
        let back = self.build(Node::Binary(BvOp::SDiv, product, a));
        let [zero, minus_one, least] =
            [0, u128::MAX, 1 << (width - 1)].map(|bits| self.terms.constant(width, bits));
        let is_zero = self.eq(a, zero);
        let is_back = self.eq(back, b);
        let is_other = self.negated(is_back);
        let [is_minus_one, is_least] =
            [(a, minus_one), (b, least)].map(|(one, other)| self.eq(one, other));
        let wraps = self.both(is_minus_one, is_least);
        let is_lost = self.either(is_other, wraps);
        let is_some = self.negated(is_zero);
        self.both(is_some, is_lost)
    }
}
