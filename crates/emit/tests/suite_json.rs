//! The types of `suite.json`: its schema is what they give, and suites of earlier versions are
//! read.

use emit::SuiteRecord;
use emit::record::{OutcomeRecord, StatusRecord};
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;

/// The schema of what attest writes.
fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(on_one_line));
    let schema = settings
        .into_generator()
        .into_root_schema_for::<SuiteRecord>();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    text
}

/// Takes out where the comments in the source break lines.
fn on_one_line(schema: &mut Schema) {
    if let Some(serde_json::Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// `UPDATE_EXPECT=1` in the environment of this test rewrites the file.
#[test]
fn the_schema_is_derived_from_the_types() {
    expect_test::expect_file!["../../../schema/suite.schema.json"].assert_eq(&schema());
}

/// What the first version that wrote `suite.json` wrote.
const FIRST: &str = r#"{
  "function": "f", "file": "x.c", "criterion": "decisions", "scope": "function",
  "complete": false, "exhausted": true,
  "goals": [
    { "id": 0, "function": "f", "kind": "decision", "file": "x.c", "line": 2, "column": 5,
      "side": "true", "status": "covered", "test": 0, "confirmed": null },
    { "id": 1, "function": "f", "kind": "decision", "file": "x.c", "line": 2, "column": 5,
      "side": "false", "status": "undecided", "confirmed": null, "reason": "losses",
      "losses": [0] },
    { "id": 2, "function": "f", "kind": "decision", "file": "x.c", "line": 3, "column": 5,
      "side": "true", "status": "unreachable", "confirmed": null,
      "evidence": { "kind": "exhausted-search", "paths": 2, "defects": [0] } },
    { "id": 3, "function": "f", "kind": "decision", "file": "x.c", "line": 3, "column": 5,
      "side": "false", "status": "undecided", "confirmed": null, "reason": "stopped" }
  ],
  "tests": [
    { "id": 0, "inputs": { "a": 1, "p": "NULL" }, "outcome": "exit", "exit_status": 3,
      "covers": [0] }
  ],
  "defects": [{ "kind": "leak", "test": 0, "message": "Nothing frees it.", "stack": [] }],
  "losses": [{ "kind": "time-limit", "detail": "Time was up." }],
  "bounds": [],
  "files": { "tests": "tests/test_f.c" },
  "statistics": { "iterations": 1, "paths": 1, "solver_queries": 1, "steps": 9, "seconds": 0.5,
    "peak_memory_bytes": 1000, "solver_links": [{ "name": "sat", "queries": 1, "answered": 1 }] }
}"#;

#[test]
fn suites_of_earlier_versions_are_read() {
    let suite = SuiteRecord::parse(FIRST).expect("the first version wrote it");
    assert!(suite.is_sound());
    assert_eq!(suite.goals[0].status, StatusRecord::Covered { test: 0 });
    let statuses: Vec<&str> = suite.goals.iter().map(|goal| goal.status.name()).collect();
    let expected = ["covered", "undecided", "unreachable", "undecided"];
    assert_eq!(statuses, expected);
    let exit_status = Some(3);
    assert_eq!(suite.tests[0].outcome, OutcomeRecord::Exit { exit_status });
    assert_eq!(suite.defects[0].place, None);
    assert_eq!(suite.build, None);
    let text = suite.text().expect("JSON");
    assert_eq!(SuiteRecord::parse(&text).expect("JSON"), suite);
}

#[test]
fn a_name_of_a_status_is_what_is_written() {
    let suite = SuiteRecord::parse(FIRST).expect("the first version wrote it");
    for goal in &suite.goals {
        let written = serde_json::to_value(goal).expect("JSON");
        assert_eq!(written["status"], goal.status.name());
    }
}

#[test]
fn what_attest_does_not_write_is_refused() {
    for (from, to) in [
        ("\"covered\"", "\"perhaps\""),
        ("\"test\": 0, \"confirmed\"", "\"confirmed\""),
        ("\"function\": \"f\", \"file\"", "\"file\""),
        ("\"exit\"", "\"never\""),
    ] {
        let broken = FIRST.replacen(from, to, 1);
        assert_ne!(broken, FIRST);
        assert!(SuiteRecord::parse(&broken).is_err(), "{from}");
    }
}
