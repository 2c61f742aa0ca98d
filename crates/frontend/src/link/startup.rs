//! Functions that run before `main` and when the program ends: those with the attributes
//! `constructor` and `destructor`, and those that sections, assembly or `ifunc` name.
//!
//! Once all units are linked, calls of the constructors are put before the code of `main`, and
//! destructors are given to `atexit` before anything else, so that they run last. Code that attest
//! cannot execute there is an unsupported construct at the start of `main`, which may call it.

use ir::library::RUN_BY_THEMSELVES;
use ir::{
    Block, BlockData, Body, Callee, Constant, ConstantValue, Function, FunctionAttributes,
    FunctionId, FunctionType, IntName, Linkage, Nonnull, Operand, Parameter, Program, SpanId,
    Terminator, Type, TypeId, UnitId,
};

use crate::lower::{Startup, When};
use crate::table;

/// Functions that constructors may call though they have no body: a test gives them no values.
const CALLED_FREELY: [&str; 10] = [
    "abort", "atexit", "exit", "fflush", "fprintf", "fputs", "printf", "putchar", "puts",
    "snprintf",
];

/// Puts calls before the code of `main`, if the program has one.
pub(super) fn run(program: &mut Program, found: &[(UnitId, Startup)]) {
    let main = program.functions.iter_enumerated().find(|(_, function)| {
        function.name == "main" && function.linkage == Linkage::External && function.body.is_some()
    });
    let Some(main) = main.map(|(id, _)| id) else {
        expose(program, found);
        return;
    };
    let mut sorted: Vec<&(UnitId, Startup)> = found.iter().collect();
    sorted.sort_by_key(|(_, startup)| startup.priority);
    let mut steps = Vec::new();
    for when in [When::AtEnd, When::Before, When::Unknown] {
        for (unit, startup) in sorted.iter().filter(|(_, startup)| startup.when == when) {
            let Some(function) = named(program, *unit, &startup.name) else {
                continue;
            };
            steps.push(match when {
                When::AtEnd => registration(program, function),
                When::Before => call(program, function),
                When::Unknown => {
                    let why = format!("`{}` runs at a time that C does not know", startup.name);
                    unknown(program, function, why)
                }
            });
        }
    }
    if let Some(body) = &mut program.functions[main].body
        && !steps.is_empty()
        && !body.blocks.is_empty()
    {
        prepend(body, steps);
    }
}

/// Makes an object that other code sees and that points to such functions of a program without
/// `main`: they run before or after the tested code.
fn expose(program: &mut Program, found: &[(UnitId, Startup)]) {
    let functions = found.iter();
    let functions = functions.filter_map(|(unit, startup)| named(program, *unit, &startup.name));
    let functions: Vec<ConstantValue> = functions.map(ConstantValue::Function).collect();
    if !functions.is_empty() {
        table::add(program, RUN_BY_THEMSELVES.to_owned(), functions);
    }
}

fn named(program: &Program, unit: UnitId, name: &str) -> Option<FunctionId> {
    let defined = |is_it: &dyn Fn(&Function) -> bool| {
        let mut functions = program.functions.iter_enumerated();
        let found = functions.find(|(_, function)| {
            is_it(function) && function.name == name && function.body.is_some()
        });
        found.map(|(id, _)| id)
    };
    // In the place of a weak one runs what another unit defines.
    let other = || defined(&|function| function.linkage == Linkage::External);
    defined(&|function| function.unit == unit).or_else(other)
}

/// An action before `main`: its block leads to a block that is given.
enum StartupAction {
    Call(FunctionId, Vec<Operand>),
    /// Why it is not executed, and the function that takes what may be called then.
    Unsupported(String, FunctionId, Vec<Operand>),
}

/// The call of a constructor.
fn call(program: &mut Program, function: FunctionId) -> StartupAction {
    let name = &program.functions[function].name;
    if !program.functions[function].parameters.is_empty() {
        let why = format!("`{name}` runs before main with arguments");
        return unknown(program, function, why);
    }
    if asks_outside(program, function) {
        let why = format!("`{name}` runs before main and calls functions without a body");
        return unknown(program, function, why);
    }
    StartupAction::Call(function, Vec::new())
}

/// The call of a function that is not executed.
fn unknown(program: &mut Program, function: FunctionId, why: String) -> StartupAction {
    let callee = unsupported_construct(program, function);
    let operand = address(program, function);
    StartupAction::Unsupported(why, callee, vec![operand])
}

fn address(program: &mut Program, function: FunctionId) -> Operand {
    let pointer = pointer_to(program, program.functions[function].ty);
    Operand::Constant(Constant {
        ty: pointer,
        value: ConstantValue::Function(function),
    })
}

/// The function that is called for unsupported constructs.
fn unsupported_construct(program: &mut Program, function: FunctionId) -> FunctionId {
    if let Some(known) = program.function(ir::UNSUPPORTED_CONSTRUCT) {
        return known;
    }
    let result = program.types.intern(Type::Void, 0, 1);
    let ty = Type::Function(FunctionType {
        result,
        parameters: Vec::new(),
        variadic: true,
        attributes: FunctionAttributes::default(),
    });
    let ty = program.types.intern(ty, 0, 1);
    let unit = program.functions[function].unit;
    program
        .functions
        .push(declared(ir::UNSUPPORTED_CONSTRUCT, ty, Vec::new(), unit))
}

