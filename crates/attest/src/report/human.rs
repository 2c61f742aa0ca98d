//! The report for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use coverage::{FoundDefect, GoalStatus, Suggestion, Suite, TimeUnit, Timing};
use ir::Program;
use ir::test::{Defect, Frame};

use super::mcdc::mcdc;
use super::table::tables;
use crate::cli::cover::Show;
use crate::console::Console;
use crate::findings::Findings;
use crate::message::{Message, Severity};
use crate::sources::SourceRange;

/// So many losses or bounds of a kind are listed; more are told by the first and their count.
const LISTED: usize = 3;
/// Lines of a table that are shown before it is cut to what is undecided.
const MOST_ROWS: usize = 60;

/// How long the phases around the search took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    /// Reading and translating the C files.
    pub reading: Duration,
    /// Compiling and running the tests.
    pub replay: Option<Duration>,
}

/// The contents of the report of one function.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The program.
    pub program: &'a Program,
    /// The result.
    pub suite: &'a Suite,
    /// The defects that are told.
    pub findings: &'a Findings,
    /// How much of the rest is shown.
    pub show: Show,
    /// The inputs of each test, as the reader of the tests sees them: path and value.
    pub inputs: &'a [Vec<(String, String)>],
    /// The folder of the results.
    pub directory: &'a str,
    /// The test file and how to run it; `None` if nothing was written.
    pub tests: Option<&'a str>,
    /// How long the other phases took.
    pub phases: Phases,
}

