//! Several searches on files that are read once: a test holds their verdicts against each other.

use std::thread;

use clap::Parser;

use crate::STACK_BYTES;
use crate::cli::cover::CoverArguments;
use crate::cli::{Command, CommandLine};
use crate::commands::cover::cover_unit;
use crate::console::Console;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::status::Status;

/// For each of some command lines the `suite.json` that `attest cover` writes, or nothing where it
/// writes none. All of them name the same files and flags as the first one.
///
/// # Errors
/// A command line is none of `attest cover`, the files cannot be read, or attest fails.
pub fn suites(lines: &[Vec<String>]) -> Result<Vec<Option<String>>, String> {
    let all = lines.iter().map(|line| arguments(line));
    let all = all.collect::<Result<Vec<_>, String>>()?;
    thread::scope(|scope| {
        let working = thread::Builder::new().stack_size(STACK_BYTES);
        let working = working.spawn_scoped(scope, || search_each(&all));
        let working = working.map_err(|error| format!("cannot start a thread: {error}"))?;
        working.join().map_err(|_| "attest failed".to_owned())?
    })
}

fn arguments(line: &[String]) -> Result<CoverArguments, String> {
    let words = ["attest", "cover"].into_iter().map(str::to_owned);
    let read = CommandLine::try_parse_from(words.chain(line.iter().cloned()));
    match read.map(|read| read.command) {
        Ok(Command::Cover(arguments)) => Ok(*arguments),
        Ok(_) => Err("no command line of attest cover".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn search_each(all: &[CoverArguments]) -> Result<Vec<Option<String>>, String> {
    let Some(first) = all.first() else {
        return Ok(Vec::new());
    };
    let mut console = Console::new();
    let mut flags = first.unit.flags.clone();
    let unit = LoadedProgram::load_as_gcc(&first.unit.files, &mut flags);
    let unit = unit.map_err(|failure| told(&failure, &mut console))?;
    let suites = all.iter().cloned().map(|mut arguments| {
        arguments.unit.flags.clone_from(&flags);
        match cover_unit(&arguments, unit.clone(), &mut console) {
            Ok(_) => Ok(std::fs::read_to_string(arguments.output.join("suite.json")).ok()),
            Err(failure) if failure.status == Status::BadInput => Ok(None),
            Err(failure) => Err(told(&failure, &mut console)),
        }
    });
    suites.collect()
}

fn told(failure: &Failure, console: &mut Console) -> String {
    let messages = failure.messages.iter();
    messages.for_each(|message| console.tell(message));
    "attest has no suite".to_owned()
}
