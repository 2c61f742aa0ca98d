//! A suite on disk: files, Makefile, `suite.json` and its schema, tests of defects.

mod common;

use std::collections::BTreeMap;

use std::path::Path;
use std::process::Command;

use common::{Saying, Unit, test};
use coverage::{
    Criterion, Evidence, FoundDefect, GoalKind, GoalStatus, Reason, Scope, Statistics, Suite,
    SuiteGoal, TestGoal,
};
use emit::replay::{Builds, DefectRun, Limits, Replay, replay};
use emit::{Output, Written};
use ir::input::{InputValue, Root};
use ir::test::{Bound, BoundKind, Defect, Frame, Loss, LossKind, Observed, Outcome, TestCase};
use ir::{Block, DecisionId, DefectKind, TestId};

const UNIT: &str = "\
#include <stdlib.h>
#include <string.h>
#include \"attest.h\"
int use(int kind, int *p)
{
    int local[4] = {0}, *q = malloc(16), zero = kind / 100;
    int unset[2];
    volatile int sink = 0;
    switch (kind) {
    case 0: sink = p[2]; break;
    case 1: sink = *p; break;
    case 2: free(q); sink = *q; break;
    case 3: free(q); free(q); break;
    case 4: free(local); break;
    case 5: q = NULL; break;
    case 6: if (unset[kind - 5]) sink = 1; break;
    case 7: sink = *p + 1; break;
    case 8: sink = 1 << *p; break;
    case 9: sink = 1 / zero; break;
    case 10: ATTEST_ASSERT(kind == 9); break;
    case 11: abort();
    case 12: for (;;) ;
    case 13: memcpy(local, local + 1, 8 + zero); break;
    default: break;
    }
    if (kind != 5) free(q);
    return sink;
}
";

const PROGRAM: &str = "
file0 \"unit.c\"
file1 \"headers/attest.h\"
unit0 user \"unit.c\"
fn __attest_assert(condition: int, text: *const char) -> void span file1:1:1-1:2
fn use(kind: int, p: *int) -> int span file0:4:5-4:8 {
  d0 if file0:26:9-26:18 = c0
  c0 of d0 file0:26:9-26:18
  at0 file0:10:20-10:24
  bb0: return 0
}
";

const KINDS: [(DefectKind, i32); 13] = [
    (DefectKind::OutOfBounds, 0),
    (DefectKind::NullDereference, 1),
    (DefectKind::UseAfterFree, 2),
    (DefectKind::DoubleFree, 3),
    (DefectKind::InvalidFree, 4),
    (DefectKind::Leak, 5),
    (DefectKind::UninitialisedRead, 6),
    (DefectKind::SignedOverflow, 7),
    (DefectKind::BadShift, 8),
    (DefectKind::DivisionByZero, 9),
    (DefectKind::FailedAssertion, 10),
    (DefectKind::Abort, 11),
    (DefectKind::NonTermination, 12),
];

fn defect(kind: DefectKind, unit: &Unit) -> Defect {
    let body = unit.program.functions[unit.entry]
        .body
        .as_ref()
        .expect("a body");
    Defect {
        kind,
        message: format!("an example of {kind}"),
        stack: vec![Frame {
            function: unit.entry,
            block: Block::from_usize(0),
            span: body.spans[0].clone(),
        }],
        assumptions: Vec::new(),
    }
}

/// A unit with a test for each kind of defect and one that passes.
fn example() -> (Unit, Suite) {
    let mut unit = Unit::new(PROGRAM, "use");
    let (kind, p) = (unit.parameter(0, "int"), unit.parameter(1, "int *"));
    let (kind, p) = (unit.cell(kind, 0, "int"), unit.cell(p, 0, "int *"));
    let array = unit.object(Root::Pointee(p), "int");
    let first = unit.cell(array, 0, "int");
    let mut tests: Vec<TestCase> = Vec::new();
    let mut defects = Vec::new();
    for (id, &(what, number)) in KINDS.iter().enumerate() {
        let found = defect(what, &unit);
        let mut case = test(id)
            .bits(kind, number as u128)
            .ends(Outcome::Defect(found.clone()));
        if what != DefectKind::NullDereference {
            case = case
                .with(p, InputValue::Fresh)
                .extent(array, 0, 8)
                .bits(first, 0x7fff_ffff);
        }
        tests.push(case);
        defects.push(FoundDefect {
            confirmed: None,
            defect: found,
            test: TestId::from_usize(id),
        });
    }
    let last = test(KINDS.len())
        .bits(kind, 99)
        .returns(&unit, "int", Observed::Bits(0));
    tests.push(last);
    let body = unit.program.functions[unit.entry]
        .body
        .as_ref()
        .expect("a body");
    let bound = Bound {
        kind: BoundKind::ArrayExtent,
        detail: "p reaches 16 elements".to_owned(),
        stack: Vec::new(),
    };
    let statuses = [
        (true, GoalStatus::Covered(TestId::from_usize(KINDS.len()))),
        (
            false,
            GoalStatus::Unreachable(Evidence::ExhaustedSearch {
                paths: 3,
                defects: vec![0],
                prunings: Vec::new(),
            }),
        ),
        (true, GoalStatus::UnreachableWithin(vec![bound.clone()])),
        (false, GoalStatus::Undecided(Reason::Losses(vec![0]))),
        (false, GoalStatus::Open),
        (true, GoalStatus::Unreachable(Evidence::NoPath)),
    ];
    let goals = statuses
        .into_iter()
        .map(|(outcome, status)| SuiteGoal {
            goal: TestGoal {
                function: unit.entry,
                kind: GoalKind::Decision(DecisionId::from_usize(0), outcome),
                span: body.decisions[0].span.clone(),
                side: outcome.to_string(),
                side_by_names: None,
            },
            status,
            beyond_defect: None,
            confirmed: None,
        })
        .collect();
    let suite = Suite {
        function: unit.entry,
        criteria: Criterion::Decisions.into(),
        scope: Scope::Function,
        derivations: BTreeMap::new(),
        approaches: BTreeMap::new(),
        exhausted: true,
        no_input: None,
        goals,
        claims: tests.iter().map(|_| Vec::new()).collect(),
        tests: tests.into_iter().collect(),
        defects,
        losses: vec![Loss {
            kind: LossKind::Concretisation,
            detail: "a length was taken as 3".to_owned(),
            stack: Vec::new(),
        }],
        bounds: vec![bound],
        accepted_bounds: Vec::new(),
        infeasible: Vec::new(),
        timing: None,
        odd_states: BTreeMap::new(),
        suggestions: Vec::new(),
        statistics: Statistics::default(),
    };
    (unit, suite)
}

