//! From terms to gates.

use expr::{BvOp, CmpOp, Node, Term, Terms, Var};
use rustc_hash::FxHashMap;

use super::circuits::{Bits, complement, sign};
use super::gates::{Bit, Gates};

/// Terms as gates; terms in common are built once.
#[derive(Debug, Default)]
pub(crate) struct Blaster {
    pub(crate) gates: Gates,
    /// The position in `bits` at which a term's bits start; as many follow as it is wide, one for a
    /// Bool.
    starts: FxHashMap<Term, usize>,
    bits: Bits,
    variables: FxHashMap<Var, Bits>,
    waiting: Vec<Term>,
}

impl Blaster {
    /// The bits of a variable; none if no term had it.
    pub(crate) fn variable_bits(&self, var: Var) -> &[Bit] {
        self.variables.get(&var).map_or(&[], Vec::as_slice)
    }

    /// The bit of a Bool; `None` if there are more than `most` SAT variables then. Deep terms need
    /// no deep stack.
    pub(crate) fn bool(&mut self, terms: &Terms, term: Term, most: u32) -> Option<Bit> {
        self.waiting.push(term);
        while let Some(&top) = self.waiting.last() {
            if self.gates.variables() > most {
                self.waiting.clear();
                return None;
            }
            if self.starts.contains_key(&top) {
                self.waiting.pop();
                continue;
            }
            let before = self.waiting.len();
            let missing = terms
                .node(top)
                .operands()
                .filter(|t| !self.starts.contains_key(t));
            self.waiting.extend(missing);
            if self.waiting.len() == before {
                self.waiting.pop();
                let bits = self.build(terms, top);
                self.starts.insert(top, self.bits.len());
                self.bits.extend(bits);
            }
        }
        Some(self.of_bool(term))
    }

    /// The bits of a bit vector that was built.
    fn of(&self, terms: &Terms, term: Term) -> Bits {
        let start = self.starts[&term];
        self.bits[start..start + terms.width(term) as usize].to_vec()
    }

    fn of_bool(&self, term: Term) -> Bit {
        self.bits[self.starts[&term]]
    }

    fn build(&mut self, terms: &Terms, term: Term) -> Bits {
        match terms.node(term) {
            Node::Bool(value) => vec![Bit::constant(value)],
            Node::Const { width, value } => (0..width)
                .map(|at| Bit::constant(value >> at & 1 == 1))
                .collect(),
            Node::Var { var, width } => self.variable(var, width),
            Node::Not(a) => complement(&self.of(terms, a)),
            Node::Neg(a) => {
                let a = self.of(terms, a);
                self.gates.neg(&a)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.of(terms, a), self.of(terms, b));
                binary(&mut self.gates, op, &a, &b)
            }
            Node::Compare(op, a, b) => {
                let (a, b) = (self.of(terms, a), self.of(terms, b));
                vec![compare(&mut self.gates, op, &a, &b)]
            }
            Node::Extract { high, low, of } => {
                self.of(terms, of)[low as usize..=high as usize].to_vec()
            }
            Node::Concat(high, low) => {
                let mut bits = self.of(terms, low);
                bits.extend(self.of(terms, high));
                bits
            }
            Node::ZeroExtend { width, of } => extended(self.of(terms, of), width, Bit::FALSE),
            Node::SignExtend { width, of } => {
                let bits = self.of(terms, of);
                let sign = sign(&bits);
                extended(bits, width, sign)
            }
            Node::BoolNot(a) => vec![!self.of_bool(a)],
            Node::BoolAnd(a, b) => vec![self.gates.and(self.of_bool(a), self.of_bool(b))],
            Node::BoolOr(a, b) => vec![self.gates.or(self.of_bool(a), self.of_bool(b))],
            Node::Ite(c, a, b) => {
                let c = self.of_bool(c);
                if terms.width(a) == 0 {
                    return vec![self.gates.choice(c, self.of_bool(a), self.of_bool(b))];
                }
                let (a, b) = (self.of(terms, a), self.of(terms, b));
                self.gates.choose(c, &a, &b)
            }
        }
    }

    fn variable(&mut self, var: Var, width: u32) -> Bits {
        let bits: Bits = (0..width).map(|_| self.gates.fresh()).collect();
        self.variables.insert(var, bits.clone());
        bits
    }
}

fn extended(bits: Bits, width: u32, with: Bit) -> Bits {
    let mut bits = bits;
    bits.resize(width as usize, with);
    bits
}

fn binary(gates: &mut Gates, op: BvOp, a: &[Bit], b: &[Bit]) -> Bits {
    match op {
        BvOp::Add => gates.add(a, b, Bit::FALSE),
        BvOp::Sub => gates.sub(a, b),
        BvOp::Mul => gates.mul(a, b),
        BvOp::UDiv => gates.divide(a, b).0,
        BvOp::URem => gates.divide(a, b).1,
        BvOp::SDiv => gates.divide_signed(a, b).0,
        BvOp::SRem => gates.divide_signed(a, b).1,
        BvOp::And => gates.zip(a, b, Gates::and),
        BvOp::Or => gates.zip(a, b, Gates::or),
        BvOp::Xor => gates.zip(a, b, Gates::xor),
        BvOp::Shl => gates.shift_left(a, b),
        BvOp::LShr => gates.shift_right(a, b, Bit::FALSE),
        BvOp::AShr => gates.shift_right(a, b, sign(a)),
    }
}

fn compare(gates: &mut Gates, op: CmpOp, a: &[Bit], b: &[Bit]) -> Bit {
    match op {
        CmpOp::Eq => gates.equal(a, b),
        CmpOp::Ult => gates.less(a, b, Bit::FALSE),
        CmpOp::Ule => gates.less(a, b, Bit::TRUE),
        CmpOp::Slt => gates.less_signed(a, b, Bit::FALSE),
        CmpOp::Sle => gates.less_signed(a, b, Bit::TRUE),
    }
}

#[cfg(test)]
mod tests {
    use expr::{Terms, Var};

    use super::Blaster;

    #[test]
    fn what_has_too_many_gates_is_left() {
        let mut terms = Terms::default();
        let (x, y) = (terms.var(Var(0), 32), terms.var(Var(1), 32));
        let quotient = terms.udiv(x, y);
        let least = terms.ult(x, quotient);
        assert!(Blaster::default().bool(&terms, least, 1_000).is_none());
        assert!(Blaster::default().bool(&terms, least, 100_000).is_some());
    }
}
