//! The domains agree: what a term says of variables is what the numbers give, and where the quick
//! operations give anything, it is what the checked ones give.

mod common;

use common::{ARITHMETIC, COMPARISONS, SHIFTS, integer, number};
use expr::{Model, Term, Terms, Var, mask};
use ir::{BinaryOp, UnaryOp};
use proptest::prelude::*;
use semantics::{
    Check, Concrete, Domain, Integer, Overflow, amount_is_safe, binary, branches, checks, compare,
    convert, in_range, negation_check, operands_are_safe, quick, shift_check, switch, unary,
};

/// Terms of two operands, each a variable or a constant, and a model that gives them their values.
struct Operands {
    terms: Terms,
    model: Model,
    a: Term,
    b: Term,
}

impl Operands {
    fn new(width: u32, (a, b): (u128, u128), is_variable: (bool, bool)) -> Operands {
        let (mut terms, mut model) = (Terms::default(), Model::default());
        let mut operand = |number, value, is_variable| {
            model.set(Var(number), value);
            match is_variable {
                true => terms.var(Var(number), width),
                false => Terms::constant(&mut terms, width, value),
            }
        };
        let (a, b) = (operand(0, a, is_variable.0), operand(1, b, is_variable.1));
        Operands { terms, model, a, b }
    }

    fn value(&self, term: Term) -> u128 {
        self.terms.eval(term, &self.model)
    }

    fn holds(&self, term: Term) -> bool {
        self.terms.holds(term, &self.model)
    }
}

