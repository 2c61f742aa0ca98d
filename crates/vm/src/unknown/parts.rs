//! Which bytes of an object a call may change that is given a pointer into it.

use std::collections::BTreeSet;

use ir::{Type, TypeId, Types};

use super::reach::Target;
use crate::run::Run;

impl Run<'_, '_> {
    /// The bytes that a function may change which is given a pointer to a scalar, or to an array of them,
    /// that is a member.
    pub(super) fn part_of_argument(&self, target: &Target) -> Option<(u64, u64)> {
        if target.part.is_some() {
            return target.part;
        }
        let pointee = target.seen_as.filter(|_| target.is_argument)?;
        let types = &self.code.program.types;
        let allocation = self.memory.get(target.id);
        let element = self.element(target.id, &BTreeSet::new());
        let size = types.size(element).max(1);
        let phase = self.origin(target.id) % size;
        let inside = (target.offset + size - phase) % size;
        let start = target.offset.checked_sub(inside)?;
        let (low, high) = member_around(types, element, inside, pointee)?;
        let (low, high) = (start + low, start + high);
        (high <= allocation.size && (low, high) != (0, allocation.size)).then_some((low, high))
    }
}

/// The smallest range that has both parts.
pub(super) fn joined(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let ((low, high), (first, last)) = (one?, other?);
    Some((low.min(first), high.max(last)))
}

/// The scalar member of a record, or the array of scalars that is one, at a byte, if a pointer to its
/// type leads there.
fn member_around(types: &Types, whole: TypeId, at: u64, pointee: TypeId) -> Option<(u64, u64)> {
    let (mut ty, mut start, mut in_record) = (whole, 0, false);
    loop {
        match types.kind(ty) {
            Type::Array { element, .. } if *element == pointee => break,
            Type::Array { element, .. } => {
                let size = types.size(*element);
                start += (at - start).checked_div(size)? * size;
                ty = *element;
            }
            Type::Record(record) => {
                let record = &types.records[*record];
                let field = record.fields.iter().find(|field| {
                    let first = start + field.offset_bits / 8;
                    let last = first + types.size(field.ty);
                    field.bit_width.is_none() && first <= at && at < last
                });
                let field = field.filter(|_| record.kind == ir::RecordKind::Struct)?;
                start += field.offset_bits / 8;
                ty = field.ty;
                in_record = true;
            }
            _ => break,
        }
        if ty == pointee && types.record(ty).is_some() {
            return None;
        }
    }
    let is_it = ty == pointee
        || matches!(types.kind(ty), Type::Array { element, .. } if *element == pointee);
    let is_scalar = types.record(pointee).is_none();
    (in_record && is_it && is_scalar).then(|| (start, start + types.size(ty)))
}
