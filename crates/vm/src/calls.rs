//! Calls: arguments, results, functions through pointers, and unknown functions.

use ir::library::is_demanded;
use ir::test::BoundKind;
use ir::{CastKind, DefectKind, FunctionId, Origin, TraceEvent, Type, TypeId};

use crate::address::Address;
use crate::code::{
    Argument, BodyCode, CallCode, CalleeCode, Destination, FunctionCode, LocalCode, ParameterCode,
};
use crate::config::Dependence;
use crate::facts::closely::leaves_open;
use crate::memory::Kind;
use crate::passed::Passed;
use crate::primitives;
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value};

impl Run<'_, '_> {
    /// Makes a call; control is in the callee or after the call then.
    pub fn call(&mut self, call: &CallCode) -> Flow<()> {
        let function = self.callee(call)?;
        let code = self.code;
        let name = &code.program.functions[function].name;
        if call.closely && leaves_open(name) {
            let detail = format!("{name} is taken to return the numbers that glibc's does");
            self.hit(BoundKind::LibraryModel, detail);
            // Compilers expand some of them to what gives other numbers.
            self.state.record.unspecified.unsure = true;
        }
        if code.program.target.freestanding {
            self.note_library(function);
        } else if code.program.functions[function].assumed && !self.is_in_model() {
            self.note_taken_for_library(function);
        }
        match &code.functions[function] {
            FunctionCode::Body(body) if body.has_another_definition => {
                self.note_other_definition(function);
                self.enter(function, body, call)
            }
            FunctionCode::Body(body) if body.replaceable => self.call_lazily(function, body, call),
            FunctionCode::Body(body) => self.enter(function, body, call),
            FunctionCode::Primitive(primitive) => {
                let arguments = self.scalar_arguments(call)?;
                self.note_event(TraceEvent::Call(function));
                let result = primitives::call(*primitive, self, &arguments, call)?;
                self.note_event(TraceEvent::Return);
                self.finish(call, result)
            }
            &FunctionCode::Native(returns, depends) => {
                if depends == Dependence::World {
                    self.note_world(function);
                }
                self.note_event(TraceEvent::Call(function));
                let result = self.native(function, returns, call)?;
                self.note_event(TraceEvent::Return);
                self.finish(call, result)
            }
            FunctionCode::Unknown => {
                self.note_event(TraceEvent::Call(function));
                let result = self.unknown(function, call)?;
                self.end_program(function, call)?;
                self.note_event(TraceEvent::Return);
                self.finish(call, result)
            }
        }
    }

    /// Notes that a freestanding program may have a function of its own with the name of a library
    /// function.
    fn note_library(&mut self, function: FunctionId) {
        let program = self.code.program;
        if self.is_in_model() {
            return;
        }
        let name = program.functions[function].name.as_str();
        let is_free = match &self.code.functions[function] {
            FunctionCode::Native(..) => !is_demanded(name),
            _ => program.may_be_own(function),
        };
        if is_free {
            self.note_taken_for_library(function);
        }
    }

    fn note_taken_for_library(&mut self, function: FunctionId) {
        let name = &self.code.program.functions[function].name;
        let detail = format!("{name} is taken to be the C library's");
        self.hit(BoundKind::LibraryModel, detail);
    }

    /// Whether a model of a library function is being executed.
    fn is_in_model(&self) -> bool {
        self.code.program.origin(self.site().function) == Origin::Model
    }

    /// Notes that another definition of a function could have been called.
    fn note_other_definition(&mut self, function: FunctionId) {
        let name = &self.code.program.functions[function].name;
        let detail =
            format!("the definition of {name} that others see does what the inline one does");
        self.hit(BoundKind::UnknownCall, detail);
    }

    /// The function that is called.
    pub fn callee(&mut self, call: &CallCode) -> Flow<FunctionId> {
        match call.callee {
            CalleeCode::Direct(function) => Ok(function),
            CalleeCode::Indirect(pointer) => {
                let raw = self.read(pointer);
                self.called_function(raw, call.ty)
            }
        }
    }

