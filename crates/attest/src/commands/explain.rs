//! `attest explain`: why a goal is covered, unreachable or undecided, and what the search did.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::cli::explain::ExplainArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::status::Status;

/// What to do when the folder is none.
const HELP: &str = "name the folder of one function that `attest cover` wrote (-o)";

/// What `suite.json` says, as far as it is told here.
#[derive(Deserialize)]
struct Suite {
    function: String,
    criterion: String,
    complete: bool,
    exhausted: bool,
    goals: Vec<Goal>,
    tests: Vec<Test>,
    defects: Vec<Defect>,
    losses: Vec<Note>,
    bounds: Vec<Note>,
    statistics: Statistics,
}

#[derive(Deserialize)]
struct Goal {
    id: usize,
    file: String,
    line: u32,
    column: u32,
    side: String,
    status: String,
    test: Option<usize>,
    confirmed: Option<bool>,
    evidence: Option<Evidence>,
    #[serde(default)]
    bounds: Vec<Note>,
    reason: Option<String>,
    #[serde(default)]
    losses: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Evidence {
    Folded,
    NoPath,
    Rejected,
    ExhaustedSearch { paths: u64, defects: Vec<usize> },
}

#[derive(Deserialize)]
struct Test {
    id: usize,
    inputs: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Defect {
    kind: String,
    message: String,
    test: usize,
}

#[derive(Deserialize)]
struct Note {
    kind: String,
    file: Option<String>,
    line: Option<u32>,
    detail: String,
}

#[derive(Deserialize)]
struct Statistics {
    iterations: u64,
    paths: u64,
    solver_queries: u64,
    lazy: Option<Lazy>,
}

#[derive(Deserialize)]
struct Lazy {
    abstract_paths: u64,
    concretised: u64,
    spurious: u64,
    iterations_outside: u64,
    iterations_inside: u64,
    summaries_used: u64,
    learned: u64,
}

/// Tells what became of a goal and why; without one, of all, and what the search did.
pub fn explain(arguments: &ExplainArguments, console: &mut Console) -> Result<Status, Failure> {
    let suite = Suite::read(&arguments.directory)?;
    let text = match &arguments.goal {
        None => suite.whole(),
        Some(named) => suite.of_goals(named)?,
    };
    console.write(text.as_bytes())?;
    Ok(Status::Complete)
}

impl Suite {
    fn read(directory: &Path) -> Result<Suite, Failure> {
        let path = directory.join("suite.json");
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::bad_input(format!("cannot read {}: {error}", path.display()), HELP)
        })?;
        serde_json::from_str(&text).map_err(|error| {
            let title = format!("{} is not what attest writes: {error}", path.display());
            Failure::bad_input(title, HELP)
        })
    }

