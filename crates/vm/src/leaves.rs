//! The scalars that a type consists of, and where they lie in it.

use ir::{IntName, RecordKind, Type, TypeId, Types};

/// A scalar inside an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Offset from the start of the object in bits.
    pub offset: u64,
    pub ty: TypeId,
    /// Width in bits: of the bit-field, 1 for `_Bool`, else of the type.
    pub width: u32,
    /// Bits that it takes in memory, from its offset on.
    pub storage: u32,
    pub bit_field: bool,
}

impl Leaf {
    /// The first byte that it lies in, and one past the last.
    pub fn bytes(&self) -> (u64, u64) {
        let end = self.offset + u64::from(self.storage);
        (self.offset / 8, end.div_ceil(8))
    }
}

/// The scalars of a type that overlap the bits from `low` to `high` (not included), in order. Of a
/// union those of its largest member; of what has no scalars, none.
pub(crate) fn leaves(types: &Types, ty: TypeId, low: u64, high: u64) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(types, ty, 0, (low, high), &mut found);
    found
}

fn collect(types: &Types, ty: TypeId, start: u64, (low, high): (u64, u64), out: &mut Vec<Leaf>) {
    let end = start + types.size(ty) * 8;
    if end <= low || start >= high {
        return;
    }
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let size = types.size(*element) * 8;
            if size == 0 {
                return;
            }
            let first = low.saturating_sub(start) / size;
            let count = (end - start) / size;
            let last = (high - start).div_ceil(size).min(count);
            for index in first..last {
                collect(types, *element, start + index * size, (low, high), out);
            }
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let chosen = match record.kind {
                RecordKind::Struct => None,
                RecordKind::Union => largest_member(types, record),
            };
            for (number, field) in record.fields.iter().enumerate() {
                if record.kind == RecordKind::Union && chosen != Some(number) {
                    continue;
                }
                let offset = start + field.offset_bits;
                match field.bit_width {
                    Some(width) => {
                        let named = field.name.is_some() && width > 0;
                        if named && offset < high && offset + u64::from(width) > low {
                            out.push(Leaf {
                                offset,
                                ty: field.ty,
                                width,
                                storage: width,
                                bit_field: true,
                            });
                        }
                    }
                    None => collect(types, field.ty, offset, (low, high), out),
                }
            }
        }
        Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Pointer { .. } => {
            let storage = (types.size(ty) * 8) as u32;
            if (8..=128).contains(&storage) {
                out.push(Leaf {
                    offset: start,
                    ty,
                    width: width_of(types, ty, storage),
                    storage,
                    bit_field: false,
                });
            }
        }
        Type::Void | Type::Function(_) | Type::Unsupported(_) => {}
    }
}

fn width_of(types: &Types, ty: TypeId, storage: u32) -> u32 {
    match types.int(ty) {
        Some(int) if int.name == IntName::Bool => 1,
        _ => storage,
    }
}

/// The first of the largest members of a union.
fn largest_member(types: &Types, record: &ir::Record) -> Option<usize> {
    let mut best: Option<(usize, u64)> = None;
    for (number, field) in record.fields.iter().enumerate() {
        let size = match field.bit_width {
            Some(width) => u64::from(width).div_ceil(8),
            None => types.size(field.ty),
        };
        if best.is_none_or(|(_, largest)| size > largest) {
            best = Some((number, size));
        }
    }
    best.map(|(number, _)| number)
}

/// The part of an object that starts at this byte and has this size, if it is an object of its own.
pub(crate) fn subobject(types: &Types, ty: TypeId, offset: u64, size: u64) -> Option<TypeId> {
    if offset == 0 && types.size(ty) == size {
        return Some(ty);
    }
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let element_size = types.size(*element);
            let inner = offset.checked_rem(element_size)?;
            if offset >= types.size(ty) {
                return None;
            }
            subobject(types, *element, inner, size)
        }
        Type::Record(record) => types.records[*record].fields.iter().find_map(|field| {
            let start = field.offset_bits / 8;
            let inside = field.bit_width.is_none()
                && start <= offset
                && offset + size <= start + types.size(field.ty);
            inside
                .then(|| subobject(types, field.ty, offset - start, size))
                .flatten()
        }),
        _ => None,
    }
}
