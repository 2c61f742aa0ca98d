//! The scalars of types: their widths, and which bytes of an object belong to them, so that copies
//! keep these. Between members, and beside bit-fields, there is padding, which holds anything after a
//! store (C17 6.2.6.1p6).

use ir::{Program, RecordKind, Type, TypeId, Types};

/// Whether all bytes of a range belong to integers and pointers of a type. Those of unions are not
/// told.
pub fn are_of_scalars(types: &Types, ty: TypeId, (first, end): (u64, u64)) -> bool {
    if first >= end || end > types.size(ty) {
        return false;
    }
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let size = types.size(*element).max(1);
            (first / size..end.div_ceil(size)).all(|at| {
                let start = at * size;
                let part = (first.max(start) - start, end.min(start + size) - start);
                are_of_scalars(types, *element, part)
            })
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let mut at = first;
            while at < end {
                let member = record.fields.iter().find(|field| {
                    let start = field.offset_bits / 8;
                    let is_there = start <= at && at < start + types.size(field.ty);
                    field.bit_width.is_none() && is_there
                });
                let Some(member) = member.filter(|_| record.kind == RecordKind::Struct) else {
                    return false;
                };
                let start = member.offset_bits / 8;
                let until = end.min(start + types.size(member.ty));
                if !are_of_scalars(types, member.ty, (at - start, until - start)) {
                    return false;
                }
                at = until;
            }
            true
        }
        Type::Pointer { .. } => true,
        _ => types.int(ty).is_some(),
    }
}

/// The width of an integer or a pointer in bits.
pub fn width(program: &Program, ty: TypeId) -> Option<u32> {
    let types = &program.types;
    match types.kind(ty) {
        Type::Pointer { .. } => Some(types.size(ty) as u32 * 8),
        _ => types.int(ty).map(|int| int.width),
    }
}
