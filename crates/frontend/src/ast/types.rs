//! Types, records and enums of the document, with their layouts.

use serde::Deserialize;

use super::Expr;

/// A type with its layout.
#[derive(Debug, Deserialize)]
pub struct TypeEntry {
    /// The shape.
    pub kind: TypeKind,
    /// Size in bytes, 0 if there is none.
    pub size: u64,
    /// Alignment in bytes, 1 if there is none.
    pub align: u64,
}

/// The shape of a type; see [`ir::Type`].
#[derive(Debug, Deserialize)]
#[allow(missing_docs)] // as in `ir::Type`
pub enum TypeKind {
    Void,
    /// `name` is one of `bool char schar uchar short ushort int uint long ulong longlong ulonglong
    /// int128 uint128`.
    Int {
        name: String,
        width: u32,
        signed: bool,
    },
    Enum(usize),
    /// `half float double longdouble float128`.
    Float(String),
    Pointer {
        pointee: usize,
        constant: bool,
        volatile: bool,
    },
    Array {
        element: usize,
        length: Option<u64>,
    },
    /// A variable-length array, or an array of such, with its lengths from the outermost on.
    VariableArray {
        /// Type of what the innermost of these arrays holds.
        element: usize,
        lengths: Vec<ArrayLength>,
    },
    Record(usize),
    /// `prototyped` is false for `int f();`.
    Function {
        result: usize,
        parameters: Vec<usize>,
        variadic: bool,
        prototyped: bool,
        noreturn: bool,
        convention: Option<String>,
    },
    /// Its C spelling (vectors, `_Complex`, `_Atomic`, `_BitInt`, …).
    Unsupported(String),
}

/// The length of an array in a [`TypeKind::VariableArray`].
#[derive(Debug, Deserialize)]
pub enum ArrayLength {
    /// A constant.
    Fixed(u64),
    /// The value of the [`Length`] with this number.
    Evaluated(usize),
    /// `[*]`.
    Unknown,
}

/// A length of an array that is evaluated where its type is written.
#[derive(Debug, Deserialize)]
pub struct Length {
    /// Its number in the unit.
    pub length: usize,
    /// Its value, of any integer type.
    pub value: Expr,
}

/// A struct or union.
#[derive(Debug, Deserialize)]
pub struct RecordDecl {
    /// In full, `struct cell` or a typedef's name for one without a tag.
    pub name: Option<String>,
    /// Whether it is a union.
    pub union: bool,
    /// Whether it is complete.
    pub complete: bool,
    /// Members, in order; unnamed bit-fields too.
    pub fields: Vec<FieldDecl>,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
}

/// A member.
#[derive(Debug, Deserialize)]
pub struct FieldDecl {
    /// `None` for anonymous members and unnamed bit-fields.
    pub name: Option<String>,
    /// Type.
    pub ty: usize,
    /// Declared `const` (for arrays: of `const` elements).
    pub constant: bool,
    /// Declared `volatile`, likewise.
    pub volatile: bool,
    /// From the start of the record.
    pub offset_bits: u64,
    /// For bit-fields.
    pub bit_width: Option<u32>,
}

/// An enum.
#[derive(Debug, Deserialize)]
pub struct EnumDecl {
    /// In full, `enum color` or a typedef's name.
    pub name: Option<String>,
    /// Whether a function declares it, so that its enumerators have no meaning outside.
    pub local: bool,
    /// Type index of the underlying integer type.
    pub underlying: usize,
    /// Names and values (decimal, signed as the underlying type).
    pub enumerators: Vec<(String, String)>,
}
