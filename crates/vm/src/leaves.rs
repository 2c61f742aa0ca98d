//! The scalars that a type consists of, and where they lie in it.

use ir::{FloatName, IntName, RecordKind, Type, TypeId, Types};

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

/// An access to a scalar: it says which member of a union is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// Offset from the start of the object in bits.
    pub offset: u64,
    /// Width in bits.
    pub width: u64,
    /// Whether a pointer is accessed.
    pub pointer: bool,
    /// Whether a `_Bool` is accessed.
    pub boolean: bool,
}

/// The scalars of a type that overlap the bits from `low` to `high` (not included), in order. Of a
/// union those of the member that the view is of, or of its largest one; of what has no scalars,
/// none.
pub(crate) fn leaves(
    types: &Types,
    ty: TypeId,
    range: (u64, u64),
    view: Option<View>,
) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(types, ty, 0, range, view, &mut found);
    found
}

fn collect(
    types: &Types,
    ty: TypeId,
    start: u64,
    (low, high): (u64, u64),
    view: Option<View>,
    out: &mut Vec<Leaf>,
) {
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
                let start = start + index * size;
                collect(types, *element, start, (low, high), view, out);
            }
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let chosen = match record.kind {
                RecordKind::Struct => None,
                RecordKind::Union => view
                    .and_then(|view| viewed_member(types, record, start, view))
                    .or_else(|| largest_member(types, record)),
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
                    None => collect(types, field.ty, offset, (low, high), view, out),
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
    match is_bool(types, ty) {
        true => 1,
        false => storage,
    }
}

fn is_bool(types: &Types, ty: TypeId) -> bool {
    let int = types.int(ty);
    int.is_some_and(|int| int.name == IntName::Bool)
}

/// The first of the members of a union, which starts at `start`, that fit a view best.
fn viewed_member(types: &Types, record: &ir::Record, start: u64, view: View) -> Option<usize> {
    let mut best: Option<(usize, Fit)> = None;
    for (number, field) in record.fields.iter().enumerate() {
        let range = (view.offset, view.offset + view.width);
        let mut found = Vec::new();
        match field.bit_width {
            Some(_) => continue,
            None => collect(
                types,
                field.ty,
                start + field.offset_bits,
                range,
                Some(view),
                &mut found,
            ),
        }
        let fit = found
            .iter()
            .filter_map(|leaf| fit(types, *leaf, view))
            .max();
        if let Some(fit) = fit
            && best.is_none_or(|(_, most)| fit > most)
        {
            best = Some((number, fit));
        }
    }
    best.map(|(number, _)| number)
}

/// How a scalar fits a view, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It lies there.
    Overlaps,
    /// What is accessed is a part of it.
    Contains,
    /// It is what is accessed.
    Exact,
}

fn fit(types: &Types, leaf: Leaf, view: View) -> Option<Fit> {
    let pointer = matches!(types.kind(leaf.ty), Type::Pointer { .. });
    if pointer != view.pointer {
        return None;
    }
    let (leaf_end, view_end) = (
        leaf.offset + u64::from(leaf.storage),
        view.offset + view.width,
    );
    // What is read as something else than a _Bool can have all values.
    let is_narrow = leaf.width < leaf.storage && !view.boolean;
    Some(match leaf.bit_field || is_narrow {
        true => Fit::Overlaps,
        false if (leaf.offset, leaf_end) == (view.offset, view_end) => {
            // A `_Bool` has fewer values than a character.
            match is_bool(types, leaf.ty) == view.boolean {
                true => Fit::Exact,
                false => Fit::Contains,
            }
        }
        false if leaf.offset <= view.offset && view_end <= leaf_end => Fit::Contains,
        false => Fit::Overlaps,
    })
}

/// Whether a type is a union or has one in it.
pub(crate) fn has_union(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_union(types, *element),
        Type::Record(record) => {
            let record = &types.records[*record];
            let mut fields = record.fields.iter();
            record.kind == RecordKind::Union || fields.any(|field| has_union(types, field.ty))
        }
        _ => false,
    }
}

