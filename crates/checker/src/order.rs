//! The order in which nodes are executed: each behind those that lead to it, and each loop as a whole
//! before what lies behind it. An execution in any order is right; in this one, ways that meet are
//! joined as early as can be.

use index_vec::IndexVec;
use ir::graph::Graph;

use crate::unfolding::Node;

/// The position of each node in the order. Edges to nodes that `ends` are left out.
pub fn positions(graph: &Graph<Node>, ends: &dyn Fn(Node) -> bool) -> IndexVec<Node, usize> {
    let mut order = Order {
        graph,
        ends,
        positions: IndexVec::from_vec(vec![0; graph.len()]),
        next: 0,
    };
    let all: Vec<Node> = graph.nodes().collect();
    order.arrange(all, None);
    order.positions
}

struct Order<'a> {
    graph: &'a Graph<Node>,
    ends: &'a dyn Fn(Node) -> bool,
    positions: IndexVec<Node, usize>,
    next: usize,
}

impl Order<'_> {
    /// Gives nodes the next positions; edges to the head of their loop do not count.
    fn arrange(&mut self, nodes: Vec<Node>, head: Option<Node>) {
        for mut component in self.components(&nodes, head) {
            component.sort_unstable();
            let Some(&first) = component.first() else {
                continue;
            };
            if component.len() == 1 {
                self.positions[first] = self.next;
                self.next += 1;
                continue;
            }
            let entry = self.entry(&component, &nodes, head).unwrap_or(first);
            self.positions[entry] = self.next;
            self.next += 1;
            component.retain(|&node| node != entry);
            self.arrange(component, Some(entry));
        }
    }

    /// The node of a loop that some edge leads to from outside of it.
    fn entry(&self, component: &[Node], nodes: &[Node], head: Option<Node>) -> Option<Node> {
        let inside = |node: &Node| component.binary_search(node).is_ok();
        let outside = nodes.iter().copied().chain(head);
        let mut ways = outside.filter(|node| !inside(node)).flat_map(|node| {
            let next = self.graph.successors(node).iter();
            next.copied().filter(|next| !(self.ends)(*next))
        });
        ways.find(inside)
    }

    /// The strongly connected components of some nodes, each before those that it leads to.
    fn components(&self, nodes: &[Node], head: Option<Node>) -> Vec<Vec<Node>> {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        let next = sorted.iter().map(|&node| {
            let all = self.graph.successors(node).iter();
            let counts = all.filter(|&&next| Some(next) != head && !(self.ends)(next));
            let local = counts.filter_map(|next| sorted.binary_search(next).ok());
            local.map(Node::from_usize).collect()
        });
        let graph = Graph::of(next.collect());
        let components = graph.components().into_iter().rev();
        let global = |all: Vec<Node>| all.into_iter().map(|it| sorted[it.index()]).collect();
        components.map(global).collect()
    }
}
