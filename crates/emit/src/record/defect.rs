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
    /// The guess about the inputs that the report rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
    /// The kinds of guesses that the report rests on; none for a certain defect.
    #[serde(default)]
    pub assumptions: Vec<AssumptionRecord>,
    /// The calls, innermost first.
    #[serde(default)]
    pub stack: Vec<CallRecord>,
}

/// A kind of guess that a report of a defect rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionRecord {
    /// A caller passes such an input.
    Caller,
    /// A function without a body returns or does this.
    UnknownResult,
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
