//! Executions that make more choices than are recorded.
//!
//! They end there: nothing would flip what comes later, and an endless loop makes any number of
//! choices. What is behind a loop of very many rounds is reached all the same, if some of them go on:
//! one once the search is stalled, and another each time that its work has doubled since.

use ir::input::InputVector;
use ir::test::LossKind;
use vm::Execution;

use super::Search;
use super::engine::Input;

/// The least work between two executions that go on.
const PAUSE: u64 = 33_000_000;

/// How many more choices such an execution makes.
const UNRECORDED: u64 = 600_000;

/// See the module.
#[derive(Default)]
pub(crate) struct Limited {
    /// The input of the last execution that ended so.
    input: Option<InputVector>,
    /// What the search had done when an execution last went on.
    went_on_at: u64,
}

impl Search<'_> {
    /// Records an execution that ended because it made so many choices.
    pub(super) fn note_limited(&mut self, execution: &Execution) {
        let mut losses = execution.imprecision.losses.iter();
        if losses.any(|loss| loss.kind == LossKind::ChoiceLimit) {
            self.limited.input = Some(execution.inputs.clone());
        }
    }

    /// Executes an input to its end, if it is time to.
    pub(super) fn go_on_where_limited(&mut self) {
        let search = self.work();
        let is_time = search.work >= (2 * self.limited.went_on_at).max(PAUSE);
        if self.limited.input.is_none() || !is_time || !self.provers.is_stalled(search) {
            return;
        }
        if let Some(input) = self.limited.input.take() {
            let execution = self.execute_input(&Input {
                vector: &input,
                seed: None,
                recorded: 0,
                unrecorded: UNRECORDED,
            });
            self.absorb(&execution, None);
            self.limited = Limited {
                input: None,
                went_on_at: self.work().work,
            };
        }
    }
}
