//! Drivers of call sequences, as functions of the program.
//!
//! A driver calls functions in an order that an input decides, on one object that they share; all
//! other arguments are inputs (CUTE, section 3.6). It is a function like any other to the search:
//! its calls are unrolled, so that it has no loop, and no decision of it is a goal.

use ir::sequence::{CHOICE, Call, Role, SHARED_OBJECT, Sequence, Shared, SharedOrigin, argument};
use ir::{
    BinaryOp, Block, BlockData, Body, Callee, CastKind, Constant, ConstantValue, Function,
    FunctionAttributes, FunctionId, FunctionType, Global, GlobalId, GlobalKind, Initializer,
    IntName, IntType, Linkage, Local, LocalDecl, LocalKind, Nonnull, Operand, Parameter, Place,
    PlaceBase, Program, Rvalue, Span, SpanId, Statement, StatementKind, Terminator, Type, TypeId,
};

/// The object that calls share: the first call returns it, or takes a pointer to it.
pub fn shared(program: &Program, calls: &[Call]) -> Option<Shared> {
    calls.iter().find_map(|call| {
        let function = &program.functions[call.function];
        let types = &program.types;
        let Type::Function(ty) = types.kind(function.ty) else {
            return None;
        };
        let record = types
            .pointee(ty.result)
            .filter(|&ty| types.record(ty).is_some());
        let takes = |wanted| {
            ty.parameters
                .iter()
                .any(|&ty| types.pointee(ty) == Some(wanted))
        };
        if let Some(record) = record.filter(|&record| call.adopts || !takes(record)) {
            return Some(Shared {
                name: name_of(program, record),
                ty: record,
                length: 1,
                pointer: ty.result,
                origin: SharedOrigin::Result,
            });
        }
        let mut parameters = ty.parameters.iter().zip(&function.parameters);
        parameters.find_map(|(&pointer, parameter)| {
            let pointee = types.pointee(pointer)?;
            let origin = match types.kind(pointee) {
                Type::Record(_) if types.record(pointee)?.complete => SharedOrigin::Variable,
                Type::Pointer { .. } => SharedOrigin::Input,
                _ => return None,
            };
            Some(Shared {
                name: (parameter.name.clone()).unwrap_or_else(|| name_of(program, pointee)),
                ty: pointee,
                length: declared_length(program, calls, pointee),
                pointer,
                origin,
            })
        })
    })
}

/// The greatest number of elements that calls declare an array of a type to have, as a parameter.
fn declared_length(program: &Program, calls: &[Call], element: TypeId) -> u64 {
    let of_call = |call: &Call| {
        let function = &program.functions[call.function];
        let parameters = match program.types.kind(function.ty) {
            Type::Function(ty) => ty.parameters.as_slice(),
            _ => &[],
        };
        let declared = parameters.iter().zip(&function.parameters);
        let of_element = declared.filter(|(ty, _)| program.types.pointee(**ty) == Some(element));
        of_element
            .filter_map(|(_, parameter)| parameter.length)
            .max()
    };
    calls.iter().filter_map(of_call).max().unwrap_or(1).max(1)
}

/// The name in messages of an object of a type.
fn name_of(program: &Program, ty: TypeId) -> String {
    let record = program.types.record(ty);
    let name = record.and_then(|record| record.name.as_deref());
    let name = name.and_then(|name| name.split(' ').next_back());
    name.unwrap_or("object").trim_end_matches("_t").to_owned()
}

/// Adds the driver of a sequence to the program under a name, and stores it in the sequence. Each
/// function that the sequence calls must have a body.
pub fn add_driver(program: &mut Program, sequence: &mut Sequence, name: &str) {
    let mut calls = sequence.states.iter().flat_map(|state| &state.calls);
    let named = |call: &&Call| program.functions[call.function].name == name;
    let Some(origin) = calls.clone().find(named).or(calls.next()) else {
        return;
    };
    let unit = program.functions[origin.function].unit;
    let span = program.functions[origin.function].span.clone();
    let types = &mut program.types;
    let void = types.intern(Type::Void, 0, 1);
    let ty = types.intern(
        Type::Function(FunctionType {
            result: void,
            parameters: Vec::new(),
            variadic: false,
            attributes: FunctionAttributes::default(),
        }),
        0,
        1,
    );
    let driver = Driver::new(program, sequence, span.clone());
    let shared = driver.shared;
    let body = driver.body();
    let is_variable = |shared: &Shared| shared.origin == SharedOrigin::Variable;
    sequence.variable = shared.filter(|_| sequence.shared.as_ref().is_some_and(is_variable));
    sequence.driver = program.functions.push(Function {
        name: name.to_owned(),
        ty,
        parameters: Vec::new(),
        result_nonnull: Nonnull::No,
        weak: false,
        unit,
        linkage: Linkage::Internal,
        noreturn: false,
        renamed: false,
        assumed: false,
        old_style: false,
        pure: false,
        span,
        body: Some(body),
    });
}

