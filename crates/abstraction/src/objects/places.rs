//! The objects that places of the code mean, also behind pointers that lead to one known object.
//!
//! `step(&session)` makes `session->state` a location in `step`. Behind a pointer into an array,
//! `a[i]` is an element of which the index is known.

use std::collections::BTreeMap;

use ir::library::is_place_of_linker;
use ir::{
    ConstantValue, GlobalId, Local, LocalDecl, OPEN_ARRAY_BYTES, Operand, Place, PlaceBase,
    Program, Projection, RecordKind, Rvalue, Type, TypeId,
};

use crate::graph::unfolding::{ContextId, Point, Unfolding};
use crate::objects::elements::Elements;
use crate::objects::slots::{Leads, Slots};

/// An object that code names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A local of a context.
    Local(ContextId, Local),
    /// None of the program: it holds the index of the element that a pointer, a local of a context,
    /// leads to.
    Position(ContextId, Local),
    /// A global.
    Global(GlobalId),
    /// The nodes of a class: all that some calls of `malloc` or `calloc` give. What is known of them
    /// is that of the node whose address is the index.
    Nodes(Nodes),
    /// None of the program: it holds whether the node of a class at the index is allocated.
    Allocated(Nodes),
    /// What a call of `malloc` or `calloc` gives that is made once at most. It may be of any size.
    Heap(Point),
    /// None of the program: it holds the index at which elements are known.
    Index,
}

/// A class of nodes on the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nodes {
    /// Its number.
    pub class: u32,
    /// How many bytes each node has at least.
    pub size: u64,
}

/// The bytes of an object that a place may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The object.
    pub object: Object,
    /// The first byte, and the one behind the last.
    pub range: (u64, u64),
    /// Whether the place is these bytes and no others.
    pub exact: bool,
}

/// Where in an object a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// So many bytes from its start.
    Exact(u64),
    /// In some element of an array, or the place behind the last one. Which element it is, is a
    /// location of its own: [`Object::Position`].
    InElement {
        /// The array: the object, or a part of it.
        array: Elements,
        /// How many bytes from the start of the element.
        inside: u64,
    },
    /// Anywhere.
    Any,
}

/// Where a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The object.
    pub object: Object,
    /// Where in it.
    pub offset: Offset,
}

/// The pointers that lead to one known object.
#[derive(Clone, Debug, Default)]
pub struct Pointers {
    targets: BTreeMap<(ContextId, Local), Target>,
    /// The pointers to nodes that memory holds.
    pub slots: Slots,
    /// What calls allocate: [`Object::Nodes`] or [`Object::Heap`], by where the calls are.
    pub allocated: BTreeMap<Point, Object>,
}

impl Pointers {
    /// Pointers, with where they lead to.
    pub fn new(slots: Slots, allocated: BTreeMap<Point, Object>) -> Pointers {
        Pointers {
            targets: BTreeMap::new(),
            slots,
            allocated,
        }
    }

    /// Sets where a pointer leads.
    pub fn set(&mut self, pointer: (ContextId, Local), leads: Leads) {
        match leads {
            Leads::To(target) => self.targets.insert(pointer, target),
            Leads::Nowhere | Leads::Anywhere => self.targets.remove(&pointer),
        };
    }

    /// Where the pointer in a place leads, if it leads to nodes and is held in known memory.
    pub fn held(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        place: &Place,
    ) -> Option<Target> {
        let part = self.locate(unfolding, context, place)?;
        match self.slots.read(part.object, part.range) {
            Leads::To(target) if part.exact => Some(target),
            _ => None,
        }
    }

