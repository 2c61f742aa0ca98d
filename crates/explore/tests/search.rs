//! Searches on small programs: coverage, proofs, defects, pointer choices, losses.

use std::ops::ControlFlow;

use coverage::{Criterion, Evidence, GoalStatus, Reason};
use explore::{
    Exploration, NullObserver, Observer, Options, Outside, Progress, ProofShare, ProverName,
    StrategyName, explore,
};
use ir::DefectKind;
use ir::input::InputValue;
use ir::test::{LossKind, Outcome};
use solver::Stop;

/// Searches function `f` of a program in text form.
fn search(text: &str) -> Exploration {
    search_with(text, |_| (), &mut NullObserver)
}

fn search_with(
    text: &str,
    configure: impl Fn(&mut Options),
    observer: &mut dyn Observer,
) -> Exploration {
    let program = ir::text::parse(text).expect("the text is a program");
    ir::verify::verify(&program).expect("the program is well-formed");
    let mut options = Options::new(program.function("f").expect("there is an `f`"));
    configure(&mut options);
    explore(&program, &options, Outside::default(), observer)
}

/// The statuses of all goals, by their names.
fn statuses(exploration: &Exploration) -> Vec<(String, &'static str)> {
    let goals = exploration.suite.goals.iter();
    goals
        .map(|goal| (goal.goal.side.clone(), goal.status.name()))
        .collect()
}

const NESTED: &str = r#"
fn f(a: uint, b: uint) -> int {
  d0 if = c0
  d1 if = c1
  _2: int
  _3: int
  bb0: _2 = gt _0, 10; branch _2 ? bb1 : bb3 tag c0 true/false
  bb1: _3 = lt _0, 5; branch _3 ? bb2 : bb3 tag c1 true/false
  bb2: return 1
  bb3: return 0
}"#;

#[test]
fn covers_what_is_feasible_and_proves_the_rest() {
    let exploration = search(NESTED);
    let expected = [
        ("true", "covered"),
        ("false", "covered"),
        ("true", "unreachable"),
        ("false", "covered"),
    ];
    assert_eq!(
        statuses(&exploration),
        expected.map(|(side, status)| (side.to_owned(), status))
    );
    let proof = &exploration.suite.goals[coverage::GoalId::from_raw(2)].status;
    assert!(matches!(
        proof,
        GoalStatus::Unreachable(Evidence::ExhaustedSearch { paths: 2, defects, prunings }) if defects.is_empty() && prunings.is_empty()
    ));
    assert!(exploration.suite.complete() && exploration.suite.exhausted);
    assert_eq!(exploration.suite.tests.len(), 2);
}

#[test]
fn a_goal_that_no_path_leads_to_needs_no_search() {
    let exploration = search(
        r#"
fn f(a: int) -> int {
  d0 if = c0
  bb0: return 0
  bb1: branch _0 ? bb0 : bb0 tag c0 true/false
}"#,
    );
    for goal in &exploration.suite.goals {
        assert_eq!(goal.status, GoalStatus::Unreachable(Evidence::NoPath));
    }
}

#[test]
fn looks_for_the_division_by_zero_that_no_goal_needs() {
    let exploration = search(
        r#"
fn f(a: uint, b: uint) -> uint {
  _2: uint
  bb0: _2 = div _0, _1; return _2
}"#,
    );
    let kinds: Vec<_> = exploration
        .suite
        .defects
        .iter()
        .map(|found| found.defect.kind)
        .collect();
    assert_eq!(kinds, [DefectKind::DivisionByZero]);
    let test = &exploration.suite.tests[exploration.suite.defects[0].test];
    assert!(matches!(test.outcome, Outcome::Defect(_)));
}

