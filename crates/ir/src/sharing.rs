//! Which types of objects may share memory, by the rules of C for the types that an object can be
//! accessed as. The questions are about types alone; no code is known here.

use crate::{Field, Program, Record, RecordKind, Type, TypeId, Types};

/// Whether a union has both records as members, so that they may share their initial members (C17
/// 6.5.2.3p6).
fn share_union(types: &Types, first: TypeId, second: TypeId) -> bool {
    let are_records =
        first != second && [first, second].iter().all(|&ty| types.record(ty).is_some());
    let is_member = |union: &Record, ty| {
        let mut fields = union.fields.iter();
        fields.any(|field| match types.kind(field.ty) {
            Type::Array { element, .. } => *element == ty,
            _ => field.ty == ty,
        })
    };
    let mut unions = types
        .records
        .iter()
        .filter(|it| it.kind == RecordKind::Union);
    are_records && unions.any(|union| is_member(union, first) && is_member(union, second))
}

/// Whether objects of two types, neither a part of the other, may share memory: as members of a
/// union, or as types that are one type in other units.
pub fn may_overlap(types: &Types, first: TypeId, second: TypeId) -> bool {
    share_union(types, first, second)
        || has_one_elsewhere(types, first, second)
        || has_one_elsewhere(types, second, first)
}

/// Whether one object may lie in an array of characters of the other, or be characters of it, where
/// neither has a declared type (C17 6.5p6 and p7).
pub fn share_characters(types: &Types, first: TypeId, second: TypeId) -> bool {
    is_of_characters(types, first)
        || is_of_characters(types, second)
        || has_characters_for(types, first, second)
        || has_characters_for(types, second, first)
}

/// Whether a type is a record that has characters only, so that each access to it is one to a
/// character.
pub fn is_of_characters(types: &Types, ty: TypeId) -> bool {
    types.record(ty).is_some() && has_characters_only(types, ty)
}

/// Whether all scalars of a type are characters.
fn has_characters_only(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_characters_only(types, *element),
        Type::Record(record) => {
            let fields = &types.records[*record].fields;
            let mut all = fields.iter();
            !fields.is_empty() && all.all(|field| has_characters_only(types, field.ty))
        }
        _ => is_character(types, ty),
    }
}

/// Whether pointers to the second type may lead to places in objects of the first one that are no
/// parts of that type: to all that are aligned, where each object may be accessed as anything, or
/// if it has characters only.
pub fn may_lie_across(program: &Program, whole: TypeId, part: TypeId) -> bool {
    let (types, target) = (&program.types, &program.target);
    let align = match target.relaxed_alignment {
        true => 1,
        false => types.align(part),
    };
    let is_larger = types.size(part) > align;
    match target.relaxed_aliasing {
        true => is_larger || !consists_of(types, whole, part),
        false => is_larger && is_of_characters(types, part),
    }
}

/// Whether an object of a type has nothing but parts of another type, one behind the other.
fn consists_of(types: &Types, whole: TypeId, part: TypeId) -> bool {
    if is_accessible_as(types, whole, part) {
        return true;
    }
    match types.kind(whole) {
        Type::Array { element, .. } => consists_of(types, *element, part),
        Type::Record(record) => {
            let record = &types.records[*record];
            let sizes = record.fields.iter().map(|field| types.size(field.ty));
            let is_dense =
                record.kind == RecordKind::Union || sizes.sum::<u64>() == types.size(whole);
            let is_part =
                |field: &Field| field.bit_width.is_none() && consists_of(types, field.ty, part);
            is_dense && record.fields.iter().all(is_part)
        }
        _ => false,
    }
}

/// Whether a record of numbers may lie in a declared array of such numbers, and one of records in
/// an array.
pub fn fits_in_array(types: &Types, array: TypeId, record: TypeId) -> bool {
    let element = types.element_of(array);
    types.size(record) <= types.size(array)
        && (types.record(element).is_none() || element != array)
        && contains_exactly(types, record, element)
}

/// Whether two records differ in this unit, but another unit may have one that is compatible with
/// both: with the same tag or none, and the same members (C17 6.2.7p1).
fn are_one_elsewhere(types: &Types, first: TypeId, second: TypeId) -> bool {
    let (Type::Record(one), Type::Record(two)) = (types.kind(first), types.kind(second)) else {
        return false;
    };
    let (one, two) = (&types.records[*one], &types.records[*two]);
    let are_members = |(a, b): (&Field, &Field)| {
        (&a.name, a.offset_bits, a.bit_width) == (&b.name, b.offset_bits, b.bit_width)
            && (is_accessible_as(types, a.ty, b.ty)
                || types.element_of(a.ty) == types.element_of(b.ty)
                || are_one_elsewhere(types, types.element_of(a.ty), types.element_of(b.ty)))
    };
    first != second
        && one.kind == two.kind
        && tag(one) == tag(two)
        && one.fields.len() == two.fields.len()
        && one.fields.iter().zip(&two.fields).all(are_members)
}

/// Whether a type is or has a record that another unit may have the same as the other type.
fn has_one_elsewhere(types: &Types, whole: TypeId, part: TypeId) -> bool {
    if are_one_elsewhere(types, whole, part) {
        return true;
    }
    match types.kind(whole) {
        Type::Array { element, .. } => has_one_elsewhere(types, *element, part),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| has_one_elsewhere(types, field.ty, part))
        }
        _ => false,
    }
}