    /// The function that a pointer points to, if it can be called at this type.
    pub fn called_function(&mut self, raw: Value, ty: TypeId) -> Flow<FunctionId> {
        let value = match raw.shadow {
            Shadow::Lazy(cell) => self.resolve_to_call(cell)?,
            _ => self.used(raw)?,
        };
        let kind = DefectKind::BadFunctionPointer;
        if value.bits == 0 {
            let assumption = match raw.shadow {
                Shadow::Lazy(cell) => Some(self.assumes_null(cell)),
                _ => self.assumes_number(value),
            };
            return Err(self.assumed_defect(kind, "call through a null pointer", assumption));
        }
        let value = match value.shadow {
            Shadow::Tainted(_) => self.pointer_again(value.bits),
            _ => value,
        };
        let Shadow::Pointer(id, moved) = value.shadow else {
            if matches!(value.shadow, Shadow::Tainted(_)) {
                self.depends_on_address("which function is called");
                return Err(Stop::Limit);
            }
            if self.is_constant_address(value) {
                return Err(self.call_at_constant());
            }
            if value.term().is_some() {
                self.note_number_called();
            }
            let assumption = self.assumes_number(value);
            let message = "call through a pointer to no function";
            return Err(self.assumed_defect(kind, message, assumption));
        };
        match self.state.memory.get(id).kind {
            Kind::Mapped => return Err(self.call_at_constant()),
            Kind::Pointee => self.note_number_called(),
            // Data may be invoked as a function, as a common extension has it (C17, J.5.7).
            Kind::Global(_) | Kind::Heap => {
                return Err(self.unsupported("a call of what an object holds"));
            }
            _ => {}
        }
        if let (Some(term), Kind::Function(_)) = (moved, self.state.memory.get(id).kind) {
            let (offset, _) = self.offset_of(value, id);
            let zero = self.terms.constant(self.code.pointer_width, 0);
            let is_start = self.terms.eq(term, zero);
            let message = || "call through a pointer to no function".to_owned();
            self.check(kind, is_start, offset == 0, message)?;
        }
        let allocation = self.state.memory.get(id);
        let (Kind::Function(function), true) =
            (allocation.kind, u128::from(allocation.base) == value.bits)
        else {
            return Err(self.defect(kind, "call through a pointer to no function"));
        };
        let program = self.code.program;
        if !compatible(&program.types, program.functions[function].ty, ty) {
            if let Shadow::Lazy(cell) = raw.shadow {
                // Of another type as a member of a union has, or as it was cast to.
                let detail = format!(
                    "{} points to functions of one type only",
                    self.describe(cell)
                );
                self.hit(BoundKind::PointerChoice, detail);
                return Err(Stop::Limit);
            }
            if self.calls_beyond(function, ty) {
                return Ok(function);
            }
            if are_promotions(&program.types, program.functions[function].ty, ty) {
                let detail =
                    "a call with promoted arguments of a function with narrower parameters";
                return Err(self.unsupported(detail));
            }
            let message = format!(
                "{} is called as a function of another type",
                program.functions[function].name
            );
            return Err(self.defect(kind, message));
        }
        Ok(function)
    }

    /// The end of an execution that calls what lies at an address that stands as a number: a
    /// function in a boot ROM, say, of which nothing is known and in whose place no test can put
    /// another.
    fn call_at_constant(&mut self) -> Stop {
        self.unsupported("a call of the function at a constant address")
    }

    /// Notes that what is called is an input that could have been a pointer to a function.
    fn note_number_called(&mut self) {
        let detail = "an input is no pointer to a function where it is called";
        self.hit(BoundKind::PointerChoice, detail);
    }

    /// Enters a function with a body.
    pub fn enter(&mut self, function: FunctionId, body: &BodyCode, call: &CallCode) -> Flow<()> {
        if call.arguments.len() < body.parameters.len() {
            let message = "a function is called with too few arguments";
            return Err(self.defect(DefectKind::InvalidArgument, message));
        }
        if body.demands_nonnull {
            let arguments = self.arguments(call)?;
            self.check_nonnull(function, &arguments)?;
        }
        let caller_base = self.state.base;
        // Registers are the common case and need no vector.
        let all_scalar = call
            .arguments
            .iter()
            .all(|argument| matches!(argument, Argument::Scalar(..)))
            && body
                .parameters
                .iter()
                .all(|parameter| matches!(parameter, ParameterCode::Register(..)));
        if all_scalar {
            self.push_frame(function, body)?;
            for (argument, parameter) in call.arguments.iter().zip(&body.parameters) {
                if let (
                    &Argument::Scalar(source, scalar, _),
                    &ParameterCode::Register(slot, expected),
                ) = (argument, parameter)
                {
                    let value = match source.as_constant() {
                        Some(index) => self.code.tables.constants[index],
                        None => self.state.stack[caller_base + source.raw()],
                    };
                    if value.shadow == Shadow::Uninitialised && !scalar.character {
                        self.pop_frame();
                        self.used(value)?;
                    }
                    let at = self.state.base + slot as usize;
                    self.state.stack[at] = self.as_parameter(value, scalar, expected)?;
                }
            }
        } else {
            let arguments = self.arguments(call)?;
            self.push_frame(function, body)?;
            for (&parameter, argument) in body.parameters.iter().zip(arguments) {
                self.set_parameter(parameter, argument)?;
            }
        }
        self.begin(function, body);
        Ok(())
    }

