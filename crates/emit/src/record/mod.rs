//! `suite.json`: the stable machine-readable contract. The types here are both what is written and
//! what is read, and `schema/suite.schema.json` is derived from them.
//!
//! Suites of earlier versions lack keys that were added later. Each such key has a default here, so
//! that these suites can be read too.

mod approach;
mod build;
mod defect;
mod goal;
mod of_suite;
mod paths;
mod proofs;
mod test;
mod timing;

use coverage::{Criteria, Scope, Statistics, Suggestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use approach::NearestRecord;
pub use build::{BuildRecord, SourceRecord, is_of_system};
pub use defect::{AssumptionRecord, CallRecord, DefectRecord};
pub use goal::{EndRecord, GoalKindRecord, GoalRecord, StatusRecord};
pub use paths::PathsRecord;
pub use proofs::ProofsRecord;
pub use test::{OutcomeRecord, TestRecord};
pub use timing::{TestTime, TimingRecord};

/// The result of attest for one function: goals, tests, defects, losses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "suite.json")]
pub struct SuiteRecord {
    /// The function under test.
    pub function: String,
    /// The file that defines it, as the user named it.
    pub file: String,
    /// The calls that the tests make, where the function is not called alone; see --sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<String>,
    /// The name of the criterion, or those of several with commas between them.
    pub criterion: String,
    /// Whose goals count.
    pub scope: Scope,
    /// Every goal is covered, or unreachable for all inputs.
    pub complete: bool,
    /// The search tried every path, except for branches after which no open goal lies
    /// (`statistics.dropped_branches`).
    pub exhausted: bool,
    /// The goals.
    pub goals: Vec<GoalRecord>,
    /// The tests. The number of each is its position.
    pub tests: Vec<TestRecord>,
    /// The defects.
    pub defects: Vec<DefectRecord>,
    /// Where precision was lost: goals that can be reached from there may be undecided.
    pub losses: Vec<Note>,
    /// Bounds that the search reached.
    pub bounds: Vec<Note>,
    /// Files of the suite, as paths from the folder of this one.
    pub files: SuiteFiles,
    /// How the program was read and is compiled, for attest replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<BuildRecord>,
    /// The cost of the search.
    pub statistics: Statistics,
    /// Beginnings of paths that no input takes, up to 200, where the criterion tells paths apart by less
    /// than all their edges: they are infeasible if the suite is complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub infeasible_paths: Vec<InfeasiblePathRecord>,
    /// How long the tests take, if they were timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<TimingRecord>,
    /// Options for another run that rule out assumptions which defects rest on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Suggestion>,
}

/// Names of the files beside `suite.json`, as paths from its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuiteFiles {
    /// The C tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<String>,
    /// The C tests that show defects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defects: Option<String>,
    /// The files that compile the program's other units for the tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// The proofs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proofs: Option<String>,
    /// The paths of a search that took all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<String>,
    /// The Makefile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makefile: Option<String>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceRecord {
    /// The file.
    pub file: String,
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// The column, from 1.
    #[schemars(range(min = 1))]
    pub column: u32,
}

/// A loss or a bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// The name of its kind.
    pub kind: String,
    /// Where, if it has a place.
    #[serde(flatten)]
    pub place: Option<PlaceRecord>,
    /// One sentence for the user.
    pub detail: String,
}

impl SuiteRecord {
    /// Reads `suite.json`.
    ///
    /// # Errors
    /// The text is not what attest writes.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The text of `suite.json`.
    ///
    /// # Errors
    /// A value that JSON cannot represent; these types have none.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Whether its numbers are valid: tests stand in order, and what refers to a test or a goal
    /// finds it.
    pub fn is_sound(&self) -> bool {
        let in_order = self
            .tests
            .iter()
            .enumerate()
            .all(|(at, test)| test.id == at);
        let claims = self.tests.iter().flat_map(|test| &test.covers);
        let claimed = claims.copied().all(|goal| goal < self.goals.len());
        let shown = self
            .defects
            .iter()
            .all(|found| found.test < self.tests.len());
        in_order && claimed && shown
    }

    /// The criteria, if there are some of these names.
    pub fn criteria(&self) -> Option<Criteria> {
        self.criterion.parse().ok()
    }
}

/// The beginning of paths that no input takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InfeasiblePathRecord {
    /// In words of the criterion.
    pub path: String,
    /// The goals that lie on it.
    pub goals: Vec<usize>,
}
