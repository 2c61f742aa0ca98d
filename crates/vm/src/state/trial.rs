//! A call that is tried: the state before it, to undo it if an input decides in it.

use expr::Term;
use ir::ObjectId;

use super::State;

/// A call that is tried.
pub(crate) struct Trial {
    /// The call.
    pub call: ObjectId,
    /// What an input decided first in it, if any did.
    pub decided: Option<Term>,
    /// The state before it.
    pub before: State,
}
