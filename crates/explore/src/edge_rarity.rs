//! How rarely executions take the edges out of branches.
//!
//! An edge that few executions take is hard to reach: its condition depends on values that the path
//! before it determines. So its cost is its information content: the binary logarithm of how many
//! executions reach the branch for each one that takes the edge.

use index_vec::{IndexVec, index_vec};
use ir::{CodeBlock, CodeEdge, CodeIndex, Trace};

/// How many executions took each edge, and how many reached each block.
#[derive(Clone, Debug)]
pub(crate) struct EdgeRarity {
    begins: IndexVec<CodeEdge, CodeBlock>,
    came: IndexVec<CodeBlock, u32>,
    taken: IndexVec<CodeEdge, u32>,
}

/// The cost of an edge that every execution takes.
const USUAL: u32 = 1;

/// The further cost of an edge for each time that it is half as frequent.
const RARITY: u32 = 2;

impl EdgeRarity {
    /// Nothing was executed so far.
    pub fn new(index: &CodeIndex) -> Self {
        EdgeRarity {
            begins: index.begins().collect(),
            came: index_vec![0; index.blocks()],
            taken: index_vec![0; index.edges()],
        }
    }

    /// Records an execution.
    pub fn add(&mut self, trace: &Trace) {
        for block in trace.blocks.ones() {
            self.came[block] += 1;
        }
        for edge in trace.edges.ones() {
            self.taken[edge] += 1;
        }
    }

    /// The cost of the edge.
    pub fn cost(&self, edge: CodeEdge) -> u32 {
        let came = self.came[self.begins[edge]] + 1;
        USUAL + RARITY * (came / (self.taken[edge] + 1)).max(1).ilog2()
    }
}

#[cfg(test)]
mod tests {
    use ir::{Block, CodeIndex, FunctionId, Program, Trace};

    use super::{EdgeRarity, RARITY, USUAL};

    #[test]
    fn a_rare_edge_costs_more_each_time_that_it_is_half_as_usual() {
        let text = "fn f(a: int) {\n bb0: branch _0 ? bb1 : bb2\n bb1: return\n bb2: return\n }";
        let program: Program = ir::text::parse(text).expect("a program");
        let index = CodeIndex::new(&program);
        let (function, block) = (FunctionId::from_raw(0), Block::from_raw(0));
        let taken = index.edge(function, block, 0);
        let other = index.edge(function, block, 1);
        let mut edge_rarity = EdgeRarity::new(&index);
        assert_eq!(
            (edge_rarity.cost(taken), edge_rarity.cost(other)),
            (USUAL, USUAL)
        );
        let mut trace = Trace::new(&index);
        trace.blocks.insert(index.block(function, block).index());
        trace.edges.insert(taken.index());
        let costs = (1..8).map(|_| {
            edge_rarity.add(&trace);
            (edge_rarity.cost(taken), edge_rarity.cost(other))
        });
        let rare: Vec<u32> = costs
            .inspect(|(usual, _)| assert_eq!(*usual, USUAL))
            .map(|(_, rare)| (rare - USUAL) / RARITY)
            .collect();
        assert_eq!(rare, [1, 1, 2, 2, 2, 2, 3]);
    }
}
