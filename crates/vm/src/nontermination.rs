//! Finds executions that never end: the same machine state twice (Brent's algorithm).
//!
//! States are compared at backward jumps, whole: slots, calls, and all memory. A snapshot is taken
//! each time the number of steps has doubled, and only some hundred states after it are compared,
//! so that long executions pay nothing.

use crate::run::Run;
use crate::state::Snapshot;

/// Backward jumps after a snapshot that are compared with it.
const WINDOW: u32 = 512;
/// States whose slots equal the snapshot's, whose memory is then compared.
const MEMORY_COMPARISONS: u32 = 16;

impl Run<'_, '_> {
    /// Whether the state at this backward jump was met before.
    pub fn repeats(&mut self) -> bool {
        if self.show_state() {
            return false;
        }
        let steps = self.state.record.steps;
        let Some(mut snapshot) = self.state.cycles.snapshot.take() else {
            self.state.memory.share();
            self.state.cycles.snapshot = Some(Box::new(Snapshot {
                pc: self.state.pc,
                stack: self.state.stack.clone(),
                frames: self.state.frames.clone(),
                memory: self.state.memory.clone(),
                consumed: self.state.counters.consumed,
                jumps_left: WINDOW,
                comparisons_left: MEMORY_COMPARISONS,
            }));
            return false;
        };
        let alike = snapshot.pc == self.state.pc
            && snapshot.consumed == self.state.counters.consumed
            && snapshot.stack == self.state.stack
            && snapshot.frames == self.state.frames;
        if alike {
            if snapshot.memory.same_contents(&self.state.memory) {
                return true;
            }
            snapshot.comparisons_left -= 1;
        }
        snapshot.jumps_left -= 1;
        if snapshot.jumps_left > 0 && snapshot.comparisons_left > 0 {
            self.state.cycles.snapshot = Some(snapshot);
        } else {
            self.state.cycles.from = steps.saturating_mul(2);
        }
        false
    }
}
