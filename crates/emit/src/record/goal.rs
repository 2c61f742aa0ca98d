//! A goal in `suite.json`.

use coverage::{Evidence, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NearestRecord, Note, PlaceRecord};

/// A goal and its status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoalRecord {
    /// Its number.
    pub id: usize,
    /// The function that it lies in.
    pub function: String,
    /// The kind of the goal.
    pub kind: GoalKindRecord,
    /// Where it begins; a goal from a macro begins where the macro is used.
    #[serde(flatten)]
    pub place: PlaceRecord,
    /// One past the last character; of a goal from a macro, where it is spelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndRecord>,
    /// Where a goal from a macro is spelled, inside the macro's definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_macro: Option<PlaceRecord>,
    /// true, false, case 7, case 1 ... 3, default, executed, called; the values of a combination
    /// from left to right, as T - F, or all combinations; independent, independent by masking; left
    /// == right - 1, left == right, left == right + 1; label with its name
    #[schemars(regex(
        pattern = r"^(true|false|default|executed|called|case -?[0-9]+( \.\.\. -?[0-9]+)?|[TF-]( [TF-])*|all combinations|independent( by masking)?|left == right( [+-] 1)?|label .+)$"
    ))]
    pub side: String,
    /// The side by the names of enumerators, if it has some: case RED, case RED ... BLUE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_by_names: Option<String>,
    /// Its status.
    #[serde(flatten)]
    pub status: StatusRecord,
    /// Whether the compiled test reached the goal; null if no test of it ran.
    pub confirmed: Option<bool>,
    /// A test that reaches the goal only beyond a defect to which compilers give a meaning; it says
    /// nothing about the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_defect: Option<usize>,
    /// Whether the criteria do not ask for the goal, which is only of use for others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auxiliary: bool,
    /// Of the independence of a condition: the pairs of combinations that show it, by their numbers,
    /// each with that first where the condition is true. If it is covered, the pair that is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(usize, usize)>,
    /// If it is undecided: the test that came nearest, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestRecord>,
    /// If it is undecided for another reason: positions in the suite's losses, those from which control
    /// can reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses_before: Vec<usize>,
}

/// The kind of the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GoalKindRecord {
    /// A side of a decision.
    Decision,
    /// A side of a switch.
    Switch,
    /// A value of a condition.
    Condition,
    /// A statement.
    Statement,
    /// A call.
    Call,
    /// A combination of values of the conditions of a decision.
    Combination,
    /// The independence of a condition.
    Independence,
    /// A boundary value of a relational condition.
    Boundary,
    /// A label that the user wrote.
    Label,
    /// A mutant that has another value than its operation.
    Mutant,
    /// A use of a variable, with the definition that gives it its value.
    Use,
}

/// The status of a goal, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum StatusRecord {
    /// A test reaches it.
    Covered {
        /// The test's number.
        test: usize,
    },
    /// No execution free of undefined behaviour reaches it.
    Unreachable {
        /// Why not.
        evidence: Evidence,
    },
    /// No execution within these bounds reaches it.
    UnreachableWithin {
        /// The bounds.
        bounds: Vec<Note>,
    },
    /// Neither a test nor a proof.
    Undecided(Reason),
}

/// The end of a piece of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndRecord {
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// The column, from 1.
    #[schemars(range(min = 1))]
    pub column: u32,
}

impl GoalRecord {
    /// The side as people read it.
    pub fn told_side(&self) -> &str {
        self.side_by_names.as_deref().unwrap_or(&self.side)
    }
}

impl StatusRecord {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            StatusRecord::Covered { .. } => "covered",
            StatusRecord::Unreachable { .. } => "unreachable",
            StatusRecord::UnreachableWithin { .. } => "unreachable-within",
            StatusRecord::Undecided(_) => "undecided",
        }
    }
}
