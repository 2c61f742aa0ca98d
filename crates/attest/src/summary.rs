//! `summary.json`: the results of several functions, side by side.

use std::collections::BTreeSet;

use coverage::Suite;
use serde::Serialize;

/// The results of several functions.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    functions: Vec<Line>,
    #[serde(skip)]
    folders: BTreeSet<String>,
}

/// The result of one function.
#[derive(Debug, Serialize)]
struct Line {
    function: String,
    /// The folder of its results, beside `summary.json`.
    directory: String,
    complete: bool,
    goals: usize,
    covered: usize,
    unreachable: usize,
    unreachable_within: usize,
    undecided: usize,
    tests: usize,
    defects: usize,
}

impl Summary {
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
    pub fn add(&mut self, function: &str, directory: String, suite: &Suite) {
        let count = |name: &str| {
            let goals = suite.asked_for();
            goals.filter(|goal| goal.status.name() == name).count()
        };
        self.functions.push(Line {
            function: function.to_owned(),
            directory,
            complete: suite.complete(),
            goals: suite.asked_for().count(),
            covered: count("covered"),
            unreachable: count("unreachable"),
            unreachable_within: count("unreachable-within"),
            undecided: count("undecided"),
            tests: suite.tests.len(),
            defects: suite.defects.len(),
        });
    }

    /// As JSON.
    pub fn text(&self) -> String {
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
