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
//!
//! Nodes of the heap: each call that allocates some is a *site*, and its nodes are an object. Where a
//! pointer may lead to nodes of two sites, these become one *class*. Pointers to nodes are followed
//! through memory, too ([`crate::objects::slots`]). Nodes whose address goes anywhere else are not known.
//! What a call allocates that is made once at most, with a size that is no constant, or through pointers
//! that are moved, is an object of its own ([`Object::Heap`]): elements of some size from its start on.
//!
//! ```text
//! repeat until nothing changes:
//!     find where pointers lead
//!     join the classes that meet; leave out those that escape, and memory that others change
//! ```

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ir::{
    CastKind, ConstantValue, Local, Operand, Place, PlaceBase, Projection, RecordKind, Rvalue,
    StatementKind, Terminator, Type, TypeId,
};

use crate::graph::unfolding::{ContextId, Point, Unfolding};
use crate::objects::classes::Classes;
use crate::objects::elements::{Elements, arrays_at};
use crate::objects::escapes::{Escaped, escaped};
use crate::objects::indexed::constant;
use crate::objects::places::{
    ByteRange, Object, Offset, Pointers, Target, at_global, is_register, size_of, type_of,
};
use crate::objects::slots::{Leads, Slots};

type Pointer = (ContextId, Local);

/// What is assigned to a pointer.
#[derive(Clone, Copy)]
enum Source<'p> {
    /// The right side of an assignment in a context.
    Value(ContextId, &'p Rvalue),
    /// An operand in a context.
    Operand(ContextId, &'p Operand),
    /// What the call at a point allocates.
    Allocated(Point),
    /// Something of which nothing is known.
    Unknown,
}

/// Where a value is assigned.
#[derive(Clone, Copy)]
enum Sink<'p> {
    /// A pointer that is only read and written by name.
    Pointer(Pointer),
    /// A place in a context.
    Place(ContextId, &'p Place),
    /// A local of a context, as a whole.
    Local(ContextId, Local),
}

/// Where the pointers of an unfolding lead that lead to one object, and the objects that escape.
pub fn targets(unfolding: &Unfolding<'_>) -> (Pointers, BTreeSet<Object>) {
    let mut classes = Classes::new(unfolding);
    let flows = flows(unfolding, !classes.is_empty());
    let mut changed_by_others = BTreeSet::new();
    loop {
        let slots = Slots::new(changed_by_others.clone());
        let mut analysis = Analysis {
            unfolding,
            found: BTreeMap::new(),
            pointers: Pointers::new(slots, classes.known()),
            meeting: RefCell::default(),
            arrays: RefCell::default(),
        };
        analysis.find(&flows);
        let Analysis {
            pointers,
            meeting,
            arrays,
            ..
        } = analysis;
        if classes.join(&meeting.into_inner()) || classes.make_arrays(&arrays.into_inner()) {
            continue;
        }
        let Escaped { escaped, changed } = escaped(unfolding, &pointers);
        let has_fewer = classes.leave_out(&escaped);
        let is_known = !classes.is_empty();
        let before = changed_by_others.len();
        changed_by_others.extend(escaped.iter().chain(&changed).copied());
        let has_more = is_known && changed_by_others.len() > before;
        if !has_fewer && !has_more {
            return (pointers, escaped);
        }
    }
}

/// What is assigned to each pointer that is a local without an address; to memory, too, if pointers in
/// it are followed.
fn flows<'p>(unfolding: &Unfolding<'p>, is_memory_followed: bool) -> Vec<(Sink<'p>, Source<'p>)> {
    let mut flows = Vec::new();
    for (context, data) in unfolding.contexts() {
        for (block, code) in data.body.blocks.iter_enumerated() {
            for statement in &code.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    let source = Source::Value(context, value);
                    flows.push(assignment(unfolding, context, place, source));
                }
            }
            if let Terminator::Call {
                destination: Some(place),
                ..
            } = &code.terminator
            {
                let results = results(unfolding, unfolding.point(context, block));
                let results = results.into_iter();
                flows.extend(results.map(|it| assignment(unfolding, context, place, it)));
            }
        }
        flows.extend(arguments(unfolding, context));
    }
    flows.retain(|(sink, _)| is_memory_followed || matches!(sink, Sink::Pointer(_)));
    flows
}

