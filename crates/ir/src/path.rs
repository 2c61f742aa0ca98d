//! Access paths: the names that C has for the part of an object at an offset.

use crate::{Field, IntName, RecordKind, Type, TypeId, Types};

/// A part of an object that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its type.
    pub ty: TypeId,
    /// Its width in bits, if it is a bit-field.
    pub bit_width: Option<u32>,
}

/// The path by which C accesses a part of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// `.a[2].b`, or nothing for the object itself.
    pub path: String,
    /// Whether a member on the path is `const`.
    pub constant: bool,
    /// Whether a member on the path is `volatile`.
    pub volatile: bool,
}

/// The path from an object of type `ty` to the outermost part at `offset` bits that is accepted;
/// `None` if C has no name for such a part.
pub fn find(
    types: &Types,
    ty: TypeId,
    offset: u64,
    accept: &dyn Fn(Part) -> bool,
) -> Option<Access> {
    let whole = Part {
        ty,
        bit_width: None,
    };
    if offset == 0 && accept(whole) {
        return Some(Access::default());
    }
    match types.kind(ty) {
        Type::Array { element, length } => {
            let stride = types.size(*element).checked_mul(8).filter(|&s| s > 0)?;
            let index = offset / stride;
            if length.is_some_and(|length| index >= length) {
                return None;
            }
            let rest = find(types, *element, offset % stride, accept)?;
            Some(Access {
                path: format!("[{index}]{}", rest.path),
                ..rest
            })
        }
        Type::Record(record) => types.records[*record]
            .fields
            .iter()
            .find_map(|field| in_field(types, field, offset, accept)),
        _ => None,
    }
}

fn in_field(
    types: &Types,
    field: &Field,
    offset: u64,
    accept: &dyn Fn(Part) -> bool,
) -> Option<Access> {
    let inside = offset.checked_sub(field.offset_bits)?;
    if let Some(width) = field.bit_width {
        let part = Part {
            ty: field.ty,
            bit_width: Some(width),
        };
        let name = field.name.as_ref()?;
        return (inside == 0 && accept(part)).then(|| Access {
            path: format!(".{name}"),
            constant: field.constant,
            volatile: field.volatile,
        });
    }
    let flexible = matches!(types.kind(field.ty), Type::Array { length: None, .. });
    if !flexible && inside >= types.size(field.ty) * 8 {
        return None;
    }
    let rest = find(types, field.ty, inside, accept)?;
    let path = match &field.name {
        Some(name) => format!(".{name}{}", rest.path),
        None => rest.path,
    };
    Some(Access {
        path,
        constant: rest.constant || field.constant,
        volatile: rest.volatile || field.volatile,
    })
}

/// The path to the scalar at `offset` bits with this type and width. Of the members of a union, one
/// of this very type comes first.
pub fn scalar(types: &Types, ty: TypeId, offset: u64, leaf: TypeId, width: u32) -> Option<Access> {
    let has_width = |part: Part| match part.bit_width {
        Some(bits) => bits == width,
        None => whole_width(types, leaf, width),
    };
    let is_it = |part: Part| part.ty == leaf && types.is_scalar(leaf) && has_width(part);
    find(types, ty, offset, &is_it).or_else(|| {
        find(types, ty, offset, &|part| {
            same_scalar(types, part.ty, leaf) && has_width(part)
        })
    })
}

/// The path to a part of this very type, for a pointer to it.
pub fn part_of_type(types: &Types, ty: TypeId, offset: u64, wanted: TypeId) -> Option<Access> {
    find(types, ty, offset, &|part| {
        part.bit_width.is_none() && part.ty == wanted
    })
}

/// Whether a value of one scalar type can be written to an object of the other without changing its
/// bytes.
pub fn same_scalar(types: &Types, left: TypeId, right: TypeId) -> bool {
    if left == right {
        return types.is_scalar(left);
    }
    match (types.int(left), types.int(right)) {
        (Some(a), Some(b)) => {
            a.width == b.width && (a.name == IntName::Bool) == (b.name == IntName::Bool)
        }
        _ => is_pointer(types, left) && is_pointer(types, right),
    }
}

fn is_pointer(types: &Types, ty: TypeId) -> bool {
    matches!(types.kind(ty), Type::Pointer { .. })
}

fn whole_width(types: &Types, ty: TypeId, width: u32) -> bool {
    let bits = types.size(ty) * 8;
    u64::from(width) == bits || (width == 1 && bits == 8)
}

/// Whether a scalar of this type and width at `offset` bits of an object of type `ty`, or of an
/// array of these, is a bit-field. A `_Bool` has one bit in both, so its place decides.
pub fn is_bit_field(
    types: &Types,
    ty: TypeId,
    offset: i64,
    (scalar, width): (TypeId, u32),
) -> bool {
    if u64::from(width) == types.size(scalar) * 8 {
        return false;
    }
    let size = (types.size(ty) * 8).max(1) as i64;
    !whole_width(types, scalar, width) || has_bit_field(types, ty, offset.rem_euclid(size) as u64)
}

fn has_bit_field(types: &Types, ty: TypeId, at: u64) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let inner = at.checked_rem(types.size(*element) * 8);
            inner.is_some_and(|inner| has_bit_field(types, *element, inner))
        }
        Type::Record(record) => types.records[*record].fields.iter().any(|field| {
            match (field.bit_width, at.checked_sub(field.offset_bits)) {
                (Some(width), Some(inner)) => inner < u64::from(width),
                (None, Some(inner)) => {
                    inner < types.size(field.ty) * 8 && has_bit_field(types, field.ty, inner)
                }
                (_, None) => false,
            }
        }),
        _ => false,
    }
}

/// Whether C can spell the type: it holds no record without a name and nothing that attest only
/// knows by its size.
pub fn nameable(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Pointer { pointee, .. } => match types.record(*pointee) {
            Some(record) => record.name.is_some(),
            None => nameable(types, *pointee),
        },
        Type::Array { element, .. } => nameable(types, *element),
        Type::Record(record) => {
            let record = &types.records[*record];
            record.name.is_some() && record.complete
        }
        Type::Function(function) => {
            nameable(types, function.result)
                && function.parameters.iter().all(|&p| nameable(types, p))
        }
        Type::Unsupported(_) => false,
        _ => true,
    }
}

/// Declares with the type; a pointer to a type without a name is declared as one to `void`.
pub fn declare(types: &Types, ty: TypeId, declarator: &str) -> Option<String> {
    match types.kind(ty) {
        _ if nameable(types, ty) => Some(types.declare(ty, declarator)),
        Type::Pointer { .. } => Some(format!("void *{declarator}")),
        _ => None,
    }
}

/// Whether the type is a union.
pub fn is_union(types: &Types, ty: TypeId) -> bool {
    types
        .record(ty)
        .is_some_and(|record| record.kind == RecordKind::Union)
}
