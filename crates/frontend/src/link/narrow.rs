//! Notes that the program is taken to do what C does not promise: no proof holds behind them.

use ir::{
    Block, BlockData, Callee, Constant, ConstantValue, FunctionAttributes, FunctionId,
    FunctionType, Global, GlobalId, GlobalKind, Initializer, IntName, IntType, NARROW_MODEL,
    Operand, Parameter, Program, Terminator, Type, TypeId, UnitId,
};

use super::startup::declared;

/// Notes a text in front of the terminators of some blocks.
pub(super) fn note(program: &mut Program, blocks: &[(FunctionId, Block)], text: &str) {
    if blocks.is_empty() {
        return;
    }
    let (global, pointer) = add_text(program, text);
    let callee = match program.function(NARROW_MODEL) {
        Some(known) => known,
        None => declare(program, pointer),
    };
    for &(function, block) in blocks {
        let Some(body) = &mut program.functions[function].body else {
            continue;
        };
        let BlockData {
            terminator, span, ..
        } = body.blocks[block].clone();
        let behind = body.blocks.push(BlockData {
            statements: Vec::new(),
            terminator,
            span,
        });
        let text = Constant {
            ty: pointer,
            value: ConstantValue::Global { global, offset: 0 },
        };
        body.blocks[block].terminator = Terminator::Call {
            callee: Callee::Direct(callee),
            arguments: vec![Operand::Constant(text)],
            destination: None,
            next: Some(behind),
        };
    }
}

/// Adds a text, and the type of pointers to it.
fn add_text(program: &mut Program, text: &str) -> (GlobalId, TypeId) {
    let bytes: Vec<u8> = text.bytes().chain([0]).collect();
    let char = Type::Int(IntType {
        name: IntName::Char,
        width: 8,
        signed: true,
    });
    let types = &mut program.types;
    let element = types.intern(char, 1, 1);
    let size = u64::from(program.target.pointer_width / 8);
    let pointer = Type::Pointer {
        pointee: element,
        constant: true,
        volatile: false,
    };
    let pointer = types.intern(pointer, size, size);
    let length = bytes.len() as u64;
    let array = Type::Array {
        element,
        length: Some(length),
    };
    let ty = types.intern(array, length, 1);
    let global = program.globals.push(Global {
        name: format!("<text {}>", program.globals.len()),
        ty,
        unit: UnitId::from_usize(0),
        kind: GlobalKind::StringLiteral,
        constant: true,
        volatile: false,
        weak: false,
        renamed: false,
        thread_local: false,
        initializer: Some(Initializer {
            bytes,
            ..Initializer::default()
        }),
        span: None,
    });
    (global, pointer)
}

/// Declares the function that takes such texts.
fn declare(program: &mut Program, pointer: TypeId) -> FunctionId {
    let result = program.types.intern(Type::Void, 0, 1);
    let ty = FunctionType {
        result,
        parameters: vec![pointer],
        variadic: false,
        attributes: FunctionAttributes::default(),
    };
    let ty = program.types.intern(Type::Function(ty), 0, 1);
    let parameters = vec![Parameter::default()];
    let function = declared(NARROW_MODEL, ty, parameters, UnitId::from_usize(0));
    program.functions.push(function)
}
