//! Plausible inputs: what callers pass unless a path asks for something else.

use ir::input::{InputSpace, InputValue, Root};
use ir::{CellId, Program, Type};
use vm::Defaults;

/// Pointers lead to objects of their own, a few deep, unless an input says otherwise.
pub struct ObjectsOfTheirOwn<'a> {
    /// The program, for its types.
    pub program: &'a Program,
}

/// From this depth on, pointers are NULL, so that lists end.
const MOST_DEEP: u32 = 2;

impl Defaults for ObjectsOfTheirOwn<'_> {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let types = &self.program.types;
        let pointee = types.pointee(space.cell_data(cell).ty)?;
        let is_object = !matches!(types.kind(pointee), Type::Function(_));
        (is_object && depth(space, cell) < MOST_DEEP).then_some(InputValue::Fresh)
    }
}

/// How many pointers lead to a cell.
fn depth(space: &InputSpace, cell: CellId) -> u32 {
    match space.object_data(space.cell_data(cell).object).root {
        Root::Pointee(pointer) => 1 + depth(space, pointer),
        _ => 0,
    }
}
