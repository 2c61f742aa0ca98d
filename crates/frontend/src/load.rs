//! From C files to a verified program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ir::{Origin, Program};

use crate::diagnostic::{Diagnostic, Severity, SourcePlace};
use crate::export::{self, ExportError, ExportOptions};
use crate::link::{LinkError, Linker};
use crate::lower::{LowerError, Lowered, OperandOrder, lower_unit};
use crate::models;

/// Stack of a thread that lowers a file: the lowering recurses as deep as the source nests. Only
/// what is used of it takes memory.
const STACK_BYTES: usize = 1 << 30;

/// The options for reading C files.
#[derive(Clone, Debug)]
pub struct Options {
    /// Flags of a compiler driver, the same for all files.
    pub flags: Vec<String>,
    /// A directory with attest's own headers, searched after the user's.
    pub include: Option<PathBuf>,
    /// The directory to compile in; `None` for the current one.
    pub directory: Option<PathBuf>,
    /// The program that runs the exporter, see [`ExportOptions::exporter`].
    pub exporter: Option<PathBuf>,
    /// Time limit for each file.
    pub time_limit: Duration,
    /// The order in which operands are evaluated.
    pub order: OperandOrder,
}

impl Default for Options {
    fn default() -> Self {
        let export = ExportOptions::default();
        Options {
            flags: Vec::new(),
            include: export.include,
            directory: export.directory,
            exporter: export.exporter,
            time_limit: export.time_limit,
            order: OperandOrder::Clang,
        }
    }
}

/// A program, and the diagnostics about its source.
#[derive(Debug)]
pub struct Loaded {
    /// The program; it has been verified.
    pub program: Program,
    /// Constructs that attest does not handle, each with its place.
    pub diagnostics: Vec<Diagnostic>,
}

/// The reason why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or is no C.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A file cannot be lowered.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The files do not fit together.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The models of library functions cannot be unpacked.
    #[error("cannot unpack the models of library functions: {0}")]
    Models(std::io::Error),
    /// No thread can be started, or it failed.
    #[error("cannot lower {path}: {reason}")]
    Thread {
        /// The file.
        path: String,
        /// What happened.
        reason: String,
    },
    /// The lowering made a program that violates an invariant: an error of attest.
    #[error("attest made an invalid program: {}", .0.join("; "))]
    Invalid(Vec<String>),
}

/// Reads C files, lowers them, adds the models they need and links them.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Loaded, Error> {
    let read = |file: &PathBuf| read_unit(file, options, Origin::User);
    let units: Vec<Lowered> = files.iter().map(read).collect::<Result<_, _>>()?;
    let first = units.first().ok_or(LinkError::Nothing)?;
    let mut linker = Linker::new(first.program.target.clone());
    let mut diagnostics = Vec::new();
    for mut unit in units {
        diagnostics.append(&mut unit.diagnostics);
        linker.add_unit(unit)?;
    }
    linker.join_names()?;
    models::add(&mut linker, options)?;
    let linked = linker.finish();
    diagnostics.extend(linked.diagnostics);
    if let Err(violations) = ir::verify(&linked.program) {
        let texts = violations.iter().map(ToString::to_string);
        return Err(Error::Invalid(texts.collect()));
    }
    Ok(Loaded {
        program: linked.program,
        diagnostics,
    })
}

/// Reads one C file and lowers it, without models of the library functions that it calls.
///
/// # Errors
/// The file cannot be read, is no C, or cannot be lowered.
pub fn load_unit(file: &Path, options: &Options) -> Result<Program, Error> {
    Ok(read_unit(file, options, Origin::User)?.program)
}

/// Exports and lowers a file, on a thread whose stack is large enough for any source.
pub(crate) fn read_unit(path: &Path, options: &Options, origin: Origin) -> Result<Lowered, Error> {
    let failed = |reason: String| Error::Thread {
        path: path.display().to_string(),
        reason,
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || export_and_lower(path, options, origin));
        match thread.map_err(|error| failed(error.to_string()))?.join() {
            Ok(result) => result,
            Err(_) => Err(failed("the lowering panicked".to_owned())),
        }
    })
}

fn export_and_lower(path: &Path, options: &Options, origin: Origin) -> Result<Lowered, Error> {
    let export_options = ExportOptions {
        exporter: options.exporter.clone(),
        include: options.include.clone(),
        directory: options.directory.clone(),
        time_limit: options.time_limit,
    };
    let ast = export::export(path, &options.flags, &export_options)?;
    let mut lowered = lower_unit(&ast, &path.display().to_string(), origin, options.order)?;
    let said = ast.diagnostics.iter().map(from_clang);
    lowered.diagnostics.splice(0..0, said);
    Ok(lowered)
}

fn from_clang(diagnostic: &crate::ast::Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: match diagnostic.severity.as_str() {
            "error" | "fatal" => Severity::Error,
            "note" => Severity::Note,
            _ => Severity::Warning,
        },
        message: diagnostic.message.clone(),
        function: None,
        place: diagnostic
            .place
            .as_ref()
            .map(|(path, line, column)| SourcePlace {
                path: path.clone(),
                line: *line,
                column: *column,
            }),
    }
}
