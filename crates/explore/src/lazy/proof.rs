//! Proofs that no execution takes an abstract path. Nothing rules out a place on paths through the
//! unit without one, and only two things make one: a [`Candidates`](super::candidates::Candidates)
//! in which none is left, and a [`Pruning`](super::accelerate::Pruning) that gives its evidence.

use super::accelerate::Refutation;
use super::candidates::Exhausted;

/// Why no execution reaches a place on paths through the unit.
#[derive(Debug)]
pub(crate) enum Proof {
    /// No candidate is left that could follow the path there.
    Exhausted(Exhausted),
    /// A pruning refutes it.
    Refuted(Refutation),
}

impl Proof {
    /// The prunings that it rests on.
    pub fn prunings(&self) -> &[Refutation] {
        match self {
            Proof::Exhausted(exhausted) => exhausted.refuted(),
            Proof::Refuted(refutation) => std::slice::from_ref(refutation),
        }
    }
}
