//! The bytes of an object that a call may change when it gets a pointer into the object.

use std::collections::BTreeSet;

use ir::{Type, TypeId, Types};

use super::reached::Target;
use crate::execution::ConstraintKind;
use crate::run::Run;
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// The bytes that a function may change which is given a pointer to a scalar, or to an array of
    /// them, that is a member.
    pub(super) fn part_of_argument(&self, target: &Target) -> Option<(u64, u64)> {
        match target.part {
            Some(part) => Some(part),
            None => self.place_of_argument(target)?.part,
        }
    }

    /// Fixes on the path which part an argument means whose offset depends on inputs.
    pub(super) fn fix_part(&mut self, argument: Value, target: &mut Target) {
        let Shadow::Pointer(id, Some(offset)) = argument.shadow else {
            return;
        };
        let Some(Meant { range, part }) = self.place_of_argument(target) else {
            return;
        };
        target.part = part;
        if range == (0, self.state.memory.get(id).size) {
            return;
        }
        let width = self.code.pointer_width;
        let (low, high) = range;
        let last = high.wrapping_sub(low) - 1;
        let [low, last] = [low, last].map(|bytes| self.terms.constant(width, u128::from(bytes)));
        let from_low = self.terms.sub(offset, low);
        let inside = self.terms.ule(from_low, last);
        self.decide(ConstraintKind::Concretisation, inside, true);
    }

    /// The part that an argument's target stands for; `None` if any place in the object stands for
    /// all of it.
    fn place_of_argument(&self, target: &Target) -> Option<Meant> {
        let pointee = target.seen_as.filter(|_| target.is_argument)?;
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(target.id);
        let element = self.element(target.id, &BTreeSet::new());
        if types.record(pointee).is_some() || !has_records(types, element) {
            return None;
        }
        let size = types.size(element).max(1);
        let phase = self.origin(target.id) % size;
        let inside = (target.offset % size + size - phase) % size;
        let start = target.offset.checked_sub(inside)?;
        let Meant { range, part } = meant(types, element, inside, pointee);
        // A pointer may lie in front of the object's room, which is at the end of the numbers.
        let moved = |(low, high): (u64, u64)| (start.wrapping_add(low), start.wrapping_add(high));
        let is_part = |&(low, high): &(u64, u64)| {
            low < high && high <= allocation.size && (low, high) != (0, allocation.size)
        };
        let part = part.map(moved).filter(is_part);
        Some(Meant {
            range: moved(range),
            part,
        })
    }
}

/// The part of an object that a pointer into it stands for.
struct Meant {
    /// The range of places that stand for the same part.
    range: (u64, u64),
    /// The bytes of the part; `None` if it is the whole object.
    part: Option<(u64, u64)>,
}

fn has_records(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_records(types, *element),
        Type::Record(_) => true,
        _ => false,
    }
}

/// The smallest range that has both parts.
pub(super) fn joined(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let ((low, high), (first, last)) = (one?, other?);
    Some((low.min(first), high.max(last)))
}

/// What a pointer to a byte of a type means: the scalar member of a record there, or the array of
/// scalars that is one, if the pointer is to its type.
fn meant(types: &Types, whole: TypeId, at: u64, pointee: TypeId) -> Meant {
    let (mut ty, mut start, mut in_record) = (whole, 0, false);
    let all = |range| Meant { range, part: None };
    loop {
        match types.kind(ty) {
            Type::Array { element, .. } if *element == pointee => break,
            Type::Array { element, .. } => {
                let size = types.size(*element).max(1);
                start += (at - start) / size * size;
                ty = *element;
            }
            Type::Record(record) => {
                let record = &types.records[*record];
                if record.kind != ir::RecordKind::Struct {
                    return all((start, start + types.size(ty).max(1)));
                }
                let field = record.fields.iter().find(|field| {
                    let first = start + field.offset_bits / 8;
                    let last = first + types.size(field.ty);
                    field.bit_width.is_none() && first <= at && at < last
                });
                let Some(field) = field else {
                    return all((at, at + 1));
                };
                start += field.offset_bits / 8;
                ty = field.ty;
                in_record = true;
            }
            _ => break,
        }
    }
    let range = (start, start + types.size(ty).max(1));
    let is_it = ty == pointee
        || matches!(types.kind(ty), Type::Array { element, .. } if *element == pointee);
    let part = (in_record && is_it).then_some(range);
    Meant { range, part }
}
