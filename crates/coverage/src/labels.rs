//! The user's own labels: `ATTEST_LABEL(id, condition)` of attest.h.
//!
//! The macro calls a function that does nothing, with the name of the label and the value of the
//! condition. The call gets a label in front of it.

use index_vec::IndexVec;
use ir::{
    Block, BlockData, Body, ConstantValue, CoverageLabel, CoverageLabelKind, FunctionId, Global,
    GlobalId, Operand, Origin, Program, Span, Terminator, Types,
};

use crate::Criteria;

/// The function that the macro calls.
const FUNCTION: &str = "__attest_label";

/// A label that the user wrote.
struct Written {
    block: Block,
    name: String,
    condition: Operand,
    span: Span,
}

/// Adds the labels that the user wrote, if criteria ask for them.
pub(crate) fn add_labels(program: &mut Program, criteria: &Criteria) {
    if !criteria.ask_for_labels() {
        return;
    }
    for id in functions_of_user(program) {
        let written = program.functions[id].body.as_ref();
        let written = written.map_or_else(Vec::new, |body| written_in(program, body));
        if let Some(body) = &mut program.functions[id].body {
            for label in written {
                let block = label.block;
                end_with_label(body, block, label.condition);
                let kind = CoverageLabelKind::User {
                    name: label.name,
                    span: label.span,
                };
                body.coverage_labels.push(CoverageLabel { kind, block });
            }
        }
    }
}

/// A label whose name another one has that stands elsewhere: the name, and where it stands.
pub fn label_used_twice(program: &Program) -> Option<(String, Span)> {
    let mut known: Vec<(String, Span)> = Vec::new();
    for id in functions_of_user(program) {
        let body = program.functions[id].body.as_ref();
        for label in body.map_or_else(Vec::new, |body| written_in(program, body)) {
            let same = known.iter().find(|(name, _)| *name == label.name);
            // A function of a header is in each unit that includes it.
            if same.is_some_and(|(_, span)| span.place() != label.span.place()) {
                return Some((label.name, label.span));
            }
            known.push((label.name, label.span));
        }
    }
    None
}

pub(crate) fn functions_of_user(program: &Program) -> Vec<FunctionId> {
    let ids = program.functions.indices();
    ids.filter(|id| program.origin(*id) == Origin::User)
        .collect()
}

/// The bodies of the user's functions, each with the program's types and globals.
pub(crate) fn each_body_of_user(
    program: &mut Program,
    mut change: impl FnMut(&mut Body, &mut Types, &IndexVec<GlobalId, Global>),
) {
    for id in functions_of_user(program) {
        let Program {
            functions,
            types,
            globals,
            ..
        } = program;
        if let Some(body) = &mut functions[id].body {
            change(body, types, globals);
        }
    }
}

/// The labels in a body, in source order.
fn written_in(program: &Program, body: &Body) -> Vec<Written> {
    let blocks = body.blocks.iter_enumerated();
    let labels = blocks.filter_map(|(block, data)| {
        let Terminator::Call {
            callee, arguments, ..
        } = &data.terminator
        else {
            return None;
        };
        let [name, condition] = &arguments[..] else {
            return None;
        };
        let function = program.functions.get(callee.direct()?)?;
        (function.name == FUNCTION).then_some(())?;
        Some(Written {
            block,
            name: text(program, name)?,
            condition: condition.clone(),
            span: body.spans[data.span].clone(),
        })
    });
    let mut labels: Vec<Written> = labels.collect();
    labels.sort_by_key(|label| label.span.place());
    labels
}

/// The string that an operand points to.
fn text(program: &Program, operand: &Operand) -> Option<String> {
    let Operand::Constant(constant) = operand else {
        return None;
    };
    let ConstantValue::Global { global, offset: 0 } = constant.value else {
        return None;
    };
    let bytes = &program.globals.get(global)?.initializer.as_ref()?.bytes;
    let bytes = bytes.split(|byte| *byte == 0).next()?;
    String::from_utf8(bytes.to_vec()).ok()
}

/// Ends a block with a label, and moves what ended it to a new block.
pub(crate) fn end_with_label(body: &mut Body, block: Block, operand: Operand) -> Block {
    let BlockData {
        terminator, span, ..
    } = body.blocks[block].clone();
    let next = body.blocks.push(BlockData {
        statements: Vec::new(),
        terminator,
        span,
    });
    body.blocks[block].terminator = Terminator::Branch {
        operand,
        then: next,
        otherwise: next,
        tag: None,
    };
    for region in &mut body.regions {
        if region.blocks.contains(&block) {
            region.blocks.push(next);
        }
    }
    moved_terminator(body, block, next);
    next
}

/// Moves the statements of a block that stand behind a position, and what ended it, to a new block, and
/// ends the block with a label.
pub(crate) fn split_with_label(
    body: &mut Body,
    block: Block,
    behind: usize,
    operand: Operand,
) -> Block {
    let rest = body.blocks[block].statements.split_off(behind);
    let next = end_with_label(body, block, operand);
    body.blocks[next].statements = rest;
    next
}

/// Notes that what ended a block ends another one.
fn moved_terminator(body: &mut Body, block: Block, next: Block) {
    for fold in &mut body.folds {
        if fold.block == block {
            fold.block = next;
        }
    }
    for label in &mut body.coverage_labels {
        if label.block == block {
            label.block = next;
        }
    }
}
