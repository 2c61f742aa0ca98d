//! Constants of the program text and initial values of globals.

use crate::{FunctionId, GlobalId, TypeId};

/// A constant operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its scalar type.
    pub ty: TypeId,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a [`Constant`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantValue {
    /// An integer, as the bits of its type's width; higher bits are zero. A pointer type with an
    /// integer is that absolute address; `Int(0)` of pointer type is the null pointer.
    Int(u128),
    /// A floating value, as the bits of its type.
    Float(u128),
    /// The address of a global plus a byte offset.
    Global {
        /// The object.
        global: GlobalId,
        /// Offset from its start in bytes.
        offset: i64,
    },
    /// The address of a function.
    Function(FunctionId),
}

/// The initial value of a global.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Initializer {
    /// The bytes from the start, in the target's order; what is missing at the end is zero.
    pub bytes: Vec<u8>,
    /// The bits of the object that C leaves open, as a mask of bytes from the start: those of
    /// unions beside the values of the member that is initialised (C17 6.2.6.1p6 and p7).
    pub open: Vec<u8>,
    /// Pointers inside those bytes, by increasing offset.
    pub relocations: Vec<Relocation>,
}

/// A pointer-sized address inside an [`Initializer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where the pointer lies, in bytes from the start.
    pub offset: u64,
    /// What it points to: `Global` or `Function`.
    pub target: ConstantValue,
}
