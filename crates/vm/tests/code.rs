//! The machine does what `semantics::Code` says of the same code, over numbers and over terms.

mod common;

use std::fmt::Write as _;

use common::{Bench, defect, model, number};
use expr::{Term, Terms, Var};
use index_vec::IndexVec;
use ir::input::InputVector;
use ir::test::{Observed, Outcome};
use ir::{Block, Body, DefectKind, Local, Place, Statement, StatementKind, Terminator};
use proptest::prelude::*;
use semantics::{Code, Concrete, Domain, Source};

const TYPES: [&str; 9] = [
    "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "bool",
];
const OPERATORS: [&str; 16] = [
    "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "eq", "ne", "lt", "le",
    "gt", "ge",
];
const UNARY: [&str; 2] = ["neg", "not"];

/// The values of locals.
struct Locals<V>(IndexVec<Local, Option<V>>);

impl<D: Domain> Source<D> for Locals<D::Value> {
    fn local(&mut self, _: &mut D, local: Local) -> Option<D::Value> {
        self.0[local]
    }

    fn load(&mut self, _: &mut D, place: &Place) -> Option<D::Value> {
        let ir::PlaceBase::Local(local) = place.base else {
            return None;
        };
        self.0[local]
    }
}

/// How a function ends.
#[derive(Debug, PartialEq)]
enum End {
    Returned(u128),
    Defect(DefectKind),
}

/// Follows code over numbers, and the terms beside them; checks that these evaluate to the numbers.
struct Walk<'a> {
    code: Code<'a>,
    body: &'a Body,
    bench: &'a mut Bench,
    inputs: &'a InputVector,
    numbers: Locals<u128>,
    of_terms: Locals<Term>,
}

impl Walk<'_> {
    fn value(&self, term: Term) -> u128 {
        self.bench.terms.eval(term, &model(self.inputs))
    }

    /// Executes a statement; gives the defect of the first requirement that does not hold.
    fn statement(&mut self, statement: &Statement) -> Option<DefectKind> {
        let StatementKind::Assign(place, right) = &statement.kind else {
            panic!("only assignments are made");
        };
        let ir::PlaceBase::Local(to) = place.base else {
            panic!("only to locals");
        };
        let number = self.code.rvalue(&mut Concrete, &mut self.numbers, right);
        let number = number.expect("all operands have numbers");
        let terms: &mut Terms = &mut self.bench.terms;
        let term = self.code.rvalue(terms, &mut self.of_terms, right);
        let term = term.expect("all operands have terms");
        let requirements = number.requirements.iter().zip(&term.requirements);
        for (&(kind, holds), &(of_term, condition)) in requirements {
            assert_eq!((kind, u128::from(holds)), (of_term, self.value(condition)));
            if !holds {
                return Some(kind);
            }
        }
        assert_eq!(number.value, self.value(term.value), "{right:?}");
        self.numbers.0[to] = Some(number.value);
        self.of_terms.0[to] = Some(term.value);
        None
    }

    fn end(mut self) -> End {
        let mut block = Block::from_raw(0);
        loop {
            let data = &self.body.blocks[block];
            for statement in &data.statements {
                if let Some(kind) = self.statement(statement) {
                    return End::Defect(kind);
                }
            }
            if let Terminator::Return(Some(operand)) = &data.terminator {
                let result = self.code.operand(&mut Concrete, &mut self.numbers, operand);
                return End::Returned(result.expect("the result has a number"));
            }
            let end = &data.terminator;
            let taken = self.code.edges(&mut Concrete, &mut self.numbers, end);
            let terms: &mut Terms = &mut self.bench.terms;
            let conditions = self.code.edges(terms, &mut self.of_terms, end);
            let (taken, conditions) = (taken.expect("a jump"), conditions.expect("a jump"));
            let held: Vec<_> = conditions.iter().map(|&it| self.value(it) == 1).collect();
            assert_eq!(taken, held);
            assert_eq!(taken.iter().filter(|&&holds| holds).count(), 1);
            let side = taken.iter().position(|&holds| holds);
            block = side.and_then(|side| end.successor(side)).expect("a side");
        }
    }
}