    /// What became of all goals, and what the search did.
    fn whole(&self) -> String {
        let mut text = format!("{}, {}: ", self.function, self.criterion);
        let of = |status: &str| self.goals.iter().filter(|it| it.status == status).count();
        let statuses = ["covered", "unreachable", "unreachable-within", "undecided"];
        let counts = statuses.map(|status| (of(status), status));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, status)| format!("{count} {status}"))
            .collect();
        let _ = writeln!(text, "{} goals: {}", self.goals.len(), counts.join(", "));
        let _ = writeln!(
            text,
            "{} tests, {} defects; {}",
            self.tests.len(),
            self.defects.len(),
            match (self.complete, self.exhausted) {
                (true, true) => "every path was taken, or shown to be none",
                (true, false) => "every goal is decided",
                (false, true) => "every path was taken, but for what was lost",
                (false, false) => "the search did not come to its end",
            }
        );
        self.add_search(&mut text);
        for (notes, what) in [(&self.losses, "lost"), (&self.bounds, "bound")] {
            for note in notes {
                let _ = writeln!(text, "{what}: {}", note.text());
            }
        }
        text
    }

    fn add_search(&self, text: &mut String) {
        let Statistics {
            iterations,
            paths,
            solver_queries,
            lazy,
        } = &self.statistics;
        let _ = writeln!(
            text,
            "search: {iterations} executions, {paths} paths, {solver_queries} solver queries"
        );
        if let Some(lazy) = lazy {
            let _ = writeln!(
                text,
                "lazy expansion: {} abstract paths to make real, {} made real, {} led nowhere; {} \
                 executions with every call replaced, {} with some expanded, {} along known paths; {} left out by what was learned",
                lazy.abstract_paths,
                lazy.concretised,
                lazy.spurious,
                lazy.iterations_outside,
                lazy.iterations_inside,
                lazy.summaries_used,
                lazy.learned,
            );
        }
    }

    /// What became of the goals that the user names.
    fn of_goals(&self, named: &str) -> Result<String, Failure> {
        let is_named = |goal: &Goal| {
            let line = goal.line.to_string();
            [goal.id.to_string(), format!("{line}:{}", goal.column), line].contains(&named.into())
        };
        // A number is that of a goal, where there is one.
        let by_id = self.goals.iter().find(|it| it.id.to_string() == named);
        let goals: Vec<&Goal> = match by_id {
            Some(goal) => vec![goal],
            None => self.goals.iter().filter(|it| is_named(it)).collect(),
        };
        if goals.is_empty() {
            let title = format!("{} has no goal {named}", self.function);
            return Err(Failure::bad_input(
                title,
                "name a goal by its number in suite.json, or by its line",
            ));
        }
        let mut text = String::new();
        goals.iter().for_each(|goal| self.add_goal(&mut text, goal));
        Ok(text)
    }

    fn add_goal(&self, text: &mut String, goal: &Goal) {
        let _ = writeln!(
            text,
            "goal {}, {}:{}:{}: {}: {}",
            goal.id, goal.file, goal.line, goal.column, goal.side, goal.status
        );
        match &goal.evidence {
            Some(Evidence::Folded) => {
                let _ = writeln!(
                    text,
                    "  a condition is a constant, with which control never comes there"
                );
            }
            Some(Evidence::NoPath) => {
                let _ = writeln!(text, "  no path in the control-flow graph leads there");
            }
            Some(Evidence::Rejected) => {
                let _ = writeln!(
                    text,
                    "  all paths from there come to an assumption that never holds"
                );
            }
            Some(Evidence::ExhaustedSearch { paths, defects }) => {
                let how = match self.statistics.lazy {
                    None => format!("all {paths} paths there are were taken"),
                    // Abstract paths stand for the others.
                    Some(_) => format!("{paths} paths were taken, and no others can lead there"),
                };
                let _ = writeln!(text, "  {how}; nothing was lost, and none comes there");
                for defect in defects.iter().filter_map(|&at| self.defects.get(at)) {
                    let _ = writeln!(
                        text,
                        "  unless it goes on behind a defect, {} (test {}): {}",
                        defect.kind, defect.test, defect.message
                    );
                }
            }
            None => {}
        }
        if let Some(test) = goal.test {
            let how = match goal.confirmed {
                Some(true) => "the compiled program confirms it",
                Some(false) => "the compiled program does not confirm it",
                None => "it was not replayed",
            };
            let _ = writeln!(text, "  test {test} reaches it; {how}");
            if let Some(test) = self.tests.iter().find(|it| it.id == test) {
                add_inputs(text, &test.inputs);
            }
        }
        for bound in &goal.bounds {
            let _ = writeln!(text, "  no input within this bound: {}", bound.text());
        }
        if let Some(reason) = &goal.reason {
            let why = match reason.as_str() {
                "stopped" => "the search was stopped before it came there",
                "losses" => "precision was lost where it can be reached from",
                "not-confirmed" => "the machine reached it, but the compiled program did not",
                "no-input" => "no input satisfies what the code assumes",
                other => other,
            };
            let _ = writeln!(text, "  {why}");
        }
        for loss in goal.losses.iter().filter_map(|&at| self.losses.get(at)) {
            let _ = writeln!(text, "  lost: {}", loss.text());
        }
    }
}

/// How many inputs of a test are told.
const FEW: usize = 16;

fn add_inputs(text: &mut String, inputs: &BTreeMap<String, Value>) {
    for (name, value) in inputs.iter().take(FEW) {
        let value = value.as_str().map_or_else(|| value.to_string(), Into::into);
        let _ = writeln!(text, "    {name} = {value}");
    }
    if let Some(more @ 1..) = inputs.len().checked_sub(FEW) {
        let _ = writeln!(text, "    and {more} more, in suite.json");
    }
}

impl Note {
    fn text(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => {
                format!("{file}:{line}: {} ({})", self.detail, self.kind)
            }
            _ => format!("{} ({})", self.detail, self.kind),
        }
    }
}
