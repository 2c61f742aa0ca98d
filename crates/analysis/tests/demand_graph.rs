//! Distances that know what calls return.

use analysis::{Demand, DemandGraph};
use ir::{Block, CodeBlock, CodeIndex, FunctionId, Local, Program};

/// `step` returns 0 after one branch and 1 after three; `both` needs two steps; `never` returns 0
/// only.
const PROGRAM: &str = "
fn step(a: int) -> int {
  _1: int
  bb0: branch _0 ? bb1 : bb2
  bb1:
    _1 = 0
    goto bb5
  bb2: branch _0 ? bb1 : bb3
  bb3: branch _0 ? bb1 : bb4
  bb4:
    _1 = 1
    goto bb5
  bb5: return _1
}
fn both(a: int) -> int {
  _1: int
  _2: int
  _3: int
  bb0: _1 = call @step(_0) -> bb1
  bb1:
    _2 = eq _1, 0
    branch _2 ? bb2 : bb3
  bb2: return 0
  bb3: _3 = call @step(_0) -> bb4
  bb4: return _3
}
fn never(a: int) -> int {
  bb0: branch _0 ? bb1 : bb2
  bb1: return 0
  bb2: return 0
}
fn forever(a: int) -> int {
  _1: int
  bb0: _1 = call @forever(_0) -> bb1
  bb1: return _1
}
fn entry(a: int) -> int {
  _1: int
  _2: int
  _3: int
  bb0: _1 = call @both(_0) -> bb1
  bb1:
    _2 = lt _1, 0
    branch _1 ? bb2 : bb3
  bb2: return 1
  bb3: _3 = call @never(_0) -> bb4
  bb4: branch _3 ? bb5 : bb6
  bb5: return 2
  bb6: _3 = call @forever(_0) -> bb7
  bb7: branch _3 ? bb8 : bb9
  bb8: return 3
  bb9: return 4
}
";

struct Bench {
    program: Program,
    index: CodeIndex,
    graph: DemandGraph,
}

impl Bench {
    fn new() -> Bench {
        let program: Program = ir::text::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
        let index = CodeIndex::new(&program);
        let graph = DemandGraph::new(&program, &index);
        Bench {
            program,
            index,
            graph,
        }
    }

    fn function(&self, name: &str) -> FunctionId {
        self.program.function(name).expect("it exists")
    }

    fn block(&self, function: &str, number: u32) -> CodeBlock {
        let function = self.function(function);
        self.index.block(function, Block::from_raw(number))
    }

    /// How many branches are between the starts of two blocks.
    fn distance(&self, from: (&str, u32), to: (&str, u32)) -> Option<u32> {
        let returns = self.graph.returns(|_| 1);
        let target = (self.block(to.0, to.1), None, 0, ());
        let nearest = self.graph.nearest([target], &returns, |_| 1);
        let (distance, ()) = nearest.from(self.block(from.0, from.1), None)?;
        Some(distance)
    }

    /// How many branches it is until a function returns zero, and other than zero.
    fn returns(&self, function: &str) -> [Option<u32>; 2] {
        let returns = self.graph.returns(|_| 1);
        let entry = self.block(function, 0);
        [false, true].map(|holds| {
            let (distance, ()) = returns.with(holds).from(entry, None)?;
            Some(distance)
        })
    }
}

#[test]
fn success_is_farther_than_failure() {
    let bench = Bench::new();
    assert_eq!(bench.returns("step"), [Some(1), Some(3)]);
    assert_eq!(bench.returns("never"), [Some(1), None]);
    assert_eq!(bench.returns("forever"), [None, None]);
}

#[test]
fn what_a_callee_returns_is_what_its_callees_return() {
    let bench = Bench::new();
    // Fail in the first step, a branch in it and the one behind it; or both steps, with the branch
    // between.
    assert_eq!(bench.returns("both"), [Some(2), Some(7)]);
}

#[test]
fn a_goal_behind_a_result_is_as_far_as_the_result() {
    let bench = Bench::new();
    assert_eq!(bench.distance(("entry", 0), ("entry", 2)), Some(8));
    assert_eq!(bench.distance(("entry", 0), ("entry", 3)), Some(3));
    assert_eq!(bench.distance(("entry", 1), ("entry", 2)), Some(1));
    // Inside a callee there is no path back to the goal: the caller's distance adds to that of the
    // return.
    assert_eq!(bench.distance(("step", 0), ("entry", 2)), None);
    assert_eq!(bench.distance(("both", 0), ("step", 4)), Some(3));
}

#[test]
fn what_no_result_leads_to_is_not_near() {
    let bench = Bench::new();
    assert_eq!(bench.distance(("entry", 3), ("entry", 5)), None);
    assert_eq!(bench.distance(("entry", 3), ("entry", 6)), Some(2));
    assert_eq!(bench.distance(("entry", 6), ("entry", 8)), None);
}

#[test]
fn what_is_known_of_a_local_excludes_paths() {
    let bench = Bench::new();
    let returns = bench.graph.returns(|_| 1);
    let target = (bench.block("entry", 2), None, 0, ());
    let nearest = bench.graph.nearest([target], &returns, |_| 1);
    let after = bench.block("entry", 1);
    let call = bench.block("entry", 0);
    let result = |holds| bench.graph.result(call, holds);
    let local = Local::from_raw(1);
    assert_eq!(result(true), Some(Demand { local, holds: true }));
    assert_eq!(nearest.from(after, result(true)), Some((1, ())));
    assert_eq!(nearest.from(after, result(false)), None);
}
