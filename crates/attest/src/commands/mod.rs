//! The commands of the command line.

mod bench;
mod check;
pub mod cover;
mod explain;
mod goal_places;
mod goals;
mod nearest;
mod replay;
mod run;
mod suite_folders;
mod witness;

use std::process::ExitCode;

use crate::cli::{Command, CommandLine};
use crate::console::Console;
use crate::failure::Failure;

/// Executes the command of the command line, and reports failures.
pub fn execute(command_line: &CommandLine, console: &mut Console) -> ExitCode {
    let done = match &command_line.command {
        Command::Cover(arguments) => cover::cover(arguments, console).map(ExitCode::from),
        Command::Explain(arguments) => explain::explain(arguments, console).map(ExitCode::from),
        Command::Check(arguments) => check::check(arguments, console).map(ExitCode::from),
        Command::Witness(arguments) => witness::witness(arguments, console).map(ExitCode::from),
        Command::Goals(arguments) => goals::goals(arguments, console).map(ExitCode::from),
        Command::Replay(arguments) => replay::replay(arguments, console).map(ExitCode::from),
        Command::Run(arguments) => run::run(arguments, console),
        Command::Bench(arguments) => bench::bench(arguments, console).map(ExitCode::from),
    };
    done.unwrap_or_else(|failure: Failure| {
        for message in &failure.messages {
            console.tell(message);
        }
        ExitCode::from(failure.status)
    })
}
