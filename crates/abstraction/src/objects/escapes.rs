//! The objects whose address unknown pointers may hold.
//!
//! An address that only flows to pointers which lead to one known object ([`Pointers`]) stays known:
//! the code reads and writes the object by those pointers alone. A store to memory, an integer made
//! of it, a call that is not entered, and the return of a static object's address let it escape.
//! Some functions of the C library only change what they are given, and keep no address.
//!
//! Nodes of the heap escape where their address goes anywhere but to pointers that lead to nodes of
//! their class, in locals or in known memory. What a call has that is not entered may be changed, so
//! that pointers in it lead anywhere from then on.

use std::collections::BTreeSet;

use analysis::GlobalUses;
use fixedbitset::FixedBitSet;
use ir::library::is_place_of_linker;
use ir::{
    CastKind, ConstantValue, FunctionId, Local, Operand, Place, PlaceBase, Program, Rvalue,
    StatementKind, Terminator, Type,
};

use crate::graph::unfolding::{ContextId, Point, Unfolding};
use crate::objects::allocations::{HeapCall, heap_call};
use crate::objects::places::{Object, Pointers};

/// What others may know.
pub struct Escaped {
    /// The objects whose address is stored, or goes to code that is not entered and may keep it.
    pub escaped: BTreeSet<Object>,
    /// The objects that code changes which is not entered.
    pub changed: BTreeSet<Object>,
}

/// The objects that other code may know, or changes.
pub fn escaped(unfolding: &Unfolding<'_>, pointers: &Pointers) -> Escaped {
    let mut found = Escapes {
        unfolding,
        pointers,
        escaped: elsewhere(unfolding),
        changed: BTreeSet::new(),
    };
    for (context, data) in unfolding.contexts() {
        for (block, code) in data.body.blocks.iter_enumerated() {
            for statement in &code.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    found.assignment(context, place, value);
                }
            }
            found.terminator(context, unfolding.point(context, block), &code.terminator);
        }
    }
    Escaped {
        escaped: found.escaped,
        changed: found.changed,
    }
}

/// Whether a function that is not entered keeps no address that it is given, and returns none that
/// is used.
fn forgets(program: &Program, callee: FunctionId, is_used: bool) -> bool {
    let returns_pointer = match program.types.kind(program.functions[callee].ty) {
        Type::Function(ty) => program.types.has_pointers(ty.result),
        _ => true,
    };
    program.forgets_arguments(callee) && !(is_used && returns_pointer)
}

/// The globals whose address initial values hold, or functions take that have no context, or the
/// callers of the entry function know.
fn elsewhere(unfolding: &Unfolding<'_>) -> BTreeSet<Object> {
    let program = unfolding.program();
    let mut others = FixedBitSet::with_capacity(program.functions.len());
    others.insert_range(..);
    for (_, data) in unfolding.contexts() {
        others.remove(data.function.index());
    }
    let others = others.ones().map(FunctionId::from_usize);
    let uses = GlobalUses::of(program, others);
    if program.globals.iter().any(is_place_of_linker) {
        // Other objects lie there.
        return program.globals.indices().map(Object::Global).collect();
    }
    let in_code = uses.escaped.ones().map(ir::GlobalId::from_usize);
    let initializers = program
        .globals
        .iter()
        .filter_map(|global| global.initializer.as_ref());
    let relocations = initializers.flat_map(|initializer| &initializer.relocations);
    let in_values = relocations.filter_map(|relocation| match relocation.target {
        ConstantValue::Global { global, .. } => Some(global),
        _ => None,
    });
    // Those who make a sequence of calls know the object that the calls share, which has no
    // declaration.
    let globals = program.globals.iter_enumerated();
    let shared = globals.filter(|(_, global)| global.span.is_none());
    let shared = shared.map(|(global, _)| global);
    let all = in_code.chain(in_values).chain(shared);
    all.map(Object::Global).collect()
}

/// The local that a place is as a whole.
fn whole(place: &Place) -> Option<Local> {
    match place.base {
        PlaceBase::Local(local) if place.projections.is_empty() => Some(local),
        _ => None,
    }
}

struct Escapes<'a, 'p> {
    unfolding: &'a Unfolding<'p>,
    pointers: &'a Pointers,
    escaped: BTreeSet<Object>,
    changed: BTreeSet<Object>,
}

