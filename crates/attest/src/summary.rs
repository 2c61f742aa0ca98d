//! The results of several functions, side by side: `summary.json`, and a table.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use coverage::Suite;
use ir::AssumptionKind;
use serde::{Deserialize, Serialize};

use crate::findings::Findings;
use crate::status::Status;

/// The results of several functions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The cost of what all functions have in common.
    pub statistics: SummaryStatistics,
    /// The functions that were covered.
    pub functions: Vec<Line>,
    /// The functions that were not covered since the user ended the run.
    pub skipped: Vec<String>,
    /// The functions that attest could not cover.
    pub failed: Vec<String>,
    /// The defects that rest on assumptions: for each kind of these, how many, and in which functions.
    #[serde(skip)]
    causes: BTreeMap<(AssumptionKind, String), SummedCause>,
    #[serde(skip)]
    folders: BTreeSet<String>,
}

/// The defects of several functions that one assumption explains.
#[derive(Debug, Default)]
struct SummedCause {
    defects: usize,
    functions: BTreeSet<String>,
    /// The option that rules it out for the first of them for which one was found.
    option: Option<String>,
}

/// What the files cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct SummaryStatistics {
    /// How long it took to read and translate them.
    pub reading_seconds: f64,
}

/// The result of one function.
#[derive(Debug, Serialize, Deserialize)]
pub struct Line {
    function: String,
    /// The folder of its results, beside `summary.json`.
    pub directory: String,
    complete: bool,
    /// The exit status of a run for this function alone.
    pub exit_status: u8,
    goals: usize,
    covered: usize,
    unreachable: usize,
    unreachable_within: usize,
    undecided: usize,
    tests: usize,
    defects: usize,
    /// Those of the defects that rest on no assumption, and that no baseline knows.
    certain_defects: usize,
    /// Its cost.
    pub statistics: LineStatistics,
}

/// What a function cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct LineStatistics {
    /// How long its search and its replay took, and writing its tests.
    pub seconds: f64,
    /// How long its search took, further defects included.
    pub search_seconds: f64,
    /// How long the search looked for further defects once every goal was decided.
    pub defect_seconds: f64,
    /// How long it took to compile and run the tests, if they were.
    pub replay_seconds: Option<f64>,
}

impl Line {
    /// The cells of its row.
    fn cells(&self) -> [String; 7] {
        let count = |count: usize| match count {
            0 => "-".to_owned(),
            _ => count.to_string(),
        };
        let unreachable = self.unreachable + self.unreachable_within;
        [
            self.function.clone(),
            self.goals.to_string(),
            count(self.covered),
            count(unreachable),
            count(self.undecided),
            count(self.certain_defects),
            format!("{:.1} s", self.statistics.seconds),
        ]
    }
}

/// The heads of the columns.
const HEADS: [&str; 7] = [
    "function",
    "goals",
    "covered",
    "unreachable",
    "undecided",
    "certain defects",
    "time",
];

/// Functions that are shown before those with nothing open are left out.
const MOST_ROWS: usize = 30;

/// Causes that are listed.
const MOST_CAUSES: usize = 12;

impl Summary {
    /// The results of functions of a program that took so long to read; there are none yet.
    pub fn of_program(reading: Duration) -> Self {
        Summary {
            statistics: SummaryStatistics {
                reading_seconds: reading.as_secs_f64(),
            },
            ..Summary::default()
        }
    }

    /// A folder for a function's results: its name, with a number if that is taken.
    pub fn folder(&mut self, function: &str) -> String {
        let mut folder = function.to_owned();
        let mut number = 1;
        while !self.folders.insert(folder.clone()) {
            number += 1;
            folder = format!("{function}.{number}");
        }
        folder
    }

    /// Adds a function's result.
    pub fn add(
        &mut self,
        function: &str,
        directory: String,
        suite: &Suite,
        findings: &Findings,
        (status, statistics): (Status, LineStatistics),
    ) {
        for cause in findings.causes() {
            let key = (cause.assumption.kind, cause.assumption.subject.clone());
            let known = self.causes.entry(key).or_default();
            known.defects += cause.defects.len();
            known.functions.insert(function.to_owned());
            let suggestion = cause.suggestion(suite);
            let option = suggestion.map(|suggestion| suggestion.option.clone());
            known.option = known.option.take().or(option);
        }
        let count = |name: &str| {
            let goals = suite.asked_for();
            goals.filter(|goal| goal.status.name() == name).count()
        };
        self.functions.push(Line {
            function: function.to_owned(),
            directory,
            complete: suite.complete(),
            exit_status: status.code(),
            goals: suite.asked_for().count(),
            covered: count("covered"),
            unreachable: count("unreachable"),
            unreachable_within: count("unreachable-within"),
            undecided: count("undecided"),
            tests: suite.tests.len(),
            defects: suite.defects.len(),
            certain_defects: findings.certain.len(),
            statistics,
        });
    }

