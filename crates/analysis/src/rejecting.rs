//! Rejecting blocks: control that enters one reaches only an assumption that never holds.
//!
//! A parser that calls `fail()` on a text that is no program, and assumes in `fail` that this does not
//! happen, has many such blocks. An execution that enters one is rejected: it covers no goal, and no
//! operation on the way there can be a defect.

use fixedbitset::FixedBitSet;
use ir::{
    Block, BlockData, Body, Callee, CodeBlock, CodeIndex, ConstantValue, FunctionId, Local,
    LocalKind, Operand, PlaceBase, Program, Rvalue, StatementKind, Terminator,
};

/// The rejecting blocks of a program. `is_assumption` tells which functions assume their argument.
pub fn rejecting(
    program: &Program,
    index: &CodeIndex,
    is_assumption: impl Fn(FunctionId) -> bool,
) -> FixedBitSet {
    let mut rejecting = FixedBitSet::with_capacity(index.blocks());
    let entry = |function: FunctionId| {
        let body = program.functions.get(function)?.body.as_ref()?;
        let has_blocks = !body.blocks.is_empty();
        has_blocks.then(|| index.block(function, Block::from_raw(0)))
    };
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for (id, function) in program.functions.iter_enumerated() {
            let body = function.body.iter();
            let blocks = body.flat_map(|body| {
                let blocks = body.blocks.iter_enumerated();
                blocks.map(move |(block, data)| (body, block, data))
            });
            for (body, block, data) in blocks {
                let here = index.block(id, block);
                let is_idle = |statement| is_idle(statement, body);
                if rejecting.contains(here.index()) || !data.statements.iter().all(is_idle) {
                    continue;
                }
                let is_rejecting = |block: CodeBlock| rejecting.contains(block.index());
                let is_rejected = match &data.terminator {
                    Terminator::Goto(next) => is_rejecting(index.block(id, *next)),
                    Terminator::Call {
                        callee: Callee::Direct(callee),
                        arguments,
                        ..
                    } if arguments.iter().all(|given| is_safe(given, body)) => {
                        match is_assumption(*callee) {
                            true => arguments.first().is_some_and(|given| is_zero(given, data)),
                            false => entry(*callee).is_some_and(is_rejecting),
                        }
                    }
                    _ => false,
                };
                if is_rejected {
                    rejecting.insert(here.index());
                    changes = true;
                }
            }
        }
    }
    rejecting
}

/// Whether a statement cannot be a defect and changes nothing but temporaries and locals.
fn is_idle(statement: &ir::Statement, body: &Body) -> bool {
    match &statement.kind {
        StatementKind::StorageLive(_) | StatementKind::StorageDead(_) => true,
        StatementKind::Assign(place, value) => {
            let is_local = matches!(place.base, PlaceBase::Local(_));
            let is_plain = match value {
                Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => is_safe(operand, body),
                Rvalue::Binary(op, left, right) => {
                    op.is_comparison() && is_safe(left, body) && is_safe(right, body)
                }
                _ => false,
            };
            is_local && place.projections.is_empty() && is_plain
        }
    }
}

/// Whether an operand has a value at all.
fn is_safe(operand: &Operand, body: &Body) -> bool {
    match operand {
        Operand::Constant(_) => true,
        Operand::Copy(local) => body.locals[*local].kind != LocalKind::Variable,
    }
}

/// Whether an operand at the end of a block is zero, as its statements tell.
fn is_zero(operand: &Operand, data: &BlockData) -> bool {
    value(operand, data, data.statements.len()) == Some(0)
}

fn value(operand: &Operand, data: &BlockData, before: usize) -> Option<u128> {
    match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Int(bits) => Some(bits),
            _ => None,
        },
        Operand::Copy(local) => assigned(*local, data, before),
    }
}

/// What a local was given last before a statement.
fn assigned(local: Local, data: &BlockData, before: usize) -> Option<u128> {
    let is_of_local = |at: &usize| match &data.statements[*at].kind {
        StatementKind::Assign(place, _) => {
            matches!(place.base, PlaceBase::Local(it) if it == local)
        }
        _ => false,
    };
    let at = (0..before).rev().find(is_of_local)?;
    let StatementKind::Assign(_, given) = &data.statements[at].kind else {
        return None;
    };
    match given {
        Rvalue::Use(operand) => value(operand, data, at),
        Rvalue::Binary(op, left, right) => {
            let (left, right) = (value(left, data, at)?, value(right, data, at)?);
            match op {
                ir::BinaryOp::Ne => Some(u128::from(left != right)),
                ir::BinaryOp::Eq => Some(u128::from(left == right)),
                _ => None,
            }
        }
        _ => None,
    }
}
