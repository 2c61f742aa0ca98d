//! The status of a goal.

use ir::TestId;
use ir::test::Bound;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The status of a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum GoalStatus {
    /// Nothing is known yet.
    Open,
    /// A test reaches it.
    Covered(TestId),
    /// No execution free of undefined behaviour reaches it.
    Unreachable(Evidence),
    /// No execution within these bounds reaches it.
    UnreachableWithin(Vec<Bound>),
    /// Neither a test nor a proof.
    Undecided(Reason),
}

/// The reason why a goal is unreachable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// The compiler folds a condition to the constant that keeps control from there.
    Folded,
    /// No path in the control-flow graph leads there.
    NoPath,
    /// All paths from there reach an assumption that never holds.
    Rejected,
    /// Each pair of combinations that would show the independence of a condition has one that is
    /// unreachable.
    Pairs,
    /// Every feasible path was executed, without a loss, and none reached it; or with lazy
    /// expansion, abstract paths stand for those that were not executed, and do not lead there.
    ExhaustedSearch {
        /// Distinct paths that were executed.
        paths: u64,
        /// Positions in the suite's defects: those that end paths from which the control-flow
        /// graph leads to the goal.
        defects: Vec<usize>,
        /// The prunings that left something out, by their names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        prunings: Vec<String>,
    },
    /// Conditions that hold whenever control is at their places exclude it.
    Invariants {
        /// The conditions; they hold at first, and each execution from one place to the next keeps
        /// them.
        invariants: Vec<Invariant>,
        /// The defects with which executions end that would lead there.
        checks: Vec<PassedCheck>,
        /// For a proof by k-induction, k: where control passes so many loop heads in a row, the first
        /// of them in any state that satisfies the conditions, without reaching the goal, it does not
        /// reach it before the next one either. 0 for other proofs.
        #[serde(default, skip_serializing_if = "is_zero")]
        rounds: u64,
    },
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A condition that holds whenever control is at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invariant {
    /// The function.
    pub function: String,
    /// The file of the place.
    pub file: String,
    /// Its line, from 1; 0 if it is unknown.
    pub line: u32,
    /// Its column, from 1; 0 if it is unknown.
    pub column: u32,
    /// The condition, as a C expression.
    pub condition: String,
}

/// A place at which executions end in a defect, unless they pass a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassedCheck {
    /// The kind of the defect.
    pub defect: String,
    /// The function.
    pub function: String,
    /// The file of the place.
    pub file: String,
    /// Its line, from 1; 0 if it is unknown.
    pub line: u32,
    /// Its column, from 1; 0 if it is unknown.
    pub column: u32,
}

/// The reason why a goal is undecided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", content = "losses", rename_all = "kebab-case")]
pub enum Reason {
    /// The search was stopped before it reached the goal.
    Stopped,
    /// Precision was lost where the goal can be reached from: positions in the suite's losses.
    Losses(Vec<usize>),
    /// The machine reached it, but the compiled test did not.
    NotConfirmed,
    /// The time for running tests was over before that of the goal ran.
    NotReplayed,
    /// No input satisfies the assumptions of the code.
    NoInput,
    /// On some path, neither an input that reaches the label was found, nor that there is none: the
    /// solver gave up, or inputs that reach it break an assumption behind it.
    OpenPaths,
    /// No goal that is asked for needs it any more: only of combinations, for the independence of
    /// conditions.
    NotNeeded,
    /// The decision has too many combinations of values of its conditions to tell them apart.
    TooManyCombinations,
    /// It follows from combinations, none of which is a test, and not all of which are unreachable.
    OpenPairs,
}

impl GoalStatus {
    /// Its name in `suite.json`.
    pub fn name(&self) -> &'static str {
        match self {
            GoalStatus::Covered(_) => "covered",
            GoalStatus::Unreachable(_) => "unreachable",
            GoalStatus::UnreachableWithin(_) => "unreachable-within",
            GoalStatus::Open | GoalStatus::Undecided(_) => "undecided",
        }
    }
}
