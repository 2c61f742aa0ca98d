//! The input of an execution: known values, and defaults.

use std::hash::{Hash, Hasher};

use ir::CellId;
use ir::input::{InputSpace, InputValue, InputVector, Root};
use rustc_hash::FxHasher;

/// What cells hold that an [`InputVector`] leaves open, once something looks at them.
pub trait Defaults: Sync {
    /// The value of a cell; `None` for the usual one: 0, or the first thing that a pointer can be.
    /// A pointer that cannot be what is said takes the usual value too.
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue>;

    /// Whether the values that were meant for an execution are used up. It ends then, once it has
    /// made as many choices as are recorded.
    fn are_used_up(&self) -> bool {
        false
    }
}

/// The usual values.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroDefaults;

impl Defaults for ZeroDefaults {
    fn value(&self, _: &InputSpace, _: CellId) -> Option<InputValue> {
        None
    }
}

/// Random numbers in place of 0 (CUTE, section 3.4): small ones, as a person would choose.
/// Pointers, and whether allocations fail, are as usual.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// What the numbers depend on.
    pub seed: u64,
}

/// Random numbers are smaller.
const RANDOM_LIMIT: u64 = 1000;

impl Defaults for Random {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let data = space.cell_data(cell);
        let root = &space.object_data(data.object).root;
        if matches!(root, Root::AllocationFails { .. }) {
            return None;
        }
        let mut hasher = FxHasher::default();
        (self.seed, cell.raw()).hash(&mut hasher);
        // The low bits of this hash are poor.
        let number = (hasher.finish() >> 32) % RANDOM_LIMIT;
        Some(InputValue::Bits(u128::from(number)))
    }
}

/// The input of an execution.
#[derive(Clone, Copy)]
pub struct InputProvider<'a> {
    /// Values that are known.
    pub vector: &'a InputVector,
    /// All others.
    pub defaults: &'a dyn Defaults,
    /// How many choices are recorded at least, within the limit of the machine.
    pub recorded: usize,
    /// How many further choices the execution may make once it has made as many as are recorded. That
    /// is a loss.
    pub unrecorded: u64,
    /// How many steps the execution may take beyond the limit of the machine.
    pub more_steps: u64,
}

impl<'a> From<&'a InputVector> for InputProvider<'a> {
    fn from(vector: &'a InputVector) -> Self {
        InputProvider {
            vector,
            defaults: &ZeroDefaults,
            recorded: 0,
            unrecorded: 0,
            more_steps: 0,
        }
    }
}

impl InputProvider<'_> {
    /// What a cell is to hold, if anything is said of it.
    pub fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let known = self.vector.values.get(&cell).copied();
        known.or_else(|| self.defaults.value(space, cell))
    }
}