fn write(unit: &Unit, suite: &Suite, folder: &Path) -> Written {
    let header = include_str!("../../../include/attest.h");
    std::fs::create_dir_all(folder.join("headers")).expect("a folder");
    std::fs::write(folder.join("headers/attest.h"), header).expect("a header");
    std::fs::write(folder.join("unit.c"), UNIT).expect("a unit");
    output(unit, suite, folder)
        .write()
        .unwrap_or_else(|error| panic!("{error}"))
}

fn output<'a>(unit: &'a Unit, suite: &'a Suite, folder: &Path) -> Output<'a> {
    Output {
        subject: unit.subject(),
        suite,
        directory: folder.join("out"),
        working_directory: folder.to_owned(),
        flags: vec!["-DUNUSED=1".to_owned()],
        compiler: "clang-19".to_owned(),
        headers: Some(folder.join("headers")),
        unshown: Default::default(),
    }
}

#[test]
fn suite_json_fits_its_schema_and_is_the_same_every_time() {
    let (unit, suite) = example();
    let folder = tempfile::tempdir().expect("a scratch folder");
    write(&unit, &suite, folder.path());
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join("out").join(name)).expect("the file is there")
    };
    let text = read("suite.json");
    let c_text = read("tests/test_use.c");
    write(&unit, &suite, folder.path());
    assert_eq!(read("suite.json"), text);
    assert_eq!(read("tests/test_use.c"), c_text);
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../../schema/suite.schema.json"))
            .expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let errors: Vec<String> = validator
        .iter_errors(&json)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [""; 0]);
    let mut broken = json.clone();
    broken["goals"][0]["status"] = "perhaps".into();
    assert!(!validator.is_valid(&broken));
    assert_eq!(
        json["tests"][0]["inputs"],
        serde_json::json!({ "kind": 0, "p": "new int [2]", "p[0]": 2147483647 })
    );
    assert_eq!(json["tests"][1]["inputs"], serde_json::json!({ "kind": 1 }));
    assert_eq!(json["defects"][0]["line"], 10);
    assert_eq!(json["goals"][0]["confirmed"], serde_json::Value::Null);
    let build = &json["build"];
    assert_eq!(build["directory"], "..");
    assert_eq!(build["tested"], build["units"][0]);
    assert_eq!(build["flags"], serde_json::json!(["-DUNUSED=1"]));
    let mut broken = json.clone();
    broken["build"]["sources"] = serde_json::json!([{ "path": "unit.c" }]);
    assert!(!validator.is_valid(&broken));
}

#[test]
fn every_kind_of_defect_shows_under_its_sanitizer() {
    let (unit, suite) = example();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let written = write(&unit, &suite, folder.path());
    let output = output(&unit, &suite, folder.path());
    let replayed = replay(&Replay {
        program: &unit.program,
        suite: &suite,
        files: written.c_files,
        build: output.build(),
        tools: common::tools(),
        read_unit: common::READ_UNIT,
        limits: Limits::default(),
        builds: Builds::All,
        deadline: None,
    })
    .unwrap_or_else(|error| panic!("{error}"));
    for (id, (kind, _)) in KINDS.iter().enumerate() {
        let run = &replayed.defects[&TestId::from_usize(id)];
        assert_eq!(*run, DefectRun::Shown, "{kind}: {run:?}");
    }
}

#[test]
fn the_makefile_builds_and_runs_everything() {
    let (unit, suite) = example();
    let folder = tempfile::tempdir().expect("a scratch folder");
    write(&unit, &suite, folder.path());
    let make = |target: &str| {
        let output = Command::new("make")
            .arg(target)
            .current_dir(folder.path().join("out/tests"))
            .output()
            .expect("make starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{errors}");
        said
    };
    assert!(make("check").contains("1 tests: 1 passed, 0 failed"));
    let said = make("defects");
    assert!(said.contains("test 2 passed: use-after-free"), "{said}");
    assert!(
        said.contains("test 6 needs another sanitizer: uninitialised-read"),
        "{said}"
    );
    assert!(make("coverage").contains("Branch (26:9)"));
    make("clean");
    let left = std::fs::read_dir(folder.path().join("out/tests")).expect("a folder");
    let mut left: Vec<String> = left
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    left.sort();
    assert_eq!(left, ["Makefile", "defects_use.c", "include", "test_use.c"]);
}
