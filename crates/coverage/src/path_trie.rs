//! A trie of paths: paths with the same first edges share the nodes for these.
//!
//! The trie does not know what an edge is, nor what is recorded at its nodes. A search keeps there
//! what it knows of each partial path; a criterion keeps what it counts.

use std::hash::Hash;
use std::ops::{Index, IndexMut};

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

index_vec::define_index_type! {
    /// A node of a [`PathTrie`]: the edges that lead there from its start.
    pub struct PathNode = u32;
    IMPL_RAW_CONVERSIONS = true;
}

impl PathNode {
    /// The node before any edge. Every trie has it.
    pub const START: PathNode = PathNode { _raw: 0 };
}

/// A trie of paths, which are sequences of edges of type `E`, with data of type `D` at each node.
///
/// A node is in the trie once a path went there, and stays. Its data, at first the default, are
/// accessed by indexing with the node.
#[derive(Clone, Debug)]
pub struct PathTrie<E, D> {
    nodes: IndexVec<PathNode, Node<E, D>>,
    children: FxHashMap<(PathNode, E), PathNode>,
}

#[derive(Clone, Debug)]
struct Node<E, D> {
    /// The node before, and the edge from there.
    parent: Option<(PathNode, E)>,
    /// The edges that paths take from here.
    onwards: Vec<E>,
    data: D,
}

impl<E, D: Default> Default for PathTrie<E, D> {
    /// The trie of the empty path.
    fn default() -> Self {
        let start = Node {
            parent: None,
            onwards: Vec::new(),
            data: D::default(),
        };
        PathTrie {
            nodes: IndexVec::from_vec(vec![start]),
            children: FxHashMap::default(),
        }
    }
}

impl<E: Copy + Eq + Hash, D: Default> PathTrie<E, D> {
    /// The nodes that a path visits, the start first, its end last. Adds those that are missing.
    pub fn walk(&mut self, edges: &[E]) -> Vec<PathNode> {
        let mut visited = Vec::with_capacity(edges.len() + 1);
        let mut here = PathNode::START;
        visited.push(here);
        for &edge in edges {
            here = self.step(here, edge);
            visited.push(here);
        }
        visited
    }

    /// The node after an edge. Adds it if it is missing.
    pub fn step(&mut self, node: PathNode, edge: E) -> PathNode {
        let nodes = &mut self.nodes;
        *self.children.entry((node, edge)).or_insert_with(|| {
            nodes[node].onwards.push(edge);
            nodes.push(Node {
                parent: Some((node, edge)),
                onwards: Vec::new(),
                data: D::default(),
            })
        })
    }
}

impl<E: Copy + Eq + Hash, D> PathTrie<E, D> {
    /// The node after an edge, if a path went there.
    pub fn behind(&self, node: PathNode, edge: E) -> Option<PathNode> {
        self.children.get(&(node, edge)).copied()
    }

    /// The edges that paths take from a node, with the nodes that these lead to.
    pub fn onwards(&self, node: PathNode) -> impl Iterator<Item = (E, PathNode)> + '_ {
        let edges = self.nodes[node].onwards.iter();
        edges.filter_map(move |&edge| Some((edge, self.behind(node, edge)?)))
    }

    /// The edges that lead from the start to a node.
    pub fn path_to(&self, node: PathNode) -> Vec<E> {
        let up = std::iter::successors(self.nodes[node].parent, |&(node, _)| {
            self.nodes[node].parent
        });
        let mut edges: Vec<E> = up.map(|(_, edge)| edge).collect();
        edges.reverse();
        edges
    }
}

impl<E, D> PathTrie<E, D> {
    /// The node one edge before; the start has none.
    pub fn parent(&self, node: PathNode) -> Option<PathNode> {
        self.nodes[node].parent.as_ref().map(|(parent, _)| *parent)
    }

    /// The node itself and all before it, up to the start.
    pub fn up_from(&self, node: PathNode) -> impl Iterator<Item = PathNode> + '_ {
        std::iter::successors(Some(node), |&node| self.parent(node))
    }
}

impl<E, D> Index<PathNode> for PathTrie<E, D> {
    type Output = D;

    fn index(&self, node: PathNode) -> &D {
        &self.nodes[node].data
    }
}

impl<E, D> IndexMut<PathNode> for PathTrie<E, D> {
    fn index_mut(&mut self, node: PathNode) -> &mut D {
        &mut self.nodes[node].data
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{PathNode, PathTrie};

    #[test]
    fn paths_share_the_nodes_of_their_common_beginning() {
        let mut trie: PathTrie<char, ()> = PathTrie::default();
        let one = trie.walk(&['a', 'b', 'c']);
        let other = trie.walk(&['a', 'b', 'd']);
        assert_eq!(one[..3], other[..3]);
        assert_ne!(one[3], other[3]);
        assert_eq!(trie.walk(&['a', 'b', 'c']), one);
        assert_eq!(trie.behind(one[2], 'd'), Some(other[3]));
        assert_eq!(trie.behind(one[3], 'd'), None);
        assert_eq!(trie.walk(&[]), [PathNode::START]);
    }

    #[test]
    fn data_stay_at_their_node() {
        let mut trie: PathTrie<u8, u32> = PathTrie::default();
        let node = trie.step(PathNode::START, 1);
        trie[node] += 5;
        assert_eq!(trie.step(PathNode::START, 1), node);
        assert_eq!(trie[node], 5);
        let other = trie.step(PathNode::START, 2);
        assert_eq!(trie[other], 0);
        assert_eq!(trie[PathNode::START], 0);
    }

    proptest! {
        /// There is one node for each beginning of a path, and the path up passes all of them.
        #[test]
        fn nodes_are_the_beginnings_of_the_paths(
            paths in prop::collection::vec(prop::collection::vec(0u8..3, 0..6), 0..12)
        ) {
            let mut trie: PathTrie<u8, ()> = PathTrie::default();
            let mut beginnings = BTreeSet::from([&[][..]]);
            for path in &paths {
                let mut nodes = trie.walk(path);
                beginnings.extend((0..=path.len()).map(|length| &path[..length]));
                nodes.reverse();
                let end = nodes[0];
                prop_assert_eq!(&trie.path_to(end), path);
                let steps = path.iter().zip(nodes.iter().skip(1).rev());
                let mut onwards = steps.map(|(edge, &node)| trie.onwards(node).any(|it| it.0 == *edge));
                prop_assert!(onwards.all(|is_there| is_there));
                prop_assert_eq!(trie.up_from(end).collect::<Vec<_>>(), nodes);
            }
            prop_assert_eq!(trie.nodes.len(), beginnings.len());
        }
    }
}
