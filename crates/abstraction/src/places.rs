//! The objects that places of the code mean, and pointers that lead to one known place.
//!
//! A pointer that is assigned once, or a parameter that is not assigned, leads to one place in a
//! context if what it is given does: the address of a part of an object, or another such pointer.
//! `step(&session)` makes `session->state` a location in `step`.

use std::collections::BTreeMap;

use index_vec::IndexVec;
use ir::{
    Body, CastKind, ConstantValue, FunctionId, GlobalId, Local, LocalDecl, LocalKind, Operand,
    Place, PlaceBase, Program, Projection, Rvalue, StatementKind, Terminator, Type, TypeId,
};

use crate::unfolding::{ContextId, Unfolding};

/// An object that code names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A local of a context.
    Local(ContextId, Local),
    /// A global.
    Global(GlobalId),
    /// None of the program: it holds the index at which elements are known.
    Index,
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

/// Where a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The object.
    pub object: Object,
    /// The offset in it, in bytes.
    pub offset: u64,
}

/// The pointers that lead to one known place.
#[derive(Clone, Debug, Default)]
pub struct Pointers {
    targets: BTreeMap<(ContextId, Local), Target>,
}

/// What is assigned to each local of a function.
type Assigned<'p> = IndexVec<Local, Assignments<'p>>;

/// What is assigned to a local.
#[derive(Clone, Copy)]
enum Assignments<'p> {
    /// Nothing.
    None,
    /// This, at one place of the code.
    One(&'p Rvalue),
    /// Something else.
    Other,
}

impl Pointers {
    /// The pointers of an unfolding.
    pub fn new(unfolding: &Unfolding<'_>) -> Pointers {
        let mut pointers = Pointers::default();
        let mut assigned: BTreeMap<FunctionId, Assigned<'_>> = BTreeMap::new();
        // A context stands behind its caller's.
        for (context, data) in unfolding.contexts() {
            let of = assigned
                .entry(data.function)
                .or_insert_with(|| assignments(data.body));
            let mut waiting: Vec<Local> = data.body.locals.indices().collect();
            loop {
                let before = waiting.len();
                waiting.retain(|&local| {
                    let target = pointers.find(unfolding, context, local, of[local]);
                    target.is_none_or(|target| {
                        pointers.targets.insert((context, local), target);
                        false
                    })
                });
                if waiting.len() == before {
                    break;
                }
            }
        }
        pointers
    }

    /// Where a local leads to, by what is assigned to it.
    fn find(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        local: Local,
        assigned: Assignments<'_>,
    ) -> Option<Target> {
        let data = unfolding.data(context);
        let decl = &data.body.locals[local];
        if !is_register(unfolding.program(), decl) {
            return None;
        }
        let is_parameter = decl.kind == LocalKind::Parameter;
        match assigned {
            Assignments::None if is_parameter => {
                let (caller, block) = data.caller?;
                let terminator = &unfolding.body(caller).blocks[block].terminator;
                let Terminator::Call { arguments, .. } = terminator else {
                    return None;
                };
                let function = &unfolding.program().functions[data.function];
                let at = function
                    .parameter_locals()
                    .position(|parameter| parameter == local)?;
                self.of_operand(caller, arguments.get(at)?)
            }
            Assignments::One(value) if !is_parameter => match value {
                Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                    self.of_operand(context, operand)
                }
                Rvalue::AddressOf(place) => {
                    let part = self.locate(unfolding, context, place)?;
                    part.exact.then_some(Target {
                        object: part.object,
                        offset: part.range.0,
                    })
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn of_operand(&self, context: ContextId, operand: &Operand) -> Option<Target> {
        match operand {
            Operand::Copy(local) => self.targets.get(&(context, *local)).copied(),
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Global { global, offset } => Some(Target {
                    object: Object::Global(global),
                    offset: u64::try_from(offset).ok()?,
                }),
                _ => None,
            },
        }
    }

    /// The object that a place begins in, with the offset and the type there; `None` if it is not
    /// known.
    pub fn base(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        place: &Place,
    ) -> Option<(Target, TypeId)> {
        let program = unfolding.program();
        let at_start = |object| Target { object, offset: 0 };
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
                let target = self.of_operand(context, pointer)?;
                let ty = match pointer {
                    Operand::Copy(local) => unfolding.body(context).locals[*local].ty,
                    Operand::Constant(constant) => constant.ty,
                };
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
        let (Target { object, mut offset }, mut ty) = self.base(unfolding, context, place)?;
        let size = size_of(unfolding, object);
        let from = |offset| ByteRange {
            object,
            range: (offset, size),
            exact: false,
        };
        for step in &place.projections {
            let (inner, next) = match (types.kind(ty), step) {
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

/// The size of an object in bytes.
fn size_of(unfolding: &Unfolding<'_>, object: Object) -> u64 {
    let program = unfolding.program();
    match object {
        Object::Local(context, local) => {
            let ty = unfolding.body(context).locals[local].ty;
            program.types.size(ty)
        }
        Object::Global(global) => program.types.size(program.globals[global].ty),
        Object::Index => 0,
    }
}

/// What the code of a function assigns to each local.
fn assignments(body: &Body) -> Assigned<'_> {
    let mut found: Assigned<'_> = IndexVec::from_vec(vec![Assignments::None; body.locals.len()]);
    let mut assign = |place: &Place, value| {
        if let PlaceBase::Local(local) = place.base {
            found[local] = match (found[local], place.projections.is_empty()) {
                (Assignments::None, true) => value,
                _ => Assignments::Other,
            };
        }
    };
    for block in &body.blocks {
        for statement in &block.statements {
            if let StatementKind::Assign(place, value) = &statement.kind {
                assign(place, Assignments::One(value));
            }
        }
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = &block.terminator
        {
            assign(place, Assignments::Other);
        }
    }
    found
}

/// Whether a local is only read and written as a whole, by name.
pub fn is_register(program: &Program, local: &LocalDecl) -> bool {
    !local.address_taken && !local.volatile && program.types.is_scalar(local.ty)
}
