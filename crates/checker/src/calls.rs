//! Calls: those that are entered, their returns, and what the others may change.

use expr::{CmpOp, Term};
use ir::library::Primitive;
use ir::{Callee, DefectKind, Operand, Place, Terminator};
use semantics::Domain;

use crate::execute::Here;
use crate::objects::Object;
use crate::sites::{HeapCall, heap_call};
use crate::state::{Memory, State};
use crate::targets::whole;
use crate::unfolding::{FrameId, Node};
use crate::world::Changes;

impl Memory<'_, '_> {
    /// Executes a call that is not entered, at the end of a node. Returns whether control may come back.
    pub fn call(
        &mut self,
        (here, node): (Here, Node),
        callee: &Callee,
        (arguments, destination): (&[Operand], Option<&Place>),
        state: &mut State,
    ) -> bool {
        let world = self.world;
        let named = callee
            .direct()
            .map(|callee| &world.program.functions[callee]);
        let named = named.filter(|function| function.body.is_none());
        match named.and_then(Primitive::of) {
            Some(Primitive::Assume) => {
                let holds = self.first_holds(here, arguments, state);
                state.reach = self.formulas.both(state.reach, holds);
            }
            Some(Primitive::Assert) => {
                let holds = self.first_holds(here, arguments, state);
                self.require(here, DefectKind::FailedAssertion, holds, state);
            }
            Some(
                Primitive::AssertFail
                | Primitive::Abort
                | Primitive::Trap
                | Primitive::Leave
                | Primitive::Exit,
            ) => return false,
            _ => self.change(here, callee, arguments, state),
        }
        if let Some(place) = destination {
            self.access(here, place, state);
            let value = self.allocated((here.frame, node), (callee, arguments), place, state);
            match world.program.types.is_scalar(place.ty) {
                true => self.store(here.frame, place, value, state),
                false => self.put_bits(here.frame, place, None, state),
            }
            self.move_to(here.frame, place, None, state);
        }
        true
    }

    /// Changes what a call may change.
    fn change(&mut self, here: Here, callee: &Callee, arguments: &[Operand], state: &mut State) {
        let call = heap_call(self.world.program, callee, arguments.len());
        let changes = self.world.changes(callee, arguments.len());
        let given = match (call, arguments) {
            (Some(HeapCall::Free), [pointer]) if self.free(here, pointer, state) => &[],
            _ => arguments,
        };
        self.forget_changed(here.frame, changes, given, state);
    }

    /// What a call returns that allocates memory: 0, if that may fail, or the address of a new node.
    fn allocated(
        &mut self,
        (frame, node): (FrameId, Node),
        (callee, arguments): (&Callee, &[Operand]),
        to: &Place,
        state: &mut State,
    ) -> Option<Term> {
        let program = self.world.program;
        program.types.pointee(to.ty)?;
        let width = self.width(to.ty)?;
        let call = heap_call(program, callee, arguments.len())?;
        let address = self.formulas.fresh(width);
        if self.world.never_fails {
            self.succeed(frame, (call, arguments), address, state);
        }
        match self.world.targets.sites.allocated(node) {
            Some(Object::Nodes(class)) => self.add_node(class, call, address, state),
            Some(object) => {
                let held = match call {
                    HeapCall::AllocateZeroed => self.contents.zero(),
                    HeapCall::Allocate | HeapCall::Free => self.contents.unknown(None),
                };
                state.objects.insert(object, held);
            }
            None => {}
        }
        Some(address)
    }

