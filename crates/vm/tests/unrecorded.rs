//! Executions that go on behind the limit on choices: what they do not record is a loss.

mod common;

use common::Bench;
use expr::Terms;
use ir::CodeIndex;
use ir::input::{InputSpace, InputVector};
use ir::test::{LossKind, Outcome};
use vm::{Execution, InputProvider, Machine, ZeroDefaults};

/// A choice of the parameter, and then one of what a function gives that stands for an input.
const TEXT: &str = "
fn __VERIFIER_nondet_int() -> int
fn f(_0 x: int) -> int {
  _1: int
  bb0: branch _0 ? bb1 : bb2
  bb1: return 0
  bb2: _1 = call @__VERIFIER_nondet_int() -> bb3
  bb3: branch _1 ? bb4 : bb5
  bb4: return 1
  bb5: return 2
}";

/// An execution of which so many choices are recorded, and others made beside.
fn execution(choice_limit: usize, unrecorded: u64) -> Execution {
    let mut bench = Bench::new(TEXT);
    bench.config.choice_limit = choice_limit;
    let index = CodeIndex::new(&bench.program);
    let mut machine = Machine::new(&bench.program, &index, bench.config.clone());
    let entry = bench.program.function("f").expect("a function f");
    let (mut space, mut terms) = (InputSpace::default(), Terms::default());
    let input = InputProvider {
        vector: &InputVector::default(),
        defaults: &ZeroDefaults,
        recorded: 0,
        unrecorded,
        more_steps: 0,
    };
    machine.execute_if(None, entry, input, &mut space, &mut terms)
}

fn has_loss(execution: &Execution) -> bool {
    let mut losses = execution.imprecision.losses.iter();
    losses.any(|loss| loss.kind == LossKind::ChoiceLimit)
}

#[test]
fn choices_within_the_limit_are_no_loss() {
    let whole = execution(100, 0);
    assert_eq!((whole.path.len(), has_loss(&whole)), (2, false));
}

#[test]
fn an_input_behind_the_limit_is_a_loss_though_no_choice_is_recorded() {
    let longer = execution(1, 10);
    assert_eq!(longer.outcome, Outcome::Return);
    assert_eq!((longer.path.len(), has_loss(&longer)), (1, true));
}

#[test]
fn an_execution_that_may_not_go_on_ends_with_the_loss() {
    let ended = execution(1, 0);
    assert_ne!(ended.outcome, Outcome::Return);
    assert_eq!((ended.path.len(), has_loss(&ended)), (1, true));
}
