//! The report of a suite made by hand.

use std::collections::BTreeMap;

use coverage::{
    Criterion, Evidence, FoundDefect, GoalKind, GoalStatus, Reason, Scope, Statistics, Suite,
    SuiteGoal, TestGoal,
};
use ir::test::{Defect, Frame, Loss, LossKind};
use ir::{Block, ConditionId, DecisionId, DefectKind, FunctionId, Program, Span, TestId};

use super::{Phases, Report};
use crate::cli::cover::Show;
use crate::console::Console;
use crate::findings::Findings;

const SOURCE: &str = "\
int f(int a) {
    if (a > 0 && a < 9)
        switch (a % 4) {
        case 1: return 1 / a;
        default: break;
        }
    return 0;
}
";

fn program(path: &str) -> Program {
    let text = format!(
        r#"file0 "{path}"
unit0 user "{path}"
fn f(a: int) -> int span file0:1:5-1:6 {{
  at0 file0:4:24-4:29
  d0 if file0:2:9-2:23 = c0 && c1
  d1 switch file0:3:17-3:22 {{ 1 file0:4:9-4:15, else file0:5:9-5:16 }}
  c0 of d0 file0:2:9-2:14
  c1 of d0 file0:2:18-2:23
  bb0: branch _0 ? bb1 : bb2 tag c0 -/false
  bb1: branch _0 ? bb3 : bb2 tag c1 true/false
  bb2: return 0
  bb3: switch _0 d1 {{ 1 => bb2, else => bb2 }}
}}
"#
    );
    ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn goal(kind: GoalKind, span: &Span, side: &str, status: GoalStatus) -> SuiteGoal {
    SuiteGoal {
        goal: TestGoal {
            function: FunctionId::from_raw(0),
            kind,
            span: span.clone(),
            side: side.to_owned(),
            side_by_names: None,
        },
        beyond_defect: None,
        confirmed: matches!(status, GoalStatus::Covered(_)).then_some(true),
        status,
    }
}

fn suite(program: &Program) -> Suite {
    let body = program.functions[0].body.as_ref().unwrap();
    let (decision, switch) = (DecisionId::from_raw(0), DecisionId::from_raw(1));
    let decision_span = &body.decisions[decision].span;
    let sides = &body.decisions[switch].sides;
    let frame = Frame {
        function: FunctionId::from_raw(0),
        block: Block::from_raw(0),
        span: body.spans[0].clone(),
    };
    let exhausted = Evidence::ExhaustedSearch {
        paths: 3,
        defects: vec![],
        prunings: Vec::new(),
    };
    Suite {
        function: FunctionId::from_raw(0),
        criteria: Criterion::Decisions.into(),
        scope: Scope::Function,
        derivations: BTreeMap::new(),
        approaches: BTreeMap::new(),
        exhausted: true,
        no_input: None,
        goals: [
            goal(
                GoalKind::Decision(decision, true),
                decision_span,
                "true",
                GoalStatus::Covered(TestId::from_raw(0)),
            ),
            goal(
                GoalKind::Decision(decision, false),
                decision_span,
                "false",
                GoalStatus::Unreachable(exhausted),
            ),
            goal(
                GoalKind::Switch(switch, 0),
                &sides[0].span,
                "case 1",
                GoalStatus::Covered(TestId::from_raw(1)),
            ),
            goal(
                GoalKind::Switch(switch, 1),
                &sides[1].span,
                "default",
                GoalStatus::Undecided(Reason::Losses(vec![0])),
            ),
        ]
        .into_iter()
        .collect(),
        tests: Default::default(),
        claims: Default::default(),
        defects: vec![FoundDefect {
            confirmed: Some(true),
            defect: Defect {
                kind: DefectKind::DivisionByZero,
                message: "1 is divided by 0".to_owned(),
                stack: vec![frame.clone(), frame.clone()],
                assumptions: Vec::new(),
            },
            test: TestId::from_raw(1),
        }],
        losses: vec![Loss {
            kind: LossKind::Concretisation,
            detail: "a was taken to be 4".to_owned(),
            stack: vec![frame],
        }],
        bounds: Vec::new(),
        accepted_bounds: Vec::new(),
        infeasible: Vec::new(),
        timing: None,
        odd_states: BTreeMap::new(),
        suggestions: Vec::new(),
        statistics: Statistics {
            iterations: 5,
            paths: 3,
            solver_queries: 4,
            ..Statistics::default()
        },
    }
}

fn report(suite: &Suite, program: &Program) -> String {
    let inputs = vec![Vec::new(), vec![("a".to_owned(), "0".to_owned())]];
    let report = Report {
        program,
        suite,
        findings: &Findings {
            certain: suite.defects.clone(),
            ..Findings::default()
        },
        show: Show::All,
        inputs: &inputs,
        directory: "out",
        tests: Some("out/tests/test_f.c"),
        phases: Phases::default(),
    };
    report.text(&mut Console::new())
}

#[test]
fn a_report_tells_all() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, SOURCE).unwrap();
    let path = file.path().to_str().unwrap();
    let program = program(path);
    let text = report(&suite(&program), &program);
    expect_test::expect![[r#"
        f in x.c: decisions
           line                  true    false
              2  a > 0 && a < 9  test 0  unreachable
              3  switch (a % 4)
              4    case 1        test 1
              5    default       undecided: loss 1

        defect: division-by-zero: 1 is divided by 0
         --> x.c:4:24
          |
        4 |         case 1: return 1 / a;
          |                        ^^^^^
          |
          = note: called from f at x.c:4:24
          = note: with a = 0
          = help: attest replay out --test 1 --gdb

        loss 1: concretisation at x.c:4:24: a was taken to be 4

        4 goals: 2 covered, 1 unreachable, 1 undecided. 0 tests, 1 defect.
        5 executions, 3 paths, 4 solver queries in 0.00 s of search; reading 0.00 s; 0 MB
        not replayed: no goal is confirmed by the compiled program
        tests: out/tests/test_f.c (run them: make -C out/tests check defects)
    "#]]
    .assert_eq(&text.replace(path, "x.c"));
}

#[test]
fn conditions_have_a_row_each() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, SOURCE).unwrap();
    let program = program(file.path().to_str().unwrap());
    let mut suite = suite(&program);
    let body = program.functions[0].body.as_ref().unwrap();
    let covered = GoalStatus::Covered(TestId::from_raw(0));
    let conditions = [0, 1].map(ConditionId::from_raw);
    suite.goals = conditions
        .iter()
        .flat_map(|&condition| {
            let span = &body.conditions[condition].span;
            [true, false].map(|value| {
                let kind = GoalKind::Condition(condition, value);
                goal(kind, span, &value.to_string(), covered.clone())
            })
        })
        .collect();
    let tables = super::tables(&program, &suite, &mut Console::new().sources);
    expect_test::expect![[r#"
        table
           line            true    false
              2  a > 0     test 0  test 0
              2  a < 9     test 0  test 0
    "#]]
    .assert_eq(&format!("table\n{}", tables[0].text()));
}
