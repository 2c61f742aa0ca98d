//! What a call of a function may write beside its own locals: an analysis of the code alone.
//!
//! A pointer *leads outside* if it may point to something else than locals and memory of the calls
//! themselves: the parameters of the outermost function do, and globals. Where such pointers flow
//! is followed through assignments and calls; memory is one place, which holds them as soon as one
//! is stored.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::library::is_known;
use ir::{
    BlockData, Body, Callee, ConstantValue, FunctionId, Operand, Origin, Place, PlaceBase, Program,
    Rvalue, Span, StatementKind, Terminator, Type, TypeId,
};

use crate::value_flow::{Holder, Locals, ValueFlow};

/// Functions known to the machine that write to what their first argument points to.
const WRITERS: [&str; 8] = [
    "__attest_copy",
    "__attest_fill",
    "__attest_free",
    "__attest_input",
    "klee_make_symbolic",
    "sprintf",
    "snprintf",
    "__builtin_sprintf",
];

/// Functions known to the machine that make memory of their own.
const ALLOCATORS: [&str; 2] = ["__attest_allocate", "__attest_allocate_zeroed"];

/// Where a call of the function may write to something that is not its own, if it may.
pub fn outside_write(program: &Program, function: FunctionId) -> Option<Span> {
    let flow = Flow::new(program, function);
    let found = flow.writes();
    let is_user = |function: FunctionId| program.origin(function) == Origin::User;
    let own = found.iter().find(|(function, _)| is_user(*function));
    match (own, found.is_empty()) {
        (Some((_, span)), _) => Some(span.clone()),
        (None, true) => None,
        // A function of the library does it for the user's code.
        (None, false) => flow
            .calls_of_library()
            .or_else(|| program.functions[function].span.clone()),
    }
}

/// Which locals of the calls may hold pointers that lead outside.
struct Flow<'p> {
    program: &'p Program,
    /// The functions with a body that may be called, the outermost one included, in order.
    functions: Vec<FunctionId>,
    locals: Locals,
    /// What may hold such pointers.
    held: FixedBitSet,
}

impl<'p> Flow<'p> {
    fn new(program: &'p Program, outermost: FunctionId) -> Self {
        let mut pointers = Pointers::new(program);
        let called = program.with_callees(vec![outermost]);
        let mut functions = Vec::new();
        for function in called {
            let body = program.functions[function].body.as_ref();
            if let Some(body) = body {
                pointers.function(function, body);
                functions.push(function);
            }
        }
        let parameters = program.functions[outermost].parameter_locals();
        let parameters = parameters.filter(|_| functions.contains(&outermost));
        for parameter in parameters {
            let parameter = pointers.flow.locals.holder(outermost, parameter);
            pointers.flow.flow(pointers.outside, parameter);
        }
        let outside = pointers.outside;
        let (locals, graph) = pointers.flow.into_graph();
        Flow {
            program,
            functions,
            locals,
            held: graph.reachable([outside]),
        }
    }

    /// Whether an operand leads outside.
    fn operand(&self, function: FunctionId, operand: &Operand) -> bool {
        match operand {
            Operand::Copy(local) => {
                let holder = self.locals.holder(function, *local);
                self.held.contains(holder.index())
            }
            Operand::Constant(constant) => matches!(constant.value, ConstantValue::Global { .. }),
        }
    }

    /// All writes to something outside, in the order of the functions.
    fn writes(&self) -> Vec<(FunctionId, Span)> {
        let mut found = Vec::new();
        for &function in &self.functions {
            let Some(body) = &self.program.functions[function].body else {
                continue;
            };
            for block in &body.blocks {
                let spans = self.writes_in(function, block);
                found.extend(
                    spans
                        .into_iter()
                        .map(|span| (function, body.spans[span].clone())),
                );
            }
        }
        found
    }

