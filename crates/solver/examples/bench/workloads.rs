//! Queries of the kinds that searches ask.

use expr::{Model, Term, Terms, Var};

/// Named queries: constraints, and a model that satisfies all but the last.
pub struct Workload {
    pub name: &'static str,
    pub terms: Terms,
    pub queries: Vec<(Vec<Term>, Model)>,
    /// Whether the model does: how many constraints are known to hold at most.
    pub held: usize,
}

/// All of them.
pub const WORKLOADS: [fn() -> Workload; 11] = [
    bytes,
    words,
    independent_words,
    sums,
    products,
    lookups,
    orders,
    numbers,
    thresholds,
    mixed_thresholds,
    long_path,
];

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
        held: 0,
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

/// Five words in an order that each path has of its own, the last two compared the other way round:
/// the comparisons of a sort. Half of the flips cannot be.
fn orders() -> Workload {
    let mut terms = Terms::default();
    let mut queries = Vec::new();
    let orders = permutations(5);
    for order in &orders {
        let current: Model = (0..).zip(order).map(|(at, &var)| (Var(var), at)).collect();
        let mut prefix = Vec::new();
        for distance in 1..5 {
            for at in 0..5 - distance {
                let x = terms.var(Var(order[at]), 32);
                let y = terms.var(Var(order[at + distance]), 32);
                let less = terms.slt(x, y);
                let mut constraints: Vec<Term> = prefix.clone();
                constraints.push(terms.bool_not(less));
                queries.push((constraints, current.clone()));
                prefix.push(less);
            }
        }
    }
    Workload {
        name: "orders of 5 words",
        terms,
        queries,
        held: usize::MAX,
    }
}

fn permutations(of: u32) -> Vec<Vec<u32>> {
    if of == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(of - 1).into_iter();
    let longer = shorter.flat_map(|order| {
        (0..of as usize).map(move |at| {
            let mut order = order.clone();
            order.insert(at, of - 1);
            order
        })
    });
    longer.collect()
}

/// `atoi` of up to four digits, compared with a constant.
fn numbers() -> Workload {
    let step = |terms: &mut Terms, path, at: u32| {
        let mut value = terms.constant(32, 0);
        for number in 0..=at / 2 {
            let byte = terms.var(Var(number), 8);
            let wide = terms.zero_extend(32, byte);
            let (ten, zero) = (terms.constant(32, 10), terms.constant(32, 48));
            let digit = terms.sub(wide, zero);
            let shifted = terms.mul(value, ten);
            value = terms.add(shifted, digit);
        }
        if at.is_multiple_of(2) {
            let byte = terms.var(Var(at / 2), 8);
            let (low, high) = (terms.constant(8, 48), terms.constant(8, 57));
            let (above, below) = (terms.ule(low, byte), terms.ule(byte, high));
            let digit = terms.bool_and(above, below);
            return (digit, terms.bool_not(digit));
        }
        let wanted = terms.constant(32, u128::from(path * 7 % 10u32.pow(at / 2 + 1)));
        let equal = terms.eq(value, wanted);
        (terms.bool_not(equal), equal)
    };
    flips("numbers of up to 4 digits", 8, 40, step, |_| {
        (0..8).map(|var| (Var(var), u128::from(b'0'))).collect()
    })
}

/// Counters that a loop adds to, compared with thresholds: long paths about one word each.
fn thresholds() -> Workload {
    flips("thresholds of 30 counters", 600, 2, threshold, zeros)
}

/// The same, and now and then two counters compared, so that slices are large.
fn mixed_thresholds() -> Workload {
    let step = |terms: &mut Terms, path: u32, at: u32| {
        if !at.is_multiple_of(7) {
            return threshold(terms, path, at);
        }
        let (x, y) = (
            counter(terms, at * 11 % 30, at / 100),
            counter(terms, at % 29, at / 50),
        );
        let below = terms.sle(x, y);
        (below, terms.bool_not(below))
    };
    flips("thresholds, counters compared", 600, 1, step, zeros)
}

fn zeros(_: u32) -> Model {
    (0..30).map(|var| (Var(var), 0)).collect()
}

fn counter(terms: &mut Terms, number: u32, added: u32) -> Term {
    let var = terms.var(Var(number), 32);
    let added = terms.constant(32, added.into());
    terms.add(var, added)
}

fn threshold(terms: &mut Terms, path: u32, at: u32) -> (Term, Term) {
    let counter = counter(terms, (at * 7 + path) % 30, at / 30);
    let limit = terms.constant(32, u128::from(40 + at % 13));
    let below = terms.slt(counter, limit);
    (below, terms.bool_not(below))
}

/// The last flips of a path of 10,000 comparisons of 500 bytes.
fn long_path() -> Workload {
    let mut terms = Terms::default();
    let mut queries = Vec::new();
    let mut prefix = Vec::new();
    for at in 0..10_000u32 {
        let byte = terms.var(Var(at % 500), 8);
        let constant = terms.constant(8, u128::from(1 + at / 50));
        let equal = terms.eq(byte, constant);
        if at >= 9_900 {
            let mut constraints: Vec<Term> = prefix.clone();
            constraints.push(equal);
            queries.push((constraints, Model::default()));
        }
        prefix.push(terms.bool_not(equal));
    }
    Workload {
        name: "a path of 10,000 branches",
        terms,
        queries,
        held: usize::MAX,
    }
}
