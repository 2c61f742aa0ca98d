//! The external solver: a process for each question, which reads SMT-LIB 2 and answers.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use wait_timeout::ChildExt;

/// The answer of a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The conditions cannot hold at once.
    Unsatisfiable,
    /// They can.
    Satisfiable,
    /// It gives none, for a reason.
    Unknown(String),
}

/// Whoever answers questions about obligations.
pub trait Solver {
    /// Whether the conditions of a script can hold at once.
    fn ask(&mut self, script: &str) -> Answer;
}

/// A program that is started for each question.
#[derive(Clone, Debug)]
pub struct Process {
    program: PathBuf,
    limit: Duration,
}

impl Process {
    /// A solver by its name or path, which has so much time for each question.
    pub fn new(program: PathBuf, limit: Duration) -> Process {
        Process { program, limit }
    }

    /// A process that reads one script piece by piece, and its output; `None` if it is not known how
    /// to start one.
    pub(crate) fn start(&self) -> Option<(Child, ChildStdout)> {
        let mut child = Command::new(&self.program)
            .args(arguments_for_pieces(&self.program)?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let output = child.stdout.take()?;
        Some((child, output))
    }

    /// What the program says of a script; the reason if it says nothing.
    pub(crate) fn answer(&self, script: &str) -> Result<String, String> {
        let name = self.program.display();
        let mut child = Command::new(&self.program)
            .args(arguments(&self.program))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{name} does not start: {error}"))?;
        let found = self.talk(&mut child, script);
        // A process that has ended already cannot be killed, which is harmless.
        let _ = child.kill();
        let _ = child.wait();
        found.map_err(|why| format!("{name} {why}"))
    }

    /// Gives a process the script, and waits for its end.
    fn talk(&self, child: &mut Child, script: &str) -> Result<String, String> {
        let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("has no pipe".to_owned());
        };
        let script = script.to_owned();
        // Both threads end with the process.
        thread::spawn(move || {
            // A solver that stops reading has said why on its output.
            let _ = input.write_all(script.as_bytes());
        });
        let reader = thread::spawn(move || {
            let mut text = String::new();
            output.read_to_string(&mut text).map(|_| text)
        });
        let ended = child.wait_timeout(self.limit);
        match ended.map_err(|error| format!("cannot be waited for: {error}"))? {
            Some(_) => match reader.join() {
                Ok(Ok(text)) => Ok(text),
                _ => Err("has no output that is text".to_owned()),
            },
            None => Err(format!("takes longer than {} s", self.limit.as_secs())),
        }
    }
}

impl Solver for Process {
    fn ask(&mut self, script: &str) -> Answer {
        match self.answer(script) {
            Ok(text) => match text.trim() {
                "unsat" => Answer::Unsatisfiable,
                "sat" => Answer::Satisfiable,
                "" => Answer::Unknown(format!("{} says nothing", self.program.display())),
                other => {
                    let line = other.lines().next().unwrap_or_default();
                    Answer::Unknown(format!("{} says `{line}`", self.program.display()))
                }
            },
            Err(why) => Answer::Unknown(why),
        }
    }
}

/// What makes a solver read its standard input.
fn arguments(program: &Path) -> &'static [&'static str] {
    match program.file_name().and_then(|name| name.to_str()) {
        Some("z3") => &["-in", "-smt2"],
        Some("cvc5") => &["--lang=smt2"],
        _ => &[],
    }
}

/// What makes a solver answer while it reads, if it can.
fn arguments_for_pieces(program: &Path) -> Option<&'static [&'static str]> {
    match program.file_name().and_then(|name| name.to_str()) {
        Some("z3") => Some(&["-in", "-smt2"]),
        Some("cvc5") => Some(&["--lang=smt2", "--incremental"]),
        _ => None,
    }
}
