//! The contents of memory that the tested code reads and never wrote: the functions that allocate
//! fill allocations, and the test paints the stack before the call.

use ir::input::{InputValue, Made, Root};
use ir::test::TestCase;

use super::scene::Scene;
use crate::Tested;
use crate::graph::{CellValue, Object};
use crate::test_program::{Fill, Statement};

/// The pattern that the stack is painted with repeats after so many bytes: no type is aligned to
/// more.
const PATTERN: usize = 16;

/// Definitions for filling allocations; they stand before those of the allocation functions.
pub const FILLS: &str = include_str!("../templates/fills.c");
/// Definitions for painting the stack.
pub const PAINT: &str = include_str!("../templates/paint.c");

/// Whether a test has values for unwritten memory of this kind.
pub fn any_sets(tested: &Tested<'_>, made: Made) -> bool {
    let Tested { subject, tests } = tested;
    let cells = tests.iter().flat_map(|test| test.inputs.values.keys());
    cells.into_iter().any(|&cell| {
        let object = subject.space.cell_data(cell).object;
        let root = &subject.space.object_data(object).root;
        matches!(root, Root::Unwritten { made: of, .. } if *of == made)
    })
}

/// The statement that says what allocations are filled with.
pub fn fills(scene: &mut Scene<'_>) -> Option<Statement> {
    let mut fills = Vec::new();
    for object in scene.graph.objects.values() {
        let Root::Unwritten {
            made: Made::Allocation,
            nth,
        } = object.root
        else {
            continue;
        };
        let contents = contents(object).into_iter();
        fills.extend(contents.map(|(offset, bytes)| Fill { nth, offset, bytes }));
    }
    if fills.is_empty() {
        return None;
    }
    let table = scene.names.fresh("fills");
    Some(Statement::FillAllocations { table, fills })
}

/// Whether a test needs a stack that holds something known: what unwritten locals have, or zeros
/// where the tested code uses padding.
pub fn any_paints(tested: &Tested<'_>) -> bool {
    any_sets(tested, Made::Local) || tested.tests.iter().any(|test| test.unsure)
}

/// The statement that paints the stack, if the tested code reads locals that it never wrote, or
/// padding.
pub fn paint(scene: &Scene<'_>, test: &TestCase) -> Option<Statement> {
    let types = &scene.subject.program.types;
    let mut values = Vec::new();
    for object in scene.graph.objects.values() {
        let is_local = matches!(
            object.root,
            Root::Unwritten {
                made: Made::Local,
                ..
            }
        );
        for (offset, bytes) in contents(object).into_iter().filter(|_| is_local) {
            values.push(Painted {
                offset: offset as usize,
                bytes,
                align: types.align(object.ty).max(1) as usize,
            });
        }
    }
    if values.is_empty() && !test.unsure {
        return None;
    }
    Some(Statement::PaintStack {
        pattern: pattern(&values).to_vec(),
    })
}

/// The values of an object, each as bytes at an offset.
fn contents(object: &Object) -> Vec<(u64, Vec<u8>)> {
    let value = |(&offset, cell): (&i64, &CellValue)| {
        let InputValue::Bits(bits) = cell.value else {
            return None;
        };
        let size = cell.width.div_ceil(8) as usize;
        let bytes = bits.to_le_bytes().get(..size)?.to_vec();
        Some((u64::try_from(offset / 8).ok()?, bytes))
    };
    object.cells.iter().filter_map(value).collect()
}

/// A value in an unwritten local.
struct Painted {
    /// Where it is in its object.
    offset: usize,
    bytes: Vec<u8>,
    /// The alignment of the object, which is all that is known of where it lies.
    align: usize,
}

/// Bytes that the stack is painted with, again and again, so that each value is where it should be.
/// Where values would be in each other's place, objects are taken to be aligned to more than they
/// must.
fn pattern(values: &[Painted]) -> [u8; PATTERN] {
    let mut bytes = [None; PATTERN];
    for stride in [1, 2, 4, 8, PATTERN] {
        bytes = [None; PATTERN];
        let mut fits = values.iter().map(|value| put(&mut bytes, value, stride));
        if fits.all(|fits| fits) {
            break;
        }
    }
    bytes.map(|byte| byte.unwrap_or(0))
}

/// Puts a value wherever it may be. Returns false if something else is there.
fn put(pattern: &mut [Option<u8>; PATTERN], value: &Painted, stride: usize) -> bool {
    let stride = stride
        .max(value.align)
        .max(value.bytes.len().next_power_of_two())
        .min(PATTERN);
    let starts = (0..PATTERN).step_by(stride);
    let mut fits = true;
    for start in starts {
        for (at, &byte) in value.bytes.iter().enumerate() {
            let place = (start + value.offset % stride + at) % PATTERN;
            fits &= *pattern[place].get_or_insert(byte) == byte;
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::{PATTERN, Painted, pattern};

    fn value(offset: usize, bytes: &[u8], align: usize) -> Painted {
        Painted {
            offset,
            bytes: bytes.to_vec(),
            align,
        }
    }

    #[test]
    fn a_value_is_wherever_its_object_may_be() {
        let one = pattern(&[value(4, &[1, 2], 2)]);
        assert_eq!(one[..], [1, 2].repeat(PATTERN / 2));
        let two = pattern(&[value(0, &[1, 0, 0, 0], 4), value(4, &[2, 0, 0, 0], 4)]);
        assert_eq!(two[..], [1, 0, 0, 0, 2, 0, 0, 0].repeat(PATTERN / 8));
    }
}
