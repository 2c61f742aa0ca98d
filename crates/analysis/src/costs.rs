//! Which functions have so many paths of their own that their calls are worth replacing.
//!
//! A function is dear if it can loop or recur, or if it has many branches, those of what it calls
//! included: then its paths are many, and so are those of whoever calls it twice.

use std::collections::BTreeSet;

use ir::{Body, ControlFlow, FunctionId, Program};

use crate::reach::Reach;

/// From how many branches on a function without loops is dear.
const MANY_BRANCHES: usize = 8;

/// Among the functions outside the unit the dear ones that it calls itself; and of those that these call
/// in turn, the ones that call dear ones again, so that their paths multiply. The others are executed
/// with their callers: what they do there is seldom of so little consequence that it pays to put it off.
pub fn dear(
    program: &Program,
    reach: &Reach,
    unit: &BTreeSet<FunctionId>,
    reached: &[FunctionId],
) -> Vec<FunctionId> {
    let outside = reached.iter().copied();
    let outside = outside.filter(|function| !unit.contains(function));
    let dear: Vec<FunctionId> = outside
        .filter(|&function| is_dear(program, reach, function))
        .collect();
    let calls_dear = |caller: FunctionId| {
        let mut others = dear.iter().filter(|&&function| function != caller);
        others.any(|&function| reach.callers(function).any(|by| by == caller))
    };
    let is_called = |function: FunctionId| {
        let mut callers = reach.callers(function);
        callers.any(|caller| unit.contains(&caller))
    };
    let worth = dear.iter().copied();
    worth
        .filter(|&function| is_called(function) || calls_dear(function))
        .collect()
}

fn is_dear(program: &Program, reach: &Reach, function: FunctionId) -> bool {
    let inside = reach.functions_from(function);
    let bodies = inside
        .iter()
        .filter_map(|&id| program.functions[id].body.as_ref());
    let mut branches = 0;
    for body in bodies {
        branches += body
            .blocks
            .iter()
            .filter(|block| block.terminator.decides())
            .count();
        if loops(body) {
            return true;
        }
    }
    branches >= MANY_BRANCHES || reach.calls_itself(function)
}

/// Whether control can come back to a branch.
fn loops(body: &Body) -> bool {
    let in_loops = ControlFlow::new(body).on_cycles();
    let mut blocks = body.blocks.iter_enumerated();
    blocks.any(|(block, data)| data.terminator.decides() && in_loops.contains(block.index()))
}
