//! The paths of a search that took all of them, as data that others can check: an input for each.
//!
//! A path is given by an input that takes it, and by nothing else. Whoever checks executes the inputs,
//! makes the tree of their paths anew, and shows that no input leaves it: so there is no condition and
//! no mark in the data that has to be believed.

use serde::{Deserialize, Serialize};

/// The paths of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SearchPaths {
    /// All of them.
    Taken(TakenPaths),
    /// They are not given.
    LeftOut {
        /// Why not, as the end of "not checked: …".
        left_out: String,
    },
}

/// The paths that a search took, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenPaths {
    /// What bounds the executions.
    pub limits: ExecutionLimits,
    /// The cells of the inputs, by their logical addresses ([`crate::logical`]).
    pub cells: Vec<String>,
    /// For each path, the values of the cells that its input gives, by their positions in
    /// [`TakenPaths::cells`].
    pub inputs: Vec<Vec<(u32, String)>>,
}

/// What bounds executions, as the user said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionLimits {
    /// The function that has to accept the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precondition: Option<String>,
    /// Statements in one execution.
    pub steps: u64,
    /// Choices of the input in one execution.
    pub choices: usize,
    /// Calls of one function without a body before its default results end loops.
    pub patience: u32,
    /// Bytes of one object up to the last that is accessed.
    pub touched: u64,
    /// Elements of an input array.
    pub elements: u64,
    /// Whether allocations may fail.
    pub allocation_failures: bool,
    /// The parameters, by their index, that are taken not to be NULL.
    #[serde(default)]
    pub nonnull: Vec<u32>,
    /// Whether inputs are taken to share no memory.
    #[serde(default)]
    pub disjoint: bool,
    /// Whether the files are taken to be the whole program.
    pub closed_world: bool,
}
