//! The command line of attest: arguments, files, processes, the clock and progress.
//!
//! What this crate deliberately does not know: how programs are read, executed, solved or written;
//! it joins the crates that do.

mod baseline;
mod choice;
mod cli;
mod commands;
mod compilers;
mod console;
mod difference;
mod entry;
mod failure;
mod findings;
mod include;
mod interrupt;
mod lazy;
mod loaded_program;
mod memory;
mod message;
mod native;
mod output;
mod progress;
mod report;
mod searches;
mod seeds;
mod sequence;
mod sources;
mod status;
mod suggest;
mod summary;
mod wcet;

use std::process::ExitCode;
use std::thread;

pub use searches::suites;

use crate::console::Console;
use crate::failure::Failure;
use crate::status::Status;

/// Stack of the working thread: deeply nested C makes for deep recursion. Only what is used of it
/// takes memory.
const STACK_BYTES: usize = 1 << 30;

/// Does what the command line of the process asks for.
pub fn run() -> ExitCode {
    if let Some(code) = frontend::exporter_main_if_requested() {
        return code;
    }
    let command_line = cli::CommandLine::read();
    let working = thread::Builder::new()
        .name("attest".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || commands::execute(&command_line, &mut Console::new()));
    let ended = working.map_err(|error| format!("cannot start a thread: {error}"));
    let ended = ended.and_then(|thread| thread.join().map_err(|_| "attest failed".to_owned()));
    ended.unwrap_or_else(|title| {
        let failure = Failure::internal(title);
        failure
            .messages
            .iter()
            .for_each(|message| Console::new().tell(message));
        Status::Failed.into()
    })
}
