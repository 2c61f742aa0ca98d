//! Proofs that no execution takes an abstract path. Nothing rules out a place on paths through the
//! unit without one, and only two things make one: a [`Candidates`](super::candidates::Candidates)
//! in which none is left, and a [`Pruning`](super::accelerate::Pruning) that gives its evidence.

use crate::acceleration::Acceleration;

/// Evidence of a pruning: no execution follows so many edges of an abstract path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refutation {
    /// The pruning.
    pub by: Acceleration,
    /// The edges, counted from the start of the path.
    pub edges: usize,
}

/// Every flip that could have followed an abstract path was handed out, or a pruning refuted it.
/// [`Candidates::exhausted`](super::candidates::Candidates::exhausted) alone makes one.
#[derive(Debug)]
pub(crate) struct Exhausted {
    refuted: Vec<Refutation>,
}

impl Exhausted {
    /// Exhausted with these refutations. Only [`super::candidates`] may call this, which knows that
    /// nothing else is left.
    pub(super) fn with(refuted: Vec<Refutation>) -> Exhausted {
        Exhausted { refuted }
    }

    /// The most edges that a refuted candidate was to follow: the path may be possible up to there.
    pub fn refuted_edges(&self) -> usize {
        let edges = self.refuted.iter().map(|refutation| refutation.edges);
        edges.max().unwrap_or(0)
    }
}

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
            Proof::Exhausted(exhausted) => &exhausted.refuted,
            Proof::Refuted(refutation) => std::slice::from_ref(refutation),
        }
    }
}