    /// Notes a function that is not covered since the user ended the run.
    pub fn skip(&mut self, function: &str) {
        self.skipped.push(function.to_owned());
    }

    /// Notes a function that attest could not cover.
    pub fn fail(&mut self, function: &str) {
        self.failed.push(function.to_owned());
    }

    /// The table for people: a row for each function, the total, and what was left out.
    pub fn table(&self) -> String {
        let is_open = |line: &&Line| line.undecided > 0 || line.certain_defects > 0;
        let shown: Vec<&Line> = match self.functions.len() > MOST_ROWS {
            true => self.functions.iter().filter(is_open).collect(),
            false => self.functions.iter().collect(),
        };
        let total = self.total();
        let mut rows = vec![HEADS.map(str::to_owned)];
        rows.extend(shown.iter().map(|line| line.cells()));
        rows.push(total.cells());
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let _ = write!(text, "{:<1$}", row[0], widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
        let hidden = self.functions.len() - shown.len();
        if hidden > 0 {
            let _ = writeln!(
                text,
                "{hidden} functions with nothing undecided and no certain defect are not shown: see summary.json"
            );
        }
        self.add_causes(&mut text);
        for (names, what) in [
            (&self.skipped, "skipped since the run was ended"),
            (&self.failed, "not covered"),
        ] {
            if !names.is_empty() {
                let _ = writeln!(text, "{what}: {}", names.join(", "));
            }
        }
        text
    }

    fn total(&self) -> Line {
        let seconds = |line: &Line| line.statistics.seconds;
        let sum = |of: fn(&Line) -> usize| self.functions.iter().map(of).sum();
        Line {
            function: format!("{} functions", self.functions.len()),
            directory: String::new(),
            complete: self.functions.iter().all(|line| line.complete),
            exit_status: 0,
            goals: sum(|line| line.goals),
            covered: sum(|line| line.covered),
            unreachable: sum(|line| line.unreachable),
            unreachable_within: sum(|line| line.unreachable_within),
            undecided: sum(|line| line.undecided),
            tests: sum(|line| line.tests),
            defects: sum(|line| line.defects),
            certain_defects: sum(|line| line.certain_defects),
            statistics: LineStatistics {
                seconds: self.functions.iter().map(seconds).sum(),
                ..LineStatistics::default()
            },
        }
    }

    /// The assumptions that most defects rest on.
    fn add_causes(&self, text: &mut String) {
        let all: usize = self.causes.values().map(|cause| cause.defects).sum();
        if all == 0 {
            return;
        }
        let mut causes: Vec<_> = self.causes.iter().collect();
        causes.sort_by_key(|(_, cause)| std::cmp::Reverse(cause.defects));
        let rest = if all == 1 {
            "defect rests"
        } else {
            "defects rest"
        };
        let _ = writeln!(text, "\n{all} {rest} on assumptions about inputs:");
        for ((kind, subject), cause) in causes.iter().take(MOST_CAUSES) {
            let functions = match cause.functions.len() {
                1 => cause.functions.iter().cloned().collect(),
                count => format!("{count} functions"),
            };
            let option = cause.option.as_ref();
            let option = option.map_or_else(String::new, |option| format!("; {option}"));
            let count = cause.defects;
            let _ = writeln!(
                text,
                "  {count:>4}  {kind} {subject}, in {functions}{option}"
            );
        }
        if causes.len() > MOST_CAUSES {
            let more = causes.len() - MOST_CAUSES;
            let _ = writeln!(
                text,
                "        and {more} more: see the report of each function"
            );
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.map_or_else(|error| error.to_string(), |text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn functions_of_one_name_get_folders_of_their_own() {
        let mut summary = Summary::default();
        let folders = ["f", "g", "f", "f"].map(|name| summary.folder(name));
        assert_eq!(folders, ["f", "g", "f.2", "f.3"]);
    }
}