/// Whether a byte of an object of the type lies in a union.
pub(crate) fn lies_in_union(types: &Types, ty: TypeId, byte: u64) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let inner = byte.checked_rem(types.size(*element));
            inner.is_some_and(|inner| lies_in_union(types, *element, inner))
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            record.kind == RecordKind::Union
                || record.fields.iter().any(|field| {
                    let inner = byte.checked_sub(field.offset_bits / 8);
                    let inner = inner.filter(|&inner| inner < types.size(field.ty));
                    let plain = field.bit_width.is_none();
                    plain && inner.is_some_and(|inner| lies_in_union(types, field.ty, inner))
                })
        }
        _ => false,
    }
}

/// How many bytes at the end of a scalar are padding: a `long double` has 10 bytes that hold its
/// value.
pub(crate) fn padding_of(types: &Types, ty: TypeId) -> u64 {
    match types.kind(ty) {
        Type::Float(FloatName::LongDouble) => types.size(ty).saturating_sub(10),
        _ => 0,
    }
}

/// Whether a byte of an object of the type lies in no member: in none that could be there, for
/// unions.
pub(crate) fn is_padding(types: &Types, ty: TypeId, byte: u64) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let inner = byte.checked_rem(types.size(*element));
            inner.is_some_and(|inner| is_padding(types, *element, inner))
        }
        Type::Record(record) => types.records[*record].fields.iter().all(|field| {
            let inner = byte.checked_sub(field.offset_bits / 8);
            match (field.bit_width, inner) {
                (_, None) => true,
                (Some(width), Some(inner)) => {
                    let end = field.offset_bits % 8 + u64::from(width);
                    field.name.is_none() || width == 0 || inner * 8 >= end
                }
                (None, Some(inner)) => {
                    // A flexible array has no size of its own. After one of no elements there is
                    // padding.
                    let flexible = matches!(types.kind(field.ty), Type::Array { length: None, .. });
                    !flexible
                        && (inner >= types.size(field.ty) || is_padding(types, field.ty, inner))
                }
            }
        }),
        _ => byte >= types.size(ty) - padding_of(types, ty),
    }
}

/// The byte from which on copies of an object of the type need not copy: there a flexible array
/// begins which lies within the object's size (C17 6.7.2.1p25). The size, if there is none.
pub(crate) fn flexible_from(types: &Types, ty: TypeId) -> u64 {
    let size = types.size(ty);
    let Some(record) = types.record(ty) else {
        return size;
    };
    let last = match record.kind {
        RecordKind::Struct => record.fields.len().saturating_sub(1),
        RecordKind::Union => 0,
    };
    let fields = record.fields.iter().skip(last);
    let from = fields.filter_map(|field| {
        let inner = flexible_from(types, field.ty);
        let is_flexible = inner < types.size(field.ty)
            || inner == 0 && matches!(types.kind(field.ty), Type::Array { .. });
        is_flexible.then_some(field.offset_bits / 8 + inner)
    });
    from.min().unwrap_or(size).min(size)
}

/// The bits of a byte of an object of the type that belong to values; of a union, to those of any
/// member. Of a `_Bool` they are one, or all if `bools` says so.
pub(crate) fn value_bits(types: &Types, ty: TypeId, byte: u64, bools: Bools) -> u8 {
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let inner = byte.checked_rem(types.size(*element));
            inner.map_or(0, |inner| value_bits(types, *element, inner, bools))
        }
        Type::Record(record) => types.records[*record].fields.iter().fold(0, |bits, field| {
            let of_field = match field.bit_width {
                Some(_) if field.name.is_none() => 0,
                Some(width) => bits_of_field(field.offset_bits, width, byte),
                None => {
                    let inner = byte.checked_sub(field.offset_bits / 8);
                    // A flexible array has no size of its own.
                    let size = types.size(field.ty);
                    let inner = inner.filter(|&inner| size == 0 || inner < size);
                    inner.map_or(0, |inner| value_bits(types, field.ty, inner, bools))
                }
            };
            bits | of_field
        }),
        _ if bools == Bools::OneBit && is_bool(types, ty) => 1,
        _ if is_padding(types, ty, byte) => 0,
        _ => u8::MAX,
    }
}