impl Report<'_> {
    /// The whole report.
    pub fn text(&self, console: &mut Console) -> String {
        let mut text = String::new();
        if self.show != Show::Summary {
            self.goals(&mut text, console);
        }
        text.push_str(&self.certain_defects(usize::MAX, console));
        if self.show == Show::Summary {
            let _ = writeln!(text, "{}", counts(self.suite));
            return text;
        }
        self.causes(&mut text);
        self.losses(&mut text);
        self.bounds(&mut text);
        self.summary(&mut text);
        text
    }

    fn goals(&self, text: &mut String, console: &mut Console) {
        let criterion = &self.suite.criteria;
        let tables = tables(self.program, self.suite, &mut console.sources);
        for table in &tables {
            let (function, path) = (&table.function, &table.path);
            let _ = writeln!(text, "{function} in {path}: {criterion}");
            let is_long = table.lines() > MOST_ROWS;
            if self.show != Show::Undecided && !is_long {
                let _ = writeln!(text, "{}", table.text());
                continue;
            }
            let open = table.open();
            let hidden = plural(table.lines() - open.lines(), "row");
            let _ = writeln!(
                text,
                "{}  {hidden} with nothing undecided: see {}/suite.json\n",
                open.text(),
                self.directory
            );
        }
        text.push_str(&mcdc(self.program, self.suite, &mut console.sources));
        if tables.is_empty() {
            let function = &self.program.functions[self.suite.function].name;
            let _ = writeln!(text, "{function} has no goals under {criterion}\n");
        }
    }

    /// The certain defects alone: so many with their source, and the others in a line each.
    pub fn certain_defects(&self, with_source: usize, console: &mut Console) -> String {
        let mut text = String::new();
        for (number, found) in self.findings.certain.iter().enumerate() {
            if number < with_source {
                let message = self.defect(found);
                let _ = writeln!(text, "{}\n", console.render(&message));
                continue;
            }
            let Defect {
                kind,
                message,
                stack,
                ..
            } = &found.defect;
            let (at, directory) = (self.place_of(stack), self.directory);
            let test = found.test.raw();
            let _ = writeln!(
                text,
                "defect: {kind}{at}: {message} ({directory}, test {test})"
            );
        }
        text
    }

    fn defect(&self, found: &FoundDefect) -> Message {
        let defect = &found.defect;
        let title = format!("{}: {}", defect.kind, defect.message);
        let mut message = Message::new(Severity::Defect, title);
        if let Some((here, callers)) = defect.stack.split_first() {
            message = message.at(SourceRange::of(self.program, &here.span), "");
            for caller in callers {
                message = message.note(format!("called from {}", self.frame(caller)));
            }
        }
        let inputs = self.inputs.get(found.test.index());
        let inputs: Vec<String> = inputs
            .into_iter()
            .flatten()
            .map(|(path, value)| format!("{path} = {value}"))
            .collect();
        if !inputs.is_empty() {
            message = message.note(format!("with {}", inputs.join(", ")));
        }
        if found.confirmed == Some(false) {
            message = message.note("no sanitizer shows it in the compiled test");
        }
        let (directory, test) = (self.directory, found.test.raw());
        message.help(format!("attest replay {directory} --test {test} --gdb"))
    }

    /// The defects, and goals, that rest on assumptions: three lines for each assumption.
    fn causes(&self, text: &mut String) {
        let function = &self.program.functions[self.suite.function];
        let parameters =
            (0..function.parameters.len()).filter_map(|at| function.parameter_name(at));
        let parameters: Vec<&str> = parameters.collect();
        let before = text.len();
        let mut told: Vec<&Suggestion> = Vec::new();
        for cause in &self.findings.causes() {
            let places = plural(cause.defects.len(), "place");
            let (assumed, kinds) = (&cause.assumption.text, cause.kinds());
            let _ = writeln!(text, "assumed: {assumed}: {places} ({kinds})");
            if let Some(first) = cause.defects.first() {
                let at = self.place_of(&first.defect.stack);
                let message = &first.defect.message;
                let also = match first.defect.assumptions.len() {
                    0 | 1 => String::new(),
                    count => format!(", and on {} more", plural(count - 1, "assumption")),
                };
                let test = first.test.raw();
                let _ = writeln!(text, "  test {test}{at}: {message}{also}");
            }
            let suggestion = cause.suggestion(self.suite);
            let way_out = match suggestion {
                Some(suggestion) => copied(suggestion),
                None => cause.way_out(&parameters),
            };
            let _ = writeln!(text, "  to rule it out: {way_out}");
            told.extend(suggestion);
        }
        let is_told = |suggestion: &&Suggestion| told.contains(suggestion);
        let others = self.suite.suggestions.iter();
        let others: Vec<&Suggestion> = others.filter(|it| !is_told(it)).collect();
        for suggestion in others {
            if let Some(assumed) = self.odd_goals(suggestion) {
                let _ = writeln!(text, "{assumed}\n  to rule it out: {}", copied(suggestion));
                told.push(suggestion);
            }
        }
        let codes = told
            .iter()
            .filter_map(|suggestion| suggestion.code.as_ref());
        for code in codes.collect::<BTreeSet<&String>>() {
            let file = &self.program.units[function.unit].path;
            let _ = writeln!(text, "the precondition, to be added to {file}:\n\n{code}");
        }
        if text.len() > before {
            text.push('\n');
        }
        if self.findings.known > 0 {
            let known = plural(self.findings.known, "defect");
            let _ = writeln!(text, "{known} of the baseline\n");
        }
    }

    /// The goals that only values which no code stores are known to reach, if there are some that an
    /// option rules out.
    fn odd_goals(&self, suggestion: &Suggestion) -> Option<String> {
        let odd = self.suite.odd_states.iter();
        let own = odd.filter(|(goal, _)| suggestion.goals.contains(&goal.index()));
        let names: BTreeSet<&str> = own.flat_map(|(_, names)| names).map(|it| &**it).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let goals = plural(suggestion.goals.len(), "goal");
        (!names.is_empty()).then(|| {
            let names = names.join(", ");
            format!("assumed: values that no code stores in {names}: {goals}")
        })
    }

    fn frame(&self, frame: &Frame) -> String {
        let function = &self.program.functions[frame.function].name;
        let place = SourceRange::of(self.program, &frame.span);
        format!("{function} at {}", place.text())
    }

    /// The losses, those of a kind together, with their numbers.
    fn losses(&self, text: &mut String) {
        let mut kinds: Vec<(&str, Vec<usize>)> = Vec::new();
        for (number, loss) in self.suite.losses.iter().enumerate() {
            let kind = loss.kind.name();
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, numbers)) => numbers.push(number),
                None => kinds.push((kind, vec![number])),
            }
        }
        for (kind, numbers) in &kinds {
            let told = |number: usize| {
                let loss = &self.suite.losses[number];
                format!("{kind}{}: {}", self.place_of(&loss.stack), loss.detail)
            };
            match numbers.as_slice() {
                [first, rest @ ..] if numbers.len() > LISTED => {
                    let (all, more) = (ranges(numbers), self.more(rest.len()));
                    let _ = writeln!(text, "losses {all}: {}{more}", told(*first));
                }
                all => all.iter().for_each(|&number| {
                    let _ = writeln!(text, "loss {}: {}", number + 1, told(number));
                }),
            }
        }
        if !kinds.is_empty() {
            text.push('\n');
        }
    }

    /// The bounds, those of a kind together.
    fn bounds(&self, text: &mut String) {
        // Calls from several places differ in nothing that is told here.
        let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
        let of_goals = self.suite.goals.iter().flat_map(|goal| match &goal.status {
            GoalStatus::UnreachableWithin(bounds) => bounds.as_slice(),
            _ => &[],
        });
        for bound in self.suite.bounds.iter().chain(of_goals) {
            let kind = bound.kind.name();
            let place = self.place_of(&bound.stack);
            let line = format!("bound: {kind}{place}: {}", bound.detail);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, lines)) if lines.contains(&line) => {}
                Some((_, lines)) => lines.push(line),
                None => kinds.push((kind, vec![line])),
            }
        }
        for (_, lines) in &kinds {
            match lines.as_slice() {
                [first, rest @ ..] if lines.len() > LISTED => {
                    let _ = writeln!(text, "{first}{}", self.more(rest.len()));
                }
                all => all.iter().for_each(|line| {
                    let _ = writeln!(text, "{line}");
                }),
            }
        }
        if !kinds.is_empty() {
            text.push('\n');
        }
    }

    /// How many more there are of a kind.
    fn more(&self, count: usize) -> String {
        format!(" (and {count} more: see {}/suite.json)", self.directory)
    }

    /// The test that takes longest, and the longest path that there could be.
    fn timing(&self, timing: &Timing) -> String {
        let mut text = String::new();
        let unit = match timing.unit {
            TimeUnit::Instructions => "instructions",
            TimeUnit::Cycles => "cycles",
            TimeUnit::Nanoseconds => "nanoseconds",
        };
        let Some((test, count)) = timing.longest_test() else {
            return "no test could be timed\n".to_owned();
        };
        let _ = write!(
            text,
            "longest: test {}, {count} {unit} with {}, the least of {} runs",
            test.index(),
            timing.optimisation,
            timing.runs
        );
        let path = self.suite.tests[test].path.as_deref();
        let _ = writeln!(
            text,
            "{}",
            path.map_or_else(String::new, |path| format!("\n  path {path}"))
        );
        let longest = timing.lengths.iter().max_by_key(|(_, length)| **length);
        match (&timing.longest, longest) {
            (Ok(told), Some((test, length))) => {
                let _ = writeln!(
                    text,
                    "longest path that the code could have: {} steps; test {} has {length}",
                    told.length,
                    test.index()
                );
                let _ = writeln!(text, "  path {}", told.path);
                for bound in &told.loops {
                    let (line, times) = (bound.line, bound.times);
                    let _ = writeln!(
                        text,
                        "  the loop on line {line} is entered {times} times at most"
                    );
                }
            }
            (Ok(_), None) => {}
            (Err(reason), _) => {
                let _ = writeln!(text, "there is no longest path: {reason}");
            }
        }
        text
    }

    fn place_of(&self, stack: &[Frame]) -> String {
        stack.first().map_or_else(String::new, |frame| {
            format!(" at {}", SourceRange::of(self.program, &frame.span).text())
        })
    }

    fn summary(&self, text: &mut String) {
        let suite = self.suite;
        let _ = writeln!(text, "{}", counts(suite));
        if let (Some(_), Some(paths)) = (suite.criteria.paths(), &suite.statistics.abstract_paths) {
            let others = match suite.has_all_paths() {
                true => "no others are feasible",
                false => "others may be feasible: see the losses and bounds",
            };
            let mut tests = suite.tests.iter().filter(|test| test.path.is_some());
            let is_compared = tests.clone().any(|test| test.path_confirmed.is_some());
            let confirmed = match is_compared {
                true => {
                    let same = tests
                        .by_ref()
                        .filter(|test| test.path_confirmed == Some(true));
                    format!(", {} confirmed by compiled tests", same.count())
                }
                false => String::new(),
            };
            let _ = writeln!(
                text,
                "{} covered{confirmed}; {others} ({} infeasible, {})",
                plural(paths.covered as usize, "path"),
                plural(paths.infeasible as usize, "partial path"),
                plural(paths.redundant as usize, "redundant execution"),
            );
        }
        let statistics = &suite.statistics;
        let _ = write!(
            text,
            "{} executions, {} paths, {} solver queries in {:.2} s of search; reading {:.2} s",
            statistics.iterations,
            statistics.paths,
            statistics.solver_queries,
            statistics.seconds,
            self.phases.reading.as_secs_f64(),
        );
        if let Some(replay) = self.phases.replay {
            let _ = write!(text, ", replay {:.2} s", replay.as_secs_f64());
        }
        let _ = writeln!(text, "; {} MB", statistics.peak_memory_bytes / 1_000_000);
        if let Some(timing) = &suite.timing {
            text.push_str(&self.timing(timing));
        }
        if self.phases.replay.is_none() {
            let _ = writeln!(
                text,
                "not replayed: no goal is confirmed by the compiled program"
            );
        }
        if let Some(tests) = self.tests {
            let directory = self.directory;
            let targets = match suite.defects.is_empty() {
                true => "check",
                false => "check defects",
            };
            let _ = writeln!(
                text,
                "tests: {tests} (run them: make -C {directory}/tests {targets})"
            );
        }
    }
}

