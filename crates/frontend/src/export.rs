//! Starts the exporter on a C file and reads its document.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::Deserialize;
use tempfile::NamedTempFile;

use crate::ast::{Diagnostic, TranslationUnit};
use crate::clang::EXPORT_ARGUMENT;

/// Clang's own headers, of the version that attest was built with.
const RESOURCES: &str = env!("ATTEST_CLANG_RESOURCES");

/// The version of clang that attest was built with.
pub const CLANG_VERSION: &str = env!("ATTEST_CLANG_VERSION");

/// The signal that ends an exporter at its time limit.
const SIGXCPU: i32 = 24;

/// How much of a crashed exporter's standard error is kept, in bytes.
const TAIL_BYTES: usize = 4000;

/// The options of an export.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The program that exports, which calls [`crate::clang::exporter_main_if_requested`]; `None`
    /// for the running program.
    pub exporter: Option<PathBuf>,
    /// A directory that is searched for headers after the user's: attest's own `include/`.
    pub include: Option<PathBuf>,
    /// The directory to compile in, which relative paths refer to; `None` for the current one.
    pub directory: Option<PathBuf>,
    /// Limit of processor time, so that a busy machine changes nothing; in whole seconds (rounded
    /// up).
    pub time_limit: Duration,
}

impl Default for ExportOptions {
    fn default() -> Self {
        ExportOptions {
            exporter: None,
            include: None,
            directory: None,
            time_limit: Duration::from_secs(120),
        }
    }
}

/// The reason why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no such file, or it cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The C file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is not valid C, as far as clang knows.
    #[error("{}", Messages(.0))]
    Diagnostics(Vec<Diagnostic>),
    /// The exporter ended without a document.
    #[error("the exporter failed on {} ({status}): {stderr}", path.display())]
    Crashed {
        /// The C file.
        path: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// The end of its standard error.
        stderr: String,
    },
    /// It took more processor time than the limit.
    #[error("{} is not parsed within {} s of processor time", path.display(), limit.as_secs())]
    TimedOut {
        /// The C file.
        path: PathBuf,
        /// The limit.
        limit: Duration,
    },
    /// The exporter could not be started, or its document not be kept.
    #[error("cannot run the exporter: {0}")]
    Process(#[from] io::Error),
    /// Clang's headers are not where they were when attest was built.
    #[error(
        "clang's headers are missing from {RESOURCES} (package libclang-common-{CLANG_VERSION}-dev)"
    )]
    NoResources,
    /// The document is not what this side of the format expects.
    #[error("the exporter's document on {} is not understood: {error}", path.display())]
    Malformed {
        /// The C file.
        path: PathBuf,
        /// What is wrong.
        error: serde_json::Error,
    },
}

/// Errors as compilers write them, one a line.
struct Messages<'a>(&'a [Diagnostic]);

impl fmt::Display for Messages<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.0.iter().filter(|each| is_error(each));
        for (index, each) in errors.enumerate() {
            if index > 0 {
                writeln!(formatter)?;
            }
            if let Some((file, line, column)) = &each.place {
                write!(formatter, "{file}:{line}:{column}: ")?;
            }
            write!(formatter, "{}", each.message)?;
        }
        Ok(())
    }
}

/// The document of a translation unit: the C file, compiled with these flags of a compiler driver.
///
/// Flags about the output (`-c`, `-o`, `-O2`, `-MD`, …) are dropped.
pub fn export(
    path: &Path,
    flags: &[String],
    options: &ExportOptions,
) -> Result<TranslationUnit, ExportError> {
    check_readable(path, options)?;
    if !Path::new(RESOURCES).join("include/stddef.h").exists() {
        return Err(ExportError::NoResources);
    }
    let document = NamedTempFile::new()?;
    let stderr = tempfile::tempfile()?;
    let exporter = match &options.exporter {
        Some(exporter) => exporter.clone(),
        None => std::env::current_exe()?,
    };
    let seconds = options.time_limit.as_secs_f64().ceil().max(1.0);
    let mut command = Command::new(exporter);
    command
        .arg(EXPORT_ARGUMENT)
        .arg(document.path())
        .arg(seconds.to_string())
        .args(driver_arguments(path, flags, options))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr.try_clone()?);
    if let Some(directory) = &options.directory {
        command.current_dir(directory);
    }
    let status = command.status()?;
    if status.signal() == Some(SIGXCPU) {
        return Err(ExportError::TimedOut {
            path: path.to_owned(),
            limit: options.time_limit,
        });
    }
    if !status.success() {
        return Err(ExportError::Crashed {
            path: path.to_owned(),
            status,
            stderr: tail(stderr)?,
        });
    }
    read(path, &std::fs::read(document.path())?)
}

