//! Proofs about nodes of the heap by formulas: what they may name, and what breaks them.

mod support;

use ir::certificate::{Allocation, PlaceProof, Quantity};
use support::{bare, check_at, checked, edge, formula, local, point, program};

/// A list of nodes that all hold 7, but for what `change` does with the first one; it may go on in
/// another block.
fn list(change: &str) -> String {
    let (change, more) = change.split_once(" // ").unwrap_or((change, "return 0"));
    format!(
        r#"
file0 "x.c"
unit0 user "x.c"
unit1 model "stdlib.c"
rec0 struct "struct node" {{ key: int, other: int, next: *rec0 }}
fn malloc(n: ulong) -> *void in unit1 {{ bb0: return null }}
fn free(p: *void) -> void in unit1 {{ bb0: return }}
fn input() -> int
fn keep(p: *rec0)
fn f() -> int {{
  _0 list: *rec0
  _1 node: *rec0
  _2 memory: *void
  _3: int
  _4: int
  at0 file0:1:1-1:2
  at1 file0:3:1-3:2
  bb0: _0 = null; goto bb1
  bb1: _3 = call @input() -> bb2
  bb2: branch _3 ? bb3 : bb6
  bb3: _2 = call @malloc(16:ulong) -> bb4
  bb4: branch _2 ? bb5 : bb10
  bb5: _1 = pointer_to_pointer _2; _1->key = 7; _1->next = _0; _0 = _1; {change}
  bb6: _1 = _0; goto bb7
  bb7: branch _1 ? bb8 : bb10
  bb8: _3 = load _1->key at1; _4 = ne _3, 7; branch _4 ? bb9 : bb9
  bb9: _1 = load _1->next; goto bb7
  bb10: return 0
  bb11: {more}
}}"#
    )
}

fn allocation(block: u32) -> Allocation {
    Allocation {
        stack: Vec::new(),
        function: "f".to_owned(),
        block,
    }
}

/// A member of the nodes that the call at the end of a block allocates.
fn member(block: u32, offset: u64) -> Quantity {
    Quantity::Member {
        allocation: allocation(block),
        offset,
        second: false,
    }
}

fn allocated(block: u32) -> Quantity {
    Quantity::Allocated {
        allocation: allocation(block),
        second: false,
    }
}

/// That all nodes that are allocated hold 7, by a member and the call that allocates them.
fn proof(text: &str, member: Quantity, block: u32) -> PlaceProof {
    let (_, entry) = program(text);
    let holds = "(or (= live (_ bv0 1)) (= key (_ bv7 32)))";
    let variables = [("live", 1, allocated(block)), ("key", 32, member)];
    let all = formula(holds, &variables);
    let mut proof = bare(edge(entry, 8, 0));
    proof.points = vec![point(1, vec![all.clone()]), point(7, vec![all])];
    let mut check = check_at("use-after-free", 3, 1);
    check.function = entry.raw();
    proof.checks = vec![check];
    proof
}

/// The same quantity of the node at the second index.
fn at_second(quantity: Quantity) -> Quantity {
    match quantity {
        Quantity::Member {
            allocation, offset, ..
        } => Quantity::Member {
            allocation,
            offset,
            second: true,
        },
        Quantity::Allocated { allocation, .. } => Quantity::Allocated {
            allocation,
            second: true,
        },
        other => other,
    }
}

fn reason(text: &str, proof: &PlaceProof) -> String {
    let (program, entry) = program(text);
    match checked(&program, entry, proof) {
        Ok(_) => "accepted".to_owned(),
        Err(refusal) => refusal.why,
    }
}

#[test]
fn what_holds_of_all_nodes_is_shown() {
    let text = list("goto bb1");
    assert_eq!(reason(&text, &proof(&text, member(3, 0), 3)), "accepted");
}

#[test]
fn what_some_nodes_break_is_refused() {
    for change in [
        "_1->key = 8; goto bb1",
        "_1->other = 8; _0->key = 9; goto bb1",
        "_1 = load _0->next; _0 = _1; branch _1 ? bb11 : bb1 // _1->key = 8; goto bb1",
    ] {
        let text = list(change);
        let why = reason(&text, &proof(&text, member(3, 0), 3));
        assert_eq!(why, "consecution of formula 1 fails", "{change}");
    }
    let text = list("_1->other = 8; goto bb1");
    assert_eq!(reason(&text, &proof(&text, member(3, 0), 3)), "accepted");
}

