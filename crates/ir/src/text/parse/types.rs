//! Types as trees, before they have ids.

use super::super::names;
use super::{Cursor, ParseError};
use crate::{FloatName, FunctionAttributes, IntName};

/// A type as it is written.
#[derive(Clone, Debug)]
pub(super) enum TypeTree {
    Void,
    /// A name with the width and signedness, where written.
    Int(WrittenInt),
    Enum(u32, usize),
    Float(FloatName),
    Pointer {
        pointee: Box<TypeTree>,
        constant: bool,
        volatile: bool,
    },
    Array(Box<TypeTree>, Option<u64>),
    Record(u32, usize),
    Function(FunctionTree),
    Unsupported(String),
}

/// An integer type as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenInt {
    pub name: WrittenName,
    /// Signedness and width, where they are not the usual ones.
    pub shape: Option<(bool, u32)>,
}

/// The name of an integer type as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum WrittenName {
    Name(IntName),
    /// `i64` or `u64`: `long` or `long long`, as the target has them.
    Wide {
        signed: bool,
    },
}

/// A function type as it is written.
#[derive(Clone, Debug)]
pub(super) struct FunctionTree {
    pub result: Box<TypeTree>,
    pub parameters: Vec<TypeTree>,
    pub variadic: bool,
    pub attributes: FunctionAttributes,
}

const ALIASES: [(WrittenName, &str); 10] = [
    (WrittenName::Name(IntName::SignedChar), "i8"),
    (WrittenName::Name(IntName::UnsignedChar), "u8"),
    (WrittenName::Name(IntName::Short), "i16"),
    (WrittenName::Name(IntName::UnsignedShort), "u16"),
    (WrittenName::Name(IntName::Int), "i32"),
    (WrittenName::Name(IntName::UnsignedInt), "u32"),
    (WrittenName::Wide { signed: true }, "i64"),
    (WrittenName::Wide { signed: false }, "u64"),
    (WrittenName::Name(IntName::Int128), "i128"),
    (WrittenName::Name(IntName::UnsignedInt128), "u128"),
];

/// Reads a type.
pub(super) fn ty(cursor: &mut Cursor) -> Result<TypeTree, ParseError> {
    cursor.nested(unlimited)
}

fn unlimited(cursor: &mut Cursor) -> Result<TypeTree, ParseError> {
    if cursor.accept("*") {
        let constant = cursor.accept_word("const");
        let volatile = cursor.accept_word("volatile");
        return Ok(TypeTree::Pointer {
            pointee: Box::new(ty(cursor)?),
            constant,
            volatile,
        });
    }
    if cursor.accept("[") {
        let length = match cursor.accept_word("_") {
            true => None,
            false => Some(cursor.small()?),
        };
        cursor.expect_word("x")?;
        let element = ty(cursor)?;
        cursor.expect("]")?;
        return Ok(TypeTree::Array(Box::new(element), length));
    }
    let position = cursor.position();
    if let Some(id) = cursor.accept_id("enum") {
        return Ok(TypeTree::Enum(id, position));
    }
    if let Some(id) = cursor.accept_id("rec") {
        return Ok(TypeTree::Record(id, position));
    }
    let Some(word) = cursor.word().map(str::to_owned) else {
        return cursor.error("a type");
    };
    if let Some(int) = optional_int(cursor)? {
        return Ok(TypeTree::Int(int));
    }
    if let Some(name) = names::value(&names::FLOATS, &word) {
        cursor.next();
        return Ok(TypeTree::Float(name));
    }
    match word.as_str() {
        "void" => {
            cursor.next();
            Ok(TypeTree::Void)
        }
        "fn" => {
            cursor.next();
            let attributes = FunctionAttributes {
                noreturn: cursor.accept_word("noreturn"),
                convention: cursor.at_string().then(|| cursor.string()).transpose()?,
            };
            cursor.expect("(")?;
            let mut variadic = false;
            let parameters = cursor.list(")", |cursor| {
                variadic = cursor.accept("...");
                if variadic {
                    Ok(None)
                } else {
                    ty(cursor).map(Some)
                }
            })?;
            let result = Box::new(result(cursor)?);
            Ok(TypeTree::Function(FunctionTree {
                result,
                parameters: parameters.into_iter().flatten().collect(),
                variadic,
                attributes,
            }))
        }
        "unsupported" => {
            cursor.next();
            cursor.string().map(TypeTree::Unsupported)
        }
        _ => cursor.error("a type"),
    }
}

/// The type of a result: `-> T`, or nothing for `void`.
pub(super) fn result(cursor: &mut Cursor) -> Result<TypeTree, ParseError> {
    if cursor.accept("->") {
        ty(cursor)
    } else {
        Ok(TypeTree::Void)
    }
}

/// Reads an integer type.
pub(super) fn int(cursor: &mut Cursor) -> Result<WrittenInt, ParseError> {
    match optional_int(cursor)? {
        Some(int) => Ok(int),
        None => cursor.error("an integer type"),
    }
}

fn optional_int(cursor: &mut Cursor) -> Result<Option<WrittenInt>, ParseError> {
    let Some(word) = cursor.word() else {
        return Ok(None);
    };
    let plain = names::value(&names::INTS, word).map(WrittenName::Name);
    let Some(name) = plain.or_else(|| names::value(&ALIASES, word)) else {
        return Ok(None);
    };
    cursor.next();
    let position = cursor.position();
    let mut shape = None;
    if cursor.accept(":") {
        for (sign, signed) in [("s", true), ("u", false)] {
            if let Some(width) = cursor.accept_id(sign) {
                if !(8..=128).contains(&width) || width % 8 != 0 {
                    return cursor.error_at(position + 1, "a width of 8 to 128 bits");
                }
                shape = Some((signed, width));
            }
        }
        if shape.is_none() {
            cursor.rewind(position);
        }
    }
    Ok(Some(WrittenInt { name, shape }))
}
