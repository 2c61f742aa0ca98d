//! Kept tests: what `attest replay` and the Makefile of a suite say of them, also when the program
//! has changed since.

#[path = "support/attest.rs"]
mod attest;
#[path = "kept/given.rs"]
mod given;
#[path = "kept/sized.rs"]
mod sized;
#[path = "kept/titles.rs"]
mod titles;
#[path = "kept/usual.rs"]
mod usual;

use std::process::{Command, Output, Stdio};

use attest::{Folder, Run};
use serde_json::{Value, json};

const MAX: &str = "int max(int a, int b) {\n    if (a > b)\n        return a;\n    return b;\n}\n";
const DIVIDE: &str = "int divide(unsigned a) {\n    return 12 / a;\n}\n";
const MENDED: &str = "int divide(unsigned a) {\n    return a ? 12 / a : 0;\n}\n";

/// Reads a JSON file of the folder.
fn json_of(folder: &Folder, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.path(name)).expect("a readable file");
    serde_json::from_str(&text).expect("valid JSON")
}

/// Runs a target of a suite's Makefile.
fn make(folder: &Folder, target: &str) -> Output {
    let tests = folder.path("out/tests");
    let mut command = Command::new("make");
    command.arg("-C").arg(tests).arg(target);
    command.output().expect("make runs")
}

fn cover(options: &[&str]) -> Folder {
    let folder = Folder::with("x.c", DIVIDE);
    let arguments = ["cover", "x.c", "-f", "divide", "-o", "out"];
    folder.attest(&[&arguments, options].concat()).ends_with(1);
    folder
}

#[test]
fn the_test_of_a_defect_fails_where_the_defect_is_gone() {
    let folder = cover(&[]);
    assert!(make(&folder, "defects").status.success());
    std::fs::write(folder.path("x.c"), MENDED).expect("a writable file");
    let gone = make(&folder, "defects");
    let said = String::from_utf8_lossy(&gone.stdout);
    assert!(!gone.status.success(), "{said}");
    assert!(said.contains("no sign of division-by-zero"), "{said}");
}

#[test]
fn a_defect_that_no_replay_has_shown_need_not_show() {
    let folder = cover(&["--no-replay"]);
    let shown = make(&folder, "defects");
    let said = String::from_utf8_lossy(&shown.stdout);
    assert!(said.contains("passed: division-by-zero"), "{said}");
    std::fs::write(folder.path("x.c"), MENDED).expect("a writable file");
    let gone = make(&folder, "defects");
    let said = String::from_utf8_lossy(&gone.stdout);
    assert!(gone.status.success(), "{said}");
    assert!(said.contains("not shown by a sanitizer"), "{said}");
}

#[test]
fn a_defect_need_not_show_where_the_replay_failed() {
    let folder = Folder::with("x.c", DIVIDE);
    let arguments = ["cover", "x.c", "-f", "divide", "-o", "out"];
    let mut command = folder.command(&arguments);
    let run = command.env("PATH", folder.path("nothing")).output();
    Run::of(&run.expect("a run of attest")).ends_with(4);
    std::fs::write(folder.path("x.c"), MENDED).expect("a writable file");
    assert!(make(&folder, "defects").status.success());
}

/// A function with so many cases, each of which has an overflow.
fn many_overflows(cases: u32) -> String {
    let case = |number| format!("    case {number}: return y + {};\n", number + 1);
    let cases: String = (0..cases).map(case).collect();
    format!("int pick(int x, int y) {{\n    switch (x) {{\n{cases}    }}\n    return 0;\n}}\n")
}

