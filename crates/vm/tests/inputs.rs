//! Inputs: lazily met, pointers chosen, extents grown, and what is observed of them.

mod common;

use common::{Bench, defect, returned};
use ir::DefectKind;
use ir::input::{Extent, InputValue};
use ir::test::{BoundKind, LossKind, Observed, ObservedPlace, Outcome};
use vm::{ConstraintKind, Demand, Execution};

fn bits(value: i32) -> Option<Observed> {
    Some(Observed::Bits(u128::from(value as u32)))
}

const LIST: &str = "
rec0 struct \"struct cell\" size 16 align 8 { value: int @0, next: *rec0 @64 }
fn f(_0 p: *rec0) -> int {
  _1: int
  _2: *rec0
  bb0: branch _0 ? bb1 : bb2
  bb1:
    _2 = load _0->next
    _1 = eq _2, _0
    branch _1 ? bb3 : bb2
  bb2: return 0
  bb3: return 1
}";

#[test]
fn a_pointer_is_null_fresh_or_an_alias() {
    let mut bench = Bench::new(LIST);
    let runs = bench.explore(&[0, 1]);
    // NULL; a cell whose next is itself, or not: nothing asks what else it is.
    assert_eq!(runs.len(), 3);
    let results: Vec<_> = runs.iter().filter_map(returned).collect();
    assert_eq!(
        results
            .iter()
            .filter(|r| Some(*r) == bits(1).as_ref())
            .count(),
        1
    );
    let choice = &runs[0].path[0];
    assert!(matches!(choice.kind, ConstraintKind::PointerChoice(_)));
    assert!(matches!(
        choice.alternatives[0].demand,
        Demand::Pointer(_, InputValue::Fresh)
    ));
}

#[test]
fn what_a_comparison_leaves_open_is_chosen_where_it_is_used() {
    let text = LIST.replace("branch _1 ? bb3 : bb2", "branch _1 ? bb3 : bb4");
    let text = text.replace(
        "bb3: return 1",
        "bb3: return 1\n  bb4: branch _2 ? bb5 : bb2\n  bb5:\n    _2 = load _2->next\n    return 2",
    );
    let mut bench = Bench::new(&text);
    let runs = bench.explore(&[0, 1]);
    let path = |run: &vm::Execution| -> Vec<u32> {
        let choices = run.path.iter();
        choices
            .map(|choice| choice.alternatives.len() as u32)
            .collect()
    };
    // Equal or not to the cell, NULL or not; where it is used it can only be a cell of its own.
    let longest = runs.iter().map(path).max_by_key(Vec::len);
    assert_eq!(longest, Some(vec![1, 1, 1]));
}

#[test]
fn a_pointer_that_is_only_copied_is_not_chosen() {
    let mut bench = Bench::new(
        "global g: *int = x\"0000000000000000\"
         fn f(_0 p: *int, _1 q: *int) -> *int {
           bb0:
             @g = _0
             return _1
         }",
    );
    let run = bench.default_run();
    assert!(run.path.is_empty());
    assert!(run.inputs.values.is_empty());
}

#[test]
fn an_array_grows_as_far_as_it_is_read() {
    let mut bench = Bench::new(
        "fn f(_0 p: *int nonnull) -> int {
           _1: int
           _2: int
           _3: *int
           bb0:
             _1 = load *_0
             _3 = ptr_add _0, 3 x 4
             _2 = load *_3
             _3 = ptr_add _0, -2 x 4
             *_3 = 7
             return _2
         }",
    );
    let run = bench.default_run();
    assert_eq!(run.outcome, Outcome::Return);
    let extents: Vec<_> = run.inputs.extents.values().copied().collect();
    assert_eq!(
        extents,
        [Extent {
            before: 8,
            after: 16
        }]
    );
    // The pointer, and two elements; the third was only written.
    assert_eq!(run.inputs.values.len(), 3);
    let written = run.observations.iter().find(|o| {
        matches!(
            o.place,
            ObservedPlace::Cell {
                offset_bits: -64,
                ..
            }
        )
    });
    assert_eq!(written.map(|o| o.value.clone()), bits(7));
    // With that extent, one more element is out of bounds.
    let mut inputs = run.inputs.clone();
    let object = *inputs.extents.keys().next().unwrap();
    inputs.extents.insert(
        object,
        Extent {
            before: 8,
            after: 12,
        },
    );
    let short = bench.execute(&inputs);
    assert_eq!(defect(&short), Some(DefectKind::OutOfBounds));
    let Outcome::Defect(found) = &short.outcome else {
        panic!("a defect expected");
    };
    assert!(!found.is_certain());
}