/// The option to be copied, and what it replaces.
fn copied(suggestion: &Suggestion) -> String {
    match suggestion.code {
        Some(_) => suggestion.option.clone(),
        None => format!("{} instead of -f", suggestion.option),
    }
}

/// How many goals have which status, and how many tests and defects there are.
fn counts(suite: &Suite) -> String {
    let count = |name: &str| {
        let goals = suite.asked_for();
        goals.filter(|goal| goal.status.name() == name).count()
    };
    let mut parts = vec![format!("{} covered", count("covered"))];
    for (name, words) in [
        ("unreachable", "unreachable"),
        ("unreachable-within", "unreachable within bounds"),
        ("undecided", "undecided"),
    ] {
        let count = count(name);
        if count > 0 {
            parts.push(format!("{count} {words}"));
        }
    }
    let unconfirmed = suite.asked_for().filter(|goal| {
        matches!(goal.status, GoalStatus::Covered(_)) && goal.confirmed == Some(false)
    });
    let unconfirmed = unconfirmed.count();
    if unconfirmed > 0 {
        parts.push(format!("{unconfirmed} not confirmed"));
    }
    format!(
        "{}: {}. {}, {}.",
        plural(suite.asked_for().count(), "goal"),
        parts.join(", "),
        plural(suite.tests.len(), "test"),
        defects(suite),
    )
}

/// How many defects there are, and how many of them are certain.
fn defects(suite: &Suite) -> String {
    let all = plural(suite.defects.len(), "defect");
    let certain = suite.defects.iter();
    let certain = certain.filter(|found| found.defect.is_certain()).count();
    match suite.defects.len() {
        0 => all,
        count if count == certain => all,
        _ => format!("{all} ({certain} certain)"),
    }
}

/// Numbers from 1, in increasing order, those in a row as a range: `1-3, 7`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let told = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(format!("{}", first + 1)),
        (first, last) => Some(format!("{}-{}", first + 1, last + 1)),
    });
    told.collect::<Vec<String>>().join(", ")
}

fn plural(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}