#[test]
fn the_tests_of_very_many_defects_run_in_parts() {
    let folder = Folder::with("x.c", &many_overflows(300));
    let arguments = ["cover", "x.c", "-f", "pick", "-o", "out"];
    folder
        .attest(&arguments)
        .ends_with(1)
        .says(&["301 goals: 301 covered.", "300 defects."]);
    let suite = json_of(&folder, "out/suite.json");
    let defects = suite["defects"].as_array().expect("a list");
    assert_eq!(defects.len(), 300);
    let is_shown = |defect: &Value| defect["confirmed"] == json!(true);
    assert!(defects.iter().all(is_shown));

    let tests: Vec<u64> = defects
        .iter()
        .filter_map(|defect| defect["test"].as_u64())
        .collect();
    let (from, to) = (tests[10].to_string(), tests[12].to_string());
    let source = folder.path("out/tests/defects_pick.c");
    let program = folder.path("defects");
    let mut compiler = Command::new("cc");
    let compiled = compiler.arg(source).arg("-o").arg(&program).status();
    assert!(compiled.expect("cc runs").success());
    let ran = Command::new(program).args(["--part", &from, &to]).output();
    let said = ran.expect("the tests run").stdout;
    let said = String::from_utf8_lossy(&said);
    let ran = said.lines().filter(|line| line.ends_with(" ran"));
    let expected = tests[10..13].iter().map(|test| format!("test {test} ran"));
    assert_eq!(ran.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert!(
        !said.contains("passed") && !said.contains("FAILED"),
        "{said}"
    );
}

#[test]
fn replay_runs_the_tests_again() {
    let folder = Folder::with("x.c", MAX);
    folder
        .attest(&["cover", "x.c", "-f", "max", "-o", "out"])
        .ends_with(0);
    folder.attest(&["replay", "out"]).ends_with(0).says(&[
        "x.c:2:9  a > b  true   confirmed by test",
        "x.c:2:9  a > b  false  confirmed by test",
        "2 tests replayed. 2 goals: 2 confirmed.",
    ]);
    folder
        .attest(&["replay", "out", "--test", "0"])
        .ends_with(0)
        .says(&["1 test replayed. 1 goal: 1 confirmed."]);
    let run = folder.attest(&["replay", "out", "--test", "99"]);
    run.ends_with(2).complains(&["99", "help: "]);
}

#[test]
fn replay_says_what_an_edited_program_still_reaches() {
    let folder = Folder::with("x.c", MAX);
    folder
        .attest(&["cover", "x.c", "-f", "max", "-o", "out"])
        .ends_with(0);
    let lines_above = format!("/* new */\n\n{MAX}");
    folder.write("x.c", &lines_above);
    let run = folder.attest(&["replay", "out"]).ends_with(0);
    run.says(&["x.c:4:9", "2 goals: 2 confirmed."])
        .complains(&["warning: changed since the tests were made: x.c"]);
    let new_decision = MAX.replace("{\n", "{\n    for (; a == 12345; a++)\n        ;\n");
    folder.write("x.c", &new_decision);
    let run = folder.attest(&["replay", "out"]).ends_with(3);
    run.says(&[
        "x.c:2:12  a == 12345  true   new, and not reached",
        "x.c:2:12  a == 12345  false  reached now, by test",
        "x.c:4:9   a > b       true   confirmed by test",
    ]);
    let dead = MAX.replace("a > b", "a > b && a < b");
    folder.write("x.c", &dead);
    let run = folder.attest(&["replay", "out"]).ends_with(1);
    run.says(&[
        "x.c:2:9  a > b && a < b  true   not reached now",
        "1 not reached now",
    ])
    .complains(&["compiled by clang, fails"]);
    folder.write("x.c", &MAX.replace("int a", "struct a a"));
    let run = folder.attest(&["replay", "out"]).ends_with(2);
    run.complains(&["x.c:1:", "help: "]);
}

#[test]
fn replay_knows_flags_and_other_units() {
    let folder = Folder::with(
        "x.c",
        "#include \"limit.h\"\nint get(void);\nint f(int a) {\n    \
         return a > LIMIT + get();\n}\n",
    );
    std::fs::create_dir(folder.path("inc")).expect("a folder");
    folder.write("inc/limit.h", "#ifdef WITH\n#define LIMIT 5\n#endif\n");
    folder.write("y.c", "int get(void) { return 3; }\n");
    let cover = [
        "cover",
        "x.c",
        "y.c",
        "-f",
        "f",
        "--criterion",
        "statements",
        "-o",
        "sub/out",
        "--",
        "-Iinc",
        "-DWITH",
    ];
    folder.attest(&cover).ends_with(0);
    let build = json_of(&folder, "sub/out/suite.json")["build"].clone();
    assert_eq!(build["directory"], "../..");
    assert_eq!(build["units"], json!(["x.c", "y.c"]));
    assert_eq!(build["flags"], json!(["-Iinc", "-DWITH"]));
    let sources = build["sources"].as_array().expect("sources");
    let paths: Vec<&Value> = sources.iter().map(|source| &source["path"]).collect();
    assert!(paths.contains(&&json!("inc/limit.h")), "{paths:?}");
    let moved = Folder::with("z.c", "");
    for name in ["x.c", "y.c", "inc", "sub"] {
        std::fs::rename(folder.path(name), moved.path(name)).expect("a moved file");
    }
    moved
        .attest(&["replay", "sub/out"])
        .ends_with(0)
        .says(&["1 goal: 1 confirmed."]);
    std::fs::remove_file(moved.path("y.c")).expect("a removed file");
    let run = moved.attest(&["replay", "sub/out"]).ends_with(2);
    run.complains(&["y.c is not in", "help: "]);
}

#[test]
fn replay_tells_whether_a_defect_still_shows() {
    let folder = Folder::with("x.c", DIVIDE);
    folder
        .attest(&["cover", "x.c", "-f", "divide", "-o", "out"])
        .ends_with(1);
    folder
        .attest(&["replay", "out"])
        .ends_with(1)
        .says(&["division-by-zero at x.c:2 shows"]);
    folder.write("x.c", &DIVIDE.replace("12 / a", "a ? 12 / a : 0"));
    let run = folder.attest(&["replay", "out"]);
    run.says(&["division-by-zero at x.c:2 does not show any more"]);
}

#[test]
fn replay_stops_a_debugger_at_the_defect() {
    let text = "static int at(int *p, int i) {\n    return p[i];\n}\nint f(int i) {\n    \
                int a[3] = {1, 2, 3};\n    if (i > 2)\n        return at(a, 3);\n    \
                return i;\n}\n";
    let folder = Folder::with("x.c", text);
    folder
        .attest(&["cover", "x.c", "-f", "f", "-o", "out"])
        .ends_with(1);
    let suite = json_of(&folder, "out/suite.json");
    let test = suite["defects"][0]["test"].to_string();
    let debug = ["replay", "out", "--test", &test, "--gdb"];
    let run = Run::of(
        &folder
            .command(&debug)
            .stdin(Stdio::null())
            .output()
            .expect("a run of attest"),
    );
    run.says(&["in at (p=", "x.c:2", "in f (i="]);
    let nobody = folder.command(&debug).env("PATH", "").output();
    Run::of(&nobody.expect("a run of attest"))
        .ends_with(2)
        .complains(&["neither gdb nor lldb", "help: "]);
}
