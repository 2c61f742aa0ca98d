//! C types with their layouts, as the target has them.
//!
//! Types are interned: two equal types have the same [`TypeId`]. Qualifiers are dropped, save
//! `const` and `volatile` of a pointee, of a global and of a member: these say who may write, and C
//! needs them to declare the same thing again.

use std::fmt::Write as _;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::{EnumId, RecordId, TypeId};

/// The C name of an integer type: distinct names of equal width stay distinct types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the variants are C's own names
pub enum IntName {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

/// An integer type of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// The C name.
    pub name: IntName,
    /// Width of the value's storage in bits, from 8 to 128 (`_Bool` has 8; its values are 0 and 1).
    pub width: u32,
    /// Whether values are two's complement signed.
    pub signed: bool,
}

/// A floating type. Known for its layout; operations on it are not supported yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are C's own names
pub enum FloatName {
    Half,
    Float,
    Double,
    LongDouble,
    Float128,
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer type, `_Bool` and the character types included.
    Int(IntType),
    /// An enumeration; its values are those of the underlying type of [`EnumDef`].
    Enum(EnumId),
    /// A floating type.
    Float(FloatName),
    /// A pointer.
    Pointer {
        /// What it points to.
        pointee: TypeId,
        /// Whether the pointee is `const`-qualified.
        constant: bool,
        /// Whether the pointee is `volatile`-qualified.
        volatile: bool,
    },
    /// An array; without a length it is incomplete or a flexible array member.
    Array {
        /// Type of the elements.
        element: TypeId,
        /// Number of elements.
        length: Option<u64>,
    },
    /// A `struct` or `union`.
    Record(RecordId),
    /// A function type.
    Function(FunctionType),
    /// A type that attest does not handle yet (vector, complex, variable-length array, …), by its
    /// C spelling. Objects of it have a size, but no operation on it is supported.
    Unsupported(String),
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// Type of the result.
    pub result: TypeId,
    /// Types of the parameters.
    pub parameters: Vec<TypeId>,
    /// Whether further arguments may follow (`...`).
    pub variadic: bool,
    /// Its attributes.
    pub attributes: FunctionAttributes,
}

/// The attributes of a function type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FunctionAttributes {
    /// Whether it does not return.
    pub noreturn: bool,
    /// The attribute for how it is called, if that is not as usual: `ms_abi`, `regparm(3)`.
    pub convention: Option<String>,
}

impl FunctionAttributes {
    /// The declarator of a function with these attributes.
    fn declarator(&self, declarator: &str) -> String {
        match &self.convention {
            Some(convention) => format!("(__attribute__(({convention})) {declarator})"),
            None => declarator.to_owned(),
        }
    }
}

/// The size in bytes of the types of local arrays whose length is known where they are declared
/// ([`crate::StatementKind::StorageLiveArray`]), or a little less: more than any object has.
pub const OPEN_ARRAY_BYTES: u64 = 1 << 56;

/// A type with its layout on the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// The shape.
    pub kind: Type,
    /// Size in bytes; 0 for `void`, functions, incomplete types and flexible arrays.
    pub size: u64,
    /// Alignment in bytes; 1 where there is none.
    pub align: u64,
}

/// Whether a record is a `struct` or a `union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are C's own names
pub enum RecordKind {
    Struct,
    Union,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; `None` for an anonymous struct or union member and for unnamed bit-fields.
    pub name: Option<String>,
    /// Its declared type.
    pub ty: TypeId,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether it is `volatile`.
    pub volatile: bool,
    /// Offset from the start of the record, in bits; a multiple of 8 unless it is a bit-field.
    pub offset_bits: u64,
    /// Width in bits, for a bit-field.
    pub bit_width: Option<u32>,
}

