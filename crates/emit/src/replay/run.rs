//! Runs one test in a process of its own, with limits.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

use super::process::kill_all;

/// The limits of a test's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time, which other processes take too.
    pub time: Duration,
    /// Processor time.
    pub processor: Duration,
    /// Address space in bytes; `None` for programs whose sanitizer reserves what it never uses.
    pub memory: Option<u64>,
    /// Bytes of any file that it writes.
    pub file_size: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(20),
            processor: Duration::from_secs(5),
            memory: Some(4 << 30),
            file_size: 64 << 20,
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this status.
    Exited(i32),
    /// A signal killed it.
    Signalled(i32),
    /// It ran out of time and was killed.
    TimedOut,
}

/// A process that ended, with what it said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// The end of what it wrote to both of its outputs.
    pub output: String,
}

/// A process to run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Environment variables set for it.
    pub environment: Vec<(String, String)>,
    /// The folder that it runs in.
    pub folder: &'a Path,
    /// Where its outputs go.
    pub output: PathBuf,
}

/// The signal that ends a process that used all its processor time.
const SIGXCPU: i32 = 24;
/// The signal that ends a test which the emitted runner gave enough time.
const SIGALRM: i32 = 14;

/// How much of a process's output is kept.
const KEPT_OUTPUT: u64 = 64 << 10;

/// Runs a process to its end, or to that of its time.
///
/// # Errors
/// The process cannot be started or waited for.
pub fn run(job: &Job<'_>, limits: &Limits) -> io::Result<Ran> {
    let mut output = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&job.output)?;
    // The shell sets the limits before the program starts, and then becomes it.
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(script(limits))
        .arg(job.program)
        .args(&job.arguments)
        // As native calls are made.
        .env_remove("TZ")
        .env_remove("POSIXLY_CORRECT")
        .envs(job.environment.iter().cloned())
        .current_dir(job.folder)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .process_group(0)
        .spawn()?;
    let end = match child.wait_timeout(limits.time)? {
        Some(status) => ending(status.into_raw()),
        None => {
            kill_all(&mut child)?;
            End::TimedOut
        }
    };
    let length = output.metadata()?.len();
    output.seek(SeekFrom::Start(length.saturating_sub(KEPT_OUTPUT)))?;
    let mut bytes = Vec::new();
    output.take(KEPT_OUTPUT).read_to_end(&mut bytes)?;
    Ok(Ran {
        end,
        output: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// Limits as the shell sets them: in blocks of 512 bytes for files, in kilobytes for memory.
fn script(limits: &Limits) -> String {
    let mut script = format!(
        "ulimit -c 0; ulimit -f {}; ulimit -t {}; ",
        limits.file_size / 512,
        limits.processor.as_secs().max(1)
    );
    if let Some(memory) = limits.memory {
        script.push_str(&format!("ulimit -v {}; ", memory / 1024));
    }
    script.push_str("exec \"$0\" \"$@\"");
    script
}

/// The end that a wait status tells.
pub(super) fn ending(status: i32) -> End {
    let status = ExitStatus::from_raw(status);
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(SIGXCPU | SIGALRM)) => End::TimedOut,
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::TimedOut,
    }
}