    /// The first call in the user's code that gives a function of the library a pointer that leads
    /// outside.
    fn calls_of_library(&self) -> Option<Span> {
        let is_user = |function: &FunctionId| self.program.origin(*function) == Origin::User;
        self.functions
            .iter()
            .copied()
            .filter(is_user)
            .find_map(|function| {
                let body = self.program.functions[function].body.as_ref()?;
                let block = body.blocks.iter().find(|block| match &block.terminator {
                    Terminator::Call {
                        callee: Callee::Direct(callee),
                        arguments,
                        ..
                    } => {
                        let mut given = arguments.iter();
                        !is_user(callee) && given.any(|argument| self.operand(function, argument))
                    }
                    _ => false,
                });
                block.map(|block| body.spans[block.span].clone())
            })
    }

    fn writes_in(&self, function: FunctionId, block: &BlockData) -> Vec<ir::SpanId> {
        let assigned = block.statements.iter().filter_map(|statement| {
            let StatementKind::Assign(place, _) = &statement.kind else {
                return None;
            };
            self.is_outside(function, place).then_some(statement.span)
        });
        let mut found: Vec<ir::SpanId> = assigned.collect();
        if let Terminator::Call {
            callee,
            arguments,
            destination,
            ..
        } = &block.terminator
        {
            let by_result = destination
                .as_ref()
                .is_some_and(|place| self.is_outside(function, place));
            if by_result || self.writes_arguments(function, callee, arguments) {
                found.push(block.span);
            }
        }
        found
    }

    /// Whether a place is not a local of the calls, nor what the models of the library remember.
    fn is_outside(&self, function: FunctionId, place: &Place) -> bool {
        match &place.base {
            PlaceBase::Local(_) => false,
            PlaceBase::Global(global) => {
                let unit = self.program.globals[*global].unit;
                self.program.units[unit].origin != Origin::Model
            }
            PlaceBase::Deref(pointer) => self.operand(function, pointer),
        }
    }

    /// Whether a call of a function without a body may write to what it is given pointers to.
    fn writes_arguments(
        &self,
        function: FunctionId,
        callee: &Callee,
        arguments: &[Operand],
    ) -> bool {
        let Callee::Direct(callee) = callee else {
            return false;
        };
        let data = &self.program.functions[*callee];
        let Type::Function(ty) = self.program.types.kind(data.ty) else {
            return false;
        };
        if data.body.is_some() {
            return false;
        }
        let is_outside = |argument: &Operand| self.operand(function, argument);
        if is_known(&self.program.types, data) {
            let writes = WRITERS.contains(&data.name.as_str());
            return writes && arguments.first().is_some_and(is_outside);
        }
        let is_writable = |parameter: &TypeId| {
            let kind = self.program.types.kind(*parameter);
            matches!(
                kind,
                Type::Pointer {
                    constant: false,
                    ..
                }
            )
        };
        let mut given = ty.parameters.iter().zip(arguments);
        given.any(|(parameter, argument)| is_writable(parameter) && is_outside(argument))
    }
}

/// Where pointers that lead outside flow, edge by edge.
struct Pointers<'p> {
    program: &'p Program,
    flow: ValueFlow,
    /// What each function returns.
    results: IndexVec<FunctionId, Holder>,
    /// Memory of the calls.
    memory: Holder,
    /// What holds pointers that lead outside anyway.
    outside: Holder,
}

impl<'p> Pointers<'p> {
    fn new(program: &'p Program) -> Self {
        let mut flow = ValueFlow::new(program);
        let functions = program.functions.iter();
        Pointers {
            program,
            results: functions.map(|_| flow.add()).collect(),
            memory: flow.add(),
            outside: flow.add(),
            flow,
        }
    }