#[test]
fn a_pointer_is_null_or_fresh() {
    let exploration = search(
        r#"
fn f(p: *int) -> int {
  d0 if = c0
  d1 if = c1
  _1: int
  _2: int
  bb0: branch _0 ? bb1 : bb3 tag c0 true/false
  bb1: _1 = load *_0; _2 = eq _1, 77; branch _2 ? bb2 : bb3 tag c1 true/false
  bb2: return 1
  bb3: return 0
}"#,
    );
    assert!(
        exploration
            .suite
            .goals
            .iter()
            .all(|goal| goal.status.name() == "covered")
    );
    let values: Vec<_> = exploration
        .suite
        .tests
        .iter()
        .flat_map(|test| test.inputs.values.values())
        .collect();
    assert!(values.contains(&&InputValue::Null) && values.contains(&&InputValue::Fresh));
    assert!(values.contains(&&InputValue::Bits(77)));
    assert!(exploration.suite.defects.is_empty());
}

#[test]
fn all_paths_keeps_a_test_for_each_path() {
    let text = r#"
fn f(a: uint, b: uint, c: uint) -> int {
  d0 if = c0
  d1 if = c1
  d2 if = c2
  bb0: branch _0 ? bb1 : bb1 tag c0 true/false
  bb1: branch _1 ? bb2 : bb2 tag c1 true/false
  bb2: branch _2 ? bb3 : bb3 tag c2 true/false
  bb3: return 0
}"#;
    let all = search_with(
        text,
        |options| options.criteria = Criterion::AllPaths.into(),
        &mut NullObserver,
    );
    assert_eq!(all.suite.statistics.paths, 8);
    assert_eq!(all.suite.tests.len(), 8);
    assert!(all.suite.complete());
    assert!(search(text).suite.tests.len() < 8);
}

/// Lets the search make one execution.
struct Impatient;

