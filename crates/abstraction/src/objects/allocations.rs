//! Calls of the C library that allocate memory, or give it back.

use ir::{
    Callee, ConstantValue, Local, Operand, Origin, Program, Rvalue, StatementKind, Terminator,
};

use crate::graph::unfolding::{ContextId, Unfolding};
use crate::objects::places::is_register;

/// What a call does to the heap.
#[derive(Clone, Copy, Debug)]
pub enum HeapCall<'p> {
    /// `malloc(size)`.
    Allocate {
        /// The size.
        size: &'p Operand,
    },
    /// `calloc(count, size)`.
    AllocateZeroed {
        /// How many.
        count: &'p Operand,
        /// The size of each.
        size: &'p Operand,
    },
    /// `free(pointer)`.
    Free {
        /// The pointer.
        pointer: &'p Operand,
    },
}

/// What the call at the end of a block does to the heap, if it is the C library's.
pub fn heap_call<'p>(
    program: &Program,
    callee: &Callee,
    arguments: &'p [Operand],
) -> Option<HeapCall<'p>> {
    let callee = callee.direct()?;
    let function = &program.functions[callee];
    let is_library = function.body.is_some() && program.origin(callee) == Origin::Model;
    if !is_library || program.may_be_own(callee) {
        return None;
    }
    match (function.name.as_str(), arguments) {
        ("malloc", [size]) => Some(HeapCall::Allocate { size }),
        ("calloc", [count, size]) => Some(HeapCall::AllocateZeroed { count, size }),
        ("free", [pointer]) => Some(HeapCall::Free { pointer }),
        _ => None,
    }
}

/// How many bytes an allocation gives, if that is a constant other than 0.
pub fn allocated_size(
    unfolding: &Unfolding<'_>,
    context: ContextId,
    call: HeapCall<'_>,
) -> Option<u64> {
    let size = match call {
        HeapCall::Allocate { size } => constant(unfolding, context, size, DEPTH)?,
        HeapCall::AllocateZeroed { count, size } => {
            let count = constant(unfolding, context, count, DEPTH)?;
            count.checked_mul(constant(unfolding, context, size, DEPTH)?)?
        }
        HeapCall::Free { .. } => return None,
    };
    (1..=LARGEST).contains(&size).then_some(size)
}

/// How many copies are followed to a constant.
const DEPTH: u32 = 8;

/// The largest size that is taken for that of a node.
const LARGEST: u64 = 1 << 20;

/// The value of an operand that is a constant, or a local that only ever holds one.
fn constant(
    unfolding: &Unfolding<'_>,
    context: ContextId,
    operand: &Operand,
    depth: u32,
) -> Option<u64> {
    let depth = depth.checked_sub(1)?;
    let local = match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Int(value) => return u64::try_from(value).ok(),
            _ => return None,
        },
        Operand::Copy(local) => *local,
    };
    let program = unfolding.program();
    let body = unfolding.body(context);
    let is_number = program.types.int(body.locals[local].ty).is_some();
    if !is_number || !is_register(program, &body.locals[local]) {
        return None;
    }
    let assigned = assigned(unfolding, context, local);
    let data = unfolding.data(context);
    let mut parameters = program.functions[data.function].parameter_locals();
    match (assigned.as_slice(), parameters.position(|it| it == local)) {
        ([], Some(at)) => {
            let (caller, block) = data.caller?;
            let call = &unfolding.body(caller).blocks[block].terminator;
            let Terminator::Call { arguments, .. } = call else {
                return None;
            };
            let value = constant(unfolding, caller, arguments.get(at)?, depth)?;
            let width = program.types.int(body.locals[local].ty)?.width;
            fits(value, width)
        }
        ([Some(Rvalue::Use(operand))], None) => constant(unfolding, context, operand, depth),
        _ => None,
    }
}

/// A value, if it is small enough for any integer of a width.
fn fits(value: u64, width: u32) -> Option<u64> {
    (u128::from(value) <= expr::mask(width) >> 1).then_some(value)
}

/// All that is assigned to a local; `None` is the result of a call.
fn assigned<'p>(
    unfolding: &Unfolding<'p>,
    context: ContextId,
    local: Local,
) -> Vec<Option<&'p Rvalue>> {
    let is_it = |place: &ir::Place| matches!(place.base, ir::PlaceBase::Local(of) if of == local);
    let mut all = Vec::new();
    for block in &unfolding.data(context).body.blocks {
        for statement in &block.statements {
            if let StatementKind::Assign(place, value) = &statement.kind
                && is_it(place)
            {
                all.push(Some(value));
            }
        }
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = &block.terminator
            && is_it(place)
        {
            all.push(None);
        }
    }
    all
}