/// A `struct` or `union`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// How C code names it in full: `struct cell`, or a typedef name for a record without a tag;
    /// `None` if it has no name at all.
    pub name: Option<String>,
    /// `struct` or `union`.
    pub kind: RecordKind,
    /// Whether its members are known; an incomplete record has none and size 0.
    pub complete: bool,
    /// Its members in order.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// An `enum`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDef {
    /// How C code names it: `enum color`, or a typedef name; `None` if it has no name.
    pub name: Option<String>,
    /// The integer type that represents it.
    pub underlying: IntType,
    /// The enumerators with their values, as two's complement of the underlying type.
    pub enumerators: Vec<(String, u128)>,
}

/// The data model of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Clang's triple.
    pub triple: String,
    /// Width of a pointer in bits: 32 or 64.
    pub pointer_width: u32,
    /// Whether signed overflow wraps (`-fwrapv`) instead of being undefined.
    pub signed_overflow_wraps: bool,
    /// Whether copies of floating numbers may go through the x87 unit: on 32-bit x86, and without
    /// SSE 2.
    pub moves_by_x87: bool,
    /// Whether pointers of any types may lead to one object: `-fno-strict-aliasing`, or types with
    /// the attribute `may_alias`.
    pub relaxed_aliasing: bool,
    /// Whether objects may be aligned to less than their types: a type has a name with the
    /// attribute `aligned` that lowers its alignment.
    pub relaxed_alignment: bool,
    /// Whether functions with the names of the C library's may be others (`-ffreestanding`).
    pub freestanding: bool,
}

/// All types of a program, interned.
#[derive(Clone, Debug, Default)]
pub struct Types {
    infos: IndexVec<TypeId, TypeInfo>,
    ids: FxHashMap<Type, TypeId>,
    /// The structs and unions.
    pub records: IndexVec<RecordId, Record>,
    /// The enums.
    pub enums: IndexVec<EnumId, EnumDef>,
}

impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        self.infos == other.infos && self.records == other.records && self.enums == other.enums
    }
}

impl Eq for Types {}

impl Types {
    /// Interns a type. The first call for a shape fixes its size and alignment; a record completed
    /// later is updated through [`Types::complete_record`].
    pub fn intern(&mut self, kind: Type, size: u64, align: u64) -> TypeId {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = self.infos.push(TypeInfo {
            kind: kind.clone(),
            size,
            align,
        });
        self.ids.insert(kind, id);
        id
    }

    /// Whether the first of these types are the other types, with the same numbers.
    pub fn begin_with(&self, other: &Types) -> bool {
        fn starts_with<T: PartialEq>(all: &[T], first: &[T]) -> bool {
            all.len() >= first.len() && all[..first.len()] == *first
        }
        starts_with(self.infos.raw.as_slice(), other.infos.raw.as_slice())
            && starts_with(self.records.raw.as_slice(), other.records.raw.as_slice())
            && starts_with(self.enums.raw.as_slice(), other.enums.raw.as_slice())
    }

    /// The id of a type that was interned before.
    pub fn find(&self, kind: &Type) -> Option<TypeId> {
        self.ids.get(kind).copied()
    }

    /// Fills in a record that was interned while incomplete, with its layout.
    pub fn complete_record(&mut self, id: RecordId, record: Record) {
        if let Some(&ty) = self.ids.get(&Type::Record(id)) {
            self.infos[ty].size = record.size;
            self.infos[ty].align = record.align;
        }
        self.records[id] = record;
    }

    /// The type with its layout, if there is one with this id.
    pub fn get(&self, id: TypeId) -> Option<&TypeInfo> {
        self.infos.get(id)
    }

    /// The type with its layout.
    pub fn info(&self, id: TypeId) -> &TypeInfo {
        &self.infos[id]
    }

    /// The type of local arrays with elements of a type whose length is known where they are declared.
    pub fn open_array(&mut self, element: TypeId) -> TypeId {
        let size = self.size(element).max(1);
        let length = OPEN_ARRAY_BYTES / size;
        let kind = Type::Array {
            element,
            length: Some(length),
        };
        self.intern(kind, length * size, self.align(element))
    }

