//! Executions of concrete values: of a program without inputs, and of a function whose states at
//! jumps backwards someone looks at.
//!
//! Numbers that are inputs of the latter have no terms, except for some that are chosen, so that a
//! step takes no longer than in a plain interpreter, and little is recorded but where control went.
//! Such an execution finds inputs that are worth executing; it shows nothing by itself.

use expr::Terms;
use ir::input::{InputSpace, InputVector};
use ir::test::Outcome;
use ir::{CellId, FunctionId, Trace};

use crate::at_exit::outcome;
use crate::execution::Constraint;
use crate::ids::AllocationId;
use crate::input_provider::InputProvider;
use crate::machine::Machine;
use crate::memory::{Kind, Life};
use crate::passed::Passed;
use crate::run::Run;
use crate::steps::Steps;
use crate::value::Shadow;

/// Objects of more bytes are not shown.
const LARGEST: usize = 512;

/// How many registers and how many static objects are shown.
const MOST_REGISTERS: usize = 256;
const MOST_OBJECTS: usize = 64;

/// How many bytes of an object are shown together.
const TOGETHER: usize = 4;

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is a part of, and where it lies there: the same for all executions.
    pub place: u64,
    /// What it holds.
    pub value: u64,
}

/// Looks at the states of an execution.
pub trait StateObserver: Sync {
    /// Whether states are to be shown.
    fn is_looking(&self) -> bool;

    /// Control jumps backwards at some position in the code, and an input was taken since the last
    /// time that it did. The parts are registers, and small objects that these lead to or that are
    /// static and were changed.
    fn state(&self, position: u32, parts: &[Part]);

    /// Whether a number that is an input, and that was asked for last, has a term.
    fn is_symbolic(&self, cell: CellId) -> bool;
}

/// Someone who looks at the states of an execution, and what was shown last.
pub(crate) struct Watch<'a> {
    observer: &'a dyn StateObserver,
    /// How many inputs were taken then.
    consumed: u64,
    parts: Vec<Part>,
}

/// What a program did that was run without inputs.
#[derive(Clone, Debug)]
pub struct ConcreteRun {
    /// How it ended.
    pub outcome: Outcome,
    /// Its exit status, if it returned or exited.
    pub status: Option<i32>,
    /// What it printed on standard output.
    pub output: Vec<u8>,
    /// How many IR statements and terminators were executed.
    pub steps: u64,
    /// What was not executed as the program means it.
    pub losses: Vec<ir::test::Loss>,
}

/// What an execution of concrete values did.
#[derive(Clone, Debug)]
pub struct ConcreteExecution {
    /// How it ended.
    pub outcome: Outcome,
    /// Where control went.
    pub trace: Trace,
    /// The choices of inputs that have terms: as many as are recorded.
    pub path: Vec<Constraint>,
    /// How many statements and terminators were executed.
    pub steps: u64,
    /// How many calls of functions without a body were executed.
    pub calls: u64,
}

impl Machine<'_> {
    /// Runs `main` with these arguments (the program's name first) and without any input: what
    /// would be one is zero.
    pub fn run(&mut self, main: FunctionId, arguments: &[String]) -> ConcreteRun {
        let (mut space, mut terms) = (InputSpace::default(), Terms::default());
        let inputs = InputVector::default();
        let mut run = self.begin(main, (&inputs).into(), &mut space, &mut terms);
        run.ends_at_reports = true;
        run.make_global_inputs();
        let ended = run.main(main, arguments);
        let returned = match &ended {
            Ok(Passed::Scalar(value, _)) => value.bits as i32,
            _ => 0,
        };
        let outcome = outcome(run.run_at_exit(ended.map(|_| ())));
        let status = match outcome {
            Outcome::Return => Some(returned),
            Outcome::Exit(status) => status,
            _ => None,
        };
        let result = ConcreteRun {
            outcome,
            status,
            output: run.state.output.into_vec(),
            steps: run.state.record.steps,
            losses: run.state.record.imprecision.found.losses,
        };
        (self.memory, self.stack) = (run.state.memory, run.state.stack);
        result
    }

    /// Executes a function on an input for so many steps at most, and shows its states.
    pub fn execute_concretely(
        &mut self,
        (precondition, entry): (Option<FunctionId>, FunctionId),
        (inputs, observer): (InputProvider<'_>, &dyn StateObserver),
        steps: u64,
        space: &mut InputSpace,
        terms: &mut Terms,
    ) -> ConcreteExecution {
        let mut run = self.begin(entry, inputs, space, terms);
        run.state.steps = Steps::new(steps);
        run.step_limit = steps;
        run.choice_limit = inputs.recorded;
        run.unrecorded = u64::MAX;
        run.state.cycles.from = 0;
        run.watch = Some(Watch {
            observer,
            consumed: 0,
            parts: Vec::new(),
        });
        run.make_global_inputs();
        let ended = run.entry(precondition, entry);
        let outcome = run.end(ended);
        run.complete_trace();
        let execution = ConcreteExecution {
            outcome,
            steps: run.state.record.steps,
            calls: run
                .state
                .record
                .calls
                .values()
                .map(|&it| u64::from(it))
                .sum(),
            trace: run.state.record.visited.all,
            path: run.state.record.path.into_vec(),
        };
        (self.memory, self.stack) = (run.state.memory, run.state.stack);
        execution
    }
}

impl Run<'_, '_> {
    /// Whether a number that is an input has a term.
    pub fn has_term(&self, cell: CellId) -> bool {
        let watch = self.watch.as_ref();
        watch.is_none_or(|watch| watch.observer.is_symbolic(cell))
    }

    /// Shows the state to who looks at it, if an input was taken since the last time. Returns
    /// whether someone looks.
    pub fn show_state(&mut self) -> bool {
        let Some(mut watch) = self.watch.take() else {
            return false;
        };
        let is_news = watch.consumed != self.state.counters.consumed;
        if is_news && watch.observer.is_looking() {
            watch.consumed = self.state.counters.consumed;
            watch.parts.clear();
            self.collect_parts(&mut watch.parts);
            watch.observer.state(self.state.pc, &watch.parts);
        }
        self.watch = Some(watch);
        true
    }

    fn collect_parts(&self, parts: &mut Vec<Part>) {
        let mut shown: Vec<AllocationId> = Vec::new();
        let registers = self.state.stack.iter().take(MOST_REGISTERS).enumerate();
        for (number, value) in registers {
            match value.shadow {
                Shadow::None => parts.push(Part {
                    place: number as u64,
                    value: value.bits as u64,
                }),
                Shadow::Pointer(id, _) if !shown.contains(&id) => {
                    shown.push(id);
                    let kind = self.state.memory.get(id).kind;
                    if matches!(kind, Kind::Local | Kind::Heap | Kind::Pointee) {
                        self.add_parts_of(1 << 32 | (number as u64) << 16, id, parts);
                    }
                }
                _ => {}
            }
        }
        for &id in self.state.memory.changed().iter().take(MOST_OBJECTS) {
            if !shown.contains(&id) {
                self.add_parts_of(2 << 32 | u64::from(id.0) << 16, id, parts);
            }
        }
    }

    fn add_parts_of(&self, place: u64, id: AllocationId, parts: &mut Vec<Part>) {
        let allocation = self.state.memory.get(id);
        if allocation.life != Life::Live || allocation.bytes.len() > LARGEST {
            return;
        }
        let chunks = allocation.bytes.chunks(TOGETHER).enumerate();
        parts.extend(chunks.map(|(number, bytes)| {
            let bytes = bytes.iter().rev();
            Part {
                place: place | number as u64,
                value: bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)),
            }
        }));
    }
}