/// The tag of a record, as in `struct tag`; a name of the type is none.
fn tag(record: &Record) -> Option<&str> {
    let name = record.name.as_deref()?;
    name.split_once(' ').map(|(_, tag)| tag)
}

/// Whether an object has an array of characters that another one could lie in, where the object has
/// no declared type (C17 6.5p6).
fn has_characters_for(types: &Types, whole: TypeId, part: TypeId) -> bool {
    match types.kind(whole) {
        Type::Array { element, .. } if is_character(types, *element) => {
            types.size(whole) >= types.size(part)
        }
        Type::Array { element, .. } => has_characters_for(types, *element, part),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| has_characters_for(types, field.ty, part))
        }
        _ => false,
    }
}

/// The array of unknown length that a record, or its last member, ends in, of which no element is
/// offered.
pub struct OpenEnd {
    /// The record that it is the last member of.
    pub record: TypeId,
    /// Which member it is.
    pub index: u32,
    /// The type of its elements.
    pub element: TypeId,
}

/// The array of unknown length that objects of a type end in, if they do.
pub fn open_end(types: &Types, ty: TypeId) -> Option<OpenEnd> {
    let (index, last) = (0..).zip(&types.record(ty)?.fields).last()?;
    match *types.kind(last.ty) {
        Type::Array {
            element,
            length: None | Some(0),
        } => Some(OpenEnd {
            record: ty,
            index,
            element,
        }),
        _ => open_end(types, last.ty),
    }
}

/// Whether an object of one type may be, or have a part, that is accessed as an object of the
/// other.
pub fn may_hold(program: &Program, whole: TypeId, part: TypeId) -> bool {
    let types = &program.types;
    program.target.relaxed_aliasing || contains(types, whole, types.element_of(part))
}

/// Whether the objects that pointers to two types lead to may share memory, or be one object.
pub fn may_share(program: &Program, first: TypeId, second: TypeId) -> bool {
    let types = &program.types;
    let (first, second) = (types.element_of(first), types.element_of(second));
    let is_void = |ty| matches!(types.kind(ty), Type::Void);
    program.target.relaxed_aliasing
        || is_void(first)
        || is_void(second)
        || contains(types, first, second)
        || contains(types, second, first)
        || may_overlap(types, first, second)
        || share_characters(types, first, second)
}

/// Whether an object of one type is or has a part that can be accessed as the other. Characters
/// can be anywhere.
pub fn contains(types: &Types, whole: TypeId, part: TypeId) -> bool {
    is_character(types, part)
        || is_of_characters(types, part)
        || contains_exactly(types, whole, part)
}

/// Whether a type is one of characters.
pub fn is_character(types: &Types, ty: TypeId) -> bool {
    types.int(ty).is_some_and(|int| int.name.is_character())
}

/// Whether an object of one type is or has a part that is offered to pointers to the other.
pub fn contains_exactly(types: &Types, whole: TypeId, part: TypeId) -> bool {
    if is_accessible_as(types, whole, part) {
        return true;
    }
    match types.kind(whole) {
        Type::Array { element, .. } => contains_exactly(types, *element, part),
        Type::Record(record) => {
            let fields = &types.records[*record].fields;
            let mut fields = fields.iter().filter(|field| field.bit_width.is_none());
            fields.any(|field| contains_exactly(types, field.ty, part))
        }
        _ => false,
    }
}

/// Whether an object of one type can be accessed as the other, by C's rules for aliases;
/// characters, which can be accessed anywhere, count for their own type only.
pub fn is_accessible_as(types: &Types, object: TypeId, access: TypeId) -> bool {
    if object == access {
        return true;
    }
    match (types.kind(object), types.kind(access)) {
        (Type::Pointer { pointee: one, .. }, Type::Pointer { pointee: two, .. }) => {
            are_pointed_to_alike(types, *one, *two)
        }
        (Type::Int(_) | Type::Enum(_), Type::Int(_) | Type::Enum(_)) => {
            let width = |ty| types.int(ty).map(|int| int.width);
            width(object) == width(access)
        }
        _ => false,
    }
}

/// Whether pointers to these types may be accessed as each other: to compatible types, where
/// records and functions count as one each; or to `void`, since programs store all pointers through
/// `void **`.
fn are_pointed_to_alike(types: &Types, one: TypeId, two: TypeId) -> bool {
    match (types.kind(one), types.kind(two)) {
        (Type::Void, _) | (_, Type::Void) => true,
        (Type::Record(_), _) | (_, Type::Record(_)) => {
            let is_function = |ty| matches!(types.kind(ty), Type::Function(_));
            !is_function(one) && !is_function(two)
        }
        (Type::Function(_), Type::Function(_)) | (Type::Unsupported(_), _) => true,
        (_, Type::Unsupported(_)) => true,
        (Type::Array { element, .. }, _) => are_pointed_to_alike(types, *element, two),
        (_, Type::Array { element, .. }) => are_pointed_to_alike(types, one, *element),
        _ => is_accessible_as(types, one, two),
    }
}
