//! Several machines share one prepared program, each on a thread of its own.

mod common;

use common::Bench;
use expr::Terms;
use ir::CodeIndex;
use ir::input::{InputSpace, InputVector};
use vm::{Execution, Machine};

/// A function that writes a global, and calls itself.
const TEXT: &str = "
global counter: int = 0
fn f(_0 x: int) -> int {
  _1: int
  _2: int
  bb0:
    _1 = load @counter
    _1 = add _1, 1
    @counter = _1
    _2 = lt _1, 50
    branch _2 ? bb1 : bb3
  bb1: _2 = call @f(_0) -> bb2
  bb2: return _2
  bb3: branch _0 ? bb4 : bb5
  bb4: return 1
  bb5: return _1
}";

/// What a machine of its own arenas does a few times.
fn run(mut machine: Machine<'_>, bench: &Bench) -> Vec<Execution> {
    let entry = bench.program.function("f").expect("a function f");
    let (mut space, mut terms) = (InputSpace::default(), Terms::default());
    let input = InputVector::default();
    (0..3)
        .map(|_| machine.execute(entry, &input, &mut space, &mut terms))
        .collect()
}

#[test]
fn machines_on_other_threads_do_the_same() {
    let bench = Bench::new(TEXT);
    let index = CodeIndex::new(&bench.program);
    let first = Machine::new(&bench.program, &index, bench.config.clone());
    let others: Vec<_> = (0..3).map(|_| first.another()).collect();
    let expected = run(first, &bench);
    assert!(!expected[0].path.is_empty());
    let found = std::thread::scope(|scope| {
        let workers: Vec<_> = others
            .into_iter()
            .map(|machine| scope.spawn(|| run(machine, &bench)))
            .collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended.collect::<Result<Vec<_>, _>>().expect("no panic")
    });
    for executions in found {
        for (execution, expected) in executions.iter().zip(&expected) {
            assert_eq!(execution.outcome, expected.outcome);
            assert_eq!(execution.observations, expected.observations);
            assert_eq!(execution.visited.ordered, expected.visited.ordered);
            assert_eq!(execution.steps, expected.steps);
        }
    }
}
