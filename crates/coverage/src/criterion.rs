//! Coverage criteria by their names.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use ir::{FunctionId, Origin, Program};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// The paths that count, beside goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Paths of whole executions.
    Whole,
    /// Paths through the unit.
    Unit,
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
}

/// Criteria of the design that do not exist yet; some take an argument after `=`.
const NOT_YET: [&str; 8] = [
    "mcdc",
    "k-path",
    "minimal-all-paths",
    "minimal-all-conditions",
    "minimal-all-decisions",
    "empty-else",
    "max-iterations",
    "error",
];

fn known() -> String {
    Criterion::ALL.map(Criterion::name).join(", ")
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Criterion; 5] = [
        Criterion::Decisions,
        Criterion::Conditions,
        Criterion::Statements,
        Criterion::AllPaths,
        Criterion::UnitPaths,
    ];

    /// Its name on the command line and in `suite.json`.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Decisions => "decisions",
            Criterion::Conditions => "conditions",
            Criterion::Statements => "statements",
            Criterion::AllPaths => "all-paths",
            Criterion::UnitPaths => "unit-paths",
        }
    }

    /// The paths that count, so that covering all goals is not enough.
    pub fn paths(self) -> Option<Paths> {
        match self {
            Criterion::AllPaths => Some(Paths::Whole),
            Criterion::UnitPaths => Some(Paths::Unit),
            Criterion::Decisions | Criterion::Conditions | Criterion::Statements => None,
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Criterion {
    type Err = UnknownCriterion;

    fn from_str(name: &str) -> Result<Self, UnknownCriterion> {
        let base = name.split('=').next().unwrap_or(name);
        match Criterion::ALL
            .into_iter()
            .find(|criterion| criterion.name() == name)
        {
            Some(criterion) => Ok(criterion),
            None if NOT_YET.contains(&base) => Err(UnknownCriterion::NotYet(name.to_owned())),
            None => Err(UnknownCriterion::Unknown(name.to_owned())),
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
