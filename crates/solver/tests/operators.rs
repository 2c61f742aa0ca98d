//! Bit-blasting agrees with the evaluation, for every operator on every value at small widths.

use expr::{BvOp, CmpOp, Model, Node, Term, Terms, Var, eval_binary, eval_compare};
use solver::{Answer, Query, Sat, Solver};

/// Widths at which everything is tried.
const WIDTHS: std::ops::RangeInclusive<u32> = 1..=4;

/// A solver and terms to ask it about.
struct Bench {
    terms: Terms,
    sat: Sat,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            terms: Terms::default(),
            sat: Sat::new(100_000),
        }
    }

    fn node(&mut self, node: Node) -> Term {
        self.terms.unsimplified(node)
    }

    fn var(&mut self, number: u32, width: u32) -> Term {
        self.terms.var(Var(number), width)
    }

    fn constant(&mut self, width: u32, value: u128) -> Term {
        self.terms.constant(width, value)
    }

    fn is_unsat(&mut self, constraints: &[Term]) -> bool {
        let current = Model::default();
        let query = Query::new(constraints, &current);
        match self.sat.check(&mut self.terms, &query) {
            Answer::Unsat(_) => true,
            Answer::Sat(_) => false,
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }

    /// The term has these values and no others, in each case of what the variables are. All cases
    /// are one question: is there one in which the term has another value?
    fn expect(&mut self, term: Term, cases: impl IntoIterator<Item = Case>) {
        let mut wrong = self.terms.bool(false);
        let mut consistent = self.terms.bool(false);
        for Case { values, expected } in cases {
            let mut given = self.terms.bool(true);
            for (number, width, value) in values {
                let (var, value) = (self.var(number, width), self.constant(width, value));
                let equal = self.node(Node::Compare(CmpOp::Eq, var, value));
                given = self.node(Node::BoolAnd(given, equal));
            }
            let holds = self.has_value(term, expected);
            let fails = self.node(Node::BoolNot(holds));
            let (good, bad) = (Node::BoolAnd(given, holds), Node::BoolAnd(given, fails));
            let (good, bad) = (self.node(good), self.node(bad));
            consistent = self.node(Node::BoolOr(consistent, good));
            wrong = self.node(Node::BoolOr(wrong, bad));
        }
        let shown = self.terms.display(term).to_string();
        assert!(self.is_unsat(&[wrong]), "{shown} has a wrong value");
        assert!(!self.is_unsat(&[consistent]), "{shown} has no value");
    }

    fn has_value(&mut self, term: Term, value: u128) -> Term {
        match self.terms.width(term) {
            0 if value == 0 => self.node(Node::BoolNot(term)),
            0 => term,
            width => {
                let value = self.constant(width, value);
                self.node(Node::Compare(CmpOp::Eq, term, value))
            }
        }
    }
}

/// What some variables are (number, width, value), and what a term is then.
struct Case {
    values: Vec<(u32, u32, u128)>,
    expected: u128,
}

fn case(values: &[(u32, u32, u128)], expected: u128) -> Case {
    Case {
        values: values.to_vec(),
        expected,
    }
}

fn pairs(width: u32) -> impl Iterator<Item = (u128, u128)> {
    (0..1u128 << width).flat_map(move |a| (0..1u128 << width).map(move |b| (a, b)))
}

#[test]
fn operators_on_variables() {
    let mut bench = Bench::new();
    for (width, op) in WIDTHS.flat_map(|width| BvOp::ALL.map(|op| (width, op))) {
        let (x, y) = (bench.var(0, width), bench.var(1, width));
        let term = bench.node(Node::Binary(op, x, y));
        let cases = pairs(width).map(|(a, b)| {
            case(
                &[(0, width, a), (1, width, b)],
                eval_binary(op, width, a, b),
            )
        });
        bench.expect(term, cases);
    }
}

