//! What breaks each rule of the checker about nodes of the heap: programs free of undefined behaviour
//! that take the edge which is claimed to be unreachable. Beside each, one where the rule holds.

mod support;

use checker::Claim;
use support::{bare, edge, is_accepted, is_refused, program, z3};

/// A program with the functions of the heap, and nodes of a list.
fn heap(text: &str) -> String {
    format!(
        r#"
unit0 user "x.c"
unit1 model "stdlib.c"
rec0 struct "struct node" {{ key: int, other: int, next: *rec0 }}
rec1 struct "struct list" {{ first: *rec0, count: long }}
fn malloc(n: ulong) -> *void in unit1 {{ bb0: return null }}
fn calloc(n: ulong, size: ulong) -> *void in unit1 {{ bb0: return null }}
fn realloc(p: *void, size: ulong) -> *void in unit1 {{ bb0: return null }}
fn free(p: *void) -> void in unit1 {{ bb0: return }}
fn others()
static fn make(key: int) -> *rec0 {{
  _1: *void
  _2: *rec0
  bb0: _1 = call @malloc(16:ulong) -> bb1
  bb1: branch _1 ? bb2 : bb3
  bb2: _2 = pointer_to_pointer _1; _2->key = _0; _2->next = null; return _2
  bb3: goto bb3
}}
{text}"#
    )
}

#[track_caller]
fn refused(text: &str, blocks: &[u32]) {
    for &block in blocks {
        is_refused(&heap(text), block);
    }
}

#[track_caller]
fn accepted(text: &str, blocks: &[u32]) {
    for &block in blocks {
        is_accepted(&heap(text), block);
    }
}

#[test]
fn each_node_has_its_own_members() {
    let text = r#"
fn f() -> int {
  _0 a: *rec0
  _1 b: *rec0
  _2: int
  _3: int
  bb0: _0 = call @make(1) -> bb1
  bb1: _1 = call @make(2) -> bb2
  bb2: _2 = load _0->key; _3 = ne _2, 1; branch _3 ? bb3 : bb3
  bb3: _1->key = 5; _2 = load _0->key; _3 = ne _2, 1; branch _3 ? bb4 : bb4
  bb4: _3 = eq _0, _1; branch _3 ? bb5 : bb5
  bb5: _2 = load _1->key; _3 = ne _2, 5; branch _3 ? bb6 : bb6
  bb6: _3 = eq _2, 5; branch _3 ? bb7 : bb7
  bb7: _2 = load _0->key; _3 = eq _2, 1; branch _3 ? bb8 : bb8
  bb8: return 0
}"#;
    accepted(text, &[2, 3, 5]);
    refused(text, &[6, 7]);
}

#[test]
fn a_freed_nodes_address_may_be_that_of_a_new_one() {
    let text = r#"
fn f(n: int) -> int {
  _1 a: *rec0
  _2 b: *rec0
  _3: int
  _4: int
  _5: *void
  _6 both: *rec0
  bb0: _1 = call @make(1) -> bb1
  bb1: _6 = _1; branch _0 ? bb2 : bb3
  bb2: _5 = pointer_to_pointer _1; call @free(_5) -> bb3
  bb3: _2 = call @make(2) -> bb4
  bb4: _6 = _2; _3 = load _2->key; _4 = ne _3, 2; branch _4 ? bb5 : bb5
  bb5: _4 = eq _1, _2; branch _4 ? bb6 : bb8
  bb6: _4 = eq _0, 0; branch _4 ? bb7 : bb7
  bb7: return 1
  bb8: return 0
}"#;
    accepted(text, &[4, 6]);
    refused(text, &[5]);
}

