//! Runs of blocks: those that jump to the next, to which nothing else leads, need no jump.

use index_vec::IndexVec;
use ir::{Block, Body, Terminator};

/// The blocks of a body in runs; each block but the first of a run is reached only from the one
/// before it. Loops that nothing leads into are left out.
pub(super) fn runs(body: &Body) -> Vec<Vec<Block>> {
    let next = run_on(body);
    let mut continues: IndexVec<Block, bool> = body.blocks.iter().map(|_| false).collect();
    for &block in next.iter().flatten() {
        continues[block] = true;
    }
    let starts = body.blocks.indices().filter(|&block| !continues[block]);
    starts
        .map(|start| std::iter::successors(Some(start), |&block| next[block]).collect())
        .collect()
}

/// For each block, the block that it jumps to, if nothing else leads there.
fn run_on(body: &Body) -> IndexVec<Block, Option<Block>> {
    let mut predecessors: IndexVec<Block, u32> = body.blocks.iter().map(|_| 0).collect();
    if let Some(entry) = predecessors.first_mut() {
        *entry = 1;
    }
    for target in body
        .blocks
        .iter()
        .flat_map(|block| block.terminator.successors())
    {
        predecessors[target] += 1;
    }
    body.blocks
        .iter()
        .map(|block| match block.terminator {
            Terminator::Goto(target) if predecessors[target] == 1 => Some(target),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn blocks_with_one_way_in_are_run_into() {
        let text = "
fn f(_0 x: int) -> int {
  bb0: goto bb2
  bb1: goto bb4
  bb2: goto bb3
  bb3: branch _0 ? bb1 : bb5
  bb4: goto bb6
  bb5: goto bb6
  bb6: return 0
  bb7: goto bb8
  bb8: goto bb7
}";
        let program = ir::text::parse(text).expect("a program");
        let function = program.functions.first().expect("a function");
        let body = function.body.as_ref().expect("a body");
        let runs: Vec<Vec<u32>> = runs(body)
            .iter()
            .map(|run| run.iter().map(|block| block.raw()).collect())
            .collect();
        assert_eq!(runs, [vec![0, 2, 3], vec![1, 4], vec![5], vec![6]]);
    }
}
