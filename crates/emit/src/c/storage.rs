//! How a test stores an input object.

use ir::{TypeId, Types};

/// Objects larger than this are `static`, so that no test overflows its stack.
const LARGEST_ON_STACK: u64 = 1 << 16;

/// How an input object is stored in the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The variable or global.
    pub name: String,
    /// The prefix of the names of objects that its pointers point to.
    pub stem: String,
    /// Its shape.
    pub shape: Shape,
    /// Type of the object, or of one element.
    pub ty: TypeId,
    /// Bytes in front of where the pointer to it points.
    pub before: u64,
    /// Whether it is declared `volatile`.
    pub volatile: bool,
}

impl Storage {
    /// How large it is.
    pub fn bytes(&self, types: &Types) -> u64 {
        match self.shape {
            Shape::Single => types.size(self.ty),
            Shape::Array(length) => length.saturating_mul(types.size(self.ty)),
            Shape::Raw(bytes) => bytes,
        }
    }
}

/// The shape of a [`Storage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One object of the type.
    Single,
    /// So many elements of the type.
    Array(u64),
    /// So many bytes, where the type has no name or does not divide the extent.
    Raw(u64),
}

/// Whether a variable of so many bytes is `static`.
pub fn is_static(bytes: u64) -> bool {
    bytes > LARGEST_ON_STACK
}
