//! Functions that the machine knows by name, and whole programs that use them.

mod common;

use common::{Bench, defect, returned};
use ir::input::Root;
use ir::test::{LossKind, Observed, Outcome};
use ir::{CodeIndex, DefectKind};
use vm::{Config, ConstraintKind, Machine};

fn bits(value: i32) -> Option<Observed> {
    Some(Observed::Bits(u128::from(value as u32)))
}

fn run_main(text: &str, arguments: &[&str]) -> vm::ConcreteRun {
    let program = ir::text::parse(text).expect("a program");
    let index = CodeIndex::new(&program);
    let mut machine = Machine::new(&program, &index, Config::default());
    let main = program.function("main").expect("a function main");
    let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
    let first = machine.run(main, &arguments);
    let second = machine.run(main, &arguments);
    assert_eq!(
        first.output, second.output,
        "a run depends on the one before"
    );
    assert_eq!(first.steps, second.steps);
    first
}

#[test]
fn prints_what_c_prints() {
    let run = run_main(
        "fn printf(?: *const char, ...) -> int
         fn puts(?: *const char) -> int
         fn putchar(?: int) -> int
         fn exit(?: int) -> void
         literal global fmt: [30 x char] = \"%d|%5u|%-4x|%s|%c|%lld|%%|%.2s\\n\\0\"
         literal global word: [6 x char] = \"hello\\0\"
         static global count: int = x\"00000000\"
         fn main(_0 argc: int, _1 argv: **char) -> int {
           _2: *const char
           _3: int
           _4: *const char
           _5: **char
           _6: *char
           _7: *const char
           bb0:
             @count = _0
             _2 = &@fmt:*const char
             _4 = &@word:*const char
             _3 = call @printf(_2, -5:int, 42:uint, 255:uint, _4, 65:int, -1:llong, _4) -> bb1
           bb1: _3 = call @puts(_4) -> bb2
           bb2:
             _5 = ptr_add _1, 1 x 8
             _6 = load *_5
             _7 = pointer_to_pointer _6 as *const char
             _3 = call @puts(_7) -> bb3
           bb3: _3 = call @putchar(33) -> bb4
           bb4: call @exit(7) -> never
         }",
        &["program", "argument"],
    );
    assert_eq!(
        String::from_utf8_lossy(&run.output),
        "-5|   42|ff  |hello|A|-1|%|he\nhello\nargument\n!"
    );
    assert_eq!(run.outcome, Outcome::Exit(Some(7)));
    assert_eq!(run.status, Some(7));
    assert!(run.losses.is_empty());
}

#[test]
fn formatting_inputs_into_memory_is_a_loss() {
    let mut bench = Bench::new(
        "fn sprintf(?: *char, ?: *const char, ...) -> int
         fn printf(?: *const char, ...) -> int
         literal global fmt: [3 x char] = \"%d\\0\"
         fn f(_0 n: int) -> int {
           _1 text: [20 x char] taken
           _2: *char
           _3: *const char
           _4: int
           _5: char
           bb0:
             _2 = addr _1[0]
             _3 = &@fmt:*const char
             call @printf(_3, _0) -> bb1
           bb1: _4 = call @sprintf(_2, _3, _0) -> bb2
           bb2:
             _5 = load _1[0]
             _4 = int_to_int _5 as int
             return _4
         }",
    );
    let run = bench.default_run();
    assert_eq!(returned(&run), bits(48));
    let kinds: Vec<_> = run
        .imprecision
        .losses
        .iter()
        .map(|loss| loss.kind)
        .collect();
    assert_eq!(kinds, [LossKind::Concretisation]);
}

