//! What reports of defects rest on, which of them are told, and which fail the run.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;
use serde_json::Value;

/// One defect of each sort: certain, on the assumption of NULL, and on that of an unknown function.
const UNIT: &str = "extern int *lookup(int key);
int certain(int n)
{
    return 10 / n;
}
int assumed(const int *p)
{
    return p[0] == 3 ? p[1] : 0;
}
int unknown(int key)
{
    return *lookup(key);
}
";

/// The suite that a run wrote.
fn suite_of(folder: &Folder) -> Value {
    let text = std::fs::read_to_string(folder.path("attest-out/suite.json")).expect("a suite");
    serde_json::from_str(&text).expect("JSON")
}

/// The arguments of a run without replay.
fn cover<'a>(function: &'a str, others: &[&'a str]) -> Vec<&'a str> {
    let first = ["cover", "x.c", "-f", function, "--no-replay"];
    [&first[..], others].concat()
}

#[test]
fn only_certain_defects_fail_the_run() {
    let folder = Folder::with("x.c", UNIT);
    let run = |function, others: &[&str]| folder.attest(&cover(function, others));
    run("certain", &[])
        .ends_with(1)
        .says(&["defect: division-by-zero", "1 defect."]);
    run("certain", &["--defects", "none"]).ends_with(0);
    let assumed = run("assumed", &["--check-time", "0"]).ends_with(0);
    assumed.says(&[
        "assumed: p may be NULL: 1 place (null-dereference)",
        "--nonnull p",
    ]);
    run("assumed", &["--fail-on", "assumed"]).ends_with(1);
    run("assumed", &["--fail-on", "assumed", "--defects", "certain"]).ends_with(0);
    let unknown = run("unknown", &[]).ends_with(0);
    unknown.says(&[
        "assumed: lookup, whose code is not known",
        "give the file that defines lookup",
    ]);
}

#[test]
fn a_report_names_all_that_it_rests_on() {
    let folder = Folder::with("x.c", UNIT);
    folder.attest(&cover("assumed", &[])).ends_with(0);
    let suite = suite_of(&folder);
    let defects = suite["defects"].as_array().expect("defects");
    let null = defects.iter().find(|it| it["kind"] == "null-dereference");
    let null = null.expect("a null dereference");
    assert_eq!(null["assumptions"], serde_json::json!(["null"]));
    assert_eq!(null["rests_on"][0]["subject"], "p");
    assert_eq!(null["rests_on"][0]["text"], "p may be NULL");
    folder.attest(&cover("certain", &[])).ends_with(1);
    let suite = suite_of(&folder);
    assert_eq!(suite["defects"][0]["assumptions"], serde_json::json!([]));
    assert_eq!(suite["defects"][0]["rests_on"], Value::Null);
}

#[test]
fn known_defects_are_neither_told_nor_fail_the_run() {
    let folder = Folder::with("x.c", UNIT);
    folder
        .attest(&cover("certain", &["--write-baseline", "known.json"]))
        .ends_with(1);
    let with = ["--baseline", "known.json"];
    let known = folder.attest(&cover("certain", &with)).ends_with(0);
    assert!(!known.output.contains("defect: "), "{}", known.output);
    known.says(&["1 defect of the baseline"]);
    // Lines before it do not make it new, and another defect is.
    folder.write("x.c", &format!("\n\n{UNIT}"));
    folder.attest(&cover("certain", &with)).ends_with(0);
    folder.write("x.c", &UNIT.replace("10 / n", "11 / (n + 0)"));
    folder.attest(&cover("certain", &with)).ends_with(1);
    folder
        .attest(&cover("certain", &["--baseline", "x.c"]))
        .ends_with(2)
        .complains(&["x.c is no baseline that attest wrote"]);
}

#[test]
fn a_verdict_within_what_the_user_says_counts_as_decided() {
    let text = "int f(int *p, int *q)
{
    if (!p || !q)
        return 0;
    return p == q;
}
";
    let folder = Folder::with("x.c", text);
    let run = |others: &[&str]| folder.attest(&cover("f", others));
    run(&["--assume-nonnull", "--assume-disjoint"]).ends_with(0);
    let suite = suite_of(&folder);
    let side = &suite["goals"][0];
    assert_eq!(side["status"], "unreachable-within");
    assert_eq!(side["bounds"][0]["kind"], "assumed-nonnull");
    let checked = folder.attest(&["check", "attest-out"]).ends_with(0);
    checked.says(&["0 refused"]);
    run(&["--nonnull", "p"]).ends_with(0);
    let suite = suite_of(&folder);
    assert_eq!(suite["goals"][0]["status"], "covered");
}

#[test]
fn several_functions_have_a_table_and_one_folder() {
    let folder = Folder::with("x.c", UNIT);
    let names = ["-f", "certain", "-f", "assumed"];
    let run = folder.attest(&[&["cover", "x.c"][..], &names].concat());
    let run = run.ends_with(1);
    run.says(&[
        "function ",
        "certain defects",
        "2 functions",
        "1 defect rests on assumptions about inputs:",
        "null p, in assumed",
    ]);
    let replayed = folder.attest(&["replay", "attest-out"]).ends_with(1);
    replayed.says(&[
        "division-by-zero at x.c:4 shows",
        "null-dereference at x.c:8 shows",
    ]);
    folder
        .attest(&["replay", "attest-out", "-f", "certain", "--test", "0"])
        .ends_with(0);
    folder
        .attest(&["replay", "attest-out", "--test", "0"])
        .ends_with(2)
        .complains(&["several functions have tests with this number"]);
    folder
        .attest(&["explain", "attest-out", "8"])
        .ends_with(0)
        .says(&["x.c:8:"]);
    folder
        .attest(&["explain", "attest-out", "-f", "nothing"])
        .ends_with(2)
        .complains(&["has no function `nothing`"]);
    folder
        .attest(&["explain", "attest-out", "77"])
        .ends_with(2)
        .complains(&["no function has a goal at line 77"]);
}

#[test]
fn reports_show_as_much_as_is_asked_for() {
    let cases: String = (0..70)
        .map(|at| format!("    case {at}: return {};\n", at * 7))
        .collect();
    let text = format!("int f(int n)\n{{\n    switch (n) {{\n{cases}    }}\n    return 1;\n}}\n");
    let folder = Folder::with("x.c", &text);
    let all = folder.attest(&cover("f", &[])).ends_with(0);
    assert!(!all.output.contains("case 30"), "{}", all.output);
    all.says(&[
        "72 rows with nothing undecided: see attest-out/suite.json",
        "71 goals",
    ]);
    let summary = folder
        .attest(&cover("f", &["--show", "summary"]))
        .ends_with(0);
    assert_eq!(
        summary.output,
        "71 goals: 71 covered. 71 tests, 0 defects.\n"
    );
}