#[test]
fn an_access_to_no_node_is_a_check_that_proofs_name() {
    let text = list("goto bb1");
    let mut proof = proof(&text, member(3, 0), 3);
    proof.checks.clear();
    assert_eq!(reason(&text, &proof), "exclusion fails");
}

#[test]
fn nodes_that_are_freed_hold_what_new_ones_do() {
    let text = list("_2 = pointer_to_pointer _0; _0 = load _0->next; call @free(_2) -> bb1");
    assert_eq!(reason(&text, &proof(&text, member(3, 0), 3)), "accepted");
}

#[test]
fn nodes_that_others_know_have_no_name() {
    let text = list("call @keep(_1) -> bb1");
    let why = reason(&text, &proof(&text, member(3, 0), 3));
    assert!(why.starts_with("needs nodes of the heap"), "{why}");
}

#[test]
fn members_are_named_as_code_accesses_them() {
    let text = list("goto bb1");
    for offset in [2, 4, 12, 1 << 40, u64::MAX] {
        let why = reason(&text, &proof(&text, member(3, offset), 3));
        assert!(why.starts_with("needs what a part of nodes"), "{why}");
    }
    let bytes = list("_1->other = 1; goto bb1");
    let why = reason(&bytes, &proof(&bytes, member(3, 4), 3));
    assert_ne!(why, "accepted");
}

#[test]
fn only_calls_that_allocate_name_nodes() {
    let text = list("goto bb1");
    for block in [0, 1, 4, 10] {
        let why = reason(&text, &proof(&text, member(block, 0), 3));
        assert!(why.starts_with("needs nodes of the heap"), "{why}");
    }
    let why = reason(&text, &proof(&text, member(99, 0), 3));
    assert!(why.starts_with("no calls lead to its allocation"), "{why}");
}

#[test]
fn no_node_is_allocated_at_first_and_some_are_then() {
    let text = list("goto bb1");
    let none = formula("(= live (_ bv0 1))", &[("live", 1, allocated(3))]);
    let mut proof = proof(&text, member(3, 0), 3);
    proof.points[0].formulas = vec![none];
    assert_eq!(reason(&text, &proof), "consecution of formula 1 fails");
    let wide = formula("(= live (_ bv0 8))", &[("live", 8, allocated(3))]);
    proof.points[0].formulas = vec![wide];
    assert_eq!(reason(&text, &proof), "a bit has another width");
}

#[test]
fn a_pointer_leads_to_the_node_at_its_address() {
    let text = list("goto bb1");
    let (_, entry) = program(&text);
    let first = formula(
        "(or (not (= k list)) (or (= list (_ bv0 64)) (= live (_ bv1 1))))",
        &[
            ("k", 64, Quantity::Index),
            ("list", 64, local(0)),
            ("live", 1, allocated(3)),
        ],
    );
    let mut proof = bare(edge(entry, 7, 0));
    proof.points = vec![point(1, vec![first.clone()]), point(7, vec![])];
    assert_eq!(reason(&text, &proof), "exclusion fails");
    let freed = list("_2 = pointer_to_pointer _0; call @free(_2) -> bb1");
    assert_eq!(reason(&freed, &proof), "consecution of formula 1 fails");
}

#[test]
fn formulas_may_be_about_two_nodes() {
    let text = list("goto bb1");
    let of_two = |claim: &str| {
        let free = "(or (= live (_ bv0 1)) (= other (_ bv0 1)))";
        let variables = [
            ("k", 64, Quantity::Index),
            ("l", 64, Quantity::SecondIndex),
            ("live", 1, allocated(3)),
            ("other", 1, at_second(allocated(3))),
            ("key", 32, member(3, 0)),
            ("key2", 32, at_second(member(3, 0))),
            ("next", 64, member(3, 8)),
            ("next2", 64, at_second(member(3, 8))),
        ];
        let two = formula(&format!("(or {free} (or (= k l) {claim}))"), &variables);
        let mut proof = proof(&text, member(3, 0), 3);
        for point in &mut proof.points {
            point.formulas.push(two.clone());
        }
        reason(&text, &proof)
    };
    assert_eq!(of_two("(= key key2)"), "accepted");
    let fails = "consecution of formula 2 fails";
    assert_eq!(of_two("(not (= key key2))"), fails);
    // That needs that no node leads to the first one.
    assert_eq!(
        of_two("(or (= next (_ bv0 64)) (not (= next next2)))"),
        fails
    );
}
