//! Operators and labels in the text form.

use super::{name_text, names};
use crate::{Change, CoverageLabel, CoverageLabelKind, Mutant, Operation};

/// An operator, after its number.
pub(super) fn operation_text(operation: &Operation) -> String {
    let Operation {
        span,
        sides: [left, right],
        assigns,
    } = operation;
    let assigns = if *assigns { " assigns" } else { "" };
    format!("{span} {left} {right}{assigns}")
}

/// A label, after its number, without the span of one that the user wrote.
pub(super) fn label_text(label: &CoverageLabel) -> String {
    let block = label.block;
    match &label.kind {
        CoverageLabelKind::Boundary(condition, difference) => {
            format!("boundary {condition} {difference} in {block}")
        }
        CoverageLabelKind::Mutant(Mutant { operation, change }) => {
            let change = match change {
                Change::Operator(op) => format!("operator {}", names::word(&names::BINARY, *op)),
                Change::Outcome(outcome) => format!("outcome {}", u8::from(*outcome)),
                Change::Constant(more) => format!("constant {more}"),
            };
            format!("mutant {operation} {change} in {block}")
        }
        CoverageLabelKind::Use {
            name,
            definition,
            usage,
            is_result,
        } => {
            let result = if *is_result { " result" } else { "" };
            let definition = definition.map_or("passed".to_owned(), |it| it.to_string());
            let name = name_text(name);
            format!("use {name} {definition} {usage}{result} in {block}")
        }
        CoverageLabelKind::User { name, .. } => format!("label {} in {block}", name_text(name)),
    }
}
