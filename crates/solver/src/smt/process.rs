//! A process of one SMT solver on one script.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;

use super::SmtCommand;
use crate::Reason;

/// A process that reads a script; it is killed when this is dropped.
pub(super) struct Process {
    child: Child,
}

impl Process {
    /// Starts a solver on a script. Its output, when it has ended, goes to `output`.
    pub(super) fn start(
        command: &SmtCommand,
        script: &str,
        output: Sender<Result<String, Reason>>,
    ) -> Result<Process, Reason> {
        let name = command.program.display().to_string();
        let failed = |error: io::Error| Reason::Failed(format!("{name}: {error}"));
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let process = Process { child };
        let (Some(mut input), Some(mut written)) = pipes else {
            return Err(Reason::Failed(format!("{name}: no pipe")));
        };
        let script = script.to_owned();
        // Both threads end with the process.
        thread::spawn(move || {
            // A solver that stops reading has given the reason on its output, or died.
            let _ = input.write_all(script.as_bytes());
        });
        thread::spawn(move || {
            let mut text = String::new();
            let read = written.read_to_string(&mut text);
            let result = read.map_err(|error| Reason::Failed(format!("{name}: {error}")));
            // The receiver is gone when another solver was first or the time is up.
            let _ = output.send(result.map(|_| text));
        });
        Ok(process)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that has ended already cannot be killed, which is harmless.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
