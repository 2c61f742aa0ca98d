//! Executions that end at a limit, and what is behind it.
//!
//! Those that make more choices than are recorded end there: nothing would flip what comes later, and
//! an endless loop makes any number of choices. What is behind a loop of very many rounds is reached
//! all the same, if some of them go on: one once the search is stalled, and another each time that its
//! work has doubled since.
//!
//! Of those that take too many steps, one is executed again when nothing else is left to try: with
//! eight times as many steps, each time that it ends there. Once it does not, the search begins anew,
//! with as many steps for all executions, since flips on its path lead behind the same loops.

use ir::input::InputVector;
use ir::test::LossKind;
use vm::{Defaults, Execution};

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
    /// Whether some execution ended so.
    pub is_met: bool,
    /// What the search had done when an execution last went on.
    went_on_at: u64,
    /// An execution that took too many steps.
    long: Option<InputVector>,
    /// How many steps executions may take beyond the limit of the machine.
    pub more_steps: u64,
}

/// How many times more steps it may take each time.
const LONGER: u64 = 8;

impl Search<'_> {
    /// Records an execution that ended because it made so many choices, or took so many steps.
    pub(super) fn note_limited(&mut self, execution: &Execution) {
        if has_lost(execution, LossKind::ChoiceLimit) {
            self.limited.input = Some(execution.inputs.clone());
            self.limited.is_met = true;
        }
        if has_lost(execution, LossKind::StepLimit) && self.limited.long.is_none() {
            self.limited.long = Some(execution.inputs.clone());
        }
    }

    /// The first execution, again with few recorded choices if it made more than all that can be
    /// recorded: it is in an endless loop, and flips far down on its path are of little use and take
    /// long.
    pub(super) fn without_endless_loop(
        &mut self,
        execution: Execution,
        seed: Option<&dyn Defaults>,
    ) -> Execution {
        if seed.is_some() || !has_lost(&execution, LossKind::ChoiceLimit) {
            return execution;
        }
        self.engine.machine.record_few_choices();
        self.execute_input(&Input {
            vector: &InputVector::default(),
            seed,
            recorded: 0,
            unrecorded: self.options.machine.choice_limit as u64,
        })
    }

    /// How many steps an execution may take that would be executed again, if there is one.
    pub(super) fn longer_execution(&self) -> Option<u64> {
        let is_any = self.options.longer_executions && self.limited.long.is_some();
        let limit = self.options.machine.step_limit;
        let steps = limit.saturating_add(self.limited.more_steps);
        is_any.then_some(steps.saturating_mul(LONGER))
    }

    /// Executes an input again that took too many steps.
    pub(super) fn execute_longer(&mut self) {
        let steps = self.longer_execution();
        let (Some(steps), Some(input)) = (steps, self.limited.long.take()) else {
            return;
        };
        self.limited.more_steps = steps.saturating_sub(self.options.machine.step_limit);
        let execution = self.execute(&input, None);
        if !has_lost(&execution, LossKind::StepLimit) {
            self.tree.begin_anew();
        }
        self.absorb(&execution, None);
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
            self.limited.input = None;
            self.limited.went_on_at = self.work().work;
        }
    }
}

fn has_lost(execution: &Execution, kind: LossKind) -> bool {
    let mut losses = execution.imprecision.losses.iter();
    losses.any(|loss| loss.kind == kind)
}
