//! The canonical forms: what C code commonly makes of inputs becomes this.

use expr::{Evaluator, Model, Term, Terms, Var};

/// A term built by a function, as text. `v0` and `v1` are bytes, `v2` and `v3` words of 32 bits.
fn form(build: impl FnOnce(&mut Terms, [Term; 4]) -> Term) -> String {
    let mut terms = Terms::default();
    let inputs = [(0, 8), (1, 8), (2, 32), (3, 32)].map(|(n, width)| terms.var(Var(n), width));
    let term = build(&mut terms, inputs);
    terms.display(term).to_string()
}

#[test]
fn comparisons_of_converted_bytes_are_comparisons_of_bytes() {
    let equal = form(|t, [c, ..]| {
        let (wide, k) = (t.sign_extend(32, c), t.constant(32, 65));
        t.eq(wide, k)
    });
    assert_eq!(equal, "(= v0 #x41)");
    let below = form(|t, [c, ..]| {
        let (wide, k) = (t.zero_extend(32, c), t.constant(32, 97));
        t.slt(wide, k)
    });
    assert_eq!(below, "(bvult v0 #x61)");
    let digit = form(|t, [c, ..]| {
        let (wide, k, nine) = (t.zero_extend(32, c), t.constant(32, 48), t.constant(32, 9));
        let digit = t.sub(wide, k);
        t.eq(digit, nine)
    });
    assert_eq!(digit, "(= v0 #x39)");
    let never = form(|t, [c, ..]| {
        let (wide, k) = (t.zero_extend(32, c), t.constant(32, 256));
        t.eq(wide, k)
    });
    assert_eq!(never, "false");
}

#[test]
fn truth_values_as_numbers_are_truth_values() {
    let undone = form(|t, [_, _, x, y]| {
        let less = t.slt(x, y);
        let number = t.bool_to_bits(less, 32);
        let byte = t.resize(8, number, true);
        let wide = t.resize(64, byte, false);
        let zero = t.constant(64, 0);
        let negated = t.eq(wide, zero);
        let number = t.bool_to_bits(negated, 32);
        t.is_nonzero(number)
    });
    assert_eq!(undone, "(bvsle v3 v2)");
    let both = form(|t, [_, _, x, y]| {
        let (less, equal) = (t.slt(x, y), t.eq(x, y));
        let (a, b) = (t.bool_to_bits(less, 32), t.bool_to_bits(equal, 32));
        let and = t.and(a, b);
        t.is_nonzero(and)
    });
    assert_eq!(both, "(and (bvslt v2 v3) (= v2 v3))");
}

#[test]
fn constants_gather_on_one_side() {
    let moved = form(|t, [_, _, x, _]| {
        let (k, three) = (t.constant(32, 10), t.constant(32, 3));
        let sum = t.add(k, x);
        let less = t.sub(sum, three);
        t.eq(less, k)
    });
    assert_eq!(moved, "(= v2 #x00000003)");
    let product = form(|t, [_, _, x, _]| {
        let (one, three) = (t.constant(32, 1), t.constant(32, 3));
        let next = t.add(x, one);
        t.mul(three, next)
    });
    assert_eq!(product, "(bvadd (bvmul v2 #x00000003) #x00000003)");
    let scaled = form(|t, [_, _, x, _]| {
        let index = t.sign_extend(64, x);
        let (four, limit) = (t.constant(64, 4), t.constant(64, 40));
        let offset = t.mul(index, four);
        t.ult(offset, limit)
    });
    assert_eq!(scaled, "(bvult v2 #x0000000a)");
}

#[test]
fn pieces_come_together_again() {
    let whole = form(|t, [_, _, x, _]| {
        let bytes = [0, 8, 16, 24].map(|low| t.extract(low + 7, low, x));
        let upper = t.concat(bytes[3], bytes[2]);
        let upper = t.concat(upper, bytes[1]);
        t.concat(upper, bytes[0])
    });
    assert_eq!(whole, "v2");
    let extended = form(|t, [c, ..]| {
        let wide = t.sign_extend(32, c);
        let bytes = [0, 8, 16, 24].map(|low| t.extract(low + 7, low, wide));
        let lower = t.concat(bytes[1], bytes[0]);
        let lower = t.concat(bytes[2], lower);
        let word = t.concat(bytes[3], lower);
        let k = t.constant(32, 7);
        t.slt(word, k)
    });
    assert_eq!(extended, "(bvslt v0 #x07)");
    let shifted = form(|t, [a, b, ..]| {
        let (high, low) = (t.zero_extend(32, a), t.zero_extend(32, b));
        let eight = t.constant(32, 8);
        let high = t.shl(high, eight);
        let both = t.or(high, low);
        let k = t.constant(32, 0x1234);
        t.eq(both, k)
    });
    assert_eq!(shifted, "(and (= v0 #x12) (= v1 #x34))");
    let flag = form(|t, [_, _, x, _]| {
        let mask = t.constant(32, 0x10);
        let bit = t.and(x, mask);
        t.is_nonzero(bit)
    });
    assert_eq!(flag, "(= ((_ extract 4 4) v2) #b1)");
}

#[test]
fn overflow_of_small_numbers_is_impossible_and_by_constants_a_comparison() {
    let never = form(|t, [a, b, ..]| {
        let (a, b) = (t.sign_extend(32, a), t.zero_extend(32, b));
        let product = t.mul(a, b);
        t.add_overflows(product, a)
    });
    assert_eq!(never, "false");
    let at_most = form(|t, [_, _, x, _]| {
        let one = t.constant(32, 1);
        t.add_overflows(x, one)
    });
    assert_eq!(at_most, "(= v2 #x7fffffff)");
}

#[test]
fn a_constraint_and_its_negation_meet() {
    let mut terms = Terms::default();
    let (x, y) = (terms.var(Var(0), 32), terms.var(Var(1), 32));
    let k = terms.constant(32, 10);
    let pairs = [
        (terms.slt(x, y), terms.sle(y, x)),
        (terms.ult(x, k), terms.ule(k, x)),
        (terms.eq(x, y), terms.ne(y, x)),
    ];
    for (a, b) in pairs {
        assert_eq!(terms.bool_not(a), b);
        assert_eq!(terms.bool_not(b), a);
        let (never, always) = (terms.bool_and(a, b), terms.bool_or(a, b));
        assert_eq!(
            (terms.as_bool(never), terms.as_bool(always)),
            (Some(false), Some(true))
        );
    }
}

#[test]
fn deep_terms_need_no_deep_stack() {
    let mut terms = Terms::default();
    let mut deep = terms.var(Var(0), 32);
    for step in 0..50_000u32 {
        let x = terms.var(Var(1 + step % 7), 32);
        let product = terms.mul(deep, x);
        let less = terms.slt(product, x);
        let sum = terms.add(product, deep);
        deep = terms.ite(less, sum, x);
        let negated = terms.neg(deep);
        deep = terms.xor(negated, x);
    }
    assert!(terms.len() > 100_000);
    let model: Model = (0..8).map(|n| (Var(n), 12_345 + u128::from(n))).collect();
    let value = terms.eval(deep, &model);
    assert_eq!(Evaluator::default().under(&terms, &model).eval(deep), value);
    let narrow = terms.extract(7, 0, deep);
    assert_eq!(terms.eval(narrow, &model), value & 0xff);
    assert_eq!(terms.variables(deep).iter().count(), 8);
    assert!(terms.display(deep).to_string().len() < 100_000);
}
