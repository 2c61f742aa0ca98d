//! One semantics: a program on inputs does what it does on the same constants, and the terms beside
//! the values evaluate to the values.

mod common;

use std::fmt::Write as _;

use common::{Bench, defect, number};
use ir::DefectKind;
use ir::test::{Observed, Outcome};
use proptest::prelude::*;

const TYPES: [&str; 8] = [
    "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
];
const OPERATORS: [&str; 16] = [
    "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "eq", "ne", "lt", "le",
    "gt", "ge",
];

/// How a function ended: its result, or its defect.
#[derive(Debug, PartialEq)]
enum End {
    Returned(Vec<Observed>),
    Defect(DefectKind),
}

/// Runs a function of two `long`s twice, with inputs and with constants, and compares.
fn agree(body: &str, globals: &str, inputs: [u64; 2]) -> Result<(), TestCaseError> {
    let symbolic = format!("{globals}\nfn f(_0 a: ulong, _1 b: ulong) -> ulong {{\n{body}\n}}");
    let concrete = format!(
        "{globals}\nfn g(_0 a: ulong, _1 b: ulong) -> ulong {{\n{body}\n}}
         fn f() -> ulong {{
           _0: ulong
           bb0: _0 = call @g({}:ulong, {}:ulong) -> bb1
           bb1: return _0
         }}",
        inputs[0], inputs[1]
    );
    let mut bench = Bench::new(&symbolic);
    let (vector, _) = bench.parameters(inputs);
    let left = bench.execute(&vector);
    let right = Bench::new(&concrete).default_run();
    prop_assert!(right.path.is_empty(), "{}", concrete);
    prop_assert_eq!(end(&left), end(&right), "{}", symbolic);
    Ok(())
}

fn end(execution: &vm::Execution) -> End {
    match (&execution.outcome, defect(execution)) {
        (Outcome::Return, _) => End::Returned(
            execution
                .observations
                .iter()
                .map(|o| o.value.clone())
                .collect(),
        ),
        (_, Some(kind)) => End::Defect(kind),
        (outcome, _) => panic!("{outcome:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Chains of operations and conversions.
    #[test]
    fn operations(
        ops in prop::collection::vec((0usize..16, 0usize..8, 0usize..2, 0usize..2), 1..5),
        a in number(),
        b in number(),
        guess in number(),
    ) {
        let mut locals = String::new();
        let mut code = String::from("bb0:\n");
        // Locals 2 and 3 are the operands so far, as ulong.
        let _ = writeln!(locals, "_2: ulong\n_3: ulong\n_4: int");
        let _ = writeln!(code, "_2 = _0\n_3 = _1");
        let mut next = 5;
        for (op, ty, swap, keep) in ops {
            let (op, ty) = (OPERATORS[op], TYPES[ty]);
            let (left, right) = if swap == 1 { (3, 2) } else { (2, 3) };
            let comparison = matches!(op, "eq" | "ne" | "lt" | "le" | "gt" | "ge");
            let result = if comparison { "int" } else { ty };
            let (x, y, z) = (next, next + 1, next + 2);
            next += 3;
            let _ = writeln!(locals, "_{x}: {ty}\n_{y}: {ty}\n_{z}: {result}");
            let _ = writeln!(
                code,
                "_{x} = int_to_int _{left} as {ty}\n_{y} = int_to_int _{right} as {ty}\n\
                 _{z} = {op} _{x}, _{y}\n_{} = int_to_int _{z} as ulong",
                2 + keep,
            );
        }
        let _ = writeln!(
            code,
            "_4 = lt _2, {guess}:ulong\nbranch _4 ? bb1 : bb2\nbb1: return _2\nbb2: return _3"
        );
        agree(&format!("{locals}{code}"), "", [a, b])?;
    }

    /// Stores and loads of all sizes, at known and at symbolic offsets, that overlap.
    #[test]
    fn memory(
        accesses in prop::collection::vec((0usize..8, 0u64..4, 0usize..2, 0usize..3), 1..8),
        a in number(),
        b in number(),
    ) {
        let mut locals = String::new();
        let mut code = String::from("bb0:\n");
        let _ = writeln!(locals, "_2 m: [4 x ulong] taken\n_3: *ulong\n_4: ulong\n_5: ulong\n_6: int");
        let _ = writeln!(code, "_2 = zero\n_4 = and _0, 3\n_5 = 0\n_3 = addr _2[0]");
        let mut next = 7;
        for (ty, at, store, index) in accesses {
            let (size, ty) = (1 << (ty / 2), TYPES[ty]);
            let (p, q, v, w) = (next, next + 1, next + 2, next + 3);
            next += 4;
            let _ = writeln!(locals, "_{p}: *{ty}\n_{q}: *{ty}\n_{v}: {ty}\n_{w}: ulong");
            let _ = writeln!(code, "_{p} = pointer_to_pointer _3 as *{ty}");
            let index = match index {
                0 => format!("{at}:ulong"),
                1 => "_4".to_owned(),
                _ => format!("{}:ulong", (at * 7) % (32 / size)),
            };
            let _ = writeln!(code, "_{q} = ptr_add _{p}, {index} x {size}");
            if store == 1 {
                let _ = writeln!(code, "_{v} = int_to_int _1 as {ty}\n*_{q} = _{v}");
            } else {
                let _ = writeln!(
                    code,
                    "_{v} = load *_{q}\n_{w} = int_to_int _{v} as ulong\n\
                     _5 = mul _5, 31\n_5 = add _5, _{w}"
                );
            }
        }
        let _ = writeln!(code, "_4 = load _2[_4]\n_5 = xor _5, _4");
        let _ = writeln!(code, "_6 = lt _5, 4096:ulong\nbranch _6 ? bb1 : bb2\nbb1: return _5\nbb2: return _4");
        agree(&format!("{locals}{code}"), "", [a, b])?;
    }

    /// Bit-fields that share bytes.
    #[test]
    fn bit_fields(
        writes in prop::collection::vec((0usize..4, 0usize..2), 1..6),
        read in 0usize..4,
        a in number(),
        b in number(),
    ) {
        let record = "rec0 struct \"struct s\" size 8 align 8 { a: int @0 bits 3, b: uint @3 bits 7, c: long @10 bits 30, d: uchar @40 bits 8 }";
        let names = [("a", "int"), ("b", "uint"), ("c", "long"), ("d", "uchar")];
        let mut locals = String::from("_2 s: rec0\n");
        let mut code = String::from("bb0:\n_2 = zero\n");
        let mut next = 3;
        for (field, from) in writes {
            let (name, ty) = names[field];
            let _ = writeln!(locals, "_{next}: {ty}");
            let _ = writeln!(code, "_{next} = int_to_int _{from} as {ty}\n_2.{name} = _{next}");
            next += 1;
        }
        let (name, ty) = names[read];
        let (value, wide, less) = (next, next + 1, next + 2);
        let _ = writeln!(locals, "_{value}: {ty}\n_{wide}: ulong\n_{less}: int");
        let _ = writeln!(
            code,
            "_{value} = load _2.{name}\n_{wide} = int_to_int _{value} as ulong\n\
             _{less} = lt _{value}, 2\nbranch _{less} ? bb1 : bb2\nbb1: return _{wide}\nbb2: return _0"
        );
        agree(&format!("{locals}{code}"), record, [a, b])?;
    }
}
