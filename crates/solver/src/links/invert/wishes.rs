//! From a wanted value of a term to values of its variables.

use expr::{
    BvOp, CmpOp, Evaluation, Node, Term, Terms, Var, eval_binary, from_signed, inverse_of_odd,
    mask, signed_max, signed_min, to_signed,
};

/// New values for some variables.
pub(super) type Changes = Vec<(Var, u128)>;

/// How many terms are visited for one query.
const TERMS: u32 = 512;
/// How many alternatives are kept for one term.
const ALTERNATIVES: usize = 16;
/// The greatest depth of operands that are visited.
const DEPTH: u32 = 300;

/// Inverts operations under the current values of terms. The result is only a suggestion: changes
/// conflict where a variable occurs twice, and then they may be wrong.
pub(super) struct Wishes<'a> {
    terms: &'a Terms,
    now: Evaluation<'a>,
    terms_left: u32,
    depth: u32,
}

impl<'a> Wishes<'a> {
    pub(super) fn new(terms: &'a Terms, now: Evaluation<'a>) -> Wishes<'a> {
        Wishes {
            terms,
            now,
            terms_left: TERMS,
            depth: 0,
        }
    }

    /// Changes after which all of these may hold.
    pub(super) fn all_hold(&mut self, constraints: &[Term]) -> Vec<Changes> {
        let nothing = vec![Changes::new()];
        constraints.iter().fold(nothing, |changes, &constraint| {
            product(&changes, &self.bool(constraint, true))
        })
    }

    /// Changes after which a Bool may have this value.
    fn bool(&mut self, term: Term, wish: bool) -> Vec<Changes> {
        if self.now.holds(term) == wish {
            return vec![Changes::new()];
        }
        self.inside(|wishes| match wishes.terms.node(term) {
            Node::BoolNot(a) => wishes.bool(a, !wish),
            Node::BoolAnd(a, b) if wish => product(&wishes.bool(a, true), &wishes.bool(b, true)),
            Node::BoolAnd(a, b) => either(wishes.bool(a, false), wishes.bool(b, false)),
            Node::BoolOr(a, b) if wish => either(wishes.bool(a, true), wishes.bool(b, true)),
            Node::BoolOr(a, b) => product(&wishes.bool(a, false), &wishes.bool(b, false)),
            Node::Ite(c, a, b) => wishes.choice((c, a, b), |wishes, arm| wishes.bool(arm, wish)),
            Node::Compare(op, a, b) => wishes.comparison((op, a, b), wish),
            _ => Vec::new(),
        })
    }

    /// One side of a comparison gets a value next to the other's, or the same.
    fn comparison(&mut self, (op, a, b): (CmpOp, Term, Term), wish: bool) -> Vec<Changes> {
        let width = self.terms.width(a);
        let (now_a, now_b) = (self.now.eval(a), self.now.eval(b));
        let (least, greatest) = match op.is_signed() {
            true => (signed_min(width), signed_max(width)),
            false => (0, mask(width)),
        };
        let below = |value: u128| (value != least).then(|| value.wrapping_sub(1) & mask(width));
        let above = |value: u128| (value != greatest).then(|| value.wrapping_add(1) & mask(width));
        let (for_a, for_b) = match (op, wish) {
            (CmpOp::Eq, true) => (vec![now_b], vec![now_a]),
            (CmpOp::Eq, false) => {
                let beside = |value| above(value).into_iter().chain(below(value)).collect();
                (beside(now_b), beside(now_a))
            }
            (CmpOp::Ult | CmpOp::Slt, true) => (
                below(now_b).into_iter().collect(),
                above(now_a).into_iter().collect(),
            ),
            (CmpOp::Ule | CmpOp::Sle, false) => (
                above(now_b).into_iter().collect(),
                below(now_a).into_iter().collect(),
            ),
            _ => (vec![now_b], vec![now_a]),
        };
        let mut changes = Vec::new();
        for (side, values) in [(a, for_a), (b, for_b)] {
            for value in values {
                changes = either(changes, self.bits(side, value));
            }
        }
        changes
    }

    /// Changes after which a bit vector may have this value.
    fn bits(&mut self, term: Term, wish: u128) -> Vec<Changes> {
        if self.now.eval(term) == wish {
            return vec![Changes::new()];
        }
        self.inside(|wishes| wishes.operands(term, wish))
    }

    fn operands(&mut self, term: Term, wish: u128) -> Vec<Changes> {
        let width = self.terms.width(term);
        match self.terms.node(term) {
            Node::Var { var, .. } => vec![vec![(var, wish)]],
            Node::Not(a) => self.bits(a, !wish & mask(width)),
            Node::Neg(a) => self.bits(a, wish.wrapping_neg() & mask(width)),
            Node::Binary(op, a, b) => {
                let (now_a, now_b) = (self.now.eval(a), self.now.eval(b));
                let mut changes = Vec::new();
                if let Some(value) = first_operand(op, width, wish, now_a, now_b) {
                    changes = self.bits(a, value);
                }
                if let Some(value) = second_operand(op, width, wish, now_a, now_b) {
                    changes = either(changes, self.bits(b, value));
                }
                changes
            }
            Node::Extract { high, low, of } => {
                let field = mask(high - low + 1) << low;
                let rest = self.now.eval(of) & !field;
                self.bits(of, rest | wish << low)
            }
            Node::Concat(a, b) => {
                let border = self.terms.width(b);
                let low = self.bits(b, wish & mask(border));
                product(&self.bits(a, wish >> border), &low)
            }
            Node::ZeroExtend { of, .. } if wish & !mask(self.terms.width(of)) == 0 => {
                self.bits(of, wish)
            }
            Node::SignExtend { of, .. } => {
                let narrow = self.terms.width(of);
                match from_signed(width, to_signed(narrow, wish)) == wish {
                    true => self.bits(of, wish & mask(narrow)),
                    false => Vec::new(),
                }
            }
            Node::Ite(c, a, b) => self.choice((c, a, b), |wishes, arm| wishes.bits(arm, wish)),
            _ => Vec::new(),
        }
    }

    /// The arm that is not chosen, if it has the value already; else the chosen one.
    fn choice(
        &mut self,
        (c, a, b): (Term, Term, Term),
        mut inside: impl FnMut(&mut Self, Term) -> Vec<Changes>,
    ) -> Vec<Changes> {
        let holds = self.now.holds(c);
        let (chosen, other) = if holds { (a, b) } else { (b, a) };
        // An arm that has the value needs no change; looking for one in the other is left out.
        let ready = match inside(self, other).first() {
            Some(changes) if changes.is_empty() => self.bool(c, !holds),
            _ => Vec::new(),
        };
        either(ready, inside(self, chosen))
    }

    /// Visits operands, within the limits.
    fn inside(&mut self, look: impl FnOnce(&mut Self) -> Vec<Changes>) -> Vec<Changes> {
        if self.terms_left == 0 || self.depth >= DEPTH {
            return Vec::new();
        }
        self.terms_left -= 1;
        self.depth += 1;
        let changes = look(self);
        self.depth -= 1;
        changes
    }
}

