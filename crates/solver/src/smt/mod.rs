//! Back-ends in processes of their own: any SMT solvers that read SMT-LIB 2, all asked at once.

mod process;
mod script;

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use expr::{Evaluator, Model, Terms, Var};

use self::process::Process;
pub use self::script::script;
use crate::{Answer, Effort, Query, Reason, Solver, Stop};

/// The command line of an SMT solver.
#[derive(Clone, Debug)]
pub struct SmtCommand {
    /// The program: a path, or a name that is looked up on the search path.
    pub program: PathBuf,
    /// Arguments that make it read a script from its standard input.
    pub arguments: Vec<String>,
}

impl SmtCommand {
    /// The usual arguments of the solvers that are known by name: z3, cvc5, bitwuzla. Others are
    /// assumed to read their standard input by default.
    pub fn named(program: impl Into<PathBuf>) -> SmtCommand {
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
        let arguments = arguments.iter().map(|&text| text.to_owned()).collect();
        SmtCommand { program, arguments }
    }
}

/// Answers queries with a portfolio of SMT solvers: each is asked in a new process, the first
/// answer wins, and the others are killed, as all are when the time is up. A model counts only if
/// it satisfies the query. Cores are whole queries.
///
/// The first solver, and whether any is in time, depend on the machine and its load: with this
/// link, and only with it, the same search may end in different suites.
pub struct Smt {
    commands: Vec<SmtCommand>,
    time_limit: Duration,
    stop: Option<Stop>,
    effort: Effort,
    evaluator: Evaluator,
}

/// The work of a query to a process, and of each byte of its text, by which the time that solvers
/// take is estimated: it is not counted itself, as it depends on the machine.
const QUERY: u64 = 300_000;
const BYTE: u64 = 8;

/// The time between two checks whether to stop, while waiting for an answer.
const LOOK: Duration = Duration::from_millis(50);

/// The result of waiting for a solver.
enum Waited {
    /// Its output, or the reason why it failed.
    Output(Result<String, Reason>),
    /// None was in time.
    Late,
    /// The search is told to stop.
    Stopped,
}

impl Smt {
    /// These solvers, with this time for each query.
    pub fn new(commands: Vec<SmtCommand>, time_limit: Duration) -> Smt {
        Smt {
            commands,
            time_limit,
            stop: None,
            effort: Effort::default(),
            evaluator: Evaluator::default(),
        }
    }

    /// The same, which also stops when it is told to.
    #[must_use]
    pub fn until(self, stop: Option<Stop>) -> Smt {
        Smt { stop, ..self }
    }

    /// The same, whose work is counted with that of others.
    #[must_use]
    pub fn counted(self, effort: Effort) -> Smt {
        Smt { effort, ..self }
    }

    /// Waits for the next solver that has an output or fails.
    fn wait(&self, receiver: &mpsc::Receiver<Result<String, Reason>>, deadline: Instant) -> Waited {
        loop {
            if self.stop.as_ref().is_some_and(Stop::is_requested) {
                return Waited::Stopped;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match receiver.recv_timeout(left.min(LOOK)) {
                Ok(output) => return Waited::Output(output),
                Err(_) if left <= LOOK => return Waited::Late,
                Err(_) => {}
            }
        }
    }

    /// The answer in a solver's output; an invalid model is no answer.
    fn judge(&mut self, terms: &Terms, query: &Query<'_>, output: &str) -> Answer {
        let answer = read_answer(output, query);
        let Answer::Sat(model) = &answer else {
            return answer;
        };
        let mut evaluation = self.evaluator.under(terms, model);
        match query.constraints.iter().all(|&c| evaluation.holds(c)) {
            true => answer,
            false => Answer::Unknown(Reason::InvalidModel),
        }
    }
}

impl Solver for Smt {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        let deadline = Instant::now() + self.time_limit;
        let script = script(terms, query.constraints);
        self.effort.add(QUERY + script.len() as u64 * BYTE);
        let (sender, receiver) = mpsc::channel();
        let started = self
            .commands
            .iter()
            .map(|command| Process::start(command, &script, sender.clone()));
        // Solvers that started run until they are dropped, however this function ends.
        let (processes, failed): (Vec<_>, Vec<_>) = started.partition(Result::is_ok);
        let mut reasons: Vec<Reason> = failed.into_iter().filter_map(Result::err).collect();
        for _ in 0..processes.len() {
            let reason = match self.wait(&receiver, deadline) {
                Waited::Output(Ok(output)) => match self.judge(terms, query, &output) {
                    Answer::Unknown(reason) => reason,
                    answer => return answer,
                },
                Waited::Output(Err(reason)) => reason,
                Waited::Late => Reason::Budget,
                Waited::Stopped => return Answer::Unknown(Reason::Stopped),
            };
            reasons.push(reason);
        }
        let all = reasons.into_iter().reduce(Reason::and);
        Answer::Unknown(all.unwrap_or_else(|| Reason::Failed("no SMT solver".to_owned())))
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