impl Observer for Impatient {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn a_search_that_is_stopped_keeps_what_it_found_and_proves_nothing() {
    let exploration = search_with(NESTED, |_| (), &mut Impatient);
    let suite = &exploration.suite;
    assert_eq!(suite.tests.len(), 1);
    assert!(!suite.complete() && !suite.exhausted);
    assert_eq!(suite.losses[0].kind, LossKind::TimeLimit);
    let open = suite
        .goals
        .iter()
        .filter(|goal| goal.status == GoalStatus::Undecided(Reason::Stopped));
    assert_eq!(open.count(), 3);
}

/// Stops the search once the solver was asked.
struct Brief;

impl Observer for Brief {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        match progress.solver_queries {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

#[test]
fn a_query_that_ends_with_the_search_is_no_limit_of_the_solver() {
    let text = r#"
fn f(a: uint, b: uint) -> int {
  d0 if = c0
  _2: uint
  _3: uint
  _4: uint
  _5: int
  bb0: _2 = mul _0, _0; _3 = mul _1, _1; _4 = add _2, _3; _5 = eq _4, 12345; branch _5 ? bb1 : bb1 tag c0 true/false
  bb1: return 0
}"#;
    let stop = |options: &mut Options| options.solver.stop = Some(Stop::when(|| true));
    let exploration = search_with(text, stop, &mut Brief);
    let suite = &exploration.suite;
    let kinds: Vec<LossKind> = suite.losses.iter().map(|loss| loss.kind).collect();
    assert_eq!(kinds, [LossKind::TimeLimit]);
    assert!(!suite.complete() && !suite.exhausted);
}

#[test]
fn what_lies_behind_an_unsupported_construct_is_undecided() {
    let exploration = search(
        r#"
fn f(a: uint) -> int {
  d0 if = c0
  d1 if = c1
  _1: int
  bb0: branch _0 ? bb1 : bb3 tag c0 true/false
  bb1: unsupported "inline assembly" -> bb2
  bb2: _1 = gt _0, 3; branch _1 ? bb3 : bb3 tag c1 true/false
  bb3: return 0
}"#,
    );
    let names: Vec<_> = exploration
        .suite
        .goals
        .iter()
        .map(|goal| goal.status.name())
        .collect();
    assert_eq!(names, ["covered", "covered", "undecided", "undecided"]);
    assert!(
        exploration
            .suite
            .losses
            .iter()
            .any(|loss| loss.kind == LossKind::Unsupported)
    );
}

#[test]
fn two_searches_give_the_same_suite() {
    assert_eq!(search(NESTED).suite, search(NESTED).suite);
}

/// Counts to 5,000, and asks about its input behind that.
const LONG_LOOP: &str = r#"
fn f(a: uint) -> int {
  d0 while = c0
  d1 if = c1
  _1: uint
  _2: int
  _3: int
  bb0: _1 = 0; goto bb1
  bb1: _2 = lt _1, 5000; branch _2 ? bb2 : bb3 tag c0 true/false
  bb2: _1 = add _1, 1; goto bb1
  bb3: _3 = eq _0, 7; branch _3 ? bb4 : bb5 tag c1 true/false
  bb4: return 1
  bb5: return 0
}"#;

#[test]
fn an_execution_of_too_many_steps_is_executed_again_with_more_and_the_search_goes_on() {
    let covered = |longer: bool| {
        let configure = |options: &mut Options| {
            options.machine.step_limit = 100;
            options.longer_executions = longer;
        };
        let exploration = search_with(LONG_LOOP, configure, &mut NullObserver);
        let goals = exploration.suite.goals.iter();
        goals.filter(|goal| goal.status.name() == "covered").count()
    };
    assert_eq!(covered(false), 1);
    assert_eq!(covered(true), 4);
}

/// Ends the search once it has made so many executions.
struct Executions(u64);

impl Observer for Executions {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        match progress.iterations < self.0 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

#[test]
fn an_execution_is_executed_for_longer_until_the_observer_ends_the_search() {
    let endless = LONG_LOOP.replace("5000", "4000000000");
    let configure = |options: &mut Options| {
        options.machine.step_limit = 10;
        options.longer_executions = true;
        options.proofs = explore::ProofShare::None;
    };
    let exploration = search_with(&endless, configure, &mut Executions(5));
    assert_eq!(exploration.suite.statistics.iterations, 5);
    assert!(!exploration.suite.exhausted || !exploration.suite.complete());
}

/// In each of 40 rounds one input is right; the goal is behind 40 of them.
const RIGHT_IN_EACH_ROUND: &str = r#"
fn reading() -> int
fn f() -> int {
  d0 if = c0
  _0 round: int
  _1 was_wrong: int
  _2: int
  _3: int
  bb0: _0 = 0; _1 = 0; goto bb1
  bb1: _2 = lt _0, 40; branch _2 ? bb2 : bb6
  bb2: _3 = call @reading() -> bb3
  bb3: _2 = eq _3, 77; branch _2 ? bb5 : bb4
  bb4: _1 = 1; goto bb5
  bb5: _0 = add _0, 1; goto bb1
  bb6: _2 = eq _1, 0; branch _2 ? bb7 : bb8 tag c0 true/false
  bb7: return 1
  bb8: return 0
}"#;

#[test]
fn the_monitor_leads_each_strategy_past_dead_ends() {
    for strategy in StrategyName::ALL {
        let executions = |without: &[ProverName]| {
            let configure = |options: &mut Options| {
                options.strategy = strategy;
                options.iteration_limit = 2_000;
                options.fuzzing = ProofShare::None;
                options.without_provers = without.to_vec();
            };
            let exploration = search_with(RIGHT_IN_EACH_ROUND, configure, &mut NullObserver);
            let is_covered = statuses(&exploration)
                .iter()
                .all(|(_, status)| *status == "covered");
            is_covered.then_some(exploration.suite.statistics.iterations)
        };
        let others = [
            ProverName::Steering,
            ProverName::Reachability,
            ProverName::Refinement,
        ];
        let watched = executions(&others);
        assert!(
            watched.is_some_and(|count| count < 500),
            "{strategy:?}: {watched:?}"
        );
        let without = executions(&[&others[..], &[ProverName::Monitor]].concat());
        let is_far = without
            .zip(watched)
            .is_none_or(|(without, with)| without > 2 * with);
        assert!(is_far, "{strategy:?}: {watched:?}, {without:?} without");
    }
}
