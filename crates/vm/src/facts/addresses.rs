//! The addresses that the program has as constants.

use std::collections::BTreeSet;

use ir::{CastKind, ConstantValue, Operand, Program, Rvalue, StatementKind};

/// The numbers that the program makes pointers of.
pub(crate) fn addresses(program: &Program) -> BTreeSet<u64> {
    let bodies = program.functions.iter().flat_map(|function| &function.body);
    let blocks = bodies.flat_map(|body| &body.blocks);
    let statements = blocks.flat_map(|block| &block.statements);
    let values = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(_, value) => Some(value),
        _ => None,
    });
    let numbers = values.filter_map(|value| match value {
        Rvalue::Cast(CastKind::IntToPointer, Operand::Constant(constant), _)
        | Rvalue::PointerOffset {
            pointer: Operand::Constant(constant),
            ..
        }
        | Rvalue::Use(Operand::Constant(constant)) => match constant.value {
            ConstantValue::Int(bits) if program.types.pointee(constant.ty).is_some() => Some(bits),
            ConstantValue::Int(bits) if matches!(value, Rvalue::Cast(..)) => Some(bits),
            _ => None,
        },
        _ => None,
    });
    let addresses = numbers.filter_map(|bits| u64::try_from(bits).ok());
    addresses.filter(|&bits| bits > 0).collect()
}