/// The types that a driver uses.
#[derive(Clone, Copy)]
struct Vocabulary {
    int: TypeId,
    size: TypeId,
    character: TypeId,
    bytes: TypeId,
    text: TypeId,
}

/// The functions without a body that a driver calls.
#[derive(Clone, Copy)]
struct Helpers {
    input: FunctionId,
    assume: FunctionId,
}

/// A driver in the making.
struct Driver<'a> {
    program: &'a mut Program,
    sequence: &'a Sequence,
    body: Body,
    words: Vocabulary,
    helpers: Helpers,
    /// The shared object, or the pointer to it.
    shared: Option<GlobalId>,
    /// The block that is being filled.
    at: Block,
    end: Block,
}

impl<'a> Driver<'a> {
    fn new(program: &'a mut Program, sequence: &'a Sequence, span: Option<Span>) -> Self {
        let words = vocabulary(program);
        let helpers = helpers(program, words);
        let mut body = Body::default();
        let span = span.unwrap_or_else(|| nowhere(program));
        body.spans.push(span);
        // The states come first, so that a state's number is that of its block.
        for _ in &sequence.states {
            body.blocks.push(empty());
        }
        let end = body.blocks.push(empty());
        let mut driver = Driver {
            program,
            sequence,
            body,
            words,
            helpers,
            shared: None,
            at: end,
            end,
        };
        driver.shared = sequence.shared.as_ref().map(|shared| match shared.origin {
            SharedOrigin::Variable => driver.variable(shared),
            SharedOrigin::Result | SharedOrigin::Input => driver.global(shared.pointer),
        });
        driver
    }

    fn body(mut self) -> Body {
        for state in 0..self.sequence.states.len() {
            self.at = Block::from_usize(state);
            if state == 0 {
                self.start();
            }
            self.state(state);
        }
        self.body
    }

    /// Writes the code before the first call.
    fn start(&mut self) {
        let input = self
            .sequence
            .shared
            .as_ref()
            .filter(|s| s.origin == SharedOrigin::Input);
        if let (Some(shared), Some(global)) = (input, self.shared) {
            let (name, ty) = (shared.name.clone(), shared.pointer);
            let address = self.constant(
                self.words.bytes,
                ConstantValue::Global { global, offset: 0 },
            );
            self.input(address, ty, &name);
            let pointer = self.temporary(ty, Rvalue::Load(whole(global, ty)));
            let null = self.constant(ty, ConstantValue::Int(0));
            let exists = Rvalue::Binary(BinaryOp::Ne, pointer, null);
            let exists = self.temporary(self.words.int, exists);
            self.call_function(self.helpers.assume, vec![exists], None);
        }
    }

    /// Writes the choice of the next call, and the calls.
    fn state(&mut self, number: usize) {
        let state = self.sequence.states[number].clone();
        let mut successors: Vec<Block> = state
            .calls
            .iter()
            .map(|_| self.body.blocks.push(empty()))
            .collect();
        if state.may_end || successors.is_empty() {
            successors.push(self.end);
        }
        if successors.len() > 1 {
            let choice = self.local(self.words.int, LocalKind::Variable);
            let address = self.address_of(choice, self.words.int);
            self.input(address, self.words.int, CHOICE);
            for (value, &successor) in successors[..successors.len() - 1].iter().enumerate() {
                let other = self.body.blocks.push(empty());
                let value = self.constant(self.words.int, ConstantValue::Int(value as u128));
                let equal = Rvalue::Binary(BinaryOp::Eq, Operand::Copy(choice), value);
                let equal = self.temporary(self.words.int, equal);
                self.finish(Terminator::Branch {
                    operand: equal,
                    then: successor,
                    otherwise: other,
                    tag: None,
                });
                self.at = other;
            }
        }
        self.finish(Terminator::Goto(successors[successors.len() - 1]));
        for (call, &successor) in state.calls.iter().zip(&successors) {
            self.at = successor;
            self.call(call);
        }
    }

