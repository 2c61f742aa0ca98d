//! What breaks the rules of the checker's memory about arrays that are parts of objects, and about
//! records that are elements of arrays. Beside each, where the rule holds.

mod support;

use support::{is_accepted, is_refused};

#[test]
fn a_pointer_moves_within_an_array_that_is_a_part() {
    let text = r#"
rec0 struct "struct s" { before: int, cells: [20 x int], behind: int }
fn f() -> int {
  _0 s: rec0 taken
  _1 p: *int
  _2: int
  _3: int
  bb0: _0.before = 1; _0.behind = 2; _1 = addr _0.cells[0]; _1 = ptr_add _1, 3 x 4; *_1 = 7; _2 = load _0.cells[3]; _3 = ne _2, 7; branch _3 ? bb1 : bb1
  bb1: _2 = load _0.before; _3 = ne _2, 1; branch _3 ? bb2 : bb2
  bb2: _3 = eq _2, 1; branch _3 ? bb3 : bb3
  bb3: return 0
}"#;
    is_accepted(text, 0);
    is_accepted(text, 1);
    is_refused(text, 2);
}

/// A pointer that is moved by any number: the goals are that what lies beside the array changed.
fn moved(length: u32) -> String {
    format!(
        r#"
rec0 struct "struct s" {{ before: int, cells: [{length} x int], behind: int }}
fn f(i: uint) -> int {{
  _1 s: rec0 taken
  _2 p: *int
  _3: int
  _4: int
  bb0: _1.before = 1; _1.behind = 2; _2 = addr _1.cells[0]; _2 = ptr_add _2, _0 x 4; _4 = lt _0, {length}; branch _4 ? bb1 : bb4
  bb1: *_2 = 7; _3 = load _1.behind; _4 = ne _3, 2; branch _4 ? bb2 : bb2
  bb2: _3 = load *_2; _4 = ne _3, 7; branch _4 ? bb3 : bb3
  bb3: return 0
  bb4: _3 = load *_2; _4 = eq _3, 2; branch _4 ? bb5 : bb5
  bb5: *_2 = 7; _3 = load _1.behind; _4 = eq _3, 7; branch _4 ? bb6 : bb6
  bb6: _3 = load *_2; _4 = ne _3, 7; branch _4 ? bb3 : bb3
}}"#
    )
}

#[test]
fn a_pointer_may_leave_an_array_that_is_a_part() {
    for length in [4, 100] {
        let text = moved(length);
        is_accepted(&text, 1);
        is_accepted(&text, 2);
        is_refused(&text, 4);
        is_refused(&text, 5);
    }
}

#[test]
fn an_array_of_arrays_has_rows_and_cells() {
    let text = r#"
fn f(i: uint, j: uint) -> int {
  _2 a: [10 x [12 x int]] taken
  _3 p: *int
  _4: int
  _5: int
  bb0: _5 = lt _0, 12; branch _5 ? bb1 : bb6
  bb1: _3 = addr _2[3][0]; _3 = ptr_add _3, _0 x 4; _2[3][5] = 1; _2[4][5] = 2; *_3 = 7; _4 = load _2[3][5]; _5 = eq _4, 7; branch _5 ? bb2 : bb2
  bb2: _4 = load _2[4][5]; _5 = ne _4, 2; branch _5 ? bb3 : bb3
  bb3: _4 = load _2[3][5]; _5 = eq _4, 4; branch _5 ? bb4 : bb4
  bb4: _5 = eq _0, 5; branch _5 ? bb6 : bb5
  bb5: _4 = load _2[3][5]; _5 = ne _4, 1; branch _5 ? bb6 : bb6
  bb6: return 0
}"#;
    is_refused(text, 1);
    is_accepted(text, 2);
    is_accepted(text, 3);
    is_accepted(text, 5);
}

#[test]
fn pointers_into_two_arrays_of_an_object_are_told_apart_or_lead_anywhere() {
    let text = r#"
rec0 struct "struct s" { one: [20 x int], two: [20 x int] }
fn f(c: int, i: uint) -> int {
  _2 s: rec0 taken
  _3 p: *int
  _4 q: *int
  _5: int
  _6: int
  bb0: _2.one[4] = 1; _2.two[4] = 2; _3 = addr _2.one[4]; _4 = addr _2.one[0]; _4 = ptr_add _4, 4 x 4; branch _0 ? bb1 : bb2
  bb1: _3 = addr _2.two[4]; goto bb2
  bb2: _3 = ptr_add _3, 0 x 4; *_3 = 7; _5 = load _2.one[4]; _6 = eq _5, 7; branch _6 ? bb3 : bb3
  bb3: _5 = load _2.two[4]; _6 = eq _5, 7; branch _6 ? bb4 : bb4
  bb4: *_4 = 8; _5 = load _2.one[4]; _6 = ne _5, 8; branch _6 ? bb5 : bb5
  bb5: return 0
}"#;
    is_refused(text, 2);
    is_refused(text, 3);
    is_accepted(text, 4);
}

