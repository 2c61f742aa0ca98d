//! What breaks each rule of the checker's memory: programs free of undefined behaviour that take the
//! edge which is claimed to be unreachable. Beside each, one where the rule holds.

mod support;

use support::{is_accepted, is_refused};

#[test]
fn a_write_through_a_pointer_changes_its_object() {
    let text = r#"
fn f() -> int {
  _0 x: int taken
  _1 p: *int
  _2: int
  _3: int
  bb0: _0 = 0; _1 = addr _0; *_1 = 7; _2 = load _0; _3 = eq _2, 7; branch _3 ? bb1 : bb2
  bb1: _3 = eq _2, 0; branch _3 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 1);
}

#[test]
fn a_pointer_may_lead_to_either_object() {
    let text = r#"
fn f(c: int) -> int {
  _1 x: int taken
  _2 y: int taken
  _3 p: *int
  _4: int
  _5: int
  bb0: _1 = 0; _2 = 0; branch _0 ? bb1 : bb2
  bb1: _3 = addr _1; goto bb3
  bb2: _3 = addr _2; goto bb3
  bb3: *_3 = 7; _4 = load _1; _5 = eq _4, 7; branch _5 ? bb4 : bb5
  bb4: return 1
  bb5: _4 = load _2; _5 = eq _4, 7; branch _5 ? bb4 : bb4
}"#;
    is_refused(text, 3);
    is_refused(text, 5);
}

#[test]
fn a_stored_address_lets_others_change_the_object() {
    let text = r#"
static global kept: *int = x"0000000000000000"
fn others()
fn f() -> int {
  _0 x: int taken
  _1 y: int taken
  _2 p: *int
  _3: int
  _4: int
  bb0: _0 = 0; _1 = 0; _2 = addr _0; @kept = _2; call @others() -> bb1
  bb1: _3 = load _0; _4 = eq _3, 7; branch _4 ? bb3 : bb2
  bb2: _3 = load _1; _4 = eq _3, 7; branch _4 ? bb3 : bb3
  bb3: return 0
}"#;
    is_refused(text, 1);
    is_accepted(text, 2);
}

#[test]
fn an_address_that_becomes_a_number_may_come_back() {
    let text = r#"
fn f() -> int {
  _0 x: int taken
  _1 p: *int
  _2 n: ulong
  _3 q: *int
  _4: int
  _5: int
  bb0: _0 = 0; _1 = addr _0; _2 = pointer_to_int _1; _3 = int_to_pointer _2; *_3 = 7; _4 = load _0; _5 = eq _4, 7; branch _5 ? bb1 : bb1
  bb1: return 0
}"#;
    is_refused(text, 0);
}

#[test]
fn a_callee_changes_what_it_is_given() {
    let text = r#"
fn set(p: *int) { bb0: *_0 = 7; return }
fn f() -> int {
  _0 x: int taken
  _1 y: int taken
  _2 p: *int
  _3: int
  _4: int
  bb0: _0 = 0; _1 = 0; _2 = addr _0; call @set(_2) -> bb1
  bb1: _3 = load _0; _4 = eq _3, 7; branch _4 ? bb2 : bb2
  bb2: _3 = load _0; _4 = eq _3, 0; branch _4 ? bb3 : bb3
  bb3: _3 = load _1; _4 = eq _3, 7; branch _4 ? bb4 : bb4
  bb4: return 0
}"#;
    is_refused(text, 1);
    is_accepted(text, 2);
    is_accepted(text, 3);
}

#[test]
fn an_address_handed_to_a_function_without_a_body_is_known_to_others() {
    let text = r#"
fn take(p: *int)
fn others()
fn f() -> int {
  _0 x: int taken
  _1 p: *int
  _2: int
  _3: int
  bb0: _1 = addr _0; call @take(_1) -> bb1
  bb1: _0 = 0; call @others() -> bb2
  bb2: _2 = load _0; _3 = eq _2, 7; branch _3 ? bb3 : bb3
  bb3: return 0
}"#;
    is_refused(text, 2);
}

