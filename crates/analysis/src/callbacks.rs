//! Which code of the program functions outside of it may call: those without a body, models of the
//! C library that are given functions (`qsort`), and unsupported constructs, which may run what
//! they mention.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use ir::test::{Bound, BoundKind, Frame};
use ir::{
    BlockData, Body, Callee, ConstantValue, Function, FunctionId, Linkage, Operand, Origin,
    Program, Terminator, Typing, UNSUPPORTED_CONSTRUCT,
};

use crate::globals::World;
use crate::operands::operands;

/// The functions that code outside the program may call: those that it can name, those whose
/// address is taken, and what they call.
pub fn callable_from_outside(program: &Program, entry: FunctionId) -> FixedBitSet {
    let found = program.with_callees(called_from_outside(program, entry));
    found.iter().map(|function| function.index()).collect()
}

/// Those of them that it may call other than by way of the entry function.
pub fn callable_beside(program: &Program, entry: FunctionId) -> FixedBitSet {
    let called = called_from_outside(program, entry);
    let found = program.with_callees_beside(called, BTreeSet::from([entry]));
    found.iter().map(|function| function.index()).collect()
}

/// Whether a function of the program may call the entry function, by its name or through a pointer,
/// and code outside may call that one.
pub fn is_called_for_others(program: &Program, entry: FunctionId) -> bool {
    let mut others = called_from_outside(program, entry);
    others.retain(|&function| function != entry);
    let others = program.with_callees(others);
    others.contains(&entry)
        || others
            .iter()
            .any(|&function| calls_by_pointer(program, function))
}

/// Whether a function calls one through a pointer.
fn calls_by_pointer(program: &Program, function: FunctionId) -> bool {
    let body = program.functions[function].body.iter();
    let mut blocks = body.flat_map(|body| &body.blocks);
    blocks.any(|block| {
        let Terminator::Call { callee, .. } = &block.terminator else {
            return false;
        };
        matches!(callee, Callee::Indirect(_))
    })
}

/// The functions that code outside the program can name, and those whose address is taken.
fn called_from_outside(program: &Program, entry: FunctionId) -> Vec<FunctionId> {
    let is_main = program.functions[entry].name == "main";
    let mut waiting: Vec<FunctionId> = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        if function.linkage == Linkage::External && !(is_main && id == entry) {
            waiting.push(id);
        }
    }
    waiting.extend(address_taken(program));
    waiting
}

/// The functions whose address is taken.
pub fn address_taken(program: &Program) -> BTreeSet<FunctionId> {
    let mut taken = BTreeSet::new();
    for body in program.functions.iter().flat_map(|it| &it.body) {
        taken.extend(operands(body).filter_map(|operand| match operand {
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Function(function) => Some(function),
                _ => None,
            },
            Operand::Copy(_) => None,
        }));
    }
    let relocations = program
        .globals
        .iter()
        .filter_map(|global| global.initializer.as_ref());
    taken.extend(
        relocations
            .flat_map(|data| &data.relocations)
            .filter_map(|relocation| match relocation.target {
                ConstantValue::Function(function) => Some(function),
                _ => None,
            }),
    );
    taken
}

/// The call of an unknown function that could call back, among those that some functions
/// make, if there is one.
pub fn call_back(
    program: &Program,
    entry: FunctionId,
    functions: &[FunctionId],
    world: World,
) -> Option<Bound> {
    let hands_out = program.sets_library_hooks() || registers_any(program);
    // Before `main`, no functions were given to `atexit` or for signals.
    let ends_alone = program.functions[entry].name == "main";
    let of_user = |id: &&FunctionId| program.origin(**id) == Origin::User;
    let functions = with_mentioned(program, functions);
    functions.iter().filter(of_user).find_map(|&function| {
        let body = program.functions[function].body.as_ref()?;
        let mut blocks = body.blocks.iter_enumerated();
        let (block, data) = blocks.find(|(_, data)| {
            // In a whole program, pointers to functions lead to functions that are read.
            let is_known = world == World::Closed && called(data).is_none();
            let unknown = calls_unknown(program, data).filter(|_| !is_known);
            let may_call = unknown == Some(true)
                || hands_out && calls_library(program, data)
                || !ends_alone && ends_program(program, data)
                || switches_context(data);
            (may_call && !is_construct(program, data))
                || hands_over_unknown(program, body, data, world)
        })?;
        Some(Bound {
            kind: BoundKind::UnknownCall,
            detail: "a function without a body is taken not to call back".to_owned(),
            stack: vec![Frame {
                function,
                block,
                span: body.spans.get(data.span)?.clone(),
            }],
        })
    })
}

/// The function that a block calls by its name.
fn called(block: &BlockData) -> Option<FunctionId> {
    direct(block).map(|(callee, _)| callee)
}

/// Whether a block gives a function of the C library functions to call later, as for signals.
fn registers(program: &Program, block: &BlockData) -> bool {
    called(block).is_some_and(|callee| program.takes_callbacks(callee))
}

/// Whether any function of the program does so with one that the machine does not know, as for
/// streams and signals.
fn registers_any(program: &Program) -> bool {
    let is_unknown = |callee| {
        let function: &Function = &program.functions[callee];
        function.body.is_none() && !ir::library::is_known(&program.types, function)
    };
    let registers_unknown =
        |block: &BlockData| registers(program, block) && called(block).is_some_and(is_unknown);
    let functions = program.functions.iter_enumerated();
    let of_user = functions.filter(|(id, _)| program.origin(*id) == Origin::User);
    let mut bodies = of_user.filter_map(|(_, function)| function.body.as_ref());
    bodies.any(|body| body.blocks.iter().any(registers_unknown))
}

