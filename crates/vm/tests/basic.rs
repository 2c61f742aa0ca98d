//! Small programs: what they return, which way they go, and what is wrong with them.

mod common;

use common::{Bench, defect, returned};
use ir::DefectKind;
use ir::test::{Observed, Outcome};

fn bits(value: i32) -> Option<Observed> {
    Some(Observed::Bits(u128::from(value as u32)))
}

#[test]
fn branches_on_inputs_are_constraints() {
    let mut bench = Bench::new(
        "fn f(_0 a: int, _1 b: int) -> int {
           _2: int
           bb0:
             _2 = lt _0, _1
             branch _2 ? bb1 : bb2
           bb1: return _1
           bb2: return _0
         }",
    );
    let runs = bench.explore(&[0, 1, 5]);
    assert_eq!(runs.len(), 2);
    assert_eq!(returned(&runs[0]), bits(0));
    assert_eq!(returned(&runs[1]), bits(1));
    assert_eq!(runs[0].path.len(), 1);
}

#[test]
fn loops_calls_and_arrays_are_concrete() {
    let mut bench = Bench::new(
        "fn square(_0 n: int) -> int {
           _1: int
           bb0:
             _1 = mul _0, _0
             return _1
         }
         fn f() -> int {
           _0 a: [10 x int]
           _1 i: int
           _2 sum: int
           _3: int
           _4: int
           bb0:
             _1 = 0
             _2 = 0
             goto bb1
           bb1:
             _3 = lt _1, 10
             branch _3 ? bb2 : bb4
           bb2: _4 = call @square(_1) -> bb3
           bb3:
             _0[_1] = _4
             _4 = load _0[_1]
             _2 = add _2, _4
             _1 = add _1, 1
             goto bb1
           bb4: return _2
         }",
    );
    let run = bench.default_run();
    assert_eq!(returned(&run), bits(285));
    assert!(run.path.is_empty());
}

#[test]
fn switches_offer_every_other_arm() {
    let mut bench = Bench::new(
        "fn f(_0 n: int) -> int {
           d0 switch
           bb0: switch _0 d0 { 1 => bb1, 2..5 => bb2, -1 => bb3, else => bb4 }
           bb1: return 10
           bb2: return 20
           bb3: return 30
           bb4: return 40
         }",
    );
    let runs = bench.explore(&[0, 1, 3, u128::MAX]);
    let mut results: Vec<_> = runs.iter().filter_map(returned).collect();
    results.sort_by_key(|r| format!("{r:?}"));
    assert_eq!(results.len(), 4);
    assert_eq!(runs[0].path[0].taken, 3);
    assert_eq!(runs[0].path[0].alternatives.len(), 3);
}

/// A function's body, its parameters, an input value to try, and the defect that it finds.
const DEFECTS: &[(&str, &str, DefectKind)] = &[
    (
        "_0 a: int, _1 b: int",
        "_2: int bb0: _2 = add _0, _1; return _2",
        DefectKind::SignedOverflow,
    ),
    (
        "_0 a: int, _1 b: int",
        "_2: int bb0: _2 = div _0, _1; return _2",
        DefectKind::DivisionByZero,
    ),
    (
        "_0 a: int, _1 b: int",
        "_2: int bb0: _2 = mul _0, _1; return _2",
        DefectKind::SignedOverflow,
    ),
    (
        "_0 a: int, _1 b: int",
        "_2: int bb0: _2 = shl 1, _1; return _2",
        DefectKind::BadShift,
    ),
    (
        "_0 a: int, _1 b: int",
        "_2: int bb0: _2 = neg _0; return _2",
        DefectKind::SignedOverflow,
    ),
    (
        "_0 a: int, _1 p: *int",
        "_2: int bb0: _2 = load *_1; return _2",
        DefectKind::NullDereference,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 a: [4 x int] _3: int bb0: _2[0] = 1; _2[1] = 1; _2[2] = 1; _2[3] = 1; _3 = load _2[_0]; return _3",
        DefectKind::OutOfBounds,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 x: int _3: int bb0: _3 = add _2, 1; return _3",
        DefectKind::UninitialisedRead,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 x: int taken _3 p: *int _4: int bb0: live _2; _2 = 3; _3 = addr _2; dead _2; _4 = load *_3; return _4",
        DefectKind::UseAfterReturn,
    ),
    (
        "_0 i: int, _1 b: int",
        "bb0: unreachable",
        DefectKind::Unreachable,
    ),
    (
        "_0 i: long, _1 b: int",
        "_2 p: *int _3: int _4: long bb0: _4 = add _0, 4660000:long; _2 = int_to_pointer _4 as *int; _3 = load *_2; return _3",
        DefectKind::WildPointer,
    ),
    (
        "_0 i: int, _1 b: int",
        "bb0: goto bb1 bb1: goto bb0",
        DefectKind::NonTermination,
    ),
    (
        "_0 i: int, _1 g: *fn(int) -> int",
        "_2: int bb0: _2 = call *_1(_0) -> bb1 bb1: return _2",
        DefectKind::BadFunctionPointer,
    ),
    (
        "_0 i: int, _1 b: int",
        "bb0: call @abort() -> never",
        DefectKind::Abort,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 p: *char bb0: _2 = call @malloc(10:ulong) -> bb1 bb1: return 0",
        DefectKind::Leak,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 p: *char bb0: _2 = call @malloc(10:ulong) -> bb1 bb1: call @free(_2) -> bb2 bb2: call @free(_2) -> bb3 bb3: return 0",
        DefectKind::DoubleFree,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 p: *char bb0: _2 = call @malloc(10:ulong) -> bb1 bb1: call @free(_2) -> bb2 bb2: *_2 = 1:char; return 0",
        DefectKind::UseAfterFree,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 x: char taken _3 p: *char bb0: _3 = addr _2; call @free(_3) -> bb1 bb1: return 0",
        DefectKind::InvalidFree,
    ),
    (
        "_0 i: int, _1 b: int",
        "bb0: @text[0] = 1:char; return 0",
        DefectKind::WriteToConstant,
    ),
    (
        "_0 i: int, _1 b: int",
        "_2 a: [8 x char] taken _3 p: *int _4 c: *char bb0: _4 = addr _2[1]; _3 = pointer_to_pointer _4 as *int; *_3 = 5; return 0",
        DefectKind::Misaligned,
    ),
];

