//! The edges that no execution took out of blocks that some execution visited.

use fixedbitset::FixedBitSet;
use ir::{CodeEdge, CodeIndex, Program, Trace};

/// How many executions with terms, and how many queries, look for one edge.
const MOST_TRIES: u32 = 64;
const MOST_QUERIES: u32 = 256;

/// See the module.
pub(crate) struct Frontier {
    edges: Vec<Edge>,
    visited: Trace,
    /// The edges that were not taken, and that are looked for.
    open: Vec<usize>,
}

/// An edge out of a block that decides.
struct Edge {
    edge: CodeEdge,
    block: usize,
    tries: u32,
    queries: u32,
}

impl Frontier {
    /// The edges of a program that was not executed yet.
    pub fn new(program: &Program, index: &CodeIndex) -> Frontier {
        let mut edges = Vec::new();
        for (function, data) in program.functions.iter_enumerated() {
            let bodies = data.body.iter();
            for (block, data) in bodies.flat_map(|body| body.blocks.iter_enumerated()) {
                if data.terminator.decides() {
                    let count = data.terminator.successor_count();
                    edges.extend((0..count).map(|nth| Edge {
                        edge: index.edge(function, block, nth),
                        block: index.block(function, block).index(),
                        tries: 0,
                        queries: 0,
                    }));
                }
            }
        }
        Frontier {
            edges,
            visited: Trace::new(index),
            open: Vec::new(),
        }
    }

    /// Records what an execution visited. Returns whether some of it is new.
    pub fn visit(&mut self, trace: &Trace) -> bool {
        let visited = &mut self.visited;
        let is_known =
            trace.edges.is_subset(&visited.edges) && trace.blocks.is_subset(&visited.blocks);
        if is_known {
            return false;
        }
        visited.edges.union_with(&trace.edges);
        visited.blocks.union_with(&trace.blocks);
        self.list();
        true
    }

    /// Lists the edges that are looked for.
    fn list(&mut self) {
        let edges = self.edges.iter().enumerate();
        let open = edges.filter(|(_, it)| {
            let is_near = self.visited.blocks.contains(it.block);
            is_near && !self.visited.edge(it.edge) && it.tries < MOST_TRIES
        });
        self.open = open.map(|(at, _)| at).collect();
    }

    /// Whether an execution came by an edge that is looked for.
    pub fn is_passed(&self, trace: &Trace) -> bool {
        let passed = |blocks: &FixedBitSet, at: usize| blocks.contains(self.edges[at].block);
        self.open.iter().any(|&at| passed(&trace.blocks, at))
    }

    /// Records that an execution had terms.
    pub fn tried(&mut self, trace: &Trace) {
        for &at in &self.open {
            let edge = &mut self.edges[at];
            edge.tries += u32::from(trace.blocks.contains(edge.block));
        }
        self.list();
    }

    /// Whether a query is to look for an edge. Counts it.
    pub fn ask(&mut self, edge: CodeEdge) -> bool {
        if self.visited.edge(edge) {
            return false;
        }
        let known = self.edges.iter_mut().find(|it| it.edge == edge);
        known.is_some_and(|it| {
            it.queries += 1;
            it.queries <= MOST_QUERIES
        })
    }
}
