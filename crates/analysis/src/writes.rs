//! What a call of a function may write beside its own locals: an analysis of the code alone.
//!
//! A pointer *leads outside* if it may point to something else than locals and memory of the calls themselves: the
//! parameters of the outermost function do, and globals. Where such pointers flow is followed through assignments and
//! calls; memory is one place, which holds them as soon as one is stored.

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    BlockData, Body, Callee, ConstantValue, FunctionId, Local, Operand, Origin, Place, PlaceBase,
    Program, Rvalue, Span, StatementKind, Terminator, Type, TypeId,
};

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
    let mut flow = Flow::new(program, function);
    flow.follow();
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

/// Where pointers that lead outside may be.
struct Flow<'p> {
    program: &'p Program,
    /// The functions that may be called, each with its locals that may hold such pointers.
    locals: BTreeMap<FunctionId, BTreeSet<Local>>,
    /// The functions that may return one.
    results: BTreeSet<FunctionId>,
    /// Whether memory of the calls may hold one.
    memory: bool,
}

impl<'p> Flow<'p> {
    fn new(program: &'p Program, function: FunctionId) -> Self {
        let parameters = program.functions[function].parameters().collect();
        Flow {
            program,
            locals: BTreeMap::from([(function, parameters)]),
            results: BTreeSet::new(),
            memory: false,
        }
    }

    /// Follows pointers until nothing is new.
    fn follow(&mut self) {
        loop {
            let before = self.size();
            for function in self.locals.keys().copied().collect::<Vec<_>>() {
                if let Some(body) = &self.program.functions[function].body {
                    for block in &body.blocks {
                        self.block(function, body, block);
                    }
                }
            }
            if self.size() == before {
                return;
            }
        }
    }

    /// Grows with all that is known.
    fn size(&self) -> (usize, usize, usize, bool) {
        let locals = self.locals.values().map(BTreeSet::len).sum();
        (self.locals.len(), locals, self.results.len(), self.memory)
    }

    fn block(&mut self, function: FunctionId, body: &Body, block: &BlockData) {
        for statement in &block.statements {
            if let StatementKind::Assign(place, value) = &statement.kind
                && self.value(function, body, value)
            {
                self.store(function, body, place);
            }
        }
        match &block.terminator {
            Terminator::Return(Some(value)) if self.operand(function, value) => {
                self.results.insert(function);
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                let outside: Vec<bool> = arguments
                    .iter()
                    .map(|argument| self.operand(function, argument))
                    .collect();
                let result = self.call(callee, &outside);
                if let Some(place) = destination.as_ref().filter(|_| result) {
                    self.store(function, body, place);
                }
            }
            _ => {}
        }
    }

    /// Follows arguments into a call. Returns whether its result may lead outside.
    fn call(&mut self, callee: &Callee, outside: &[bool]) -> bool {
        let Callee::Direct(callee) = callee else {
            return true;
        };
        let data = &self.program.functions[*callee];
        if data.body.is_none() {
            return !ALLOCATORS.contains(&data.name.as_str());
        }
        let parameters = self.locals.entry(*callee).or_default();
        let given = data.parameters().zip(outside);
        parameters.extend(
            given
                .filter(|(_, outside)| **outside)
                .map(|(local, _)| local),
        );
        self.results.contains(callee)
    }

    /// Notes that a place holds a pointer that leads outside.
    fn store(&mut self, function: FunctionId, body: &Body, place: &Place) {
        match place.base {
            PlaceBase::Local(local) => {
                let is_shared = body.locals[local].address_taken;
                self.memory |= is_shared && self.may_hold_pointer(place.ty);
                self.locals.entry(function).or_default().insert(local);
            }
            PlaceBase::Global(_) | PlaceBase::Deref(_) => {
                self.memory |= self.may_hold_pointer(place.ty);
            }
        }
    }

    /// Whether a value may lead outside.
    fn value(&self, function: FunctionId, body: &Body, value: &Rvalue) -> bool {
        match value {
            Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                self.operand(function, operand)
            }
            Rvalue::PointerOffset { pointer, .. } => self.operand(function, pointer),
            Rvalue::Binary(op, left, right) => {
                let either = self.operand(function, left) || self.operand(function, right);
                !op.is_comparison() && either
            }
            Rvalue::AddressOf(place) => match &place.base {
                PlaceBase::Local(_) => false,
                PlaceBase::Global(_) => true,
                PlaceBase::Deref(pointer) => self.operand(function, pointer),
            },
            Rvalue::Load(place) => {
                self.may_hold_pointer(place.ty) && self.content(function, body, place)
            }
            Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => false,
        }
    }

    /// Whether what a place holds may lead outside.
    fn content(&self, function: FunctionId, body: &Body, place: &Place) -> bool {
        match &place.base {
            PlaceBase::Local(local) => {
                let is_held = self.holds(function, *local);
                is_held || (body.locals[*local].address_taken && self.memory)
            }
            PlaceBase::Global(_) => true,
            PlaceBase::Deref(pointer) => self.memory || self.operand(function, pointer),
        }
    }

    fn may_hold_pointer(&self, ty: TypeId) -> bool {
        let kind = self.program.types.kind(ty);
        matches!(
            kind,
            Type::Pointer { .. } | Type::Record(_) | Type::Array { .. }
        )
    }

    fn holds(&self, function: FunctionId, local: Local) -> bool {
        let locals = self.locals.get(&function);
        locals.is_some_and(|locals| locals.contains(&local))
    }

    fn operand(&self, function: FunctionId, operand: &Operand) -> bool {
        match operand {
            Operand::Copy(local) => self.holds(function, *local),
            Operand::Constant(constant) => matches!(constant.value, ConstantValue::Global { .. }),
        }
    }

    /// All writes to something outside, in the order of the functions.
    fn writes(&self) -> Vec<(FunctionId, Span)> {
        let mut found = Vec::new();
        for &function in self.locals.keys() {
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

    /// The first call in the user's code that gives a function of the library a pointer that leads outside.
    fn calls_of_library(&self) -> Option<Span> {
        let is_user = |function: &FunctionId| self.program.origin(*function) == Origin::User;
        self.locals
            .keys()
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
        if ir::library::is_known(&self.program.types, data) {
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