#[test]
fn operators_with_a_constant_operand() {
    let mut bench = Bench::new();
    for (width, op) in WIDTHS.flat_map(|width| BvOp::ALL.map(|op| (width, op))) {
        for c in 0..1u128 << width {
            let (x, constant) = (bench.var(0, width), bench.constant(width, c));
            let right = bench.node(Node::Binary(op, x, constant));
            let left = bench.node(Node::Binary(op, constant, x));
            let values = 0..1u128 << width;
            let right_cases = values.clone().map(|a| (a, eval_binary(op, width, a, c)));
            bench.expect(
                right,
                right_cases.map(|(a, expected)| case(&[(0, width, a)], expected)),
            );
            let left_cases = values.map(|a| (a, eval_binary(op, width, c, a)));
            bench.expect(
                left,
                left_cases.map(|(a, expected)| case(&[(0, width, a)], expected)),
            );
        }
    }
}

#[test]
fn comparisons() {
    let mut bench = Bench::new();
    for (width, op) in WIDTHS.flat_map(|width| CmpOp::ALL.map(|op| (width, op))) {
        let (x, y) = (bench.var(0, width), bench.var(1, width));
        let value = |a, b| u128::from(eval_compare(op, width, a, b));
        let term = bench.node(Node::Compare(op, x, y));
        let cases = pairs(width).map(|(a, b)| case(&[(0, width, a), (1, width, b)], value(a, b)));
        bench.expect(term, cases);
        for c in 0..1u128 << width {
            let constant = bench.constant(width, c);
            let term = bench.node(Node::Compare(op, x, constant));
            let cases = (0..1u128 << width).map(|a| case(&[(0, width, a)], value(a, c)));
            bench.expect(term, cases);
        }
    }
}

#[test]
fn one_operand_and_pieces() {
    let mut bench = Bench::new();
    for width in WIDTHS {
        let x = bench.var(0, width);
        let mut nodes = vec![Node::Not(x), Node::Neg(x), Node::Concat(x, x)];
        nodes.extend((width..=2 * width).map(|width| Node::ZeroExtend { width, of: x }));
        nodes.extend((width..=2 * width).map(|width| Node::SignExtend { width, of: x }));
        for high in 0..width {
            nodes.extend((0..=high).map(|low| Node::Extract { high, low, of: x }));
        }
        for node in nodes {
            let term = bench.node(node);
            let cases: Vec<Case> = (0..1u128 << width)
                .map(|a| case(&[(0, width, a)], value_under(&bench, term, &[a])))
                .collect();
            bench.expect(term, cases);
        }
    }
}

#[test]
fn bools_and_choices() {
    let mut bench = Bench::new();
    let one = bench.constant(1, 1);
    let mut operands = vec![bench.terms.bool(true), bench.terms.bool(false)];
    for number in 0..3 {
        let var = bench.var(number, 1);
        operands.push(bench.node(Node::Compare(CmpOp::Eq, var, one)));
    }
    let mut nodes = Vec::new();
    for (&a, &b) in operands
        .iter()
        .flat_map(|a| operands.iter().map(move |b| (a, b)))
    {
        nodes.extend([Node::BoolAnd(a, b), Node::BoolOr(a, b), Node::BoolNot(a)]);
        nodes.extend(operands.iter().map(|&c| Node::Ite(c, a, b)));
        for &c in &operands {
            let not_a = bench.node(Node::BoolNot(a));
            nodes.extend([Node::Ite(c, not_a, b), Node::Ite(c, a, not_a)]);
        }
    }
    for node in nodes {
        let term = bench.node(node);
        let cases: Vec<Case> = (0..8u128)
            .map(|bits| {
                let [a, b, c] = [bits & 1, bits >> 1 & 1, bits >> 2];
                let expected = value_under(&bench, term, &[a, b, c]);
                case(&[(0, 1, a), (1, 1, b), (2, 1, c)], expected)
            })
            .collect();
        bench.expect(term, cases);
    }
}

/// The value of a term when the variables, from the first, have these.
fn value_under(bench: &Bench, term: Term, values: &[u128]) -> u128 {
    let model: Model = (0..).map(Var).zip(values.iter().copied()).collect();
    bench.terms.eval(term, &model)
}