    /// Adds what flows in a function.
    fn function(&mut self, function: FunctionId, body: &Body) {
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    for from in self.sources(function, body, value) {
                        self.store(from, function, body, place);
                    }
                }
            }
            match &block.terminator {
                Terminator::Return(Some(value)) => {
                    if let Some(from) = self.operand(function, value) {
                        self.flow.flow(from, self.results[function]);
                    }
                }
                Terminator::Call {
                    callee,
                    arguments,
                    destination,
                    ..
                } => {
                    self.arguments(function, callee, arguments);
                    let result = self.result(callee);
                    if let (Some(from), Some(place)) = (result, destination) {
                        self.store(from, function, body, place);
                    }
                }
                _ => {}
            }
        }
    }

    /// Lets arguments flow into a call.
    fn arguments(&mut self, function: FunctionId, callee: &Callee, arguments: &[Operand]) {
        let Callee::Direct(callee) = *callee else {
            return;
        };
        let data = &self.program.functions[callee];
        if data.body.is_none() {
            return;
        }
        for (parameter, argument) in data.parameter_locals().zip(arguments) {
            if let Some(from) = self.operand(function, argument) {
                let parameter = self.flow.locals.holder(callee, parameter);
                self.flow.flow(from, parameter);
            }
        }
    }

    /// What holds the result of a call, if it may lead outside.
    fn result(&self, callee: &Callee) -> Option<Holder> {
        let Callee::Direct(callee) = *callee else {
            return Some(self.outside);
        };
        let data = &self.program.functions[callee];
        match data.body {
            Some(_) => Some(self.results[callee]),
            None if ALLOCATORS.contains(&data.name.as_str()) => None,
            None => Some(self.outside),
        }
    }

    /// Lets a value flow into a place.
    fn store(&mut self, from: Holder, function: FunctionId, body: &Body, place: &Place) {
        let is_memory = match place.base {
            PlaceBase::Local(local) => {
                let to = self.flow.locals.holder(function, local);
                self.flow.flow(from, to);
                body.locals[local].address_taken
            }
            PlaceBase::Global(_) | PlaceBase::Deref(_) => true,
        };
        if is_memory && self.may_hold_pointer(place.ty) {
            self.flow.flow(from, self.memory);
        }
    }

    /// What a value is made from, if that may be a pointer.
    fn sources(&self, function: FunctionId, body: &Body, value: &Rvalue) -> Vec<Holder> {
        let operands: &[&Operand] = match value {
            Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                &[operand]
            }
            Rvalue::PointerOffset { pointer, .. } => &[pointer],
            Rvalue::Binary(op, ..) if op.is_comparison() => &[],
            Rvalue::Binary(_, left, right) => &[left, right],
            Rvalue::AddressOf(place) => match &place.base {
                PlaceBase::Local(_) => &[],
                PlaceBase::Global(_) => return vec![self.outside],
                PlaceBase::Deref(pointer) => &[pointer],
            },
            Rvalue::Load(place) if self.may_hold_pointer(place.ty) => {
                return self.contents(function, body, place);
            }
            Rvalue::Load(_) | Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => &[],
        };
        let operands = operands.iter();
        operands
            .filter_map(|operand| self.operand(function, operand))
            .collect()
    }

    /// What holds what a place does.
    fn contents(&self, function: FunctionId, body: &Body, place: &Place) -> Vec<Holder> {
        match &place.base {
            PlaceBase::Local(local) => {
                let is_memory = body.locals[*local].address_taken;
                let memory = is_memory.then_some(self.memory);
                let local = self.flow.locals.holder(function, *local);
                [Some(local), memory].into_iter().flatten().collect()
            }
            PlaceBase::Global(_) => vec![self.outside],
            PlaceBase::Deref(pointer) => {
                let pointer = self.operand(function, pointer);
                [Some(self.memory), pointer].into_iter().flatten().collect()
            }
        }
    }

    fn may_hold_pointer(&self, ty: TypeId) -> bool {
        let kind = self.program.types.kind(ty);
        matches!(
            kind,
            Type::Pointer { .. } | Type::Record(_) | Type::Array { .. }
        )
    }

    /// What holds an operand, if it may be a pointer.
    fn operand(&self, function: FunctionId, operand: &Operand) -> Option<Holder> {
        match operand {
            Operand::Copy(local) => Some(self.flow.locals.holder(function, *local)),
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Global { .. } => Some(self.outside),
                _ => None,
            },
        }
    }
}
