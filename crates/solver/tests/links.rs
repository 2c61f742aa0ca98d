//! Each link in front of a solver that knows nothing: what it answers is right, at widths at which
//! all values can be tried.

#[path = "common/numbers.rs"]
mod numbers;

use expr::{BvOp, CmpOp, Model, Term, Terms, Var};
use numbers::Numbers;
use solver::*;

/// Gives up at once.
struct Nothing;

impl Solver for Nothing {
    fn check(&mut self, _: &mut Terms, _: &Query<'_>) -> Answer {
        Answer::Unknown(Reason::Budget)
    }
}

const WIDTH: u32 = 4;
const VARIABLES: u32 = 3;

/// A term such as programs compare: sums, multiples, extensions and fields of variables.
fn operand(terms: &mut Terms, numbers: &mut Numbers, variables: u32, depth: u32) -> Term {
    let var = terms.var(Var(numbers.below(variables)), WIDTH);
    let constant = terms.constant(WIDTH, numbers.below(1 << WIDTH).into());
    if depth == 0 {
        return var;
    }
    let inner = operand(terms, numbers, variables, depth - 1);
    match numbers.below(14) {
        0..=3 => terms.add(inner, constant),
        4 => terms.sub(constant, inner),
        5 => terms.mul(inner, constant),
        6 => terms.and(inner, constant),
        7 => terms.xor(inner, constant),
        8 => {
            let op = numbers.pick(&BvOp::ALL);
            terms.binary(op, inner, constant)
        }
        9 => {
            let low = terms.extract(WIDTH - 2, 0, inner);
            terms.resize(WIDTH, low, numbers.below(2) == 0)
        }
        10 => {
            let high = terms.extract(WIDTH - 1, 2, inner);
            terms.resize(WIDTH, high, numbers.below(2) == 0)
        }
        11 => {
            let condition = comparison(terms, numbers, variables, 0);
            terms.ite(condition, constant, inner)
        }
        12 => terms.add(inner, var),
        _ => inner,
    }
}

fn comparison(terms: &mut Terms, numbers: &mut Numbers, variables: u32, depth: u32) -> Term {
    let a = operand(terms, numbers, variables, depth);
    let b = match numbers.below(2) {
        0 => terms.constant(WIDTH, numbers.below(1 << WIDTH).into()),
        _ => operand(terms, numbers, variables, depth.saturating_sub(1)),
    };
    let (a, b) = if numbers.below(2) == 0 {
        (a, b)
    } else {
        (b, a)
    };
    // Extended, the operands are compared as wider numbers.
    let (a, b) = match numbers.below(4) {
        0 => (
            terms.zero_extend(WIDTH + 3, a),
            terms.zero_extend(WIDTH + 3, b),
        ),
        1 => (
            terms.sign_extend(WIDTH + 3, a),
            terms.sign_extend(WIDTH + 3, b),
        ),
        _ => (a, b),
    };
    let op = numbers.pick(&CmpOp::ALL);
    let comparison = terms.compare(op, a, b);
    match numbers.below(3) {
        0 => terms.bool_not(comparison),
        _ => comparison,
    }
}

/// Whether any values of the variables satisfy the constraints.
fn is_satisfiable(terms: &Terms, constraints: &[Term]) -> bool {
    (0..1u128 << (WIDTH * VARIABLES)).any(|bits| {
        let value = |var: u32| bits >> (var * WIDTH) & ((1 << WIDTH) - 1);
        let model: Model = (0..VARIABLES).map(|var| (Var(var), value(var))).collect();
        constraints.iter().all(|&c| terms.holds(c, &model))
    })
}

/// Asks a link many queries about so many variables; how many it answered with yes and no.
fn answers<S: Solver>(
    link: impl Fn(Nothing) -> S,
    variables: u32,
    depth: u32,
    seed: u64,
) -> (u32, u32) {
    let (mut yes, mut no) = (0, 0);
    let numbers = &mut Numbers(seed);
    for _ in 0..40 {
        let mut terms = Terms::default();
        let mut link = link(Nothing);
        let mut pool: Vec<Term> = (0..12)
            .map(|_| comparison(&mut terms, numbers, variables, depth))
            .collect();
        pool.retain(|&c| terms.as_bool(c).is_none());
        for _ in 0..12 {
            let size = 1 + numbers.below(6);
            let mut constraints: Vec<Term> = (0..size).map(|_| numbers.pick(&pool)).collect();
            constraints.dedup();
            let current: Model = (0..variables)
                .map(|var| (Var(var), numbers.below(1 << WIDTH).into()))
                .collect();
            match link.check(&mut terms, &Query::new(&constraints, &current)) {
                Answer::Sat(model) => {
                    yes += 1;
                    for &constraint in &constraints {
                        assert!(
                            terms.holds(constraint, &model),
                            "{}",
                            terms.display(constraint)
                        );
                    }
                }
                Answer::Unsat(core) => {
                    no += 1;
                    assert!(core.windows(2).all(|pair| pair[0] < pair[1]), "{core:?}");
                    let core: Vec<Term> = core.iter().map(|&at| constraints[at]).collect();
                    let texts: Vec<_> =
                        core.iter().map(|&c| terms.display(c).to_string()).collect();
                    assert!(!is_satisfiable(&terms, &core), "{texts:#?}");
                }
                Answer::Unknown(_) => {}
            }
        }
    }
    (yes, no)
}

#[test]
fn intervals() {
    // All values of so narrow a variable can be tried, so that nothing stays open.
    let (yes, no) = answers(Intervals::new, 1, 2, 1);
    assert!(yes + no == 480 && no > 30, "{yes} sat, {no} unsat");
}

#[test]
fn invert() {
    let (yes, no) = answers(Invert::new, VARIABLES, 2, 3);
    assert!(yes > 150 && no == 0, "{yes} sat, {no} unsat");
}

#[test]
fn substitute() {
    let (yes, no) = answers(|next| Substitute::new(Invert::new(next)), VARIABLES, 2, 4);
    assert!(yes > 150 && no > 3, "{yes} sat, {no} unsat");
}

#[test]
fn order() {
    let (yes, no) = answers(Order::new, VARIABLES, 1, 5);
    assert!(yes > 50 && no > 10, "{yes} sat, {no} unsat");
}

#[test]
fn bounds() {
    let (yes, no) = answers(Bounds::new, VARIABLES, 2, 6);
    assert!(yes == 0 && no > 10, "{yes} sat, {no} unsat");
}

#[test]
fn substitution_before_sat() {
    let (yes, no) = answers(|_| Substitute::new(Sat::new(100_000)), VARIABLES, 2, 7);
    assert_eq!(yes + no, 480, "{yes} sat, {no} unsat");
}

#[test]
fn the_whole_chain_without_each_link_in_turn() {
    let leave_out = LinkName::OPTIONAL.into_iter().map(Some).chain([None]);
    let verdicts: Vec<(u32, u32)> = leave_out
        .map(|link| {
            let options = ChainOptions {
                without: link.into_iter().collect(),
                ..ChainOptions::default()
            };
            answers(|_| chain(&options), VARIABLES, 2, 8)
        })
        .collect();
    assert!(
        verdicts.windows(2).all(|pair| pair[0] == pair[1]),
        "{verdicts:?}"
    );
    let (yes, no) = verdicts[0];
    assert!(
        yes + no == 480 && yes > 150 && no > 50,
        "{yes} sat, {no} unsat"
    );
}
