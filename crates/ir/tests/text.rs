//! The text form: printing and parsing are inverse, and errors say where and what.

use ir::text::{parse, print};

const MAX: &str = "
fn max(_0 a: int, _1 b: int) -> int {
  _2: int
  d0 if = c0
  bb0:
    _2 = lt _0, _1
    branch _2 ? bb1 : bb2 tag c0 true/false
  bb1: return _1
  bb2: return _0
}
";

#[test]
fn smoke() {
    let program = parse(MAX).unwrap();
    println!("{}", print(&program));
    assert_eq!(parse(&print(&program)), Ok(program));
}
