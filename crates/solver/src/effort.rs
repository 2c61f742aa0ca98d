//! The work of solvers, counted without a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much work solvers have done that share it: the same for the same queries on every machine.
///
/// The unit is about 30 nanoseconds: a cache line that the SAT solver visits (its "ticks"). Each
/// literal of a clause that it is told counts some, and a query a constant. In links before it, each
/// constraint counts some. Of other programs, the text that they are given counts.
#[derive(Clone, Debug, Default)]
pub struct Effort(Arc<AtomicU64>);

impl Effort {
    /// The work so far.
    pub fn spent(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds work.
    pub fn add(&self, work: u64) {
        self.0.fetch_add(work, Ordering::Relaxed);
    }
}
