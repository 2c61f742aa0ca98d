//! Which functions have so many paths of their own that their calls are worth replacing.
//!
//! A function is costly if it can loop or recur, or if it has many branches, those of what it calls
//! included: then its paths are many, and so are those of a function that calls it twice.

use std::collections::BTreeSet;

use ir::{Block, ControlFlow, FunctionId, Program};

use crate::reach::Reach;

/// From how many branches on a function without loops is costly.
const MANY_BRANCHES: usize = 8;

/// The functions outside the unit whose calls are worth replacing: the costly ones that it calls
/// directly, and the costly ones that call costly ones in turn, so that their paths multiply. Other
/// functions are executed with their callers, since their results usually matter.
pub fn costly(
    program: &Program,
    reach: &Reach,
    unit: &BTreeSet<FunctionId>,
    reached: &[FunctionId],
) -> Vec<FunctionId> {
    let sizes = reach.summaries(|function| Size::own(program, function), Size::add);
    let is_costly =
        |function: FunctionId| sizes.of(function).is_large() || reach.calls_itself(function);
    let outside = reached.iter().copied();
    let costly: Vec<FunctionId> = outside
        .filter(|function| !unit.contains(function) && is_costly(*function))
        .collect();
    let callers = costly.iter().flat_map(|&function| {
        let others = reach.callers(function);
        others.filter(move |&caller| caller != function)
    });
    let call_costly: BTreeSet<FunctionId> = callers.collect();
    let is_called = |function: FunctionId| {
        let mut callers = reach.callers(function);
        callers.any(|caller| unit.contains(&caller))
    };
    let worth = costly.iter().copied();
    worth
        .filter(|function| is_called(*function) || call_costly.contains(function))
        .collect()
}

/// How much there is to decide in a function and in what it calls.
#[derive(Clone, Debug, Default)]
struct Size {
    /// Whether control can come back to a branch.
    loops: bool,
    /// The blocks that end in a branch, at most [`MANY_BRANCHES`] of them.
    branches: BTreeSet<(FunctionId, Block)>,
}

impl Size {
    /// The size of a function without what it calls.
    fn own(program: &Program, function: FunctionId) -> Size {
        let Some(body) = &program.functions[function].body else {
            return Size::default();
        };
        let in_loops = ControlFlow::new(body).on_cycles();
        let blocks = body.blocks.iter_enumerated();
        let branches = blocks.filter(|(_, data)| data.terminator.decides());
        let mut size = Size::default();
        for (block, _) in branches {
            size.loops |= in_loops.contains(block.index());
            size.branches.insert((function, block));
        }
        size.cut();
        size
    }

    fn add(&mut self, other: &Size) {
        self.loops |= other.loops;
        self.branches.extend(&other.branches);
        self.cut();
    }

    /// Keeps no more than are counted, so that the cost of all sizes is linear.
    fn cut(&mut self) {
        while self.branches.len() > MANY_BRANCHES {
            self.branches.pop_last();
        }
    }

    fn is_large(&self) -> bool {
        self.loops || self.branches.len() >= MANY_BRANCHES
    }
}