#[test]
fn beyond_the_bound_of_arrays_an_execution_ends() {
    let mut bench = Bench::new(
        "fn f(_0 p: *int nonnull) -> int {
           _1: int
           _2: *int
           bb0:
             _2 = ptr_add _0, 16 x 4
             _1 = load *_2
             return _1
         }",
    );
    let run = bench.default_run();
    assert_eq!(run.outcome, Outcome::LimitReached);
    assert_eq!(run.imprecision.bounds[0].kind, BoundKind::ArrayExtent);
}

#[test]
fn a_symbolic_index_reaches_every_element() {
    let mut bench = Bench::new(
        "global table: [4 x int] = x\"0a000000 14000000 1e000000 28000000\"
         fn f(_0 i: uint) -> int {
           _1: int
           _2: int
           bb0:
             _1 = load @table[_0]
             _2 = eq _1, 30
             branch _2 ? bb1 : bb2
           bb1: return 1
           bb2: return 0
         }",
    );
    let runs = bench.explore(&[0, 1, 2, 3, 4]);
    assert!(
        runs.iter()
            .any(|run| defect(run) == Some(DefectKind::OutOfBounds))
    );
    let found = runs
        .iter()
        .filter(|run| run.outcome == Outcome::Return)
        .filter_map(returned)
        .any(|result| Some(result) == bits(1));
    assert!(found);
    assert!(runs.iter().all(|run| run.imprecision.losses.is_empty()));
}

#[test]
fn a_symbolic_index_behind_a_pointer_rests_on_a_bound() {
    let mut bench = Bench::new(
        "fn f(_0 p: *short nonnull, _1 i: int) -> int {
           _2: *short
           _3: short
           _4: int
           bb0:
             _2 = ptr_add _0, _1 x 2
             _3 = load *_2
             _4 = eq _3, 7
             branch _4 ? bb1 : bb2
           bb1: return 1
           bb2: return 0
         }",
    );
    let runs = bench.explore(&[0, 7, 100]);
    let hits = |run: &vm::Execution| {
        let mut bounds = run.imprecision.bounds.iter();
        bounds.any(|bound| bound.kind == BoundKind::ArrayExtent)
    };
    // It is an input beyond the array that meets the bound.
    for run in &runs {
        assert_eq!(hits(run), run.outcome == Outcome::LimitReached);
    }
    assert!(runs.iter().any(hits));
    let mut ended = runs.iter().filter(|run| run.outcome == Outcome::Return);
    assert!(ended.any(|run| returned(run) == bits(1)));
    let extent = runs[0].inputs.extents.values().next().copied();
    assert_eq!(
        extent,
        Some(Extent {
            before: 0,
            after: 32
        })
    );
}

#[test]
fn records_and_bit_fields_are_cells_each() {
    let mut bench = Bench::new(
        "rec0 struct \"struct s\" size 8 align 4 { flag: bool @0, low: int @8 bits 3, high: uint @11 bits 5, n: int @32 }
         fn f(_0 s: rec0) -> int {
           _1: int
           _2: bool
           _3: int
           bb0:
             _1 = load _0.low
             _3 = eq _1, -2
             branch _3 ? bb1 : bb2
           bb1:
             _2 = load _0.flag
             _3 = int_to_int _2 as int
             branch _3 ? bb3 : bb2
           bb2: return 0
           bb3: return _1
         }",
    );
    let runs = bench.explore(&[0, 1, 6]);
    let result: Vec<_> = runs.iter().filter_map(returned).collect();
    assert!(result.contains(&bits(-2).unwrap()), "{result:?}");
    let widths: Vec<_> = bench.space.cells().map(|(_, cell)| cell.width).collect();
    assert!(widths.contains(&3) && widths.contains(&1));
    // `n` was never looked at.
    assert!(!widths.contains(&32));
}

