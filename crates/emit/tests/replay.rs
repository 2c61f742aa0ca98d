//! Native replay against small units: goals are reached as clang counts them.

mod common;

use std::collections::BTreeMap;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Saying, Unit, test};
use coverage::{
    Criterion, GoalId, GoalKind, GoalStatus, Reason, Scope, Statistics, Suite, SuiteGoal, TestGoal,
};
use emit::replay::{
    Build, Builds, Difference, Limits, Replay, Replayed, TestStatus, compare, confirm, replay,
};
use ir::test::{Observed, Outcome, TestCase};
use ir::{DecisionId, Span, TestId};

/// All goals of the entry, made from the program's text.
fn goals(unit: &Unit) -> Vec<TestGoal> {
    let body = unit.program.functions[unit.entry]
        .body
        .as_ref()
        .expect("a body");
    let goal = |kind, span: &Span, side: &str| TestGoal {
        function: unit.entry,
        kind,
        span: span.clone(),
        side: side.to_owned(),
        side_by_names: None,
    };
    let mut goals = Vec::new();
    for (id, decision) in body.decisions.iter_enumerated() {
        for (side, data) in decision.sides.iter().enumerate() {
            goals.push(goal(GoalKind::Switch(id, side as u32), &data.span, "side"));
        }
        if decision.sides.is_empty() {
            goals.push(goal(GoalKind::Decision(id, true), &decision.span, "true"));
            goals.push(goal(GoalKind::Decision(id, false), &decision.span, "false"));
        }
    }
    for (id, condition) in body.conditions.iter_enumerated() {
        goals.push(goal(GoalKind::Condition(id, true), &condition.span, "true"));
        goals.push(goal(
            GoalKind::Condition(id, false),
            &condition.span,
            "false",
        ));
    }
    for (id, statement) in body.source_statements.iter_enumerated() {
        goals.push(goal(GoalKind::Statement(id), &statement.span, "executed"));
    }
    goals
}

