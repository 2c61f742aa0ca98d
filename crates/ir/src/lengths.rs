//! Which inputs say how many elements there are behind others, as data.

use crate::TypeId;

/// That one input says how many elements there are behind another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LengthOf {
    /// The pointer.
    pub pointer: Part,
    /// The length.
    pub length: Part,
    /// What the length counts, in bytes.
    pub element: u64,
}

/// A scalar that an input pointer or length can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A parameter of the entry function.
    Parameter(u32),
    /// A member of an object of a record type. The pointer and its length are of one object.
    Member {
        /// The record.
        record: TypeId,
        /// Its member, by index.
        field: u32,
    },
}
