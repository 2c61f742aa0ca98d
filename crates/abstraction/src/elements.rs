//! Elements of arrays that code names by an index: `a[i]`, `s.a[i].f`.
//!
//! The elements of a small array are locations of their own. Of any other array, the abstraction
//! knows one element: that at *the index*, an unknown number which is the same for all arrays and
//! never changes. What is proved of it holds of every element, since the index may be any ("cell
//! morphing": Monniaux, Gonnord 2016).

use ir::{Local, Operand, Place, PlaceBase, Program, Projection, Type, TypeId};

use crate::places::{Object, Offset, Pointers, size_of};
use crate::scalars::width;
use crate::targets::{Array, array, constant};
use crate::unfolding::{ContextId, Unfolding};

/// The elements of an array, or the same member of each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Elements {
    /// The offset of the first one, in bytes from the start of the object.
    pub first: u64,
    /// The distance from one to the next, in bytes.
    pub stride: u64,
    /// How many there are.
    pub count: u64,
}

/// How many elements an array has at most that are all known apart.
const SMALL: u64 = 8;

impl Elements {
    /// Whether they are all known apart, as locations of their own.
    pub fn is_small(&self) -> bool {
        self.count <= SMALL
    }

    /// The offsets of all of them.
    pub fn offsets(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |at| self.first + at * self.stride)
    }

    /// The byte behind the last of them, which have a size in bytes.
    pub fn end(&self, size: u64) -> u64 {
        self.first + (self.count - 1) * self.stride + size
    }

    /// Whether none of them, which have a size in bytes, overlaps scalars of another size at an offset
    /// and at any whole number of strides from there.
    pub fn are_apart(&self, size: u64, offset: u64, other_size: u64) -> bool {
        let stride = i128::from(self.stride);
        let between = (i128::from(offset) - i128::from(self.first)).rem_euclid(stride);
        between >= i128::from(size) && between + i128::from(other_size) <= stride
    }

    /// The index of the one at an offset.
    pub fn index_of(&self, offset: u64) -> Option<u64> {
        let from_first = offset.checked_sub(self.first)?;
        let index = from_first / self.stride;
        (from_first.is_multiple_of(self.stride) && index < self.count).then_some(index)
    }
}

/// Which element of an array a place means.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// That with a number in the code.
    Number(&'a Operand),
    /// That which a pointer leads to, a local of a context.
    Pointer(ContextId, Local),
}

/// An element that a place means.
pub struct Element<'a> {
    /// The object that the array is, or is a part of.
    pub object: Object,
    /// The array.
    pub elements: Elements,
    /// Which one it is.
    pub which: Which<'a>,
}

/// The element that a place means by one index that is no constant, if it is a scalar.
pub fn element<'a>(
    pointers: &Pointers,
    unfolding: &Unfolding<'_>,
    context: ContextId,
    place: &'a Place,
) -> Option<Element<'a>> {
    let program = unfolding.program();
    let (target, ty) = pointers.base(unfolding, context, place)?;
    let (mut first, mut indexed) = match (target.offset, &place.base) {
        (Offset::Exact(offset), _) => (offset, None),
        (Offset::InElement(inside), PlaceBase::Deref(Operand::Copy(local))) => {
            let Array { stride, count } = array(unfolding, target.object)?;
            (
                inside,
                Some((Which::Pointer(context, *local), stride, count)),
            )
        }
        _ => return None,
    };
    first = first.checked_add(projected(program, ty, place, &mut indexed)?)?;
    let (which, stride, count) = indexed?;
    width(program, place.ty)?;
    let elements = Elements {
        first,
        stride,
        count,
    };
    let end = elements.end(program.types.size(place.ty));
    let fits = count >= 2 && stride > 0 && end <= size_of(unfolding, target.object);
    fits.then_some(Element {
        object: target.object,
        elements,
        which,
    })
}

/// Which element, with the size and the number of the elements.
type Indexed<'a> = Option<(Which<'a>, u64, u64)>;

/// The offset by the projections of a place but one index that is no constant, which it sets.
fn projected<'a>(
    program: &Program,
    mut ty: TypeId,
    place: &'a Place,
    indexed: &mut Indexed<'a>,
) -> Option<u64> {
    let types = &program.types;
    let mut sum: u64 = 0;
    for step in &place.projections {
        let (offset, next) = match (types.kind(ty), step) {
            (Type::Record(record), Projection::Field(index)) => {
                let field = types.records[*record].fields.get(*index as usize)?;
                if field.volatile || field.bit_width.is_some() {
                    return None;
                }
                (field.offset_bits / 8, field.ty)
            }
            (Type::Array { element, length }, Projection::Index(index)) => {
                let size = types.size(*element);
                let offset = match constant(index) {
                    Some(index) => index.checked_mul(size)?,
                    None if indexed.is_some() => return None,
                    None => {
                        *indexed = Some((Which::Number(index), size, (*length)?));
                        0
                    }
                };
                (offset, *element)
            }
            _ => return None,
        };
        sum = sum.checked_add(offset)?;
        ty = next;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::Elements;

    #[test]
    fn members_of_records_in_an_array_are_apart() {
        // Records of 8 bytes: four bytes, and one byte behind them.
        let members = Elements {
            first: 16,
            stride: 8,
            count: 3,
        };
        assert!(members.are_apart(4, 20, 1));
        assert!(members.are_apart(4, 4, 1));
        assert!(members.are_apart(4, 36, 4));
        assert!(!members.are_apart(4, 19, 1));
        assert!(!members.are_apart(4, 23, 2));
        assert!(!members.are_apart(4, 24, 4));
        assert!(!members.are_apart(4, 20, 8));
    }

    #[test]
    fn the_index_of_an_offset_is_that_of_a_whole_element() {
        let members = Elements {
            first: 16,
            stride: 8,
            count: 3,
        };
        let found = [15, 16, 20, 32, 40].map(|offset| members.index_of(offset));
        assert_eq!(found, [None, Some(0), None, Some(2), None]);
        assert_eq!(members.end(4), 36);
    }
}
