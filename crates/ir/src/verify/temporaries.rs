//! Temporaries: assigned on every path before they are read.

use index_vec::IndexVec;
use rustc_hash::FxHashSet;

use super::Invariant;
use super::body::BodyChecker;
use crate::{
    Block, BlockData, Body, Callee, ControlFlow, Local, LocalKind, Operand, Place, PlaceBase,
    Projection, Rvalue, StatementKind, Terminator,
};

/// Checks all blocks that can be reached from the entry: every way back from a read to the entry
/// has to pass a write. Ways back are short, so that this is linear in practice.
pub(super) fn check(checker: &mut BodyChecker<'_>) {
    let body = checker.body;
    let accesses = Accesses::of(body);
    let mut seen: IndexVec<Block, Option<Local>> =
        IndexVec::from_vec(vec![None; body.blocks.len()]);
    for &Exposed { local, block, step } in &accesses.exposed {
        if accesses.comes_unwritten(local, block, &mut seen) {
            checker.block = Some(block);
            checker.statement = Some(step);
            checker.fail(
                Invariant::Temporaries,
                format!("{local} is read before it is assigned"),
            );
        }
    }
}

/// A read of a temporary in a block that does not write it before.
#[derive(Clone, Copy)]
struct Exposed {
    local: Local,
    block: Block,
    step: usize,
}

/// Where the blocks that can be reached access temporaries.
struct Accesses {
    /// By temporary.
    exposed: Vec<Exposed>,
    writes: FxHashSet<(Block, Local)>,
    flow: ControlFlow,
}

impl Accesses {
    fn of(body: &Body) -> Self {
        let is_temporary = |local: Local| body.locals[local].kind == LocalKind::Temporary;
        let mut found = Accesses {
            exposed: Vec::new(),
            writes: FxHashSet::default(),
            flow: ControlFlow::new(body),
        };
        let reached = found.flow.reachable([Block::from_raw(0)]);
        for block in reached.ones().map(Block::from_usize) {
            let data = &body.blocks[block];
            let mut step = 0;
            walk(data, |event| match event {
                Event::Read(local) => {
                    if is_temporary(local) && !found.writes.contains(&(block, local)) {
                        found.exposed.push(Exposed { local, block, step });
                    }
                }
                Event::Write(local) => {
                    if is_temporary(local) {
                        found.writes.insert((block, local));
                    }
                }
                Event::NextStep => step += 1,
            });
        }
        found.exposed.sort_by_key(|read| read.local);
        found
    }

    /// Whether a way from the entry to a block has no write of a local. A block that was seen for a
    /// local is not visited again for it.
    fn comes_unwritten(
        &self,
        local: Local,
        block: Block,
        seen: &mut IndexVec<Block, Option<Local>>,
    ) -> bool {
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            if block == Block::from_raw(0) {
                return true;
            }
            for &before in self.flow.predecessors(block) {
                let is_written = self.writes.contains(&(before, local));
                if !is_written && seen[before].replace(local) != Some(local) {
                    open.push(before);
                }
            }
        }
        false
    }
}

/// The events of locals in a block.
#[derive(Clone, Copy)]
enum Event {
    Read(Local),
    /// Written in whole or in part.
    Write(Local),
    /// The statement is over.
    NextStep,
}

/// Reports the events of locals in a block, in order.
fn walk(block: &BlockData, mut tell: impl FnMut(Event)) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                rvalue(value, &mut tell);
                write(place, &mut tell);
            }
            StatementKind::StorageLiveArray(_, length) => operand(length, &mut tell),
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
        // Writes through the address are not followed, so taking it counts as writing.
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

/// The operands that determine a place.
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
