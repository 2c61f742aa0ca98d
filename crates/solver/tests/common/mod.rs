//! Random terms, the same for the same seed.

pub mod numbers;

use expr::{BvOp, CmpOp, Node, Term, Terms, Var};

pub use self::numbers::Numbers;

/// A random constant: small, small and negative, a power of two, or any.
fn value(numbers: &mut Numbers) -> u128 {
    match numbers.below(4) {
        0 => u128::from(numbers.below(10)),
        1 => u128::from(numbers.below(4)).wrapping_neg(),
        2 => 1 << numbers.below(128),
        _ => u128::from(numbers.next()) << 64 | u128::from(numbers.next()),
    }
}

/// A random bit vector, not simplified. The variables of one width are three.
pub fn bits(terms: &mut Terms, numbers: &mut Numbers, width: u32, depth: u32) -> Term {
    if depth == 0 || numbers.below(8) == 0 {
        return match numbers.below(3) {
            0 => terms.constant(width, value(numbers)),
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
    let node = terms.node(term).map(|operand| simplified(terms, operand));
    terms.build(node)
}