#[test]
fn new_memory_holds_anything_and_zeroed_memory_zeros() {
    let text = r#"
fn f() -> int {
  _0: *void
  _1 a: *rec0
  _2 b: *rec0
  _3: int
  _4: int
  bb0: _0 = call @malloc(16:ulong) -> bb1
  bb1: _1 = pointer_to_pointer _0; _0 = call @calloc(1:ulong, 16:ulong) -> bb2
  bb2: _2 = pointer_to_pointer _0; branch _1 ? bb3 : bb9
  bb3: branch _2 ? bb4 : bb9
  bb4: _3 = load _2->key; _4 = ne _3, 0; branch _4 ? bb5 : bb5
  bb5: _1->key = 3; _3 = load _1->key; _4 = ne _3, 3; branch _4 ? bb6 : bb6
  bb6: _3 = load _2->other; _4 = eq _3, 0; branch _4 ? bb7 : bb7
  bb7: _3 = load _1->other; _4 = ne _3, 0; branch _4 ? bb9 : bb9
  bb9: return 0
}"#;
    let text = text.replace("bb9", "bb8");
    accepted(&text, &[4, 5]);
    refused(&text, &[6, 7]);
}

#[test]
fn allocations_may_fail_unless_a_bound_says_otherwise() {
    let text = heap(
        r#"
fn f() -> int {
  _0: *void
  _1: int
  bb0: _0 = call @malloc(16:ulong) -> bb1
  bb1: _1 = eq _0, null; branch _1 ? bb2 : bb2
  bb2: return 0
}"#,
    );
    is_refused(&text, 1);
    let (program, entry) = program(&text);
    let mut proof = bare(edge(entry, 1, 0));
    proof.allocations_succeed = true;
    let claim = |never_fails| Claim {
        entry,
        places: vec![proof.place],
        is_quiet: false,
        never_fails,
    };
    let proofs = std::slice::from_ref(&proof);
    assert!(checker::check(&program, &claim(true), proofs, &mut z3()).is_ok());
    assert!(checker::check(&program, &claim(false), proofs, &mut z3()).is_err());
}

/// A node, something that is done with it, and the goal that its key is 7 in block 2, and that it is
/// not 1 in block 3.
fn with_node(globals: &str, locals: &str, code: &str) -> String {
    format!(
        r#"
{globals}
fn f(i: uint) -> int {{
  _1 a: *rec0
  _2: int
  _3: int
{locals}
  bb0: _1 = call @make(1) -> bb1
  bb1: goto bb5
  bb2: _2 = load _1->key; _3 = eq _2, 7; branch _3 ? bb3 : bb3
  bb3: _2 = load _1->key; _3 = ne _2, 1; branch _3 ? bb4 : bb4
  bb4: return 0
  bb5: {code}
}}"#
    )
}

#[test]
fn unknown_calls_leave_nodes_alone_that_they_do_not_know() {
    let text = with_node("", "", "call @others() -> bb2");
    accepted(&text, &[2, 3]);
}

