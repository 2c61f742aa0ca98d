//! Which bytes of an object a place may be.

use ir::{Operand, Place, PlaceBase, Projection, RecordKind, Type, TypeId};

use crate::objects::Object;
use crate::targets::{Leads, Offset, Targets, constant};
use crate::unfolding::{FrameId, Unfolding};

/// Bytes of an object that a place may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The object.
    pub object: Object,
    /// The first byte.
    pub first: u64,
    /// The one behind the last.
    pub end: u64,
    /// Whether it is all of these bytes, and nothing else changes them: else it is some of them.
    pub is_exact: bool,
}

impl Extent {
    fn anywhere_in(object: Object) -> Extent {
        Extent {
            object,
            first: 0,
            end: u64::MAX,
            is_exact: false,
        }
    }
}

/// Where a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Nowhere: its pointer is always NULL.
    Nowhere,
    /// In an object.
    In(Extent),
    /// Anywhere.
    Anywhere,
}

/// Where a place is.
pub fn extent(
    unfolding: &Unfolding<'_>,
    targets: &Targets,
    frame: FrameId,
    place: &Place,
) -> Reached {
    let Some(ty) = unfolding.typing(frame).base(&place.base) else {
        return Reached::Anywhere;
    };
    let (object, start) = match &place.base {
        PlaceBase::Local(local) => {
            let is_volatile = unfolding.frames[frame].body.locals[*local].volatile;
            (
                Object::Local(frame, *local),
                Some(0).filter(|_| !is_volatile),
            )
        }
        PlaceBase::Global(global) => (Object::Global(*global), Some(0)),
        PlaceBase::Deref(pointer) => match targets.of(unfolding, frame, pointer) {
            Leads::Into(object, Offset::Exact(at)) => (
                object,
                Some(at).filter(|_| !is_volatile(unfolding, frame, pointer)),
            ),
            Leads::Into(object, _) => (object, None),
            Leads::Nowhere => return Reached::Nowhere,
            Leads::Anywhere => return Reached::Anywhere,
        },
    };
    let whole = Extent::anywhere_in(object);
    let found = start.and_then(|first| {
        let end = first.checked_add(unfolding.program.types.size(ty))?;
        let is_exact = true;
        let all = Extent {
            object,
            first,
            end,
            is_exact,
        };
        narrowed(unfolding, (all, ty), &place.projections)
    });
    let size = unfolding.bits_of(object) / 8;
    let accessed = unfolding.program.types.size(place.ty);
    let found = found.filter(|found| {
        let bytes = found.end.saturating_sub(found.first);
        match found.is_exact {
            true => bytes == accessed && found.end <= size,
            false => bytes >= accessed,
        }
    });
    Reached::In(found.unwrap_or(whole))
}

fn is_volatile(unfolding: &Unfolding<'_>, frame: FrameId, pointer: &Operand) -> bool {
    let ty = unfolding.typing(frame).operand(pointer);
    let kind = ty.map(|ty| unfolding.program.types.kind(ty));
    matches!(kind, Some(Type::Pointer { volatile: true, .. }))
}

/// Follows the steps to a part. Where that may be several ones, the extent does not get smaller.
fn narrowed(
    unfolding: &Unfolding<'_>,
    (mut extent, mut ty): (Extent, TypeId),
    steps: &[Projection],
) -> Option<Extent> {
    let types = &unfolding.program.types;
    for step in steps {
        let (by, inner, is_one) = match (types.kind(ty), step) {
            (Type::Record(record), Projection::Field(index)) => {
                let record = &types.records[*record];
                let field = record.fields.get(*index as usize)?;
                // A write to a member of a union leaves its other bytes open.
                let is_plain = record.kind == RecordKind::Struct
                    && field.bit_width.is_none()
                    && !field.volatile;
                (field.offset_bits / 8, field.ty, is_plain)
            }
            (Type::Array { element, length }, Projection::Index(index)) => {
                let size = types.size(*element);
                match (constant(index), length) {
                    (Some(index), _) => (index.checked_mul(size)?, *element, true),
                    (None, Some(length)) if *length >= 2 => (0, *element, false),
                    (None, _) => {
                        extent.end = u64::MAX;
                        (0, *element, false)
                    }
                }
            }
            _ => return None,
        };
        match is_one && extent.is_exact {
            true => {
                extent.first = extent.first.checked_add(by)?;
                extent.end = extent.first.checked_add(types.size(inner))?;
            }
            false if is_one && types.size(ty) == 0 => extent.end = u64::MAX,
            false => {}
        }
        extent.is_exact &= is_one;
        ty = inner;
    }
    Some(extent)
}
