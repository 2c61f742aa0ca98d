//! Ordered traces: what an execution did, in order.

mod common;

use common::Bench;
use ir::effects::Effects;
use ir::input::{CallMode, InputValue, InputVector};
use ir::test::Outcome;
use ir::{CodeIndex, FunctionId, OrderedTrace, TraceEvent};
use vm::{CallPolicy, Execution, Machine};

/// `f` calls `sign` of a constant, then of its parameter.
const CALLS: &str = "
fn sign(_0 x: int) -> int {
  _1: int
  bb0:
    _1 = lt _0, 0
    branch _1 ? bb1 : bb2
  bb1: return -1
  bb2: return 1
}
fn f(_0 x: int) -> int {
  _1: int
  bb0: _1 = call @sign(-7) -> bb1
  bb1: _1 = call @sign(_0) -> bb2
  bb2: branch _1 ? bb3 : bb4
  bb3: return 1
  bb4: return 0
}";

fn function(bench: &Bench, name: &str) -> FunctionId {
    bench.program.function(name).expect("a function")
}

/// What an execution did, in short: calls by name, edges as block of the program and side.
fn told(bench: &Bench, ordered: Option<&OrderedTrace>) -> String {
    let index = CodeIndex::new(&bench.program);
    let begins: Vec<_> = index.begins().collect();
    let name = |function: FunctionId| bench.program.functions[function].name.clone();
    let events = ordered.expect("an ordered trace").events();
    let words = events.map(|event| match event {
        TraceEvent::Edge(edge) => {
            let block = begins[edge.index()];
            let before = begins[..edge.index()].iter().filter(|&&it| it == block);
            format!("{}/{}", block.index(), before.count())
        }
        TraceEvent::Call(function) => format!("{}(", name(function)),
        TraceEvent::Return => ")".to_owned(),
        TraceEvent::Replaced(function) => format!("{}?", name(function)),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn order(bench: &Bench, run: &Execution) -> String {
    told(bench, run.visited.ordered.as_ref())
}

#[test]
fn edges_and_calls_come_in_the_order_of_execution() {
    let mut bench = Bench::new(CALLS);
    let run = bench.default_run();
    assert_eq!(order(&bench, &run), "f( sign( 0/0 ) sign( 0/1 ) 5/0 )");
    assert_eq!(run.visited.ordered_precondition, None);
}

#[test]
fn nothing_is_recorded_unless_someone_asks() {
    let mut bench = Bench::new(CALLS);
    bench.config.recorded_events = 0;
    assert_eq!(bench.default_run().visited.ordered, None);
}

#[test]
fn the_events_of_a_call_that_is_undone_are_gone() {
    let mut bench = Bench::new(CALLS);
    let policy = CallPolicy::Abstract(Effects::default());
    bench.config.policies = [(function(&bench, "sign"), policy)].into();
    let run = bench.default_run();
    // The call of a constant was tried and stays; the other was tried and undone.
    assert_eq!(run.abstracted, 1);
    assert_eq!(order(&bench, &run), "f( sign( 0/0 ) sign? 5/1 )");
    let call = *run.inputs.calls.keys().next().expect("a call");
    let mut inputs = InputVector::default();
    inputs.calls.insert(call, CallMode::Entered);
    let run = bench.execute(&inputs);
    assert_eq!(order(&bench, &run), "f( sign( 0/0 ) sign( 0/1 ) 5/0 )");
    inputs.calls.insert(call, CallMode::Ends);
    let run = bench.execute(&inputs);
    assert_eq!(order(&bench, &run), "f( sign( 0/0 ) sign?");
}

#[test]
fn an_execution_that_ends_in_a_call_leaves_it_open() {
    let text = "
        noreturn fn exit(status: int)
        fn g(_0 x: int) -> int {
          _1: int
          bb0: branch _0 ? bb1 : bb2
          bb1: call @exit(0) -> never
          bb2:
            _1 = div 1, _0
            return _1
        }
        fn f(_0 x: int) -> int {
          _1: int
          bb0: _1 = call @g(_0) -> bb1
          bb1: return _1
        }";
    let mut bench = Bench::new(text);
    let runs = bench.explore(&[1]);
    let orders: Vec<_> = runs.iter().map(|run| order(&bench, run)).collect();
    assert_eq!(orders, ["f( g( 0/1", "f( g( 0/0 exit("]);
    assert!(matches!(runs[0].outcome, Outcome::Defect(_)));
}

#[test]
fn calls_without_a_body_return_where_they_were_made() {
    let text = "
        fn get() -> int
        fn f() -> int {
          _0: int
          bb0: _0 = call @get() -> bb1
          bb1: branch _0 ? bb0 : bb2
          bb2: return 0
        }";
    let mut bench = Bench::new(text);
    let run = bench.default_run();
    assert_eq!(order(&bench, &run), "f( get( ) 1/1 )");
}

/// `f` under the precondition that `x` is zero.
const PRECONDITION: &str = "
fn holds(_0 x: int) -> int {
  bb0: branch _0 ? bb1 : bb2
  bb1: return 0
  bb2: return 1
}
fn f(_0 x: int) -> int {
  bb0: branch _0 ? bb1 : bb1
  bb1: return 0
}";

fn under_precondition(bench: &mut Bench, inputs: &InputVector) -> Execution {
    let index = CodeIndex::new(&bench.program);
    let mut machine = Machine::new(&bench.program, &index, bench.config.clone());
    let (holds, f) = (function(bench, "holds"), function(bench, "f"));
    let (space, terms) = (&mut bench.space, &mut bench.terms);
    let run = machine.execute_if(Some(holds), f, inputs.into(), space, terms);
    bench.check(&run);
    run
}

#[test]
fn the_precondition_has_a_trace_of_its_own() {
    let mut bench = Bench::new(PRECONDITION);
    let run = under_precondition(&mut bench, &InputVector::default());
    assert_eq!(order(&bench, &run), "f( 3/1 )");
    let before = run.visited.ordered_precondition.as_ref();
    assert_eq!(told(&bench, before), "holds( 0/1 )");
    if let (Some(ordered), Some(visited)) = (before, &run.visited.precondition) {
        bench.check_order(ordered, visited, true);
    }
    let mut inputs = InputVector::default();
    for &cell in run.inputs.values.keys() {
        inputs.values.insert(cell, InputValue::Bits(1));
    }
    let rejected = under_precondition(&mut bench, &inputs);
    assert_eq!(rejected.outcome, Outcome::Rejected);
    assert_eq!(order(&bench, &rejected), "holds( 0/0 )");
    assert_eq!(rejected.visited.ordered_precondition, None);
}
