//! The objects whose address unknown pointers may hold.
//!
//! An address that only flows to pointers which lead to one known object ([`Pointers`]) stays known:
//! the code reads and writes the object by those pointers alone. A store to memory, an integer made
//! of it, a call that is not entered, and the return of a static object's address let it escape.
//! Some functions of the C library only change what they are given, and keep no address.

use std::collections::BTreeSet;

use analysis::GlobalUses;
use fixedbitset::FixedBitSet;
use ir::library::is_place_of_linker;
use ir::{
    CastKind, ConstantValue, FunctionId, Local, Operand, Place, PlaceBase, Program, Rvalue,
    StatementKind, Terminator, Type,
};

use crate::places::{Object, Pointers};
use crate::unfolding::{ContextId, Point, Unfolding};

/// The objects whose address is stored, or goes to code that is not entered.
pub fn escaped(unfolding: &Unfolding<'_>, pointers: &Pointers) -> BTreeSet<Object> {
    let mut found = Escapes {
        unfolding,
        pointers,
        escaped: elsewhere(unfolding),
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
    found.escaped
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
}

impl Escapes<'_, '_> {
    fn assignment(&mut self, context: ContextId, place: &Place, value: &Rvalue) {
        let to = whole(place);
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                let object = self.pointers.object(self.unfolding, context, operand);
                self.flow(object, context, to);
            }
            Rvalue::AddressOf(of) => {
                let object = self.object_of(context, of);
                self.flow(object, context, to);
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
                self.flow(object, context, to);
            }
            Rvalue::Load(_) | Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => {}
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
                for (at, argument) in arguments.iter().enumerate() {
                    let object = self.pointers.object(self.unfolding, context, argument);
                    match entered {
                        Some(entered) => self.flow(object, entered, self.parameter(entered, at)),
                        None if forgets => {}
                        None => self.escaped.extend(object),
                    }
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
        let caller = self.unfolding.data(context).caller;
        let Some((caller, block)) = caller.filter(|_| !is_static) else {
            return self.escaped.extend(object);
        };
        let terminator = &self.unfolding.body(caller).blocks[block].terminator;
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = terminator
        {
            self.flow(object, caller, whole(place));
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

    /// Adds that the address of an object is assigned to a local.
    fn flow(&mut self, object: Option<Object>, context: ContextId, to: Option<Local>) {
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
