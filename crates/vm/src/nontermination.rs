//! Finds executions that never end: the same machine state twice (Brent's algorithm).
//!
//! States are compared at backward jumps, whole: slots, calls, and all memory. A snapshot is taken
//! each time the number of steps has doubled, and only some hundred states after it are compared,
//! so that long executions pay nothing.
//!
//! Between a state and its return lies one round of the endless loop. The defect is where the
//! outermost loop of that round begins, so that it is one place, however the round was met.

use ir::DefectKind;
use ir::test::LossKind;

use crate::ids::Pc;
use crate::run::Run;
use crate::state::{LoopHead, Snapshot};
use crate::stop::{Flow, Stop};

/// Backward jumps after a snapshot that are compared with it.
const WINDOW: u32 = 512;
/// States whose slots equal the snapshot's, whose memory is then compared.
const MEMORY_COMPARISONS: u32 = 16;

impl Run<'_, '_> {
    /// Ends the execution at a backward jump if its state was met before.
    pub fn look_for_cycle(&mut self, target: Pc) -> Flow<()> {
        if self.show_state() {
            return Ok(());
        }
        let Some(mut snapshot) = self.state.cycles.snapshot.take() else {
            self.take_snapshot(target);
            return Ok(());
        };
        let frames = &self.state.frames;
        if (frames.len(), target) < snapshot.outermost.place() {
            snapshot.outermost = LoopHead {
                pc: target,
                frames: frames.clone(),
            };
        }
        let alike = snapshot.pc == self.state.pc
            && snapshot.consumed == self.state.counters.consumed
            && snapshot.stack == self.state.stack
            && snapshot.frames == self.state.frames;
        if alike {
            if snapshot.memory.same_contents(&self.state.memory) {
                return Err(self.endless(&snapshot.outermost));
            }
            snapshot.comparisons_left -= 1;
        }
        snapshot.jumps_left -= 1;
        if snapshot.jumps_left > 0 && snapshot.comparisons_left > 0 {
            self.state.cycles.snapshot = Some(snapshot);
        } else {
            self.state.cycles.from = self.state.record.steps.saturating_mul(2);
        }
        Ok(())
    }

    fn take_snapshot(&mut self, target: Pc) {
        self.state.memory.share();
        self.state.cycles.snapshot = Some(Box::new(Snapshot {
            pc: self.state.pc,
            stack: self.state.stack.clone(),
            frames: self.state.frames.clone(),
            memory: self.state.memory.clone(),
            consumed: self.state.counters.consumed,
            jumps_left: WINDOW,
            comparisons_left: MEMORY_COMPARISONS,
            outermost: LoopHead {
                pc: target,
                frames: self.state.frames.clone(),
            },
        }));
    }

    /// The end of an execution that repeats this loop for ever.
    fn endless(&self, head: &LoopHead) -> Stop {
        if self.has_lost(LossKind::Volatile) {
            // A volatile object may end it.
            return Stop::Limit;
        }
        let sites = self.sites_of(head.pc, &head.frames);
        let message = "the program goes on for ever: this state was met before";
        self.defect_at(&sites, DefectKind::NonTermination, message, [])
    }
}
