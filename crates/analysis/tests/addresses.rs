//! Where addresses get to, and what may be written there.

use analysis::{Escaped, World, global_roles, literals, outside_write};
use fixedbitset::FixedBitSet;
use ir::{FunctionId, GlobalId, Program, text};

fn program(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn function(program: &Program, name: &str) -> FunctionId {
    program.function(name).expect("the function exists")
}

fn names(program: &Program, globals: &[GlobalId]) -> Vec<String> {
    let names = globals.iter().map(|&id| program.globals[id].name.clone());
    names.collect()
}

fn of_bits(program: &Program, bits: &FixedBitSet) -> Vec<String> {
    let globals: Vec<GlobalId> = bits.ones().map(GlobalId::from_usize).collect();
    names(program, &globals)
}

/// The globals whose address gets out surely, and perhaps.
fn escaped(program: &Program) -> (Vec<String>, Vec<String>) {
    let escaped = Escaped::new(program);
    (
        of_bits(program, &escaped.surely),
        of_bits(program, &escaped.perhaps),
    )
}

#[test]
fn an_address_that_is_passed_on_escapes() {
    let program = program(
        "static global given: int = 0
         static global passed: int = 0
         static global kept: int = 0
         static global held: *int = zero
         static global named: *int = zero with 0: &@inside
         global seen: *int = zero with 0: &@outside
         static global inside: int = 0
         static global outside: int = 0
         static global alone: int = 0
         fn unknown(p: *int)
         static fn pass(p: *int, q: *int) {
           _2 r: *int
           bb0: _2 = _0 call @unknown(_2) -> bb1
           bb1: return
         }
         static fn twice(p: *int) {
           bb0: call @pass(_0, _0) -> bb1
           bb1: call @twice(_0) -> bb2
           bb2: return
         }
         fn f() {
           _0: *int
           bb0:
             @held = &@kept
             @alone = 1
             call @unknown(&@given) -> bb1
           bb1: call @twice(&@passed) -> bb2
           bb2: return
         }",
    );
    let (surely, perhaps) = escaped(&program);
    assert_eq!(surely, ["given", "passed", "outside"]);
    assert_eq!(perhaps, ["kept", "inside"]);
}

#[test]
fn an_address_behind_an_unused_parameter_does_not_escape() {
    let program = program(
        "static global first: int = 0
         static global second: int = 0
         static fn choose(p: *int, q: *int) -> *int {
           bb0: return _1
         }
         fn f() {
           _0: *int
           bb0: _0 = call @choose(&@first, &@second) -> bb1
           bb1: return
         }",
    );
    let (surely, perhaps) = escaped(&program);
    assert!(surely.is_empty());
    assert_eq!(perhaps, ["second"]);
}

#[test]
fn an_address_that_is_the_base_of_another_one_escapes_with_it() {
    let program = program(
        "rec0 struct \"struct s\" { a: int, b: int }
         static global object: rec0 = zero
         fn unknown(p: *int)
         fn f() {
           _0: *int
           bb0: _0 = addr @object.b call @unknown(_0) -> bb1
           bb1: return
         }",
    );
    assert_eq!(escaped(&program).0, ["object"]);
}

#[test]
fn mutable_globals_that_change_are_inputs() {
    let program = program(
        "global shared: int = 0
         static global table: int = 1
         static global state: int = 0
         static global unread: int = 0
         const global fixed: int = 3
         fn f() -> int {
           _0: int
           bb0:
             _0 = load @shared
             _0 = load @table
             _0 = load @state
             _0 = load @fixed
             @state = 1
             @unread = 1
             return _0
         }",
    );
    let f = function(&program, "f");
    let roles = |world| {
        let roles = global_roles(&program, f, &[f], world);
        (
            names(&program, &roles.inputs),
            names(&program, &roles.changing),
            names(&program, &roles.unaddressed),
        )
    };
    let (inputs, changing, unaddressed) = roles(World::Open);
    assert_eq!(inputs, ["shared", "state"]);
    assert_eq!(changing, ["shared"]);
    assert_eq!(unaddressed, ["table", "state", "unread"]);
    let (inputs, changing, _) = roles(World::Closed);
    assert_eq!(inputs, ["state"]);
    assert!(changing.is_empty());
}

#[test]
fn literals_matter_where_pointers_to_characters_are_compared() {
    let with = |comparison: &str| {
        program(&format!(
            "literal global \".str\": [3 x char] = \"ab\\0\"
             fn f(p: *char, q: *char) -> bool {{
               _2: bool
               bb0: {comparison} return _2
             }}"
        ))
    };
    let compares = with("_2 = eq _0, _1");
    let f = function(&compares, "f");
    assert_eq!(names(&compares, &literals(&compares, f)), [".str"]);
    let tests = with("_2 = eq _0, null");
    assert!(literals(&tests, function(&tests, "f")).is_empty());
}

/// Whether a call of `f` may write to something that is not its own.
fn writes(source: &str) -> bool {
    let program = program(source);
    outside_write(&program, function(&program, "f")).is_some()
}

#[test]
fn what_is_reached_from_parameters_is_outside() {
    assert!(writes(
        "fn f(p: *int) {
           bb0: *_0 = 1 return
         }"
    ));
    assert!(writes(
        "static fn set(q: **int) {
           _1: *int
           bb0: _1 = load *_0 *_1 = 1 return
         }
         fn f(p: *int) {
           _1 own: *int taken
           _2: **int
           bb0: _1 = _0 _2 = addr _1 call @set(_2) -> bb1
           bb1: return
         }"
    ));
    assert!(writes(
        "static fn same(q: *int) -> *int {
           bb0: return _0
         }
         fn f(p: *int) {
           _1: *int
           bb0: _1 = call @same(_0) -> bb1
           bb1: *_1 = 1 return
         }"
    ));
    assert!(writes(
        "global counter: int = 0
         fn f() {
           bb0: @counter = 1 return
         }"
    ));
}

#[test]
fn what_is_the_functions_own_is_not() {
    assert!(!writes(
        "static fn set(q: *int) {
           bb0: *_0 = 1 return
         }
         fn f(p: *int, n: int) {
           _2 own: int taken
           _3: *int
           bb0: _3 = addr _2 call @set(_3) -> bb1
           bb1: return
         }"
    ));
    assert!(!writes(
        "fn __attest_allocate(size: ulong) -> *void
         fn f(p: *int) {
           _1: *void
           _2: *int
           bb0: _1 = call @__attest_allocate(4) -> bb1
           bb1: _2 = pointer_to_pointer _1 *_2 = 1 return
         }"
    ));
}