/// Whether a local is a pointer that is only read and written by name.
fn is_pointer(unfolding: &Unfolding<'_>, context: ContextId, local: Local) -> bool {
    let program = unfolding.program();
    let decl = &unfolding.body(context).locals[local];
    is_register(program, decl) && program.types.pointee(decl.ty).is_some()
}

/// An assignment to a place.
fn assignment<'p>(
    unfolding: &Unfolding<'p>,
    context: ContextId,
    place: &'p Place,
    source: Source<'p>,
) -> (Sink<'p>, Source<'p>) {
    match place.base {
        PlaceBase::Local(local) if is_pointer(unfolding, context, local) => {
            let source = match place.projections.is_empty() {
                true => source,
                false => Source::Unknown,
            };
            (Sink::Pointer((context, local)), source)
        }
        _ => (Sink::Place(context, place), source),
    }
}

/// What the call at the end of a point's block may return.
fn results<'p>(unfolding: &Unfolding<'p>, call: Point) -> Vec<Source<'p>> {
    let Some(callee) = unfolding.entered(call) else {
        return vec![Source::Allocated(call)];
    };
    let blocks = unfolding.body(callee).blocks.iter();
    let returned = blocks.filter_map(|block| match &block.terminator {
        Terminator::Return(Some(operand)) => Some(Source::Operand(callee, operand)),
        _ => None,
    });
    returned.collect()
}

/// What the parameters of a context are given.
fn arguments<'p>(unfolding: &Unfolding<'p>, context: ContextId) -> Vec<(Sink<'p>, Source<'p>)> {
    let data = unfolding.data(context);
    let call = data.caller.and_then(|(caller, block)| {
        match &unfolding.body(caller).blocks[block].terminator {
            Terminator::Call { arguments, .. } => Some((caller, arguments)),
            _ => None,
        }
    });
    let function = &unfolding.program().functions[data.function];
    let parameters = function.parameter_locals().enumerate();
    let given = parameters.map(|(at, local)| {
        let argument = call.and_then(|(caller, all)| Some((caller, all.get(at)?)));
        let source = argument.map_or(Source::Unknown, |(caller, argument)| {
            Source::Operand(caller, argument)
        });
        let sink = match is_pointer(unfolding, context, local) {
            true => Sink::Pointer((context, local)),
            false => Sink::Local(context, local),
        };
        (sink, source)
    });
    given.collect()
}

struct Analysis<'a, 'p> {
    unfolding: &'a Unfolding<'p>,
    found: BTreeMap<Pointer, Leads>,
    /// The same, as others see it, with what memory holds.
    pointers: Pointers,
    /// Classes of nodes that one pointer leads to.
    meeting: RefCell<BTreeSet<(u32, u32)>>,
    /// Classes of which pointers to nodes are moved as pointers to elements are.
    arrays: RefCell<BTreeSet<u32>>,
}

impl Analysis<'_, '_> {
    fn find(&mut self, flows: &[(Sink<'_>, Source<'_>)]) {
        loop {
            let mut has_changed = false;
            for &(sink, source) in flows {
                let new = self.source(source);
                has_changed |= match sink {
                    Sink::Pointer(pointer) => self.assign(pointer, new),
                    Sink::Place(context, place) => {
                        let types = &self.unfolding.program().types;
                        let is_pointer = types.pointee(place.ty).is_some();
                        let is_zero = matches!(source, Source::Value(_, Rvalue::Zero(_)));
                        let at = self.pointers.locate(self.unfolding, context, place);
                        match at.filter(|_| !is_zero) {
                            Some(part) => self.store(part, is_pointer, new),
                            None => false,
                        }
                    }
                    Sink::Local(context, local) => {
                        let ty = self.unfolding.body(context).locals[local].ty;
                        let types = &self.unfolding.program().types;
                        let whole = ByteRange {
                            object: Object::Local(context, local),
                            range: (0, types.size(ty)),
                            exact: true,
                        };
                        self.store(whole, types.pointee(ty).is_some(), new)
                    }
                };
            }
            if !has_changed {
                return;
            }
        }
    }

    fn assign(&mut self, pointer: Pointer, new: Leads) -> bool {
        let old = self.of_local(pointer);
        let joined = self.join(old, new);
        self.found.insert(pointer, joined);
        self.pointers.set(pointer, joined);
        joined != old
    }