#[test]
fn others_change_globals_by_name_and_by_functions_of_the_program() {
    let text = r#"
global known: int = 0
static global by_callback: int = 0
static global own: int = 0
fn others()
fn callback() { bb0: @by_callback = 7; return }
fn f() -> int {
  _0: int
  _1: int
  bb0: @known = 0; @by_callback = 0; @own = 0; call @others() -> bb1
  bb1: _0 = load @known; _1 = eq _0, 7; branch _1 ? bb2 : bb2
  bb2: _0 = load @by_callback; _1 = eq _0, 7; branch _1 ? bb3 : bb3
  bb3: _0 = load @own; _1 = eq _0, 7; branch _1 ? bb4 : bb4
  bb4: return 0
}"#;
    is_refused(text, 1);
    is_refused(text, 2);
}

#[test]
fn a_callback_may_write_through_a_pointer_of_its_own() {
    let text = r#"
static global own: int = 0
fn others()
fn callback() {
  _0 p: *int
  bb0: _0 = addr @own; *_0 = 7; return
}
fn f() -> int {
  _0: int
  _1: int
  bb0: @own = 0; call @others() -> bb1
  bb1: _0 = load @own; _1 = eq _0, 7; branch _1 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 1);
}

#[test]
fn bytes_of_a_number_are_parts_of_it() {
    let text = r#"
fn f() -> int {
  _0 x: int taken
  _1 p: *int
  _2 c: *uchar
  _3: int
  _4: int
  bb0: _0 = 0; _1 = addr _0; _2 = pointer_to_pointer _1; *_2 = 7; _3 = load _0; _4 = eq _3, 7; branch _4 ? bb1 : bb1
  bb1: _4 = eq _3, 8; branch _4 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 1);
}

#[test]
fn a_byte_at_an_unknown_offset_may_be_any() {
    let text = r#"
fn f(i: uint) -> int {
  _1 x: int taken
  _2 p: *int
  _3 c: *uchar
  _4 d: *uchar
  _5: int
  _6: int
  bb0: _1 = 0; _2 = addr _1; _3 = pointer_to_pointer _2; _4 = ptr_add _3, _0 x 1; *_4 = 7; _5 = load _1; _6 = eq _5, 1792; branch _6 ? bb1 : bb1
  bb1: return 0
}"#;
    is_refused(text, 0);
}

#[test]
fn members_of_a_union_share_their_bytes() {
    let text = r#"
rec0 union "union u" { whole: int, byte: uchar }
fn f() -> int {
  _0 u: rec0
  _1: int
  _2: int
  bb0: _0.whole = 258; _0.byte = 3; _1 = load _0.whole; _2 = eq _1, 259; branch _2 ? bb1 : bb1
  bb1: _0.whole = 258; _1 = load _0.whole; _2 = eq _1, 259; branch _2 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 1);
}

#[test]
fn bit_fields_lie_beside_each_other() {
    let text = r#"
rec0 struct "struct s" size 4 align 4 { low: int @0 bits 3, high: int @3 bits 5 }
fn f() -> int {
  _0 s: rec0
  _1: int
  _2: int
  bb0: _0.low = 3; _0.high = 9; _0.low = 6; _1 = load _0.low; _2 = eq _1, -2; branch _2 ? bb1 : bb1
  bb1: _2 = eq _1, 6; branch _2 ? bb2 : bb2
  bb2: _1 = load _0.high; _2 = ne _1, 9; branch _2 ? bb3 : bb3
  bb3: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 1);
    is_accepted(text, 2);
}

