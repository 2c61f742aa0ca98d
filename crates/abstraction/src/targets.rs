//! Which object each pointer leads to, if it is one: points-to analysis without regard to the order
//! of statements (Andersen 1994), for the pointers that are only read and written by name, with one
//! object at most for each.
//!
//! ```text
//! lattice    nothing  <  one place of an object  <  elements of an array  <  an object  <  anything
//! repeat until nothing changes:
//!     for each assignment p = e, argument and returned value: p := join of p and what e leads to
//! ```
//!
//! NULL leads to nothing, as an access through it ends the path.

use std::collections::BTreeMap;

use ir::{
    CastKind, ConstantValue, Local, Operand, Place, PlaceBase, Projection, Rvalue, StatementKind,
    Terminator, Type, TypeId,
};

use crate::elements::{Elements, arrays_at};
use crate::indexed::constant;
use crate::places::{Object, Offset, Target, at_global, is_register, size_of, type_of};
use crate::unfolding::{ContextId, Point, Unfolding};

type Pointer = (ContextId, Local);

/// What a pointer may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leads {
    /// Nothing.
    Nowhere,
    /// One object.
    To(Target),
    /// Anything.
    Anywhere,
}

/// What is assigned to a pointer.
#[derive(Clone, Copy)]
enum Source<'p> {
    /// The right side of an assignment in a context.
    Value(ContextId, &'p Rvalue),
    /// An operand in a context.
    Operand(ContextId, &'p Operand),
    /// Something of which nothing is known.
    Unknown,
}

/// Where the pointers of an unfolding lead that lead to one object.
pub fn targets(unfolding: &Unfolding<'_>) -> BTreeMap<Pointer, Target> {
    let mut analysis = Analysis {
        unfolding,
        found: BTreeMap::new(),
    };
    let flows = flows(unfolding);
    loop {
        let mut has_changed = false;
        for &(pointer, source) in &flows {
            let new = analysis.source(source);
            let old = analysis.of_local(pointer);
            let joined = analysis.join(old, new);
            has_changed |= joined != old;
            analysis.found.insert(pointer, joined);
        }
        if !has_changed {
            break;
        }
    }
    let found = analysis.found.into_iter();
    let known = found.filter_map(|(pointer, leads)| match leads {
        Leads::To(target) => Some((pointer, target)),
        Leads::Nowhere | Leads::Anywhere => None,
    });
    known.collect()
}

/// What is assigned to each pointer that is a local without an address.
fn flows<'p>(unfolding: &Unfolding<'p>) -> Vec<(Pointer, Source<'p>)> {
    let mut flows = Vec::new();
    for (context, data) in unfolding.contexts() {
        for (block, code) in data.body.blocks.iter_enumerated() {
            for statement in &code.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    let source = Source::Value(context, value);
                    flows.extend(assignment(unfolding, context, place, source));
                }
            }
            if let Terminator::Call {
                destination: Some(place),
                ..
            } = &code.terminator
            {
                let results = results(unfolding, unfolding.point(context, block));
                let results = results.into_iter();
                let assigned =
                    results.filter_map(|source| assignment(unfolding, context, place, source));
                flows.extend(assigned);
            }
        }
        flows.extend(arguments(unfolding, context));
    }
    flows
}

/// Whether a local is a pointer that is only read and written by name.
fn is_pointer(unfolding: &Unfolding<'_>, context: ContextId, local: Local) -> bool {
    let program = unfolding.program();
    let decl = &unfolding.body(context).locals[local];
    is_register(program, decl) && program.types.pointee(decl.ty).is_some()
}

/// An assignment to a pointer.
fn assignment<'p>(
    unfolding: &Unfolding<'p>,
    context: ContextId,
    place: &Place,
    source: Source<'p>,
) -> Option<(Pointer, Source<'p>)> {
    let PlaceBase::Local(local) = place.base else {
        return None;
    };
    let source = match place.projections.is_empty() {
        true => source,
        false => Source::Unknown,
    };
    is_pointer(unfolding, context, local).then_some(((context, local), source))
}