impl Escapes<'_, '_> {
    fn assignment(&mut self, context: ContextId, place: &Place, value: &Rvalue) {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                let object = self.pointers.object(self.unfolding, context, operand);
                self.flow(object, context, place);
                self.copy_of_operand(context, operand);
            }
            Rvalue::AddressOf(of) => {
                let object = self.object_of(context, of);
                self.flow(object, context, place);
            }
            Rvalue::Load(from) => {
                let held = self.pointers.held(self.unfolding, context, from);
                self.flow(held.map(|target| target.object), context, place);
                self.copy(context, from);
            }
            Rvalue::Unary(_, operand) => self.escape(context, operand),
            Rvalue::Cast(CastKind::PointerToBool, ..) => {}
            Rvalue::Cast(_, operand, _) => self.escape(context, operand),
            Rvalue::Binary(op, ..) if op.is_comparison() => {}
            Rvalue::Binary(_, left, right) => {
                self.escape(context, left);
                self.escape(context, right);
            }
            Rvalue::PointerOffset { pointer, .. } => {
                let object = self.pointers.object(self.unfolding, context, pointer);
                self.flow(object, context, place);
            }
            Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => {}
        }
    }

    fn terminator(&mut self, context: ContextId, point: Point, terminator: &Terminator) {
        match terminator {
            Terminator::Return(Some(operand)) => self.result(context, operand),
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                let program = self.unfolding.program();
                let entered = self.unfolding.entered(point);
                let is_used = destination.is_some();
                let called = callee.direct();
                let forgets = called.is_some_and(|callee| forgets(program, callee, is_used));
                let heap_call = heap_call(program, callee, arguments);
                let is_free = matches!(heap_call, Some(HeapCall::Free { .. }));
                for (at, argument) in arguments.iter().enumerate() {
                    let object = self.pointers.object(self.unfolding, context, argument);
                    self.copy_of_operand(context, argument);
                    match entered {
                        Some(entered) => {
                            let parameter = self.parameter(entered, at);
                            self.flow_to_local(object, entered, parameter);
                        }
                        None if is_free => {}
                        None => {
                            self.changed.extend(object);
                            let is_node = matches!(object, Some(Object::Nodes(_)));
                            if is_node || !forgets {
                                self.escaped.extend(object);
                            }
                        }
                    }
                }
                let allocated = self.pointers.allocated.get(&point);
                if let (Some(&object), Some(place)) = (allocated, destination) {
                    self.flow(Some(object), context, place);
                }
            }
            Terminator::Return(None)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::Unreachable
            | Terminator::Unsupported { .. } => {}
        }
    }

    /// Adds that a function returns a value to its caller.
    fn result(&mut self, context: ContextId, operand: &Operand) {
        let object = self.pointers.object(self.unfolding, context, operand);
        // Others may call the function, too, and get a static object's address.
        let is_static = matches!(object, Some(Object::Global(_)));
        self.copy_of_operand(context, operand);
        let caller = self.unfolding.data(context).caller;
        let Some((caller, block)) = caller.filter(|_| !is_static) else {
            // Behind the end of the entry function, no more of the code is executed.
            let is_of_heap = matches!(object, Some(Object::Nodes(_) | Object::Heap(_)));
            return self.escaped.extend(object.filter(|_| !is_of_heap));
        };
        let terminator = &self.unfolding.body(caller).blocks[block].terminator;
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = terminator
        {
            self.flow(object, caller, place);
        }
    }

    /// Adds that an operand which is no pointer is copied as a whole.
    fn copy_of_operand(&mut self, context: ContextId, operand: &Operand) {
        if let Operand::Copy(local) = operand {
            let ty = self.unfolding.body(context).locals[*local].ty;
            self.copy(
                context,
                &Place {
                    base: PlaceBase::Local(*local),
                    projections: Vec::new(),
                    ty,
                },
            );
        }
    }

    /// Adds that what a place holds is copied, which is not followed if it is no scalar.
    fn copy(&mut self, context: ContextId, place: &Place) {
        let types = &self.unfolding.program().types;
        let part = self.pointers.locate(self.unfolding, context, place);
        if let Some(part) = part.filter(|part| !part.exact || !types.is_scalar(place.ty)) {
            let inside = self.pointers.slots.inside(part.object, part.range);
            self.escaped.extend(inside);
        } else if let Some(part) = part
            && types.pointee(place.ty).is_none()
        {
            // Bytes of a pointer as a number.
            let inside = self.pointers.slots.inside(part.object, part.range);
            self.escaped.extend(inside);
        }
    }

    fn parameter(&self, context: ContextId, at: usize) -> Option<Local> {
        let function = self.unfolding.data(context).function;
        let function = &self.unfolding.program().functions[function];
        function.parameter_locals().nth(at)
    }

    /// The object that a place is in, if it is a known one.
    fn object_of(&self, context: ContextId, place: &Place) -> Option<Object> {
        match &place.base {
            PlaceBase::Local(local) => Some(Object::Local(context, *local)),
            PlaceBase::Global(global) => Some(Object::Global(*global)),
            PlaceBase::Deref(pointer) => self.pointers.object(self.unfolding, context, pointer),
        }
    }

    /// Adds that the address of an object is assigned to a place.
    fn flow(&mut self, object: Option<Object>, context: ContextId, to: &Place) {
        match (object, whole(to)) {
            (Some(Object::Nodes(_) | Object::Heap(_)), _) => {
                let held = self.pointers.held(self.unfolding, context, to);
                let known = whole(to).and_then(|local| {
                    let local = Operand::Copy(local);
                    self.pointers.object(self.unfolding, context, &local)
                });
                if held.map(|target| target.object).or(known) != object {
                    self.escaped.extend(object);
                }
            }
            (object, local) => self.flow_to_local(object, context, local),
        }
    }

    /// Adds that the address of an object is assigned to a local.
    fn flow_to_local(&mut self, object: Option<Object>, context: ContextId, to: Option<Local>) {
        let Some(object) = object else {
            return;
        };
        let target = to.and_then(|local| {
            self.pointers
                .object(self.unfolding, context, &Operand::Copy(local))
        });
        if target != Some(object) {
            self.escaped.insert(object);
        }
    }

    fn escape(&mut self, context: ContextId, operand: &Operand) {
        self.escaped
            .extend(self.pointers.object(self.unfolding, context, operand));
    }
}