#[test]
fn padding_holds_anything_behind_a_copy() {
    let text = r#"
rec0 struct "struct s" size 8 align 4 { byte: uchar @0, word: int @32 }
fn f() -> int {
  _0 a: rec0 taken
  _1 b: rec0 taken
  _2 p: *rec0
  _3 c: *uchar
  _4 d: *uchar
  _5: uchar
  _6: int
  _7: int
  bb0: _0 = zero; _1 = load _0; _2 = addr _1; _3 = pointer_to_pointer _2; _5 = load *_3; _6 = int_to_int _5; _7 = ne _6, 0; branch _7 ? bb1 : bb1
  bb1: _7 = ne _6, 0; _4 = ptr_add _3, 1 x 1; _5 = load *_4; _6 = int_to_int _5; _7 = ne _6, 0; branch _7 ? bb2 : bb2
  bb2: _6 = load _1.word; _7 = ne _6, 0; branch _7 ? bb3 : bb3
  bb3: return 0
}"#;
    is_accepted(text, 0);
    is_refused(text, 1);
    is_accepted(text, 2);
}

#[test]
fn a_copy_is_an_object_of_its_own() {
    let text = r#"
rec0 struct "struct s" { one: int, two: int }
fn change(s: rec0) -> int { 
  bb0: _0.one = 7; return 0
}
fn f() -> int {
  _0 a: rec0
  _1: int
  _2: int
  _3: int
  bb0: _0.one = 1; _0.two = 2; _1 = call @change(_0) -> bb1
  bb1: _2 = load _0.one; _3 = ne _2, 1; branch _3 ? bb2 : bb2
  bb2: _3 = eq _2, 1; branch _3 ? bb3 : bb3
  bb3: return 0
}"#;
    is_accepted(text, 1);
    is_refused(text, 2);
}

#[test]
fn indices_may_be_equal() {
    for length in [4, 100] {
        let text = format!(
            r#"
fn f(i: uint, j: uint) -> int {{
  _2 a: [{length} x int]
  _3: int
  _4: int
  bb0: _3 = lt _0, {length}; branch _3 ? bb1 : bb7
  bb1: _3 = lt _1, {length}; branch _3 ? bb2 : bb7
  bb2: _2[_0] = 1; _2[_1] = 7; _3 = load _2[_0]; _4 = eq _3, 7; branch _4 ? bb3 : bb3
  bb3: _3 = load _2[_1]; _4 = ne _3, 7; branch _4 ? bb4 : bb4
  bb4: _4 = eq _0, _1; branch _4 ? bb7 : bb5
  bb5: _3 = load _2[_0]; _4 = ne _3, 1; branch _4 ? bb6 : bb6
  bb6: _2[3] = 5; _3 = load _2[_1]; _4 = eq _3, 5; branch _4 ? bb7 : bb7
  bb7: return 0
}}"#
        );
        is_refused(&text, 2);
        is_accepted(&text, 3);
        is_accepted(&text, 5);
        is_refused(&text, 6);
    }
}

#[test]
fn elements_are_read_again_as_they_were() {
    let text = r#"
static global table: [100 x int] = zero
fn f(i: uint, j: uint) -> int {
  _2: int
  _3: int
  _4: int
  bb0: _2 = load @table[_0]; _3 = load @table[_1]; _4 = ne _2, _3; branch _4 ? bb1 : bb2
  bb1: _4 = eq _0, _1; branch _4 ? bb2 : bb2
  bb2: @table[_0] = 3; return 0
}"#;
    let text = text.replace(" = zero", " = x\"00\"");
    is_refused(&text, 0);
    is_accepted(&text, 1);
}

#[test]
fn members_of_elements_are_apart() {
    let text = r#"
rec0 struct "struct s" { one: int, two: int }
fn f(i: uint, j: uint) -> int {
  _2 a: [100 x rec0]
  _3: int
  _4: int
  bb0: _2[_0].one = 1; _2[_1].two = 7; _3 = load _2[_0].one; _4 = ne _3, 1; branch _4 ? bb1 : bb1
  bb1: _2[_1].one = 7; _3 = load _2[_0].one; _4 = ne _3, 1; branch _4 ? bb2 : bb2
  bb2: return 0
}"#;
    is_accepted(text, 0);
    is_refused(text, 1);
}

