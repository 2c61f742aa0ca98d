//! Where pointers lead: for each local that is a pointer, and only read and written by name, the one
//! object that all of its values lead to, if there is one. Pointers to nodes of the heap are followed
//! through memory, too ([`crate::cells`]).
//!
//! ```text
//! p = &x; p = 0; q = p            p and q lead to x
//! p = &a[0]; p = p + 1            p leads to elements of a: which one, is a number of its own
//! p = &s->a[i]                    p leads to elements of the array a in the object of s
//! p = &x; p = &y; p = *q          p may lead anywhere
//! p = malloc(8); l.first = p      p and l.first lead to nodes of a class
//! ```
//!
//! Assignments count wherever they stand. NULL leads nowhere: an access through it is a defect.

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    CastKind, ConstantValue, Local, Operand, Place, PlaceBase, Projection, RecordKind, Rvalue,
    StatementKind, Terminator, Type, TypeId,
};

use crate::cells::Cells;
use crate::extents::{Reached, extent};
use crate::objects::{Array, Class, Object};
use crate::sites::Sites;
use crate::unfolding::{FrameId, Node, Unfolding};

/// Where in an object a pointer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// So many bytes from its start.
    Exact(u64),
    /// So many bytes from the start of an element of an array: the object, or a part of it.
    InElement(Array, u64),
    /// Anywhere.
    Any,
}

/// Where a pointer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// Nowhere.
    Nowhere,
    /// Into an object.
    Into(Object, Offset),
    /// Anywhere.
    Anywhere,
}

/// The pointers of an unfolding.
pub struct Targets {
    found: BTreeMap<(FrameId, Local), Leads>,
    /// The pointers in memory.
    pub cells: Cells,
    /// The calls that allocate nodes.
    pub sites: Sites,
    /// The classes of which one pointer leads to the nodes of both.
    pub meetings: BTreeSet<(Class, Class)>,
}

