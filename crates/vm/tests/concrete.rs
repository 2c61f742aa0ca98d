//! Executions of concrete values, whose states someone looks at.

mod common;

use std::sync::Mutex;

use common::Bench;
use expr::Terms;
use ir::input::{InputSpace, InputValue, InputVector};
use ir::test::Outcome;
use ir::{CellId, CodeIndex};
use vm::{ConcreteExecution, Defaults, InputProvider, Machine, Part, StateObserver};

/// A sum of results until one is 0, and a choice by the sum.
const TEXT: &str = "
fn input() -> int
fn f() -> int {
  _0: int
  _1: int
  _2: int
  bb0:
    _0 = 0
    goto bb1
  bb1: _1 = call @input() -> bb2
  bb2: branch _1 ? bb3 : bb4
  bb3:
    _0 = add _0, _1
    goto bb1
  bb4:
    _2 = eq _0, 7
    branch _2 ? bb5 : bb6
  bb5: return 1
  bb6: return 0
}";

/// Gives the numbers 3, 4 and 0, one of which has a term, and notes what it is shown.
struct Inputs {
    symbolic: usize,
    cells: Mutex<Vec<CellId>>,
    shown: Mutex<Vec<Vec<u64>>>,
}

impl Defaults for Inputs {
    fn value(&self, _: &InputSpace, cell: CellId) -> Option<InputValue> {
        let mut cells = self.cells.lock().expect("no panic");
        let value = [3, 4].get(cells.len()).copied().unwrap_or_default();
        cells.push(cell);
        Some(InputValue::Bits(value))
    }
}

impl StateObserver for Inputs {
    fn is_looking(&self) -> bool {
        true
    }

    fn state(&self, _: u32, parts: &[Part]) {
        let values = parts.iter().map(|part| part.value).collect();
        self.shown.lock().expect("no panic").push(values);
    }

    fn is_symbolic(&self, cell: CellId) -> bool {
        let cells = self.cells.lock().expect("no panic");
        cells.get(self.symbolic) == Some(&cell)
    }
}

/// An execution in which the result of that number has a term, and the states that were shown.
fn execution(symbolic: usize) -> (ConcreteExecution, Vec<Vec<u64>>) {
    let bench = Bench::new(TEXT);
    let index = CodeIndex::new(&bench.program);
    let mut machine = Machine::new(&bench.program, &index, bench.config.clone());
    let entry = bench.program.function("f").expect("a function f");
    let inputs = Inputs {
        symbolic,
        cells: Mutex::default(),
        shown: Mutex::default(),
    };
    let provider = InputProvider {
        vector: &InputVector::default(),
        defaults: &inputs,
        recorded: 100,
        unrecorded: u64::MAX,
        more_steps: 0,
    };
    let (mut space, mut terms) = (InputSpace::default(), Terms::default());
    let execution = machine.execute_concretely(
        (None, entry),
        (provider, &inputs),
        1_000,
        &mut space,
        &mut terms,
    );
    (execution, inputs.shown.into_inner().expect("no panic"))
}

#[test]
fn states_are_shown_at_jumps_backwards() {
    let (execution, shown) = execution(usize::MAX);
    assert_eq!(execution.outcome, Outcome::Return);
    assert!(execution.path.is_empty(), "nothing has a term");
    assert_eq!(shown.len(), 2);
    assert!(shown[0].starts_with(&[3, 3]), "{shown:?}");
    assert!(shown[1].starts_with(&[7, 4]), "{shown:?}");
}

#[test]
fn choices_of_inputs_with_terms_are_recorded() {
    let (execution, _) = execution(1);
    let taken: Vec<u32> = execution.path.iter().map(|it| it.taken).collect();
    // That it is not 0, that the sum does not overflow, and that it is 7.
    assert_eq!(taken.first(), Some(&1));
    assert_eq!(taken.last(), Some(&1));
    assert!(taken.len() >= 2);
}