/// A record is copied to an element, and an element to a record.
fn copied(length: u32) -> String {
    format!(
        r#"
rec0 struct "struct s" {{ one: int, two: int }}
fn f(i: uint, j: uint) -> int {{
  _2 a: [{length} x rec0]
  _3 r: rec0
  _4: int
  _5: int
  bb0: _5 = lt _0, {length}; branch _5 ? bb1 : bb9
  bb1: _5 = lt _1, {length}; branch _5 ? bb2 : bb9
  bb2: _2[_1].one = 5; _3.one = 1; _3.two = 2; _2[_0] = _3; _4 = load _2[_0].two; _5 = ne _4, 2; branch _5 ? bb3 : bb3
  bb3: _4 = load _2[_1].one; _5 = eq _4, 1; branch _5 ? bb4 : bb4
  bb4: _3.two = 9; _4 = load _2[_0].two; _5 = eq _4, 9; branch _5 ? bb5 : bb5
  bb5: _3 = load _2[_1]; _2[_1].one = 6; _4 = load _3.one; _5 = eq _4, 6; branch _5 ? bb6 : bb6
  bb6: _5 = eq _4, 5; branch _5 ? bb7 : bb7
  bb7: _2[_1] = zero; _4 = load _2[_0].two; _5 = eq _4, 0; branch _5 ? bb8 : bb8
  bb8: _4 = load _2[_1].two; _5 = ne _4, 0; branch _5 ? bb9 : bb9
  bb9: return 0
}}"#
    )
}

#[test]
fn records_are_copied_to_elements_and_from_them() {
    for length in [4, 100] {
        let text = copied(length);
        is_accepted(&text, 2);
        is_refused(&text, 3);
        is_accepted(&text, 4);
        is_accepted(&text, 5);
        is_refused(&text, 6);
        is_refused(&text, 7);
        is_accepted(&text, 8);
    }
}

#[test]
fn a_copied_element_lies_in_its_array_alone() {
    let text = r#"
rec0 struct "struct s" { one: int, two: int }
rec1 struct "struct t" { first: rec0, elements: [100 x rec0], last: rec0 }
fn f(i: uint) -> int {
  _1 t: rec1 taken
  _2 r: rec0
  _3 p: *rec0
  _4: int
  _5: int
  bb0: _2 = zero; _1.last.one = 3; _1.elements[7].one = 4; _3 = addr _1.elements[0]; _3 = ptr_add _3, _0 x 8; *_3 = _2; _4 = load _1.last.one; _5 = eq _4, 0; branch _5 ? bb1 : bb1
  bb1: _5 = lt _0, 100; branch _5 ? bb2 : bb5
  bb2: _5 = ne _4, 3; branch _5 ? bb3 : bb3
  bb3: _4 = load _1.elements[7].one; _5 = eq _4, 0; branch _5 ? bb4 : bb4
  bb4: _5 = eq _4, 5; branch _5 ? bb5 : bb5
  bb5: return 0
}"#;
    is_refused(text, 0);
    is_accepted(text, 2);
    is_refused(text, 3);
    is_accepted(text, 4);
}

#[test]
fn a_copied_array_holds_the_elements_of_the_other() {
    let text = r#"
rec0 struct "struct s" { before: int, cells: [100 x int] }
fn f(i: uint, j: uint) -> int {
  _2 a: rec0
  _3 b: [3 x rec0]
  _4: int
  _5: int
  bb0: _5 = lt _0, 100; branch _5 ? bb1 : bb6
  bb1: _5 = lt _1, 3; branch _5 ? bb2 : bb6
  bb2: _2.cells[_0] = 5; _3[1] = _2; _4 = load _3[1].cells[_0]; _5 = ne _4, 5; branch _5 ? bb3 : bb3
  bb3: _2.cells[_0] = 6; _4 = load _3[1].cells[_0]; _5 = eq _4, 6; branch _5 ? bb4 : bb4
  bb4: _3[_1] = _2; _4 = load _3[1].cells[_0]; _5 = eq _4, 6; branch _5 ? bb5 : bb5
  bb5: _4 = load _3[1].cells[3]; _5 = eq _4, 9; branch _5 ? bb6 : bb6
  bb6: return 0
}"#;
    is_accepted(text, 2);
    is_accepted(text, 3);
    is_refused(text, 4);
    is_refused(text, 5);
}