#[test]
fn pointers_survive_being_copied_byte_by_byte() {
    let mut bench = Bench::new(
        "fn f() -> int {
           _0 x: int taken
           _1 p: *int taken
           _2 q: *int taken
           _3: *char
           _4: *char
           _5 i: int
           _6: int
           _7: *char
           _8: char
           _9: *char
           _10: *int
           _11: **int
           bb0:
             _0 = 77
             _10 = addr _0
             _1 = _10
             _11 = addr _1
             _3 = pointer_to_pointer _11 as *char
             _11 = addr _2
             _4 = pointer_to_pointer _11 as *char
             _5 = 0
             goto bb1
           bb1:
             _6 = lt _5, 8
             branch _6 ? bb2 : bb3
           bb2:
             _7 = ptr_add _3, _5 x 1
             _8 = load *_7
             _9 = ptr_add _4, _5 x 1
             *_9 = _8
             _5 = add _5, 1
             goto bb1
           bb3:
             _10 = load _2
             _6 = load *_10
             return _6
         }",
    );
    let run = bench.default_run();
    assert_eq!(returned(&run), bits(77));
    assert!(run.imprecision.losses.is_empty());
}

#[test]
fn records_are_passed_and_returned_by_value() {
    let mut bench = Bench::new(
        "rec0 struct \"struct pair\" { a: int, b: int }
         fn swap(_0 p: rec0) -> rec0 {
           _1 q: rec0
           _2: int
           bb0:
             _2 = load _0.b
             _1.a = _2
             _2 = load _0.a
             _1.b = _2
             _0.a = 99
             return _1
         }
         fn f(_0 p: rec0) -> rec0 {
           _1: rec0
           _2: int
           bb0: _1 = call @swap(_0) -> bb1
           bb1:
             _2 = load _0.a
             _2 = eq _2, 3
             branch _2 ? bb2 : bb3
           bb2: _1.a = 5; return _1
           bb3: return _1
         }",
    );
    let runs = bench.explore(&[0, 3]);
    assert_eq!(runs.len(), 2);
    let values: Vec<_> = runs[1]
        .observations
        .iter()
        .map(|o| o.value.clone())
        .collect();
    assert_eq!(values, [bits(5).unwrap(), bits(3).unwrap()]);
}

#[test]
fn allocations_may_fail_and_keep_what_is_in_them() {
    let mut bench = Bench::new(
        "fn __attest_allocate_zeroed(?: ulong) -> *void
         fn __attest_allocation_fails() -> int
         fn __attest_copy(?: *void, ?: *const void, ?: ulong) -> void
         fn __attest_free(?: *void) -> void
         fn f(_0 n: int) -> int {
           _1: int
           _2: *void
           _3: *int
           _4: *void
           _5: *const void
           _6: *int
           bb0: _1 = call @__attest_allocation_fails() -> bb1
           bb1: branch _1 ? bb2 : bb3
           bb2: return -1
           bb3: _2 = call @__attest_allocate_zeroed(8:ulong) -> bb4
           bb4:
             _3 = pointer_to_pointer _2 as *int
             *_3 = _0
             _6 = ptr_add _3, 1 x 4
             _4 = pointer_to_pointer _6 as *void
             _5 = pointer_to_pointer _3 as *const void
             call @__attest_copy(_4, _5, 4:ulong) -> bb5
           bb5:
             _1 = load *_6
             call @__attest_free(_2) -> bb6
           bb6:
             _0 = eq _1, 9
             branch _0 ? bb7 : bb8
           bb7: return 1
           bb8: return 0
         }",
    );
    let runs = bench.explore(&[0, 1, 9]);
    let mut results: Vec<_> = runs.iter().filter_map(returned).collect();
    results.sort_by_key(|result| format!("{result:?}"));
    assert_eq!(results, [bits(0), bits(1), bits(-1)].map(Option::unwrap));
    bench.config.allocation_failures = false;
    assert_eq!(bench.default_run().path.len(), 1);
}

