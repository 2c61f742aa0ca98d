//! What runs in each test without the test asking for it: constructors and destructors of a program
//! without `main`.

use std::collections::BTreeSet;

use ir::library::RUN_BY_THEMSELVES;
use ir::{Callee, ConstantValue, FunctionId, Program, Terminator};

/// The functions that run by themselves, with those that they call by name.
pub(super) fn unasked(program: &Program) -> BTreeSet<FunctionId> {
    let tables = program.globals.iter();
    let tables = tables.filter(|global| global.name == RUN_BY_THEMSELVES);
    let held = tables.filter_map(|global| global.initializer.as_ref());
    let mut waiting: Vec<FunctionId> = held
        .flat_map(|held| &held.relocations)
        .filter_map(|relocation| match relocation.target {
            ConstantValue::Function(function) => Some(function),
            _ => None,
        })
        .collect();
    let mut found = BTreeSet::new();
    while let Some(function) = waiting.pop() {
        let body = program.functions[function].body.as_ref();
        let Some(body) = body.filter(|_| found.insert(function)) else {
            continue;
        };
        waiting.extend(
            body.blocks
                .iter()
                .filter_map(|block| match block.terminator {
                    Terminator::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } => Some(callee),
                    _ => None,
                }),
        );
    }
    found
}
