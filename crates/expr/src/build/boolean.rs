//! Bools and choices.

use crate::result_cache::Operation;
use crate::{CmpOp, Node, Term, Terms};

impl Terms {
    /// Negation of a Bool.
    pub fn bool_not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::BoolNot(x) => x,
            Node::Compare(CmpOp::Ult, x, y) => self.ule(y, x),
            Node::Compare(CmpOp::Ule, x, y) => self.ult(y, x),
            Node::Compare(CmpOp::Slt, x, y) => self.sle(y, x),
            Node::Compare(CmpOp::Sle, x, y) => self.slt(y, x),
            _ => self.intern(Node::BoolNot(a)),
        }
    }

    /// Conjunction of two Bools.
    pub fn bool_and(&mut self, a: Term, b: Term) -> Term {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) => return a,
            (_, Some(false)) => return b,
            _ if a == b => return a,
            _ => {}
        }
        self.remembered(Operation::And(a, b), |terms| terms.build_and(a, b))
    }

    fn build_and(&mut self, a: Term, b: Term) -> Term {
        let (not_a, not_b) = (self.bool_not(a), self.bool_not(b));
        if not_a == b {
            return self.bool(false);
        }
        for (x, y, not_x) in [(a, b, not_a), (b, a, not_b)] {
            match self.node(y) {
                // x ∧ (x ∧ w) and x ∧ (¬x ∧ w)
                Node::BoolAnd(v, w) if v == x || w == x => return y,
                Node::BoolAnd(v, w) if v == not_x || w == not_x => return self.bool(false),
                Node::BoolNot(inner) => {
                    let Node::BoolAnd(v, w) = self.node(inner) else {
                        continue;
                    };
                    // x ∧ ¬(¬x ∧ w) is x; x ∧ ¬(x ∧ w) is x ∧ ¬w.
                    if v == not_x || w == not_x {
                        return x;
                    }
                    if v == x || w == x {
                        let other = if v == x { w } else { v };
                        let not_other = self.bool_not(other);
                        if let Some(and) = self.nested(|terms| terms.bool_and(x, not_other)) {
                            return and;
                        }
                    }
                }
                _ => {}
            }
        }
        let (a, b) = (a.min(b), a.max(b));
        self.intern(Node::BoolAnd(a, b))
    }

    /// Disjunction of two Bools.
    pub fn bool_or(&mut self, a: Term, b: Term) -> Term {
        let (not_a, not_b) = (self.bool_not(a), self.bool_not(b));
        let neither = self.bool_and(not_a, not_b);
        self.bool_not(neither)
    }

    /// The second or the third, bit vectors of one width or Bools, by the first, a Bool.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        match self.node(c) {
            _ if a == b => return a,
            Node::Bool(value) => return if value { a } else { b },
            Node::BoolNot(x) => return self.ite(x, b, a),
            Node::Compare(CmpOp::Ule, x, y) => {
                let less = self.ult(y, x);
                return self.ite(less, b, a);
            }
            Node::Compare(CmpOp::Sle, x, y) => {
                let less = self.slt(y, x);
                return self.ite(less, b, a);
            }
            _ => {}
        }
        if self.width(a) == 0
            && let Some(simple) = self.bool_ite(c, a, b)
        {
            return simple;
        }
        match (self.node(a), self.node(b)) {
            (Node::Ite(d, x, _), _) if d == c => self.ite(c, x, b),
            (_, Node::Ite(d, _, y)) if d == c => self.ite(c, a, y),
            (_, Node::Ite(d, x, y)) if x == a => {
                let either = self.bool_or(c, d);
                self.ite(either, a, y)
            }
            (Node::Ite(d, x, y), _) if y == b => {
                let both = self.bool_and(c, d);
                self.ite(both, x, b)
            }
            _ => match self.node(c) {
                // If x = k then k else x.
                Node::Compare(CmpOp::Eq, x, k) if (x, k) == (b, a) => b,
                _ => self.intern(Node::Ite(c, a, b)),
            },
        }
    }

    fn bool_ite(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let not_c = self.bool_not(c);
        let implied = |value: Option<bool>| value == Some(true);
        if implied(self.as_bool(a)) || a == c {
            return Some(self.bool_or(c, b));
        }
        if implied(self.as_bool(b)) || b == not_c {
            return Some(self.bool_or(not_c, a));
        }
        if self.as_bool(a) == Some(false) || a == not_c {
            return Some(self.bool_and(not_c, b));
        }
        if self.as_bool(b) == Some(false) || b == c {
            return Some(self.bool_and(c, a));
        }
        None
    }

    /// A Bool as a number of `width` bits, 1 or 0.
    pub fn bool_to_bits(&mut self, c: Term, width: u32) -> Term {
        let one = self.constant(width, 1);
        let zero = self.constant(width, 0);
        self.ite(c, one, zero)
    }

    /// Whether a bit vector is not zero; undoes [`Terms::bool_to_bits`].
    pub fn is_nonzero(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let zero = self.constant(width, 0);
        self.ne(a, zero)
    }
}
