//! `attest run`: a program executed concretely in the machine.

use std::process::ExitCode;
use std::time::Instant;

use ir::test::{Defect, Frame, Outcome};
use ir::{CodeIndex, Program};
use vm::{ConcreteRun, Config, Machine};

use crate::choice::Choice;
use crate::cli::run::RunArguments;
use crate::console::Console;
use crate::entry;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::memory;
use crate::message::{Message, Severity};
use crate::native::{self, Host};
use crate::sources::SourceRange;
use crate::status::Status;

/// Runs the program; its exit status is the program's.
pub fn run(arguments: &RunArguments, console: &mut Console) -> Result<ExitCode, Failure> {
    let mut flags = arguments.flags.clone();
    let unit = LoadedProgram::load_as_gcc(&arguments.files, &mut flags)?;
    let program = &unit.program;
    let main = entry::by_name(program, "main")?;
    let natives = native::functions(&Choice::Auto, program)?;
    let config = Config {
        policies: native::policies(program, &natives).collect(),
        step_limit: arguments.step_limit,
        allocation_failures: false,
        ..Config::default()
    };
    let started = Instant::now();
    let index = CodeIndex::new(program);
    let host = Host::new(program, natives, &flags);
    let mut machine = Machine::new(program, &index, config).with_natives(&host);
    let done = machine.run(main, &command_line(arguments));
    let seconds = started.elapsed().as_secs_f64();
    console.write(&done.output)?;
    if arguments.statistics {
        let statistics = serde_json::json!({
            "steps": done.steps,
            "seconds": seconds,
            "peak_memory_bytes": memory::peak_bytes(),
        });
        eprintln!("{statistics}");
    }
    Ok(tell_end(program, &done, console))
}

/// The program's arguments: its name first.
fn command_line(arguments: &RunArguments) -> Vec<String> {
    let name = arguments.files.first().and_then(|file| file.file_stem());
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut all = vec![name];
    all.extend(arguments.arguments.iter().cloned());
    all
}

/// Tells how the program ended, if there is something to tell, and gives the exit status.
fn tell_end(program: &Program, run: &ConcreteRun, console: &mut Console) -> ExitCode {
    for loss in &run.losses {
        let title = format!("{}: {}", loss.kind.name(), loss.detail);
        let message = Message::new(Severity::Warning, title);
        console.tell(&with_stack(program, message, &loss.stack));
    }
    match (&run.outcome, run.status) {
        (Outcome::Defect(defect), _) => {
            console.tell(&defect_message(program, defect));
            Status::DefectFound.into()
        }
        (Outcome::Return | Outcome::Exit(_), Some(status)) => ExitCode::from(status as u8),
        _ => {
            let title = "the program was not run to its end";
            let help = "a warning above says why; --step-limit sets how far it may go";
            console.tell(&Message::new(Severity::Error, title).help(help));
            Status::Undecided.into()
        }
    }
}

fn defect_message(program: &Program, defect: &Defect) -> Message {
    let title = format!("{}: {}", defect.kind, defect.message);
    with_stack(
        program,
        Message::new(Severity::Defect, title),
        &defect.stack,
    )
}

/// Adds the place, with its source, and the callers.
fn with_stack(program: &Program, message: Message, stack: &[Frame]) -> Message {
    let Some((here, callers)) = stack.split_first() else {
        return message;
    };
    let message = message.at(SourceRange::of(program, &here.span), "");
    callers.iter().fold(message, |message, caller| {
        let function = &program.functions[caller.function].name;
        let place = SourceRange::of(program, &caller.span).text();
        message.note(format!("called from {function} at {place}"))
    })
}
