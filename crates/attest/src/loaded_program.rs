//! Reads the C files, and reports the front-end's diagnostics about them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use analysis::Reach;
use frontend::export::ExportError;
use frontend::{Diagnostic, Error, LowerError, OperandOrder, Options, Severity as Weight, ast};
use ir::{CodeIndex, FunctionId, Program};

use crate::cli::common::stray_word;
use crate::console::Console;
use crate::failure::Failure;
use crate::include;
use crate::message::{Message, Severity};
use crate::sources::SourceRange;
use crate::status::Status;

/// Constructs that are warned of one by one; the rest is counted.
const WARNINGS: usize = 4;

/// Flags for what gcc before version 14 warns of, and clang since version 16 refuses.
const LENIENT: [&str; 4] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
];

/// The program of some C files, with the diagnostics about them.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// The program.
    pub program: Program,
    /// How long reading took.
    pub reading: Duration,
    diagnostics: Vec<Diagnostic>,
}

impl LoadedProgram {
    /// Reads C files, compiled with these flags, into one program.
    pub fn load(files: &[PathBuf], flags: &[String]) -> Result<LoadedProgram, Failure> {
        Self::load_ordered(files, flags, OperandOrder::Clang)
    }

    /// The same for files that gcc before version 14 accepts, though they break rules of C: calls of
    /// functions that nothing declares, for one. The flags that have clang accept them, and gcc since
    /// then, are added to the others.
    pub fn load_as_gcc(
        files: &[PathBuf],
        flags: &mut Vec<String>,
    ) -> Result<LoadedProgram, Failure> {
        let strict = Self::load(files, flags);
        let Err(failure) = strict else {
            return strict;
        };
        if failure.status != Status::BadInput {
            return Err(failure);
        }
        let lenient = LENIENT.map(str::to_owned);
        let all: Vec<String> = flags.iter().cloned().chain(lenient).collect();
        let Ok(mut loaded) = Self::load(files, &all) else {
            return Err(failure);
        };
        let needed = LENIENT.join(" ");
        loaded.diagnostics.push(Diagnostic {
            severity: Weight::Warning,
            message: format!("the program breaks rules of C; it is compiled with {needed}"),
            function: None,
            place: None,
        });
        *flags = all;
        Ok(loaded)
    }

    /// The same, with operands evaluated in some order.
    pub fn load_ordered(
        files: &[PathBuf],
        flags: &[String],
        order: OperandOrder,
    ) -> Result<LoadedProgram, Failure> {
        let started = Instant::now();
        if let Some(word) = stray_word(flags) {
            return Err(Failure::bad_input(
                format!("`{word}` behind `--` is no flag"),
                "behind `--` stand flags of the compiler; C files stand in front of it",
            ));
        }
        let options = Options {
            flags: flags.to_vec(),
            include: include::folder(),
            order,
            ..Options::default()
        };
        let mut loaded = frontend::load(files, &options).map_err(unusable)?;
        explore::callers::add_functions(&mut loaded.program);
        Ok(LoadedProgram {
            program: loaded.program,
            diagnostics: loaded.diagnostics,
            reading: started.elapsed(),
        })
    }

    /// Warns of constructs that will leave goals undecided: those that attest does not handle in
    /// the functions that the entries can reach.
    pub fn warn(&self, entries: &[FunctionId], console: &mut Console) {
        let index = CodeIndex::new(&self.program);
        let reach = Reach::new(&self.program, &index);
        let reached: BTreeSet<&str> = entries
            .iter()
            .flat_map(|&entry| reach.functions_from(entry))
            .map(|function| self.program.functions[function].name.as_str())
            .collect();
        let matters = |diagnostic: &&Diagnostic| match &diagnostic.function {
            Some(function) => reached.contains(function.as_str()),
            None => true,
        };
        let told: Vec<&Diagnostic> = self.diagnostics.iter().filter(matters).collect();
        for diagnostic in told.iter().take(WARNINGS) {
            console.tell(&message(diagnostic));
        }
        if told.len() > WARNINGS {
            let more = told.len() - WARNINGS;
            let title = format!("{more} more constructs are not supported");
            console.tell(&Message::new(Severity::Warning, title));
        }
    }
}

/// The failure when there is no program.
fn unusable(error: Error) -> Failure {
    let help = match &error {
        Error::Export(ExportError::Diagnostics(all)) => return no_valid_c(all),
        Error::Export(ExportError::Unreadable { .. }) => {
            "check the path; it is relative to the current folder"
        }
        Error::Export(ExportError::TimedOut { .. }) => {
            "the machine may be busy, or the file too large; try again, or with a part of it"
        }
        Error::Export(ExportError::NoResources) => "install the package, or build attest anew",
        Error::Lower(LowerError::BigEndian { .. } | LowerError::PointerWidth { .. }) => {
            "choose another target in the flags after --"
        }
        Error::Link(_) => "give files that link to one program, or cover them one by one",
        Error::Export(ExportError::Process(_)) | Error::Models(_) => {
            "attest needs room for temporary files (TMPDIR), and processes"
        }
        _ => return Failure::internal(error.to_string()),
    };
    Failure::bad_input(error.to_string(), help)
}

/// The failure when clang does not accept a file.
fn no_valid_c(all: &[ast::Diagnostic]) -> Failure {
    let errors = all
        .iter()
        .filter(|diagnostic| matches!(diagnostic.severity.as_str(), "error" | "fatal"));
    let mut messages: Vec<Message> = errors
        .map(|diagnostic| {
            let message = Message::new(Severity::Error, diagnostic.message.as_str());
            match &diagnostic.place {
                Some((path, line, column)) => message.at(point(path, *line, *column), ""),
                None => message,
            }
        })
        .collect();
    let missing_header = all
        .iter()
        .any(|error| error.message.contains("file not found"));
    let help = if missing_header {
        "name the header's folder after `--`, as in: attest cover FILE.c -- -IFOLDER"
    } else {
        "the file must compile; flags that it needs go after `--`, as in: -- -std=gnu11 -DNAME"
    };
    if let Some(last) = messages.pop() {
        messages.push(last.help(help));
    }
    Failure {
        status: Status::BadInput,
        messages,
    }
}

fn point(path: &str, line: u32, column: u32) -> SourceRange {
    SourceRange {
        path: path.to_owned(),
        begin: (line, column),
        end: (line, column),
    }
}

fn message(diagnostic: &Diagnostic) -> Message {
    let severity = match diagnostic.severity {
        Weight::Error => Severity::Error,
        Weight::Warning | Weight::Note => Severity::Warning,
    };
    let message = Message::new(severity, diagnostic.message.as_str());
    match &diagnostic.place {
        None => message,
        Some(place) => message.at(point(&place.path, place.line, place.column), ""),
    }
}
