//! Data-flow problems of a function, and a solver for all of them.
//!
//! ```text
//! fact[b] := bottom, for each block b
//! open := all blocks
//! while open has a block b:                  // the first one in the order of the direction
//!     fact := transfer(b, join of fact[n], for each neighbour n that control comes from
//!                                          (forward) or goes to (backward))
//!     if fact != fact[b]:
//!         fact[b] := fact
//!         open += the neighbours on the other side of b
//! ```
//!
//! The facts are the least solution if `join` and `transfer` are monotone (Kildall 1973, "A unified
//! approach to global program optimization").

use std::collections::BTreeSet;

use index_vec::IndexVec;
use ir::{Block, ControlFlow};

/// The direction in which facts flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// As control does: the fact of a block is about its end.
    Forward,
    /// Against control: the fact of a block is about its start.
    Backward,
}

/// A data-flow problem.
pub trait Problem {
    /// What is known at a place.
    type Fact: Clone + PartialEq;

    /// The direction in which facts flow.
    const DIRECTION: Direction;

    /// The fact of a block that no path reaches.
    fn bottom(&self) -> Self::Fact;

    /// Adds to a fact what holds on other paths.
    fn join(&self, fact: &mut Self::Fact, other: &Self::Fact);

    /// The fact on one side of a block, from the one on the other side.
    fn transfer(&self, block: Block, fact: Self::Fact) -> Self::Fact;
}

/// The least solution of a problem: the fact of each block.
pub fn solve<P: Problem>(flow: &ControlFlow, problem: &P) -> IndexVec<Block, P::Fact> {
    let order = match P::DIRECTION {
        Direction::Forward => flow.reverse_postorder(),
        Direction::Backward => flow.postorder(),
    };
    let mut ranks: IndexVec<Block, usize> = IndexVec::from_vec(vec![0; order.len()]);
    for (rank, &block) in order.iter().enumerate() {
        ranks[block] = rank;
    }
    let mut facts = IndexVec::from_vec(vec![problem.bottom(); order.len()]);
    let mut open: BTreeSet<usize> = (0..order.len()).collect();
    while let Some(rank) = open.pop_first() {
        let block = order[rank];
        let (from, to) = match P::DIRECTION {
            Direction::Forward => (flow.predecessors(block), flow.successors(block)),
            Direction::Backward => (flow.successors(block), flow.predecessors(block)),
        };
        let mut joined = problem.bottom();
        for &neighbour in from {
            problem.join(&mut joined, &facts[neighbour]);
        }
        let fact = problem.transfer(block, joined);
        if facts[block] != fact {
            facts[block] = fact;
            open.extend(to.iter().map(|&neighbour| ranks[neighbour]));
        }
    }
    facts
}