/// A value that a pointer is given.
#[derive(Clone, Copy)]
enum Given<'p> {
    Value(FrameId, &'p Rvalue),
    Operand(FrameId, &'p Operand),
    Allocated(Node),
    Unknown,
}

/// What is given a value.
#[derive(Clone, Copy)]
enum Sink<'p> {
    /// A pointer that is only read and written by name.
    Pointer(FrameId, Local),
    /// A place.
    Place(FrameId, &'p Place),
    /// A local as a whole.
    Whole(FrameId, Local),
}

type Flow<'p> = (Sink<'p>, Given<'p>);

impl Targets {
    /// Where the pointers of an unfolding lead, if some calls allocate nodes that others do not know,
    /// and unknown code changes some objects.
    pub fn new(unfolding: &Unfolding<'_>, sites: &Sites, open: &BTreeSet<Object>) -> Targets {
        let flows = flows(unfolding);
        let size = u64::from(unfolding.program.target.pointer_width) / 8;
        let mut targets = Targets {
            found: BTreeMap::new(),
            cells: Cells::new(size, open.clone()),
            sites: sites.clone(),
            meetings: BTreeSet::new(),
        };
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &(sink, given) in &flows {
                let new = match given {
                    Given::Value(frame, value) => targets.of_value(unfolding, frame, value),
                    Given::Operand(frame, operand) => targets.of(unfolding, frame, operand),
                    Given::Allocated(node) => targets.allocated(node),
                    Given::Unknown => Leads::Anywhere,
                };
                has_changed |= match sink {
                    Sink::Pointer(frame, local) => targets.assign(unfolding, (frame, local), new),
                    Sink::Place(frame, place) => {
                        let is_zero = matches!(given, Given::Value(_, Rvalue::Zero(_)));
                        targets.write(unfolding, (frame, place), new, is_zero)
                    }
                    Sink::Whole(frame, local) => {
                        let ty = unfolding.frames[frame].body.locals[local].ty;
                        targets.write(unfolding, (frame, &whole(local, ty)), new, false)
                    }
                };
            }
        }
        targets
    }

    fn assign(&mut self, unfolding: &Unfolding<'_>, pointer: (FrameId, Local), new: Leads) -> bool {
        let old = self.found.get(&pointer).copied();
        let joined = self.join(unfolding, old.unwrap_or(Leads::Nowhere), new);
        self.found.insert(pointer, joined);
        old != Some(joined)
    }

    /// Adds that something is written to a place in memory: only pointers to the heap are followed.
    fn write(
        &mut self,
        unfolding: &Unfolding<'_>,
        (frame, place): (FrameId, &Place),
        new: Leads,
        is_zero: bool,
    ) -> bool {
        let Reached::In(at) = extent(unfolding, self, frame, place) else {
            return false;
        };
        let may_have_cells = matches!(
            at.object,
            Object::Local(..) | Object::Nodes(_) | Object::Heap(_)
        );
        if !may_have_cells || self.sites.is_empty() {
            return false;
        }
        if unfolding.program.types.pointee(place.ty).is_none() || !at.is_exact {
            return match is_zero && at.is_exact {
                true => self.cells.clear(&at),
                false => self.cells.blur(&at),
            };
        }
        let new = match new {
            Leads::Nowhere
            | Leads::Into(Object::Nodes(_), _)
            | Leads::Into(Object::Heap(_), Offset::Exact(0)) => new,
            _ if is_zero => Leads::Nowhere,
            _ => Leads::Anywhere,
        };
        let old = self.cells.written(at.object, at.first);
        let joined = self.join(unfolding, old, new);
        self.cells.write(at.object, at.first, joined)
    }

    /// Where the pointer in a place of memory leads.
    pub fn loaded(&self, unfolding: &Unfolding<'_>, frame: FrameId, place: &Place) -> Leads {
        let is_pointer = unfolding.program.types.pointee(place.ty).is_some();
        if self.sites.is_empty() || !is_pointer {
            return Leads::Anywhere;
        }
        match extent(unfolding, self, frame, place) {
            Reached::In(at) => self.cells.leads(&at),
            Reached::Nowhere => Leads::Nowhere,
            Reached::Anywhere => Leads::Anywhere,
        }
    }

    /// Where what the call at the end of a node allocates is.
    fn allocated(&self, node: Node) -> Leads {
        match self.sites.allocated(node) {
            Some(object) => Leads::Into(object, Offset::Exact(0)),
            None => Leads::Anywhere,
        }
    }

    fn join(&mut self, unfolding: &Unfolding<'_>, one: Leads, two: Leads) -> Leads {
        if let (Leads::Into(Object::Nodes(one), _), Leads::Into(Object::Nodes(two), _)) = (one, two)
            && one != two
        {
            self.meetings.insert((one.min(two), one.max(two)));
        }
        join(unfolding, one, two)
    }

    /// Where an operand leads.
    pub fn of(&self, unfolding: &Unfolding<'_>, frame: FrameId, operand: &Operand) -> Leads {
        match operand {
            Operand::Copy(local) if is_pointer(unfolding, frame, *local) => {
                let found = self.found.get(&(frame, *local)).copied();
                found.unwrap_or(Leads::Nowhere)
            }
            Operand::Copy(local) => {
                let ty = unfolding.frames[frame].body.locals[*local].ty;
                self.loaded(unfolding, frame, &whole(*local, ty))
            }
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Int(0) => Leads::Nowhere,
                ConstantValue::Global { global, offset } => {
                    let offset = u64::try_from(offset).map_or(Offset::Any, Offset::Exact);
                    Leads::Into(Object::Global(global), offset)
                }
                _ => Leads::Anywhere,
            },
        }
    }

    /// The object that an operand leads to.
    pub fn object(
        &self,
        unfolding: &Unfolding<'_>,
        frame: FrameId,
        operand: &Operand,
    ) -> Option<Object> {
        match self.of(unfolding, frame, operand) {
            Leads::Into(object, _) => Some(object),
            Leads::Nowhere | Leads::Anywhere => None,
        }
    }

    /// Whether a pointer leads to elements of an array.
    pub fn is_moving(&self, frame: FrameId, local: Local) -> bool {
        self.array(frame, local).is_some()
    }

    /// The array that a pointer leads to elements of.
    pub fn array(&self, frame: FrameId, local: Local) -> Option<Array> {
        match self.found.get(&(frame, local))? {
            Leads::Into(_, Offset::InElement(array, _)) => Some(*array),
            _ => None,
        }
    }

    fn of_value(&self, unfolding: &Unfolding<'_>, frame: FrameId, value: &Rvalue) -> Leads {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                self.of(unfolding, frame, operand)
            }
            Rvalue::AddressOf(place) => self.address(unfolding, frame, place),
            Rvalue::Load(place) => self.loaded(unfolding, frame, place),
            Rvalue::PointerOffset {
                pointer, element, ..
            } => match self.of(unfolding, frame, pointer) {
                Leads::Into(object, offset) => {
                    Leads::Into(object, moved(unfolding, object, offset, *element))
                }
                other => other,
            },
            _ => Leads::Anywhere,
        }
    }

    /// Where a place is.
    fn address(&self, unfolding: &Unfolding<'_>, frame: FrameId, place: &Place) -> Leads {
        let types = &unfolding.program.types;
        let Some(mut ty) = unfolding.typing(frame).base(&place.base) else {
            return Leads::Anywhere;
        };
        let (object, mut offset) = match &place.base {
            PlaceBase::Local(local) => (Object::Local(frame, *local), Offset::Exact(0)),
            PlaceBase::Global(global) => (Object::Global(*global), Offset::Exact(0)),
            PlaceBase::Deref(pointer) => match self.of(unfolding, frame, pointer) {
                Leads::Into(object, offset) => (object, offset),
                other => return other,
            },
        };
        for step in &place.projections {
            let Some((next, inner)) = stepped(unfolding, object, (offset, ty), step) else {
                return Leads::Into(object, Offset::Any);
            };
            (offset, ty) = (next, inner);
        }
        if let Offset::Exact(at) = offset {
            let size = unfolding.bits_of(object) / 8;
            if at.saturating_add(types.size(place.ty)) > size {
                offset = Offset::Any;
            }
        }
        Leads::Into(object, offset)
    }
}

