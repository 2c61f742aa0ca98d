//! Finds executions that never end: the same machine state twice (Brent's algorithm).
//!
//! States are compared at backward jumps, whole: slots, calls, and all memory. A snapshot is taken
//! each time the number of steps has doubled, and only some hundred states after it are compared,
//! so that long executions pay nothing.

use crate::code::Pc;
use crate::memory::Memory;
use crate::run::{FrameState, Run};
use crate::value::Value;

/// Steps before the first snapshot.
const FIRST: u64 = 4_096;
/// Backward jumps after a snapshot that are compared with it.
const WINDOW: u32 = 512;
/// States whose slots equal the snapshot's, whose memory is then compared.
const MEMORY_COMPARISONS: u32 = 16;

/// What is remembered of an earlier state.
struct Snapshot {
    pc: Pc,
    stack: Vec<Value>,
    frames: Vec<FrameState>,
    memory: Memory,
    /// How many inputs were taken that are numbered by when they are taken.
    consumed: u64,
    jumps_left: u32,
    comparisons_left: u32,
}

/// Watches an execution.
pub(crate) struct Watch {
    /// Backward jumps are looked at from this number of steps on.
    pub from: u64,
    snapshot: Option<Box<Snapshot>>,
}

impl Default for Watch {
    fn default() -> Self {
        Watch {
            from: FIRST,
            snapshot: None,
        }
    }
}

impl Run<'_, '_> {
    /// Whether the state at this backward jump was met before.
    pub fn repeats(&mut self) -> bool {
        let steps = self.record.steps;
        let Some(mut snapshot) = self.watch.snapshot.take() else {
            self.watch.snapshot = Some(Box::new(Snapshot {
                pc: self.pc,
                stack: self.stack.clone(),
                frames: self.frames.clone(),
                memory: self.memory.clone(),
                consumed: self.counters.consumed,
                jumps_left: WINDOW,
                comparisons_left: MEMORY_COMPARISONS,
            }));
            return false;
        };
        let alike = snapshot.pc == self.pc
            && snapshot.consumed == self.counters.consumed
            && snapshot.stack == self.stack
            && snapshot.frames == self.frames;
        if alike {
            if snapshot.memory.same_contents(&self.memory) {
                return true;
            }
            snapshot.comparisons_left -= 1;
        }
        snapshot.jumps_left -= 1;
        if snapshot.jumps_left > 0 && snapshot.comparisons_left > 0 {
            self.watch.snapshot = Some(snapshot);
        } else {
            self.watch.from = steps.saturating_mul(2);
        }
        false
    }
}
