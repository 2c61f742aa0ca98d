//! Compilers and other tools, which are ended when the time of the replay is over.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use wait_timeout::ChildExt;

use super::ReplayError;

/// A deadline that is never met.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// The output of a tool that ended.
#[derive(Debug)]
pub(super) struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs a tool to its end.
///
/// # Errors
/// It cannot be started, or the time is over.
pub(super) fn output(
    command: &mut Command,
    deadline: Option<Instant>,
) -> Result<Output, ReplayError> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let started = command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .process_group(0)
        .spawn();
    let mut child = started.map_err(|error| ReplayError::Start {
        program: PathBuf::from(command.get_program()),
        error,
    })?;
    let left = deadline.map_or(FOREVER, |deadline| {
        deadline.saturating_duration_since(Instant::now())
    });
    let Some(status) = child.wait_timeout(left)? else {
        kill_all(&mut child)?;
        return Err(ReplayError::Late);
    };
    Ok(Output {
        status,
        stdout: content(&mut stdout)?,
        stderr: content(&mut stderr)?,
    })
}

/// Ends a process and those of its group.
pub(super) fn kill_all(child: &mut Child) -> io::Result<()> {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

fn content(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
