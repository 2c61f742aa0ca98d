//! The numbers of inputs that are counted, such as what functions without a body return, behind calls that are
//! replaced.
//!
//! What is learnt of a call that was executed speaks of the inputs that it took, by their numbers. Where the call is
//! replaced it takes none, and the next input of that kind is another one: so it has a number that no execution of
//! the call gives. Executions that replace nothing count from 0 on, as tests do.

use ir::FunctionId;
use ir::test::LossKind;

use crate::CallPolicy;
use crate::run::{Run, Step};

/// The first number behind a replaced call.
const FIRST: u32 = 1 << 31;

/// How many numbers lie between one replaced call and the next.
const STRIDE: u32 = 1 << 19;

/// The most calls that may be replaced in one execution and take inputs.
const MOST: u32 = (u32::MAX - FIRST) / STRIDE;

/// Which input of its kind one with this number is, among those that were taken in the execution.
pub(crate) fn counted(number: u32) -> u32 {
    match number.checked_sub(FIRST) {
        Some(behind) => behind % STRIDE,
        None => number,
    }
}

impl Run<'_, '_> {
    /// The number of an input of which so many others of its kind were taken before.
    pub fn numbered(&mut self, count: u32) -> u32 {
        let skipped = self.calls.skipped;
        if count >= if skipped == 0 { FIRST } else { STRIDE } {
            let detail = "so many inputs are taken that they have no numbers of their own";
            self.lose(LossKind::ChoiceLimit, detail);
        }
        match skipped {
            0 => count,
            _ => FIRST + (skipped - 1) * STRIDE + count % STRIDE,
        }
    }

    /// Records that a call is replaced which would take inputs that are numbered.
    pub(super) fn skip_numbers(&mut self, function: FunctionId) -> Step<()> {
        let policy = self.code.config.policies.get(&function);
        if !matches!(policy, Some(CallPolicy::Abstract(effects)) if effects.takes_inputs) {
            return Ok(());
        }
        if self.calls.skipped == MOST {
            let detail = "too many calls that take inputs are replaced";
            return Err(self.limit(LossKind::ChoiceLimit, detail));
        }
        self.calls.skipped += 1;
        Ok(())
    }
}
