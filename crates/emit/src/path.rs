//! Access paths: how C names the part of an object at an offset.

use ir::{Field, RecordKind, Type, TypeId, Types};

/// A part of an object that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its type.
    pub ty: TypeId,
    /// Its width in bits, if it is a bit-field.
    pub bit_width: Option<u32>,
}

/// The path (`.a[2].b`, or nothing for the object itself) from an object of type `ty` to the
/// outermost part at `offset` bits that is accepted; `None` if C has no name for such a part.
pub fn find(
    types: &Types,
    ty: TypeId,
    offset: u64,
    accept: &dyn Fn(Part) -> bool,
) -> Option<String> {
    let whole = Part {
        ty,
        bit_width: None,
    };
    if offset == 0 && accept(whole) {
        return Some(String::new());
    }
    match types.kind(ty) {
        Type::Array { element, length } => {
            let stride = types.size(*element).checked_mul(8).filter(|&s| s > 0)?;
            let index = offset / stride;
            if length.is_some_and(|length| index >= length) {
                return None;
            }
            let rest = find(types, *element, offset % stride, accept)?;
            Some(format!("[{index}]{rest}"))
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
) -> Option<String> {
    let inside = offset.checked_sub(field.offset_bits)?;
    if let Some(width) = field.bit_width {
        let part = Part {
            ty: field.ty,
            bit_width: Some(width),
        };
        let name = field.name.as_ref()?;
        return (inside == 0 && accept(part)).then(|| format!(".{name}"));
    }
    let flexible = matches!(types.kind(field.ty), Type::Array { length: None, .. });
    if !flexible && inside >= types.size(field.ty) * 8 {
        return None;
    }
    let rest = find(types, field.ty, inside, accept)?;
    Some(match &field.name {
        Some(name) => format!(".{name}{rest}"),
        None => rest,
    })
}

/// The path to the scalar at `offset` bits with this type and width.
pub fn scalar(types: &Types, ty: TypeId, offset: u64, leaf: TypeId, width: u32) -> Option<String> {
    find(types, ty, offset, &|part| match part.bit_width {
        Some(bits) => bits == width && same_scalar(types, part.ty, leaf),
        None => same_scalar(types, part.ty, leaf) && whole_width(types, leaf, width),
    })
}

/// The path to a part of this very type, for a pointer to it.
pub fn part_of_type(types: &Types, ty: TypeId, offset: u64, wanted: TypeId) -> Option<String> {
    find(types, ty, offset, &|part| {
        part.bit_width.is_none() && part.ty == wanted
    })
}

/// Whether a value of one scalar type can be written to an object of the other without changing
/// its bytes.
pub fn same_scalar(types: &Types, left: TypeId, right: TypeId) -> bool {
    if left == right {
        return types.is_scalar(left);
    }
    match (types.int(left), types.int(right)) {
        (Some(a), Some(b)) => {
            a.width == b.width && (a.name == ir::IntName::Bool) == (b.name == ir::IntName::Bool)
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

/// Whether C can spell the type: it holds no record without a name and nothing that attest only
/// knows by its size.
pub fn nameable(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Pointer { pointee, .. } => nameable(types, *pointee),
        Type::Array { element, .. } => nameable(types, *element),
        Type::Record(record) => types.records[*record].name.is_some(),
        Type::Function(function) => {
            nameable(types, function.result)
                && function.parameters.iter().all(|&p| nameable(types, p))
        }
        Type::Unsupported(_) => false,
        _ => true,
    }
}

/// Whether the type is a union.
pub fn is_union(types: &Types, ty: TypeId) -> bool {
    types
        .record(ty)
        .is_some_and(|record| record.kind == RecordKind::Union)
}