/// Executes a function of two `ulong`s with the machine and by following its code.
fn agree(body: &str, inputs: [u64; 2]) -> Result<(), TestCaseError> {
    let text = format!("fn f(_0 a: ulong, _1 b: ulong) -> ulong {{\n{body}\n}}");
    let mut bench = Bench::new(&text);
    let program = bench.program.clone();
    let entry = program.function("f").expect("a function f");
    let body = program.functions[entry].body.as_ref().expect("a body");
    let (vector, cells) = bench.parameters(inputs);
    let mut numbers = IndexVec::from_vec(vec![None; body.locals.len()]);
    let mut of_terms = IndexVec::from_vec(vec![None; body.locals.len()]);
    for (index, (value, cell)) in inputs.into_iter().zip(cells).enumerate() {
        numbers[index] = Some(u128::from(value));
        of_terms[index] = Some(bench.terms.var(Var(cell.raw()), 64));
    }
    let execution = bench.execute(&vector);
    let executed = match (&execution.outcome, defect(&execution)) {
        (Outcome::Return, _) => match execution.observations[0].value {
            Observed::Bits(bits) => End::Returned(bits),
            ref other => panic!("{other:?}"),
        },
        (_, Some(kind)) => End::Defect(kind),
        (outcome, _) => panic!("{outcome:?}"),
    };
    let walk = Walk {
        code: Code::new(&program, body),
        body,
        bench: &mut bench,
        inputs: &vector,
        numbers: Locals(numbers),
        of_terms: Locals(of_terms),
    };
    prop_assert_eq!(executed, walk.end(), "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Chains of operations and conversions, then a branch and a switch.
    #[test]
    fn operations_and_jumps(
        ops in prop::collection::vec((0usize..18, 0usize..8, 0usize..9, 0usize..2), 1..6),
        a in number(),
        b in number(),
        low in 1u64..5,
    ) {
        let (mut locals, mut code) = (String::new(), String::from("bb0:\n"));
        // Locals 2 and 3 are the operands so far.
        let _ = writeln!(locals, "_2: ulong\n_3: ulong\n_4: int\n_5: int");
        let _ = writeln!(code, "_2 = _0\n_3 = _1\n_4 = zero");
        let mut next = 6;
        for (op, ty, amount, keep) in ops {
            let (ty, amount) = (TYPES[ty], TYPES[amount]);
            let (x, y, z) = (next, next + 1, next + 2);
            next += 3;
            let (op, of_right, operands) = match op.checked_sub(OPERATORS.len()) {
                Some(unary) => (UNARY[unary], ty, format!("_{x}")),
                None => {
                    let is_shift = matches!(OPERATORS[op], "shl" | "shr");
                    let of_right = if is_shift { amount } else { ty };
                    (OPERATORS[op], of_right, format!("_{x}, _{y}"))
                }
            };
            let is_comparison = matches!(op, "eq" | "ne" | "lt" | "le" | "gt" | "ge");
            let result = if is_comparison { "int" } else { ty };
            let to_right = if of_right == "bool" { "int_to_bool" } else { "int_to_int" };
            let _ = writeln!(locals, "_{x}: {ty}\n_{y}: {of_right}\n_{z}: {result}");
            let _ = writeln!(
                code,
                "_{x} = int_to_int _2 as {ty}\n_{y} = {to_right} _3 as {of_right}\n\
                 _{z} = {op} {operands}\n_{} = int_to_int _{z} as ulong",
                2 + keep,
            );
        }
        let _ = writeln!(
            code,
            "_5 = int_to_int _2 as int\nbranch _3 ? bb1 : bb2\n\
             bb1: switch _5 d0 {{ -{low}..-1 => bb2, {low}..6 => bb3, 9 => bb2, else => bb4 }}\n\
             bb2: return _2\nbb3: return _3\nbb4: return 7:ulong"
        );
        agree(&format!("{locals}d0 switch\n{code}"), [a, b])?;
    }
}
