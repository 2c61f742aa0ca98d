//! Prints how long queries of several kinds take.

use std::time::{Duration, Instant};

use expr::{Model, Term, Terms, Var};
use solver::{Answer, ChainOptions, Query, Sat, Solver, chain};

/// A named set of queries: constraints, and the model that satisfies all but the last.
struct Workload {
    name: &'static str,
    terms: Terms,
    queries: Vec<(Vec<Term>, Model)>,
}

fn main() {
    println!(
        "{:<44} {:>8} {:>12} {:>12}",
        "workload", "queries", "sat µs/query", "chain µs/query"
    );
    for workload in [bytes, words, independent_words, sums, products, lookups] {
        let (mut alone, mut chained) = (workload(), workload());
        let sat = time(&mut alone, &mut Sat::new(100_000));
        let chain = time(&mut chained, &mut chain(&ChainOptions::default()));
        let count = alone.queries.len() as u32;
        println!(
            "{:<44} {count:>8} {:>12.1} {:>12.1}",
            alone.name,
            (sat / count).as_secs_f64() * 1e6,
            (chain / count).as_secs_f64() * 1e6
        );
    }
}

fn time(workload: &mut Workload, solver: &mut dyn Solver) -> Duration {
    let start = Instant::now();
    for (constraints, current) in &workload.queries {
        let answer = solver.check(&mut workload.terms, &Query::new(constraints, current));
        assert!(
            !matches!(answer, Answer::Unknown(_)),
            "{}: {answer:?}",
            workload.name
        );
    }
    start.elapsed()
}

/// Every prefix of a path, with its last constraint negated, for many paths.
fn flips(
    name: &'static str,
    length: u32,
    paths: u32,
    step: impl Fn(&mut Terms, u32, u32) -> (Term, Term),
    model: impl Fn(u32) -> Model,
) -> Workload {
    let mut terms = Terms::default();
    let mut queries = Vec::new();
    for path in 0..paths {
        let mut prefix = Vec::new();
        for at in 0..length {
            let (taken, other) = step(&mut terms, path, at);
            let mut constraints = prefix.clone();
            constraints.push(other);
            queries.push((constraints, model(path)));
            prefix.push(taken);
        }
    }
    Workload {
        name,
        terms,
        queries,
    }
}

/// `value` compared with a constant that depends on the path: not equal is taken.
fn differs(terms: &mut Terms, value: Term, path: u32, at: u32) -> (Term, Term) {
    let width = terms.width(value);
    let constant = terms.constant(width, u128::from(1 + (path * 31 + at * 7) % 200));
    let equal = terms.eq(value, constant);
    (terms.bool_not(equal), equal)
}

fn bytes() -> Workload {
    let step = |terms: &mut Terms, path, at| {
        let byte = terms.var(Var(at), 8);
        let wide = terms.zero_extend(32, byte);
        differs(terms, wide, path, at)
    };
    flips("16 bytes against constants", 16, 200, step, |_| {
        Model::default()
    })
}

fn words() -> Workload {
    let step = |terms: &mut Terms, path, at| {
        let word = terms.var(Var(0), 32);
        differs(terms, word, path, at)
    };
    flips("one word against 16 constants", 16, 200, step, |_| {
        Model::default()
    })
}

fn independent_words() -> Workload {
    let step = |terms: &mut Terms, path, at| {
        let (x, y) = (terms.var(Var(2 * at), 32), terms.var(Var(2 * at + 1), 32));
        let c = terms.constant(32, u128::from(path));
        let sum = terms.add(x, c);
        let less = terms.slt(sum, y);
        (terms.bool_not(less), less)
    };
    flips("pairs of words compared", 16, 100, step, |_| {
        Model::default()
    })
}

fn sums() -> Workload {
    let step = |terms: &mut Terms, path, at| {
        let mut sum = terms.constant(32, u128::from(path));
        for number in 0..=at {
            let byte = terms.var(Var(number), 8);
            let wide = terms.sign_extend(32, byte);
            sum = terms.add(sum, wide);
        }
        let limit = terms.constant(32, u128::from(path + 100));
        let above = terms.slt(limit, sum);
        (terms.bool_not(above), above)
    };
    flips("sums of up to 8 bytes", 8, 50, step, |_| Model::default())
}

fn products() -> Workload {
    let step = |terms: &mut Terms, path, at| {
        let (x, y) = (terms.var(Var(2 * at), 32), terms.var(Var(2 * at + 1), 32));
        let product = terms.mul(x, y);
        differs(terms, product, path, at)
    };
    flips("products of words", 4, 10, step, |_| Model::default())
}

fn lookups() -> Workload {
    let step = |terms: &mut Terms, path, at| {
        let index = terms.var(Var(at), 8);
        let mut value = terms.constant(32, 0);
        for entry in 0..64u32 {
            let key = terms.constant(8, entry.into());
            let here = terms.eq(index, key);
            let constant = terms.constant(32, u128::from((entry * 97 + 13) % 211));
            value = terms.ite(here, constant, value);
        }
        differs(terms, value, path, at)
    };
    flips("a table of 64 words by a byte", 8, 20, step, |_| {
        Model::default()
    })
}