fn two_bools() -> impl Strategy<Value = (bool, bool)> {
    (any::<bool>(), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn binary_operators(
        op in prop::sample::select([&ARITHMETIC[..], &SHIFTS[..]].concat()),
        ty in integer(),
        a in number(),
        b in number(),
        symbolic in two_bools(),
    ) {
        let (a, b) = (a & mask(ty.width), b & mask(ty.width));
        let mut at = Operands::new(ty.width, (a, b), symbolic);
        let term = binary(&mut at.terms, op, ty, at.a, at.b);
        prop_assert_eq!(at.value(term), binary(&mut Concrete, op, ty, a, b));
    }

    #[test]
    fn conditions_of_checks(
        check in prop::sample::select(vec![
            Check::Divisor,
            Check::Fits(Overflow::Add),
            Check::Fits(Overflow::Sub),
            Check::Fits(Overflow::Mul),
            Check::Quotient,
            Check::Negation,
            Check::ShiftedOut,
        ]),
        ty in integer(),
        a in number(),
        b in number(),
        symbolic in two_bools(),
    ) {
        let width = ty.width;
        let (a, mut b) = (a & mask(width), b & mask(width));
        if check == Check::ShiftedOut {
            b %= u128::from(width);
        }
        let mut at = Operands::new(width, (a, b), symbolic);
        let safe = operands_are_safe(&mut at.terms, check, width, at.a, at.b);
        let expected = operands_are_safe(&mut Concrete, check, width, a, b);
        prop_assert_eq!(at.holds(safe), expected);
    }

    #[test]
    fn amounts_of_shifts(ty in integer(), width in integer(), a in number()) {
        let a = a & mask(ty.width);
        let mut at = Operands::new(ty.width, (a, 0), (true, true));
        let safe = amount_is_safe(&mut at.terms, (at.a, ty.width), width.width);
        let expected = amount_is_safe(&mut Concrete, (a, ty.width), width.width);
        prop_assert_eq!(at.holds(safe), expected);
        prop_assert_eq!(expected, a < u128::from(width.width));
    }

    #[test]
    fn comparisons(
        op in prop::sample::select(COMPARISONS.to_vec()),
        ty in integer(),
        a in number(),
        b in number(),
        symbolic in two_bools(),
    ) {
        let (a, b) = (a & mask(ty.width), b & mask(ty.width));
        let mut at = Operands::new(ty.width, (a, b), symbolic);
        let holds = compare(&mut at.terms, op, ty, at.a, at.b);
        let expected = compare(&mut Concrete, op, ty, a, b);
        prop_assert_eq!(at.holds(holds), expected);
        let number = at.terms.number(32, holds);
        prop_assert_eq!(at.value(number), u128::from(expected));
    }

    #[test]
    fn conversions_and_unary_operators(from in integer(), to in integer(), a in number()) {
        let a = a & mask(from.width);
        let mut at = Operands::new(from.width, (a, 0), (true, true));
        let term = convert(&mut at.terms, from, to.width, at.a);
        prop_assert_eq!(at.value(term), convert(&mut Concrete, from, to.width, a));
        for op in [UnaryOp::Negate, UnaryOp::Complement] {
            let term = unary(&mut at.terms, op, from.width, at.a);
            prop_assert_eq!(at.value(term), unary(&mut Concrete, op, from.width, a));
        }
    }

    #[test]
    fn edges(
        ty in integer(),
        a in number(),
        ends in prop::collection::btree_set(-40i128..120, 0..6),
    ) {
        let a = a & mask(ty.width);
        // Pairs of ends are ranges that do not overlap; one that is left over is a single value.
        let ends: Vec<i128> = ends.into_iter().filter(|&end| ty.signed || end >= 0).collect();
        let ranges: Vec<(i128, i128)> = ends
            .chunks(2)
            .map(|ends| (ends[0], ends[ends.len() - 1]))
            .collect();
        let mut at = Operands::new(ty.width, (a, 0), (true, true));
        let then = branches(&mut at.terms, ty.width, at.a);
        prop_assert_eq!(at.holds(then), branches(&mut Concrete, ty.width, a));
        let terms = switch(&mut at.terms, ty, at.a, ranges.iter().copied());
        let taken = quick::arm(ty, a, ranges.iter().copied()).unwrap_or(ranges.len());
        prop_assert_eq!(switch(&mut Concrete, ty, a, ranges.iter().copied()).len(), terms.len());
        for (arm, &condition) in terms.iter().enumerate() {
            prop_assert_eq!(at.holds(condition), arm == taken);
        }
        for (arm, &range) in ranges.iter().enumerate() {
            prop_assert_eq!(in_range(&mut Concrete, ty, a, range), arm == taken);
        }
    }

    #[test]
    fn quick_operations(
        op in prop::sample::select([&ARITHMETIC[..], &SHIFTS[..], &COMPARISONS[..]].concat()),
        ty in integer(),
        to in integer(),
        a in number(),
        b in number(),
    ) {
        let (a, b) = (a & mask(ty.width), b & mask(ty.width));
        let (x, y) = (a as u64, b as u64);
        let is_safe = |check| operands_are_safe(&mut Concrete, check, ty.width, a, b);
        if op.is_comparison() {
            if let Some(holds) = quick::compare(op, ty, x, y) {
                prop_assert_eq!(holds, compare(&mut Concrete, op, ty, a, b));
            }
        } else if SHIFTS.contains(&op) {
            let amount = y.min(63);
            if let Some(bits) = quick::shift(op, ty, x, amount) {
                let amount = u128::from(amount);
                let is_safe =
                    |check| operands_are_safe(&mut Concrete, check, ty.width, a, amount);
                prop_assert!(amount_is_safe(&mut Concrete, (amount, 64), ty.width));
                prop_assert!(shift_check(op, ty, false).is_none_or(is_safe));
                let exact = binary(&mut Concrete, op, ty, a, amount);
                prop_assert_eq!(u128::from(bits), exact);
            }
        } else if let Some(bits) = quick::binary(op, ty, x, y) {
            prop_assert_eq!(u128::from(bits), binary(&mut Concrete, op, ty, a, b));
            prop_assert!(checks(op, ty, false).all(is_safe));
        } else {
            // Nothing else sends to the slow path.
            let is_wide = ty.width > 64;
            prop_assert!(is_wide || !checks(op, ty, false).all(is_safe));
        }
        if let Some(bits) = (ty.width <= 64).then(|| quick::convert(ty, to.width, x)).flatten() {
            prop_assert_eq!(u128::from(bits), convert(&mut Concrete, ty, to.width, a));
        }
    }
}

#[test]
fn which_checks_are_made() {
    let signed = Integer {
        width: 32,
        signed: true,
    };
    let unsigned = Integer {
        signed: false,
        ..signed
    };
    let made = |op, ty, wraps| checks(op, ty, wraps).collect::<Vec<_>>();
    let sum = Check::Fits(Overflow::Add);
    assert_eq!(made(BinaryOp::Add, signed, false), [sum]);
    assert_eq!(made(BinaryOp::Add, signed, true), []);
    assert_eq!(made(BinaryOp::Add, unsigned, false), []);
    let division = [Check::Divisor, Check::Quotient];
    assert_eq!(made(BinaryOp::Rem, signed, true), division);
    assert_eq!(made(BinaryOp::Div, unsigned, false), [Check::Divisor]);
    assert_eq!(
        shift_check(BinaryOp::Shl, signed, false),
        Some(Check::ShiftedOut)
    );
    assert_eq!(shift_check(BinaryOp::Shl, signed, true), None);
    assert_eq!(shift_check(BinaryOp::Shr, signed, false), None);
    assert_eq!(negation_check(signed, false), Some(Check::Negation));
    assert_eq!(negation_check(unsigned, false), None);
}
