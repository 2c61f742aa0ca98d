//! The blocks and edges that an execution visited.

use fixedbitset::FixedBitSet;

use crate::{CodeBlock, CodeEdge, CodeIndex};

/// The blocks and edges that an execution visited, in the numbering of [`CodeIndex`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Blocks whose terminator was reached: all their statements ran.
    pub blocks: FixedBitSet,
    /// Edges of branches and switches that were taken.
    pub edges: FixedBitSet,
}

impl Trace {
    /// A trace that visited nothing.
    pub fn new(index: &CodeIndex) -> Self {
        Trace {
            blocks: FixedBitSet::with_capacity(index.blocks()),
            edges: FixedBitSet::with_capacity(index.edges()),
        }
    }

    /// Nothing was visited.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.edges.clear();
    }

    /// Whether the block's terminator was reached.
    pub fn block(&self, block: CodeBlock) -> bool {
        self.blocks.contains(block.index())
    }

    /// Whether the edge was taken.
    pub fn edge(&self, edge: CodeEdge) -> bool {
        self.edges.contains(edge.index())
    }
}
