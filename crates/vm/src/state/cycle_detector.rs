//! What is remembered of earlier states, to find an execution that never ends.

use super::FrameState;
use crate::ids::Pc;
use crate::memory::Memory;
use crate::value::Value;

/// Steps before the first snapshot.
const FIRST: u64 = 4_096;

/// An earlier state, which later ones are compared with.
pub(crate) struct Snapshot {
    pub pc: Pc,
    pub stack: Vec<Value>,
    pub frames: Vec<FrameState>,
    pub memory: Memory,
    /// How many inputs were taken that are numbered by when they are taken.
    pub consumed: u64,
    pub jumps_left: u32,
    pub comparisons_left: u32,
    /// The head of the outermost loop that was repeated since.
    pub outermost: LoopHead,
}

/// Where a jump backwards led.
pub(crate) struct LoopHead {
    pub pc: Pc,
    /// The calls under way there.
    pub frames: Vec<FrameState>,
}

impl LoopHead {
    /// What comes first of a loop that is in others: that of fewer calls, then the earlier one.
    pub fn place(&self) -> (usize, Pc) {
        (self.frames.len(), self.pc)
    }
}

/// Finds a state that an execution was in before (Brent's algorithm).
pub(crate) struct CycleDetector {
    /// Backward jumps are looked at from this number of steps on.
    pub from: u64,
    pub snapshot: Option<Box<Snapshot>>,
}

impl Default for CycleDetector {
    fn default() -> Self {
        CycleDetector {
            from: FIRST,
            snapshot: None,
        }
    }
}

/// For a copy of the state the search for cycles begins anew.
impl Clone for CycleDetector {
    fn clone(&self) -> Self {
        CycleDetector::default()
    }
}