#[test]
fn volatile_objects_change_by_themselves() {
    let text = r#"
volatile global port: int = 0
fn f() -> int {
  _0: int
  _1: int
  _2: int
  bb0: @port = 1; _0 = load @port; _2 = ne _0, 1; branch _2 ? bb1 : bb1
  bb1: _0 = load @port; _1 = load @port; _2 = ne _0, _1; branch _2 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 0);
    is_refused(text, 1);
}

#[test]
fn a_recursive_call_changes_globals_and_is_no_execution_of_the_graph() {
    let text = r#"
static global depth: int = 0
static fn g(n: int) {
  _1: int
  bb0: @depth = _0; _1 = sub _0, 1; branch _0 ? bb1 : bb2
  bb1: call @g(_1) -> bb2
  bb2: _1 = load @depth; _1 = eq _1, 0; branch _1 ? bb3 : bb3
  bb3: return
}
fn f() -> int {
  _0: int
  _1: int
  bb0: call @g(3) -> bb1
  bb1: _0 = load @depth; _1 = ne _0, 3; branch _1 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 1);
    let (program, entry) = support::program(text);
    let g = program.function("g").expect("there is a `g`");
    let proof = support::bare(support::edge(g, 2, 0));
    assert!(support::checked(&program, entry, &proof).is_err());
}

#[test]
fn only_main_begins_with_initial_values() {
    let text = |name: &str, call: &str| {
        format!(
            r#"
global count: int = 3
static global own: int = 3
fn other() -> int {{
  _0: int
  bb0: {call}
  bb1: return 0
}}
fn {name}() -> int {{
  _0: int
  _1: int
  bb0: _0 = load @count; _1 = ne _0, 3; branch _1 ? bb1 : bb1
  bb1: _0 = load @own; _1 = ne _0, 3; branch _1 ? bb2 : bb2
  bb2: @own = 4; return 0
}}"#
        )
    };
    is_accepted(&text("main", "goto bb1"), 0);
    is_accepted(&text("main", "goto bb1"), 1);
    is_refused(&text("f", "goto bb1"), 0);
    is_refused(&text("f", "goto bb1"), 1);
    is_refused(&text("main", "_0 = call @main() -> bb1"), 1);
}

#[test]
fn objects_that_never_change_hold_their_values() {
    let text = r#"
static global never: int = 3
static const global fixed: [3 x int] = x"0100000002000000"
static global changes: int = 3
fn change() { 
  _0 p: *int
  bb0: _0 = addr @changes; *_0 = 4; return
}
fn f(i: uint) -> int {
  _1: int
  _2: int
  bb0: _1 = load @never; _2 = ne _1, 3; branch _2 ? bb1 : bb1
  bb1: _1 = load @fixed[_0]; _2 = gt _1, 2; branch _2 ? bb2 : bb2
  bb2: _1 = load @changes; _2 = ne _1, 3; branch _2 ? bb3 : bb3
  bb3: return 0
}"#;
    is_accepted(text, 0);
    is_refused(text, 2);
}

#[test]
fn each_call_has_its_own_locals_and_shares_static_ones() {
    let text = r#"
static global calls: int = 0
fn g(n: int) -> int {
  _1 x: int
  _2: int
  bb0: _1 = _0; _2 = load @calls; _2 = add _2, 1; @calls = _2; return _1
}
fn f() -> int {
  _0: int
  _1: int
  _2: int
  bb0: @calls = 0; _0 = call @g(1) -> bb1
  bb1: _1 = call @g(2) -> bb2
  bb2: _2 = ne _0, 1; branch _2 ? bb3 : bb3
  bb3: _2 = load @calls; _2 = eq _2, 2; branch _2 ? bb4 : bb4
  bb4: _2 = load @calls; _2 = ne _2, 2; branch _2 ? bb5 : bb5
  bb5: return 0
}"#;
    is_accepted(text, 2);
    is_refused(text, 3);
    is_accepted(text, 4);
}

