//! The paths through the unit that executions took, and what is known at each place on them.
//!
//! They say where every edge of the unit's control-flow graph has been taken to its end. After such
//! a place nothing is left to find, whatever the functions do that the unit calls. This needs that
//! the edges so far decide which branch comes next: not so where the unit calls its own functions by
//! pointers.

use coverage::PathTrie;
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{CodeBlock, CodeEdge, CodeIndex};

use super::candidates::Exhausted;
use super::proof::Proof;

/// A place on paths through the unit: the edges that lead there from its start.
pub(crate) use coverage::PathNode as UnitNode;

/// What is known after a place.
#[derive(Clone, Copy, Debug, Default)]
struct Data {
    /// How many edges may leave the branch that comes next; 0 while no execution reached one.
    edges: u32,
    /// Whether only constants decide there, so that each path leaves by one edge.
    is_determined: bool,
    /// By how many edges executions left it in which no call was replaced before.
    left_by: u32,
    /// After how many of these nothing is left to find.
    finished: u32,
    /// Whether nothing is left to find here.
    is_finished: bool,
    /// Whether no execution reaches it.
    is_ruled_out: bool,
    /// Whether an execution reached it in which no call was replaced before.
    was_reached: bool,
    /// Whether one reached it in which some call was expanded, if there was any.
    was_visited: bool,
    /// Whether it is known if a path that ends here returns: by an execution that ended well, or
    /// because none does.
    returned: bool,
    /// The same of a path that ends in a callee.
    ended: bool,
}

/// The paths.
#[derive(Debug)]
pub(crate) struct UnitPaths {
    trie: PathTrie<CodeEdge, Data>,
    /// How many edges may leave, on one path, the branch that an edge leaves.
    edges: IndexVec<CodeEdge, u32>,
    /// Whether only constants decide at the branch that an edge leaves.
    determined: IndexVec<CodeEdge, bool>,
    /// Whether a called function may end the program, so that each place has one more possible
    /// ending.
    may_end: bool,
    /// Whether something beside the edges of a path decides which branch of the unit comes next.
    is_chosen: bool,
    /// How many places are finished since a determined branch left by one of its edges.
    finished_by_determined: u64,
}

/// How an execution ended that took a path to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The entry function returned.
    Returned,
    /// A function that was called ended the program.
    InCallee,
}

impl UnitPaths {
    /// The place before any edge.
    pub const START: UnitNode = UnitNode::START;

    /// No paths yet. Of the `determined` branches, each path leaves by one edge only. Whether a
    /// path `may_end` at a call that can also return depends on the functions that the unit calls.
    pub fn new(index: &CodeIndex, determined: &FixedBitSet, may_end: bool) -> UnitPaths {
        let begins: Vec<CodeBlock> = index.begins().collect();
        let is_determined = |block: &CodeBlock| determined.contains(block.index());
        let determined: IndexVec<CodeEdge, bool> = begins.iter().map(is_determined).collect();
        let mut edges = edges_of_branches(index);
        for (edges, _) in edges.iter_mut().zip(&determined).filter(|(_, it)| **it) {
            *edges = 1;
        }
        UnitPaths {
            trie: PathTrie::default(),
            edges,
            determined,
            may_end,
            is_chosen: false,
            finished_by_determined: 0,
        }
    }

    /// The same for a unit in which not only the edges of a path decide which branch comes next.
    pub fn with_chosen_branches(self) -> UnitPaths {
        UnitPaths {
            is_chosen: true,
            ..self
        }
    }

    /// How many places are finished since a determined branch was left by one of its edges.
    pub fn finished_by_determined(&self) -> u64 {
        self.finished_by_determined
    }

    /// The same, without using that branches are determined: executions check it.
    pub fn checking_determined(self, index: &CodeIndex) -> UnitPaths {
        UnitPaths {
            edges: edges_of_branches(index),
            ..self
        }
    }

    /// The places that a path comes by, the start first, its end last.
    pub fn walk(&mut self, edges: &[CodeEdge]) -> Vec<UnitNode> {
        let places = self.trie.walk(edges);
        for (&place, &edge) in places.iter().zip(edges) {
            self.note_branch(place, edge);
        }
        places
    }

    /// The place after an edge.
    pub fn step(&mut self, place: UnitNode, edge: CodeEdge) -> UnitNode {
        self.note_branch(place, edge);
        self.trie.step(place, edge)
    }