/// What the call at the end of a point's block may return.
fn results<'p>(unfolding: &Unfolding<'p>, call: Point) -> Vec<Source<'p>> {
    let Some(callee) = unfolding.entered(call) else {
        return vec![Source::Unknown];
    };
    let blocks = unfolding.body(callee).blocks.iter();
    let returned = blocks.filter_map(|block| match &block.terminator {
        Terminator::Return(Some(operand)) => Some(Source::Operand(callee, operand)),
        _ => None,
    });
    returned.collect()
}

/// What the parameters of a context are given that are pointers.
fn arguments<'p>(unfolding: &Unfolding<'p>, context: ContextId) -> Vec<(Pointer, Source<'p>)> {
    let data = unfolding.data(context);
    let call = data.caller.and_then(|(caller, block)| {
        match &unfolding.body(caller).blocks[block].terminator {
            Terminator::Call { arguments, .. } => Some((caller, arguments)),
            _ => None,
        }
    });
    let function = &unfolding.program().functions[data.function];
    let parameters = function.parameter_locals().enumerate();
    let pointers = parameters.filter(|&(_, local)| is_pointer(unfolding, context, local));
    let given = pointers.map(|(at, local)| {
        let argument = call.and_then(|(caller, all)| Some((caller, all.get(at)?)));
        let source = argument.map_or(Source::Unknown, |(caller, argument)| {
            Source::Operand(caller, argument)
        });
        ((context, local), source)
    });
    given.collect()
}

struct Analysis<'a, 'p> {
    unfolding: &'a Unfolding<'p>,
    found: BTreeMap<Pointer, Leads>,
}

impl Analysis<'_, '_> {
    fn of_local(&self, pointer: Pointer) -> Leads {
        self.found.get(&pointer).copied().unwrap_or(Leads::Nowhere)
    }

    fn source(&self, source: Source<'_>) -> Leads {
        match source {
            Source::Value(context, value) => self.value(context, value),
            Source::Operand(context, operand) => self.operand(context, operand),
            Source::Unknown => Leads::Anywhere,
        }
    }

