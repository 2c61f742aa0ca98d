//! What calls may do, what they cost, who may call back, and which lengths they tell of.

use std::collections::BTreeSet;

use analysis::{CallEffects, Reach, World, callbacks, costly, lengths};
use ir::lengths::{LengthOf, LengthOperand};
use ir::{CodeIndex, FunctionId, GlobalId, Program, text};

fn program(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn function(program: &Program, name: &str) -> FunctionId {
    program.function(name).expect("the function exists")
}

fn reach(program: &Program) -> Reach {
    Reach::new(program, &CodeIndex::new(program))
}

/// `top` calls `middle`, which calls itself through `back`, and a function without a body.
const CALLS: &str = "
global counter: int = 0
global total: int = 0
global other: int = 0
fn unknown()
noreturn fn leave()
fn top(p: *int) -> int {
  _1: int
  bb0: _1 = load @total call @middle(_0) -> bb1
  bb1: return _1
}
fn middle(p: *int) {
  bb0: *_0 = 1 branch 1 ? bb1 : bb3
  bb1: call @back(_0) -> bb2
  bb2: return
  bb3: call @leave() -> never
}
fn back(p: *int) {
  bb0: @counter = 1 call @middle(_0) -> bb1
  bb1: return
}
fn asks() {
  bb0: call @unknown() -> bb1
  bb1: return
}
fn leaf(n: int) -> int {
  bb0: return _0
}
";

#[test]
fn effects_are_those_of_all_that_is_called() {
    let program = program(CALLS);
    let effects = CallEffects::new(&program, &reach(&program));
    let global = |name: &str| {
        let mut globals = program.globals.iter_enumerated();
        let found = globals.find(|(_, global)| global.name == name);
        found.expect("the global exists").0
    };
    let set =
        |names: &[&str]| -> BTreeSet<GlobalId> { names.iter().map(|name| global(name)).collect() };
    let of = |name| effects.of(function(&program, name), &[global("other")]);
    for name in ["middle", "back"] {
        let found = of(name);
        assert_eq!(found.writes, set(&["counter", "other"]));
        assert!(found.looks_at.is_empty());
        assert!(found.may_end && found.takes_inputs);
        assert!(!found.stores.is_empty());
    }
    assert_eq!(of("top").writes, set(&["counter", "other"]));
    assert_eq!(of("top").looks_at, set(&["total"]));
    assert!(of("top").may_end);
    assert!(of("asks").calls_unknown);
    assert_eq!(of("asks").writes, set(&["other"]));
    assert_eq!(of("leaf"), ir::effects::Effects::default());
}

#[test]
fn functions_that_loop_or_recur_or_branch_often_are_dear() {
    // Each half has four branches; `both` calls them twice, and so has eight.
    let half = |name: &str| {
        let mut source = format!("fn {name}(a: int) {{\n");
        for block in 0..4 {
            source.push_str(&format!("  bb{block}: branch _0 ? bb{} : bb4\n", block + 1));
        }
        source + "  bb4: return\n}\n"
    };
    let source = format!(
        "{}{}
         fn both(a: int) {{
           bb0: call @first(_0) -> bb1
           bb1: call @second(_0) -> bb2
           bb2: call @first(_0) -> bb3
           bb3: return
         }}
         fn twice(a: int) {{
           bb0: call @first(_0) -> bb1
           bb1: call @first(_0) -> bb2
           bb2: return
         }}
         fn loops(a: int) {{
           bb0: branch _0 ? bb0 : bb1
           bb1: return
         }}
         fn recurs(a: int) {{
           bb0: call @recurs(_0) -> bb1
           bb1: return
         }}
         fn entry(a: int) {{
           bb0: call @both(_0) -> bb1
           bb1: call @twice(_0) -> bb2
           bb2: call @loops(_0) -> bb3
           bb3: call @recurs(_0) -> bb4
           bb4: return
         }}",
        half("first"),
        half("second")
    );
    let program = program(&source);
    let reach = reach(&program);
    let entry = function(&program, "entry");
    let found = costly(
        &program,
        &reach,
        &BTreeSet::from([entry]),
        &reach.functions_from(entry),
    );
    let names: Vec<&str> = found
        .iter()
        .map(|&id| program.functions[id].name.as_str())
        .collect();
    assert_eq!(names, ["both", "loops", "recurs"]);
}

#[test]
fn unknown_functions_may_call_back_what_they_can_name() {
    let program = program(
        "fn unknown()
         static fn hidden() {
           bb0: return
         }
         static fn given() {
           bb0: return
         }
         static global table: *fn() = zero with 0: &@given
         fn entry() {
           bb0: call @unknown() -> bb1
           bb1: return
         }
         fn quiet() {
           bb0: return
         }",
    );
    let entry = function(&program, "entry");
    let quiet = function(&program, "quiet");
    let callable = callbacks::callable_from_outside(&program, entry);
    assert!(!callable.contains(function(&program, "hidden").index()));
    assert!(callable.contains(function(&program, "given").index()));
    assert!(callable.contains(quiet.index()));
    let call = |functions: &[FunctionId], world| {
        callbacks::call_back(&program, entry, functions, world).map(|bound| bound.stack[0].block)
    };
    assert_eq!(call(&[entry], World::Open), Some(0u32.into()));
    assert_eq!(call(&[quiet], World::Open), None);
}

/// The lengths of `f`.
fn lengths_of(source: &str) -> Vec<LengthOf> {
    let program = program(source);
    let f = function(&program, "f");
    lengths(&program, f, &reach(&program).functions_from(f))
}

/// `f` passes its parameters through functions that are listed before what they call, or behind it.
const SUM: &str = "fn sum(p: *int, n: int) -> int {
  _2 i: int
  _3: bool
  _4: *int
  _5: int
  bb0: _2 = 0 goto bb1
  bb1: _3 = lt _2, _1 branch _3 ? bb2 : bb3
  bb2: _4 = ptr_add _0, _2 x 4 _5 = load *_4 _2 = add _2, 1 goto bb1
  bb3: return _5
}
";

const PASS: &str = "fn pass(count: int, q: *int) -> int {
  _2: int
  bb0: _2 = call @sum(_1, _0) -> bb1
  bb1: return _2
}
fn f(p: *int, count: int) -> int {
  _2: int
  bb0: _2 = call @pass(_1, _0) -> bb1
  bb1: return _2
}
";

#[test]
fn lengths_are_told_by_callees() {
    let expected = [LengthOf {
        pointer: LengthOperand::Parameter(0),
        length: LengthOperand::Parameter(1),
        element: 4,
    }];
    assert_eq!(lengths_of(&format!("{SUM}{PASS}")), expected);
    assert_eq!(lengths_of(&format!("{PASS}{SUM}")), expected);
}

#[test]
fn a_pointer_with_two_lengths_has_none() {
    let source = format!(
        "{SUM}fn f(p: *int, n: int, m: int) -> int {{
           _3: int
           bb0: _3 = call @sum(_0, _1) -> bb1
           bb1: _3 = call @sum(_0, _2) -> bb2
           bb2: return _3
         }}"
    );
    assert_eq!(lengths_of(&source), []);
}
