//! What an execution is given as its input.

use ir::CellId;
use ir::input::{InputSpace, InputValue, InputVector};

/// What cells hold that an [`InputVector`] leaves open, once something looks at them.
pub trait Defaults {
    /// The value of a cell; `None` for the usual one: 0, or the first thing that a pointer can be.
    /// A pointer that cannot be what is said takes the usual value too.
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue>;
}

/// The usual values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usual;

impl Defaults for Usual {
    fn value(&self, _: &InputSpace, _: CellId) -> Option<InputValue> {
        None
    }
}

/// The input of an execution.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Values that are known.
    pub vector: &'a InputVector,
    /// All others.
    pub defaults: &'a dyn Defaults,
}

impl<'a> From<&'a InputVector> for Given<'a> {
    fn from(vector: &'a InputVector) -> Self {
        Given {
            vector,
            defaults: &Usual,
        }
    }
}

impl Given<'_> {
    /// What a cell is to hold, if anything is said of it.
    pub fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let known = self.vector.values.get(&cell).copied();
        known.or_else(|| self.defaults.value(space, cell))
    }
}