/// A value of the first operand that gives the result, while the second keeps its own; bits that
/// the result does not determine stay.
fn first_operand(op: BvOp, width: u32, wish: u128, a: u128, b: u128) -> Option<u128> {
    let value = match op {
        BvOp::Add => wish.wrapping_sub(b),
        BvOp::Sub => wish.wrapping_add(b),
        BvOp::Xor => wish ^ b,
        BvOp::And => wish | (a & !b),
        BvOp::Or => (wish & !b) | (a & b),
        BvOp::Mul => return factor(width, wish, a, b),
        BvOp::UDiv => wish.checked_mul(b)?,
        BvOp::URem => a.wrapping_sub(a.checked_rem(b)?).wrapping_add(wish),
        BvOp::SDiv => wish.wrapping_mul(b),
        BvOp::SRem => {
            let rest = eval_binary(BvOp::SRem, width, a, b);
            a.wrapping_sub(rest).wrapping_add(wish)
        }
        BvOp::Shl => wish.checked_shr(u32::try_from(b).ok()?)?,
        BvOp::LShr | BvOp::AShr => {
            let by = u32::try_from(b).ok().filter(|&by| by < width)?;
            wish << by | a & !(u128::MAX << by)
        }
    } & mask(width);
    (eval_binary(op, width, value, b) == wish).then_some(value)
}

/// The same for the second operand; amounts of shifts and divisors are left alone.
fn second_operand(op: BvOp, width: u32, wish: u128, a: u128, b: u128) -> Option<u128> {
    match op {
        BvOp::Sub => Some(a.wrapping_sub(wish) & mask(width)),
        _ if op.is_commutative() => first_operand(op, width, wish, b, a),
        _ => None,
    }
}

/// A number that times `b` is the wanted value; its highest bits, which do not matter, are those of
/// `a`.
fn factor(width: u32, wish: u128, a: u128, b: u128) -> Option<u128> {
    let lost = b.trailing_zeros();
    if lost >= width || wish.trailing_zeros() < lost {
        return None;
    }
    let kept = mask(width - lost);
    let low = (wish >> lost).wrapping_mul(inverse_of_odd(b >> lost)) & kept;
    Some(low | (a & mask(width) & !kept))
}

fn either(mut some: Vec<Changes>, others: Vec<Changes>) -> Vec<Changes> {
    some.extend(others);
    some.truncate(ALTERNATIVES);
    some
}

/// Each of the first with each of the second.
fn product(some: &[Changes], others: &[Changes]) -> Vec<Changes> {
    let pairs = some.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
    let joined = pairs.map(|(a, b)| a.iter().chain(b).copied().collect());
    joined.take(ALTERNATIVES).collect()
}
