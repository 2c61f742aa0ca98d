//! The elements of arrays that places of the code mean by an index: `a[i]`, `s.a[i].f`, `p->f`.

use ir::{
    ConstantValue, Local, Operand, Place, PlaceBase, Program, Projection, RecordKind, Type, TypeId,
};

use crate::graph::unfolding::{ContextId, Unfolding};
use crate::objects::elements::Elements;
use crate::objects::places::{Object, Offset, Pointers, size_of};
use crate::objects::scalars::width;

/// Which element of an array a place means.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// That with a number in the code.
    Number(&'a Operand),
    /// That which a pointer leads to, a local of a context.
    Pointer(ContextId, Local),
}

/// An element that a place means.
pub struct Element<'a> {
    /// The object that the array is, or is a part of.
    pub object: Object,
    /// The array.
    pub elements: Elements,
    /// Which one it is.
    pub which: Which<'a>,
}

/// The element that a place means by one index that is no constant, if it is a scalar.
pub fn element<'a>(
    pointers: &Pointers,
    unfolding: &Unfolding<'_>,
    context: ContextId,
    place: &'a Place,
) -> Option<Element<'a>> {
    width(unfolding.program(), place.ty)?;
    part_of_element(pointers, unfolding, context, place)
}

/// The part of an element, or the whole one, that a place means by one index that is no constant.
pub fn part_of_element<'a>(
    pointers: &Pointers,
    unfolding: &Unfolding<'_>,
    context: ContextId,
    place: &'a Place,
) -> Option<Element<'a>> {
    let program = unfolding.program();
    let (target, ty) = pointers.base(unfolding, context, place)?;
    if matches!(target.object, Object::Nodes(_)) {
        return None;
    }
    let (first, mut indexed) = match (target.offset, &place.base) {
        (Offset::Exact(offset), _) => (offset, None),
        (Offset::InElement { array, inside }, PlaceBase::Deref(Operand::Copy(local))) => {
            let which = Which::Pointer(context, *local);
            (
                array.first.checked_add(inside)?,
                Some(Indexed { which, array }),
            )
        }
        _ => return None,
    };
    if matches!(target.object, Object::Heap(_)) && is_in_union(program, ty, place) {
        return None;
    }
    let by = projected(program, (first, ty), place, &mut indexed)?;
    let Indexed { which, array } = indexed?;
    let elements = Elements {
        first: first.checked_add(by)?,
        ..array
    };
    let size = program.types.size(place.ty);
    let is_inside = (elements.first - array.first).checked_add(size)? <= array.stride;
    let fits = is_inside && elements.end(size) <= size_of(unfolding, target.object);
    fits.then_some(Element {
        object: target.object,
        elements,
        which,
    })
}

/// Which element of an array.
struct Indexed<'a> {
    which: Which<'a>,
    array: Elements,
}

/// The offset by the projections of a place, from an offset and a type on, but one index that is no
/// constant, which it sets.
fn projected<'a>(
    program: &Program,
    (start, mut ty): (u64, TypeId),
    place: &'a Place,
    indexed: &mut Option<Indexed<'a>>,
) -> Option<u64> {
    let types = &program.types;
    let mut sum: u64 = 0;
    for step in &place.projections {
        let (offset, next) = match (types.kind(ty), step) {
            (Type::Record(record), Projection::Field(index)) => {
                let field = types.records[*record].fields.get(*index as usize)?;
                if field.volatile || field.bit_width.is_some() {
                    return None;
                }
                (field.offset_bits / 8, field.ty)
            }
            (Type::Array { element, length }, Projection::Index(index)) => {
                let size = types.size(*element);
                let offset = match constant(index) {
                    Some(index) => index.checked_mul(size)?,
                    None if indexed.is_some() => return None,
                    None => {
                        let array = Elements {
                            first: start.checked_add(sum)?,
                            stride: size,
                            count: (*length)?,
                        };
                        *indexed = array.is_proper().then_some(Indexed {
                            which: Which::Number(index),
                            array,
                        });
                        indexed.as_ref()?;
                        0
                    }
                };
                (offset, *element)
            }
            _ => return None,
        };
        sum = sum.checked_add(offset)?;
        ty = next;
    }
    Some(sum)
}

/// Whether a place, in an object of a type, is in a union.
fn is_in_union(program: &Program, mut ty: TypeId, place: &Place) -> bool {
    let types = &program.types;
    place.projections.iter().any(|step| {
        let (inner, is_union) = match (types.kind(ty), step) {
            (Type::Record(record), Projection::Field(index)) => {
                let record = &types.records[*record];
                let field = record.fields.get(*index as usize);
                let is_union = record.kind == RecordKind::Union;
                (field.map_or(ty, |field| field.ty), is_union)
            }
            (Type::Array { element, .. }, _) => (*element, false),
            _ => (ty, false),
        };
        ty = inner;
        is_union
    })
}

/// The value of an index that is a constant and not negative.
pub fn constant(index: &Operand) -> Option<u64> {
    match index {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Int(index) => u64::try_from(index).ok(),
            _ => None,
        },
        Operand::Copy(_) => None,
    }
}
