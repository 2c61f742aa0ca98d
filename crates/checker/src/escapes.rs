//! The objects that unknown pointers may lead to: those whose address goes anywhere but to pointers
//! that lead to them alone, and those that other units know by name.
//!
//! The address of a node of the heap may be in cells, too. Nodes escape where it goes anywhere else,
//! where a cell with it is read as anything but a pointer, and where they are given to a call that is
//! not entered, but for `free`.

use std::collections::BTreeSet;

use ir::{
    Callee, CastKind, FunctionId, GlobalKind, Linkage, Local, Operand, Place, PlaceBase, Program,
    Projection, Rvalue, StatementKind, Terminator, Type,
};

use crate::extents::{Reached, extent};
use crate::globals::Uses;
use crate::objects::Object;
use crate::sites::{HeapCall, heap_call};
use crate::targets::{Leads, Targets, whole};
use crate::unfolding::{FrameId, Node, Unfolding};

/// What unknown code may do to objects.
pub struct Escapes {
    /// The objects that unknown pointers may lead to.
    pub escaped: BTreeSet<Object>,
    /// The objects that calls change which are not entered.
    pub opened: BTreeSet<Object>,
}

/// What unknown code may do to objects.
pub fn escapes(unfolding: &Unfolding<'_>, targets: &Targets) -> Escapes {
    let mut search = Search {
        unfolding,
        targets,
        found: known_elsewhere(unfolding),
        opened: BTreeSet::new(),
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
    Escapes {
        escaped: search.found,
        opened: search.opened,
    }
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
    opened: BTreeSet<Object>,
}

impl Search<'_, '_> {
    fn object(&self, frame: FrameId, operand: &Operand) -> Option<Object> {
        self.targets.object(self.unfolding, frame, operand)
    }

    fn assignment(&mut self, frame: FrameId, place: &Place, value: &Rvalue) {
        self.steps(frame, place);
        let to = Some((frame, place));
        match value {
            Rvalue::Use(operand)
            | Rvalue::Cast(CastKind::PointerToPointer, operand, _)
            | Rvalue::PointerOffset {
                pointer: operand, ..
            } => {
                self.reads(frame, operand);
                self.flow(self.object(frame, operand), to);
            }
            Rvalue::AddressOf(of) => {
                self.steps(frame, of);
                let object = match &of.base {
                    PlaceBase::Local(local) => Some(Object::Local(frame, *local)),
                    PlaceBase::Global(global) => Some(Object::Global(*global)),
                    PlaceBase::Deref(pointer) => self.object(frame, pointer),
                };
                self.flow(object, to);
            }
            Rvalue::Load(from) => {
                self.steps(frame, from);
                self.read(frame, from);
                if let Leads::Into(object, _) = self.targets.loaded(self.unfolding, frame, from) {
                    self.flow(Some(object), to);
                }
            }
            Rvalue::Cast(CastKind::PointerToBool, operand, _) => self.reads(frame, operand),
            Rvalue::PointerDifference { left, right, .. } => {
                self.reads(frame, left);
                self.reads(frame, right);
            }
            Rvalue::Zero(_) => {}
            Rvalue::Cast(_, operand, _) | Rvalue::Unary(_, operand) => {
                self.reads(frame, operand);
                self.flow(self.object(frame, operand), None);
            }
            Rvalue::Binary(op, left, right) => {
                for operand in [left, right] {
                    self.reads(frame, operand);
                    if !op.is_comparison() {
                        self.flow(self.object(frame, operand), None);
                    }
                }
            }
        }
        if let Rvalue::PointerOffset { index, .. } = value {
            self.reads(frame, index);
        }
    }

    /// Adds what the operands in a place read.
    fn steps(&mut self, frame: FrameId, place: &Place) {
        if let PlaceBase::Deref(pointer) = &place.base {
            self.reads(frame, pointer);
        }
        for step in &place.projections {
            if let Projection::Index(index) = step {
                self.reads(frame, index);
            }
        }
    }

    /// Adds what an operand reads, other than a pointer.
    fn reads(&mut self, frame: FrameId, operand: &Operand) {
        if let Operand::Copy(local) = operand
            && !self.unfolding.is_register(frame, *local)
        {
            let ty = self.unfolding.frames[frame].body.locals[*local].ty;
            self.read(frame, &whole(*local, ty));
        }
    }

    /// Adds that a place is read: the addresses in it go anywhere, if it is not a pointer in a cell.
    fn read(&mut self, frame: FrameId, place: &Place) {
        if let Reached::In(at) = extent(self.unfolding, self.targets, frame, place) {
            let is_pointer = self.unfolding.program.types.pointee(place.ty).is_some();
            if !is_pointer || self.targets.cells.leads(&at) == Leads::Anywhere {
                self.found.extend(self.targets.cells.inside(&at));
            }
        }
    }

    fn terminator(&mut self, frame: FrameId, node: Node, terminator: &Terminator) {
        match terminator {
            Terminator::Return(Some(operand)) => {
                self.reads(frame, operand);
                self.returned(frame, operand);
            }
            Terminator::Branch { operand, .. } | Terminator::Switch { operand, .. } => {
                self.reads(frame, operand);
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                if let Callee::Indirect(pointer) = callee {
                    self.reads(frame, pointer);
                }
                for argument in arguments {
                    self.reads(frame, argument);
                }
                let to = destination.as_ref().map(|place| (frame, place));
                if let Some((_, place)) = to {
                    self.steps(frame, place);
                }
                match self.unfolding.callee(node) {
                    Some(entered) => self.entered(frame, entered, arguments),
                    None => self.given(frame, (callee, to.is_some()), arguments),
                }
                if let (Some(object), Some(_)) = (self.targets.sites.allocated(node), to) {
                    self.flow(Some(object), to);
                }
            }
            _ => {}
        }
    }

    /// Adds that a call that is entered has arguments.
    fn entered(&mut self, frame: FrameId, callee: FrameId, arguments: &[Operand]) {
        let data = &self.unfolding.frames[callee];
        let function = &self.unfolding.program.functions[data.function];
        let parameters: Vec<Local> = function.parameter_locals().collect();
        for (at, argument) in arguments.iter().enumerate() {
            let object = self.object(frame, argument);
            let parameter = parameters.get(at);
            match parameter.map(|&local| whole(local, data.body.locals[local].ty)) {
                Some(place) => self.flow(object, Some((callee, &place))),
                None => self.flow(object, None),
            }
        }
    }

    /// Adds that a call that is not entered has arguments.
    fn given(&mut self, frame: FrameId, (callee, is_used): (&Callee, bool), arguments: &[Operand]) {
        let program = self.unfolding.program;
        let is_free = heap_call(program, callee, arguments.len()) == Some(HeapCall::Free);
        let forgets = forgets(program, callee, is_used);
        for argument in arguments {
            let object = self.object(frame, argument);
            match object {
                Some(Object::Nodes(_) | Object::Heap(_)) if is_free => {}
                Some(Object::Nodes(_)) => self.flow(object, None),
                _ => {
                    self.opened.extend(object);
                    if !forgets {
                        self.flow(object, None);
                    }
                }
            }
        }
    }

    /// Adds that a function returns a value. Others may call it, too, and get the address of a
    /// global.
    fn returned(&mut self, frame: FrameId, operand: &Operand) {
        let object = self.object(frame, operand);
        let caller = self.unfolding.frames[frame].caller;
        let place = caller.and_then(|(caller, block)| {
            let call = &self.unfolding.frames[caller].body.blocks[block].terminator;
            match call {
                Terminator::Call { destination, .. } => Some((caller, destination.as_ref()?)),
                _ => None,
            }
        });
        match object {
            // Behind the end of the entry function, none of the code is executed.
            Some(Object::Nodes(_) | Object::Heap(_)) if place.is_none() => {}
            Some(Object::Nodes(_) | Object::Heap(_) | Object::Local(..)) => {
                self.flow(object, place);
            }
            _ => self.flow(object, None),
        }
    }

    /// Adds that the address of an object goes to a place, or elsewhere.
    fn flow(&mut self, object: Option<Object>, to: Option<(FrameId, &Place)>) {
        let Some(object) = object else {
            return;
        };
        let target = to.and_then(|(frame, place)| match place.as_local() {
            Some(local) => self.object(frame, &Operand::Copy(local)),
            None => match self.targets.loaded(self.unfolding, frame, place) {
                Leads::Into(object, _) => Some(object),
                Leads::Nowhere | Leads::Anywhere => None,
            },
        });
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
