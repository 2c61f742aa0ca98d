//! Finds the blocks that may run a function without a body which they do not call by name. A model of the C
//! library calls the functions that it is given (`qsort`), and an unsupported construct those that it mentions.

use std::collections::BTreeSet;

use ir::{
    BlockData, Body, Callee, ConstantValue, FunctionId, Operand, Origin, Program, Terminator,
    Typing, UNSUPPORTED_CONSTRUCT,
};

use crate::globals::World;

/// The functions, and all that the unsupported constructs in them mention or call.
pub(crate) fn with_mentioned(program: &Program, functions: &[FunctionId]) -> Vec<FunctionId> {
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

/// Whether a block ends in what stands for an unsupported construct, which calls only what it mentions.
pub(crate) fn is_construct(program: &Program, block: &BlockData) -> bool {
    direct(block).is_some_and(|(callee, _)| program.functions[callee].name == UNSUPPORTED_CONSTRUCT)
}

/// Whether a block gives a function without a body, or a pointer that may lead to one, to a model of the C library
/// or to an unsupported construct, which may call it.
pub(crate) fn hands_over_unknown(
    program: &Program,
    body: &Body,
    block: &BlockData,
    world: World,
) -> bool {
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
    data.body.is_none()
        && !ir::library::is_known(&program.types, data)
        && (!program.keeps_to_itself(function) || program.may_call_back(function))
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
