//! The locals whose lifetime may have started without a value being assigned since: C leaves open
//! what they hold, whatever was assigned to them before.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{Block, Body, ControlFlow, Local, StatementKind, Terminator};

use crate::data_flow::{Direction, Problem, solve};

/// The renewed locals at the start of each block.
pub(crate) fn renewed(body: &Body, flow: &ControlFlow) -> IndexVec<Block, FixedBitSet> {
    let problem = Renewed { body };
    let at_ends = solve(flow, &problem);
    let blocks = body.blocks.indices();
    let at_start = blocks.map(|block| {
        let mut fact = problem.bottom();
        for &before in flow.predecessors(block) {
            fact.union_with(&at_ends[before]);
        }
        fact
    });
    at_start.collect()
}

/// Follows a statement.
pub(crate) fn follow(statement: &StatementKind, renewed: &mut FixedBitSet) {
    match statement {
        StatementKind::StorageLive(local) | StatementKind::StorageLiveArray(local, _) => {
            renewed.insert(local.index())
        }
        StatementKind::Assign(place, _) => forget(place.as_local(), renewed),
        StatementKind::StorageDead(_) => {}
    }
}

fn forget(local: Option<Local>, renewed: &mut FixedBitSet) {
    if let Some(local) = local {
        renewed.remove(local.index());
    }
}

struct Renewed<'a> {
    body: &'a Body,
}

impl Problem for Renewed<'_> {
    type Fact = FixedBitSet;

    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.body.locals.len())
    }

    fn join(&self, fact: &mut FixedBitSet, other: &FixedBitSet) {
        fact.union_with(other);
    }

    fn transfer(&self, block: Block, mut renewed: FixedBitSet) -> FixedBitSet {
        let data = &self.body.blocks[block];
        for statement in &data.statements {
            follow(&statement.kind, &mut renewed);
        }
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = &data.terminator
        {
            forget(place.as_local(), &mut renewed);
        }
        renewed
    }
}
