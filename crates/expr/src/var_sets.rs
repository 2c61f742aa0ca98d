//! Sets of variables, which terms with the same variables share.
//!
//! A set is a binary trie over the variables' numbers, big-endian Patricia trees of Okasaki and
//! Gill, "Fast mergeable integer maps" (1998). Its leaves hold 64 neighbours in a word, and each
//! node exists once. A sum of n inputs, made one by one, so takes n times the depth of the trie and
//! not n² / 2 variables, and most sets are one word.
//!
//! ```text
//!   {3, 5, 70}                branch (prefix 0, level 1)
//!                            /                          \
//!              leaf 0: bits 3 and 5              leaf 1: bit 6
//! ```

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

use crate::Var;

/// A set in some [`VarSets`]; equal sets have equal numbers, and 0 is the empty set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VarSet(u32);

/// All sets that some term has, and their parts.
#[derive(Clone, Debug)]
pub(crate) struct VarSets {
    nodes: Vec<Node>,
    table: HashTable<VarSet>,
    /// Unions of branches.
    unions: FxHashMap<(VarSet, VarSet), VarSet>,
}

/// The variables of a leaf have numbers of `64 * prefix + bit`. Below a branch of level n lie the
/// leaves whose prefix, without its n lowest bits, is the branch's: left those where bit n - 1 is
/// 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Leaf {
        prefix: u32,
        bits: u64,
    },
    Branch {
        prefix: u32,
        level: u8,
        left: VarSet,
        right: VarSet,
    },
}

impl Node {
    /// The prefix and the level, which is 0 for a leaf.
    fn place(self) -> (u32, u8) {
        match self {
            Node::Leaf { prefix, .. } => (prefix, 0),
            Node::Branch { prefix, level, .. } => (prefix, level),
        }
    }
}

/// The number of the leaf of a variable, and its bit there.
fn position(var: Var) -> (u32, u64) {
    (var.0 / u64::BITS, 1 << (var.0 % u64::BITS))
}

/// Levels of a trie: a leaf's number has 26 bits.
const LEVELS: usize = 27;

impl Default for VarSets {
    fn default() -> VarSets {
        let empty = Node::Leaf { prefix: 0, bits: 0 };
        let mut sets = VarSets {
            nodes: Vec::new(),
            table: HashTable::new(),
            unions: FxHashMap::default(),
        };
        sets.intern(empty);
        sets
    }
}

