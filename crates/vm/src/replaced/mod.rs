//! Calls that are replaced by inputs: the machine's part of lazy expansion (LATEST, sections 3.2
//! and 4.4).
//!
//! Such a call is first tried: it is executed, and it stays if no input decides anything in it
//! (section 4.4). Where an input would decide something in it, the call is undone and replaced: its
//! result is an input, and so is what it may have changed ([`ir::effects::Effects`]), which the
//! paper leaves out. The input vector says which calls are executed nevertheless ([`CallMode`]). A
//! call is known by a number that does not depend on what became of those before it.

mod changes;
mod fingerprint;
mod numbers;
mod reachable;
mod stores;
mod trial;

use expr::Term;
use ir::input::{CallMode, Root};
use ir::{CodeEdge, FunctionId, ObjectId, TraceEvent, Type};

use crate::code::{BodyCode, CallCode, FunctionCode, Op};
use crate::config::CallPolicy;
use crate::execution::{Alternative, ConstraintKind, Demand, MadeCall};
use crate::passed::Passed;
use crate::run::Run;
use crate::state::Level;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow};

pub(crate) use numbers::counted;

impl Run<'_, '_> {
    /// Makes a call of a function that may be replaced.
    pub fn call_lazily(
        &mut self,
        function: FunctionId,
        body: &BodyCode,
        call: &CallCode,
    ) -> Flow<()> {
        if self.trial.is_some() {
            return self.enter(function, body, call);
        }
        let root = self.state.calls.next();
        let object = self
            .space
            .object(root, self.code.program.functions[function].ty);
        match self.inputs.vector.calls.get(&object) {
            Some(&mode) => self.proceed((function, object, mode), None, call),
            None => {
                self.trial = Some(Box::new(self.begin_trial(object)));
                self.enter(function, body, call)
            }
        }
    }

    /// Undoes the call that was tried, if an input decided in it, and makes it again as one that is
    /// recorded. Returns whether there was such a call.
    pub fn replace_tried(&mut self) -> Flow<bool> {
        let Some(trial) = self.trial.take_if(|trial| trial.decided.is_some()) else {
            return Ok(false);
        };
        let (object, first) = (trial.call, trial.decided);
        self.undo(*trial);
        let code = self.code;
        let Op::Call { call, .. } = code.ops[self.state.pc as usize] else {
            return Err(self.unsupported("a return to no call"));
        };
        let call = &code.tables.calls[call as usize];
        // After the call was undone, it finds the same function as before.
        let function = self.callee(call)?;
        let never_returns = code.program.functions[function].noreturn || call.next.is_none();
        let mode = match (self.inputs.vector.expands.has(object), never_returns) {
            (true, _) => CallMode::Entered,
            (false, true) => CallMode::Ends,
            (false, false) => CallMode::Abstract,
        };
        self.proceed((function, object, mode), first, call)?;
        Ok(true)
    }

    /// Makes a call, or goes on after it without making it.
    fn proceed(
        &mut self,
        (function, object, mode): (FunctionId, ObjectId, CallMode),
        first: Option<Term>,
        call: &CallCode,
    ) -> Flow<()> {
        let code = self.code;
        let context_fingerprint = self.context_fingerprint(function, call);
        self.state.record.made.push(MadeCall {
            call: object,
            function,
            mode,
            at: self.state.record.path.len(),
            first,
            returned: None,
            context_fingerprint,
            relied: Vec::new(),
        });
        self.choose_mode(function, object, mode);
        if mode != CallMode::Entered {
            self.note_event(TraceEvent::Replaced(function));
        }
        match (mode, &code.functions[function]) {
            (CallMode::Entered, FunctionCode::Body(body)) => {
                self.state.calls.levels.push(Level {
                    call: Some(object),
                    depth: self.state.frames.len(),
                    made: 0,
                    number: self.state.record.made.len() - 1,
                });
                self.enter(function, body, call)
            }
            (CallMode::Ends, _) => {
                self.state.calls.replaced += 1;
                Err(Stop::Exit(None))
            }
            _ => {
                self.state.calls.replaced += 1;
                let arguments = self.arguments(call)?;
                let takes_inputs = self.may_take_inputs(function, &arguments);
                self.change(function, object, &arguments)?;
                let result = self.any_result(function, object)?;
                if takes_inputs {
                    self.skip_numbers()?;
                }
                self.finish(call, result)
            }
        }
    }

