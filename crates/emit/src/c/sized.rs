//! Lengths of arrays that tests pass, as a person would write them: `sizeof text`, and
//! `sizeof items / sizeof *items` where they count larger elements.

use ir::input::{InputValue, Root};
use ir::lengths::{LengthOf, LengthOperand};

use super::scene::Scene;
use super::storage::{Shape, Storage};
use crate::graph::CellValue;
use crate::test_program::Declaration;

/// Writes the parameters that give the length of an array in terms of that, where it has just that
/// length. `positions` says where each parameter is declared.
pub fn name_sizes(scene: &mut Scene<'_>, positions: &[usize]) {
    for pair in &scene.subject.space.lengths {
        // The array is declared before its pointer.
        let (LengthOperand::Parameter(pointer), LengthOperand::Parameter(length)) =
            (pair.pointer, pair.length)
        else {
            continue;
        };
        if pointer > length {
            continue;
        }
        let position = positions.get(length as usize).copied();
        if let Some(text) = size(scene, pair, (pointer, length))
            && let Some(position) = position
            && let Some(Declaration::Variable { value, .. }) = scene.declarations.get_mut(position)
        {
            *value = Some(text);
        }
    }
}

/// A length that is just that of its array.
fn size(scene: &Scene<'_>, pair: &LengthOf, (pointer, length): (u32, u32)) -> Option<String> {
    let types = scene.subject.types;
    let array = array(scene, pointer)?;
    let InputValue::Bits(count) = parameter(scene, length)?.value else {
        return None;
    };
    let (bytes, name) = (array.bytes(types), &array.name);
    if count == 0 || count.checked_mul(pair.element.into()) != Some(bytes.into()) {
        return None;
    }
    match pair.element {
        1 => Some(format!("sizeof {name}")),
        element if element == types.size(array.ty) => {
            Some(format!("sizeof {name} / sizeof *{name}"))
        }
        _ => None,
    }
}

/// The array of the test's own that a parameter points to the start of.
fn array<'s>(scene: &'s Scene<'_>, pointer: u32) -> Option<&'s Storage> {
    let CellValue { cell, .. } = parameter(scene, pointer)?;
    let array = scene.storages.get(scene.graph.pointees.get(cell)?)?;
    let is_moved = scene.graph.is_tagged(*cell) || array.before > 0;
    let is_variable = scene
        .declarations
        .iter()
        .all(|declaration| match declaration {
            Declaration::OnHeap { name, .. } => *name != array.name,
            _ => true,
        });
    let is_array = matches!(array.shape, Shape::Array(_));
    (is_array && is_variable && !is_moved).then_some(array)
}

/// The value of a parameter that is a scalar.
fn parameter<'s>(scene: &'s Scene<'_>, index: u32) -> Option<&'s CellValue> {
    let (_, object) = scene.graph.find(&Root::Parameter(index))?;
    object.cells.get(&0)
}
