//! Inputs by which control took each branch of a segment, to be tried again in other states.
//!
//! Values that are drawn at random seldom take a branch such as `event == TIMER`. Among *moves*, which
//! are inputs that took a branch as the first, all branches are alike.

use expr::{Model as Values, Term};
use fastrand::Rng;
use fixedbitset::FixedBitSet;

use crate::formulas::Formulas;
use crate::formulas::execution::Executor;
use crate::formulas::segment::Segment;

/// How many moves are kept of a segment.
const MOST: usize = 400;

/// The moves of a segment.
#[derive(Clone, Default)]
pub struct Moves {
    /// The branches that were taken, by their positions in the segment's.
    taken: FixedBitSet,
    inputs: Vec<Values>,
}

impl Moves {
    /// One of the moves.
    pub fn any(&self, rng: &mut Rng) -> Option<&Values> {
        match self.inputs.len() {
            0 => None,
            count => self.inputs.get(rng.usize(0..count)),
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Values] {
        &self.inputs
    }

    /// The branches that no move takes.
    pub fn untaken(&self, segment: &Segment) -> Vec<(usize, Term)> {
        let branches = segment.edges.iter().map(|taken| taken.reach).enumerate();
        let untaken = branches.filter(|&(at, _)| !self.taken.contains(at));
        untaken.collect()
    }

    /// Adds values as a move if they take a branch that no other one takes.
    pub fn add(
        &mut self,
        formulas: &Formulas<'_>,
        segment: &Segment,
        executor: &mut Executor,
        values: &Values,
    ) {
        let untaken = self.untaken(segment).into_iter();
        let mut evaluation = executor.under(formulas, values);
        let new = untaken.filter(|&(_, branch)| evaluation.holds(branch));
        let new: Vec<usize> = new.map(|(at, _)| at).collect();
        if new.is_empty() {
            return;
        }
        for at in new {
            self.taken.grow_and_insert(at);
        }
        if self.inputs.len() < MOST {
            self.inputs.push(executor.inputs(values));
        }
    }
}
