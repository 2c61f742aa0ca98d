//! Temporaries: assigned on every path before they are read.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;

use super::Invariant;
use super::body::BodyChecker;
use crate::{
    Block, BlockData, Body, Callee, Local, LocalKind, Operand, Place, PlaceBase, Projection,
    Rvalue, StatementKind, Terminator,
};

/// Checks all blocks that can be reached from the entry.
pub(super) fn check(checker: &mut BodyChecker<'_>) {
    let body = checker.body;
    let is_temporary = |local: Local| body.locals[local].kind == LocalKind::Temporary;
    for (block, assigned) in assigned_at_entry(body).into_iter_enumerated() {
        let Some(mut assigned) = assigned else {
            continue;
        };
        checker.block = Some(block);
        let mut step = 0;
        walk(&body.blocks[block], |event| match event {
            Event::Read(local) => {
                if is_temporary(local) && !assigned.contains(local.index()) {
                    checker.statement = Some(step);
                    checker.fail(
                        Invariant::Temporaries,
                        format!("{local} is read before it is assigned"),
                    );
                }
            }
            Event::Write(local) => assigned.insert(local.index()),
            Event::NextStep => step += 1,
        });
    }
}

/// For each block that can be reached, the locals that are assigned on every path to it.
fn assigned_at_entry(body: &Body) -> IndexVec<Block, Option<FixedBitSet>> {
    let mut at_entry: IndexVec<Block, Option<FixedBitSet>> =
        IndexVec::from_vec(vec![None; body.blocks.len()]);
    let entry = Block::from_raw(0);
    at_entry[entry] = Some(FixedBitSet::with_capacity(body.locals.len()));
    let mut open = vec![entry];
    while let Some(block) = open.pop() {
        let Some(mut assigned) = at_entry[block].clone() else {
            continue;
        };
        let data = &body.blocks[block];
        walk(data, |event| {
            if let Event::Write(local) = event {
                assigned.insert(local.index());
            }
        });
        for next in data.terminator.successors() {
            let merged = match &at_entry[next] {
                None => assigned.clone(),
                Some(known) => known & &assigned,
            };
            if at_entry[next].as_ref() != Some(&merged) {
                at_entry[next] = Some(merged);
                open.push(next);
            }
        }
    }
    at_entry
}

/// What happens to locals in a block.
#[derive(Clone, Copy)]
enum Event {
    Read(Local),
    /// Written in whole or in part.
    Write(Local),
    /// The statement is over.
    NextStep,
}

/// Tells what a block does to locals, in order.
fn walk(block: &BlockData, mut tell: impl FnMut(Event)) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                rvalue(value, &mut tell);
                write(place, &mut tell);
            }
            StatementKind::StorageLive(_) | StatementKind::StorageDead(_) => {}
        }
        tell(Event::NextStep);
    }
    terminator(&block.terminator, &mut tell);
}

fn terminator(terminator: &Terminator, tell: &mut impl FnMut(Event)) {
    match terminator {
        Terminator::Branch {
            operand: tested, ..
        }
        | Terminator::Switch {
            operand: tested, ..
        } => {
            operand(tested, tell);
        }
        Terminator::Call {
            callee,
            arguments,
            destination,
            ..
        } => {
            if let Callee::Indirect(pointer) = callee {
                operand(pointer, tell);
            }
            for argument in arguments {
                operand(argument, tell);
            }
            if let Some(place) = destination {
                write(place, tell);
            }
        }
        Terminator::Return(value) => {
            if let Some(value) = value {
                operand(value, tell);
            }
        }
        Terminator::Goto(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
    }
}

fn rvalue(value: &Rvalue, tell: &mut impl FnMut(Event)) {
    match value {
        Rvalue::Use(used) | Rvalue::Unary(_, used) | Rvalue::Cast(_, used, _) => {
            operand(used, tell);
        }
        Rvalue::Load(place) => {
            inside(place, tell);
            if let PlaceBase::Local(local) = place.base {
                tell(Event::Read(local));
            }
        }
        // What is written through the address is not followed, so taking it counts as writing.
        Rvalue::AddressOf(place) => write(place, tell),
        Rvalue::Binary(_, left, right) | Rvalue::PointerDifference { left, right, .. } => {
            operand(left, tell);
            operand(right, tell);
        }
        Rvalue::PointerOffset { pointer, index, .. } => {
            operand(pointer, tell);
            operand(index, tell);
        }
        Rvalue::Zero(_) => {}
    }
}

fn write(place: &Place, tell: &mut impl FnMut(Event)) {
    inside(place, tell);
    if let PlaceBase::Local(local) = place.base {
        tell(Event::Write(local));
    }
}

/// The operands that a place is found with.
fn inside(place: &Place, tell: &mut impl FnMut(Event)) {
    if let PlaceBase::Deref(pointer) = &place.base {
        operand(pointer, tell);
    }
    for step in &place.projections {
        if let Projection::Index(index) = step {
            operand(index, tell);
        }
    }
}

fn operand(operand: &Operand, tell: &mut impl FnMut(Event)) {
    if let Operand::Copy(local) = operand {
        tell(Event::Read(*local));
    }
}
