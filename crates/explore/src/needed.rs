//! Which flips can still lead to an open goal: one that no execution covered which ended well.
//!
//! A way that, by the control-flow graph, leads to no open goal need not be taken: dropping it
//! loses nothing that anybody asked for. Under `all-paths` every way is needed.

use coverage::{GoalId, Goals, Reach};
use fixedbitset::FixedBitSet;
use ir::{CodeBlock, CodeEdge, CodeIndex, Program};
use vm::{ConstraintKind, Site};

use crate::collect::Collector;
use crate::path_tree::{Flip, PathTree};

/// The blocks from which some open goal can be reached.
#[derive(Debug)]
pub(crate) struct Needed {
    blocks: FixedBitSet,
    /// How many goals were settled when `blocks` was computed.
    settled: Option<usize>,
}

impl Needed {
    pub fn new() -> Self {
        Needed {
            blocks: FixedBitSet::new(),
            settled: None,
        }
    }

    /// Whether the flip's way may lead to an open goal.
    pub fn is_needed(
        &mut self,
        flip: Flip,
        tree: &PathTree,
        code: &Code<'_>,
        collector: &Collector,
    ) -> bool {
        if code.goals.all_paths() {
            return true;
        }
        if self.settled != Some(collector.settled()) {
            self.blocks = code.reach.can_reach(open_goals(code, collector));
            self.settled = Some(collector.settled());
        }
        let node = tree.node(flip.node);
        match node.kind {
            ConstraintKind::Branch => self.way(node.site, tree.way(flip).number, code, collector),
            _ => self.blocks.contains(
                code.index
                    .block(node.site.function, node.site.block)
                    .index(),
            ),
        }
    }

    /// Whether the flip's way itself covers an open goal.
    pub fn covers(flip: Flip, tree: &PathTree, code: &Code<'_>, collector: &Collector) -> bool {
        let node = tree.node(flip.node);
        node.kind == ConstraintKind::Branch
            && edge(node.site, tree.way(flip).number, code)
                .is_some_and(|(edge, _)| is_open(code.goals.on_edge(edge), collector))
    }

    /// Whether a way out of a branch or switch covers an open goal or leads on to one.
    fn way(&self, site: Site, number: u32, code: &Code<'_>, collector: &Collector) -> bool {
        edge(site, number, code).is_none_or(|(edge, target)| {
            is_open(code.goals.on_edge(edge), collector) || self.blocks.contains(target.index())
        })
    }
}

fn is_open(goals: &[GoalId], collector: &Collector) -> bool {
    goals.iter().any(|&goal| !collector.settles(goal))
}

/// The edge that a way out of a branch or switch takes, and the block where it leads.
fn edge(site: Site, number: u32, code: &Code<'_>) -> Option<(CodeEdge, CodeBlock)> {
    let body = code.program.functions[site.function].body.as_ref()?;
    let terminator = &body.blocks.get(site.block)?.terminator;
    let successor = match terminator {
        // Way 1 of a branch is `then`, its first successor.
        ir::Terminator::Branch { .. } => 1 - number.min(1) as usize,
        _ => number as usize,
    };
    let target = *terminator.successors().get(successor)?;
    terminator.decides().then(|| {
        let edge = code.index.edge(site.function, site.block, successor);
        (edge, code.index.block(site.function, target))
    })
}

/// The code and what is to be covered in it.
pub(crate) struct Code<'a> {
    pub program: &'a Program,
    pub index: &'a CodeIndex,
    pub goals: &'a Goals,
    pub reach: &'a Reach,
}

/// The blocks that hold open goals, on themselves or on their edges.
fn open_goals(code: &Code<'_>, collector: &Collector) -> Vec<CodeBlock> {
    let is_open = |goals: &[GoalId]| is_open(goals, collector);
    let mut open = Vec::new();
    for (function, data) in code.program.functions.iter_enumerated() {
        for (block, data) in data
            .body
            .iter()
            .flat_map(|body| body.blocks.iter_enumerated())
        {
            let place = code.index.block(function, block);
            let ways = if data.terminator.decides() {
                data.terminator.successors().len()
            } else {
                0
            };
            let on_edges = (0..ways)
                .any(|way| is_open(code.goals.on_edge(code.index.edge(function, block, way))));
            if on_edges || is_open(code.goals.on_block(place)) {
                open.push(place);
            }
        }
    }
    open
}
