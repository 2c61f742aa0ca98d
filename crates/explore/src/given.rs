//! What the functions without a body are given in tests.
//!
//! A search executes far more inputs than become tests, so that executions of a search do not
//! observe this: each test is executed once more.

use coverage::Suite;
use expr::Terms;
use ir::input::{Expands, InputSpace};
use ir::test::{Observation, Observed, Outcome, TestCase};
use ir::{CodeIndex, Program};
use vm::{Execution, Machine};

use crate::order::execute;
use crate::{Options, Outside, machine_config};

/// Adds to each test that ends well what it gives to functions without a body, unless time
/// `is_over`.
pub fn observe_given(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    (suite, space): (&mut Suite, &InputSpace),
    is_over: &(dyn Fn() -> bool + Sync),
) {
    if !suite.tests.iter().any(calls_others) {
        return;
    }
    let index = CodeIndex::new(program);
    let config = vm::Config {
        observe_arguments: true,
        ..machine_config(program, &index, options)
    };
    let machine = Machine::new(program, &index, config);
    let mut machine = (
        machine.with_natives(outside.natives).until(is_over),
        Terms::default(),
    );
    let objects = space.objects().count();
    for test in suite.tests.iter_mut().filter(|test| calls_others(test)) {
        let mut inputs = test.inputs.clone();
        inputs.expands = Expands::All;
        let execution = execute(&mut machine, options, &inputs, space);
        if is_over() {
            return;
        }
        if is_the_same(test, &execution) {
            let given = execution.given.into_iter();
            test.given = Some(given.filter(|it| is_numbered(it, objects)).collect());
        }
    }
}

/// Whether a test calls functions without a body, and a wrong call would fail it.
fn calls_others(test: &TestCase) -> bool {
    let ends_well = matches!(test.outcome, Outcome::Return | Outcome::Exit(_));
    ends_well && !test.unsure && !test.calls.is_empty()
}

fn is_the_same(test: &TestCase, execution: &Execution) -> bool {
    test.outcome == execution.outcome
        && test.observations == execution.observations
        && test.calls == execution.calls
}

/// Whether an observation is about objects that the inputs of the suite have numbers for.
fn is_numbered(observation: &Observation, objects: usize) -> bool {
    match observation.value {
        Observed::Inside(object, _) => object.index() < objects,
        _ => true,
    }
}
