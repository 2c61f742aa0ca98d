//! Which places hold pointers that are compared by order or subtracted.
//!
//! Places that hold the same pointers, give or take an offset, form a set. Where the code compares
//! or subtracts pointers of two sets, these should point into one array. Arguments belong together
//! where the parameters of the callee do, and only there: what else a function is called with does
//! not count.

use rustc_hash::{FxHashMap, FxHashSet};

use super::node::Node;

/// As deep as calls are looked into.
const ROUNDS: usize = 8;

/// What the code says about pointers to the same array.
#[derive(Default)]
pub(super) struct Relations {
    /// Places of one function that hold the same pointers, give or take an offset.
    pub related: Vec<(Node, Node)>,
    /// Places whose pointers are compared by order or subtracted.
    pub pairs: Vec<(Node, Node)>,
    /// For each call the arguments with their parameters, and what becomes of the result with that.
    pub calls: Vec<Vec<(Node, Node)>>,
}

impl Relations {
    /// The places whose pointers are compared with those of other places, each with the number of
    /// its set.
    pub fn ordered(&self) -> Vec<(Node, u32)> {
        let mut sets = Sets::default();
        for &(a, b) in &self.related {
            sets.join(a, b);
        }
        // A pointer that is compared with where it started says nothing of others.
        let is_apart = |sets: &mut Sets, (a, b): (Node, Node)| sets.find(a) != sets.find(b);
        let mut pairs = self.pairs.clone();
        pairs.retain(|&pair| is_apart(&mut sets, pair));
        for &(a, b) in &pairs {
            sets.join(a, b);
        }
        for _ in 0..ROUNDS {
            if !self.look_into_calls(&mut sets, &mut pairs) {
                break;
            }
        }
        let ordered: FxHashSet<u32> = pairs.iter().map(|&(a, _)| sets.find(a)).collect();
        let mut nodes: Vec<Node> = sets.numbers.keys().copied().collect();
        nodes.sort_unstable();
        let numbered = nodes.into_iter().map(|node| (node, sets.find(node)));
        numbered.filter(|(_, set)| ordered.contains(set)).collect()
    }

    /// Joins arguments whose parameters are in one set. Returns whether there were any.
    fn look_into_calls(&self, sets: &mut Sets, pairs: &mut Vec<(Node, Node)>) -> bool {
        let ordered: FxHashSet<u32> = pairs.iter().map(|&(a, _)| sets.find(a)).collect();
        let mut joined = false;
        for passed in &self.calls {
            for (at, &(one, own)) in passed.iter().enumerate() {
                for &(other, its) in &passed[at + 1..] {
                    let set = sets.find(own);
                    if set == sets.find(its) && sets.find(one) != sets.find(other) {
                        sets.join(one, other);
                        joined = true;
                        if ordered.contains(&set) {
                            pairs.push((one, other));
                        }
                    }
                }
            }
        }
        joined
    }
}

/// Disjoint sets of places.
#[derive(Default)]
struct Sets {
    numbers: FxHashMap<Node, u32>,
    parents: Vec<u32>,
}

impl Sets {
    fn find(&mut self, node: Node) -> u32 {
        let next = self.parents.len() as u32;
        let mut at = *self.numbers.entry(node).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        while self.parents[at as usize] != at {
            let above = self.parents[at as usize];
            self.parents[at as usize] = self.parents[above as usize];
            at = above;
        }
        at
    }

    fn join(&mut self, a: Node, b: Node) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
