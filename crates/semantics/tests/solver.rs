//! The solver's answers about the terms of an operation are those that trying all numbers gives.

use expr::{CmpOp, Model, Term, Terms, Var};
use ir::{Local, Place, Program, StatementKind};
use proptest::prelude::*;
use semantics::{Code, Concrete, Domain, Evaluated, Source};
use solver::{Answer, ChainOptions, Query, Solver, chain};

const RIGHT_SIDES: [&str; 20] = [
    "add _0, _1",
    "sub _0, _1",
    "mul _0, _1",
    "div _0, _1",
    "rem _0, _1",
    "and _0, _1",
    "or _0, _1",
    "xor _0, _1",
    "shl _0, _1",
    "shr _0, _1",
    "eq _0, _1",
    "ne _0, _1",
    "lt _0, _1",
    "le _0, _1",
    "gt _0, _1",
    "ge _0, _1",
    "neg _0",
    "not _0",
    "int_to_int _0 as short",
    "int_to_bool _1 as bool",
];

/// The values of locals 0 and 1.
struct Two<V>(V, V);

impl<D: Domain> Source<D> for Two<D::Value> {
    fn local(&mut self, _: &mut D, local: Local) -> Option<D::Value> {
        Some(if local.raw() == 0 { self.0 } else { self.1 })
    }

    fn load(&mut self, _: &mut D, _: &Place) -> Option<D::Value> {
        None
    }
}

/// A right side of two operands of 8 bits.
struct Operation {
    program: Program,
}

impl Operation {
    fn new(ty: &str, right: &str) -> Operation {
        let result = match right.split(' ').next() {
            Some("eq" | "ne" | "lt" | "le" | "gt" | "ge") => "int",
            Some("int_to_int") => "short",
            Some("int_to_bool") => "bool",
            _ => ty,
        };
        let text = format!(
            "fn f(_0 a: {ty}, _1 b: {ty}) {{\n_2: {result}\nbb0:\n_2 = {right}\nreturn\n}}"
        );
        let program: Program = ir::text::parse(&text).expect("a program");
        Operation { program }
    }

    fn evaluate<D: Domain>(&self, domain: &mut D, a: D::Value, b: D::Value) -> Evaluated<D> {
        let function = &self.program.functions[0];
        let body = function.body.as_ref().expect("a body");
        let StatementKind::Assign(_, right) = &body.blocks[0].statements[0].kind else {
            panic!("an assignment");
        };
        let code = Code::new(&self.program, body);
        code.rvalue(domain, &mut Two(a, b), right).expect("numbers")
    }

    /// The value, if it is defined.
    fn number(&self, a: u128, b: u128) -> Option<u128> {
        let result = self.evaluate(&mut Concrete, a, b);
        let is_defined = result.requirements.iter().all(|&(_, holds)| holds);
        is_defined.then_some(result.value)
    }
}

/// The constraints that an operation is defined and gives this value, cut to its width.
fn constraints(operation: &Operation, terms: &mut Terms, value: u128) -> (Vec<Term>, u128) {
    let (a, b) = (terms.var(Var(0), 8), terms.var(Var(1), 8));
    let result = operation.evaluate(terms, a, b);
    let width = terms.width(result.value);
    let value = value & expr::mask(width);
    let constant = Terms::constant(terms, width, value);
    let is_value = Domain::compare(terms, CmpOp::Eq, width, result.value, constant);
    let defined = result.requirements.iter().map(|&(_, holds)| holds);
    (defined.chain([is_value]).collect(), value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn answers_are_those_of_all_numbers(
        right in prop::sample::select(RIGHT_SIDES.to_vec()),
        ty in prop::sample::select(vec!["schar", "uchar"]),
        value in prop_oneof![0u128..4, 0u128..256, Just(0x7fu128), Just(0x80), Just(u128::MAX)],
    ) {
        let operation = Operation::new(ty, right);
        let mut terms = Terms::default();
        let (constraints, value) = constraints(&operation, &mut terms, value);
        let current = Model::default();
        let query = Query::new(&constraints, &current);
        let answer = chain(&ChainOptions::default()).check(&mut terms, &query);
        match answer {
            Answer::Sat(model) => {
                let of = |number| model.get(Var(number)).unwrap_or_default();
                let (a, b) = (of(0), of(1));
                prop_assert_eq!(operation.number(a, b), Some(value), "{} of {}, {}", right, a, b);
            }
            Answer::Unsat(_) => {
                let pairs = (0..256).flat_map(|a| (0..256).map(move |b| (a, b)));
                for (a, b) in pairs {
                    prop_assert_ne!(operation.number(a, b), Some(value), "{} of {}, {}", right, a, b);
                }
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
}