#[test]
fn declared_inputs_have_the_type_of_what_they_cover() {
    let mut bench = Bench::new(
        "rec0 struct \"struct s\" { a: int, b: short }
         fn __attest_input(?: *void, ?: ulong, ?: *const char) -> void
         fn __attest_assume(?: int) -> void
         literal global name: [2 x char] = \"x\\0\"
         fn f() -> int {
           _0 s: rec0 taken
           _1: *rec0
           _2: *void
           _3: *const char
           _4: short
           _5: int
           bb0:
             _1 = addr _0
             _2 = pointer_to_pointer _1 as *void
             _3 = &@name:*const char
             call @__attest_input(_2, 8:ulong, _3) -> bb1
           bb1:
             _4 = load _0.b
             _5 = gt _4, 10:short
             call @__attest_assume(_5) -> bb2
           bb2:
             _5 = int_to_int _4 as int
             return _5
         }",
    );
    let runs = bench.explore(&[0, 20]);
    assert_eq!(runs[0].outcome, Outcome::Rejected);
    assert_eq!(runs[0].path[0].kind, ConstraintKind::Assumption);
    assert_eq!(returned(&runs[1]), bits(20));
    let (_, object) = bench.space.objects().next().unwrap();
    assert_eq!(
        object.root,
        Root::Declared {
            name: "x".to_owned(),
            nth: 0
        }
    );
    let widths: Vec<_> = bench.space.cells().map(|(_, cell)| cell.width).collect();
    assert_eq!(widths, [32, 16]);
}

#[test]
fn assertions_are_checks() {
    let mut bench = Bench::new(
        "fn __attest_assert(?: int, ?: *const char) -> void
         literal global text: [6 x char] = \"n < 5\\0\"
         fn f(_0 n: int) -> int {
           _1: int
           _2: *const char
           bb0:
             _1 = lt _0, 5
             _2 = &@text:*const char
             call @__attest_assert(_1, _2) -> bb1
           bb1: return 0
         }",
    );
    let runs = bench.explore(&[0, 5]);
    assert_eq!(runs.len(), 2);
    assert_eq!(defect(&runs[1]), Some(DefectKind::FailedAssertion));
    let Outcome::Defect(found) = &runs[1].outcome else {
        panic!("a defect expected");
    };
    assert_eq!(found.message, "assertion fails: n < 5");
    let check = ConstraintKind::Check(DefectKind::FailedAssertion);
    assert_eq!(runs[0].path[0].kind, check);
}

#[test]
fn an_endless_loop_with_a_cycle_in_memory_is_found() {
    let mut bench = Bench::new(
        "fn f() -> int {
           _0 a: [4 x int]
           _1 i: int
           _2: int
           bb0:
             _0 = zero
             _1 = 0
             goto bb1
           bb1:
             _2 = load _0[_1]
             _2 = xor _2, 1
             _0[_1] = _2
             _1 = add _1, 1
             _1 = and _1, 3
             goto bb1
         }",
    );
    let run = bench.default_run();
    assert_eq!(defect(&run), Some(DefectKind::NonTermination));
}

#[test]
fn a_loop_that_counts_only_hits_the_limit() {
    let mut bench = Bench::new(
        "fn f() -> uint {
           _0 i: ulong
           bb0:
             _0 = 0
             goto bb1
           bb1:
             _0 = add _0, 1
             goto bb1
         }",
    );
    bench.config.step_limit = 100_000;
    let run = bench.default_run();
    assert_eq!(run.outcome, Outcome::LimitReached);
    assert_eq!(run.imprecision.losses[0].kind, LossKind::StepLimit);
}

#[test]
fn recursion_without_end_hits_the_limit() {
    let mut bench = Bench::new(
        "fn f() -> int {
           _0: int
           bb0: _0 = call @f() -> bb1
           bb1: return _0
         }",
    );
    let run = bench.default_run();
    assert_eq!(run.outcome, Outcome::LimitReached);
    assert_eq!(run.imprecision.losses[0].kind, LossKind::StackLimit);
}