/// A missing file gets a plain message, not the compiler's.
fn check_readable(path: &Path, options: &ExportOptions) -> Result<(), ExportError> {
    let directory = options.directory.clone().unwrap_or_default();
    let opened = std::fs::File::open(directory.join(path));
    let readable = opened.and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(()),
    });
    readable.map_err(|error| ExportError::Unreadable {
        path: path.to_owned(),
        error,
    })
}

/// The command line of clang's driver.
fn driver_arguments(path: &Path, flags: &[String], options: &ExportOptions) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec![format!("clang-{CLANG_VERSION}").into()];
    arguments.extend(relevant(flags).map(OsString::from));
    arguments.extend(["-fsyntax-only", "-w", "-D__ATTEST__=1"].map(OsString::from));
    arguments.extend(["-resource-dir", RESOURCES].map(OsString::from));
    if let Some(include) = &options.include {
        arguments.extend(["-idirafter".into(), include.clone().into()]);
    }
    arguments.extend(["--".into(), path.into()]);
    arguments
}

/// The flags that may change the meaning of a file.
fn relevant(flags: &[String]) -> impl Iterator<Item = &String> {
    let mut value_follows = false;
    flags.iter().filter(move |flag| {
        if std::mem::take(&mut value_follows) {
            return false;
        }
        value_follows = matches!(flag.as_str(), "-o" | "-MF" | "-MT" | "-MQ" | "-MJ");
        !(value_follows || is_about_output(flag))
    })
}

/// Whether a flag is only about the output.
fn is_about_output(flag: &str) -> bool {
    let exact = [
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-MD",
        "-MMD",
        "-MP",
        "-MG",
        "-pipe",
        "--coverage",
    ];
    let starts = [
        "-O",
        "-o",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-save-temps",
        "--save-temps",
    ];
    exact.contains(&flag) || starts.iter().any(|start| flag.starts_with(start))
}

/// The end of a process's standard error.
fn tail(mut stderr: std::fs::File) -> io::Result<String> {
    use std::io::{Read as _, Seek as _};
    let mut said = Vec::new();
    stderr.rewind()?;
    stderr.read_to_end(&mut said)?;
    let from = said.len().saturating_sub(TAIL_BYTES);
    Ok(String::from_utf8_lossy(&said[from..]).trim().to_owned())
}

/// The document, or its errors if it holds nothing else.
fn read(path: &Path, json: &[u8]) -> Result<TranslationUnit, ExportError> {
    #[derive(Deserialize)]
    struct OnlyDiagnostics {
        diagnostics: Vec<Diagnostic>,
    }
    let malformed = |error| ExportError::Malformed {
        path: path.to_owned(),
        error,
    };
    let diagnostics: OnlyDiagnostics = deserialize(json).map_err(malformed)?;
    if diagnostics.diagnostics.iter().any(is_error) {
        return Err(ExportError::Diagnostics(diagnostics.diagnostics));
    }
    deserialize(json).map_err(malformed)
}

/// JSON nests as deep as the source does, so the stack grows as needed.
fn deserialize<'json, T: Deserialize<'json>>(json: &'json [u8]) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    deserializer.disable_recursion_limit();
    let value = T::deserialize(serde_stacker::Deserializer::new(&mut deserializer))?;
    deserializer.end()?;
    Ok(value)
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.severity.as_str(), "error" | "fatal")
}