/// Which bits of a `_Bool` hold its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bools {
    /// Only the lowest bit; the other bits are unspecified.
    OneBit,
    /// All: the compiler wrote it.
    AllBits,
}

/// The bits of a byte that belong to a bit-field.
fn bits_of_field(offset: u64, width: u32, byte: u64) -> u8 {
    let (first, end) = (offset, offset + u64::from(width));
    let in_byte = (0..8).filter(|bit| (first..end).contains(&(byte * 8 + bit)));
    in_byte.fold(0, |bits, bit| bits | 1 << bit)
}

/// Whether some byte of objects of the type has bits that belong to no value, beside others that
/// do.
fn has_open_bits(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_open_bits(types, *element),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| match field.bit_width {
                Some(width) => {
                    let end = field.offset_bits + u64::from(width);
                    !field.offset_bits.is_multiple_of(8) || !end.is_multiple_of(8)
                }
                None => has_open_bits(types, field.ty),
            })
        }
        _ => is_bool(types, ty),
    }
}

/// Whether some byte of objects of the type is padding, or has bits that are.
pub(crate) fn has_padding(types: &Types, ty: TypeId) -> bool {
    has_padding_bytes(types, ty) || has_open_bits(types, ty)
}

fn has_padding_bytes(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_padding_bytes(types, *element),
        Type::Record(record) => {
            let record = &types.records[*record];
            let size = types.size(ty);
            if record.kind == RecordKind::Union {
                return (0..size).any(|byte| is_padding(types, ty, byte));
            }
            let mut end = 0;
            for field in &record.fields {
                let start = field.offset_bits / 8;
                let bytes = match field.bit_width {
                    Some(_) if field.name.is_none() => continue,
                    Some(width) => (field.offset_bits % 8 + u64::from(width)).div_ceil(8),
                    None => types.size(field.ty),
                };
                let inside = field.bit_width.is_none() && has_padding_bytes(types, field.ty);
                if start > end || inside {
                    return true;
                }
                end = end.max(start + bytes);
            }
            end < size
        }
        _ => padding_of(types, ty) > 0,
    }
}

/// The first of the largest members of a union, by the bits that an input can set: a `_Bool` has
/// one.
fn largest_member(types: &Types, record: &ir::Record) -> Option<usize> {
    let mut best: Option<(usize, u64)> = None;
    for (number, field) in record.fields.iter().enumerate() {
        let size = match field.bit_width {
            Some(width) => u64::from(width).div_ceil(8) * 8,
            None => {
                let bits = types.size(field.ty).saturating_mul(8);
                bits.saturating_sub(booleans(types, field.ty).saturating_mul(7))
            }
        };
        if best.is_none_or(|(_, largest)| size > largest) {
            best = Some((number, size));
        }
    }
    best.map(|(number, _)| number)
}

/// How many objects of a type are `_Bool`; of unions in it, none are counted.
fn booleans(types: &Types, ty: TypeId) -> u64 {
    match types.kind(ty) {
        Type::Int(int) => u64::from(int.name == IntName::Bool),
        Type::Array {
            element,
            length: Some(length),
        } => booleans(types, *element).saturating_mul(*length),
        Type::Record(record) if types.records[*record].kind == RecordKind::Struct => {
            let fields = types.records[*record].fields.iter();
            fields
                .filter(|field| field.bit_width.is_none())
                .map(|field| booleans(types, field.ty))
                .fold(0, u64::saturating_add)
        }
        _ => 0,
    }
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