#[test]
fn nodes_that_others_know_may_change() {
    let kept = "static global kept: *rec0 = x\"0000000000000000\"";
    for (globals, locals, code) in [
        // In a global.
        (kept, "", "@kept = _1; call @others() -> bb2"),
        // Given to a function without a body.
        ("fn look(p: *rec0)", "", "call @look(_1) -> bb2"),
        // As a number.
        (
            "",
            "  _4 n: ulong\n  _5 b: *rec0",
            "_4 = pointer_to_int _1; _5 = int_to_pointer _4; _5->key = 7; goto bb2",
        ),
        // In an element at an index.
        (
            "",
            "  _4 t: [4 x *rec0]\n  _5 b: *rec0",
            "_4[_0] = _1; _5 = load _4[1]; _5->key = 7; goto bb2",
        ),
        // In a copy of a record.
        (
            "",
            "  _4 l: rec1\n  _5 m: rec1\n  _6 b: *rec0",
            "_4.first = _1; _5 = _4; _6 = load _5.first; _6->key = 7; goto bb2",
        ),
        // In a record that is given to a function without a body, by its address or by value.
        (
            "fn look(p: *rec1)",
            "  _4 l: rec1 taken\n  _5 p: *rec1",
            "_4.first = _1; _5 = addr _4; call @look(_5) -> bb2",
        ),
        (
            "fn look(p: rec1)",
            "  _4 l: rec1",
            "_4.first = _1; call @look(_4) -> bb2",
        ),
        // In a record that is returned.
        (
            "static fn same(l: rec1) -> rec1 { bb0: return _0 }",
            "  _4 l: rec1\n  _5 m: rec1\n  _6 b: *rec0",
            "_4.first = _1; _5 = call @same(_4) -> bb6
  bb6: _6 = load _5.first; _6->key = 7; goto bb2",
        ),
        // In memory that is read as a number.
        (
            "",
            "  _4 l: rec1 taken\n  _5 p: *ulong\n  _6 n: ulong\n  _7 b: *rec0\n  _8 q: *rec1",
            "_4.first = _1; _8 = addr _4; _5 = pointer_to_pointer _8; _6 = load *_5; _7 = int_to_pointer _6; _7->key = 7; goto bb2",
        ),
        // In a number that is written as a pointer.
        (
            "",
            "  _4 n: ulong taken\n  _5 p: **rec0\n  _6 b: *rec0\n  _7 q: *ulong",
            "_7 = addr _4; _5 = pointer_to_pointer _7; *_5 = _1; _6 = int_to_pointer _4; _6->key = 7; goto bb2",
        ),
        // By a pointer to a pointer to one of two places.
        (
            "",
            "  _4 l: *rec0 taken\n  _5 p: **rec0\n  _6 b: *rec0",
            "_6 = call @make(3) -> bb6
  bb6: _4 = _6; branch _0 ? bb7 : bb8
  bb7: _5 = addr _4; goto bb9
  bb8: _5 = addr _6->next; goto bb9
  bb9: *_5 = _1; _6 = load *_5; _6->key = 7; goto bb2",
        ),
    ] {
        refused(&with_node(globals, locals, code), &[2, 3]);
    }
}

#[test]
fn nodes_are_followed_through_memory() {
    for (globals, locals, code) in [
        (
            "",
            "  _4 l: rec1\n  _5 b: *rec0",
            "_4.first = _1; _4.count = 4; _5 = load _4.first; _5->other = 7; call @others() -> bb2",
        ),
        (
            "",
            "  _4 b: *rec0\n  _5 c: *rec0",
            "_4 = call @make(3) -> bb6
  bb6: _4->next = _1; _5 = load _4->next; _5->other = 7; call @others() -> bb2",
        ),
        // A pointer to a pointer to a known place.
        (
            "",
            "  _4 l: *rec0 taken\n  _5 p: **rec0\n  _6 b: *rec0",
            "_5 = addr _4; *_5 = _1; _6 = _4; _6->other = 7; call @others() -> bb2",
        ),
        (
            "static fn set(l: *rec1, n: *rec0) { bb0: _0->first = _1; return }",
            "  _4 l: rec1 taken\n  _5 p: *rec1\n  _6 b: *rec0",
            "_4 = zero; _5 = addr _4; call @set(_5, _1) -> bb6
  bb6: _6 = load _4.first; _6->other = 7; call @others() -> bb2",
        ),
    ] {
        let text = with_node(globals, locals, code);
        accepted(&text, &[2, 3]);
        let text = text.replace("->other = 7", "->key = 7");
        refused(&text, &[2, 3]);
    }
}