    /// Gives control to a function whose parameters are set.
    pub fn begin(&mut self, function: FunctionId, body: &BodyCode) {
        self.note_event(TraceEvent::Call(function));
        self.state.pc = body.entry;
    }

    /// Evaluates the arguments.
    pub fn arguments(&mut self, call: &CallCode) -> Flow<Vec<Passed>> {
        let mut passed = Vec::with_capacity(call.arguments.len());
        for &argument in &call.arguments {
            passed.push(match argument {
                Argument::Scalar(source, scalar, _) => {
                    let value = self.read(source);
                    if value.shadow.is_open() && !scalar.character {
                        self.used(value)?;
                    }
                    Passed::Scalar(value, scalar)
                }
                Argument::Object(place, ty) => Passed::Object(self.moved_object(place, ty)?),
            });
        }
        Ok(passed)
    }

    /// The arguments of a primitive, each with its scalar type.
    pub fn scalar_arguments(&mut self, call: &CallCode) -> Flow<Vec<(Value, Scalar)>> {
        let mut values = Vec::with_capacity(call.arguments.len());
        for argument in self.arguments(call)? {
            let Passed::Scalar(value, scalar) = argument else {
                return Err(self.unsupported("an object passed by value to a library function"));
            };
            values.push((self.used(value)?, scalar));
        }
        Ok(values)
    }

    /// An argument in the type of its parameter. They differ where a definition in the old style is
    /// called through a pointer: arguments are promoted there, and converted where they are taken
    /// (C17 6.9.1p10).
    fn as_parameter(&mut self, value: Value, from: Scalar, to: Scalar) -> Flow<Value> {
        if from.width == to.width && from.floating == to.floating {
            return Ok(value);
        }
        let is_integer = |scalar: Scalar| !scalar.floating && !scalar.pointer && !scalar.boolean;
        if is_integer(from) && is_integer(to) && to.width < from.width {
            return self.cast(CastKind::IntToInt, from, to, value);
        }
        Err(self.unsupported("an argument of another type than its parameter"))
    }

    /// The address of a parameter in memory, to initialise it.
    fn parameter(&mut self, local: LocalCode) -> Flow<Address> {
        Ok(Address {
            named: true,
            ..self.local_address(local)?.into()
        })
    }

    /// Gives a parameter of the innermost call its value.
    pub fn set_parameter(&mut self, parameter: ParameterCode, argument: Passed) -> Flow<()> {
        match (parameter, argument) {
            (ParameterCode::Register(slot, expected), Passed::Scalar(value, scalar)) => {
                let at = self.state.base + slot as usize;
                self.state.stack[at] = self.as_parameter(value, scalar, expected)?;
            }
            (ParameterCode::Memory(local), Passed::Scalar(value, scalar)) => {
                let parameter = self.parameter(local)?;
                match Scalar::of(&self.code.program.types, local.ty) {
                    Some(expected) => {
                        let value = self.as_parameter(value, scalar, expected)?;
                        self.store(parameter, expected, value)?;
                    }
                    // A record of one member, say, which is passed as that is.
                    None if scalar.size() <= local.size => self.store(parameter, scalar, value)?,
                    None if local.size > 0 => {
                        let scalar = Scalar::unsigned(local.size as u32 * 8);
                        self.store(parameter, scalar, value)?;
                    }
                    None => {}
                }
            }
            (ParameterCode::Memory(local), Passed::Object(blob)) => {
                let parameter = self.parameter(local)?;
                self.write_bytes(parameter, &blob)?;
            }
            _ => return Err(self.unsupported("an argument of another kind than its parameter")),
        }
        Ok(())
    }

