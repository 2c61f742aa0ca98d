//! Coverage criteria by their names.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use ir::{FunctionId, Origin, Program};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Abstraction, GoalKind, Independence};

/// A criterion that a suite has to meet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Both outcomes of each decision, and each side of each switch.
    #[default]
    Decisions,
    /// Both values of each condition, and each side of each switch.
    Conditions,
    /// The goals of both.
    DecisionCondition,
    /// Each combination of values of the conditions of a decision, as far as they are evaluated.
    ConditionCombinations,
    /// The goals of [`Criterion::DecisionCondition`], and for each condition two evaluations of its
    /// decision that show that it affects the outcome independently (MC/DC).
    Mcdc(Independence),
    /// Each label that the user wrote.
    Labels,
    /// Each relational condition of integers with sides that are equal, and that differ by one.
    Boundary,
    /// Each mutant of an operator or a constant with another value at its place.
    WeakMutation,
    /// Each use of a variable with each definition that reaches it.
    AllUses,
    /// Each use of a variable with each result of a call that reaches it.
    CallPairs,
    /// Each statement.
    Statements,
    /// Each call.
    Calls,
    /// Each call of the function of this name.
    Error(String),
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
    /// Each feasible path of the whole execution, apart from those that a feasible path dominates
    /// which takes the sides of more `if` statements without `else` (PathCrawler, section 4).
    EmptyElse,
    /// Each feasible path of the whole execution, apart from those that a feasible path dominates
    /// on which loops have more rounds, all of them identical (PathCrawler, section 4).
    MaxIterations,
    /// The goals of [`Criterion::Conditions`], searched for by partial paths (PathCrawler, section
    /// 5).
    MinimalAllConditions,
    /// The goals of [`Criterion::Decisions`], likewise.
    MinimalAllDecisions,
}

/// The criteria that a suite has to meet, at least one, at most one of which asks for paths.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Criteria(Vec<Criterion>);

/// The goals that criteria ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedFor<'a> {
    Decisions,
    /// The sides of decisions, apart from the empty ones of `if` statements without `else`.
    NonEmptySides,
    Conditions,
    Statements,
    /// Those of a function, or all.
    Calls(Option<&'a str>),
    Combinations,
    Independence(Independence),
    Boundaries,
    Mutants,
    Uses,
    UsesOfResults,
    Labels,
}

/// The paths that count, beside goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Paths through the unit.
    Unit,
    /// Paths of whole executions, as far as they are told apart and count.
    Abstract(Abstraction),
}

impl Paths {
    /// Whether a path need not be covered where another one dominates it.
    pub fn have_order(self) -> bool {
        let with_order = [Abstraction::EmptyElse, Abstraction::FewerRounds];
        with_order.map(Paths::Abstract).contains(&self)
    }
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
    /// There is no such criterion.
    #[error("there is no criterion `{0}`; there are: {known}", known = known())]
    Unknown(String),
    /// It needs a number of rounds.
    #[error("`{0}` is no criterion: write {K_PATH_USAGE}, where K is a number of rounds from 1")]
    Rounds(String),
    /// It needs a function.
    #[error("`{0}` is no criterion: write {ERROR_USAGE}, with the name of a function")]
    Function(String),
    /// A criterion stands there twice.
    #[error("the criterion `{0}` is named twice")]
    Twice(String),
    /// Two criteria ask for paths.
    #[error("both `{0}` and `{1}` ask for paths; name one of them")]
    TwoOfPaths(String, String),
}

/// The criterion that takes a number, and how it is written.
const K_PATH: &str = "k-path";
const K_PATH_USAGE: &str = "k-path=K";

/// The criterion that takes a function, and how it is written.
const ERROR: &str = "error";
const ERROR_USAGE: &str = "error=FUNCTION";

fn known() -> String {
    let names = Criterion::ALL.map(|criterion| criterion.to_string());
    format!("{}, {K_PATH_USAGE}, {ERROR_USAGE}", names.join(", "))
}

impl Criterion {
    /// All criteria without an argument.
    pub const ALL: [Criterion; 20] = [
        Criterion::Decisions,
        Criterion::Conditions,
        Criterion::DecisionCondition,
        Criterion::ConditionCombinations,
        Criterion::Mcdc(Independence::UniqueCause),
        Criterion::Mcdc(Independence::Masking),
        Criterion::Boundary,
        Criterion::Labels,
        Criterion::WeakMutation,
        Criterion::Statements,
        Criterion::Calls,
        Criterion::CallPairs,
        Criterion::AllUses,
        Criterion::AllPaths,
        Criterion::UnitPaths,
        Criterion::MinimalAllPaths,
        Criterion::EmptyElse,
        Criterion::MaxIterations,
        Criterion::MinimalAllConditions,
        Criterion::MinimalAllDecisions,
    ];

