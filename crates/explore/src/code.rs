//! The program of a search, and the goals in it.

use analysis::Reach;
use coverage::{GoalId, Goals};
use ir::{CodeIndex, FunctionId, Program};

/// The code and what is to be covered in it.
pub(crate) struct Code<'a> {
    pub program: &'a Program,
    pub entry: FunctionId,
    pub index: &'a CodeIndex,
    pub goals: &'a Goals,
    pub reach: &'a Reach,
}

/// A goal that is near: how many branches are before it, plus its cost, and which it is.
pub(crate) type Near = (u32, GoalId);
