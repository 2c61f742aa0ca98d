//! Coverage criteria by their names.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use ir::{FunctionId, Origin, Program};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Abstraction;

/// The criterion that a suite has to meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Both outcomes of each decision, and each side of each switch.
    #[default]
    Decisions,
    /// Both values of each condition, and each side of each switch.
    Conditions,
    /// Each statement.
    Statements,
    /// Each feasible path of the whole execution.
    AllPaths,
    /// Each feasible path through the functions of the scope, once, whatever path their callees
    /// take (LATEST, section 2).
    UnitPaths,
    /// Each feasible path of the whole execution on which no loop has more rounds than that, apart
    /// from loops with a fixed number of rounds (PathCrawler, section 4).
    KPath(NonZeroU32),
    /// Each feasible path through the functions of the scope, once, whatever calls do, and by
    /// whichever conditions decisions have their outcomes (PathCrawler, section 4).
    MinimalAllPaths,
    /// The goals of [`Criterion::Conditions`], searched for by partial paths (PathCrawler, section
    /// 5).
    MinimalAllConditions,
    /// The goals of [`Criterion::Decisions`], likewise.
    MinimalAllDecisions,
}

/// The paths that count, beside goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Paths through the unit.
    Unit,
    /// Paths of whole executions, as far as they are told apart and count.
    Abstract(Abstraction),
}

/// The functions whose goals count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The tested functions.
    #[default]
    Function,
    /// All functions in their files.
    File,
    /// All functions of the user.
    Program,
}

/// A criterion that is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownCriterion {
    /// The design has it, but it is not built yet.
    #[error("the criterion `{0}` does not exist yet; there are: {known}", known = known())]
    NotYet(String),
    /// There is no such criterion.
    #[error("there is no criterion `{0}`; there are: {known}", known = known())]
    Unknown(String),
    /// It needs a number of rounds.
    #[error("`{0}` is no criterion: write {K_PATH_USAGE}, where K is a number of rounds from 1")]
    Rounds(String),
}

/// Criteria of the design that do not exist yet; some take an argument after `=`.
const NOT_YET: [&str; 4] = ["mcdc", "empty-else", "max-iterations", "error"];

/// The criterion that takes a number, and how it is written.
const K_PATH: &str = "k-path";
const K_PATH_USAGE: &str = "k-path=K";

fn known() -> String {
    let names = Criterion::ALL.map(|criterion| criterion.to_string());
    format!("{}, {K_PATH_USAGE}", names.join(", "))
}

impl Criterion {
    /// All criteria without an argument.
    pub const ALL: [Criterion; 8] = [
        Criterion::Decisions,
        Criterion::Conditions,
        Criterion::Statements,
        Criterion::AllPaths,
        Criterion::UnitPaths,
        Criterion::MinimalAllPaths,
        Criterion::MinimalAllConditions,
        Criterion::MinimalAllDecisions,
    ];

    /// Its name on the command line and in `suite.json`, without the argument.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Decisions => "decisions",
            Criterion::Conditions => "conditions",
            Criterion::Statements => "statements",
            Criterion::AllPaths => "all-paths",
            Criterion::UnitPaths => "unit-paths",
            Criterion::KPath(_) => K_PATH,
            Criterion::MinimalAllPaths => "minimal-all-paths",
            Criterion::MinimalAllConditions => "minimal-all-conditions",
            Criterion::MinimalAllDecisions => "minimal-all-decisions",
        }
    }

    /// The paths that count, so that covering all goals is not enough.
    pub fn paths(self) -> Option<Paths> {
        match self {
            Criterion::AllPaths => Some(Paths::Abstract(Abstraction::Nothing)),
            Criterion::UnitPaths => Some(Paths::Unit),
            Criterion::KPath(rounds) => Some(Paths::Abstract(Abstraction::MoreRounds(rounds))),
            Criterion::MinimalAllPaths => Some(Paths::Abstract(Abstraction::CallsAndConditions)),
            Criterion::Decisions
            | Criterion::Conditions
            | Criterion::Statements
            | Criterion::MinimalAllConditions
            | Criterion::MinimalAllDecisions => None,
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Criterion::KPath(rounds) => write!(f, "={rounds}"),
            _ => Ok(()),
        }
    }
}

impl FromStr for Criterion {
    type Err = UnknownCriterion;

    fn from_str(text: &str) -> Result<Self, UnknownCriterion> {
        let (name, argument) = match text.split_once('=') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        if name == K_PATH {
            let rounds = argument.and_then(|argument| argument.parse().ok());
            let wrong = || UnknownCriterion::Rounds(text.to_owned());
            return rounds.map(Criterion::KPath).ok_or_else(wrong);
        }
        let mut all = Criterion::ALL.into_iter();
        match all.find(|criterion| criterion.name() == text) {
            Some(criterion) => Ok(criterion),
            None if NOT_YET.contains(&name) => Err(UnknownCriterion::NotYet(text.to_owned())),
            None => Err(UnknownCriterion::Unknown(text.to_owned())),
        }
    }
}

impl Scope {
    /// The functions whose goals count, for the tested ones.
    pub fn functions(self, program: &Program, tested: &[FunctionId]) -> BTreeSet<FunctionId> {
        let is_beside = |unit| {
            let mut units = tested.iter().map(|&id| program.functions[id].unit);
            units.any(|tested| tested == unit)
        };
        let counts = |id: FunctionId| match self {
            Scope::Function => tested.contains(&id),
            Scope::File => is_beside(program.functions[id].unit),
            Scope::Program => program.origin(id) == Origin::User,
        };
        program
            .functions
            .indices()
            .filter(|&id| counts(id))
            .collect()
    }
}
