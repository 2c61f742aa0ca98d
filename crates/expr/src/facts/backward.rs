//! Derives facts about operands from facts about the result.

use crate::semantics::mask;
use crate::{BvOp, CmpOp, Node, Term};

use super::fact::Fact;
use super::forward::{before_sign_extension, compared, difference, field, sum};

/// The facts about operands that follow from a fact about the result, given the known facts about
/// the operands.
pub fn operands(node: Node, known: &Fact, of: impl Fn(Term) -> Fact) -> Vec<(Term, Fact)> {
    match node {
        Node::Bool(_) | Node::Const { .. } | Node::Var { .. } => Vec::new(),
        Node::Not(a) => {
            let minus_one = Fact::constant(known.width, mask(known.width));
            vec![(a, difference(&minus_one, known))]
        }
        Node::Neg(a) => vec![(a, difference(&Fact::constant(known.width, 0), known))],
        Node::Binary(op, a, b) => binary(op, (a, &of(a)), (b, &of(b)), known),
        Node::Compare(op, a, b) => match known.value() {
            Some(value) => comparison(op, value == 1, (a, &of(a)), (b, &of(b))),
            None => Vec::new(),
        },
        Node::Extract { high, low, of: a } => vec![(a, with_field(known, &of(a), high, low))],
        Node::Concat(a, b) => {
            let border = of(b).width;
            vec![
                (a, field(known, known.width - 1, border)),
                (b, field(known, border - 1, 0)),
            ]
        }
        Node::ZeroExtend { of: a, .. } => {
            let narrow = of(a).width;
            let bounds = Fact::between(narrow, known.low, known.high.min(mask(narrow)));
            vec![(a, bounds.and(&Fact::bits(narrow, known.ones, known.may)))]
        }
        Node::SignExtend { of: a, .. } => vec![(a, before_sign_extension(known, of(a).width))],
        Node::BoolNot(a) => match known.value() {
            Some(value) => vec![(a, Fact::bool(value == 0))],
            None => Vec::new(),
        },
        Node::BoolAnd(a, b) => both((a, &of(a)), (b, &of(b)), known, true),
        Node::BoolOr(a, b) => both((a, &of(a)), (b, &of(b)), known, false),
        Node::Ite(c, a, b) => {
            let (fact_a, fact_b) = (of(a), of(b));
            match of(c).value() {
                Some(1) => vec![(a, *known)],
                Some(_) => vec![(b, *known)],
                None if fact_a.and(known).is_empty() => vec![(c, Fact::bool(false))],
                None if fact_b.and(known).is_empty() => vec![(c, Fact::bool(true))],
                None => Vec::new(),
            }
        }
    }
}

/// A conjunction (or, with `unit` false, a disjunction): where it has its unit as value, both
/// operands have; where it has not and one operand has, the other has not.
fn both(a: (Term, &Fact), b: (Term, &Fact), known: &Fact, unit: bool) -> Vec<(Term, Fact)> {
    let unit_value = Some(u128::from(unit));
    match known.value() {
        None => Vec::new(),
        value if value == unit_value => vec![(a.0, Fact::bool(unit)), (b.0, Fact::bool(unit))],
        Some(_) if a.1.value() == unit_value => vec![(b.0, Fact::bool(!unit))],
        Some(_) if b.1.value() == unit_value => vec![(a.0, Fact::bool(!unit))],
        Some(_) => Vec::new(),
    }
}

fn binary(
    op: BvOp,
    (a, fact_a): (Term, &Fact),
    (b, fact_b): (Term, &Fact),
    known: &Fact,
) -> Vec<(Term, Fact)> {
    let width = known.width;
    match op {
        BvOp::Add => vec![
            (a, difference(known, fact_b)),
            (b, difference(known, fact_a)),
        ],
        BvOp::Sub => vec![(a, sum(known, fact_b)), (b, difference(fact_a, known))],
        BvOp::Mul => match fact_b.value() {
            // Nothing is lost in any of the products.
            Some(factor) if factor > 0 && fact_a.high <= mask(width) / factor => {
                let (low, high) = (known.low.div_ceil(factor), known.high / factor);
                vec![(a, bounded(width, low, high))]
            }
            _ => Vec::new(),
        },
        BvOp::UDiv => match fact_b.value() {
            Some(divisor) if divisor > 0 => {
                let low = known.low.saturating_mul(divisor);
                let high = known
                    .high
                    .saturating_mul(divisor)
                    .saturating_add(divisor - 1);
                vec![(a, bounded(width, low, high))]
            }
            _ => Vec::new(),
        },
        BvOp::And => [(a, fact_b), (b, fact_a)]
            .map(|(x, other)| (x, Fact::bits(width, known.ones, known.may | !other.ones)))
            .to_vec(),
        BvOp::Or => [(a, fact_b), (b, fact_a)]
            .map(|(x, other)| (x, Fact::bits(width, known.ones & !other.may, known.may)))
            .to_vec(),
        BvOp::Xor => [(a, fact_b), (b, fact_a)]
            .map(|(x, other)| {
                let surely = (known.ones & !other.may) | (other.ones & !known.may);
                let may = (known.may | other.may) & !(known.ones & other.ones);
                (x, Fact::bits(width, surely, may))
            })
            .to_vec(),
        _ => Vec::new(),
    }
}