    /// Makes a call and goes on after it.
    fn call(&mut self, call: &Call) {
        let function = self.program.functions[call.function].clone();
        let Type::Function(ty) = self.program.types.kind(function.ty).clone() else {
            return;
        };
        let arguments: Vec<Operand> = ty
            .parameters
            .iter()
            .enumerate()
            .map(|(index, &ty)| self.argument(&function, index, ty))
            .collect();
        if let Some(precondition) = call.precondition {
            self.assume(precondition, arguments.clone());
        }
        let adopts = call.adopts.then_some(self.shared).flatten();
        let destination = match (adopts, self.program.types.kind(ty.result)) {
            (_, Type::Void) => None,
            (Some(shared), _) => Some(shared),
            // The object behind a result is not lost while the driver runs.
            (None, _) => Some(self.global(ty.result)),
        };
        let place = destination.map(|global| whole(global, ty.result));
        self.call_function(call.function, arguments, place);
        let makes = self.sequence.shared.as_ref().map(|s| s.origin) == Some(SharedOrigin::Result)
            && !ty
                .parameters
                .iter()
                .any(|&ty| self.sequence.role(&self.program.types, ty) != Role::Input);
        let next = Block::from_usize(call.next);
        match adopts.filter(|_| makes) {
            Some(global) => {
                let pointer = Rvalue::Load(whole(global, ty.result));
                let pointer = self.temporary(ty.result, pointer);
                self.finish(Terminator::Branch {
                    operand: pointer,
                    then: next,
                    otherwise: self.end,
                    tag: None,
                });
            }
            None => self.finish(Terminator::Goto(next)),
        }
    }

    fn argument(&mut self, function: &Function, index: usize, ty: TypeId) -> Operand {
        let role = self.sequence.role(&self.program.types, ty);
        let origin = self.sequence.shared.as_ref().map(|shared| shared.origin);
        let address = |global| ConstantValue::Global { global, offset: 0 };
        match (role, self.shared, origin) {
            (Role::SharedPointer, Some(global), _)
            | (Role::Shared, Some(global), Some(SharedOrigin::Variable)) => {
                self.constant(ty, address(global))
            }
            (Role::Shared, Some(global), _) => {
                let load = Rvalue::Load(whole(global, ty));
                self.temporary(ty, load)
            }
            _ => {
                let local = self.local(ty, LocalKind::Variable);
                let pointer = self.address_of(local, ty);
                let parameter = function.argument_name(index);
                self.input(pointer, ty, &argument(&function.name, &parameter));
                Operand::Copy(local)
            }
        }
    }

    /// Rejects the input unless the function returns true.
    fn assume(&mut self, precondition: FunctionId, arguments: Vec<Operand>) {
        let Type::Function(ty) = self
            .program
            .types
            .kind(self.program.functions[precondition].ty)
        else {
            return;
        };
        let result = ty.result;
        let holds = self.local(result, LocalKind::Variable);
        let place = Place {
            base: PlaceBase::Local(holds),
            projections: Vec::new(),
            ty: result,
        };
        self.call_function(precondition, arguments, Some(place));
        let cast = Rvalue::Cast(CastKind::IntToInt, Operand::Copy(holds), self.words.int);
        let holds = self.temporary(self.words.int, cast);
        self.call_function(self.helpers.assume, vec![holds], None);
    }

    /// Makes the object behind a pointer an input.
    fn input(&mut self, pointer: Operand, ty: TypeId, name: &str) {
        let size = self.program.types.size(ty);
        let size = self.constant(self.words.size, ConstantValue::Int(u128::from(size)));
        let global = self.text(name);
        let name = self.constant(self.words.text, ConstantValue::Global { global, offset: 0 });
        self.call_function(self.helpers.input, vec![pointer, size, name], None);
    }

    fn call_function(
        &mut self,
        function: FunctionId,
        arguments: Vec<Operand>,
        destination: Option<Place>,
    ) {
        let next = self.body.blocks.push(empty());
        self.finish(Terminator::Call {
            callee: Callee::Direct(function),
            arguments,
            destination,
            next: Some(next),
        });
        self.at = next;
    }

    fn finish(&mut self, terminator: Terminator) {
        self.body.blocks[self.at].terminator = terminator;
    }

    fn local(&mut self, ty: TypeId, kind: LocalKind) -> Local {
        self.body.locals.push(LocalDecl {
            name: None,
            ty,
            kind,
            constant: false,
            address_taken: kind == LocalKind::Variable,
            volatile: false,
        })
    }

    fn temporary(&mut self, ty: TypeId, value: Rvalue) -> Operand {
        let local = self.local(ty, LocalKind::Temporary);
        let place = Place {
            base: PlaceBase::Local(local),
            projections: Vec::new(),
            ty,
        };
        self.body.blocks[self.at].statements.push(Statement {
            kind: StatementKind::Assign(place, value),
            span: SpanId::from_raw(0),
            operation: None,
        });
        Operand::Copy(local)
    }

    /// The address of a local, as `void *`.
    fn address_of(&mut self, local: Local, ty: TypeId) -> Operand {
        let bits = self.program.target.pointer_width / 8;
        let pointer = Type::Pointer {
            pointee: ty,
            constant: false,
            volatile: false,
        };
        let pointer = self
            .program
            .types
            .intern(pointer, u64::from(bits), u64::from(bits));
        let place = Place {
            base: PlaceBase::Local(local),
            projections: Vec::new(),
            ty,
        };
        let address = self.temporary(pointer, Rvalue::AddressOf(place));
        let cast = Rvalue::Cast(CastKind::PointerToPointer, address, self.words.bytes);
        self.temporary(self.words.bytes, cast)
    }

