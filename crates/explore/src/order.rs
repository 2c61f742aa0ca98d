//! Tests that depend on the order in which operands are evaluated.
//!
//! C leaves the order of operands and arguments open (C17 6.5p3, 6.5.2.2p10). The machine takes
//! clang's order; with a compiler that takes another one, a test may end in another way, and both
//! are right. Such a test also ends in another way in the machine when operands are evaluated in
//! the reverse order.
//!
//! ```text
//! x + g(), where g changes x:   clang    reads x, calls g
//!                               gcc      calls g, reads x
//!                               reversed calls g, reads x   ─► the test depends on the order
//! ```

use std::collections::BTreeSet;

use coverage::Suite;
use expr::Terms;
use ir::input::{Expands, InputSpace, InputVector};
use ir::{CodeIndex, Program, TestId};
use vm::{Execution, Machine};

use crate::{Options, Outside, machine_config};

/// The tests that end in another way, or return or write something else, where operands are
/// evaluated in the reverse order. `reversed` is the program as the front-end reads it in that
/// order; `program` may have more functions than it. If the two do not belong together, no test is
/// in the result, nor are tests that are left when time `is_over`.
pub fn depend_on_order(
    (program, reversed): (&Program, &Program),
    options: &Options,
    outside: Outside<'_>,
    (suite, space): (&Suite, &InputSpace),
    tests: &BTreeSet<TestId>,
    is_over: &(dyn Fn() -> bool + Sync),
) -> BTreeSet<TestId> {
    let Some(reversed) = with_bodies(program, reversed) else {
        return BTreeSet::new();
    };
    let indices = [CodeIndex::new(program), CodeIndex::new(&reversed)];
    let machine = |program, index| {
        let config = vm::Config {
            observe_arguments: true,
            ..machine_config(program, index, options)
        };
        let machine = Machine::new(program, index, config);
        machine.with_natives(outside.natives).until(is_over)
    };
    let mut as_clang = (machine(program, &indices[0]), Terms::default());
    let mut reversed = (machine(&reversed, &indices[1]), Terms::default());
    let mut found = BTreeSet::new();
    for (&id, test) in tests
        .iter()
        .filter_map(|id| Some((id, suite.tests.get(*id)?)))
    {
        let mut inputs = test.inputs.clone();
        inputs.expands = Expands::All;
        let one = execute(&mut as_clang, options, &inputs, space);
        let other = execute(&mut reversed, options, &inputs, space);
        if is_over() {
            break;
        }
        let differs = one.outcome != other.outcome
            || one.observations != other.observations
            || one.given != other.given
            || one.calls != other.calls;
        if differs {
            found.insert(id);
        }
    }
    found
}

/// Executes an input of a test. A machine keeps to the terms of its first execution.
pub(crate) fn execute(
    (machine, terms): &mut (Machine<'_>, Terms),
    options: &Options,
    inputs: &InputVector,
    space: &InputSpace,
) -> Execution {
    let Options {
        entry,
        precondition,
        ..
    } = *options;
    let mut space = space.clone();
    machine.execute_if(precondition, entry, inputs.into(), &mut space, terms)
}

/// The program with the bodies of another one that has the same functions, objects and types, or
/// the first of them.
fn with_bodies(program: &Program, other: &Program) -> Option<Program> {
    let same_functions = program
        .functions
        .iter()
        .zip(&other.functions)
        .all(|(one, other)| one.name == other.name && one.ty == other.ty);
    let same_globals = program
        .globals
        .iter()
        .zip(&other.globals)
        .all(|(one, other)| one.name == other.name && one.ty == other.ty);
    let has_all = program.functions.len() >= other.functions.len()
        && program.globals.len() >= other.globals.len();
    if !(same_functions && same_globals && has_all && program.types.begin_with(&other.types)) {
        return None;
    }
    let mut with = program.clone();
    for (function, other) in with.functions.iter_mut().zip(&other.functions) {
        function.body.clone_from(&other.body);
    }
    Some(with)
}
