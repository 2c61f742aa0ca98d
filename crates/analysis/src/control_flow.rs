//! The control-flow graph of a function.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{Block, Body};
use petgraph::algo::dominators::{self, Dominators};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, Walker};

/// The blocks of a function and the jumps between them; calls return.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    /// A node for each block, with the same number, and an edge for each successor.
    graph: DiGraph<(), ()>,
    successors: IndexVec<Block, Vec<Block>>,
    predecessors: IndexVec<Block, Vec<Block>>,
}

impl ControlFlow {
    /// The graph of a body.
    pub fn new(body: &Body) -> Self {
        let blocks = body.blocks.iter();
        let successors: IndexVec<Block, Vec<Block>> =
            blocks.map(|block| block.terminator.successors()).collect();
        let mut predecessors = IndexVec::from_vec(vec![Vec::new(); successors.len()]);
        let mut graph = DiGraph::new();
        for _ in &successors {
            graph.add_node(());
        }
        for (from, all) in successors.iter_enumerated() {
            for &to in all {
                predecessors[to].push(from);
                graph.add_edge(node(from), node(to), ());
            }
        }
        ControlFlow {
            graph,
            successors,
            predecessors,
        }
    }

    /// Where control goes from a block, in the order of its terminator; a block may stand there twice.
    pub fn successors(&self, block: Block) -> &[Block] {
        &self.successors[block]
    }

    /// The blocks that control comes from; one may stand there twice.
    pub fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block]
    }

    /// All blocks, each behind its successors where loops allow it. Those that the entry does not reach
    /// stand at the end.
    pub fn postorder(&self) -> Vec<Block> {
        let mut is_seen = FixedBitSet::with_capacity(self.successors.len());
        let mut order = Vec::with_capacity(self.successors.len());
        for start in self.successors.indices() {
            if is_seen.contains(start.index()) {
                continue;
            }
            let walk = DfsPostOrder::new(&self.graph, node(start));
            for found in walk.iter(&self.graph) {
                if !is_seen.put(found.index()) {
                    order.push(block(found));
                }
            }
        }
        order
    }

    /// The dominators of the blocks that the entry reaches; `None` if there is no block.
    pub fn dominators(&self) -> Option<DominatorTree> {
        let entry = NodeIndex::new(0);
        let has_entry = !self.successors.is_empty();
        has_entry.then(|| DominatorTree(dominators::simple_fast(&self.graph, entry)))
    }

    /// The blocks from which control can come back to them.
    pub fn in_loops(&self) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.successors.len());
        for component in tarjan_scc(&self.graph) {
            let is_loop = |&[only]: &[NodeIndex; 1]| self.graph.contains_edge(only, only);
            let single: Option<&[NodeIndex; 1]> = component.as_slice().try_into().ok();
            if single.is_none_or(is_loop) {
                found.extend(component.iter().map(|node| node.index()));
            }
        }
        found
    }
}

/// For each block the blocks on every way to it.
#[derive(Clone, Debug)]
pub struct DominatorTree(Dominators<NodeIndex>);

impl DominatorTree {
    /// The last block on every way from the entry to another block; `None` for the entry, and for a block
    /// that it does not reach.
    pub fn immediate(&self, of: Block) -> Option<Block> {
        self.0.immediate_dominator(node(of)).map(block)
    }

    /// Whether every way from the entry to a block is through another one, or it is that block.
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