fn suite(unit: &Unit, tests: Vec<TestCase>) -> Suite {
    Suite {
        function: unit.entry,
        criteria: Criterion::Decisions.into(),
        scope: Scope::Function,
        derivations: BTreeMap::new(),
        approaches: BTreeMap::new(),
        exhausted: false,
        no_input: None,
        goals: goals(unit)
            .into_iter()
            .map(|goal| SuiteGoal {
                goal,
                status: GoalStatus::Open,
                beyond_defect: None,
                confirmed: None,
            })
            .collect(),
        claims: tests.iter().map(|_| Vec::new()).collect(),
        tests: tests.into_iter().collect(),
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

fn run(unit: &Unit, suite: &Suite, folder: &Path, text: &str) -> Replayed {
    let tests: Vec<TestCase> = suite.tests.iter().cloned().collect();
    let source = common::write(folder, text, &unit.file("unit.c", &tests).text());
    replay(&Replay {
        program: &unit.program,
        suite,
        files: vec![(source, suite.tests.indices().collect())],
        build: Build {
            flags: Vec::new(),
            folder: folder.to_owned(),
            other_units: Vec::new(),
        },
        tools: common::tools(),
        read_unit: common::READ_UNIT,
        limits: Limits {
            time: Duration::from_secs(2),
            ..Limits::default()
        },
        builds: Builds::All,
        deadline: None,
    })
    .unwrap_or_else(|error| panic!("{error}"))
}

/// What each test reached, as text: `d0T`, `d1 2` for the third side of a switch, `c1F`, `s3`.
fn reached(suite: &Suite, replayed: &Replayed, id: usize) -> String {
    let reached = replayed.reached(TestId::from_usize(id));
    let reached = reached.expect("the test ran");
    let unmapped = reached.unmapped.count_ones(..);
    assert_eq!(unmapped, 0, "every goal has counts");
    let letter = |value| if value { 'T' } else { 'F' };
    let names: Vec<String> = reached
        .goals
        .ones()
        .map(
            |goal| match suite.goals[GoalId::from_usize(goal)].goal.kind {
                GoalKind::Decision(id, value) => format!("{id}{}", letter(value)),
                GoalKind::Switch(id, side) => format!("{id}.{side}"),
                GoalKind::Condition(id, value) => format!("{id}{}", letter(value)),
                GoalKind::Statement(id) => format!("{id}"),
                GoalKind::Call(block) => format!("{block}"),
                GoalKind::Combination(..)
                | GoalKind::Boundary(..)
                | GoalKind::Mutant(_)
                | GoalKind::Use(_)
                | GoalKind::Label(_)
                | GoalKind::Independence(..)
                | GoalKind::AllCombinations(_) => unreachable!("no goal here is of this kind"),
            },
        )
        .collect();
    names.join(" ")
}

const UNIT: &str = "\
#define BOTH(x, y) ((x) > 0 && (y) > 0)
#define IF(c) if (c) return 9
static int f(int a, int b)
{
    if (a > 5 && (b < 3 || !a)) b++;
    if (BOTH(a, b) || BOTH(b, a)) b--;
    IF(a == 1 && b == 2);
    IF(a == 2 && (b == 1 || b == 2));
    switch (a) { case 6: b = 0; case 7: b = 1; break; }
    if (sizeof(int) == 4 && b) b = 3;
    return b;
}
";

const PROGRAM: &str = "
file0 \"unit.c\"
static fn f(a: int, b: int) -> int span file0:3:12-3:13 {
  d0 if file0:5:9-5:30 = c0 && (c1 || c2)
  c0 of d0 file0:5:9-5:14
  c1 of d0 file0:5:19-5:24
  c2 of d0 file0:5:28-5:30
  d1 if file0:6:9-6:33 = (c3 && c4) || (c5 && c6)
  c3 of d1 file0:1:21-1:28 in BOTH@file0:6:9
  c4 of d1 file0:1:32-1:39 in BOTH@file0:6:9
  c5 of d1 file0:1:21-1:28 in BOTH@file0:6:23
  c6 of d1 file0:1:32-1:39 in BOTH@file0:6:23
  d2 if file0:2:19-2:20 in IF@file0:7:5 = c7 && c8
  c7 of d2 file0:2:19-2:20 in IF@file0:7:5
  c8 of d2 file0:2:19-2:20 in IF@file0:7:5
  d3 switch file0:9:13-9:14 { 6 file0:9:18-9:24, 7 file0:9:33-9:39, else file0:9:13-9:14 }
  d4 if file0:10:9-10:30 = true && c9
  c9 of d4 file0:10:29-10:30
  d5 if file0:2:19-2:20 in IF@file0:8:5 = c12 && (c10 || c11)
  c10 of d5 file0:2:19-2:20 in IF@file0:8:5
  c11 of d5 file0:2:19-2:20 in IF@file0:8:5
  c12 of d5 file0:2:19-2:20 in IF@file0:8:5
  s0 in bb0 file0:5:33-5:36
  s1 in bb0 file0:2:22-2:30 in IF@file0:7:5
  s2 in bb0 file0:11:5-11:13
  bb0: return 0
}
";

fn scalar_tests(unit: &mut Unit, inputs: &[(i32, i32)]) -> Vec<TestCase> {
    let (a, b) = (unit.parameter(0, "int"), unit.parameter(1, "int"));
    let (a, b) = (unit.cell(a, 0, "int"), unit.cell(b, 0, "int"));
    let bits = |value: i32| u128::from(value as u32);
    inputs
        .iter()
        .enumerate()
        .map(|(id, &(x, y))| test(id).bits(a, bits(x)).bits(b, bits(y)))
        .collect()
}

#[test]
fn goals_are_reached_as_clang_counts_them() {
    let mut unit = Unit::new(PROGRAM, "f");
    let tests = scalar_tests(&mut unit, &[(6, 1), (1, 3), (0, 0), (7, 5), (1, 5), (2, 3)]);
    let suite = suite(&unit, tests);
    let folder = tempfile::tempdir().expect("a scratch folder");
    let replayed = run(&unit, &suite, folder.path(), UNIT);
    assert!(
        replayed
            .tests
            .values()
            .all(|test| test.status == TestStatus::Passed)
    );
    assert!(
        replayed
            .second
            .values()
            .all(|status| *status == TestStatus::Passed)
    );
    let all: Vec<String> = (0..6).map(|id| reached(&suite, &replayed, id)).collect();
    assert_eq!(
        all,
        [
            "d0T d1T d2F d3.0 d4T d5F c0T c1T c3T c4T c7F c9T c12F s0 s2",
            "d0F d1T d2T c0F c3T c4T c7T c8T s1",
            "d0F d1F d2F d3.2 d4F d5F c0F c3F c5F c7F c9F c12F s2",
            "d0F d1T d2F d3.1 d4T d5F c0T c1F c2F c3T c4T c7F c9T c12F s2",
            "d0F d1T d2F d3.2 d4T d5F c0F c3T c4T c7T c8F c9T c12F s2",
            "d0F d1T d2F d5T c0F c3T c4T c7F c10F c11T c12T",
        ]
    );
}

#[test]
fn claims_are_compared_and_confirmed() {
    let mut unit = Unit::new(PROGRAM, "f");
    let mut tests = scalar_tests(&mut unit, &[(6, 1), (0, 0)]);
    tests[1] = tests[1].clone().returns(&unit, "int", Observed::Bits(5));
    let mut suite = suite(&unit, tests);
    let goal = |kind| {
        let found = suite
            .goals
            .iter_enumerated()
            .find(|(_, goal)| goal.goal.kind == kind);
        found.expect("the goal exists").0
    };
    let first = DecisionId::from_usize(0);
    let (yes, no) = (
        goal(GoalKind::Decision(first, true)),
        goal(GoalKind::Decision(first, false)),
    );
    let (zero, one) = (TestId::from_usize(0), TestId::from_usize(1));
    let folder = tempfile::tempdir().expect("a scratch folder");
    let replayed = run(&unit, &suite, folder.path(), UNIT);
    let reached_goals = |id: TestId| -> Vec<GoalId> {
        let reached = replayed.reached(id).expect("the test ran");
        reached.goals.ones().map(GoalId::from_usize).collect()
    };
    // The first test claims one goal too many and one too few.
    suite.claims[zero] = reached_goals(zero);
    suite.claims[zero].retain(|&goal| goal != yes);
    suite.claims[zero].push(no);
    suite.claims[one] = reached_goals(one);
    suite.goals[yes].status = GoalStatus::Covered(one);
    suite.goals[no].status = GoalStatus::Covered(zero);
    let differences = compare(&suite, &replayed);
    assert_eq!(
        differences[..2],
        [
            Difference::NotReached {
                test: zero,
                goal: no
            },
            Difference::NotClaimed {
                test: zero,
                goal: yes
            },
        ]
    );
    let wrong: Vec<_> = differences[2..]
        .iter()
        .map(|difference| match difference {
            Difference::NotPassed {
                test,
                compiler,
                status: TestStatus::Failed(said),
            } => {
                assert!(said.contains("result is 0, expected 5"), "{said}");
                (*test, *compiler)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(wrong, [(one, "clang"), (one, "gcc")]);
    confirm(&mut suite, &replayed);
    assert_eq!(
        suite.goals[no].status,
        GoalStatus::Undecided(Reason::NotConfirmed),
        "a test that fails confirms nothing"
    );
    assert_eq!(suite.goals[no].confirmed, Some(false));
    assert_eq!(suite.goals[yes].confirmed, Some(false));
}

#[test]
fn tests_with_one_profile_are_compared_together() {
    let mut unit = Unit::new(PROGRAM, "f");
    let tests = scalar_tests(&mut unit, &[(6, 1), (0, 0)]);
    let mut suite = suite(&unit, tests);
    let (zero, one) = (TestId::from_usize(0), TestId::from_usize(1));
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut replayed = run(&unit, &suite, folder.path(), UNIT);
    for id in [zero, one] {
        let reached = replayed.reached(id).expect("the test ran");
        suite.claims[id] = reached.goals.ones().map(GoalId::from_usize).collect();
    }
    let others = replayed.reached(one).expect("the test ran").goals.clone();
    let together = replayed.tests[&zero].profile;
    let profile = &mut replayed.profiles[together];
    profile.tests = vec![zero, one];
    profile.reached.goals.union_with(&others);
    replayed.profiles.truncate(1);
    replayed.tests.get_mut(&one).expect("the test ran").profile = together;
    assert_eq!(compare(&suite, &replayed), []);
    let unclaimed = suite.claims[one].pop().expect("it reaches goals");
    suite.claims[zero].retain(|&goal| goal != unclaimed);
    let expected = Difference::NotClaimed {
        test: zero,
        goal: unclaimed,
    };
    assert_eq!(compare(&suite, &replayed), [expected]);
    // Of a test that did not come to its end nothing is known.
    replayed.tests.remove(&one);
    assert_eq!(compare(&suite, &replayed), []);
}

#[test]
fn profiles_survive_abnormal_ends() {
    let text = "
#include <stdlib.h>
void end(int how, int x)
{
    if (x) how++;
    if (how == 1) *(volatile int *)0 = 1;
    if (how == 2) abort();
    if (how == 3) exit(5);
    if (how == 4) for (;;) ;
    if (how == 5) for (volatile char *p = malloc(1l << 36);; p += 4096) *p = 1;
}
";
    let program = "
file0 \"unit.c\"
fn end(how: int, x: int) -> void span file0:3:6-3:9 {
  d0 if file0:5:9-5:10 = c0
  c0 of d0 file0:5:9-5:10
  bb0: return
}
";
    let mut unit = Unit::new(program, "end");
    let mut tests = scalar_tests(&mut unit, &[(1, 0), (1, 1), (3, 0), (3, 1), (4, 1)]);
    tests[0].outcome = Outcome::LimitReached;
    tests[1].outcome = Outcome::LimitReached;
    tests[2].outcome = Outcome::Exit(Some(5));
    tests[3].outcome = Outcome::LimitReached;
    tests[4].outcome = Outcome::LimitReached;
    let suite = suite(&unit, tests);
    let folder = tempfile::tempdir().expect("a scratch folder");
    let replayed = run(&unit, &suite, folder.path(), text);
    let status = |id| replayed.tests[&TestId::from_usize(id)].status.clone();
    assert_eq!(status(0), TestStatus::Signalled(11));
    assert_eq!(status(1), TestStatus::Signalled(6));
    assert_eq!(status(2), TestStatus::Passed);
    assert_eq!(status(3), TestStatus::TimedOut);
    assert_eq!(status(4), TestStatus::Signalled(11));
    let all: Vec<String> = (0..5).map(|id| reached(&suite, &replayed, id)).collect();
    assert_eq!(all, ["d0F c0F", "d0T c0T", "d0F c0F", "d0T c0T", "d0T c0T"]);
}

#[test]
fn a_unit_that_does_not_compile_is_an_error_with_the_compilers_words() {
    let unit = Unit::new("fn f() -> void { bb0: return }", "f");
    let suite = suite(&unit, vec![test(0)]);
    let folder = tempfile::tempdir().expect("a scratch folder");
    let source = common::write(
        folder.path(),
        "void f(void) { nonsense }\n",
        &unit.file("unit.c", &[test(0)]).text(),
    );
    let error = replay(&Replay {
        program: &unit.program,
        suite: &suite,
        files: vec![(source, vec![TestId::from_usize(0)])],
        build: Build {
            flags: Vec::new(),
            folder: PathBuf::from("."),
            other_units: Vec::new(),
        },
        tools: common::tools(),
        read_unit: common::READ_UNIT,
        limits: Limits::default(),
        builds: Builds::All,
        deadline: None,
    })
    .expect_err("it cannot be compiled");
    assert!(
        error
            .to_string()
            .contains("undeclared identifier 'nonsense'"),
        "{error}"
    );
}

#[test]
fn no_test_is_run_when_the_time_is_over() {
    let unit = Unit::new("fn f() -> void { bb0: return }", "f");
    let suite = suite(&unit, vec![test(0)]);
    let folder = tempfile::tempdir().expect("a scratch folder");
    let text = unit.file("unit.c", &[test(0)]).text();
    let source = common::write(folder.path(), "void f(void) {}\n", &text);
    let replayed = replay(&Replay {
        program: &unit.program,
        suite: &suite,
        files: vec![(source, vec![TestId::from_usize(0)])],
        build: Build {
            flags: Vec::new(),
            folder: folder.path().to_owned(),
            other_units: Vec::new(),
        },
        tools: common::tools(),
        read_unit: common::READ_UNIT,
        limits: Limits::default(),
        builds: Builds::All,
        deadline: Some(std::time::Instant::now()),
    });
    assert_eq!(replayed.expect("a replay"), Replayed::default());
}

#[test]
fn the_tests_that_goals_need_are_in_the_first_part() {
    let unit = Unit::new("fn f() -> void { bb0: return }", "f");
    let mut suite = suite(&unit, (0..1_000).map(test).collect());
    suite.claims[TestId::from_usize(998)] = vec![coverage::GoalId::from_usize(0)];
    suite.claims[TestId::from_usize(999)] = vec![coverage::GoalId::from_usize(0)];
    let tests: Vec<TestId> = suite.tests.indices().collect();
    let parts = emit::parts(&suite, &tests);
    assert_eq!(parts.len(), 3);
    assert!(parts[0].contains(&TestId::from_usize(998)));
    assert!(!parts[0].contains(&TestId::from_usize(999)));
    let mut all: Vec<TestId> = parts.concat();
    all.sort_unstable();
    assert_eq!(all, tests);
}