    /// The shape of a type.
    pub fn kind(&self, id: TypeId) -> &Type {
        &self.infos[id].kind
    }

    /// Size in bytes.
    pub fn size(&self, id: TypeId) -> u64 {
        self.infos[id].size
    }

    /// Alignment in bytes.
    pub fn align(&self, id: TypeId) -> u64 {
        self.infos[id].align
    }

    /// All types with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &TypeInfo)> {
        self.infos.iter_enumerated()
    }

    /// Whether objects of the type are the C library's own, which no other code looks into: streams
    /// of stdio, and of folders.
    pub fn is_library_object(&self, id: TypeId) -> bool {
        let name = self.record(id).and_then(|record| record.name.as_deref());
        name.is_some_and(is_library_record)
    }

    /// The integer type behind an integer or enum type.
    pub fn int(&self, id: TypeId) -> Option<IntType> {
        match self.kind(id) {
            Type::Int(int) => Some(*int),
            Type::Enum(def) => Some(self.enums[*def].underlying),
            _ => None,
        }
    }

    /// The innermost element type of an array of arrays, or the type itself.
    pub fn element_of(&self, id: TypeId) -> TypeId {
        match self.kind(id) {
            Type::Array { element, .. } => self.element_of(*element),
            _ => id,
        }
    }

    /// What a pointer type points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.kind(id) {
            Type::Pointer { pointee, .. } => Some(*pointee),
            _ => None,
        }
    }

    /// Whether values of a type are or hold pointers.
    pub fn has_pointers(&self, id: TypeId) -> bool {
        match self.kind(id) {
            Type::Pointer { .. } => true,
            Type::Array { element, .. } => self.has_pointers(*element),
            Type::Record(record) => {
                let mut fields = self.records[*record].fields.iter();
                fields.any(|field| self.has_pointers(field.ty))
            }
            _ => false,
        }
    }

    /// The record behind a record type.
    pub fn record(&self, id: TypeId) -> Option<&Record> {
        match self.kind(id) {
            Type::Record(record) => Some(&self.records[*record]),
            _ => None,
        }
    }

    /// The flexible array at the end of a record: its offset in bytes, and the type of its
    /// elements.
    pub fn flexible_member(&self, id: TypeId) -> Option<(u64, TypeId)> {
        let last = self.record(id)?.fields.last()?;
        match *self.kind(last.ty) {
            Type::Array {
                element,
                length: None,
            } => Some((last.offset_bits / 8, element)),
            _ => None,
        }
    }

    /// Whether the size of objects of the type is not known: a record that is nowhere completed, or
    /// `void`.
    pub fn is_incomplete(&self, id: TypeId) -> bool {
        match self.kind(id) {
            Type::Record(record) => !self.records[*record].complete,
            other => *other == Type::Void,
        }
    }

    /// Whether a pointer to functions of one type may lead to those of another: they are compatible,
    /// and a function that may return is not where one is expected that does not.
    pub fn has_functions_of(&self, pointed_to: TypeId, function: TypeId) -> bool {
        let never_returns = |ty| match self.kind(ty) {
            Type::Function(function) => Some(function.attributes.noreturn),
            _ => None,
        };
        let expected = never_returns(pointed_to);
        let returns = expected == Some(true) && never_returns(function) == Some(false);
        expected.is_some() && !returns && self.are_compatible(pointed_to, function)
    }

    /// Whether values fit one machine scalar: integers, enums, floats and pointers.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(
            self.kind(id),
            Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Pointer { .. }
        )
    }

    /// Declares `declarator` (a name, or an expression such as `*p`) with this type, as C writes
    /// it: `int (*f)(char)`, `unsigned char a[3]`. Nameless records are written with `__typeof__`
    /// nowhere: they print as `struct <anonymous>`, which no compiler accepts, so callers must
    /// avoid naming them.
    pub fn declare(&self, id: TypeId, declarator: &str) -> String {
        self.declare_qualified(id, "", declarator)
    }

    /// Declares with qualifiers of the type itself, such as `const volatile`; on an array they are
    /// those of its elements.
    pub fn declare_qualified(&self, id: TypeId, qualifiers: &str, declarator: &str) -> String {
        let mut text = declarator.to_owned();
        let mut qualifiers = qualifiers;
        let mut noreturn = false;
        let mut id = id;
        loop {
            match self.kind(id) {
                Type::Pointer {
                    pointee,
                    constant,
                    volatile,
                } => {
                    text = match qualifiers {
                        "" => format!("*{text}"),
                        _ => format!("*{}", join(qualifiers, &text)),
                    };
                    match self.kind(*pointee) {
                        Type::Function(ty) => {
                            noreturn |= ty.attributes.noreturn;
                            if ty.attributes.convention.is_none() {
                                text = format!("({text})");
                            }
                        }
                        Type::Array { .. } => text = format!("({text})"),
                        _ => {}
                    }
                    qualifiers = qualifier_words(*constant, *volatile);
                    id = *pointee;
                }
                Type::Array { element, length } => {
                    match length {
                        Some(length) => {
                            let _ = write!(text, "[{length}]");
                        }
                        None => text.push_str("[]"),
                    }
                    id = *element;
                }
                Type::Function(function) => {
                    text = function.attributes.declarator(&text);
                    let _ = write!(text, "({})", self.parameter_list(function));
                    qualifiers = "";
                    id = function.result;
                }
                _ => {
                    // After the declarator it is an attribute of the function pointed to, for gcc
                    // too.
                    if noreturn {
                        text.push_str(" __attribute__((__noreturn__))");
                    }
                    let base = join(&self.base_name(id), &text);
                    return match qualifiers {
                        "" => base,
                        _ => join(qualifiers, &base),
                    };
                }
            }
        }
    }

    fn parameter_list(&self, function: &FunctionType) -> String {
        let mut parameters: Vec<String> = function
            .parameters
            .iter()
            .map(|&p| self.declare(p, ""))
            .collect();
        if function.variadic && parameters.is_empty() {
            // Declared without a prototype.
        } else if function.variadic {
            parameters.push("...".to_owned());
        } else if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        parameters.join(", ")
    }

    fn base_name(&self, id: TypeId) -> String {
        match self.kind(id) {
            Type::Void => "void".to_owned(),
            Type::Int(int) => int.name.c_name().to_owned(),
            Type::Float(float) => float.c_name().to_owned(),
            Type::Enum(def) => {
                let def = &self.enums[*def];
                def.name
                    .clone()
                    .unwrap_or_else(|| def.underlying.name.c_name().to_owned())
            }
            Type::Record(record) => {
                let record = &self.records[*record];
                record
                    .name
                    .clone()
                    .unwrap_or_else(|| "struct <anonymous>".to_owned())
            }
            Type::Unsupported(spelling) => spelling.clone(),
            Type::Pointer { .. } | Type::Array { .. } | Type::Function(_) => self.declare(id, ""),
        }
    }
}

/// Whether a record of this name is the C library's own: see [`Types::is_library_object`].
pub fn is_library_record(name: &str) -> bool {
    matches!(name, "struct _IO_FILE" | "struct __dirstream")
}

/// The qualifiers of a type as C writes them.
pub fn qualifier_words(constant: bool, volatile: bool) -> &'static str {
    match (constant, volatile) {
        (false, false) => "",
        (true, false) => "const",
        (false, true) => "volatile",
        (true, true) => "const volatile",
    }
}

fn join(base: &str, declarator: &str) -> String {
    if declarator.is_empty() {
        base.to_owned()
    } else {
        format!("{base} {declarator}")
    }
}
