//! A solver that is asked about one path after another.
//!
//! ```text
//! conditions of the path ─► those that have to do with the question ─► known? or else the solver:
//!     (push 1) (assert …) (check-sat) (pop 1)
//! ```
//!
//! A question goes with the conditions that share variables with it, or with others that do
//! ([`Related`]): if these cannot hold together, all cannot. So an answer is known for many paths.
//!
//! Solvers that answer while they read run as one process, which knows the terms by their names, and
//! has a share of the time for each question. What it does not answer, and what others are asked, is
//! one script by itself.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use expr::{Model, Term, Terms, Var};
use rustc_hash::FxHashSet;

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
    /// Conditions that cannot hold together.
    excluded: FxHashSet<Related>,
}

/// A question with the conditions that share variables with it, or with others that do.
type Related = BTreeSet<Term>;

/// For more conditions, those that have to do with a question are not looked for: all are taken.
const MOST_RELATED: usize = 1_000;

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
            excluded: FxHashSet::default(),
        }
    }

    /// Adds a condition.
    pub fn add(&mut self, condition: Term) {
        self.conditions.push(condition);
    }

    /// Takes the condition away that was added last.
    pub fn remove(&mut self) {
        self.conditions.pop();
    }

    /// Whether some conditions can hold with those that were added.
    pub fn ask(&mut self, terms: &Terms, question: &[Term]) -> Answer {
        let related = self.related(terms, question);
        let is_false = |&term: &Term| terms.as_bool(term) == Some(false);
        if related.iter().any(is_false) || self.excluded.contains(&related) {
            return Answer::Unsatisfiable;
        }
        let conditions: Vec<Term> = related.iter().copied().collect();
        let answer = self.answer(terms, &conditions);
        if answer == Answer::Unsatisfiable {
            self.excluded.insert(related);
        }
        answer
    }

    /// What has to do with a question.
    fn related(&self, terms: &Terms, question: &[Term]) -> Related {
        let mut related: Related = question.iter().copied().collect();
        if self.conditions.len() > MOST_RELATED {
            related.extend(&self.conditions);
            return related;
        }
        let variables = |term: Term| terms.variables(term).iter();
        let mut shared: FxHashSet<Var> = question.iter().flat_map(|&it| variables(it)).collect();
        let mut open = self.conditions.clone();
        loop {
            let is_shared = |term: &Term| variables(*term).any(|var| shared.contains(&var));
            let (found, rest): (Vec<Term>, Vec<Term>) = open.into_iter().partition(is_shared);
            if found.is_empty() {
                return related;
            }
            shared.extend(found.iter().flat_map(|&it| variables(it)));
            related.extend(found);
            open = rest;
        }
    }

    /// The answer of the solver.
    fn answer(&mut self, terms: &Terms, conditions: &[Term]) -> Answer {
        if self.running.is_none() {
            self.start();
        }
        let running = self.running.as_mut();
        let said = running.map(|running| running.ask(terms, conditions));
        match said {
            Some(Some(text)) if text == "unsat" => return Answer::Unsatisfiable,
            Some(Some(text)) if text == "sat" => return Answer::Satisfiable,
            Some(_) => self.running = None,
            None => {}
        }
        self.solver.ask(&script(terms, conditions))
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

    fn start(&mut self) {
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
        if running.say(header).is_some() {
            self.running = Some(running);
        }
    }
}

impl Running {
    fn say(&mut self, text: &str) -> Option<()> {
        self.input.write_all(text.as_bytes()).ok()?;
        self.input.flush().ok()
    }

    /// The answer to a question; `None` if there is none in time, or anything else is said. The
    /// question's number behind the answer shows that it is this one's.
    fn ask(&mut self, terms: &Terms, conditions: &[Term]) -> Option<String> {
        self.asked += 1;
        let number = format!("question {}", self.asked);
        let mut text = String::new();
        for &condition in conditions {
            self.definitions.define(terms, condition, &mut text);
        }
        text.push_str("(push 1)\n");
        for &condition in conditions {
            assert(terms, condition, &mut text);
        }
        text.push_str(&format!("(check-sat)\n(pop 1)\n(echo \"{number}\")\n"));
        self.say(&text)?;
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