impl VarSets {
    /// The variables in increasing order.
    pub(crate) fn get(&self, set: VarSet) -> Variables<'_> {
        Variables { sets: self, set }
    }

    /// The set of one variable.
    pub(crate) fn singleton(&mut self, var: Var) -> VarSet {
        let (prefix, bits) = position(var);
        self.intern(Node::Leaf { prefix, bits })
    }

    /// The union of two sets.
    pub(crate) fn union(&mut self, a: VarSet, b: VarSet) -> VarSet {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == VarSet::default() {
            return b;
        }
        let (of_a, of_b) = (self.node(a), self.node(b));
        match (of_a, of_b) {
            (
                Node::Leaf { prefix, bits },
                Node::Leaf {
                    prefix: of_b,
                    bits: more,
                },
            ) if prefix == of_b => self.intern(Node::Leaf {
                prefix,
                bits: bits | more,
            }),
            (Node::Branch { .. }, Node::Branch { .. }) => {
                if let Some(&known) = self.unions.get(&(a, b)) {
                    return known;
                }
                let union = self.merge((a, of_a), (b, of_b));
                self.unions.insert((a, b), union);
                union
            }
            _ => self.merge((a, of_a), (b, of_b)),
        }
    }

    /// The union of two sets of which one is below the other, or both are below a new branch.
    fn merge(&mut self, a: (VarSet, Node), b: (VarSet, Node)) -> VarSet {
        let ((prefix_a, level_a), (prefix_b, level_b)) = (a.1.place(), b.1.place());
        if level_a < level_b {
            return self.merge(b, a);
        }
        let apart = prefix_a ^ (prefix_b << level_b >> level_a);
        if apart != 0 {
            return self.join(a, b);
        }
        let Node::Branch {
            prefix,
            level,
            left,
            right,
        } = a.1
        else {
            // Two leaves of one prefix: `union` has seen to them.
            return a.0;
        };
        let (left, right) = match b.1 {
            Node::Branch {
                level: of_b,
                left: left_b,
                right: right_b,
                ..
            } if of_b == level => (self.union(left, left_b), self.union(right, right_b)),
            _ if is_left(prefix_b << level_b, level) => (self.union(left, b.0), right),
            _ => (left, self.union(right, b.0)),
        };
        self.intern(Node::Branch {
            prefix,
            level,
            left,
            right,
        })
    }

    /// A branch with two sets below it that share no leaf.
    fn join(&mut self, a: (VarSet, Node), b: (VarSet, Node)) -> VarSet {
        let ((prefix_a, level_a), (prefix_b, level_b)) = (a.1.place(), b.1.place());
        let (first, second) = (prefix_a << level_a, prefix_b << level_b);
        let level = u32::BITS - (first ^ second).leading_zeros();
        let (left, right) = if first < second {
            (a.0, b.0)
        } else {
            (b.0, a.0)
        };
        self.intern(Node::Branch {
            prefix: first >> level,
            level: level as u8,
            left,
            right,
        })
    }

    fn node(&self, set: VarSet) -> Node {
        self.nodes[set.0 as usize]
    }

    fn intern(&mut self, node: Node) -> VarSet {
        let hash = FxBuildHasher.hash_one(node);
        let nodes = &self.nodes;
        let found = self.table.find(hash, |set| nodes[set.0 as usize] == node);
        if let Some(&set) = found {
            return set;
        }
        let set = VarSet(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        let nodes = &self.nodes;
        let hash_of = |set: &VarSet| FxBuildHasher.hash_one(nodes[set.0 as usize]);
        self.table.insert_unique(hash, set, hash_of);
        set
    }
}

/// Whether a leaf lies left below a branch of that level.
fn is_left(leaf: u32, level: u8) -> bool {
    leaf >> (level - 1) & 1 == 0
}

/// The variables of a term.
#[derive(Clone, Copy)]
pub struct Variables<'a> {
    sets: &'a VarSets,
    set: VarSet,
}

impl<'a> Variables<'a> {
    /// The variables in increasing order, each once.
    pub fn iter(self) -> VariablesIter<'a> {
        let mut iter = VariablesIter {
            sets: self.sets,
            waiting: [VarSet::default(); LEVELS],
            len: 0,
            prefix: 0,
            bits: 0,
        };
        iter.enter(self.set);
        iter
    }

    /// Visits the variables, but of a part that was seen before only its first. What joins or
    /// collects the variables of many terms so looks once at what they share.
    pub fn each_unseen(self, seen: &mut SeenParts, mut visit: impl FnMut(Var)) {
        let mut waiting = vec![self.set];
        while let Some(set) = waiting.pop() {
            let part = Variables { set, ..self };
            match self.sets.node(set) {
                Node::Leaf { .. } => part.iter().for_each(&mut visit),
                Node::Branch { left, right, .. } if seen.0.insert(set) => {
                    waiting.extend([right, left]);
                }
                Node::Branch { .. } => part.first().into_iter().for_each(&mut visit),
            }
        }
    }

    /// The variable with the smallest number.
    pub fn first(self) -> Option<Var> {
        self.iter().next()
    }

    /// The variable, if there is just one.
    pub fn only(self) -> Option<Var> {
        match self.sets.node(self.set) {
            Node::Leaf { bits, .. } if bits.is_power_of_two() => self.first(),
            _ => None,
        }
    }

    /// Whether the variable is among them.
    pub fn contains(self, var: Var) -> bool {
        let (leaf, bit) = position(var);
        let mut at = self.set;
        loop {
            match self.sets.node(at) {
                Node::Leaf { prefix, bits } => return prefix == leaf && bits & bit != 0,
                Node::Branch { prefix, level, .. } if leaf >> level != prefix => return false,
                Node::Branch { level, left, .. } if is_left(leaf, level) => at = left,
                Node::Branch { right, .. } => at = right,
            }
        }
    }
}

