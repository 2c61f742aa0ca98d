//! The values that a function mentions.

use ir::{Body, Operand, Rvalue, StatementKind, Terminator};

/// The operands of a function that are values, not parts of places.
pub(crate) fn operands(body: &Body) -> impl Iterator<Item = &Operand> {
    body.blocks.iter().flat_map(|block| {
        let statements = block.statements.iter();
        let values = statements.flat_map(|statement| match &statement.kind {
            StatementKind::Assign(_, value) => match value {
                Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                    vec![operand]
                }
                Rvalue::Binary(_, left, right) => vec![left, right],
                Rvalue::PointerOffset { pointer, .. } => vec![pointer],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        });
        let ends = match &block.terminator {
            Terminator::Return(Some(operand)) => vec![operand],
            Terminator::Call { arguments, .. } => arguments.iter().collect(),
            _ => Vec::new(),
        };
        values.chain(ends)
    })
}
