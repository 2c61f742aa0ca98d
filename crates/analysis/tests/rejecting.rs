//! Blocks behind which executions are rejected.

use ir::{Block, CodeIndex, FunctionId, Program};

/// `fail` assumes what never holds; `entry` calls it on one side, assumes what may hold on the
/// other, and divides before it fails on the third.
const PROGRAM: &str = "
fn assume(?: int) -> void
fn fail() -> void {
  _0: int
  bb0:
    _0 = ne 0, 0
    call @assume(_0) -> bb1
  bb1: return
}
fn entry(a: int, b: int) -> int {
  _2: int
  bb0: branch _0 ? bb1 : bb3
  bb1: call @fail() -> bb2
  bb2: return 1
  bb3: branch _0 ? bb4 : bb5
  bb4: call @assume(_0) -> bb2
  bb5:
    _2 = div 1, _0
    goto bb1
}
";

#[test]
fn what_only_comes_to_an_assumption_that_never_holds_is_rejecting() {
    let program: Program = ir::text::parse(PROGRAM).expect("a program");
    let index = CodeIndex::new(&program);
    let is_assumption = |id: FunctionId| program.functions[id].name == "assume";
    let rejecting = analysis::rejecting(&program, &index, is_assumption);
    let of_entry = |block| {
        let block = index.block(FunctionId::from_raw(2), Block::from_raw(block));
        rejecting.contains(block.index())
    };
    let found: Vec<u32> = (0..6).filter(|&block| of_entry(block)).collect();
    // What comes before it on the other branch may be a defect.
    assert_eq!(found, [1]);
}
