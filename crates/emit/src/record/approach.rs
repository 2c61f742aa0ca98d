//! How far the search came towards an undecided goal, in `suite.json`.

use coverage::Tries;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EndRecord, PlaceRecord};

/// The test that came nearest to an undecided goal, and what was tried to come nearer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NearestRecord {
    /// The test's number.
    pub test: usize,
    /// The function of the place up to which the test comes.
    pub function: String,
    /// The place: a condition, what is switched on, or a call.
    #[serde(flatten)]
    pub place: PlaceRecord,
    /// One past its last character; of a place in a macro, where it is spelled.
    pub end: EndRecord,
    /// Where a place in a macro is spelled, inside the macro's definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_macro: Option<PlaceRecord>,
    /// The outcome of the branch or switch there that leads to the goal, as in side, or as in
    /// side_by_names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// The function that the call there does not enter. Without this and without needs, the execution
    /// ends there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_call: Option<String>,
    /// How many edges out of branches and switches lead to the goal at least, that of the place
    /// included.
    pub distance: u32,
    /// Whether an input decides at the place how the test goes on; null if not all choices of its path
    /// were recorded.
    pub is_decided_there: Option<bool>,
    /// How often the branch was tried on whatever paths, and the results.
    pub tries: Tries,
}
