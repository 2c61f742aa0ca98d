//! Functions without a body that end the program.

use ir::FunctionId;

use crate::code::CallCode;
use crate::run::Run;
use crate::stop::Flow;

/// When a function of the C library ends the program with the status that is its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Always,
    /// Always, and without the functions that `atexit` was given.
    Quickly,
    /// Unless that is 0.
    UnlessZero,
}

fn ends(name: &str) -> Option<Ends> {
    match name {
        "err" | "errx" | "verr" | "verrx" => Some(Ends::Always),
        "quick_exit" => Some(Ends::Quickly),
        "error" | "error_at_line" => Some(Ends::UnlessZero),
        _ => None,
    }
}

impl Run<'_, '_> {
    /// Ends the execution after a call of a function that ends the program.
    pub fn end_program(&mut self, function: FunctionId, call: &CallCode) -> Flow<()> {
        let program = self.code.program;
        let data = &program.functions[function];
        let ends = ends(&data.name).filter(|_| program.is_library(function));
        let Some(ends) = ends else {
            return match data.noreturn {
                true => Err(self.ends_unknown()),
                false => Ok(()),
            };
        };
        let arguments = self.scalar_arguments(call)?;
        match ends {
            Ends::Always => {}
            Ends::Quickly => self.state.at_exit.clear(),
            Ends::UnlessZero => {
                if let Some(&(status, scalar)) = arguments.first()
                    && !self.branch(status, scalar)?
                {
                    return Ok(());
                }
            }
        }
        Err(self.exit_status(&arguments))
    }
}
