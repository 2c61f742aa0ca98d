//! The ends of blocks: jumps, calls and returns, on terms.

use expr::Term;
use ir::library::Primitive;
use ir::{Callee, DefectKind, FunctionId, Operand, Origin, Place, Rvalue, Terminator};

use crate::formulas::builder::{Builder, Here};
use crate::formulas::model::CallBacks;
use crate::formulas::segment::{CallResult, CodePlace, TakenEdge};
use crate::formulas::state::State;
use crate::graph::unfolding::ContextId;
use crate::objects::allocations::{HeapCall, heap_call};
use crate::objects::places::{ByteRange, Object};

/// What a call may change.
enum Changed {
    /// Nothing.
    Nothing,
    /// Objects whose address escapes, or that others know by name.
    Addressed,
    /// Those, and what functions of the program change that others may call.
    ByOthers,
    /// Those, and all globals.
    Globals,
}

impl<'p> Builder<'_, 'p> {
    /// Executes the end of a block: sends the state on along its edges.
    pub fn terminator(&mut self, here: Here<'p>, terminator: &'p Terminator, state: State) {
        match terminator {
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                self.jump(here, terminator, state);
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => match self.model.unfolding.entered(here.point) {
                Some(context) => self.enter(here, context, arguments, state),
                None => self.call(here, callee, arguments, destination.as_ref(), state),
            },
            Terminator::Return(operand) => self.leave(here, operand.as_ref(), state),
            Terminator::Unreachable => {}
            Terminator::Unsupported { .. } => {
                let mut state = state;
                self.havoc_all(&mut state);
                self.any_successor(here, state);
            }
        }
    }

    fn jump(&mut self, here: Here<'p>, terminator: &Terminator, state: State) {
        let model = self.model;
        let memory = self.memory(here.context, &state);
        let edges = memory.with(self.arena, |terms, source| {
            here.code.edges(terms, source, terminator)
        });
        let Some(edges) = edges else {
            return self.any_successor(here, state);
        };
        let function = model.unfolding.data(here.context).function;
        let block = model.unfolding.block_of(here.point);
        let terms = &self.arena.terms;
        let mut conditions = edges.iter();
        let is_decided = conditions.all(|&condition| terms.as_bool(condition).is_some());
        match is_decided && edges.len() > 1 {
            true => self.decided.insert(here.point),
            false => self.decided.remove(&here.point),
        };
        for (successor, condition) in edges.into_iter().enumerate() {
            let next = state.under(condition, self.arena);
            if terminator.decides() {
                let edge = model.index.edge(function, block, successor);
                self.segment.conditions.push(condition);
                self.segment.edges.push(TakenEdge {
                    context: here.context,
                    edge,
                    reach: next.reach,
                });
                self.reach_place(CodePlace::Edge(edge), &next);
            }
            let to = model
                .unfolding
                .graph()
                .successors(here.point)
                .get(successor);
            if let Some(&to) = to {
                self.send(to, next);
            }
        }
    }

    /// Goes on at any one of the successors.
    fn any_successor(&mut self, here: Here<'p>, state: State) {
        let model = self.model;
        let decides = model.unfolding.block(here.point).terminator.decides();
        let function = model.unfolding.data(here.context).function;
        let block = model.unfolding.block_of(here.point);
        let successors = model.unfolding.graph().successors(here.point);
        let mut rest = state;
        for (successor, &to) in successors.iter().enumerate() {
            let taken = match successor + 1 == successors.len() {
                true => self.arena.terms.bool(true),
                false => self.arena.fresh_truth(),
            };
            let next = rest.under(taken, self.arena);
            if decides {
                let edge = model.index.edge(function, block, successor);
                self.reach_place(CodePlace::Edge(edge), &next);
            }
            self.send(to, next);
            let other = self.arena.terms.bool_not(taken);
            rest = rest.under(other, self.arena);
        }
    }

    /// Enters a function: its parameters hold the arguments, and its other locals anything.
    fn enter(
        &mut self,
        here: Here<'p>,
        callee: ContextId,
        arguments: &[Operand],
        mut state: State,
    ) {
        let body = self.model.unfolding.body(callee);
        let function = self.model.unfolding.data(callee).function;
        let parameters = self.program().functions[function].parameter_locals();
        let given: Vec<_> = arguments
            .iter()
            .map(|argument| {
                (
                    self.operand(here, argument, &state),
                    self.whole(here, argument),
                    argument,
                )
            })
            .collect();
        for local in body.locals.indices() {
            self.havoc_object(Object::Local(callee, local), &mut state);
        }
        let before = state.clone();
        for (parameter, (value, whole, argument)) in parameters.zip(given) {
            let place = Place {
                base: ir::PlaceBase::Local(parameter),
                projections: Vec::new(),
                ty: body.locals[parameter].ty,
            };
            let position = self.position(here, argument, (callee, &place), &before);
            self.pass(callee, &place, value, whole, &mut state);
            self.move_to(callee, &place, position, &mut state);
        }
        for &to in self.model.unfolding.graph().successors(here.point) {
            self.send(to, state.clone());
        }
    }

    /// Returns to the caller.
    fn leave(&mut self, here: Here<'p>, operand: Option<&Operand>, mut state: State) {
        let unfolding = &self.model.unfolding;
        let Some((caller, block)) = unfolding.data(here.context).caller else {
            return;
        };
        let Terminator::Call { destination, .. } = &unfolding.body(caller).blocks[block].terminator
        else {
            return;
        };
        if let Some(place) = destination {
            let value = operand.and_then(|operand| self.operand(here, operand, &state));
            let whole = operand.and_then(|operand| self.whole(here, operand));
            let to = (caller, place);
            let position = operand.and_then(|operand| self.position(here, operand, to, &state));
            let at_call = Here {
                context: caller,
                ..here
            };
            self.pass(at_call.context, place, value, whole, &mut state);
            self.move_to(at_call.context, place, position, &mut state);
        }
        for &to in unfolding.graph().successors(here.point) {
            self.send(to, state.clone());
        }
    }

    /// Writes to a place what is passed between functions: a scalar, or a whole object.
    fn pass(
        &mut self,
        context: ContextId,
        place: &Place,
        value: Option<Term>,
        whole: Option<ByteRange>,
        state: &mut State,
    ) {
        match self.program().types.is_scalar(place.ty) {
            true => {
                // A definition in the old style may have a narrower parameter than is passed.
                let width = self.width(place.ty);
                let fits = |value: &Term| Some(self.arena.terms.width(*value)) == width;
                let value = value.filter(fits);
                self.write(context, place, value, state);
            }
            false => {
                let to = self.part(context, place);
                self.copy((to, place.ty), whole, state);
            }
        }
    }

    /// The index of the element that an operand leads to, in the array that a place of a context which
    /// it is passed to leads into.
    fn position(
        &mut self,
        here: Here<'p>,
        operand: &Operand,
        (to, place): (ContextId, &Place),
        state: &State,
    ) -> Option<Term> {
        let array = self.model.locations.pointers().array(to, place)?;
        let memory = self.memory(here.context, state);
        memory.position_of_value(array, &Rvalue::Use(operand.clone()), self.arena)
    }

    /// The bytes of an operand that is a whole object.
    fn whole(&self, here: Here<'p>, operand: &Operand) -> Option<ByteRange> {
        let Operand::Copy(local) = operand else {
            return None;
        };
        let ty = self.model.unfolding.body(here.context).locals[*local].ty;
        Some(ByteRange {
            object: Object::Local(here.context, *local),
            range: (0, self.program().types.size(ty)),
            exact: true,
        })
    }

    /// Makes a call that is not entered.
    fn call(
        &mut self,
        here: Here<'p>,
        callee: &Callee,
        arguments: &[Operand],
        destination: Option<&Place>,
        mut state: State,
    ) {
        let direct = callee.direct();
        let bodiless = direct.map(|callee| &self.program().functions[callee]);
        let bodiless = bodiless.filter(|function| function.body.is_none());
        let primitive = bodiless.and_then(Primitive::of);
        let heap_call = heap_call(self.program(), callee, arguments);
        match primitive {
            Some(Primitive::Assume) => {
                let holds = self.first_is_true(here, arguments, &state);
                state = state.under(holds, self.arena);
            }
            Some(Primitive::Assert) => {
                let holds = self.first_is_true(here, arguments, &state);
                self.check(here, DefectKind::FailedAssertion, holds, &mut state);
            }
            Some(
                Primitive::AssertFail
                | Primitive::Abort
                | Primitive::Trap
                | Primitive::Leave
                | Primitive::Exit,
            ) => return,
            _ => {
                // The heap's own functions change no object of the program, but for what they free.
                if heap_call.is_none() || self.program().sets_library_hooks() {
                    self.havoc_changed(direct, &mut state);
                }
                let is_freed = match heap_call {
                    Some(HeapCall::Free { pointer }) => self.free(here, pointer, &mut state),
                    _ => false,
                };
                if !is_freed {
                    self.havoc_given(here.context, arguments, &mut state);
                }
            }
        }
        if let Some(place) = destination {
            self.dereferenced(here, place, &mut state);
            let input = direct.filter(|_| bodiless.is_some() && primitive.is_none());
            let result = match heap_call {
                Some(call) => self.allocate(here, call, place, &mut state),
                None => self.result(input, place, &state),
            };
            self.write(here.context, place, result, &mut state);
            self.move_to(here.context, place, None, &mut state);
        }
        self.any_successor(here, state);
    }

    /// The result of a call that is not entered, if it is a number that an input gives.
    fn result(
        &mut self,
        function: Option<FunctionId>,
        place: &Place,
        state: &State,
    ) -> Option<Term> {
        let width = self.program().types.int(place.ty)?.width;
        let value = self.arena.fresh(width);
        self.segment.results.push(CallResult {
            function: function?,
            reach: state.reach,
            value,
        });
        Some(value)
    }

    fn first_is_true(&mut self, here: Here<'p>, arguments: &[Operand], state: &State) -> Term {
        let first = arguments.first();
        let first = first.and_then(|first| self.operand(here, first, state));
        match first {
            Some(value) => self.arena.terms.is_nonzero(value),
            None => self.arena.fresh_truth(),
        }
    }

    /// Makes unknown the objects that a call is given by pointers which lead to one known place.
    fn havoc_given(&mut self, context: ContextId, arguments: &[Operand], state: &mut State) {
        let pointers = self.model.locations.pointers();
        for argument in arguments {
            if let Some(object) = pointers.object(&self.model.unfolding, context, argument) {
                self.havoc_object(object, state);
            }
        }
    }

    /// Makes unknown what else a call that is not entered may change.
    fn havoc_changed(&mut self, callee: Option<FunctionId>, state: &mut State) {
        let model = self.model;
        let changed = callee.map_or(Changed::Globals, |callee| self.changed(callee));
        match changed {
            Changed::Nothing => {}
            Changed::Addressed => self.havoc(model.locations.addressed(), state),
            Changed::ByOthers => {
                self.segment.is_called_back |= !model.locations.changed_by_others().is_empty();
                self.havoc(model.locations.addressed(), state);
                if model.bounds.call_backs == CallBacks::Possible {
                    self.havoc(model.locations.changed_by_others(), state);
                }
            }
            Changed::Globals => {
                self.havoc(model.locations.addressed(), state);
                self.havoc(model.locations.of_globals(), state);
            }
        }
    }

    /// What a call of a function that is not entered may change.
    fn changed(&self, callee: FunctionId) -> Changed {
        let program = self.program();
        let function = &program.functions[callee];
        let is_library = match &function.body {
            Some(_) => program.origin(callee) == Origin::Model && !program.takes_callbacks(callee),
            None => match Primitive::of(function) {
                Some(primitive) => primitive != Primitive::Barrier,
                None => program.keeps_to_itself(callee) && !program.may_call_back(callee),
            },
        };
        match &function.body {
            None if ir::library::only_gives_input(&program.types, function) => Changed::Nothing,
            _ if is_library && self.model.is_library_quiet => Changed::Addressed,
            None => Changed::ByOthers,
            Some(_) => Changed::Globals,
        }
    }

    /// Makes all locations unknown.
    fn havoc_all(&mut self, state: &mut State) {
        let all: Vec<_> = self
            .model
            .locations
            .iter()
            .filter(|(_, location)| location.object != Object::Index)
            .map(|(location, _)| location)
            .collect();
        self.havoc(&all, state);
    }
}
