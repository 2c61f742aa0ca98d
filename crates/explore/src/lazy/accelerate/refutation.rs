//! The evidence of a pruning. This folder alone can make one, and orderings have nothing to give it
//! to.

use crate::acceleration::Acceleration;

/// Evidence of a pruning: no execution follows so many edges of an abstract path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refutation {
    by: Acceleration,
    edges: usize,
}

impl Refutation {
    /// The evidence of a pruning, with edges counted from the start of the path.
    pub(super) const fn new(by: Acceleration, edges: usize) -> Refutation {
        Refutation { by, edges }
    }

    /// The same, for tests of what is made of it.
    #[cfg(test)]
    pub(crate) const fn of(by: Acceleration, edges: usize) -> Refutation {
        Refutation::new(by, edges)
    }

    /// The pruning.
    pub fn by(&self) -> Acceleration {
        self.by
    }

    /// The edges that no execution follows, counted from the start of the path.
    pub fn edges(&self) -> usize {
        self.edges
    }
}
