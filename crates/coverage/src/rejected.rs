//! Goals that no accepted execution covers.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{CodeIndex, Program};

use crate::goals::{GoalId, Goals};

/// The goals whose executions all enter rejecting blocks afterwards.
pub fn rejected_goals(
    program: &Program,
    index: &CodeIndex,
    goals: &Goals,
    rejecting: &FixedBitSet,
) -> Vec<GoalId> {
    let mut is_accepted: IndexVec<GoalId, Option<bool>> =
        IndexVec::from_vec(vec![None; goals.len()]);
    for (id, function) in program.functions.iter_enumerated() {
        let blocks = function
            .body
            .iter()
            .flat_map(|body| body.blocks.iter_enumerated());
        for (block, data) in blocks {
            let here = index.block(id, block);
            let edges = data.terminator.successors().into_iter().enumerate();
            let decided = edges.filter(|_| data.terminator.decides());
            let by_edge = decided.map(|(edge, next)| {
                (
                    goals.on_edge(index.edge(id, block, edge)),
                    index.block(id, next),
                )
            });
            for (covered, next) in by_edge.chain([(goals.on_block(here), here)]) {
                for &goal in covered {
                    let is_accepted = is_accepted[goal].get_or_insert(false);
                    *is_accepted |= !rejecting.contains(next.index());
                }
            }
        }
    }
    let found = is_accepted.into_iter_enumerated();
    let rejected = found.filter(|&(_, is_accepted)| is_accepted == Some(false));
    rejected.map(|(goal, _)| goal).collect()
}