    /// Its name on the command line and in `suite.json`, without the argument.
    pub fn name(&self) -> &'static str {
        match self {
            Criterion::Decisions => "decisions",
            Criterion::Conditions => "conditions",
            Criterion::DecisionCondition => "decision-condition",
            Criterion::ConditionCombinations => "condition-combinations",
            Criterion::Mcdc(Independence::UniqueCause) => "mcdc",
            Criterion::Mcdc(Independence::Masking) => "masking-mcdc",
            Criterion::Boundary => "boundary",
            Criterion::Labels => "labels",
            Criterion::WeakMutation => "weak-mutation",
            Criterion::Calls => "calls",
            Criterion::CallPairs => "call-pairs",
            Criterion::AllUses => "all-uses",
            Criterion::Error(_) => ERROR,
            Criterion::Statements => "statements",
            Criterion::AllPaths => "all-paths",
            Criterion::UnitPaths => "unit-paths",
            Criterion::KPath(_) => K_PATH,
            Criterion::MinimalAllPaths => "minimal-all-paths",
            Criterion::EmptyElse => "empty-else",
            Criterion::MaxIterations => "max-iterations",
            Criterion::MinimalAllConditions => "minimal-all-conditions",
            Criterion::MinimalAllDecisions => "minimal-all-decisions",
        }
    }

    /// The paths that count, so that covering all goals is not enough.
    pub fn paths(&self) -> Option<Paths> {
        match *self {
            Criterion::AllPaths => Some(Paths::Abstract(Abstraction::Nothing)),
            Criterion::UnitPaths => Some(Paths::Unit),
            Criterion::KPath(rounds) => Some(Paths::Abstract(Abstraction::MoreRounds(rounds))),
            Criterion::MinimalAllPaths => Some(Paths::Abstract(Abstraction::CallsAndConditions)),
            Criterion::EmptyElse => Some(Paths::Abstract(Abstraction::EmptyElse)),
            Criterion::MaxIterations => Some(Paths::Abstract(Abstraction::FewerRounds)),
            Criterion::Decisions
            | Criterion::Conditions
            | Criterion::DecisionCondition
            | Criterion::ConditionCombinations
            | Criterion::Mcdc(_)
            | Criterion::Boundary
            | Criterion::Labels
            | Criterion::WeakMutation
            | Criterion::AllUses
            | Criterion::CallPairs
            | Criterion::Statements
            | Criterion::Calls
            | Criterion::Error(_)
            | Criterion::MinimalAllConditions
            | Criterion::MinimalAllDecisions => None,
        }
    }

    /// The goals that it asks for. Where paths count, these are the sides of decisions.
    pub(crate) fn goals(&self) -> Vec<AskedFor<'_>> {
        match self {
            Criterion::Decisions
            | Criterion::AllPaths
            | Criterion::UnitPaths
            | Criterion::KPath(_)
            | Criterion::MinimalAllPaths
            | Criterion::MaxIterations
            | Criterion::MinimalAllDecisions => vec![AskedFor::Decisions],
            Criterion::EmptyElse => vec![AskedFor::NonEmptySides],
            Criterion::Conditions | Criterion::MinimalAllConditions => vec![AskedFor::Conditions],
            Criterion::DecisionCondition => vec![AskedFor::Decisions, AskedFor::Conditions],
            Criterion::ConditionCombinations => vec![AskedFor::Combinations],
            Criterion::Mcdc(independence) => vec![
                AskedFor::Decisions,
                AskedFor::Conditions,
                AskedFor::Independence(*independence),
            ],
            Criterion::Boundary => vec![AskedFor::Boundaries],
            Criterion::Labels => vec![AskedFor::Labels],
            Criterion::WeakMutation => vec![AskedFor::Mutants],
            Criterion::AllUses => vec![AskedFor::Uses],
            Criterion::CallPairs => vec![AskedFor::UsesOfResults],
            Criterion::Statements => vec![AskedFor::Statements],
            Criterion::Calls => vec![AskedFor::Calls(None)],
            Criterion::Error(function) => vec![AskedFor::Calls(Some(function))],
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Criterion::KPath(rounds) => write!(f, "={rounds}"),
            Criterion::Error(function) => write!(f, "={function}"),
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
        if name == ERROR {
            let function = argument.filter(|function| !function.is_empty());
            let wrong = || UnknownCriterion::Function(text.to_owned());
            return function
                .map(|function| Criterion::Error(function.to_owned()))
                .ok_or_else(wrong);
        }
        let mut all = Criterion::ALL.into_iter();
        match all.find(|criterion| criterion.name() == text) {
            Some(criterion) => Ok(criterion),
            None => Err(UnknownCriterion::Unknown(text.to_owned())),
        }
    }
}