    /// Ends the innermost call, and the lifetimes of its locals.
    pub fn pop_frame(&mut self) {
        let Some(frame) = self.state.frames.pop() else {
            return;
        };
        self.state.contexts.returned_to(self.state.frames.len());
        self.state.unit.left(self.state.frames.len());
        self.state.calls.returned_to(self.state.frames.len());
        self.settle_noted_edges();
        self.end_trial(self.state.frames.len());
        if let FunctionCode::Body(body) = &self.code.functions[frame.function] {
            for &slot in &body.memory {
                if let Shadow::Pointer(id, _) = self.state.stack[frame.base + slot as usize].shadow
                {
                    self.state.memory.kill(id);
                }
            }
        }
        self.state.stack.truncate(frame.base);
        // When the outermost function returns, control stays at its return.
        if !self.state.frames.is_empty() {
            self.state.pc = frame.caller;
        }
        self.state.base = self.state.frames.last().map_or(0, |caller| caller.base);
    }

    /// Goes on after the call that has just returned.
    pub fn come_back(&mut self, result: Passed) -> Flow<()> {
        let code = self.code;
        self.note_result(&result);
        let crate::code::Op::Call { call, .. } = code.ops[self.state.pc as usize] else {
            return Err(self.unsupported("a return to no call"));
        };
        if self.state.frames.len() == 1
            && code.config.observe_calls
            && let CalleeCode::Direct(function) = code.tables.calls[call as usize].callee
        {
            self.observe_call(function, &result);
        }
        self.finish(&code.tables.calls[call as usize], result)
    }

    /// Puts the result where it goes and continues after the call.
    pub fn finish(&mut self, call: &CallCode, result: Passed) -> Flow<()> {
        match (call.destination, result) {
            (Destination::Nowhere, _) => {}
            (Destination::Slot(slot), Passed::Scalar(value, _)) => {
                let at = self.state.base + slot as usize;
                self.state.stack[at] = value;
            }
            (Destination::Slot(slot), _) => {
                let at = self.state.base + slot as usize;
                self.state.stack[at] = Value::UNINITIALISED;
            }
            (Destination::Place(place), Passed::Scalar(value, _)) => {
                self.store_place(&self.code.tables.places[place as usize], value)?;
            }
            (Destination::Place(place), Passed::Object(blob)) => {
                self.write_object(&self.code.tables.places[place as usize], &blob)?;
            }
            // The caller uses the result of a function that returned none.
            (Destination::Place(_), Passed::Nothing) => {}
        }
        match call.next {
            Some(next) => {
                self.state.pc = next;
                Ok(())
            }
            None => Err(self.defect(
                DefectKind::Unreachable,
                "a function that is declared never to return returns",
            )),
        }
    }
}

/// Whether two types of functions differ in what promotions change alone: a definition in the old
/// style is compatible with a prototype that has the promoted types of its parameters (C17
/// 6.7.6.3p15).
fn are_promotions(types: &ir::Types, function: TypeId, call: TypeId) -> bool {
    let (Type::Function(a), Type::Function(b)) = (types.kind(function), types.kind(call)) else {
        return false;
    };
    let is_narrow = |ty: TypeId| match types.kind(ty) {
        Type::Float(_) => true,
        _ => types.int(ty).is_some_and(|int| int.width < 32),
    };
    let mut pairs = a.parameters.iter().zip(&b.parameters);
    a.parameters.len() == b.parameters.len()
        && a.result == b.result
        && pairs.all(|(&x, &y)| x == y || is_narrow(x))
}

/// Whether a function of one type can be called at another: they are equal, but for what pointers
/// point to and for parameters that one of them leaves open.
fn compatible(types: &ir::Types, function: TypeId, call: TypeId) -> bool {
    if function == call {
        return true;
    }
    let (Type::Function(a), Type::Function(b)) = (types.kind(function), types.kind(call)) else {
        return false;
    };
    let same = |x: TypeId, y: TypeId| {
        let is_pointer = |ty| matches!(types.kind(ty), Type::Pointer { .. });
        let alike = match (types.int(x), types.int(y)) {
            (Some(x), Some(y)) => x == y,
            _ => false,
        };
        x == y || alike || is_pointer(x) && is_pointer(y)
    };
    let open = |f: &ir::FunctionType| f.variadic && f.parameters.is_empty();
    same(a.result, b.result)
        && a.attributes.convention == b.attributes.convention
        && (open(a)
            || open(b)
            || a.variadic == b.variadic
                && a.parameters.len() == b.parameters.len()
                && a.parameters
                    .iter()
                    .zip(&b.parameters)
                    .all(|(&x, &y)| same(x, y)))
}
