//! The chain as a whole, and what each link is for.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::Numbers;
use expr::{Model, Node, Term, Terms, Var};
use solver::{
    Answer, Chain, ChainOptions, Clock, LinkName, Query, Reason, Sat, Solver, Stop, chain,
};

fn model(values: &[(u32, u128)]) -> Model {
    values
        .iter()
        .map(|&(var, value)| (Var(var), value))
        .collect()
}

fn ask(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    constraints: &[Term],
    current: &Model,
) -> Answer {
    solver.check(terms, &Query::new(constraints, current))
}

/// `variable = value`.
fn equal(terms: &mut Terms, var: u32, width: u32, value: u128) -> Term {
    let (var, value) = (terms.var(Var(var), width), terms.constant(width, value));
    terms.eq(var, value)
}

/// How many queries a link answered.
fn answered(chain: &Chain, link: LinkName) -> u64 {
    let all = chain.statistics();
    all.iter()
        .find(|statistics| statistics.link == link)
        .map_or(0, |found| found.answered)
}

#[test]
fn only_the_slice_changes() {
    let mut terms = Terms::default();
    let unrelated = equal(&mut terms, 1, 32, 7);
    let wanted = equal(&mut terms, 2, 32, 1_000_000);
    let current = model(&[(1, 7), (2, 5), (3, 99)]);
    let mut chain = chain(&ChainOptions::default());
    let answer = ask(&mut chain, &mut terms, &[unrelated, wanted], &current);
    assert_eq!(
        answer,
        Answer::Sat(model(&[(1, 7), (2, 1_000_000), (3, 99)]))
    );
}

#[test]
fn bits_that_nothing_constrains_stay() {
    let mut terms = Terms::default();
    let x = terms.var(Var(0), 32);
    let bit = terms.extract(4, 4, x);
    let wanted = terms.is_nonzero(bit);
    let mut chain = chain(&ChainOptions::default());
    let answer = ask(
        &mut chain,
        &mut terms,
        &[wanted],
        &model(&[(0, 0xdead_0005)]),
    );
    assert_eq!(answer, Answer::Sat(model(&[(0, 0xdead_0015)])));
}

#[test]
fn cores_name_the_constraints_of_the_query() {
    let mut terms = Terms::default();
    let (x, y) = (terms.var(Var(0), 32), terms.var(Var(1), 32));
    let always = terms.bool(true);
    let other = equal(&mut terms, 7, 32, 3);
    let below = terms.ult(x, y);
    let limit = terms.constant(32, 10);
    let small = terms.ult(y, limit);
    let large = terms.ult(limit, x);
    let constraints = [always, other, below, small, other, large];
    let mut chain = chain(&ChainOptions::default());
    let current = model(&[(0, 1), (1, 2), (7, 3)]);
    let answer = ask(&mut chain, &mut terms, &constraints, &current);
    assert_eq!(answer, Answer::Unsat(vec![2, 3, 5]));
    // The same conflict among more constraints is known.
    let more = terms.ne(x, limit);
    let constraints = [more, below, small, large];
    let answer = ask(&mut chain, &mut terms, &constraints, &current);
    assert_eq!(answer, Answer::Unsat(vec![1, 2, 3]));
    assert_eq!(answered(&chain, LinkName::Order), 1);
    assert_eq!(answered(&chain, LinkName::Cache), 1);
}

#[test]
fn a_negated_constraint_is_no_question() {
    let mut terms = Terms::default();
    let (x, y) = (terms.var(Var(0), 32), terms.var(Var(1), 32));
    let less = terms.slt(x, y);
    let other = equal(&mut terms, 2, 8, 1);
    let opposite = terms.bool_not(less);
    let mut chain = chain(&ChainOptions::default());
    let answer = ask(
        &mut chain,
        &mut terms,
        &[less, other, opposite],
        &Model::default(),
    );
    assert_eq!(answer, Answer::Unsat(vec![0, 2]));
    assert_eq!(answered(&chain, LinkName::Trivial), 1);
}