    fn constant(&self, ty: TypeId, value: ConstantValue) -> Operand {
        Operand::Constant(Constant { ty, value })
    }

    /// A variable of the driver's, all zeros; no code outside has its address.
    /// The shared object, as a variable.
    /// The variable that is the shared object: an array, if there is more than one.
    fn variable(&mut self, shared: &Shared) -> GlobalId {
        let types = &mut self.program.types;
        let ty = match shared.length {
            0 | 1 => shared.ty,
            length => {
                let (size, align) = (types.size(shared.ty), types.align(shared.ty));
                types.intern(shared.array(), size.saturating_mul(length), align)
            }
        };
        let global = self.global(ty);
        self.program.globals[global].name = SHARED_OBJECT.to_owned();
        global
    }

    fn global(&mut self, ty: TypeId) -> GlobalId {
        add_global(self.program, ty, GlobalKind::CompoundLiteral, Vec::new())
    }

    fn text(&mut self, text: &str) -> GlobalId {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let length = bytes.len() as u64;
        let array = Type::Array {
            element: self.words.character,
            length: Some(length),
        };
        let ty = self.program.types.intern(array, length, 1);
        add_global(self.program, ty, GlobalKind::StringLiteral, bytes)
    }
}

fn add_global(program: &mut Program, ty: TypeId, kind: GlobalKind, bytes: Vec<u8>) -> GlobalId {
    let name = format!("<sequence {}>", program.globals.len());
    program.globals.push(Global {
        name,
        ty,
        unit: ir::UnitId::from_raw(0),
        kind,
        constant: kind == GlobalKind::StringLiteral,
        volatile: false,
        weak: false,
        renamed: false,
        thread_local: false,
        initializer: Some(Initializer {
            bytes,
            ..Initializer::default()
        }),
        span: None,
    })
}

fn whole(global: GlobalId, ty: TypeId) -> Place {
    Place {
        base: PlaceBase::Global(global),
        projections: Vec::new(),
        ty,
    }
}

fn empty() -> BlockData {
    BlockData {
        statements: Vec::new(),
        terminator: Terminator::Return(None),
        span: SpanId::from_raw(0),
    }
}

fn nowhere(program: &Program) -> Span {
    let functions = program.functions.iter();
    let mut spans = functions.filter_map(|function| function.span.clone());
    spans.next().unwrap_or_else(|| {
        let position = ir::Position {
            file: ir::FileId::from_raw(0),
            line: 1,
            column: 1,
        };
        Span {
            begin: position,
            end: position,
            expansions: Vec::new(),
        }
    })
}

fn vocabulary(program: &mut Program) -> Vocabulary {
    let word = program.target.pointer_width;
    let types = &mut program.types;
    let mut integer = |name, width: u32, signed| {
        let bytes = u64::from(width / 8);
        types.intern(
            Type::Int(IntType {
                name,
                width,
                signed,
            }),
            bytes,
            bytes,
        )
    };
    let int = integer(IntName::Int, 32, true);
    let size = integer(IntName::UnsignedLong, word, false);
    let character = integer(IntName::Char, 8, true);
    let void = types.intern(Type::Void, 0, 1);
    let mut pointer = |pointee, constant| {
        let kind = Type::Pointer {
            pointee,
            constant,
            volatile: false,
        };
        types.intern(kind, u64::from(word / 8), u64::from(word / 8))
    };
    Vocabulary {
        int,
        size,
        character,
        bytes: pointer(void, false),
        text: pointer(character, true),
    }
}

/// The functions by which code declares inputs and assumptions.
fn helpers(program: &mut Program, words: Vocabulary) -> Helpers {
    let mut helper = |name: &str, parameters: Vec<TypeId>| {
        if let Some(known) = program.function(name) {
            return known;
        }
        let result = program.types.intern(Type::Void, 0, 1);
        let count = parameters.len();
        let ty = Type::Function(FunctionType {
            result,
            parameters,
            variadic: false,
            attributes: FunctionAttributes::default(),
        });
        let ty = program.types.intern(ty, 0, 1);
        program.functions.push(Function {
            name: name.to_owned(),
            ty,
            parameters: vec![Parameter::default(); count],
            result_nonnull: Nonnull::No,
            weak: false,
            unit: ir::UnitId::from_raw(0),
            linkage: Linkage::External,
            noreturn: false,
            renamed: false,
            assumed: false,
            old_style: false,
            pure: false,
            span: None,
            body: None,
        })
    };
    Helpers {
        input: helper("__attest_input", vec![words.bytes, words.size, words.text]),
        assume: helper("__attest_assume", vec![words.int]),
    }
}