    /// Adds that an allocation of a size that there may be succeeds.
    fn succeed(
        &mut self,
        frame: FrameId,
        (call, arguments): (HeapCall, &[Operand]),
        address: Term,
        state: &mut State,
    ) {
        // The largest size that an allocation may have, and the size of one of those that it makes.
        let width = self.formulas.terms.width(address);
        let most = expr::mask(width) >> 1;
        let (count, most) = match (call, arguments) {
            (HeapCall::Allocate, [size]) => (size, Some(most)),
            (HeapCall::AllocateZeroed, [count, size]) => {
                let size = self.operand(state, frame, size);
                let size = size.and_then(|size| self.formulas.terms.as_constant(size));
                (count, size.and_then(|size| most.checked_div(size)))
            }
            _ => return,
        };
        let (Some(count), Some(most)) = (self.operand(state, frame, count), most) else {
            return;
        };
        let formulas = &mut self.formulas;
        let of_count = formulas.terms.width(count);
        let most = formulas.constant(of_count, most);
        let is_large = formulas.compare(CmpOp::Ult, of_count, most, count);
        let is_some = formulas.is_nonzero(of_count, count);
        let is_none = formulas.negated(is_some);
        let succeeds = formulas.is_nonzero(width, address);
        let holds = formulas.any([is_large, is_none, succeeds]);
        state.reach = formulas.both(state.reach, holds);
    }

    fn first_holds(&mut self, here: Here, arguments: &[Operand], state: &State) -> Term {
        let first = arguments.first();
        match first.and_then(|first| self.operand(state, here.frame, first)) {
            Some(value) => {
                let width = self.formulas.terms.width(value);
                self.formulas.is_nonzero(width, value)
            }
            None => self.formulas.fresh_truth(),
        }
    }

    /// Makes unknown what a call may change.
    fn forget_changed(
        &mut self,
        frame: FrameId,
        changes: Changes,
        arguments: &[Operand],
        state: &mut State,
    ) {
        let world = self.world;
        if changes == Changes::Nothing {
            return;
        }
        self.forget_exposed(state);
        let others: Vec<Object> = match changes {
            Changes::ByOthers => world.changed_by_others.iter().copied().collect(),
            Changes::Globals => {
                let globals = world.program.globals.indices();
                globals.map(Object::Global).collect()
            }
            Changes::Nothing | Changes::Escaped => Vec::new(),
        };
        let given = arguments
            .iter()
            .filter_map(|it| world.targets.object(&world.unfolding, frame, it));
        for object in others.into_iter().chain(given) {
            self.forget(state, object);
        }
    }

    /// Enters a function: its parameters hold the arguments.
    pub fn enter(
        &mut self,
        frame: FrameId,
        callee: FrameId,
        arguments: &[Operand],
        state: &mut State,
    ) {
        let world = self.world;
        let before = state.clone();
        let data = &world.unfolding.frames[callee];
        for local in data.body.locals.indices() {
            self.forget(state, Object::Local(callee, local));
        }
        let function = &world.program.functions[data.function];
        for (parameter, argument) in function.parameter_locals().zip(arguments) {
            let place = whole(parameter, data.body.locals[parameter].ty);
            self.pass((callee, &place), (frame, argument), &before, state);
        }
    }

    /// Returns to the caller, with the value of an operand.
    pub fn leave(&mut self, callee: FrameId, operand: Option<&Operand>, state: &mut State) {
        let world = self.world;
        let Some((caller, block)) = world.unfolding.frames[callee].caller else {
            return;
        };
        let call = &world.unfolding.frames[caller].body.blocks[block].terminator;
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = call
        {
            let before = state.clone();
            match operand {
                Some(operand) => self.pass((caller, place), (callee, operand), &before, state),
                None => {
                    self.store(caller, place, None, state);
                    self.move_to(caller, place, None, state);
                }
            }
        }
        // The locals of the callee are gone.
        state.objects.retain(|object, _| match object {
            Object::Local(frame, _) | Object::Position(frame, _) => *frame != callee,
            _ => true,
        });
    }

    /// Writes an operand of one frame to a place of another.
    fn pass(
        &mut self,
        (to_frame, to): (FrameId, &Place),
        (from_frame, from): (FrameId, &Operand),
        before: &State,
        state: &mut State,
    ) {
        if self.world.program.types.is_scalar(to.ty) {
            let value = self.operand(before, from_frame, from);
            let array = self.array_behind(to_frame, to);
            let position =
                array.and_then(|array| self.position_of((before, array), from_frame, from));
            self.store(to_frame, to, value, state);
            return self.move_to(to_frame, to, position, state);
        }
        let source = match from {
            Operand::Copy(local) => self.source(before, from_frame, &whole(*local, to.ty)),
            Operand::Constant(_) => None,
        };
        self.put_bits(to_frame, to, source, state);
    }
}
