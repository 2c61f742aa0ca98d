//! Directed graphs whose nodes are numbered densely, such as the blocks of a function.

use fixedbitset::FixedBitSet;
use index_vec::{Idx, IndexVec};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, Walker};

/// A directed graph. Two edges may lead from one node to the same other node.
#[derive(Clone, Debug)]
pub struct Graph<N: Idx> {
    successors: IndexVec<N, Vec<N>>,
    predecessors: IndexVec<N, Vec<N>>,
}

impl<N: Idx> Graph<N> {
    /// The graph in which edges lead from each node to its successors.
    pub fn of(successors: IndexVec<N, Vec<N>>) -> Self {
        let mut predecessors = IndexVec::from_vec(vec![Vec::new(); successors.len()]);
        for (from, all) in successors.iter_enumerated() {
            for &to in all {
                predecessors[to].push(from);
            }
        }
        Graph {
            successors,
            predecessors,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// All nodes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = N> + use<N> {
        (0..self.len()).map(N::from_usize)
    }

    /// The nodes that edges lead to from a node, in the order in which they were given; one may
    /// stand there twice.
    pub fn successors(&self, node: N) -> &[N] {
        &self.successors[node]
    }

    /// The nodes from which edges lead to a node; one may stand there twice.
    pub fn predecessors(&self, node: N) -> &[N] {
        &self.predecessors[node]
    }

    /// The graph with each edge in the other direction.
    pub fn reversed(self) -> Self {
        Graph {
            successors: self.predecessors,
            predecessors: self.successors,
        }
    }

    /// The nodes that paths from some nodes lead to, these included, each once. A path goes on
    /// behind a node only if the node `passes`.
    pub fn walk<'a>(
        &'a self,
        starts: impl IntoIterator<Item = N>,
        passes: impl Fn(N) -> bool + 'a,
    ) -> impl Iterator<Item = N> + 'a {
        let mut is_seen = FixedBitSet::with_capacity(self.len());
        let mut open: Vec<N> = starts.into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                let node = open.pop()?;
                if !is_seen.put(node.index()) {
                    if passes(node) {
                        open.extend(self.successors(node));
                    }
                    return Some(node);
                }
            }
        })
    }

    /// The nodes that paths from some nodes lead to, these included.
    pub fn reachable(&self, starts: impl IntoIterator<Item = N>) -> FixedBitSet {
        let mut reached = FixedBitSet::with_capacity(self.len());
        for node in self.walk(starts, |_| true) {
            reached.insert(node.index());
        }
        reached
    }

    /// All nodes, each behind its successors where cycles allow it. Those that the first node does
    /// not reach stand at the end.
    pub fn postorder(&self) -> Vec<N> {
        let graph = self.to_petgraph();
        let mut is_seen = FixedBitSet::with_capacity(self.len());
        let mut order = Vec::with_capacity(self.len());
        for start in self.nodes() {
            if is_seen.contains(start.index()) {
                continue;
            }
            for found in DfsPostOrder::new(&graph, number(start)).iter(&graph) {
                if !is_seen.put(found.index()) {
                    order.push(N::from_usize(found.index()));
                }
            }
        }
        order
    }

    /// All nodes, each before its successors where cycles allow it.
    pub fn reverse_postorder(&self) -> Vec<N> {
        let mut order = self.postorder();
        order.reverse();
        order
    }

    /// The strongly connected components, each behind those that edges lead to from it. A node on
    /// no cycle is one of its own.
    pub fn components(&self) -> Vec<Vec<N>> {
        let nodes = |component: Vec<NodeIndex>| {
            let numbers = component.into_iter();
            numbers.map(|node| N::from_usize(node.index())).collect()
        };
        tarjan_scc(&self.to_petgraph())
            .into_iter()
            .map(nodes)
            .collect()
    }

    /// The nodes from which a path leads back to them.
    pub fn on_cycles(&self) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.len());
        for component in self.components() {
            let is_cycle = match component.as_slice() {
                &[only] => self.successors(only).contains(&only),
                _ => true,
            };
            if is_cycle {
                found.extend(component.iter().map(|node| node.index()));
            }
        }
        found
    }

    /// A node with the same number for each, and an edge for each successor.
    pub(crate) fn to_petgraph(&self) -> DiGraph<(), ()> {
        let edges = self.successors.iter().map(Vec::len).sum();
        let mut graph = DiGraph::with_capacity(self.len(), edges);
        for _ in &self.successors {
            graph.add_node(());
        }
        for (from, all) in self.successors.iter_enumerated() {
            for &to in all {
                graph.add_edge(number(from), number(to), ());
            }
        }
        graph
    }
}

fn number(node: impl Idx) -> NodeIndex {
    NodeIndex::new(node.index())
}
