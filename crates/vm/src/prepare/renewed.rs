//! Locals whose declaration is reached again within their lifetime.

use ir::{Block, Body, ControlFlow, Local, StatementKind};

/// Whether a jump can lead back to a local's declaration without leaving the block that it stands
/// in. The local is then the same object. If it was assigned to before, reading it is not undefined
/// (C17 6.3.2.1p2).
pub(super) fn is_renewed(
    body: &Body,
    flow: &ControlFlow,
    local: Local,
    declared_in: Block,
) -> bool {
    let lives_on = |block| lives_on(body, local, block);
    let next = match lives_on(declared_in) {
        true => flow.successors(declared_in),
        false => &[],
    };
    flow.walk(next.iter().copied(), lives_on)
        .any(|block| block == declared_in)
}

/// Whether a local that lives in a block may live at its end.
fn lives_on(body: &Body, local: Local, block: Block) -> bool {
    let statements = body.blocks[block].statements.iter();
    let last = statements.rev().find_map(|statement| match statement.kind {
        StatementKind::StorageLive(of) | StatementKind::StorageLiveArray(of, _) if of == local => {
            Some(true)
        }
        StatementKind::StorageDead(of) if of == local => Some(false),
        _ => None,
    });
    last.unwrap_or(true)
}