    fn operand(&self, context: ContextId, operand: &Operand) -> Leads {
        match operand {
            Operand::Copy(local) => match is_pointer(self.unfolding, context, *local) {
                true => self.of_local((context, *local)),
                false => Leads::Anywhere,
            },
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Int(0) => Leads::Nowhere,
                ConstantValue::Global { global, offset } => {
                    let target = at_global(self.unfolding.program(), global, offset);
                    target.map_or(Leads::Anywhere, Leads::To)
                }
                _ => Leads::Anywhere,
            },
        }
    }

    fn value(&self, context: ContextId, value: &Rvalue) -> Leads {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                self.operand(context, operand)
            }
            Rvalue::AddressOf(place) => self.address(context, place),
            Rvalue::PointerOffset {
                pointer, element, ..
            } => match self.operand(context, pointer) {
                Leads::To(target) => Leads::To(self.moved(target, *element)),
                other => other,
            },
            _ => Leads::Anywhere,
        }
    }

    /// Where a pointer leads that is moved by elements of a size.
    fn moved(&self, target: Target, element: u64) -> Target {
        let Target { object, offset } = target;
        let offset = match offset {
            Offset::Exact(offset) => {
                let mut arrays = self.arrays_at(object, offset).into_iter();
                let array = arrays.find(|array| array.stride == element);
                let inside = array.and_then(|array| Some((array, array.inside(offset)?.0)));
                inside.map_or(Offset::Any, |(array, inside)| Offset::InElement {
                    array,
                    inside,
                })
            }
            Offset::InElement { array, .. } if array.stride == element => offset,
            _ => Offset::Any,
        };
        Target { object, offset }
    }

    fn address(&self, context: ContextId, place: &Place) -> Leads {
        let program = self.unfolding.program();
        let types = &program.types;
        let at_start = |object| Target {
            object,
            offset: Offset::Exact(0),
        };
        let (base, mut ty) = match &place.base {
            PlaceBase::Local(local) => {
                let ty = self.unfolding.body(context).locals[*local].ty;
                (at_start(Object::Local(context, *local)), ty)
            }
            PlaceBase::Global(global) => {
                let Some(target) = at_global(program, *global, 0) else {
                    return Leads::Anywhere;
                };
                (target, program.globals[*global].ty)
            }
            PlaceBase::Deref(pointer) => {
                let ty = match pointer {
                    Operand::Copy(local) => self.unfolding.body(context).locals[*local].ty,
                    Operand::Constant(constant) => constant.ty,
                };
                match (self.operand(context, pointer), types.pointee(ty)) {
                    (Leads::To(target), Some(ty)) => (target, ty),
                    (Leads::Nowhere, _) => return Leads::Nowhere,
                    _ => return Leads::Anywhere,
                }
            }
        };
        let Target { object, mut offset } = base;
        for step in &place.projections {
            let (next, inner) = self.projected(object, offset, ty, step);
            offset = next;
            ty = inner;
        }
        let size = size_of(self.unfolding, object);
        if let Offset::Exact(at) = offset
            && at.saturating_add(types.size(place.ty)) > size
        {
            offset = Offset::Any;
        }
        Leads::To(Target { object, offset })
    }

    /// The offset of a part of what lies at an offset, and its type.
    fn projected(
        &self,
        object: Object,
        offset: Offset,
        ty: TypeId,
        step: &Projection,
    ) -> (Offset, TypeId) {
        let types = &self.unfolding.program().types;
        match (types.kind(ty), step) {
            (Type::Record(record), Projection::Field(index)) => {
                match types.records[*record].fields.get(*index as usize) {
                    Some(field) if !field.volatile && field.bit_width.is_none() => {
                        (added(offset, field.offset_bits / 8), field.ty)
                    }
                    Some(field) => (Offset::Any, field.ty),
                    None => (Offset::Any, ty),
                }
            }
            (Type::Array { element, length }, Projection::Index(index)) => {
                let size = types.size(*element);
                let offset = match (constant(index), offset) {
                    (Some(index), _) => match index.checked_mul(size) {
                        Some(bytes) => added(offset, bytes),
                        None => Offset::Any,
                    },
                    (None, Offset::Exact(first)) => {
                        let array = Elements {
                            first,
                            stride: size,
                            count: length.unwrap_or(0),
                        };
                        let is_part = array.end_of_all() <= size_of(self.unfolding, object);
                        match array.is_proper() && is_part {
                            true => Offset::InElement { array, inside: 0 },
                            false => Offset::Any,
                        }
                    }
                    (None, _) => Offset::Any,
                };
                (offset, *element)
            }
            _ => (Offset::Any, ty),
        }
    }

    fn join(&self, a: Leads, b: Leads) -> Leads {
        let (a, b) = match (a, b) {
            (Leads::Nowhere, other) | (other, Leads::Nowhere) => return other,
            (Leads::To(a), Leads::To(b)) if a.object == b.object => (a, b),
            _ => return Leads::Anywhere,
        };
        if a == b {
            return Leads::To(a);
        }
        let arrays = match (a.offset, b.offset) {
            (Offset::InElement { array, .. }, _) | (_, Offset::InElement { array, .. }) => {
                vec![array]
            }
            (Offset::Exact(at), Offset::Exact(_)) => self.arrays_at(a.object, at),
            _ => Vec::new(),
        };
        let both = arrays.into_iter().find_map(|array| {
            let inside = inside(a.offset, array)?;
            (inside == self::inside(b.offset, array)?).then_some((array, inside))
        });
        Leads::To(Target {
            object: a.object,
            offset: both.map_or(Offset::Any, |(array, inside)| Offset::InElement {
                array,
                inside,
            }),
        })
    }

    /// The arrays that an offset of an object lies in.
    fn arrays_at(&self, object: Object, offset: u64) -> Vec<Elements> {
        let ty = type_of(self.unfolding, object);
        ty.map_or_else(Vec::new, |ty| {
            arrays_at(self.unfolding.program(), ty, offset)
        })
    }
}

/// How far an offset is from the start of an element of an array, if it lies in one.
fn inside(offset: Offset, array: Elements) -> Option<u64> {
    match offset {
        Offset::Exact(at) => array.inside(at).map(|(inside, _)| inside),
        Offset::InElement { array: of, inside } => (of == array).then_some(inside),
        Offset::Any => None,
    }
}

fn added(offset: Offset, bytes: u64) -> Offset {
    let sum = match offset {
        Offset::Exact(at) => at.checked_add(bytes).map(Offset::Exact),
        Offset::InElement { array, inside } => inside
            .checked_add(bytes)
            .map(|inside| Offset::InElement { array, inside }),
        Offset::Any => None,
    };
    sum.unwrap_or(Offset::Any)
}