/// Bounds, of which the lower may be above all numbers or above the upper: then nothing is left.
fn bounded(width: u32, low: u128, high: u128) -> Fact {
    let mut fact = Fact::any(width);
    fact.low = low;
    fact.high = high.min(mask(width));
    fact.agreed()
}

fn comparison(
    op: CmpOp,
    holds: bool,
    (a, fact_a): (Term, &Fact),
    (b, fact_b): (Term, &Fact),
) -> Vec<(Term, Fact)> {
    if compared(op, fact_a, fact_b) == Some(!holds) {
        return vec![(a, bounded(fact_a.width, 1, 0))];
    }
    match (op, holds) {
        (CmpOp::Eq, true) => vec![(a, *fact_b), (b, *fact_a)],
        (CmpOp::Eq, false) => {
            let mut facts = Vec::new();
            facts.extend(fact_b.value().map(|value| (a, without(fact_a, value))));
            facts.extend(fact_a.value().map(|value| (b, without(fact_b, value))));
            facts
        }
        (CmpOp::Ult, true) => below((a, fact_a), (b, fact_b), 1),
        (CmpOp::Ule, true) => below((a, fact_a), (b, fact_b), 0),
        (CmpOp::Ult, false) => below((b, fact_b), (a, fact_a), 0),
        (CmpOp::Ule, false) => below((b, fact_b), (a, fact_a), 1),
        (CmpOp::Slt, true) => below_signed((a, fact_a), (b, fact_b), 1),
        (CmpOp::Sle, true) => below_signed((a, fact_a), (b, fact_b), 0),
        (CmpOp::Slt, false) => below_signed((b, fact_b), (a, fact_a), 0),
        (CmpOp::Sle, false) => below_signed((b, fact_b), (a, fact_a), 1),
    }
}

/// A range without a number at one of its ends.
fn without(fact: &Fact, value: u128) -> Fact {
    let mut less = *fact;
    if value == fact.low && value < fact.high {
        less.low += 1;
    } else if value == fact.high && value > fact.low {
        less.high -= 1;
    }
    less.agreed()
}

/// `a + gap <= b`, which can hold.
fn below((a, fact_a): (Term, &Fact), (b, fact_b): (Term, &Fact), gap: u128) -> Vec<(Term, Fact)> {
    let width = fact_a.width;
    vec![
        (a, Fact::between(width, 0, fact_b.high.saturating_sub(gap))),
        (
            b,
            Fact::between(width, fact_a.low.saturating_add(gap), mask(width)),
        ),
    ]
}

fn below_signed(
    (a, fact_a): (Term, &Fact),
    (b, fact_b): (Term, &Fact),
    gap: i128,
) -> Vec<(Term, Fact)> {
    let any = Fact::any(fact_a.width);
    vec![
        (
            a,
            Fact::between_signed(any.width, any.least, fact_b.most.saturating_sub(gap)),
        ),
        (
            b,
            Fact::between_signed(any.width, fact_a.least.saturating_add(gap), any.most),
        ),
    ]
}

/// The fact about the whole that follows from a fact about a field.
fn with_field(field: &Fact, whole: &Fact, high: u32, low: u32) -> Fact {
    let width = whole.width;
    let outside = !(mask(high - low + 1) << low);
    let bits = Fact::bits(width, field.ones << low, field.may << low | outside);
    let is_top = high + 1 == width || whole.high >> high >> 1 == 0;
    match is_top {
        true => {
            let filled = field.high << low | !(u128::MAX << low);
            bits.and(&Fact::between(width, field.low << low, filled))
        }
        false => bits,
    }
}