    /// Records which branch comes next at a place: the one that this edge leaves.
    fn note_branch(&mut self, place: UnitNode, edge: CodeEdge) {
        let data = &mut self.trie[place];
        data.edges = self.edges[edge];
        data.is_determined = self.determined[edge];
    }

    /// Records that an execution reached these places. `without_calls` and `expanded` are how many
    /// of them it reached with no call replaced, and with some call expanded. Returns whether that contradicts a
    /// proof: one of them was ruled out, or a determined branch was left by two edges.
    pub fn reached(&mut self, places: &[UnitNode], without_calls: usize, expanded: usize) -> bool {
        let mut is_contradiction = false;
        // An execution that reached a place reached all before it.
        for &place in places[..without_calls].iter().rev() {
            let data = &mut self.trie[place];
            if std::mem::replace(&mut data.was_reached, true) {
                break;
            }
            is_contradiction |= data.is_ruled_out;
            if let Some(parent) = self.trie.parent(place) {
                let parent = &mut self.trie[parent];
                parent.left_by += 1;
                is_contradiction |= !self.is_chosen && parent.is_determined && parent.left_by > 1;
            }
        }
        for &place in places[..expanded].iter().rev() {
            if std::mem::replace(&mut self.trie[place].was_visited, true) {
                break;
            }
        }
        is_contradiction
    }

    /// Whether an execution reached a place in which some call was expanded, if there was any.
    pub fn was_visited(&self, place: UnitNode) -> bool {
        self.trie[place].was_visited
    }

    /// Whether an execution reached a place in which no call was replaced before.
    pub fn was_reached(&self, place: UnitNode) -> bool {
        self.trie[place].was_reached
    }

    /// The place after an edge, if a path went there.
    pub fn behind(&self, place: UnitNode, edge: CodeEdge) -> Option<UnitNode> {
        self.trie.behind(place, edge)
    }

    /// Whether it is known if a path ends like this at a place.
    pub fn is_known(&self, place: UnitNode, how: Ending) -> bool {
        let data = &self.trie[place];
        match how {
            Ending::Returned => data.returned,
            Ending::InCallee => data.ended,
        }
    }

    /// Records that an execution which ended well took the path to this place. Returns whether it
    /// is the first.
    pub fn ended(&mut self, place: UnitNode, how: Ending) -> bool {
        let data = &mut self.trie[place];
        let seen = match how {
            Ending::Returned => &mut data.returned,
            Ending::InCallee => &mut data.ended,
        };
        let is_new = !std::mem::replace(seen, true);
        self.look_for_end(place);
        is_new
    }

    /// Records that no execution ends like this at a place, though some reach it.
    pub fn never_ends(&mut self, place: UnitNode, how: Ending, _: &Exhausted) {
        self.ended(place, how);
    }

    /// Records that no execution reaches a place.
    pub fn rule_out(&mut self, place: UnitNode, _: &Proof) {
        self.trie[place].is_ruled_out = true;
        self.finish(place);
    }

    /// Whether no execution reaches a place.
    pub fn is_ruled_out(&self, place: UnitNode) -> bool {
        self.any_before(place, |data| data.is_ruled_out)
    }

    /// Whether something holds of a place or of one before it.
    fn any_before(&self, place: UnitNode, is: impl Fn(&Data) -> bool) -> bool {
        let mut before = self.trie.up_from(place);
        before.any(|place| is(&self.trie[place]))
    }

    /// Records that nothing is left to find after a place.
    fn finish(&mut self, place: UnitNode) {
        let was_finished = std::mem::replace(&mut self.trie[place].is_finished, true);
        if !was_finished && let Some(parent) = self.trie.parent(place) {
            self.trie[parent].finished += 1;
            self.look_for_end(parent);
        }
    }

    /// Finishes a place, and those before it, if nothing is left to find there.
    fn look_for_end(&mut self, place: UnitNode) {
        if self.is_chosen {
            return;
        }
        let data = &self.trie[place];
        let goes_on = data.edges > 0 && data.finished >= data.edges;
        let is_all = match self.may_end {
            true => data.ended && (data.returned || goes_on),
            false => data.ended || data.returned || goes_on,
        };
        if is_all {
            let by_determined = goes_on && data.is_determined && data.edges == 1;
            self.finished_by_determined += u64::from(by_determined && !data.is_finished);
            self.finish(place);
        }
    }

    /// Whether nothing is left to find after a place.
    pub fn is_finished(&self, place: UnitNode) -> bool {
        self.any_before(place, |data| data.is_finished)
    }
}