/// Parts of sets of variables that were visited, see [`Variables::each_unseen`].
#[derive(Clone, Debug, Default)]
pub struct SeenParts(FxHashSet<VarSet>);

impl SeenParts {
    /// Forgets all parts.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<'a> IntoIterator for Variables<'a> {
    type Item = Var;
    type IntoIter = VariablesIter<'a>;

    fn into_iter(self) -> VariablesIter<'a> {
        self.iter()
    }
}

/// Iterates over the variables of a term in increasing order.
#[derive(Clone)]
pub struct VariablesIter<'a> {
    sets: &'a VarSets,
    /// The first `len` are still to come, the last of them first.
    waiting: [VarSet; LEVELS],
    len: usize,
    /// What is left of the leaf under way.
    prefix: u32,
    bits: u64,
}

impl VariablesIter<'_> {
    /// Goes to the first leaf of a set.
    fn enter(&mut self, set: VarSet) {
        let mut at = set;
        loop {
            match self.sets.node(at) {
                Node::Leaf { prefix, bits } => {
                    (self.prefix, self.bits) = (prefix, bits);
                    return;
                }
                Node::Branch { left, right, .. } => {
                    self.waiting[self.len] = right;
                    self.len += 1;
                    at = left;
                }
            }
        }
    }
}

impl Iterator for VariablesIter<'_> {
    type Item = Var;

    fn next(&mut self) -> Option<Var> {
        if self.bits == 0 {
            self.len = self.len.checked_sub(1)?;
            self.enter(self.waiting[self.len]);
        }
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(Var(self.prefix * u64::BITS + bit))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(sets: &mut VarSets, vars: &[u32]) -> VarSet {
        vars.iter().fold(VarSet::default(), |set, &var| {
            let one = sets.singleton(Var(var));
            sets.union(set, one)
        })
    }

    proptest! {
        #[test]
        fn unions_are_those_of_sets(
            a in prop::collection::vec(prop_oneof![0..200_u32, any::<u32>()], 0..40),
            b in prop::collection::vec(prop_oneof![0..200_u32, any::<u32>()], 0..40),
            other in any::<u32>(),
        ) {
            let mut sets = VarSets::default();
            let (of_a, of_b) = (of(&mut sets, &a), of(&mut sets, &b));
            let union = sets.union(of_a, of_b);
            let all: Vec<u32> = a.iter().chain(&b).rev().copied().collect();
            prop_assert_eq!(of(&mut sets, &all), union, "equal sets have equal numbers");
            let expected: BTreeSet<u32> = all.iter().copied().collect();
            let found = sets.get(union);
            prop_assert!(found.iter().map(|var| var.0).eq(expected.iter().copied()));
            prop_assert!(all.iter().all(|&var| found.contains(Var(var))));
            prop_assert_eq!(found.contains(Var(other)), expected.contains(&other));
            prop_assert_eq!(found.first().map(|var| var.0), expected.first().copied());
            prop_assert_eq!(found.only().is_some(), expected.len() == 1);
            let (mut seen, mut visited) = (SeenParts::default(), BTreeSet::new());
            for set in [of_a, of_b, union] {
                sets.get(set).each_unseen(&mut seen, |var| {
                    visited.insert(var.0);
                });
            }
            prop_assert_eq!(visited, expected);
        }
    }

    #[test]
    fn a_sum_that_grows_takes_little() {
        let mut sets = VarSets::default();
        let numbers: Vec<u32> = (0..10_000).collect();
        of(&mut sets, &numbers);
        assert!(sets.nodes.len() < 10_000 * 10, "{} nodes", sets.nodes.len());
    }
}
