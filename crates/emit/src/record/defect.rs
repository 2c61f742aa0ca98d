//! A defect in `suite.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlaceRecord;

/// A defect and the test that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DefectRecord {
    /// The name of its kind.
    pub kind: String,
    /// Where, if it has a place.
    #[serde(flatten)]
    pub place: Option<PlaceRecord>,
    /// The number of the test that shows it.
    pub test: usize,
    /// Whether the compiled test shows it under sanitizers; null without a replay, and for kinds
    /// that none shows.
    pub confirmed: Option<bool>,
    /// One sentence for the user.
    pub message: String,
    /// The kinds of assumptions that the report rests on, each once; none for a certain defect.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// These assumptions, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<AssumptionRecord>,
    /// The calls, innermost first.
    #[serde(default)]
    pub stack: Vec<CallRecord>,
}

/// What a report takes for granted about inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssumptionRecord {
    /// The name of its kind.
    pub kind: String,
    /// The input or function that it is about.
    pub subject: String,
    /// In words.
    pub text: String,
}

/// A call on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    /// The function.
    pub function: String,
    /// Where control was in it.
    #[serde(flatten)]
    pub place: PlaceRecord,
}
