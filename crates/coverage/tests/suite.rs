//! When a suite is complete.

use std::collections::BTreeMap;

use coverage::{
    Criterion, Evidence, GoalKind, GoalStatus, Reason, Scope, Statistics, Suite, SuiteGoal,
    TestGoal,
};
use ir::test::{Bound, BoundKind, Loss, LossKind};
use ir::{Position, Span};

fn suite(criterion: Criterion, statuses: &[GoalStatus]) -> Suite {
    let at = Position {
        file: 0u32.into(),
        line: 1,
        column: 1,
    };
    let goals = statuses.iter().map(|status| SuiteGoal {
        goal: TestGoal {
            function: 0u32.into(),
            kind: GoalKind::Decision(0u32.into(), true),
            span: Span {
                begin: at,
                end: at,
                expansions: Vec::new(),
            },
            side: "true".to_owned(),
            side_by_names: None,
        },
        status: status.clone(),
        beyond_defect: None,
        confirmed: None,
    });
    Suite {
        function: 0u32.into(),
        criteria: criterion.into(),
        scope: Scope::Function,
        derivations: BTreeMap::new(),
        approaches: BTreeMap::new(),
        exhausted: true,
        no_input: None,
        goals: goals.collect(),
        tests: Default::default(),
        claims: Default::default(),
        defects: Vec::new(),
        losses: Vec::new(),
        bounds: Vec::new(),
        accepted_bounds: Vec::new(),
        infeasible: Vec::new(),
        timing: None,
        odd_states: BTreeMap::new(),
        suggestions: Vec::new(),
        statistics: Statistics::default(),
    }
}

fn bound() -> Bound {
    Bound {
        kind: BoundKind::ArrayExtent,
        detail: String::new(),
        stack: Vec::new(),
    }
}

#[test]
fn a_suite_is_complete_when_every_goal_is_decided_for_all_inputs() {
    let covered = GoalStatus::Covered(0u32.into());
    let unreachable = GoalStatus::Unreachable(Evidence::NoPath);
    let complete = |status: &GoalStatus| {
        suite(Criterion::Decisions, &[covered.clone(), status.clone()]).complete()
    };
    assert!(complete(&covered));
    assert!(complete(&unreachable));
    assert!(!complete(&GoalStatus::Open));
    assert!(!complete(&GoalStatus::UnreachableWithin(vec![bound()])));
    assert!(!complete(&GoalStatus::Undecided(Reason::Stopped)));
}

#[test]
fn a_bound_that_the_user_set_is_no_gap() {
    let within = suite(
        Criterion::Decisions,
        &[GoalStatus::UnreachableWithin(vec![bound()])],
    );
    let accepted = Suite {
        accepted_bounds: vec![bound().kind],
        infeasible: Vec::new(),
        timing: None,
        odd_states: BTreeMap::new(),
        suggestions: Vec::new(),
        ..within.clone()
    };
    assert!(!within.complete() && accepted.complete());
}

#[test]
fn all_paths_needs_an_exhausted_tree_without_losses_and_bounds() {
    let whole = suite(Criterion::AllPaths, &[]);
    assert!(whole.complete());
    let stopped = Suite {
        derivations: BTreeMap::new(),
        exhausted: false,
        no_input: None,
        ..whole.clone()
    };
    assert!(!stopped.complete());
    let loss = Loss {
        kind: LossKind::StepLimit,
        detail: String::new(),
        stack: Vec::new(),
    };
    assert!(
        !Suite {
            losses: vec![loss],
            ..whole.clone()
        }
        .complete()
    );
    assert!(
        !Suite {
            bounds: vec![bound()],
            ..whole
        }
        .complete()
    );
    assert!(
        Suite {
            derivations: BTreeMap::new(),
            exhausted: false,
            no_input: None,
            ..suite(Criterion::Decisions, &[])
        }
        .complete()
    );
}
