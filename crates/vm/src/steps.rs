//! How many steps an execution may take, and when it looks at whether it is to end.

/// Steps between two looks at whether the execution is to end: about 20 µs of concrete code.
const BETWEEN_LOOKS: u64 = 1024;

/// Counts the steps of an execution against its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    allowed: u64,
    next_look: u64,
}

impl Steps {
    /// An execution of that many steps at most.
    pub fn new(allowed: u64) -> Steps {
        Steps {
            allowed,
            next_look: allowed.min(BETWEEN_LOOKS),
        }
    }

    /// Whether there is something to look at after that many steps.
    #[inline(always)]
    pub fn is_time_to_look(&self, taken: u64) -> bool {
        taken > self.next_look
    }

    /// Whether that many steps are too many.
    pub fn is_past_limit(&self, taken: u64) -> bool {
        taken > self.allowed
    }

    /// Sets the next look, after that many steps.
    pub fn look_later(&mut self, taken: u64) {
        self.next_look = self.allowed.min(taken + BETWEEN_LOOKS);
    }

    /// Ends the execution after the current block.
    pub fn end(&mut self) {
        *self = Steps::new(0);
    }

    /// Takes steps away from those that are allowed.
    pub fn reduce(&mut self, by: u64) {
        self.allowed = self.allowed.saturating_sub(by);
        self.next_look = self.next_look.min(self.allowed);
    }
}
