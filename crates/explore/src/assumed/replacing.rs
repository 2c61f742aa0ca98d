//! Inputs with another value in one cell.

use ir::Program;
use ir::input::{InputCell, InputSpace, InputValue, InputVector, Root};
use ir::{CellId, ObjectId};

/// An input with another value in a cell. A pointer that gets an object of its own finds there what it
/// found before.
pub(super) fn with(
    program: &Program,
    space: &mut InputSpace,
    inputs: &InputVector,
    (cell, value): (CellId, InputValue),
) -> InputVector {
    let mut changed = inputs.clone();
    let before = changed.values.insert(cell, value);
    if let (Some(InputValue::Alias { object, offset }), InputValue::Fresh) = (before, value) {
        copy_contents(program, space, &mut changed, (cell, object, offset));
    }
    changed
}

fn copy_contents(
    program: &Program,
    space: &mut InputSpace,
    inputs: &mut InputVector,
    (pointer, object, offset): (CellId, ObjectId, i64),
) {
    let Some(pointee) = program.types.pointee(space.cell_data(pointer).ty) else {
        return;
    };
    let own = space.object(Root::Pointee(pointer), pointee);
    let values = inputs.values.iter().map(|(&cell, &value)| (cell, value));
    let values: Vec<(CellId, InputValue)> = values.collect();
    for (cell, value) in values {
        let data = *space.cell_data(cell);
        let offset_bits = data.offset_bits - offset * 8;
        if data.object == object && offset_bits >= 0 {
            let copy = space.cell(InputCell {
                object: own,
                offset_bits,
                ..data
            });
            inputs.values.entry(copy).or_insert(value);
        }
    }
}
