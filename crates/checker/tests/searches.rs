//! Proofs by searches that took all paths: what they show, and what is missing if they are damaged.

#[path = "support/searched.rs"]
mod searched;
mod support;

use ir::certificate::paths::TakenPaths;
use searched::searched;

/// What the search leaves out when a path is missing.
const OPEN: &str = "an input takes a path that is not given";

/// Two conditions that do not hold at once.
const NESTED: &str = r#"
fn f(a: uint, b: uint) -> int {
  d0 if = c0
  d1 if = c1
  _2: int
  bb0: _2 = gt _0, 10; branch _2 ? bb1 : bb3 tag c0 true/false
  bb1: _2 = lt _0, 5; branch _2 ? bb2 : bb3 tag c1 true/false
  bb2: return 1
  bb3: return 0
}"#;

/// Whether the first value of an input is above a number.
fn is_above(input: &[(u32, String)], limit: u32) -> bool {
    let first = input.first().and_then(|(_, value)| value.parse().ok());
    first.is_some_and(|value: u32| value > limit)
}

#[test]
fn all_paths_are_accepted() {
    let nested = searched(NESTED, |_| ());
    let shown = nested
        .checked(&nested.paths, nested.edge(1, 0))
        .expect("it is accepted");
    assert_eq!((shown.paths, shown.sides), (2, 1));
}

#[test]
fn a_missing_path_is_refused() {
    let nested = searched(NESTED, |_| ());
    for at in 0..nested.paths.inputs.len() {
        let damaged = nested.changed(|paths| drop(paths.inputs.remove(at)));
        // Behind the other side of the first condition, control does not come to the goal.
        let left_is_behind = damaged.inputs.iter().any(|input| is_above(input, 10));
        match left_is_behind {
            true => assert!(nested.checked(&damaged, nested.edge(1, 0)).is_ok()),
            false => nested.is_refused(&damaged, nested.edge(1, 0), OPEN),
        }
    }
    let damaged = nested.changed(|paths| paths.inputs.clear());
    nested.is_refused(&damaged, nested.edge(1, 0), "there is no path");
}

#[test]
fn a_place_that_executions_reach_is_refused() {
    let nested = searched(NESTED, |_| ());
    for place in [nested.edge(0, 0), nested.edge(0, 1), nested.edge(1, 1)] {
        nested.is_refused(&nested.paths, place, "an execution reaches the goal");
    }
}

#[test]
fn paths_of_another_program_are_refused() {
    let nested = searched(NESTED, |_| ());
    let mut other = searched(NESTED, |_| ());
    let changed = NESTED.replace("lt _0, 5", "lt _0, 12");
    other.program = support::program(&changed).0;
    other.is_refused(&nested.paths, other.edge(1, 0), OPEN);
}

#[test]
fn a_value_for_no_cell_is_refused() {
    let nested = searched(NESTED, |_| ());
    let damaged = nested.changed(|paths| paths.inputs[0].push((99, "1".to_owned())));
    nested.is_refused(&damaged, nested.edge(1, 0), "no cell");
    let damaged = nested.changed(|paths| paths.cells[0] = "nothing".to_owned());
    nested.is_refused(&damaged, nested.edge(1, 0), OPEN);
}

/// The goal is behind a switch.
const SWITCH: &str = r#"
fn f(a: uint) -> int {
  d0 switch
  _1: uint
  _2: int
  bb0: _1 = and _0, 3; switch _1 d0 { 0 => bb1, 1..2 => bb1, 3 => bb1, else => bb2 }
  bb1: _2 = gt _1, 3; branch _2 ? bb2 : bb3
  bb2: return 1
  bb3: return 0
}"#;

#[test]
fn each_arm_of_a_switch_is_needed() {
    let switch = searched(SWITCH, |_| ());
    let default = switch.edge(0, 3);
    switch.is_accepted(default);
    switch.is_accepted(switch.edge(1, 0));
    assert_eq!(switch.paths.inputs.len(), 3);
    for at in 0..3 {
        let damaged = switch.changed(|paths| drop(paths.inputs.remove(at)));
        switch.is_refused(&damaged, switch.edge(1, 0), OPEN);
        assert!(
            switch.checked(&damaged, default).is_ok(),
            "no arm leads to the default"
        );
    }
}

/// The goal is behind a pointer that may be NULL, and a division that may be a defect.
const POINTER: &str = r#"
fn f(p: *uint, a: uint) -> uint {
  d0 if = c0
  _2: int
  _3: uint
  bb0: _2 = ne _0, null; branch _2 ? bb1 : bb3
  bb1: _3 = load *_0; _3 = div _1, _3; _2 = gt _3, _1; branch _2 ? bb2 : bb3
  bb2: return 1
  bb3: _2 = gt _1, 7; branch _2 ? bb4 : bb5
  bb4: _2 = lt _1, 3; branch _2 ? bb2 : bb5 tag c0 true/false
  bb5: return 0
}"#;