/// Where in its object a pointer leads that is moved by elements of a size in bytes.
fn moved(unfolding: &Unfolding<'_>, object: Object, offset: Offset, element: u64) -> Offset {
    match offset {
        Offset::Exact(at) => {
            let array = match object {
                Object::Heap(_) => Array::open(element),
                _ => {
                    let mut arrays = unfolding.arrays_at(object, at).into_iter();
                    arrays.find(|array| array.stride == element)
                }
            };
            let inside = array.and_then(|array| Some((array, array.element_at(at)?.1)));
            inside.map_or(Offset::Any, |(array, inside)| {
                Offset::InElement(array, inside)
            })
        }
        Offset::InElement(array, _) if array.stride == element => offset,
        Offset::InElement(..) | Offset::Any => Offset::Any,
    }
}

/// The offset and type of a part; `None` if it is anywhere.
fn stepped(
    unfolding: &Unfolding<'_>,
    object: Object,
    (offset, ty): (Offset, TypeId),
    step: &Projection,
) -> Option<(Offset, TypeId)> {
    let types = &unfolding.program.types;
    let (by, inner) = match (types.kind(ty), step) {
        (Type::Record(record), Projection::Field(index)) => {
            let record = &types.records[*record];
            let field = record.fields.get(*index as usize)?;
            let is_of_heap = matches!(object, Object::Nodes(_) | Object::Heap(_));
            let is_shared = record.kind == RecordKind::Union && is_of_heap;
            let is_plain = field.bit_width.is_none() && !field.volatile && !is_shared;
            (is_plain.then_some(field.offset_bits / 8)?, field.ty)
        }
        (Type::Array { element, length }, Projection::Index(index)) => {
            let size = types.size(*element);
            match (constant(index), offset) {
                (Some(index), _) => (index.checked_mul(size)?, *element),
                (None, Offset::Exact(_))
                    if matches!(object, Object::Nodes(_) | Object::Heap(_)) =>
                {
                    return None;
                }
                (None, Offset::Exact(first)) => {
                    let array = Array {
                        first,
                        stride: size,
                        count: (*length)?,
                    };
                    let end = first.checked_add(array.size())?;
                    let is_part = end <= unfolding.bits_of(object) / 8;
                    let is_known = array.is_proper() && is_part;
                    return is_known.then_some((Offset::InElement(array, 0), *element));
                }
                (None, _) => return None,
            }
        }
        _ => return None,
    };
    let offset = match offset {
        Offset::Exact(at) => Offset::Exact(at.checked_add(by)?),
        Offset::InElement(array, at) => {
            let inside = at.checked_add(by)?;
            (inside < array.stride).then_some(Offset::InElement(array, inside))?
        }
        Offset::Any => return None,
    };
    Some((offset, inner))
}

/// The value of an index that is a constant.
pub fn constant(index: &Operand) -> Option<u64> {
    match index {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Int(index) => u64::try_from(index).ok(),
            _ => None,
        },
        Operand::Copy(_) => None,
    }
}