/// Whether a block calls a function of the C library that has no body, one that the machine knows
/// included.
fn calls_library(program: &Program, block: &BlockData) -> bool {
    called(block).is_some_and(|callee| {
        let is_own = program.functions[callee].name.starts_with("__attest_");
        program.is_library(callee) && !is_own
    })
}

/// Whether a block may end the program by a function of the C library that first runs functions
/// which others gave to `atexit`, for signals, or for the end of a thread.
fn ends_program(program: &Program, block: &BlockData) -> bool {
    let Some(callee) = called(block) else {
        return false;
    };
    let data = &program.functions[callee];
    match data.name.as_str() {
        "exit" | "abort" | "quick_exit" | "error" | "error_at_line" => true,
        "_exit"
        | "_Exit"
        | "longjmp"
        | "_longjmp"
        | "siglongjmp"
        | "__longjmp_chk"
        | "__builtin_longjmp"
        | "__builtin_unreachable" => false,
        _ => data.noreturn && data.body.is_none(),
    }
}

/// Whether a block goes on in another context, whose functions may be any.
fn switches_context(block: &BlockData) -> bool {
    let names = ["`setcontext`", "`swapcontext`"];
    matches!(&block.terminator, Terminator::Unsupported { construct, .. }
        if names.contains(&construct.as_str()))
}

/// Whether a block ends in a call of an unknown function; if so, whether it is one that may do
/// more than a function of the C library does: it is the user's, or is given a function to call.
pub(crate) fn calls_unknown(program: &Program, block: &BlockData) -> Option<bool> {
    let Terminator::Call { callee, .. } = &block.terminator else {
        return None;
    };
    let Callee::Direct(callee) = callee else {
        return Some(true);
    };
    let function = &program.functions[*callee];
    if program.may_be_own(*callee) {
        return Some(true);
    }
    let is_unknown = function.body.is_none() && !ir::library::is_known(&program.types, function);
    is_unknown.then(|| !program.keeps_to_itself(*callee) || program.may_call_back(*callee))
}

/// The functions, and all that the unsupported constructs in them mention or call.
fn with_mentioned(program: &Program, functions: &[FunctionId]) -> Vec<FunctionId> {
    let mut found: BTreeSet<FunctionId> = functions.iter().copied().collect();
    let mut waiting: Vec<FunctionId> = functions.to_vec();
    while let Some(function) = waiting.pop() {
        let blocks = program.functions[function]
            .body
            .iter()
            .flat_map(|body| &body.blocks);
        let mentioned = blocks
            .filter(|block| is_construct(program, block))
            .flat_map(functions_in);
        let called = program.with_callees(mentioned.collect());
        waiting.extend(called.into_iter().filter(|&callee| found.insert(callee)));
    }
    found.into_iter().collect()
}

/// Whether a block ends in what stands for an unsupported construct, which calls only what it
/// mentions.
fn is_construct(program: &Program, block: &BlockData) -> bool {
    direct(block).is_some_and(|(callee, _)| program.functions[callee].name == UNSUPPORTED_CONSTRUCT)
}

/// Whether a block gives a function without a body, or a pointer that may lead to one, to a model
/// of the C library or to an unsupported construct, which may call it.
fn hands_over_unknown(program: &Program, body: &Body, block: &BlockData, world: World) -> bool {
    let Some((callee, arguments)) = direct(block) else {
        return false;
    };
    let is_modelled = program.origin(callee) != Origin::User
        || ir::library::is_known(&program.types, &program.functions[callee]);
    let may_call = is_construct(program, block) || (is_modelled && program.takes_callbacks(callee));
    let typing = Typing {
        types: &program.types,
        globals: &program.globals,
        locals: &body.locals,
    };
    let is_unknown = |operand: &Operand| match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Function(function) => is_unknown(program, function),
            ConstantValue::Global { .. } => {
                world != World::Closed && program.is_callback(constant.ty)
            }
            _ => false,
        },
        Operand::Copy(_) => {
            world != World::Closed
                && typing
                    .operand(operand)
                    .is_some_and(|ty| program.is_callback(ty))
        }
    };
    may_call && arguments.iter().any(is_unknown)
}

/// Whether a function has no body and is none of the C library that keeps to itself.
fn is_unknown(program: &Program, function: FunctionId) -> bool {
    let data = &program.functions[function];
    let is_modelled = ir::library::is_known(&program.types, data);
    let may_call = !program.keeps_to_itself(function) || program.may_call_back(function);
    data.body.is_none() && (!is_modelled || program.may_be_own(function)) && may_call
}

/// The function that a block calls by its name, and the arguments.
fn direct(block: &BlockData) -> Option<(FunctionId, &[Operand])> {
    match &block.terminator {
        Terminator::Call {
            callee: Callee::Direct(callee),
            arguments,
            ..
        } => Some((*callee, arguments)),
        _ => None,
    }
}

/// The functions with a body that a call is given.
fn functions_in(block: &BlockData) -> impl Iterator<Item = FunctionId> + '_ {
    let arguments = direct(block).map_or(&[][..], |(_, arguments)| arguments);
    arguments.iter().filter_map(|operand| match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Function(function) => Some(function),
            _ => None,
        },
        Operand::Copy(_) => None,
    })
}