    /// Records that a condition came up again, for the calls that are expanded and under way.
    pub fn note_relied(&mut self, term: Term) {
        let made = &mut self.state.record.made;
        for level in self.state.calls.levels.iter().skip(1) {
            if let Some(made) = made.get_mut(level.number) {
                made.relied.push(term);
            }
        }
    }

    /// Records an edge in order, and on the path if it is of the unit or of a call that was
    /// expanded; in a call that is tried, nothing is decided.
    pub fn note_edge(&mut self, edge: CodeEdge) {
        self.note_event(TraceEvent::Edge(edge));
        let is_on_path = self.state.unit.inside || self.state.calls.is_in_expanded();
        if is_on_path && self.trial.is_none() {
            let call = self.state.calls.levels.last().and_then(|level| level.call);
            self.state.unit.took(edge, call);
        }
    }

    /// Records what a call that was expanded returns, if it is one that has just returned.
    pub fn note_result(&mut self, result: &Passed) {
        let Some(number) = self.state.calls.returned.take() else {
            return;
        };
        let term = match result {
            Passed::Scalar(value, scalar) => match value.shadow {
                Shadow::None => Some(self.terms.constant(scalar.bits(), value.bits)),
                Shadow::Term(term) => Some(term),
                _ => None,
            },
            Passed::Nothing | Passed::Object(_) => None,
        };
        let length = self.state.record.path.len();
        if let Some(made) = self.state.record.made.get_mut(number) {
            made.returned = Some((length, term));
        }
    }

    /// Records what becomes of a call.
    fn choose_mode(&mut self, function: FunctionId, object: ObjectId, chosen: CallMode) {
        self.state.record.inputs.calls.insert(object, chosen);
        let may_end = match self.code.config.policies.get(&function) {
            Some(CallPolicy::Abstract(effects)) => effects.may_end,
            _ => false,
        };
        let possible = CallMode::ALL
            .into_iter()
            .filter(|&mode| mode != chosen && (mode != CallMode::Ends || may_end));
        let alternatives = possible.map(|mode| Alternative {
            number: mode as u32,
            demand: Demand::Call(object, mode),
        });
        let alternatives = alternatives.collect();
        let term = self.terms.bool(true);
        self.constrain_anew(
            ConstraintKind::Call(object),
            term,
            chosen as u32,
            alternatives,
        );
    }

    /// What the call may return: an input.
    fn any_result(&mut self, function: FunctionId, object: ObjectId) -> Flow<Passed> {
        let program = self.code.program;
        let Type::Function(ty) = program.types.kind(program.functions[function].ty) else {
            return Ok(Passed::Nothing);
        };
        match *program.types.kind(ty.result) {
            Type::Void => Ok(Passed::Nothing),
            _ => self.any_value(Root::Returned(object), ty.result),
        }
    }

    /// An input of any type, as it is passed on.
    pub fn any_value(&mut self, root: Root, ty: ir::TypeId) -> Flow<Passed> {
        self.any_value_or(root, ty, None)
    }

    /// The same, with the value that a number has where the input vector leaves it open.
    pub fn any_value_or(
        &mut self,
        root: Root,
        ty: ir::TypeId,
        usual: Option<u128>,
    ) -> Flow<Passed> {
        let types = &self.code.program.types;
        if let Some(scalar) = Scalar::of(types, ty) {
            let object = self.space.object(root, ty);
            let value = self.scalar_input(object, (ty, scalar), usual);
            self.check_signalling(value, scalar)?;
            return Ok(Passed::Scalar(value, scalar));
        }
        let size = types.size(ty);
        let id = self.unseen_local(size, types.align(ty))?;
        self.make_input(id, root, ty);
        let pointer = self.pointer_into(id, 0);
        let blob = self.read_bytes(pointer.into(), size)?;
        self.state.memory.kill(id);
        Ok(Passed::Object(blob))
    }
}