#[test]
fn a_byte_gets_a_readable_value() {
    let mut terms = Terms::default();
    let byte = terms.var(Var(0), 8);
    let space = terms.constant(8, b' '.into());
    let above = terms.ult(space, byte);
    let mut chain = chain(&ChainOptions::default());
    let answer = ask(&mut chain, &mut terms, &[above], &model(&[(0, 0)]));
    assert_eq!(answer, Answer::Sat(model(&[(0, b'a'.into())])));
}

/// That a product is one of two primes near 2^32.
fn factors(terms: &mut Terms) -> [Term; 5] {
    let (x, y) = (terms.var(Var(0), 64), terms.var(Var(1), 64));
    let limit = terms.constant(64, 1 << 32);
    let one = terms.constant(64, 1);
    let product = terms.mul(x, y);
    let number = terms.constant(64, 4_294_967_291 * 4_294_967_279);
    let equal = terms.eq(product, number);
    [
        terms.ult(one, x),
        terms.ult(one, y),
        terms.ult(x, limit),
        terms.ult(y, limit),
        equal,
    ]
}

#[test]
fn the_budget_ends_a_hard_query() {
    let mut terms = Terms::default();
    let constraints = factors(&mut terms);
    let mut chain = chain(&ChainOptions {
        conflict_limit: 50,
        ..ChainOptions::default()
    });
    let answer = ask(&mut chain, &mut terms, &constraints, &Model::default());
    assert_eq!(answer, Answer::Unknown(Reason::Budget));
}

#[test]
fn whoever_asks_can_end_a_hard_query() {
    let mut terms = Terms::default();
    let constraints = factors(&mut terms);
    let mut chain = chain(&ChainOptions {
        stop: Some(Stop::when(|| true)),
        ..ChainOptions::default()
    });
    let answer = ask(&mut chain, &mut terms, &constraints, &Model::default());
    assert_eq!(answer, Answer::Unknown(Reason::Stopped));
}

#[test]
fn deep_terms_need_no_deep_stack() {
    let mut terms = Terms::default();
    let mut deep = terms.var(Var(0), 2);
    for step in 0..50_000u32 {
        let x = terms.var(Var(1 + step % 3), 2);
        deep = terms.and(deep, x);
        let y = terms.var(Var(4 + step % 5), 2);
        deep = terms.xor(deep, y);
    }
    assert!(terms.len() > 100_000);
    let zero = terms.constant(2, 0);
    let wanted = terms.eq(deep, zero);
    let text = solver::script(&terms, &[wanted]);
    assert!(text.len() > 100_000);
    let answer = ask(&mut Sat::new(0), &mut terms, &[wanted], &Model::default());
    assert!(
        !matches!(answer, Answer::Unknown(Reason::Failed(_))),
        "{answer:?}"
    );
}

/// A random constraint on three variables of 3 bits, simplified.
fn constraint(terms: &mut Terms, numbers: &mut Numbers) -> Term {
    let plain = common::bool(terms, numbers, 3, 2);
    common::simplified(terms, plain)
}

/// Whether any values of the variables satisfy the constraints.
fn is_satisfiable(terms: &Terms, constraints: &[Term]) -> bool {
    // The variables of the constraints: see `common::bits`; there are those of width 3 and 2.
    let vars: Vec<(Var, u32)> = (12..15)
        .map(|n| (Var(n), 3))
        .chain((8..11).map(|n| (Var(n), 2)))
        .collect();
    let total: u32 = vars.iter().map(|&(_, width)| width).sum();
    (0..1u128 << total).any(|bits| {
        let mut rest = bits;
        let model: Model = vars
            .iter()
            .map(|&(var, width)| {
                let value = rest & ((1 << width) - 1);
                rest >>= width;
                (var, value)
            })
            .collect();
        constraints.iter().all(|&c| terms.holds(c, &model))
    })
}