fn join(unfolding: &Unfolding<'_>, one: Leads, two: Leads) -> Leads {
    let (object, one, two) = match (one, two) {
        (Leads::Nowhere, other) | (other, Leads::Nowhere) => return other,
        (Leads::Into(object, one), Leads::Into(other, two)) if object == other => {
            (object, one, two)
        }
        _ => return Leads::Anywhere,
    };
    if one == two {
        return Leads::Into(object, one);
    }
    let arrays = match (one, two) {
        (Offset::InElement(array, _), _) | (_, Offset::InElement(array, _)) => vec![array],
        (Offset::Exact(at), Offset::Exact(_)) => unfolding.arrays_at(object, at),
        _ => Vec::new(),
    };
    let inside = |offset, array: Array| match offset {
        Offset::Exact(at) => array.element_at(at).map(|(_, inside)| inside),
        Offset::InElement(of, inside) => (of == array).then_some(inside),
        Offset::Any => None,
    };
    let common = arrays.into_iter().find_map(|array| {
        let both = inside(one, array)?;
        (inside(two, array)? == both).then_some(Offset::InElement(array, both))
    });
    Leads::Into(object, common.unwrap_or(Offset::Any))
}

/// Whether a local is a pointer that is only read and written by name.
pub fn is_pointer(unfolding: &Unfolding<'_>, frame: FrameId, local: Local) -> bool {
    let decl = &unfolding.frames[frame].body.locals[local];
    unfolding.is_register(frame, local) && unfolding.program.types.pointee(decl.ty).is_some()
}

/// A local as a place.
pub fn whole(local: Local, ty: TypeId) -> Place {
    Place {
        base: PlaceBase::Local(local),
        projections: Vec::new(),
        ty,
    }
}

/// An assignment to a place.
fn flow<'p>(
    unfolding: &Unfolding<'p>,
    frame: FrameId,
    place: &'p Place,
    given: Given<'p>,
) -> Flow<'p> {
    match place.base {
        PlaceBase::Local(local) if is_pointer(unfolding, frame, local) => {
            let is_whole = place.projections.is_empty();
            let given = if is_whole { given } else { Given::Unknown };
            (Sink::Pointer(frame, local), given)
        }
        _ => (Sink::Place(frame, place), given),
    }
}

/// All that pointers and memory are given.
fn flows<'p>(unfolding: &Unfolding<'p>) -> Vec<Flow<'p>> {
    let mut flows = Vec::new();
    for (frame, data) in unfolding.frames.iter_enumerated() {
        for (block, code) in data.body.blocks.iter_enumerated() {
            for statement in &code.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    flows.push(flow(unfolding, frame, place, Given::Value(frame, value)));
                }
            }
            if let Terminator::Call {
                destination: Some(place),
                ..
            } = &code.terminator
            {
                let results = results(unfolding, unfolding.node(frame, block));
                let results = results.into_iter();
                flows.extend(results.map(|given| flow(unfolding, frame, place, given)));
            }
        }
    }
    for (frame, data) in unfolding.frames.iter_enumerated() {
        let function = &unfolding.program.functions[data.function];
        for (at, local) in function.parameter_locals().enumerate() {
            let sink = match is_pointer(unfolding, frame, local) {
                true => Sink::Pointer(frame, local),
                false => Sink::Whole(frame, local),
            };
            flows.push((sink, argument(unfolding, frame, at)));
        }
    }
    flows
}

/// What a parameter of a frame is given.
fn argument<'p>(unfolding: &Unfolding<'p>, frame: FrameId, at: usize) -> Given<'p> {
    let Some((caller, block)) = unfolding.frames[frame].caller else {
        return Given::Unknown;
    };
    match &unfolding.frames[caller].body.blocks[block].terminator {
        Terminator::Call { arguments, .. } => match arguments.get(at) {
            Some(argument) => Given::Operand(caller, argument),
            None => Given::Unknown,
        },
        _ => Given::Unknown,
    }
}

/// What the call at the end of a node returns.
fn results<'p>(unfolding: &Unfolding<'p>, call: Node) -> Vec<Given<'p>> {
    let Some(callee) = unfolding.callee(call) else {
        return vec![Given::Allocated(call)];
    };
    let blocks = unfolding.frames[callee].body.blocks.iter();
    let returned = blocks.filter_map(|block| match &block.terminator {
        Terminator::Return(Some(operand)) => Some(Given::Operand(callee, operand)),
        Terminator::Return(None) => Some(Given::Unknown),
        _ => None,
    });
    returned.collect()
}
