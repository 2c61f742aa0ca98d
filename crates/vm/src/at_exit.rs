//! Functions that run when the program ends: those given to `atexit`.

use ir::test::{BoundKind, Outcome};
use ir::{FunctionId, Type};

use crate::calls::Passed;
use crate::code::{CallCode, Destination, FunctionCode};
use crate::primitives::{Arguments, argument, number_result};
use crate::run::{Run, Step, Stop};

/// How many functions a C library has to take.
const LEAST: usize = 32;

impl Run<'_, '_> {
    /// `atexit`: takes a function.
    pub fn register_at_exit(&mut self, arguments: Arguments, call: &CallCode) -> Step<Passed> {
        let pointer = argument(self, arguments, 0)?;
        let program = self.code.program;
        let parameter = match program.types.kind(call.ty) {
            Type::Function(ty) => ty.parameters.first().copied(),
            _ => None,
        };
        let Some(ty) = parameter.and_then(|parameter| program.types.pointee(parameter)) else {
            return Err(self.unsupported("atexit without a prototype"));
        };
        let function = self.called_function(pointer, ty)?;
        if self.at_exit.len() >= LEAST || !matches!(call.destination, Destination::Nowhere) {
            self.hit(BoundKind::LibraryModel, "atexit takes each function");
        }
        self.at_exit.push(function);
        Ok(number_result(0, 32))
    }

    /// Runs the functions that were registered, the last first, if the program ended so that they are,
    /// and says how it ended then.
    pub fn run_at_exit(&mut self, ended: Result<(), Stop>) -> Result<(), Stop> {
        let mut ended = ended;
        let uses = self.code.uses_at_exit;
        while uses && matches!(ended, Ok(()) | Err(Stop::Exit(_))) {
            if self.code.program.functions[self.entry].name != "main" {
                let detail = "atexit was given no function before";
                self.hit(BoundKind::LibraryModel, detail);
            }
            let Some(function) = self.at_exit.pop() else {
                break;
            };
            if let Err(stop) = self.run_one_at_exit(function) {
                ended = Err(stop);
            }
        }
        ended
    }

    fn run_one_at_exit(&mut self, function: FunctionId) -> Step<()> {
        let code = self.code;
        let FunctionCode::Body(body) = &code.functions[function] else {
            return Err(self.unsupported("a function without a body that is given to atexit"));
        };
        self.push_frame(function, body)?;
        self.pc = body.entry;
        self.execute_frame().map(|_| ())
    }

    /// A function without a body does not return: it may exit or not.
    pub fn ends_unknown(&mut self) -> Stop {
        if !self.at_exit.is_empty() {
            let detail = "a function that does not return runs none that atexit was given";
            self.hit(BoundKind::UnknownCall, detail);
            self.at_exit.clear();
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
