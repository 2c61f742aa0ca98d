//! Blocks from which control only comes to an assumption that never holds.
//!
//! A parser that calls `fail()` where a text is no program, and assumes there that this does not happen,
//! has many ways into such blocks. Nothing is to be found behind them: no goal, no end of a path, and
//! no operation that could be a defect on the way.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{
    Block, BlockData, Body, Callee, CodeBlock, CodeIndex, ConstantValue, FunctionId, Local,
    LocalKind, Operand, PlaceBase, Program, Rvalue, StatementKind, Terminator,
};

use crate::goals::{GoalId, Goals};

/// The barren blocks of a program. `is_assumption` tells which functions assume their argument.
pub fn barren(
    program: &Program,
    index: &CodeIndex,
    is_assumption: impl Fn(FunctionId) -> bool,
) -> FixedBitSet {
    let mut barren = FixedBitSet::with_capacity(index.blocks());
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
                if barren.contains(here.index()) || !data.statements.iter().all(is_idle) {
                    continue;
                }
                let is_barren = |block: CodeBlock| barren.contains(block.index());
                let leads_nowhere = match &data.terminator {
                    Terminator::Goto(next) => is_barren(index.block(id, *next)),
                    Terminator::Call {
                        callee: Callee::Direct(callee),
                        arguments,
                        ..
                    } if arguments.iter().all(|given| is_safe(given, body)) => {
                        match is_assumption(*callee) {
                            true => arguments.first().is_some_and(|given| is_zero(given, data)),
                            false => entry(*callee).is_some_and(is_barren),
                        }
                    }
                    _ => false,
                };
                if leads_nowhere {
                    barren.insert(here.index());
                    changes = true;
                }
            }
        }
    }
    barren
}

/// The goals that only executions come to which go on into barren blocks: those are rejected.
pub fn barren_goals(
    program: &Program,
    index: &CodeIndex,
    goals: &Goals,
    barren: &FixedBitSet,
) -> Vec<GoalId> {
    let mut fruitful: IndexVec<GoalId, Option<bool>> = IndexVec::from_vec(vec![None; goals.len()]);
    for (id, function) in program.functions.iter_enumerated() {
        let blocks = function
            .body
            .iter()
            .flat_map(|body| body.blocks.iter_enumerated());
        for (block, data) in blocks {
            let here = index.block(id, block);
            let ways = data.terminator.successors().into_iter().enumerate();
            let decided = ways.filter(|_| data.terminator.decides());
            let by_edge = decided.map(|(way, next)| {
                (
                    goals.on_edge(index.edge(id, block, way)),
                    index.block(id, next),
                )
            });
            for (covered, next) in by_edge.chain([(goals.on_block(here), here)]) {
                for &goal in covered {
                    let is_fruitful = fruitful[goal].get_or_insert(false);
                    *is_fruitful |= !barren.contains(next.index());
                }
            }
        }
    }
    let barren = fruitful.into_iter_enumerated();
    let barren = barren.filter(|&(_, fruitful)| fruitful == Some(false));
    barren.map(|(goal, _)| goal).collect()
}

/// Whether a statement cannot be a defect, and is seen by nobody.
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