/// One item a line.
fn lines(body: &str) -> String {
    let mut text = String::new();
    for word in body.split(' ') {
        let starts_item = word.ends_with(':') && (word.starts_with("bb") || word.starts_with('_'));
        text.push(if starts_item { '\n' } else { ' ' });
        text.push_str(word);
    }
    text
}

#[test]
fn finds_each_defect() {
    let interesting = [0, 1, 5, 31, 32, 0x7fff_ffff, 0x8000_0000, u128::MAX];
    for (parameters, body, expected) in DEFECTS {
        let mut bench = Bench::new(&format!(
            "noreturn fn abort() -> void
             literal global text: [3 x char] = \"ab\\0\"
             fn __attest_allocate(?: ulong) -> *void
             fn __attest_free(?: *void) -> void
             fn malloc(_0 n: ulong) -> *char {{
               _1: *void
               _2: *char
               bb0: _1 = call @__attest_allocate(_0) -> bb1
               bb1: _2 = pointer_to_pointer _1 as *char; return _2
             }}
             fn free(_0 p: *char) -> void {{
               _1: *void
               bb0: _1 = pointer_to_pointer _0 as *void; call @__attest_free(_1) -> bb1
               bb1: return
             }}
             fn f({parameters}) -> int {{ {} }}",
            lines(body)
        ));
        let runs = bench.explore(&interesting);
        let found: Vec<_> = runs.iter().filter_map(defect).collect();
        assert!(found.contains(expected), "{expected}: {found:?}\n{body}");
        for run in &runs {
            if let Outcome::Defect(defect) = &run.outcome {
                assert!(!defect.stack.is_empty() || defect.kind == DefectKind::Leak);
            }
        }
    }
}

#[test]
fn memory_that_was_never_written_is_an_input_and_its_read_is_reported() {
    let mut bench = Bench::new(
        "fn f(_0 a: int, _1 b: int) -> int {
           _2 a: [4 x int]
           _3 c: [4 x int]
           _4: int
           _5: int
           _6: int
           bb0:
             _3 = load _2
             _4 = load _2[1]
             _5 = load _3[1]
             _6 = ne _4, _5
             branch _6 ? bb1 : bb2
           bb1: return 1
           bb2: branch _4 ? bb3 : bb4
           bb3: return 2
           bb4: return 3
         }",
    );
    let runs = bench.explore(&[0, 1]);
    let kinds = runs.iter().flat_map(|run| &run.defects.reported);
    assert!(
        kinds
            .clone()
            .all(|defect| defect.kind == DefectKind::UninitialisedRead)
    );
    assert_eq!(kinds.count(), runs.len());
    // It keeps its value, also in a copy; whether it is 0 is a choice of the input.
    assert!(
        runs.iter()
            .all(|run| run.path.len() == 1 && run.outcome == Outcome::Return)
    );
    assert!(
        runs.iter()
            .all(|run| run.unsure && run.observations.is_empty())
    );
    let ends: Vec<u32> = runs.iter().map(|run| run.path[0].taken).collect();
    assert_eq!(ends, [0, 1]);
}