#[test]
fn what_pointers_can_be_is_needed_and_defects_are_not() {
    let pointer = searched(POINTER, |_| ());
    pointer.is_accepted(pointer.edge(4, 0));
    let is_null = |input: &Vec<(u32, String)>| input.iter().any(|(_, value)| value == "NULL");
    let damaged = pointer.changed(|paths| paths.inputs.retain(|input| !is_null(input)));
    pointer.is_refused(&damaged, pointer.edge(4, 0), OPEN);
    let damaged = pointer.changed(|paths| paths.inputs.retain(is_null));
    pointer.is_refused(&damaged, pointer.edge(4, 0), OPEN);
    // The divisor is the cell that the pointer leads to.
    let divides = |paths: &TakenPaths, input: &Vec<(u32, String)>| {
        let divisor = paths.cells.iter().position(|cell| cell.starts_with("*("));
        let divisor = divisor.map(|at| at as u32);
        let mut values = input.iter();
        is_null(input) || !values.any(|(cell, value)| Some(*cell) == divisor && value == "0")
    };
    let without_defect = pointer.changed(|paths| {
        let all = paths.clone();
        paths.inputs.retain(|input| divides(&all, input));
    });
    assert_eq!(without_defect.inputs.len() + 1, pointer.paths.inputs.len());
    assert!(pointer.checked(&without_defect, pointer.edge(4, 0)).is_ok());
}

/// The goal is behind an assumption.
const ASSUMPTION: &str = r#"
fn __VERIFIER_assume(c: int)
fn f(a: uint) -> int {
  d0 if = c0
  _1: int
  bb0: _1 = gt _0, 5; call @__VERIFIER_assume(_1) -> bb1
  bb1: _1 = lt _0, 3; branch _1 ? bb2 : bb3 tag c0 true/false
  bb2: return 1
  bb3: return 0
}"#;

#[test]
fn what_an_assumption_rejects_is_not_needed() {
    let assumption = searched(ASSUMPTION, |_| ());
    assumption.is_accepted(assumption.edge(1, 0));
    let is_accepted = |input: &Vec<(u32, String)>| is_above(input, 5);
    let kept = assumption.changed(|paths| paths.inputs.retain(is_accepted));
    assert!(!kept.inputs.is_empty());
    assert!(assumption.checked(&kept, assumption.edge(1, 0)).is_ok());
    let damaged = assumption.changed(|paths| paths.inputs.retain(|it| !is_accepted(it)));
    if !damaged.inputs.is_empty() {
        assumption.is_refused(&damaged, assumption.edge(1, 0), OPEN);
    }
}

/// The goal is behind a loop over an array of any length.
const ARRAY: &str = r#"
fn f(p: *uchar) -> int {
  d0 if = c0
  _1: uchar
  _2: int
  bb0: _2 = ne _0, null; branch _2 ? bb1 : bb5
  bb1: _1 = load *_0; branch _1 ? bb2 : bb3
  bb2: _0 = ptr_add _0, 1 x 1; goto bb1
  bb3: _2 = gt _1, 0; branch _2 ? bb4 : bb5 tag c0 true/false
  bb4: return 1
  bb5: return 0
}"#;

#[test]
fn a_bound_that_the_claim_does_not_name_is_refused() {
    let array = searched(ARRAY, |options| options.machine.max_array = 3);
    array.is_refused(&array.paths, array.edge(3, 0), "the bound array-extent");
    let found = array.checked_within(&array.paths, array.edge(3, 0), &["array-extent"]);
    assert!(found.is_ok(), "{found:?}");
}

#[test]
fn a_loss_before_the_goal_is_refused() {
    let mut array = searched(ARRAY, |options| options.machine.max_array = 3);
    array.options.machine.step_limit = 8;
    let found = array.checked_within(&array.paths, array.edge(3, 0), &["array-extent"]);
    assert!(found.is_err_and(|refusal| refusal.why.contains("step-limit")));
}

#[test]
fn a_goal_that_others_may_reach_needs_a_bound() {
    let nested = searched(
        r#"
fn other() -> int
fn f(a: uint) -> int {
  _1: int
  bb0: _1 = call @other() -> bb1
  bb1: _1 = gt _0, 10; branch _1 ? bb2 : bb4
  bb2: _1 = call @g(_0) -> bb3
  bb3: return _1
  bb4: return 0
}
fn g(a: uint) -> int {
  d0 if = c0
  _1: int
  bb0: _1 = lt _0, 5; branch _1 ? bb1 : bb2 tag c0 true/false
  bb1: return 1
  bb2: return 0
}"#,
        |options| options.scope = coverage::Scope::File,
    );
    let function = nested.program.function("g").expect("there is a g");
    let place = support::edge(function, 0, 0);
    nested.is_refused(&nested.paths, place, "the bound unknown-call");
    let found = nested.checked_within(&nested.paths, place, &["unknown-call"]);
    assert!(found.is_ok(), "{found:?}");
}
