//! The locals whose values may still be read: live variables, of those that live in registers.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{
    Block, BlockData, Body, Callee, ControlFlow, Local, Operand, Place, PlaceBase, Projection,
    Rvalue, StatementKind, Terminator,
};

use crate::data_flow::{Direction, Problem, solve};

/// The locals that are live at the start of each block. Those whose address is taken, and those
/// that are no scalars, are always live.
#[derive(Clone, Debug)]
pub struct Liveness {
    live: IndexVec<Block, FixedBitSet>,
    always: FixedBitSet,
}

impl Liveness {
    /// Those of a body. `is_register` says which of its locals are only read and written as a
    /// whole, by name.
    pub fn new(body: &Body, is_register: impl Fn(Local) -> bool) -> Liveness {
        let mut always = FixedBitSet::with_capacity(body.locals.len());
        let others = body.locals.indices().filter(|&local| !is_register(local));
        always.extend(others.map(|local| local.index()));
        let live = solve(&ControlFlow::new(body), &LiveLocals { body });
        Liveness { live, always }
    }

    /// Whether a local may be read after the start of a block, before it is written.
    pub fn is_live(&self, block: Block, local: Local) -> bool {
        self.always.contains(local.index()) || self.live[block].contains(local.index())
    }
}

struct LiveLocals<'b> {
    body: &'b Body,
}

impl Problem for LiveLocals<'_> {
    type Fact = FixedBitSet;

    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.body.locals.len())
    }

    fn join(&self, fact: &mut FixedBitSet, other: &FixedBitSet) {
        fact.union_with(other);
    }

    fn transfer(&self, block: Block, mut live: FixedBitSet) -> FixedBitSet {
        let block = &self.body.blocks[block];
        through_terminator(block, &mut live);
        for statement in block.statements.iter().rev() {
            if let StatementKind::Assign(place, value) = &statement.kind {
                written(place, &mut live);
                read_by(value, &mut live);
            }
        }
        live
    }
}

/// The locals that a statement of a block reads, or that its end does, behind all statements.
pub(crate) fn read_at(block: &BlockData, at: usize) -> FixedBitSet {
    let mut read = FixedBitSet::new();
    match block.statements.get(at).map(|statement| &statement.kind) {
        Some(StatementKind::Assign(place, value)) => {
            if place.as_local().is_none() {
                looked_up(place, &mut read);
            }
            read_by(value, &mut read);
        }
        Some(StatementKind::StorageLiveArray(_, length)) => self::read(length, &mut read),
        Some(_) => {}
        None => through_terminator(block, &mut read),
    }
    read
}

fn through_terminator(block: &BlockData, live: &mut FixedBitSet) {
    match &block.terminator {
        Terminator::Branch { operand, .. } | Terminator::Switch { operand, .. } => {
            read(operand, live);
        }
        Terminator::Call {
            callee,
            arguments,
            destination,
            ..
        } => {
            if let Some(place) = destination {
                written(place, live);
            }
            arguments.iter().for_each(|argument| read(argument, live));
            if let Callee::Indirect(pointer) = callee {
                read(pointer, live);
            }
        }
        Terminator::Return(Some(operand)) => read(operand, live),
        Terminator::Return(None)
        | Terminator::Goto(_)
        | Terminator::Unreachable
        | Terminator::Unsupported { .. } => {}
    }
}

/// Goes back over a store. The old value of a whole local is not live before it; the operands of the
/// place are.
fn written(place: &Place, live: &mut FixedBitSet) {
    match place.as_local() {
        Some(local) if live.contains(local.index()) => live.remove(local.index()),
        Some(_) => {}
        None => looked_up(place, live),
    }
}

fn read_by(value: &Rvalue, live: &mut FixedBitSet) {
    match value {
        Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
            read(operand, live);
        }
        Rvalue::Binary(_, left, right) | Rvalue::PointerDifference { left, right, .. } => {
            read(left, live);
            read(right, live);
        }
        Rvalue::PointerOffset { pointer, index, .. } => {
            read(pointer, live);
            read(index, live);
        }
        Rvalue::Load(place) => {
            if let Some(local) = place.as_local() {
                live.grow_and_insert(local.index());
            }
            looked_up(place, live);
        }
        Rvalue::AddressOf(place) => looked_up(place, live),
        Rvalue::Zero(_) => {}
    }
}

/// Adds the operands of a place.
fn looked_up(place: &Place, live: &mut FixedBitSet) {
    if let PlaceBase::Deref(pointer) = &place.base {
        read(pointer, live);
    }
    for step in &place.projections {
        if let Projection::Index(index) = step {
            read(index, live);
        }
    }
}

fn read(operand: &Operand, live: &mut FixedBitSet) {
    if let Operand::Copy(local) = operand {
        live.grow_and_insert(local.index());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `do { _1 = _0; } while (_1); return _2;` with `_0`, `_1`, `_2`.
    #[test]
    fn a_local_is_live_until_its_last_read() {
        let copy = |local: u32| Operand::Copy(Local::from_raw(local));
        let block = |statements, terminator| BlockData {
            statements,
            terminator,
            span: ir::SpanId::from_raw(0),
        };
        let ty = ir::TypeId::from_raw(0);
        let assign = ir::Statement {
            kind: StatementKind::Assign(
                Place {
                    base: PlaceBase::Local(Local::from_raw(1)),
                    projections: Vec::new(),
                    ty,
                },
                Rvalue::Use(copy(0)),
            ),
            span: ir::SpanId::from_raw(0),
            operation: None,
        };
        let head = Block::from_raw(0);
        let end = Block::from_raw(1);
        let branch = Terminator::Branch {
            operand: copy(1),
            then: head,
            otherwise: end,
            tag: None,
        };
        let mut body = Body::default();
        for _ in 0..3 {
            body.locals.push(ir::LocalDecl {
                name: None,
                ty,
                kind: ir::LocalKind::Variable,
                constant: false,
                address_taken: false,
                volatile: false,
            });
        }
        body.blocks.push(block(vec![assign], branch));
        body.blocks
            .push(block(Vec::new(), Terminator::Return(Some(copy(2)))));
        let liveness = Liveness::new(&body, |_| true);
        let live = |block, local: u32| liveness.is_live(block, Local::from_raw(local));
        assert_eq!(
            [0, 1, 2].map(|local| live(head, local)),
            [true, false, true]
        );
        assert_eq!(
            [0, 1, 2].map(|local| live(end, local)),
            [false, false, true]
        );
        let none = Liveness::new(&body, |_| false);
        assert!(none.is_live(end, Local::from_raw(1)));
    }
}