    /// Notes that a value is written to a part of an object. Only pointers to the heap are followed.
    fn store(&mut self, part: ByteRange, is_pointer: bool, new: Leads) -> bool {
        let is_volatile = match part.object {
            Object::Local(context, local) => self.unfolding.body(context).locals[local].volatile,
            _ => false,
        };
        let new = match new {
            _ if is_volatile => Leads::Anywhere,
            Leads::Nowhere if is_pointer => Leads::Nowhere,
            Leads::To(target) if is_pointer && part.exact && is_of_heap(target) => new,
            _ => Leads::Anywhere,
        };
        let old = self.pointers.slots.written(part.object, part.range);
        let joined = self.join(old, new);
        self.pointers.slots.write(part.object, part.range, joined)
    }

    fn of_local(&self, pointer: Pointer) -> Leads {
        self.found.get(&pointer).copied().unwrap_or(Leads::Nowhere)
    }

    fn source(&self, source: Source<'_>) -> Leads {
        match source {
            Source::Value(context, value) => self.value(context, value),
            Source::Operand(context, operand) => self.operand(context, operand),
            Source::Allocated(point) => match self.pointers.allocated.get(&point) {
                Some(&object) => Leads::To(Target {
                    object,
                    offset: Offset::Exact(0),
                }),
                None => Leads::Anywhere,
            },
            Source::Unknown => Leads::Anywhere,
        }
    }

    /// Where the pointer leads that a part of an object holds.
    fn held(&self, object: Object, range: (u64, u64)) -> Leads {
        match self.pointers.allocated.is_empty() {
            true => Leads::Anywhere,
            false => self.pointers.slots.read(object, range),
        }
    }

    /// Where the pointer in a place leads.
    fn load(&self, context: ContextId, place: &Place) -> Leads {
        if self.pointers.allocated.is_empty() {
            return Leads::Anywhere;
        }
        if let PlaceBase::Deref(pointer) = &place.base
            && self.operand(context, pointer) == Leads::Nowhere
        {
            return Leads::Nowhere;
        }
        match self.pointers.locate(self.unfolding, context, place) {
            Some(part) if part.exact => self.held(part.object, part.range),
            _ => Leads::Anywhere,
        }
    }

    fn operand(&self, context: ContextId, operand: &Operand) -> Leads {
        match operand {
            Operand::Copy(local) => match is_pointer(self.unfolding, context, *local) {
                true => self.of_local((context, *local)),
                false => {
                    let object = Object::Local(context, *local);
                    let types = &self.unfolding.program().types;
                    let ty = self.unfolding.body(context).locals[*local].ty;
                    match types.pointee(ty) {
                        Some(_) => self.held(object, (0, types.size(ty))),
                        None => Leads::Anywhere,
                    }
                }
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
            Rvalue::Load(place) => self.load(context, place),
            _ => Leads::Anywhere,
        }
    }

    /// Where a pointer leads that is moved by elements of a size.
    fn moved(&self, target: Target, element: u64) -> Target {
        let Target { object, offset } = target;
        let offset = match offset {
            Offset::Exact(offset) => {
                if let Object::Nodes(nodes) = object {
                    self.arrays.borrow_mut().insert(nodes.class);
                }
                let mut arrays = match object {
                    Object::Heap(_) => Elements::open(element).into_iter().collect(),
                    _ => self.arrays_at(object, offset),
                }
                .into_iter();
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
                let is_union = types.records[*record].kind == RecordKind::Union;
                let offset = match object {
                    Object::Nodes(_) | Object::Heap(_) if is_union => Offset::Any,
                    _ => offset,
                };
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
                    (None, Offset::Exact(_))
                        if matches!(object, Object::Nodes(_) | Object::Heap(_)) =>
                    {
                        Offset::Any
                    }
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
            (Leads::To(a), Leads::To(b)) => {
                if let (Object::Nodes(a), Object::Nodes(b)) = (a.object, b.object) {
                    self.meeting.borrow_mut().insert((a.class, b.class));
                }
                return Leads::Anywhere;
            }
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

/// Whether a pointer leads to nodes, or to the start of an object of the heap.
fn is_of_heap(target: Target) -> bool {
    match target.object {
        Object::Nodes(_) => true,
        Object::Heap(_) => target.offset == Offset::Exact(0),
        _ => false,
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
