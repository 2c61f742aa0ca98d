//! The pending flips that may make an abstract path real, best first.
//!
//! A flip leaves when it is handed out, and then the search solves it, when the search has settled
//! it otherwise, or with the evidence of a pruning. So when none is left, that is a proof
//! ([`Exhausted`]). Orderings defer flips; those come back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::accelerate::Refutation;
use crate::path_tree::Flip;

/// The order of candidates, least first: the number of edges of the path before it, its kind, and
/// its cost.
pub(super) type Score = (Reverse<u32>, Kind, u32);

/// The kinds of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A decision of the path.
    Decision,
    /// A branch on which a call is executed.
    Call,
    /// A decision in a call that is replaced on the path.
    Inside,
}

/// Every flip that could have followed an abstract path was handed out or settled by the search, or
/// a pruning refuted it.
/// [`Candidates::exhausted`] alone makes one.
#[derive(Debug)]
pub(crate) struct Exhausted {
    refuted: Vec<Refutation>,
}

impl Exhausted {
    /// The evidence of prunings that it rests on.
    pub fn refuted(&self) -> &[Refutation] {
        &self.refuted
    }

    /// The most edges that a refuted candidate was to follow: the path may be possible up to there.
    pub fn refuted_edges(&self) -> usize {
        let edges = self.refuted.iter().map(Refutation::edges);
        edges.max().unwrap_or(0)
    }
}

/// The flips; see the module.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Of equal scores, the one that was added last comes first.
    ready: BinaryHeap<(Reverse<Score>, u32, Flip)>,
    /// Those that an ordering deferred.
    deferred: Vec<(Score, Flip)>,
    refuted: Vec<Refutation>,
    added: u32,
}

impl Candidates {
    /// Adds a flip.
    pub fn add(&mut self, flip: Flip, score: Score) {
        self.added += 1;
        self.ready.push((Reverse(score), self.added, flip));
    }

    /// Takes the best flip out.
    pub fn take(&mut self) -> Option<(Score, Flip)> {
        let (Reverse(score), _, flip) = self.ready.pop()?;
        Some((score, flip))
    }

    /// The best score.
    pub fn best(&self) -> Option<Score> {
        self.ready.peek().map(|(Reverse(score), ..)| *score)
    }

    /// Defers a flip that was taken out.
    pub fn defer(&mut self, flip: Flip, score: Score) {
        self.deferred.push((score, flip));
    }

    /// Puts the deferred flips back. Returns whether there is anything to try.
    pub fn resume(&mut self) -> bool {
        let deferred = std::mem::take(&mut self.deferred).into_iter();
        let deferred = deferred.map(|(score, flip)| (Reverse(score), u32::MAX, flip));
        self.ready.extend(deferred);
        !self.ready.is_empty()
    }

    /// Leaves a flip out on the evidence of a pruning.
    pub fn refute(&mut self, refutation: Refutation) {
        self.refuted.push(refutation);
    }

    /// The proof that no flip is left, if none is.
    pub fn exhausted(&mut self) -> Option<Exhausted> {
        let is_empty = self.ready.is_empty() && self.deferred.is_empty();
        is_empty.then(|| Exhausted {
            refuted: std::mem::take(&mut self.refuted),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use slotmap::SlotMap;

    use super::{Candidates, Kind, Score};
    use crate::acceleration::Acceleration;
    use crate::lazy::accelerate::Refutation;
    use crate::path_tree::{Flip, NodeId};

    fn score(edges: u32) -> Score {
        (Reverse(edges), Kind::Call, 0)
    }

    #[test]
    fn what_was_put_off_comes_back_before_anything_is_proved() {
        let mut nodes: SlotMap<NodeId, ()> = SlotMap::with_key();
        let mut flip = || Flip {
            node: nodes.insert(()),
            branch: 0,
        };
        let (near, far) = (flip(), flip());
        let mut candidates = Candidates::default();
        candidates.add(near, score(1));
        candidates.add(far, score(2));
        assert_eq!(
            candidates.take(),
            Some((score(2), far)),
            "the farthest first"
        );
        candidates.defer(far, score(2));
        assert_eq!(candidates.take(), Some((score(1), near)));
        assert_eq!(candidates.take(), None);
        assert!(candidates.exhausted().is_none(), "one was put off");
        assert!(candidates.resume());
        candidates.refute(Refutation::of(Acceleration::ReturnedValues, 3));
        assert_eq!(candidates.take(), Some((score(2), far)));
        let exhausted = candidates.exhausted().expect("none is left");
        assert_eq!(exhausted.refuted_edges(), 3);
    }
}
