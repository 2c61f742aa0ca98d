//! Operations of integers that tell their sides, so that the runtime says which mutants have another
//! value.

use std::collections::BTreeMap;

use ir::{BinaryOp, Body, Change, ConstantValue, Operand, OperationId, Rvalue, StatementKind};

/// An operation, as far as its mutants depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operator {
    pub op: BinaryOp,
    /// The side that is a constant: 0 or 1.
    pub constant: Option<usize>,
}

/// The number that the runtime has for a change; see `attest_operated`.
pub(super) fn number_of(change: Change) -> u64 {
    match change {
        Change::Operator(op) => op as u64,
        Change::Outcome(outcome) => 16 + u64::from(outcome),
        Change::Constant(more) => 18 + u64::from(more < 0),
    }
}

/// The operations of a body that are evaluated.
pub(super) fn operators(body: &Body) -> BTreeMap<OperationId, Operator> {
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    let evaluated = statements.filter_map(|statement| {
        let StatementKind::Assign(_, Rvalue::Binary(op, left, right)) = &statement.kind else {
            return None;
        };
        let mut sides = [left, right].into_iter();
        let operator = Operator {
            op: *op,
            constant: sides.position(is_constant),
        };
        Some((statement.operation?, operator))
    });
    evaluated.collect()
}

/// The operations of a body, if another reading of it has the same.
pub(super) fn shared(body: &Body, other: &Body) -> BTreeMap<OperationId, Operator> {
    let (mine, others) = (operators(body), operators(other));
    match body.operations.len() == other.operations.len() && mine == others {
        true => mine,
        false => BTreeMap::new(),
    }
}

/// Whether a text that is assigned to can be read once more: it has no effect.
pub(super) fn can_be_read_twice(text: &str) -> bool {
    let mut before = ' ';
    let mut calls = false;
    for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
        let may_be_called = before.is_alphanumeric() || matches!(before, '_' | ')' | ']');
        calls |= letter == '(' && may_be_called;
        before = letter;
    }
    !calls
        && !["++", "--", "=", "{", "asm"]
            .iter()
            .any(|effect| text.contains(effect))
}

fn is_constant(side: &Operand) -> bool {
    matches!(side, Operand::Constant(constant) if matches!(constant.value, ConstantValue::Int(_)))
}

#[cfg(test)]
mod tests {
    use super::can_be_read_twice;

    #[test]
    fn a_place_is_read_twice_only_if_that_has_no_effect() {
        for place in ["x", "p->a[i].b", "*(p + 1)", "a[ (i) ]"] {
            assert!(can_be_read_twice(place), "{place}");
        }
        for place in ["*p++", "*f(x)", "a[i = 2]", "*(f) (x)", "a[--i]"] {
            assert!(!can_be_read_twice(place), "{place}");
        }
    }
}
