//! A location: a scalar part of an object, or the element at an index of an array.

use ir::{Program, TypeId};

use crate::objects::elements::Elements;
use crate::objects::places::{ByteRange, Object};

/// One of the indices at which elements are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AtIndex {
    /// The index.
    First,
    /// The second one, for arrays of which elements are compared with each other, and for nodes that
    /// lead to others.
    Second,
}

/// A scalar part of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The object.
    pub object: Object,
    /// Where it begins, in bytes from the start of the object; of elements, where the first one does.
    pub offset: u64,
    /// Its type: an integer or a pointer.
    pub ty: TypeId,
    /// The elements that it is one of: that at the index.
    pub of: Option<Elements>,
    /// At which of the indices, if it is one of elements; which of them, if it is an index itself.
    pub at: AtIndex,
}

impl Location {
    /// A scalar at an offset of an object.
    pub fn at(object: Object, offset: u64, ty: TypeId) -> Location {
        Location {
            object,
            offset,
            ty,
            of: None,
            at: AtIndex::First,
        }
    }

    /// The location that a part of an object is, which has a type.
    pub fn of_part(program: &Program, part: ByteRange, ty: TypeId) -> Location {
        let (offset, end) = part.range;
        match part.object {
            Object::Nodes(_) => {
                let size = program.types.size(ty).min(end.saturating_sub(offset));
                Location::element(part.object, Elements::one(offset, size), ty)
            }
            _ => Location::at(part.object, offset, ty),
        }
    }

    /// The element at the index.
    pub fn element(object: Object, elements: Elements, ty: TypeId) -> Location {
        Location {
            object,
            offset: elements.first,
            ty,
            of: Some(elements),
            at: AtIndex::First,
        }
    }

    /// The same at the second index.
    pub fn at_second(self) -> Location {
        Location {
            at: AtIndex::Second,
            ..self
        }
    }
}