impl Criteria {
    /// The criteria, in the order in which they are named.
    pub fn all(&self) -> &[Criterion] {
        &self.0
    }

    /// The paths that count, so that covering all goals is not enough.
    pub fn paths(&self) -> Option<Paths> {
        self.0.iter().find_map(Criterion::paths)
    }

    /// Whether goals of a kind are asked for. Others are of use for goals that are.
    pub fn ask_for(&self, kind: GoalKind) -> bool {
        let is_combination = matches!(kind, GoalKind::Combination(..));
        !is_combination || self.0.contains(&Criterion::ConditionCombinations)
    }

    /// Whether they ask for boundary values of conditions.
    pub(crate) fn ask_for_boundaries(&self) -> bool {
        self.0.contains(&Criterion::Boundary)
    }

    /// Whether they ask for the user's own labels.
    pub(crate) fn ask_for_labels(&self) -> bool {
        self.0.contains(&Criterion::Labels)
    }

    /// Whether they ask for mutants to have other values.
    pub(crate) fn ask_for_mutants(&self) -> bool {
        self.0.contains(&Criterion::WeakMutation)
    }

    /// Whether they ask for uses of variables.
    pub(crate) fn ask_for_uses(&self) -> bool {
        self.0.contains(&Criterion::AllUses)
    }

    /// Whether they ask for uses of results of calls.
    pub(crate) fn ask_for_call_pairs(&self) -> bool {
        self.0.contains(&Criterion::CallPairs)
    }

    /// Whether an execution meets what they ask for by the path that it takes, beside edges and blocks.
    pub fn follow_from_paths(&self) -> bool {
        let has_paths = matches!(self.paths(), Some(Paths::Abstract(_)));
        has_paths || self.ask_for_uses() || self.ask_for_call_pairs()
    }

    /// Whether goals are labels: conditions on which nothing depends, so that inputs of one path may
    /// differ in them.
    pub fn have_labels(&self) -> bool {
        self.ask_for_boundaries()
            || self.ask_for_labels()
            || self.ask_for_mutants()
            || self.ask_for_uses()
            || self.ask_for_call_pairs()
    }

    /// Whether they tell combinations of values of conditions apart.
    pub fn tell_combinations_apart(&self) -> bool {
        let of_combinations =
            |asked| matches!(asked, AskedFor::Combinations | AskedFor::Independence(_));
        self.goals().any(of_combinations)
    }

    /// The goals that they ask for.
    pub(crate) fn goals(&self) -> impl Iterator<Item = AskedFor<'_>> {
        self.0.iter().flat_map(Criterion::goals)
    }
}

impl Default for Criteria {
    fn default() -> Criteria {
        Criterion::default().into()
    }
}

impl From<Criterion> for Criteria {
    fn from(criterion: Criterion) -> Criteria {
        Criteria(vec![criterion])
    }
}

impl fmt::Display for Criteria {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, criterion) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{criterion}")?;
        }
        Ok(())
    }
}

impl FromStr for Criteria {
    type Err = UnknownCriterion;

    fn from_str(text: &str) -> Result<Self, UnknownCriterion> {
        let mut all: Vec<Criterion> = Vec::new();
        for name in text.split(',') {
            let criterion: Criterion = name.trim().parse()?;
            if all.contains(&criterion) {
                return Err(UnknownCriterion::Twice(criterion.to_string()));
            }
            let of_paths = all.iter().find(|other| other.paths().is_some());
            if let Some(other) = of_paths.filter(|_| criterion.paths().is_some()) {
                let both = (other.to_string(), criterion.to_string());
                return Err(UnknownCriterion::TwoOfPaths(both.0, both.1));
            }
            all.push(criterion);
        }
        Ok(Criteria(all))
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
