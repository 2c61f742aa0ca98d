//! The places of the code that goals are about.

use coverage::{GoalId, Goals};
use ir::certificate::CodePlace;
use ir::{CodeIndex, Program};

/// The edges and blocks that cover a goal.
pub fn goal_places(
    program: &Program,
    index: &CodeIndex,
    goals: &Goals,
    goal: GoalId,
) -> Vec<CodePlace> {
    let function = goals.goal(goal).function;
    let Some(body) = &program.functions[function].body else {
        return Vec::new();
    };
    let mut places = Vec::new();
    for &block in goals.covering(goal) {
        let place = CodePlace {
            function: function.raw(),
            block: block.raw(),
            successor: None,
        };
        let number = index.block(function, block);
        if goals.on_block(number).contains(&goal) {
            places.push(place);
        }
        let terminator = &body.blocks[block].terminator;
        let edges = match terminator.decides() {
            true => terminator.successor_count(),
            false => 0,
        };
        for nth in 0..edges {
            let edge = index.edge(function, block, nth);
            if goals.on_edge(edge).contains(&goal) {
                places.push(CodePlace {
                    successor: Some(nth as u32),
                    ..place
                });
            }
        }
    }
    places
}
