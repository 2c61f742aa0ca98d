//! Reads operators and labels.

use super::super::names;
use super::items::optional_span;
use super::{Cursor, ParseError};
use crate::{
    Block, Change, ConditionId, CoverageLabel, CoverageLabelKind, Mutant, Operation, OperationId,
    SpanId,
};

/// An operator, after its number.
pub(super) fn operation(cursor: &mut Cursor) -> Result<Operation, ParseError> {
    let span = SpanId::from_raw(cursor.id("at")?);
    let sides = [
        SpanId::from_raw(cursor.id("at")?),
        SpanId::from_raw(cursor.id("at")?),
    ];
    Ok(Operation {
        span,
        sides,
        assigns: cursor.accept_word("assigns"),
    })
}

/// A label, after its number.
pub(super) fn coverage_label(cursor: &mut Cursor) -> Result<CoverageLabel, ParseError> {
    if cursor.accept_word("label") {
        let name = cursor.name()?;
        let block = block(cursor)?;
        let span = optional_span(cursor)?;
        let kind = CoverageLabelKind::User { name, span };
        return Ok(CoverageLabel { kind, block });
    }
    let kind = if cursor.accept_word("mutant") {
        mutant(cursor)?
    } else if cursor.accept_word("use") {
        CoverageLabelKind::Use {
            name: cursor.name()?,
            definition: match cursor.accept_word("passed") {
                true => None,
                false => Some(SpanId::from_raw(cursor.id("at")?)),
            },
            usage: SpanId::from_raw(cursor.id("at")?),
            is_result: cursor.accept_word("result"),
        }
    } else {
        cursor.expect_word("boundary")?;
        let condition = ConditionId::from_raw(cursor.id("c")?);
        CoverageLabelKind::Boundary(condition, small(cursor)?)
    };
    let block = block(cursor)?;
    Ok(CoverageLabel { kind, block })
}

fn block(cursor: &mut Cursor) -> Result<Block, ParseError> {
    cursor.expect_word("in")?;
    Ok(Block::from_raw(cursor.id("bb")?))
}

fn mutant(cursor: &mut Cursor) -> Result<CoverageLabelKind, ParseError> {
    let operation = OperationId::from_raw(cursor.id("op")?);
    let change = if cursor.accept_word("operator") {
        let word = cursor.word().unwrap_or_default().to_owned();
        match names::value(&names::BINARY, &word) {
            Some(op) if cursor.accept_word(&word) => Change::Operator(op),
            _ => return cursor.error("an operator"),
        }
    } else if cursor.accept_word("outcome") {
        Change::Outcome(small(cursor)? != 0)
    } else {
        cursor.expect_word("constant")?;
        Change::Constant(small(cursor)?)
    };
    Ok(CoverageLabelKind::Mutant(Mutant { operation, change }))
}

fn small(cursor: &mut Cursor) -> Result<i8, ParseError> {
    match i8::try_from(cursor.signed()?) {
        Ok(number) => Ok(number),
        Err(_) => cursor.error("a small number"),
    }
}