/// A function without a body.
pub(super) fn declared(
    name: &str,
    ty: TypeId,
    parameters: Vec<Parameter>,
    unit: UnitId,
) -> Function {
    Function {
        name: name.to_owned(),
        ty,
        parameters,
        result_nonnull: Nonnull::No,
        unit,
        linkage: Linkage::External,
        noreturn: false,
        renamed: false,
        assumed: false,
        old_style: false,
        pure: false,
        weak: false,
        span: None,
        body: None,
    }
}

/// Gives a destructor to `atexit`.
fn registration(program: &mut Program, function: FunctionId) -> StartupAction {
    let known = program.functions.iter_enumerated();
    let known = known
        .filter(|(_, data)| data.name == "atexit" && data.body.is_none())
        .map(|(id, _)| id)
        .next();
    let at_exit = known.unwrap_or_else(|| declare_at_exit(program, function));
    StartupAction::Call(at_exit, vec![address(program, function)])
}

/// Declares `atexit` as a function that takes pointers of the type of a destructor.
fn declare_at_exit(program: &mut Program, function: FunctionId) -> FunctionId {
    let parameter = pointer_to(program, program.functions[function].ty);
    let int = Type::Int(ir::IntType {
        name: IntName::Int,
        width: 32,
        signed: true,
    });
    let result = program.types.intern(int, 4, 4);
    let ty = Type::Function(FunctionType {
        result,
        parameters: vec![parameter],
        variadic: false,
        attributes: FunctionAttributes::default(),
    });
    let ty = program.types.intern(ty, 0, 1);
    let unit = program.functions[function].unit;
    let handler = Parameter {
        nonnull: Nonnull::Demanded,
        ..Parameter::default()
    };
    program
        .functions
        .push(declared("atexit", ty, vec![handler], unit))
}

fn pointer_to(program: &mut Program, pointee: ir::TypeId) -> ir::TypeId {
    let size = u64::from(program.target.pointer_width / 8);
    let pointer = Type::Pointer {
        pointee,
        constant: false,
        volatile: false,
    };
    program.types.intern(pointer, size, size)
}

/// Whether what a function calls depends on unknown functions.
fn asks_outside(program: &Program, function: FunctionId) -> bool {
    let mut seen = vec![function];
    let mut next = 0;
    while let Some(&function) = seen.get(next) {
        next += 1;
        let data = &program.functions[function];
        let Some(body) = &data.body else {
            let name = data.name.as_str();
            if !CALLED_FREELY.contains(&name) && !name.starts_with("__attest_") {
                return true;
            }
            continue;
        };
        for block in &body.blocks {
            match &block.terminator {
                Terminator::Call {
                    callee: Callee::Direct(callee),
                    ..
                } if !seen.contains(callee) => seen.push(*callee),
                Terminator::Call {
                    callee: Callee::Indirect(_),
                    ..
                } => return true,
                _ => {}
            }
        }
    }
    false
}

/// Puts steps before the first block of a body.
fn prepend(body: &mut Body, steps: Vec<StartupAction>) {
    let first = Block::from_usize(0);
    let span = body.blocks[first].span;
    let moved = body.blocks.push(body.blocks[first].clone());
    let to = |block: Block| if block == first { moved } else { block };
    for data in &mut body.blocks {
        data.terminator.map_successors(to);
    }
    for statement in &mut body.source_statements {
        statement.block = to(statement.block);
    }
    for head in &mut body.heads {
        head.block = to(head.block);
    }
    for region in &mut body.regions {
        region.head = region.head.map(to);
        region
            .blocks
            .iter_mut()
            .for_each(|block| *block = to(*block));
    }
    for fold in &mut body.folds {
        fold.block = to(fold.block);
        fold.instead = fold.instead.map(to);
    }
    let mut next = moved;
    for step in steps.into_iter().rev() {
        next = match step {
            StartupAction::Call(function, arguments) => body
                .blocks
                .push(call_block(function, arguments, next, span)),
            StartupAction::Unsupported(construct, callee, arguments) => {
                let call = body.blocks.push(call_block(callee, arguments, next, span));
                body.blocks.push(BlockData {
                    statements: Vec::new(),
                    terminator: Terminator::Unsupported {
                        construct,
                        next: vec![next, call],
                    },
                    span,
                })
            }
        };
    }
    body.blocks[first] = BlockData {
        statements: Vec::new(),
        terminator: Terminator::Goto(next),
        span,
    };
}

fn call_block(
    function: FunctionId,
    arguments: Vec<Operand>,
    next: Block,
    span: SpanId,
) -> BlockData {
    BlockData {
        statements: Vec::new(),
        terminator: Terminator::Call {
            callee: Callee::Direct(function),
            arguments,
            destination: None,
            next: Some(next),
        },
        span,
    }
}
