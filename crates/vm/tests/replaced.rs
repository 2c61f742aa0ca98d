//! Calls that are replaced by inputs.

mod common;

use std::collections::BTreeSet;

use common::{Bench, returned};
use ir::effects::Effects;
use ir::input::{CallMode, InputValue, InputVector};
use ir::test::{Observed, Outcome};
use vm::{CallPolicy, ConstraintKind, TestedUnit};

/// `f` calls `sign` of its parameter twice, which also counts its calls.
const TEXT: &str = "
global calls: int = x\"00000000\"
fn sign(_0 x: int) -> int {
  _1: int
  _2: int
  bb0:
    _1 = load @calls
    _1 = add _1, 1
    @calls = _1
    _2 = lt _0, 0
    branch _2 ? bb1 : bb2
  bb1: return -1
  bb2: return 1
}
fn f(_0 x: int) -> int {
  _1: int
  _2: int
  _3: int
  bb0: _1 = call @sign(7) -> bb1
  bb1: _1 = call @sign(_0) -> bb2
  bb2: branch _1 ? bb3 : bb4
  bb3:
    _2 = load @calls
    return _2
  bb4: return 0
}";

fn bench() -> Bench {
    let mut bench = Bench::new(TEXT);
    let program = &bench.program;
    let (sign, f) = (program.function("sign"), program.function("f"));
    let calls = program.globals.indices().collect();
    let effects = Effects {
        writes: calls,
        ..Effects::default()
    };
    let policies = sign.map(|sign| (sign, CallPolicy::Abstract(effects)));
    bench.config.policies = policies.into_iter().collect();
    bench.config.unit = TestedUnit {
        functions: f.into_iter().collect::<BTreeSet<_>>(),
        recursive: false,
    };
    bench
}

#[test]
fn only_calls_in_which_an_input_decides_are_replaced() {
    let mut bench = bench();
    let run = bench.default_run();
    // The call with 7 ran as it is. The other one is replaced, and returns 0 by default.
    assert_eq!(run.abstracted, 1);
    let kinds: Vec<_> = run.path.iter().map(|c| (c.kind, c.taken)).collect();
    let call = *run.inputs.calls.keys().next().expect("a call");
    let replaced = (ConstraintKind::Call(call), CallMode::Abstract as u32);
    assert_eq!(kinds, [replaced, (ConstraintKind::Branch, 0)]);
    assert_eq!(
        run.unit.edges.len(),
        1,
        "branches of the callee do not count"
    );
    let places = run.unit.places.iter();
    assert!(places.clone().all(|place| place.edges == 0 && place.inside));
    assert_eq!(places.len(), 2);
    assert_eq!(run.outcome, Outcome::Return);
    assert_eq!(run.observations, []);
}

#[test]
fn what_a_replaced_call_may_change_is_an_input_afterwards() {
    let mut bench = bench();
    let runs = bench.explore(&[0, 5]);
    let replaced: Vec<_> = runs.iter().filter(|run| run.abstracted > 0).collect();
    let looks_at = |run: &&&vm::Execution| run.inputs.values.len();
    assert_eq!(replaced.iter().map(|run| looks_at(&run)).max(), Some(3));
    // Executed, it counts its calls: two, whatever the input.
    let real: Vec<_> = runs.iter().filter(|run| run.abstracted == 0).collect();
    assert_eq!(
        real.len(),
        1,
        "no way here asks for other values of x than 0"
    );
    assert!(
        real.iter()
            .all(|run| returned(run) == Some(Observed::Bits(2)))
    );
}

#[test]
fn a_call_that_is_entered_keeps_its_number() {
    let mut bench = bench();
    let run = bench.default_run();
    let call = *run.inputs.calls.keys().next().expect("a call");
    let mut inputs = InputVector::default();
    inputs.calls.insert(call, CallMode::Entered);
    let run = bench.execute(&inputs);
    assert_eq!(run.abstracted, 0);
    assert_eq!(run.inputs.calls, inputs.calls);
    let kinds: Vec<_> = run.path.iter().map(|c| (c.kind, c.taken)).collect();
    let entered = (ConstraintKind::Call(call), CallMode::Entered as u32);
    assert_eq!(kinds, [entered, (ConstraintKind::Branch, 0)]);
    assert_eq!(returned(&run), Some(Observed::Bits(2)));
}

#[test]
fn a_call_that_may_end_the_program_has_one_more_branch() {
    let mut bench = bench();
    for policy in bench.config.policies.values_mut() {
        if let CallPolicy::Abstract(effects) = policy {
            effects.may_end = true;
        }
    }
    let runs = bench.explore(&[0, 5]);
    let ends: Vec<_> = runs
        .iter()
        .filter(|run| run.outcome == Outcome::Exit(None))
        .collect();
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].abstracted, 1);
}

#[test]
fn a_call_sees_what_its_function_uses_and_nothing_else() {
    let mut bench = Bench::new(
        "
global used: int = x\"00000000\"
global other: int = x\"00000000\"
fn sign(_0 x: int) -> int {
  _1: int
  _2: int
  bb0:
    _1 = load @used
    _2 = lt _0, _1
    branch _2 ? bb1 : bb2
  bb1: return -1
  bb2: return 1
}
fn f(_0 first: int, _1 second: int, _2 x: int) -> int {
  _3: int
  bb0: branch _0 ? bb1 : bb2
  bb1:
    @used = 1
    goto bb2
  bb2: branch _1 ? bb3 : bb4
  bb3:
    @other = 1
    goto bb4
  bb4: _3 = call @sign(_2) -> bb5
  bb5: return _3
}",
    );
    let program = &bench.program;
    let effects = Effects {
        looks_at: program.globals.indices().take(1).collect(),
        ..Effects::default()
    };
    let sign = program.function("sign").expect("a function");
    bench.config.policies = [(sign, CallPolicy::Abstract(effects))].into();
    let run = bench.default_run();
    let cells: Vec<_> = run.inputs.values.keys().copied().collect();
    let mut fingerprint = |values: [u128; 3]| {
        let values = cells.iter().copied().zip(values.map(InputValue::Bits));
        let run = bench.execute(&InputVector {
            values: values.collect(),
            ..InputVector::default()
        });
        assert_eq!(run.made.len(), 1, "an input decides in the call");
        run.made[0].context_fingerprint.expect("a settled state")
    };
    let at_first = fingerprint([0, 0, 0]);
    assert_eq!(at_first, fingerprint([0, 1, 0]));
    assert_ne!(at_first, fingerprint([1, 0, 0]));
    // What the input is makes no difference: it may be anything.
    assert_eq!(at_first, fingerprint([0, 0, 7]));
}
