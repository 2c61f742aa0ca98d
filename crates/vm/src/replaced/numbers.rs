//! The numbers of inputs that are counted, such as what functions without a body return, after
//! calls that are replaced.
//!
//! Facts that are learned from an executed call refer to the inputs that it took by their numbers.
//! A replaced call takes none. If the numbers went on, the next input of that kind would have the
//! number of one that the facts refer to, though it is another input. So the numbers after a
//! replaced call lie in a range of their own. Executions that replace no call count from 0, as
//! tests do. They begin again once the precondition holds, which tests do not call, and whose inputs
//! have a range of their own as well.

use ir::FunctionId;
use ir::input::OF_PRECONDITION;
use ir::test::LossKind;

use crate::config::CallPolicy;
use crate::ids::AllocationId;
use crate::memory::{INITIALISED, Kind, Life, UNSEEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::state::Counters;
use crate::stop::Flow;

/// The first number after a replaced call.
const FIRST: u32 = 1 << 31;

const _: () = assert!(FIRST - OF_PRECONDITION >= OF_PRECONDITION);

/// How many numbers lie between one replaced call and the next.
const STRIDE: u32 = 1 << 19;

/// The most calls that may be replaced in one execution and take inputs.
const MOST: u32 = (u32::MAX - FIRST) / STRIDE;

/// How many inputs of its kind were taken in the execution before the one with this number.
pub(crate) fn counted(number: u32) -> u32 {
    match number.checked_sub(FIRST) {
        Some(offset) => offset % STRIDE,
        None => number.checked_sub(OF_PRECONDITION).unwrap_or(number),
    }
}

impl Run<'_, '_> {
    /// The number of the next input of a kind of which `count` were taken before. Records a loss
    /// where there is none.
    pub fn numbered(&mut self, count: u32) -> u32 {
        let skipped = self.state.calls.skipped;
        if count
            >= if skipped == 0 {
                OF_PRECONDITION
            } else {
                STRIDE
            }
        {
            let detail = "so many inputs are taken that they have no numbers of their own";
            self.lose(LossKind::ChoiceLimit, detail);
        }
        match skipped {
            0 if self.state.counters.of_precondition => OF_PRECONDITION + count % OF_PRECONDITION,
            0 => count,
            _ => FIRST + (skipped - 1) * STRIDE + count % STRIDE,
        }
    }

    /// Has the numbers begin again, as they do in a test: what comes now is the entry function's. They
    /// go on after a replaced call, as the same numbers would be others' otherwise.
    pub fn number_inputs_of_entry(&mut self) {
        self.state.counters.of_precondition = false;
        self.state.record.given.clear();
        if self.state.calls.skipped > 0 {
            return;
        }
        self.state.counters = Counters {
            consumed: self.state.counters.consumed,
            ..Counters::default()
        };
        // A test has to define the functions that the precondition calls.
        let counts = self.state.record.calls.values_mut();
        counts.for_each(|count| *count = 0);
    }

    /// Whether a call that is replaced would take inputs that are numbered, by its code or since it
    /// may read a local which was not written.
    pub(super) fn may_take_inputs(&self, function: FunctionId, arguments: &[Passed]) -> bool {
        let code = self.code;
        let Some(CallPolicy::Abstract(effects)) = code.config.policies.get(&function) else {
            return false;
        };
        let reached = || self.reachable(function, arguments, &self.globals_used(effects));
        effects.takes_inputs || reached().keys().any(|&id| self.is_unnamed_unwritten(id))
    }

    /// Whether an object is a local with bytes that were not written, and that has no number yet.
    fn is_unnamed_unwritten(&self, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        let is_unwritten = |flags: &u8| flags & (INITIALISED | UNSEEN) == 0;
        let is_whole = allocation.flags.len() as u64 == allocation.size;
        allocation.kind == Kind::Local
            && allocation.life == Life::Live
            && allocation.history.unwritten.is_none()
            && (allocation.flags.iter().any(is_unwritten)
                || (!is_whole && is_unwritten(&allocation.fill)))
    }

    /// Counts a replaced call that would take inputs.
    pub(super) fn skip_numbers(&mut self) -> Flow<()> {
        if self.state.calls.skipped == MOST {
            let detail = "too many calls that take inputs are replaced";
            return Err(self.limit(LossKind::ChoiceLimit, detail));
        }
        self.state.calls.skipped += 1;
        Ok(())
    }
}