#[test]
fn memory_is_seen_as_several_types() {
    for (globals, locals, code) in [
        // Bytes.
        (
            "",
            "  _4 c: *uchar",
            "_4 = pointer_to_pointer _1; *_4 = 7; goto bb2",
        ),
        // A pointer into the middle, and back.
        (
            "",
            "  _4 p: *int",
            "_4 = addr _1->other; _4 = ptr_sub _4, 1 x 4; *_4 = 7; goto bb2",
        ),
        // A record of another type.
        (
            "rec2 struct \"struct pair\" { one: int, two: int }",
            "  _4 p: *rec2",
            "_4 = pointer_to_pointer _1; _4->one = 7; goto bb2",
        ),
        (
            "rec2 struct \"struct pair\" { one: int, two: int }",
            "  _4 p: *rec2\n  _5 r: rec2",
            "_4 = pointer_to_pointer _1; _5.one = 7; *_4 = _5; goto bb2",
        ),
        // A union.
        (
            "rec2 union \"union u\" { byte: uchar, all: int }",
            "  _4 p: *rec2",
            "_4 = pointer_to_pointer _1; _4->byte = 7; goto bb2",
        ),
        (
            "rec2 union \"union u\" { byte: uchar, all: int }",
            "  _4 p: *rec2",
            "_4 = pointer_to_pointer _1; _4->all = 7; goto bb2",
        ),
        // A copy of another node.
        (
            "",
            "  _4 b: *rec0",
            "_4 = call @make(7) -> bb6
  bb6: *_1 = load *_4; goto bb2",
        ),
    ] {
        refused(&with_node(globals, locals, code), &[2, 3]);
    }
}

#[test]
fn a_pointer_into_the_middle_is_to_its_member_alone() {
    let text = with_node(
        "",
        "  _4 p: *int\n  _5: int\n  _6: int",
        "_4 = addr _1->other; *_4 = 7; _5 = load _1->other; _6 = ne _5, 7; branch _6 ? bb2 : bb2",
    );
    accepted(&text, &[2, 3, 5]);
    let text = text.replace("ne _5, 7", "eq _5, 7");
    refused(&text, &[5]);
}

#[test]
fn padding_of_one_type_is_no_member_of_another() {
    let text = r#"
rec2 struct "struct padded" size 8 align 4 { byte: uchar @0, word: int @32 }
rec3 struct "struct bytes" size 8 align 4 { first: uchar @0, second: uchar @8 }
fn f() -> int {
  _0: *void
  _1 a: *rec2
  _2 b: *rec3
  _3: uchar
  _4: int
  _5: int
  bb0: _0 = call @malloc(16:ulong) -> bb1
  bb1: branch _0 ? bb2 : bb4
  bb2: _1 = pointer_to_pointer _0; _2 = pointer_to_pointer _0; _2->second = 3; _1->byte = 1; _3 = load _2->second; _4 = int_to_int _3; _5 = ne _4, 3; branch _5 ? bb3 : bb3
  bb3: _3 = load _1->byte; _4 = int_to_int _3; _5 = ne _4, 1; branch _5 ? bb4 : bb4
  bb4: return 0
}"#;
    refused(text, &[2]);
    accepted(text, &[3]);
}

#[test]
fn one_pointer_may_lead_to_nodes_of_two_calls() {
    let text = r#"
fn f(c: int) -> int {
  _1 a: *rec0
  _2 b: *rec0
  _3 p: *rec0
  _4: int
  _5: int
  bb0: _1 = call @make(1) -> bb1
  bb1: _2 = call @make(2) -> bb2
  bb2: branch _0 ? bb3 : bb4
  bb3: _3 = _1; goto bb5
  bb4: _3 = _2; goto bb5
  bb5: _3->key = 7; _4 = load _1->key; _5 = eq _4, 7; branch _5 ? bb6 : bb6
  bb6: _4 = load _2->key; _5 = eq _4, 7; branch _5 ? bb7 : bb7
  bb7: branch _0 ? bb8 : bb9
  bb8: _4 = load _2->key; _5 = eq _4, 7; branch _5 ? bb9 : bb9
  bb9: return 0
}"#;
    refused(text, &[5, 6]);
    accepted(text, &[8]);
}

