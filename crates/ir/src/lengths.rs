//! Pairs of inputs of which one gives the number of elements behind the other, as data.

use crate::TypeId;

/// The fact that one input gives the number of elements behind another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LengthOf {
    /// The pointer.
    pub pointer: LengthOperand,
    /// The length.
    pub length: LengthOperand,
    /// The size in bytes of the elements that the length counts.
    pub element: u64,
}

/// A pointer or a length of a [`LengthOf`]: a scalar of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LengthOperand {
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