    /// Where a pointer leads to, if it leads to one known object.
    pub fn target(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        pointer: &Operand,
    ) -> Option<Target> {
        match pointer {
            Operand::Copy(local) => {
                let known = self.targets.get(&(context, *local)).copied();
                known.or_else(|| {
                    let size = size_of(unfolding, Object::Local(context, *local));
                    let held = self.slots.read(Object::Local(context, *local), (0, size));
                    match held {
                        Leads::To(target) => Some(target),
                        Leads::Nowhere | Leads::Anywhere => None,
                    }
                })
            }
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Global { global, offset } => {
                    at_global(unfolding.program(), global, offset)
                }
                _ => None,
            },
        }
    }

    /// The object that a pointer leads to, if it leads to one known object.
    pub fn object(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        pointer: &Operand,
    ) -> Option<Object> {
        self.target(unfolding, context, pointer)
            .map(|target| target.object)
    }

    /// The pointers that lead to elements of arrays.
    pub fn moving(&self) -> impl Iterator<Item = (ContextId, Local)> + '_ {
        let all = self.targets.iter();
        let moving = all.filter(|(_, target)| matches!(target.offset, Offset::InElement { .. }));
        moving.map(|(&pointer, _)| pointer)
    }

    /// The array that a place leads into, if it is a local, a pointer to elements.
    pub fn array(&self, context: ContextId, place: &Place) -> Option<Elements> {
        let PlaceBase::Local(local) = place.base else {
            return None;
        };
        match self.targets.get(&(context, local))?.offset {
            Offset::InElement { array, .. } => Some(array),
            Offset::Exact(_) | Offset::Any => None,
        }
    }

    /// Where a place begins, with the type there; `None` if its object is not known.
    pub fn base(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        place: &Place,
    ) -> Option<(Target, TypeId)> {
        let program = unfolding.program();
        let at_start = |object| Target {
            object,
            offset: Offset::Exact(0),
        };
        match &place.base {
            PlaceBase::Local(local) => {
                let ty = unfolding.body(context).locals[*local].ty;
                Some((at_start(Object::Local(context, *local)), ty))
            }
            PlaceBase::Global(global) => {
                let ty = program.globals[*global].ty;
                Some((at_start(Object::Global(*global)), ty))
            }
            PlaceBase::Deref(pointer) => {
                let mut target = self.target(unfolding, context, pointer)?;
                let ty = match pointer {
                    Operand::Copy(local) => unfolding.body(context).locals[*local].ty,
                    Operand::Constant(constant) => constant.ty,
                };
                let kind = program.types.kind(ty);
                // What is read there may be anything, whatever was written.
                if matches!(kind, Type::Pointer { volatile: true, .. }) {
                    target.offset = Offset::Any;
                }
                Some((target, program.types.pointee(ty)?))
            }
        }
    }

    /// The object that a place is in, and the bytes of it that the place may mean; `None` if it is
    /// behind a pointer that may lead to several.
    pub fn locate(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        place: &Place,
    ) -> Option<ByteRange> {
        let program = unfolding.program();
        let types = &program.types;
        let (Target { object, offset }, mut ty) = self.base(unfolding, context, place)?;
        let size = size_of(unfolding, object);
        // An object whose type has no size, or a flexible member, may be larger.
        let from = |offset| ByteRange {
            object,
            range: (offset, u64::MAX),
            exact: false,
        };
        let Offset::Exact(mut offset) = offset else {
            return Some(from(0));
        };
        for step in &place.projections {
            let (inner, next) = match (types.kind(ty), step) {
                (Type::Record(record), Projection::Field(_))
                    if types.records[*record].kind == RecordKind::Union
                        && matches!(object, Object::Nodes(_) | Object::Heap(_)) =>
                {
                    return Some(from(0));
                }
                (Type::Record(record), Projection::Field(index)) => {
                    match types.records[*record].fields.get(*index as usize) {
                        Some(field) if !field.volatile && field.bit_width.is_none() => {
                            (field.offset_bits / 8, field.ty)
                        }
                        _ => return Some(from(0)),
                    }
                }
                (Type::Array { element, .. }, Projection::Index(Operand::Constant(index))) => {
                    let index = match index.value {
                        ConstantValue::Int(index) => u64::try_from(index).ok(),
                        _ => None,
                    };
                    let at = index.and_then(|index| index.checked_mul(types.size(*element)));
                    match at {
                        Some(at) => (at, *element),
                        None => return Some(from(0)),
                    }
                }
                // Code goes beyond arrays of no length, and those of one element may be meant so.
                (Type::Array { length, .. }, Projection::Index(_))
                    if length.is_none_or(|length| length < 2) =>
                {
                    return Some(from(0));
                }
                (Type::Array { .. }, Projection::Index(_))
                    if matches!(object, Object::Nodes(_)) =>
                {
                    return Some(ByteRange {
                        object,
                        range: (offset, offset.saturating_add(types.size(ty))),
                        exact: false,
                    });
                }
                (Type::Array { .. }, Projection::Index(_)) => return Some(from(offset)),
                _ => return Some(from(0)),
            };
            offset = match offset.checked_add(inner) {
                Some(offset) if offset <= size => offset,
                _ => return Some(from(0)),
            };
            ty = next;
        }
        let end = offset + types.size(place.ty);
        match end <= size {
            true => Some(ByteRange {
                object,
                range: (offset, end),
                exact: true,
            }),
            false => Some(from(0)),
        }
    }
}

/// The type of an object of the program.
pub fn type_of(unfolding: &Unfolding<'_>, object: Object) -> Option<TypeId> {
    match object {
        Object::Local(context, local) => Some(unfolding.body(context).locals[local].ty),
        Object::Global(global) => Some(unfolding.program().globals[global].ty),
        Object::Nodes(_)
        | Object::Allocated(_)
        | Object::Heap(_)
        | Object::Index
        | Object::Position(..) => None,
    }
}

/// The size of an object in bytes.
pub fn size_of(unfolding: &Unfolding<'_>, object: Object) -> u64 {
    match object {
        Object::Nodes(nodes) => nodes.size,
        Object::Heap(_) => OPEN_ARRAY_BYTES,
        _ => {
            let ty = type_of(unfolding, object);
            ty.map_or(0, |ty| unfolding.program().types.size(ty))
        }
    }
}

/// The place at so many bytes from the start of a global; `None` if other objects may lie there.
pub fn at_global(program: &Program, global: GlobalId, offset: i64) -> Option<Target> {
    let is_other = is_place_of_linker(&program.globals[global]);
    (!is_other).then(|| Target {
        object: Object::Global(global),
        offset: u64::try_from(offset).map_or(Offset::Any, Offset::Exact),
    })
}

/// Whether a local is only read and written as a whole, by name.
pub fn is_register(program: &Program, local: &LocalDecl) -> bool {
    !local.address_taken && !local.volatile && program.types.is_scalar(local.ty)
}

/// The place that an assignment copies to a place of a type, if it copies one.
pub fn copied(value: &Rvalue, ty: TypeId) -> Option<Place> {
    match value {
        Rvalue::Load(from) => Some(from.clone()),
        Rvalue::Use(Operand::Copy(local)) => Some(Place {
            base: PlaceBase::Local(*local),
            projections: Vec::new(),
            ty,
        }),
        _ => None,
    }
}
