//! Which parts of an object stores through pointers may change, by the rules of C for what an
//! object can be accessed as.

use std::collections::BTreeSet;

use crate::sharing::{is_accessible_as, open_end};
use crate::{RecordKind, Type, TypeId, Types};

/// Whether a store of one type may change an object of another. A store of a pointer may change any
/// pointer.
fn may_change(types: &Types, object: TypeId, stored: TypeId) -> bool {
    let is_pointer = |ty| matches!(types.kind(ty), Type::Pointer { .. });
    (is_pointer(object) && is_pointer(stored)) || is_accessible_as(types, object, stored)
}

/// The stores through pointers that code may make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stores {
    /// Whether there is one that may change anything: of characters, of bytes, or an unknown one.
    pub any: bool,
    /// The members that are stored to: of which record type, and their index.
    pub members: BTreeSet<(TypeId, u32)>,
    /// The types of all other places that are stored to.
    pub types: BTreeSet<TypeId>,
}

impl Stores {
    /// Adds the stores of other code.
    pub fn add(&mut self, other: &Stores) {
        self.any |= other.any;
        self.members.extend(&other.members);
        self.types.extend(&other.types);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        !self.any && self.members.is_empty() && self.types.is_empty()
    }

    /// The ranges of bytes of a type that may be changed, in order.
    pub fn changed(&self, types: &Types, ty: TypeId) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        self.collect(types, ty, 0, &mut found);
        found
    }

    /// Whether a store may be to the array of unknown length that objects of this type end in.
    pub fn change_end(&self, types: &Types, ty: TypeId) -> bool {
        open_end(types, ty).is_some_and(|end| {
            self.members.contains(&(end.record, end.index))
                || !self.changed(types, end.element).is_empty()
        })
    }

    fn collect(&self, types: &Types, ty: TypeId, start: u64, out: &mut Vec<(u64, u64)>) {
        let whole = (start, start + types.size(ty));
        if self.any
            || self
                .types
                .iter()
                .any(|&stored| may_change(types, ty, stored))
        {
            out.push(whole);
            return;
        }
        match types.kind(ty) {
            Type::Array { element, .. } => {
                let inside = self.changed(types, *element);
                let size = types.size(*element);
                let count = types.size(ty).checked_div(size).unwrap_or(0);
                if inside == [(0, size)] {
                    out.push(whole);
                } else if !inside.is_empty() {
                    let starts = (0..count).map(|index| start + index * size);
                    out.extend(starts.flat_map(|start| {
                        inside
                            .iter()
                            .map(move |(low, high)| (start + low, start + high))
                    }));
                }
            }
            Type::Record(record) => {
                let record = &types.records[*record];
                let before = out.len();
                for (index, field) in record.fields.iter().enumerate() {
                    let low = start + field.offset_bits / 8;
                    let is_stored = self.members.contains(&(ty, index as u32));
                    match field.bit_width {
                        // Of the type that it is declared as, a bit-field is a part.
                        Some(width) => {
                            if is_stored || !self.changed(types, field.ty).is_empty() {
                                let end = field.offset_bits + u64::from(width);
                                out.push((low, start + end.div_ceil(8)));
                            }
                        }
                        None if is_stored => out.push((low, low + types.size(field.ty))),
                        None => self.collect(types, field.ty, low, out),
                    }
                }
                // The members of a union are the same bytes.
                if record.kind == RecordKind::Union && out.len() > before {
                    out.truncate(before);
                    out.push(whole);
                }
            }
            _ => {}
        }
    }
}
