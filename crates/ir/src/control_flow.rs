//! The control-flow graph of a function.

use index_vec::IndexVec;
use petgraph::algo::dominators::{self, Dominators};
use petgraph::graph::NodeIndex;

use crate::graph::Graph;
use crate::{Block, Body};

/// The blocks of a function and the jumps between them, in the order of the terminators; calls
/// return.
pub type ControlFlow = Graph<Block>;

impl Graph<Block> {
    /// The graph of a body.
    pub fn new(body: &Body) -> Self {
        Graph::of(successors(body))
    }

    /// The graph of a body if each constant condition could have either value.
    pub fn unfolded(body: &Body) -> Self {
        let mut successors = successors(body);
        for fold in &body.folds {
            successors[fold.block].extend(fold.instead);
        }
        Graph::of(successors)
    }

    /// The dominators of the blocks that the entry reaches; `None` if there is no block.
    pub fn dominators(&self) -> Option<DominatorTree> {
        let entry = NodeIndex::new(0);
        let graph = self.to_petgraph();
        (!self.is_empty()).then(|| DominatorTree(dominators::simple_fast(&graph, entry)))
    }
}

fn successors(body: &Body) -> IndexVec<Block, Vec<Block>> {
    let blocks = body.blocks.iter();
    blocks.map(|block| block.terminator.successors()).collect()
}

/// For each block the blocks on every path to it.
#[derive(Clone, Debug)]
pub struct DominatorTree(Dominators<NodeIndex>);

impl DominatorTree {
    /// The last block on every path from the entry to another block; `None` for the entry, and for
    /// a block that it does not reach.
    pub fn immediate(&self, of: Block) -> Option<Block> {
        self.0.immediate_dominator(node(of)).map(block)
    }

    /// Whether every path from the entry to a block is through another one, or it is that block.
    pub fn dominates(&self, dominator: Block, of: Block) -> bool {
        let dominators = self.0.dominators(node(of));
        dominators.is_some_and(|mut all| all.any(|each| each == node(dominator)))
    }
}

fn node(block: Block) -> NodeIndex {
    NodeIndex::new(block.index())
}

fn block(node: NodeIndex) -> Block {
    Block::from_usize(node.index())
}
