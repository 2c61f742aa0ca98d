//! Random terms, the same for the same seed.

use expr::{BvOp, CmpOp, Node, Term, Terms, Var};

/// A source of numbers (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len() as u32) as usize]
    }

    fn value(&mut self) -> u128 {
        match self.below(4) {
            0 => u128::from(self.below(10)),
            1 => u128::from(self.below(4)).wrapping_neg(),
            2 => 1 << self.below(128),
            _ => u128::from(self.next()) << 64 | u128::from(self.next()),
        }
    }
}

/// A random bit vector, not simplified. The variables of one width are three.
pub fn bits(terms: &mut Terms, numbers: &mut Numbers, width: u32, depth: u32) -> Term {
    if depth == 0 || numbers.below(8) == 0 {
        return match numbers.below(3) {
            0 => terms.constant(width, numbers.value()),
            _ => terms.var(Var(width * 4 + numbers.below(3)), width),
        };
    }
    let mut inner = |terms: &mut Terms, width| bits(terms, numbers, width, depth - 1);
    let x = inner(terms, width);
    let y = inner(terms, width);
    let node = match numbers.below(10) {
        0 => Node::Not(x),
        1 => Node::Neg(x),
        2 => Node::Ite(bool(terms, numbers, width, depth - 1), x, y),
        3 if width > 1 => {
            let of = bits(terms, numbers, half_of(width), depth - 1);
            Node::ZeroExtend { width, of }
        }
        4 if width > 1 => {
            let of = bits(terms, numbers, half_of(width), depth - 1);
            Node::SignExtend { width, of }
        }
        5 if width <= 64 => {
            let of = terms.unsimplified(Node::Concat(x, y));
            let low = numbers.below(width + 1);
            Node::Extract {
                high: low + width - 1,
                low,
                of,
            }
        }
        _ => Node::Binary(numbers.pick(&BvOp::ALL), x, y),
    };
    terms.unsimplified(node)
}

/// A narrower width that is common.
fn half_of(width: u32) -> u32 {
    width.div_ceil(2)
}

/// A random Bool over bit vectors of a width, not simplified.
pub fn bool(terms: &mut Terms, numbers: &mut Numbers, width: u32, depth: u32) -> Term {
    let node = match numbers.below(if depth == 0 { 1 } else { 5 }) {
        1 => Node::BoolNot(bool(terms, numbers, width, depth - 1)),
        2 => {
            let a = bool(terms, numbers, width, depth - 1);
            Node::BoolAnd(a, bool(terms, numbers, width, depth - 1))
        }
        3 => {
            let a = bool(terms, numbers, width, depth - 1);
            Node::BoolOr(a, bool(terms, numbers, width, depth - 1))
        }
        _ => {
            let depth = depth.saturating_sub(1);
            let a = bits(terms, numbers, width, depth);
            let b = bits(terms, numbers, width, depth);
            Node::Compare(numbers.pick(&CmpOp::ALL), a, b)
        }
    };
    terms.unsimplified(node)
}

/// The term built again by the constructors that simplify.
pub fn simplified(terms: &mut Terms, term: Term) -> Term {
    let node = terms.node(term);
    let operands: Vec<Term> = node.operands().map(|t| simplified(terms, t)).collect();
    match (node, &operands[..]) {
        (Node::Not(_), &[a]) => terms.not(a),
        (Node::Neg(_), &[a]) => terms.neg(a),
        (Node::Binary(op, ..), &[a, b]) => terms.binary(op, a, b),
        (Node::Compare(op, ..), &[a, b]) => terms.compare(op, a, b),
        (Node::Extract { high, low, .. }, &[a]) => terms.extract(high, low, a),
        (Node::Concat(..), &[a, b]) => terms.concat(a, b),
        (Node::ZeroExtend { width, .. }, &[a]) => terms.zero_extend(width, a),
        (Node::SignExtend { width, .. }, &[a]) => terms.sign_extend(width, a),
        (Node::BoolNot(_), &[a]) => terms.bool_not(a),
        (Node::BoolAnd(..), &[a, b]) => terms.bool_and(a, b),
        (Node::BoolOr(..), &[a, b]) => terms.bool_or(a, b),
        (Node::Ite(..), &[c, a, b]) => terms.ite(c, a, b),
        _ => term,
    }
}
