//! Elements of arrays that code names by an index: `a[i]`, `s.a[i].f`.
//!
//! The elements of a small array are locations of their own. Of any other array, the abstraction
//! knows one element: that at *the index*, an unknown number which is the same for all arrays and
//! never changes. What is proved of it holds of every element, since the index may be any ("cell
//! morphing": Monniaux, Gonnord 2016). Of arrays whose elements the code compares with each other, it
//! knows the element at a second index, too ([`crate::objects::compared`]).

use ir::{OPEN_ARRAY_BYTES, Program, Type, TypeId};

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

    /// The elements of a size that an object consists of which may be of any size.
    pub fn open(stride: u64) -> Option<Elements> {
        Some(Elements {
            first: 0,
            stride,
            count: OPEN_ARRAY_BYTES.checked_div(stride)?,
        })
    }

    /// One element of a size.
    pub fn one(first: u64, size: u64) -> Elements {
        Elements {
            first,
            stride: size.max(1),
            count: 1,
        }
    }

    /// Whether they are two at least, and have a size.
    pub fn is_proper(&self) -> bool {
        self.count >= 2 && self.stride > 0
    }

    /// The offsets of all of them.
    pub fn offsets(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |at| self.first + at * self.stride)
    }

    /// The byte behind an array of which these are the whole elements.
    pub fn end_of_all(&self) -> u64 {
        self.count
            .saturating_mul(self.stride)
            .saturating_add(self.first)
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

    /// How far an offset is from the start of the element that it lies in, and the index of that; also
    /// of the place behind the last one.
    pub fn inside(&self, offset: u64) -> Option<(u64, u64)> {
        let from_first = offset.checked_sub(self.first)?;
        let index = from_first / self.stride;
        (index <= self.count).then_some((from_first % self.stride, index))
    }

    /// The index of the one at an offset.
    pub fn index_of(&self, offset: u64) -> Option<u64> {
        let from_first = offset.checked_sub(self.first)?;
        let index = from_first / self.stride;
        (from_first.is_multiple_of(self.stride) && index < self.count).then_some(index)
    }
}

/// The arrays of two elements or more that the byte at an offset of an object of a type lies in, or
/// right behind one that is the whole object; an array of arrays before those.
pub fn arrays_at(program: &Program, ty: TypeId, offset: u64) -> Vec<Elements> {
    let types = &program.types;
    let mut found = Vec::new();
    let (mut ty, mut start) = (ty, 0);
    loop {
        let inner = match types.kind(ty) {
            Type::Array {
                element,
                length: Some(count),
            } => {
                let (stride, count) = (types.size(*element), *count);
                let array = Elements {
                    first: start,
                    stride,
                    count,
                };
                found.extend(Some(array).filter(Elements::is_proper));
                let index = (offset - start).checked_div(stride);
                let index = index.filter(|&index| index < count);
                index.map(|index| (*element, index * stride))
            }
            Type::Record(record) => {
                let mut at = types.records[*record].fields.iter().filter_map(|field| {
                    let from = field.offset_bits / 8;
                    let end = from.checked_add(types.size(field.ty))?;
                    let is_here = (from..end).contains(&(offset - start));
                    (is_here && field.bit_width.is_none()).then_some((field.ty, from))
                });
                let first = at.next();
                // Of the members of a union, any may be meant.
                first.filter(|_| at.next().is_none())
            }
            _ => None,
        };
        let Some((next, by)) = inner else {
            return found;
        };
        ty = next;
        start += by;
    }
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
