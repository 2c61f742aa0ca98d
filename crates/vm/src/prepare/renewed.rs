//! Locals whose declaration is reached again within their lifetime.

use ir::{Block, Body, Local, StatementKind};

/// Whether a jump can lead back to a local's declaration without leaving the block that it stands in. The local
/// is then the same object. If it was assigned to before, reading it is not undefined (C17 6.3.2.1p2).
pub(super) fn is_renewed(body: &Body, local: Local, declared_in: Block) -> bool {
    let mut waiting = live_ends(body, local, declared_in);
    let mut seen = vec![false; body.blocks.len()];
    while let Some(block) = waiting.pop() {
        if block == declared_in {
            return true;
        }
        if !std::mem::replace(&mut seen[block.index()], true) {
            waiting.extend(live_ends(body, local, block));
        }
    }
    false
}

/// Where control goes from a block at whose end the local lives.
fn live_ends(body: &Body, local: Local, block: Block) -> Vec<Block> {
    let statements = body.blocks[block].statements.iter();
    let last = statements.rev().find_map(|statement| match statement.kind {
        StatementKind::StorageLive(of) if of == local => Some(true),
        StatementKind::StorageDead(of) if of == local => Some(false),
        _ => None,
    });
    match last {
        Some(false) => Vec::new(),
        _ => body.blocks[block].terminator.successors(),
    }
}