#[test]
fn a_local_is_indeterminate_where_its_life_begins() {
    let text = r#"
fn f() -> int {
  _0 x: int taken
  _1: int
  _2: int
  bb0: _0 = 1; dead _0; live _0; _1 = load _0; _2 = ne _1, 1; branch _2 ? bb1 : bb1
  bb1: return 0
}"#;
    is_refused(text, 0);
}

#[test]
fn pointers_move_from_element_to_element() {
    let text = r#"
fn f() -> int {
  _0 a: [20 x int] taken
  _1 p: *int
  _2: int
  _3: int
  bb0: _0[0] = 1; _0[1] = 2; _1 = addr _0[0]; _1 = ptr_add _1, 1 x 4; _2 = load *_1; _3 = eq _2, 2; branch _3 ? bb1 : bb1
  bb1: _3 = eq _2, 1; branch _3 ? bb2 : bb2
  bb2: *_1 = 9; _2 = load _0[1]; _3 = eq _2, 9; branch _3 ? bb3 : bb3
  bb3: _1 = ptr_sub _1, 1 x 4; *_1 = 8; _2 = load _0[1]; _3 = ne _2, 9; branch _3 ? bb4 : bb4
  bb4: _2 = load _0[0]; _3 = eq _2, 8; branch _3 ? bb5 : bb5
  bb5: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 1);
    is_refused(text, 2);
    is_accepted(text, 3);
    is_refused(text, 4);
}

#[test]
fn a_static_objects_address_that_is_returned_is_known_to_others() {
    let text = r#"
static global own: int = 0
fn others()
fn address() -> *int {
  _0: *int
  bb0: _0 = addr @own; return _0
}
fn f() -> int {
  _0 p: *int
  _1: int
  _2: int
  bb0: _0 = call @address() -> bb1
  bb1: *_0 = 0; call @others() -> bb2
  bb2: _1 = load @own; _2 = eq _1, 7; branch _2 ? bb3 : bb3
  bb3: return 0
}"#;
    is_refused(text, 2);
}

#[test]
fn nothing_is_claimed_behind_what_is_not_supported() {
    let text = r#"
fn f() -> int {
  _0: int
  _1: int
  bb0: _0 = 1; unsupported "inline assembly" -> bb1
  bb1: _1 = eq _0, 2; branch _1 ? bb2 : bb2
  bb2: return 0
}"#;
    is_refused(text, 1);
}

#[test]
fn assumptions_hold_behind_them_only() {
    let text = r#"
fn __VERIFIER_assume(c: int)
fn f(x: int) -> int {
  _1: int
  bb0: _1 = gt _0, 3; branch _1 ? bb1 : bb1
  bb1: _1 = gt _0, 5; call @__VERIFIER_assume(_1) -> bb2
  bb2: _1 = lt _0, 5; branch _1 ? bb3 : bb3
  bb3: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 2);
}

#[test]
fn a_function_that_is_given_to_the_library_runs_when_others_want() {
    let text = r#"
fn on_signal(handler: *fn(int) -> void)
static global count: int = 0
static fn handler(n: int) {
  _1: int
  bb0: _1 = gt _0, 3; branch _1 ? bb1 : bb1
  bb1: return
}
fn f() -> int {
  _0: int
  bb0: call @on_signal(&@handler) -> bb1
  bb1: call @handler(1) -> bb2
  bb2: return 0
}"#;
    let (program, entry) = support::program(text);
    let handler = program.function("handler").expect("there is a `handler`");
    let proof = support::bare(support::edge(handler, 0, 0));
    assert!(support::checked(&program, entry, &proof).is_err());
}
