//! A back-end in a process of its own: any SMT solver that reads SMT-LIB 2.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use expr::{Model, Terms, Var};

use crate::{Answer, LinkStatistics, Query, Reason, Solver, script};

/// How an SMT solver is called.
#[derive(Clone, Debug)]
pub struct SmtCommand {
    /// The program: a path, or a name that is looked up on the search path.
    pub program: PathBuf,
    /// Arguments that make it read a script from its standard input.
    pub arguments: Vec<String>,
    /// When it is killed.
    pub time_limit: Duration,
}

impl SmtCommand {
    /// The usual arguments of the solvers that are known by name: z3, cvc5, bitwuzla. Others read
    /// their standard input without being told, it is hoped.
    pub fn named(program: impl Into<PathBuf>, time_limit: Duration) -> SmtCommand {
        let program = program.into();
        let name = program
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let arguments: &[&str] = match name {
            "z3" => &["-in", "-smt2"],
            "cvc5" => &["--lang", "smt2", "--produce-models"],
            "bitwuzla" => &["--lang", "smt2"],
            _ => &[],
        };
        let arguments = arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect();
        SmtCommand {
            program,
            arguments,
            time_limit,
        }
    }
}

/// Answers queries with an SMT solver, a new process each time. Its cores are whole queries.
pub struct Smt {
    command: SmtCommand,
    statistics: LinkStatistics,
}

impl Smt {
    /// A solver that is called so.
    pub fn new(command: SmtCommand) -> Smt {
        Smt {
            command,
            statistics: LinkStatistics::of("smt"),
        }
    }

    fn ask(&self, script: String) -> Result<String, Reason> {
        let failed = |error: std::io::Error| {
            Reason::Failed(format!("{}: {error}", self.command.program.display()))
        };
        let mut child = Command::new(&self.command.program)
            .args(&self.command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let output = converse(&mut child, script, self.command.time_limit);
        // A process that has ended already cannot be killed, which is as well.
        let _ = child.kill();
        child.wait().map_err(failed)?;
        output
    }
}

/// What the process writes when it is given the script, unless that takes too long. The reader and
/// the writer end with the process, which the caller kills.
fn converse(child: &mut Child, script: String, time_limit: Duration) -> Result<String, Reason> {
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Reason::Failed("no pipe to the solver".to_owned()));
    };
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // A solver that does not read on has said so on its output, or died.
        let _ = input.write_all(script.as_bytes());
    });
    thread::spawn(move || {
        let mut text = String::new();
        let read = output.read_to_string(&mut text).map(|_| text);
        // Nobody listens any more when the time is up.
        let _ = sender.send(read);
    });
    match receiver.recv_timeout(time_limit) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(error)) => Err(Reason::Failed(error.to_string())),
        Err(_) => Err(Reason::Budget),
    }
}

impl Solver for Smt {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        let answer = match self.ask(script(terms, query.constraints)) {
            Ok(output) => read_answer(&output, query),
            Err(reason) => Answer::Unknown(reason),
        };
        self.statistics.answered += u64::from(!matches!(answer, Answer::Unknown(_)));
        answer
    }

    fn statistics(&self) -> Vec<LinkStatistics> {
        vec![self.statistics]
    }
}

fn read_answer(output: &str, query: &Query<'_>) -> Answer {
    let (verdict, values) = output.split_once('\n').unwrap_or((output, ""));
    match verdict.trim() {
        "unsat" => Answer::Unsat((0..query.constraints.len()).collect()),
        "unknown" | "timeout" => Answer::Unknown(Reason::Budget),
        "sat" => match read_values(values, query.current) {
            Some(model) => Answer::Sat(model),
            None => Answer::Unknown(Reason::Failed(format!("values not understood: {values}"))),
        },
        other => Answer::Unknown(Reason::Failed(other.to_owned())),
    }
}

/// Reads `((v0 #x2a) (v1 #b1) …)`.
fn read_values(text: &str, current: &Model) -> Option<Model> {
    let mut model = current.clone();
    let mut words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    while let Some(name) = words.find(|word| !word.is_empty()) {
        let value = words.find(|word| !word.is_empty())?;
        let var = name.strip_prefix('v')?.parse().ok()?;
        let value = match value.strip_prefix("#x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok()?,
            None => u128::from_str_radix(value.strip_prefix("#b")?, 2).ok()?,
        };
        model.set(Var(var), value);
    }
    Some(model)
}
