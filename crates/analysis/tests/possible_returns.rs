//! What functions can still return from their blocks on.

use analysis::{PossibleReturns, Values};
use ir::{Block, CodeBlock, CodeIndex, FunctionId, Program};

/// `token` returns 1 or 2, or what `number` does: 3 or 4; `any` what it was given; `merged` 5 or 6
/// by a local, and `again` 0 or what it returned itself.
const PROGRAM: &str = "
fn token(a: int) -> int {
  _1: int
  bb0: branch _0 ? bb1 : bb4
  bb1: branch _0 ? bb2 : bb3
  bb2: return 1
  bb3: return 2
  bb4: _1 = call @number(_0) -> bb5
  bb5: return _1
}
fn number(a: int) -> int {
  bb0: branch _0 ? bb1 : bb2
  bb1: return 3
  bb2: return 4
}
fn any(a: int) -> int {
  bb0: branch _0 ? bb1 : bb2
  bb1: return _0
  bb2: return 7
}
fn merged(a: int) -> int {
  _1: int
  bb0: branch _0 ? bb1 : bb2
  bb1:
    _1 = 5
    goto bb3
  bb2:
    _1 = 6
    goto bb3
  bb3: return _1
}
fn again(a: int) -> int {
  _1: int
  bb0: branch _0 ? bb1 : bb2
  bb1: return 0
  bb2: _1 = call @again(_0) -> bb3
  bb3: return _1
}
";

fn returned() -> (PossibleReturns, impl Fn(u32, u32) -> CodeBlock) {
    let program: Program = ir::text::parse(PROGRAM).expect("a program");
    let index = CodeIndex::new(&program);
    let returned = PossibleReturns::new(&program, &index);
    let block =
        move |function, block| index.block(FunctionId::from_raw(function), Block::from_raw(block));
    (returned, block)
}

fn of<const N: usize>(values: [u128; N]) -> Values {
    Values::Of(values.into())
}

#[test]
fn constants_are_known_behind_the_branches_that_lead_to_them() {
    let (returned, block) = returned();
    assert_eq!(returned.from(block(0, 0), None), of([1, 2, 3, 4]));
    assert_eq!(returned.from(block(0, 1), None), of([1, 2]));
    assert_eq!(returned.from(block(0, 4), None), of([3, 4]));
    assert_eq!(returned.from(block(3, 0), None), of([5, 6]));
    assert_eq!(returned.from(block(3, 2), None), of([6]));
}

#[test]
fn where_a_call_comes_back_its_result_is_what_is_left_of_it() {
    let (returned, block) = returned();
    let left = returned.from(block(1, 2), None);
    assert_eq!(left, of([4]));
    let unfinished = Some((block(0, 4), &left));
    assert_eq!(returned.from(block(0, 5), unfinished), of([4]));
}

#[test]
fn what_is_not_followed_may_be_anything() {
    let (returned, block) = returned();
    assert_eq!(returned.from(block(2, 0), None), Values::Any);
    assert_eq!(returned.from(block(2, 2), None), of([7]));
    assert_eq!(returned.from(block(4, 0), None), Values::Any);
    assert_eq!(returned.from(block(4, 1), None), of([0]));
}

#[test]
fn a_function_that_returns_very_many_values_may_return_any() {
    let count = 2_000;
    let mut text = String::from("fn many(a: int) -> int {\n");
    // The edge that leads on from each branch has a lower number than the branch, as that of a
    // `switch` has.
    for number in 0..count {
        let (back, on) = (2 * number + 1, 2 * number + 2);
        text.push_str(&format!(
            "  bb{}: branch _0 ? bb{back} : bb{on}\n",
            2 * number
        ));
        text.push_str(&format!("  bb{back}: return {number}\n"));
    }
    text.push_str(&format!("  bb{}: return {count}\n}}\n", 2 * count));
    let program: Program = ir::text::parse(&text).expect("a program");
    let index = CodeIndex::new(&program);
    let returned = PossibleReturns::new(&program, &index);
    let block = |block| index.block(FunctionId::from_raw(0), Block::from_raw(block));
    assert_eq!(returned.from(block(0), None), Values::Any);
    assert_eq!(
        returned.from(block(2 * count - 2), None),
        of([u128::from(count) - 1, u128::from(count)])
    );
}
