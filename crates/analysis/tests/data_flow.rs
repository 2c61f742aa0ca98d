//! The solver of data-flow problems, on two of the usual ones.

use std::collections::BTreeSet;

use analysis::data_flow::{Direction, Problem, solve};
use ir::{
    Block, Body, ControlFlow, FunctionId, Local, Operand, PlaceBase, StatementKind, Terminator,
    text,
};

/// Counts `_1` down from the parameter, and returns `_2`.
const COUNT: &str = "
fn f(a: int) -> int {
  _1: int
  _2: int
  bb0:
    _1 = _0
    goto bb1
  bb1: branch _1 ? bb2 : bb3
  bb2:
    _1 = 0
    _2 = 7
    goto bb1
  bb3: return _2
}
";

fn body() -> Body {
    let program = text::parse(COUNT).unwrap_or_else(|error| panic!("{error}"));
    program.functions[FunctionId::from_raw(0)]
        .body
        .clone()
        .expect("a body")
}

/// Locals whose values are used before they are assigned to.
struct Live<'a>(&'a Body);

impl Problem for Live<'_> {
    type Fact = BTreeSet<Local>;

    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> Self::Fact {
        BTreeSet::new()
    }

    fn join(&self, fact: &mut Self::Fact, other: &Self::Fact) {
        fact.extend(other);
    }

    fn transfer(&self, block: Block, mut fact: Self::Fact) -> Self::Fact {
        let data = &self.0.blocks[block];
        if let Terminator::Return(Some(Operand::Copy(local)))
        | Terminator::Branch {
            operand: Operand::Copy(local),
            ..
        } = &data.terminator
        {
            fact.insert(*local);
        }
        for statement in data.statements.iter().rev() {
            if let StatementKind::Assign(place, value) = &statement.kind {
                if let PlaceBase::Local(local) = place.base {
                    fact.remove(&local);
                }
                if let ir::Rvalue::Use(Operand::Copy(local)) = value {
                    fact.insert(*local);
                }
            }
        }
        fact
    }
}

/// Blocks on some path to a block, itself included.
struct Before;

impl Problem for Before {
    type Fact = BTreeSet<Block>;

    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> Self::Fact {
        BTreeSet::new()
    }

    fn join(&self, fact: &mut Self::Fact, other: &Self::Fact) {
        fact.extend(other);
    }

    fn transfer(&self, block: Block, mut fact: Self::Fact) -> Self::Fact {
        fact.insert(block);
        fact
    }
}

#[test]
fn facts_flow_backward_through_a_loop() {
    let body = body();
    let live = solve(&ControlFlow::new(&body), &Live(&body));
    let live: Vec<Vec<u32>> = live
        .iter()
        .map(|locals| locals.iter().map(|local| local.raw()).collect())
        .collect();
    assert_eq!(live, [vec![0, 2], vec![1, 2], vec![], vec![2]]);
}

#[test]
fn facts_flow_forward_through_a_loop() {
    let body = body();
    let before = solve(&ControlFlow::new(&body), &Before);
    let before: Vec<Vec<u32>> = before
        .iter()
        .map(|blocks| blocks.iter().map(|block| block.raw()).collect())
        .collect();
    let all = vec![0, 1, 2];
    assert_eq!(before, [vec![0], all.clone(), all, vec![0, 1, 2, 3]]);
}