#[test]
fn results_of_unknown_functions_are_inputs() {
    let mut bench = Bench::new(
        "fn get() -> int
         fn put(?: *int) -> void
         fn f() -> int {
           _0: int
           _1: int
           _2 x: int taken
           _3: *int
           bb0: _0 = call @get() -> bb1
           bb1: _1 = call @get() -> bb2
           bb2:
             _1 = eq _0, _1
             _3 = addr _2
             _2 = 0
             branch _1 ? bb3 : bb4
           bb3: call @put(_3) -> bb4
           bb4:
             _0 = load _2
             return _0
         }",
    );
    let runs = bench.explore(&[0, 1]);
    assert_eq!(runs.len(), 2);
    let get = bench.program.function("get").unwrap();
    assert_eq!(runs[0].calls.get(&get), Some(&2));
    assert!(runs.iter().all(|run| run.imprecision.losses.is_empty()));
    // What `put` writes is one too.
    let written = |run: &Execution| {
        let cells = run.inputs.values.keys();
        let put = bench.program.function("put");
        cells
            .filter(|&&cell| bench.space.function_behind(cell) == put)
            .count()
    };
    assert_eq!(runs.iter().map(written).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn globals_can_be_inputs() {
    let mut bench = Bench::new(
        "static global ready: int = 0
         global outside: int
         fn f() -> int {
           _0: int
           _1: int
           bb0:
             _0 = load @ready
             branch _0 ? bb1 : bb2
           bb1:
             @ready = 5
             _1 = load @outside
             return _1
           bb2: return 1
         }",
    );
    let plain = bench.default_run();
    assert!(plain.path.is_empty());
    bench.config.input_globals = bench
        .program
        .globals
        .iter_enumerated()
        .filter(|(_, global)| global.name == "ready")
        .map(|(id, _)| id)
        .collect();
    let runs = bench.explore(&[0, 1]);
    assert_eq!(runs.len(), 2);
    assert_eq!(returned(&runs[1]), bits(0));
    let cells = runs[1]
        .observations
        .iter()
        .filter(|o| matches!(o.place, ObservedPlace::Cell { .. }));
    assert_eq!(
        cells.map(|o| o.value.clone()).collect::<Vec<_>>(),
        [bits(5).unwrap()]
    );
}

#[test]
fn functions_through_input_pointers_are_those_that_fit() {
    let mut bench = Bench::new(
        "fn one(_0 x: int) -> int { bb0: return 1 }
         fn two(_0 x: int) -> int { bb0: return 2 }
         fn other(_0 x: long) -> int { bb0: return 3 }
         fn f(_0 g: *fn(int) -> int) -> int {
           _1: int
           bb0: branch _0 ? bb1 : bb2
           bb1: _1 = call *_0(5) -> bb3
           bb2: return 0
           bb3: return _1
         }",
    );
    let runs = bench.explore(&[0]);
    let mut results: Vec<_> = runs.iter().filter_map(returned).collect();
    results.sort_by_key(|result| format!("{result:?}"));
    assert_eq!(results, [bits(0), bits(1), bits(2)].map(Option::unwrap));
}

#[test]
fn a_null_dereference_of_an_input_rests_on_an_assumption() {
    let mut bench = Bench::new(
        "fn f(_0 p: *int) -> int {
           _1: int
           bb0:
             _1 = load *_0
             return _1
         }",
    );
    let run = bench.default_run();
    let Outcome::Defect(found) = &run.outcome else {
        panic!("a defect expected");
    };
    assert_eq!(found.assumptions, [ir::Assumption::null("p")]);
}

#[test]
fn a_null_pointer_stays_one_after_arithmetic() {
    let mut bench = Bench::new(
        "fn f(_0 p: *int) -> int {
           _1: int
           _2: *int
           bb0:
             _2 = ptr_add _0, 3 x 4
             _1 = load *_2
             return _1
         }",
    );
    let run = bench.default_run();
    assert_eq!(defect(&run), Some(DefectKind::NullDereference));
    let Outcome::Defect(found) = &run.outcome else {
        panic!("a defect expected");
    };
    assert!(!found.is_certain());
}

#[test]
fn addresses_never_decide_silently() {
    let mut bench = Bench::new(
        "fn f() -> int {
           _0 x: int taken
           _1 y: int taken
           _2: *int
           _3: *int
           _4: int
           _5: ulong
           _6: ulong
           bb0:
             _2 = addr _0
             _3 = addr _1
             _4 = eq _2, _3
             branch _4 ? bb1 : bb2
           bb1: return 1
           bb2:
             _5 = pointer_to_int _2 as ulong
             _5 = and _5, 3
             _4 = eq _5, 0:ulong
             branch _4 ? bb3 : bb1
           bb3:
             _5 = pointer_to_int _2 as ulong
             _6 = pointer_to_int _3 as ulong
             _4 = lt _5, _6
             branch _4 ? bb4 : bb4
           bb4: return 0
         }",
    );
    let run = bench.default_run();
    assert_eq!(run.outcome, Outcome::AddressDependent);
    let kinds: Vec<_> = run
        .imprecision
        .losses
        .iter()
        .map(|loss| loss.kind)
        .collect();
    assert_eq!(kinds, [LossKind::AddressDependence]);
}

#[test]
fn a_precondition_rejects() {
    let mut bench = Bench::new(
        "fn f(_0 n: int) -> int { bb0: return _0 }
         fn f_precond(_0 n: int) -> int {
           _1: int
           bb0:
             _1 = gt _0, 3
             return _1
         }",
    );
    let index = ir::CodeIndex::new(&bench.program);
    let mut machine = vm::Machine::new(&bench.program, &index, bench.config.clone());
    let entry = bench.program.function("f").unwrap();
    let precondition = bench.program.function("f_precond");
    let inputs = ir::input::InputVector::default();
    let run = machine.execute_if(
        precondition,
        entry,
        (&inputs).into(),
        &mut bench.space,
        &mut bench.terms,
    );
    assert_eq!(run.outcome, Outcome::Rejected);
    assert_eq!(run.path.len(), 1);
    assert_eq!(run.path[0].kind, ConstraintKind::Assumption);
    bench.check(&run);
}
