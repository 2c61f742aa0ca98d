//! What an execution knows about input pointers and about the arrays that they point to.

use ir::input::{InputCell, InputValue};
use ir::{CellId, ObjectId};

/// What is still open about an input pointer.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// What it is in this execution.
    pub chosen: InputValue,
    /// What else it could be.
    pub others: Vec<InputValue>,
}

/// What is guessed of an array.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Guess {
    pub object: ObjectId,
    /// The pointer to it.
    pub pointer: CellId,
    pub length: InputCell,
    pub element: u64,
    /// Elements that it is known to have on this path; none are asked about once it is longer.
    pub known: Option<u64>,
}
