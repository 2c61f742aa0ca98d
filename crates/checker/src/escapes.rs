//! The objects that unknown pointers may lead to: those whose address goes anywhere but to pointers
//! that lead to them alone, and those that other units know by name.

use std::collections::BTreeSet;

use ir::{
    Callee, CastKind, FunctionId, GlobalKind, Linkage, Local, Operand, Place, PlaceBase, Program,
    Rvalue, StatementKind, Terminator, Type,
};

use crate::globals::Uses;
use crate::objects::Object;
use crate::targets::Targets;
use crate::unfolding::{FrameId, Node, Unfolding};

/// The objects that unknown pointers may lead to.
pub fn escaped(unfolding: &Unfolding<'_>, targets: &Targets) -> BTreeSet<Object> {
    let mut search = Search {
        unfolding,
        targets,
        found: known_elsewhere(unfolding),
    };
    for (frame, data) in unfolding.frames.iter_enumerated() {
        for (block, code) in data.body.blocks.iter_enumerated() {
            for statement in &code.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    search.assignment(frame, place, value);
                }
            }
            let node = unfolding.node(frame, block);
            search.terminator(frame, node, &code.terminator);
        }
    }
    search.found
}

/// The globals that code outside of the unfolding knows: by name, or by an address that it takes or
/// that initial values hold.
fn known_elsewhere(unfolding: &Unfolding<'_>) -> BTreeSet<Object> {
    let program = unfolding.program;
    let frames = unfolding.frames.iter();
    let entered: BTreeSet<FunctionId> = frames.map(|frame| frame.function).collect();
    let others = program.functions.indices();
    let others = others.filter(|function| !entered.contains(function));
    let uses = Uses::of(program, others);
    let in_values = Uses::of_initial_values(program);
    let globals = program.globals.iter_enumerated();
    let by_name = globals.filter(|(_, global)| {
        // An object without a declaration is one that calls of a sequence share.
        global.kind == GlobalKind::File(Linkage::External) || global.span.is_none()
    });
    let by_name = by_name.map(|(global, _)| global);
    let all = by_name.chain(uses.taken).chain(in_values.taken);
    all.map(Object::Global).collect()
}

struct Search<'a, 'p> {
    unfolding: &'a Unfolding<'p>,
    targets: &'a Targets,
    found: BTreeSet<Object>,
}

impl Search<'_, '_> {
    fn object(&self, frame: FrameId, operand: &Operand) -> Option<Object> {
        self.targets.object(self.unfolding, frame, operand)
    }

    fn assignment(&mut self, frame: FrameId, place: &Place, value: &Rvalue) {
        let to = place.as_local().map(|local| (frame, local));
        match value {
            Rvalue::Use(operand)
            | Rvalue::Cast(CastKind::PointerToPointer, operand, _)
            | Rvalue::PointerOffset {
                pointer: operand, ..
            } => self.flow(self.object(frame, operand), to),
            Rvalue::AddressOf(of) => {
                let object = match &of.base {
                    PlaceBase::Local(local) => Some(Object::Local(frame, *local)),
                    PlaceBase::Global(global) => Some(Object::Global(*global)),
                    PlaceBase::Deref(pointer) => self.object(frame, pointer),
                };
                self.flow(object, to);
            }
            Rvalue::Cast(CastKind::PointerToBool, ..)
            | Rvalue::PointerDifference { .. }
            | Rvalue::Load(_)
            | Rvalue::Zero(_) => {}
            Rvalue::Cast(_, operand, _) | Rvalue::Unary(_, operand) => {
                self.flow(self.object(frame, operand), None);
            }
            Rvalue::Binary(op, ..) if op.is_comparison() => {}
            Rvalue::Binary(_, left, right) => {
                self.flow(self.object(frame, left), None);
                self.flow(self.object(frame, right), None);
            }
        }
    }

    fn terminator(&mut self, frame: FrameId, node: Node, terminator: &Terminator) {
        match terminator {
            Terminator::Return(Some(operand)) => self.returned(frame, operand),
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => match self.unfolding.callee(node) {
                Some(entered) => {
                    let function = self.unfolding.frames[entered].function;
                    let function = &self.unfolding.program.functions[function];
                    let parameters: Vec<Local> = function.parameter_locals().collect();
                    for (at, argument) in arguments.iter().enumerate() {
                        let to = parameters.get(at).map(|&local| (entered, local));
                        self.flow(self.object(frame, argument), to);
                    }
                }
                None if forgets(self.unfolding.program, callee, destination.is_some()) => {}
                None => {
                    for argument in arguments {
                        self.flow(self.object(frame, argument), None);
                    }
                }
            },
            _ => {}
        }
    }

    /// Adds that a function returns a value. Others may call it, too, and get the address of a
    /// global.
    fn returned(&mut self, frame: FrameId, operand: &Operand) {
        let object = self.object(frame, operand);
        let caller = self.unfolding.frames[frame].caller;
        let caller = caller.filter(|_| matches!(object, Some(Object::Local(..))));
        let to = caller.and_then(|(caller, block)| {
            let call = &self.unfolding.frames[caller].body.blocks[block].terminator;
            match call {
                Terminator::Call { destination, .. } => {
                    let place = destination.as_ref()?;
                    Some((caller, place.as_local()?))
                }
                _ => None,
            }
        });
        self.flow(object, to);
    }

    /// Adds that the address of an object goes to a local, or elsewhere.
    fn flow(&mut self, object: Option<Object>, to: Option<(FrameId, Local)>) {
        let Some(object) = object else {
            return;
        };
        let target = to.and_then(|(frame, local)| self.object(frame, &Operand::Copy(local)));
        if target != Some(object) {
            self.found.insert(object);
        }
    }
}

/// Whether a function that is not entered keeps no address that it is given.
fn forgets(program: &Program, callee: &Callee, is_used: bool) -> bool {
    let Some(callee) = callee.direct() else {
        return false;
    };
    let returns_pointer = match program.types.kind(program.functions[callee].ty) {
        Type::Function(ty) => program.types.has_pointers(ty.result),
        _ => true,
    };
    program.forgets_arguments(callee) && !(is_used && returns_pointer)
}
