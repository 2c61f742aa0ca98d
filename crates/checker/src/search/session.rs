//! A solver that is asked about one path after another: conditions are added and taken away again.
//!
//! ```text
//! add c        (push 1) (assert c)
//! ask d        (push 1) (assert d) (check-sat) (pop 1)
//! remove       (pop 1)
//! ```
//!
//! Solvers with such a mode run as one process, which has a share of the time for each question. What
//! it does not answer, and what others are asked, is one script by itself.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use expr::{Model, Term, Terms, Var};

use crate::process::{Answer, Process, Solver};
use crate::script::{Definitions, assert, script, variable};

/// How long a question may take before it is asked by itself.
const SHARE: Duration = Duration::from_secs(2);

/// How often a process is started anew.
const STARTS: u32 = 20;

/// See the module.
pub struct Session<'s> {
    solver: &'s mut Process,
    running: Option<Running>,
    /// How often a process was started.
    starts: u32,
    /// The conditions that hold.
    conditions: Vec<Term>,
}

/// A process that reads scripts.
struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    definitions: Definitions,
    /// How many questions it was asked.
    asked: u64,
}

impl<'s> Session<'s> {
    /// A session with a solver, in which nothing is known.
    pub fn new(solver: &'s mut Process) -> Self {
        Session {
            solver,
            running: None,
            starts: 0,
            conditions: Vec::new(),
        }
    }

    /// Adds a condition.
    pub fn add(&mut self, terms: &Terms, condition: Term) {
        self.conditions.push(condition);
        if let Some(running) = &mut self.running
            && running.add(terms, &[condition]).is_none()
        {
            self.stop();
        }
    }

    /// Takes the condition away that was added last.
    pub fn remove(&mut self) {
        self.conditions.pop();
        if let Some(running) = &mut self.running
            && running.say("(pop 1)\n").is_none()
        {
            self.stop();
        }
    }

    /// Whether some conditions can hold with those that were added.
    pub fn ask(&mut self, terms: &Terms, conditions: &[Term]) -> Answer {
        let is_false = |&term: &Term| terms.as_bool(term) == Some(false);
        if self.conditions.iter().chain(conditions).any(is_false) {
            return Answer::Unsatisfiable;
        }
        if self.running.is_none() {
            self.start(terms);
        }
        let said = self
            .running
            .as_mut()
            .map(|running| running.ask(terms, conditions));
        match said {
            Some(Some(text)) if text == "unsat" => return Answer::Unsatisfiable,
            Some(Some(text)) if text == "sat" => return Answer::Satisfiable,
            Some(_) => self.stop(),
            None => {}
        }
        let all = [&self.conditions, conditions].concat();
        self.solver.ask(&script(terms, &all))
    }

    /// Values with which some conditions hold, and those that were added.
    pub fn model(&self, terms: &Terms, conditions: &[Term]) -> Option<Model> {
        let all = [&self.conditions, conditions].concat();
        let variables = all.iter().flat_map(|&term| terms.variables(term).iter());
        let variables: BTreeSet<Var> = variables.collect();
        let names: Vec<String> = variables.iter().map(|&var| variable(var)).collect();
        let mut script = script(terms, &all);
        script.push_str(&format!("(get-value ({}))\n", names.join(" ")));
        let text = self.solver.answer(&script).ok()?;
        let values = text.trim_start().strip_prefix("sat")?;
        let known = variables.into_iter().filter_map(|var| {
            let name = format!("({} ", variable(var));
            let (_, value) = values.split_once(&name)?;
            Some((var, bits(value)?))
        });
        Some(known.collect())
    }

    fn start(&mut self, terms: &Terms) {
        if self.starts >= STARTS {
            return;
        }
        self.starts += 1;
        let Some((mut child, output)) = self.solver.start() else {
            return;
        };
        let Some(input) = child.stdin.take() else {
            return;
        };
        let (tell, answers) = channel();
        // The thread ends with the process.
        thread::spawn(move || {
            let lines = BufReader::new(output).lines();
            lines
                .map_while(Result::ok)
                .take_while(|line| tell.send(line.clone()).is_ok())
                .for_each(drop);
        });
        let mut running = Running {
            child,
            input,
            answers,
            definitions: Definitions::default(),
            asked: 0,
        };
        let header = "(set-option :global-declarations true)\n(set-logic QF_BV)\n";
        let mut said = running.say(header);
        for &condition in &self.conditions {
            said = said.and_then(|()| running.add(terms, &[condition]));
        }
        self.running = Some(running);
        if said.is_none() {
            self.stop();
        }
    }

    fn stop(&mut self) {
        self.running = None;
    }
}

impl Running {
    fn say(&mut self, text: &str) -> Option<()> {
        self.input.write_all(text.as_bytes()).ok()
    }

    /// Adds conditions in a scope of their own.
    fn add(&mut self, terms: &Terms, conditions: &[Term]) -> Option<()> {
        let mut text = String::new();
        for &condition in conditions {
            self.definitions.define(terms, condition, &mut text);
        }
        text.push_str("(push 1)\n");
        for &condition in conditions {
            assert(terms, condition, &mut text);
        }
        self.say(&text)
    }

    /// The answer to a question; `None` if there is none in time, or anything else is said. The
    /// question's number behind the answer shows that it is this one's.
    fn ask(&mut self, terms: &Terms, conditions: &[Term]) -> Option<String> {
        self.asked += 1;
        let number = format!("question {}", self.asked);
        self.add(terms, conditions)?;
        self.say(&format!("(check-sat)\n(pop 1)\n(echo \"{number}\")\n"))?;
        self.input.flush().ok()?;
        let answer = self.answers.recv_timeout(SHARE).ok()?;
        let behind = self.answers.recv_timeout(SHARE).ok()?;
        (behind.trim_matches('"') == number).then_some(answer)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A process that has ended already cannot be killed, which is harmless.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number that a text begins with: `#x2a`, `#b101010` or `(_ bv42 8)`.
fn bits(text: &str) -> Option<u128> {
    let word = text.trim_start_matches("(_ ");
    let word = word.split([' ', ')']).next()?;
    if let Some(digits) = word.strip_prefix("#x") {
        u128::from_str_radix(digits, 16).ok()
    } else if let Some(digits) = word.strip_prefix("#b") {
        u128::from_str_radix(digits, 2).ok()
    } else {
        word.strip_prefix("bv")?.parse().ok()
    }
}
