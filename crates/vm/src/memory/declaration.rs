//! What is known of an object from its declaration.

use ir::TypeId;

/// What C and the declaration of an object say of it.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    /// The alignment that C promises of the object.
    pub align: u64,
    /// Its declared type, if it has one.
    pub ty: Option<TypeId>,
    /// Whether that type, or that of an input object's elements, has padding.
    pub padded: bool,
    /// Whether it is constant, or has members that are.
    pub guarded: bool,
    /// Whether it is undefined to read it unwritten: a scalar local whose address is never taken.
    pub is_register: bool,
    /// Whether it is an object of temporary lifetime.
    pub temporary: bool,
}

impl Declaration {
    /// An object without a declared type.
    pub fn untyped(align: u64) -> Declaration {
        Declaration {
            align,
            ty: None,
            padded: false,
            guarded: false,
            is_register: false,
            temporary: false,
        }
    }
}