#[test]
fn one_chain_answers_many_queries_rightly() {
    let mut terms = Terms::default();
    let mut chain = chain(&ChainOptions::default());
    let numbers = &mut Numbers(7);
    let mut pool: Vec<Term> = Vec::new();
    while pool.len() < 24 {
        let candidate = constraint(&mut terms, numbers);
        // Narrower variables come from extensions; deeper ones (width 1) would be too many.
        if terms.variables(candidate).iter().all(|var| var.0 >= 8) {
            pool.push(candidate);
        }
    }
    let (mut yes, mut no) = (0, 0);
    let mut current = Model::default();
    for _ in 0..250 {
        let size = 1 + numbers.below(4);
        let constraints: Vec<Term> = (0..size)
            .map(|_| pool[numbers.below(pool.len() as u32) as usize])
            .collect();
        match ask(&mut chain, &mut terms, &constraints, &current) {
            Answer::Sat(model) => {
                yes += 1;
                assert!(constraints.iter().all(|&c| terms.holds(c, &model)));
                current = model;
            }
            Answer::Unsat(core) => {
                no += 1;
                assert!(core.windows(2).all(|pair| pair[0] < pair[1]), "{core:?}");
                let core: Vec<Term> = core.iter().map(|&at| constraints[at]).collect();
                assert!(!is_satisfiable(&terms, &core));
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
    assert!(yes > 50 && no > 20, "{yes} sat, {no} unsat");
    assert!(answered(&chain, LinkName::Cache) > 20);
}

#[test]
fn unsimplified_conjunctions_are_split() {
    let mut terms = Terms::default();
    let (a, b) = (equal(&mut terms, 0, 32, 1), equal(&mut terms, 1, 32, 2));
    let both = terms.unsimplified(Node::BoolAnd(a, b));
    let mut chain = chain(&ChainOptions::default());
    let answer = ask(&mut chain, &mut terms, &[both], &model(&[(0, 1), (1, 5)]));
    assert_eq!(answer, Answer::Sat(model(&[(0, 1), (1, 2)])));
}

#[test]
fn each_link_is_charged_its_own_time() {
    // A clock on which each look takes a millisecond.
    let looks = AtomicU64::new(1);
    let clock = Clock::new(move || Duration::from_millis(looks.fetch_add(1, Ordering::Relaxed)));
    let options = ChainOptions {
        clock: Some(clock),
        ..ChainOptions::default()
    };
    let mut terms = Terms::default();
    let wanted = equal(&mut terms, 0, 32, 7);
    let mut chain = chain(&options);
    ask(&mut chain, &mut terms, &[wanted], &Model::default());
    let statistics = chain.statistics();
    let milliseconds = |link: LinkName| {
        let found = statistics.iter().find(|counts| counts.link == link);
        found.map(|counts| (counts.queries, counts.answered, counts.time.as_millis()))
    };
    // Before it asks the next link and after, but for the last that is asked.
    assert_eq!(milliseconds(LinkName::Trivial), Some((1, 0, 2)));
    assert_eq!(milliseconds(LinkName::Intervals), Some((1, 1, 1)));
    assert_eq!(milliseconds(LinkName::Sat), Some((0, 0, 0)));
}

/// A solver that is kept, and grows beyond the size up to which it simplifies: it begins anew then.
#[test]
fn a_kept_solver_that_grows_answers_as_before() {
    let mut terms = Terms::default();
    let (x, y) = (terms.var(Var(0), 64), terms.var(Var(1), 64));
    let small = terms.constant(64, 3);
    let is_small = terms.eq(x, small);
    let other = terms.constant(64, 4);
    let is_other = terms.eq(x, other);
    let product = terms.mul(x, y);
    let fifteen = terms.constant(64, 15);
    let is_fifteen = terms.eq(product, fifteen);
    let sixteen = terms.constant(64, 16);
    let is_sixteen = terms.eq(product, sixteen);
    let mut kept = Sat::keeping(100_000, u32::MAX);
    let current = Model::default();
    for _ in 0..2 {
        let both = ask(&mut kept, &mut terms, &[is_small, is_other], &current);
        assert!(matches!(both, Answer::Unsat(core) if core.len() == 2));
        let found = ask(&mut kept, &mut terms, &[is_small, is_fifteen], &current);
        let Answer::Sat(model) = found else {
            panic!("3 * 5 is 15: {found:?}");
        };
        assert!(terms.holds(is_fifteen, &model) && terms.holds(is_small, &model));
        let both = ask(&mut kept, &mut terms, &[is_sixteen, is_fifteen], &current);
        assert!(matches!(both, Answer::Unsat(core) if core.len() == 2));
    }
}
