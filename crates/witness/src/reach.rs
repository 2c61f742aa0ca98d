//! Which calls of a function control may come to, if some places of the code are unreachable.

use std::collections::BTreeSet;

use ir::certificate::CodePlace;
use ir::{Block, Callee, FunctionId, Program, Span, Terminator};

use crate::contexts::Contexts;

/// Places of the code that no execution reaches.
pub type Excluded = BTreeSet<CodePlace>;

/// The calls of functions of a name to which control-flow leads from the entry past the excluded
/// places; with those to which a pointer may lead, where some pointer leads to such a function.
pub fn open_calls(
    program: &Program,
    entry: FunctionId,
    excluded: &Excluded,
    name: &str,
) -> Vec<Option<Span>> {
    let contexts = Contexts::new(program, entry);
    let mut open = vec![entry];
    open.extend(contexts.called_by_pointer());
    let mut seen = BTreeSet::new();
    let mut calls = Vec::new();
    while let Some(function) = open.pop() {
        if !seen.insert(function) {
            continue;
        }
        let Some(body) = &program.functions[function].body else {
            continue;
        };
        for block in reached(program, function, excluded) {
            let data = &body.blocks[block];
            let Terminator::Call {
                callee: Callee::Direct(callee),
                ..
            } = data.terminator
            else {
                continue;
            };
            if program.functions[callee].name == name {
                calls.push(body.spans.get(data.span).cloned());
            }
            open.push(callee);
        }
    }
    let by_pointer = contexts.called_by_pointer();
    calls.extend(
        by_pointer
            .filter(|&function| program.functions[function].name == name)
            .map(|_| None),
    );
    calls
}

/// The blocks of a function whose ends control may reach.
fn reached(program: &Program, function: FunctionId, excluded: &Excluded) -> BTreeSet<Block> {
    let mut seen = BTreeSet::new();
    let Some(body) = &program.functions[function].body else {
        return seen;
    };
    let place = |block: Block, successor: Option<usize>| CodePlace {
        function: function.raw(),
        block: block.raw(),
        successor: successor.map(|at| at as u32),
    };
    let mut open = vec![Block::from_usize(0)];
    while let Some(block) = open.pop() {
        let Some(data) = body.blocks.get(block) else {
            continue;
        };
        if excluded.contains(&place(block, None)) || !seen.insert(block) {
            continue;
        }
        let next = data.terminator.successors().into_iter().enumerate();
        let next = next.filter(|&(at, _)| !excluded.contains(&place(block, Some(at))));
        open.extend(next.map(|(_, to)| to));
    }
    seen
}