#[test]
fn a_pointer_may_lead_to_a_node_or_to_a_local() {
    let text = r#"
fn f(c: int) -> int {
  _1 a: *rec0
  _2 b: rec0 taken
  _3 p: *rec0
  _4: int
  _5: int
  bb0: _1 = call @make(1) -> bb1
  bb1: _2.key = 2; _3 = addr _2; branch _0 ? bb2 : bb3
  bb2: _3 = _1; goto bb3
  bb3: _3->key = 7; _4 = load _1->key; _5 = eq _4, 7; branch _5 ? bb4 : bb4
  bb4: _4 = load _2.key; _5 = eq _4, 7; branch _5 ? bb5 : bb5
  bb5: return 0
}"#;
    refused(text, &[3, 4]);
}

#[test]
fn elements_in_nodes_change_at_any_index() {
    let text = r#"
rec2 struct "struct row" { before: int, cells: [4 x int], behind: int }
fn f(i: uint) -> int {
  _1: *void
  _2 r: *rec2
  _3: int
  _4: int
  bb0: _1 = call @malloc(24:ulong) -> bb1
  bb1: branch _1 ? bb2 : bb7
  bb2: _2 = pointer_to_pointer _1; _2->before = 1; _2->cells[1] = 2; _2->behind = 3; _2->cells[_0] = 4; _3 = load _2->before; _4 = ne _3, 1; branch _4 ? bb3 : bb3
  bb3: _3 = load _2->behind; _4 = ne _3, 3; branch _4 ? bb4 : bb4
  bb4: _3 = load _2->cells[1]; _4 = eq _3, 4; branch _4 ? bb5 : bb5
  bb5: _3 = load _2->cells[1]; _4 = eq _3, 2; branch _4 ? bb6 : bb6
  bb6: _2->cells[2] = 5; _3 = load _2->cells[_0]; _4 = eq _3, 5; branch _4 ? bb7 : bb7
  bb7: return 0
}"#;
    accepted(text, &[2, 3]);
    refused(text, &[4, 5, 6]);
    // Of an array without a length, or with one element, any member behind it may be meant.
    for length in [1, 0] {
        let one = text.replace("[4 x int]", &format!("[{length} x int]"));
        accepted(&one, &[2]);
        refused(&one, &[4, 5, 6]);
    }
}

#[test]
fn moved_memory_is_not_known() {
    let text = with_node(
        "",
        "  _4: *void\n  _5: *void\n  _6 b: *rec0",
        "_4 = pointer_to_pointer _1; _5 = call @realloc(_4, 32:ulong) -> bb6
  bb6: branch _5 ? bb7 : bb4
  bb7: _1 = pointer_to_pointer _5; _1->key = 7; goto bb2",
    );
    refused(&text, &[2, 3]);
}

#[test]
fn recursive_calls_change_the_nodes_that_they_are_given() {
    let text = with_node(
        "static fn all(p: *rec0) {
  _1: *rec0
  bb0: branch _0 ? bb1 : bb2
  bb1: _0->key = 7; _1 = load _0->next; call @all(_1) -> bb2
  bb2: return
}",
        "  _4 b: *rec0",
        "_4 = call @make(1) -> bb6
  bb6: _4->next = _1; call @all(_4) -> bb2",
    );
    refused(&text, &[2, 3]);
}

#[test]
fn pointers_of_the_caller_lead_anywhere() {
    let text = r#"
fn f(l: rec1, p: *rec0) -> int {
  _2 a: *rec0
  _3 b: *rec0
  _4: int
  _5: int
  bb0: _2 = call @make(1) -> bb1
  bb1: _3 = load _0.first; _4 = load _1->key; _3->key = 7; _5 = load _1->key; _5 = ne _4, _5; branch _5 ? bb2 : bb2
  bb2: _4 = load _2->key; _5 = ne _4, 1; branch _5 ? bb3 : bb3
  bb3: return 0
}"#;
    refused(text, &[1]);
    accepted(text, &[2]);
}