/// How many edges leave the branch that each edge leaves.
fn edges_of_branches(index: &CodeIndex) -> IndexVec<CodeEdge, u32> {
    let begins: Vec<CodeBlock> = index.begins().collect();
    let branches = begins.chunk_by(|a, b| a == b);
    let edges = branches.flat_map(|edges| edges.iter().map(|_| edges.len() as u32));
    edges.collect()
}

#[cfg(test)]
mod tests {
    use fixedbitset::FixedBitSet;
    use ir::{Block, CodeEdge, CodeIndex, FunctionId, Program};

    use super::{Ending, UnitPaths};
    use crate::acceleration::Acceleration;
    use crate::lazy::accelerate::Refutation;
    use crate::lazy::proof::Proof;

    const TEXT: &str = "fn f(a: int) {
        bb0: branch _0 ? bb1 : bb2
        bb1: branch _0 ? bb2 : bb2
        bb2: return
    }";

    fn units(determined: &FixedBitSet, may_end: bool) -> (UnitPaths, [CodeEdge; 4]) {
        let program: Program = ir::text::parse(TEXT).expect("a program");
        let index = CodeIndex::new(&program);
        let edge =
            |block, number| index.edge(FunctionId::from_raw(0), Block::from_raw(block), number);
        let edges = [edge(0, 0), edge(0, 1), edge(1, 0), edge(1, 1)];
        (UnitPaths::new(&index, determined, may_end), edges)
    }

    fn refuted() -> Proof {
        Proof::Refuted(Refutation::of(Acceleration::Nogoods, 1))
    }

    fn end(units: &mut UnitPaths, path: &[CodeEdge], how: Ending) -> bool {
        let places = units.walk(path);
        units.ended(places[path.len()], how)
    }

    #[test]
    fn a_place_is_finished_when_all_edges_after_it_were_taken_to_their_ends() {
        let (mut units, [left, right, first, second]) = units(&FixedBitSet::new(), false);
        assert!(end(&mut units, &[left, first], Ending::Returned));
        assert!(!end(&mut units, &[left, first], Ending::Returned));
        let behind = units.behind(UnitPaths::START, left).expect("a place");
        assert!(!units.is_finished(behind));
        assert!(end(&mut units, &[left, second], Ending::Returned));
        assert!(units.is_finished(behind) && !units.is_finished(UnitPaths::START));
        let other = units.walk(&[right])[1];
        units.rule_out(other, &refuted());
        assert!(units.is_finished(UnitPaths::START));
    }

    #[test]
    fn where_a_call_may_end_the_program_that_is_one_more_end() {
        let (mut units, [left, right, ..]) = units(&FixedBitSet::new(), true);
        assert!(end(&mut units, &[right], Ending::Returned));
        let behind = units.behind(UnitPaths::START, right).expect("a place");
        assert!(!units.is_finished(behind));
        assert!(end(&mut units, &[right], Ending::InCallee));
        assert!(units.is_finished(behind));
        assert!(end(&mut units, &[left], Ending::InCallee));
    }

    #[test]
    fn of_a_determined_branch_one_edge_is_all() {
        let second = FixedBitSet::from_iter([1]);
        let (mut units, [left, right, first, _]) = units(&second, false);
        assert!(end(&mut units, &[left, first], Ending::Returned));
        let behind = units.behind(UnitPaths::START, left).expect("a place");
        assert!(units.is_finished(behind) && !units.is_finished(UnitPaths::START));
        assert!(end(&mut units, &[right], Ending::Returned));
        assert!(units.is_finished(UnitPaths::START));
    }

    #[test]
    fn an_execution_at_a_place_that_was_ruled_out_is_a_contradiction() {
        let (mut units, [left, right, first, _]) = units(&FixedBitSet::new(), false);
        let places = units.walk(&[left, first]);
        units.rule_out(places[1], &refuted());
        assert!(!units.reached(&places, 1, 3), "a call was replaced before");
        assert!(units.reached(&places, 3, 3));
        let other = units.walk(&[right]);
        assert!(!units.reached(&other, 2, 2));
    }

    #[test]
    fn a_determined_branch_that_is_left_by_two_edges_is_a_contradiction() {
        let second = FixedBitSet::from_iter([1]);
        let (mut units, [left, _, first, second]) = units(&second, false);
        let one = units.walk(&[left, first]);
        assert!(!units.reached(&one, 3, 3) && !units.reached(&one, 3, 3));
        let other = units.walk(&[left, second]);
        assert!(units.reached(&other, 3, 3));
    }
}
