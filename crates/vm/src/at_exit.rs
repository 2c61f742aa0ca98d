//! Functions that run when the program ends: those given to `atexit`.

use ir::Type;
use ir::test::{BoundKind, Outcome};

use crate::code::{CallCode, Destination, FunctionCode};
use crate::passed::Passed;
use crate::primitives::{Arguments, argument, number_result};
use crate::run::Run;
use crate::state::AtExit;
use crate::stop::{Flow, Stop};
use crate::value::Shadow;

/// How many functions a C library has to take.
const LEAST: usize = 32;

/// The bound that none of them fails to be taken.
const TAKES_EACH: &str = "atexit takes each function";

impl Run<'_, '_> {
    /// `atexit`: takes a function.
    pub fn register_at_exit(&mut self, arguments: Arguments, call: &CallCode) -> Flow<Passed> {
        let pointer = argument(self, arguments, 0)?;
        let program = self.code.program;
        let parameter = match program.types.kind(call.ty) {
            Type::Function(ty) => ty.parameters.first().copied(),
            _ => None,
        };
        let Some(ty) = parameter.and_then(|parameter| program.types.pointee(parameter)) else {
            return Err(self.unsupported("atexit without a prototype"));
        };
        let function = match pointer.shadow {
            Shadow::Lazy(cell) => self.resolve_to_call(cell)?,
            _ => self.used(pointer)?,
        };
        if function.bits == 0 {
            self.called_function(pointer, ty)?;
        }
        if self.state.at_exit.len() >= LEAST || !matches!(call.destination, Destination::Nowhere) {
            self.hit(BoundKind::LibraryModel, TAKES_EACH);
        }
        self.state.at_exit.push(AtExit {
            function,
            ty,
            at: self.state.pc,
        });
        self.narrow_error_number();
        Ok(number_result(0, 32))
    }

    /// Runs the functions that were registered, the last first, if the program ended so that they
    /// are, and says how it ended then.
    pub fn run_at_exit(&mut self, ended: Result<(), Stop>) -> Result<(), Stop> {
        let mut ended = ended;
        let mut is_first = true;
        let uses = self.code.features.uses_at_exit;
        while uses && matches!(ended, Ok(()) | Err(Stop::Exit(_))) {
            if self.code.program.functions[self.entry].name != "main" {
                let detail = "atexit was given no function before";
                self.hit(BoundKind::LibraryModel, detail);
            }
            let Some(given) = self.state.at_exit.pop() else {
                break;
            };
            // If `atexit` had not taken one that ran before, this one would meet another state.
            if !std::mem::take(&mut is_first) {
                self.hit(BoundKind::LibraryModel, TAKES_EACH);
            }
            if let Err(stop) = self.run_one_at_exit(given) {
                ended = Err(stop);
            }
        }
        ended
    }

    fn run_one_at_exit(&mut self, given: AtExit) -> Flow<()> {
        let code = self.code;
        // A defect of the pointer is reported where it was given.
        let before = std::mem::replace(&mut self.state.pc, given.at);
        let function = self.called_function(given.function, given.ty)?;
        self.state.pc = before;
        let FunctionCode::Body(body) = &code.functions[function] else {
            return Err(self.unsupported("a function without a body that is given to atexit"));
        };
        self.push_frame(function, body)?;
        self.begin(function, body);
        self.execute_frame().map(|_| ())
    }

    /// A function without a body does not return: it may exit or not.
    pub fn ends_unknown(&mut self) -> Stop {
        if !self.state.at_exit.is_empty() {
            let detail = "a function that does not return runs none that atexit was given";
            self.hit(BoundKind::UnknownCall, detail);
            self.state.at_exit.clear();
        }
        Stop::Exit(None)
    }
}

/// How an execution ended.
pub(crate) fn outcome(ended: Result<(), Stop>) -> Outcome {
    match ended {
        Ok(()) => Outcome::Return,
        Err(stop) => stop.outcome(),
    }
}
