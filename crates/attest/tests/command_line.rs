//! What the commands do: results, exit statuses, JSON, determinism, interruption.

#[path = "support/attest.rs"]
mod attest;

use std::process::{Command, Stdio};

use attest::{Folder, Run};
use serde_json::{Value, json};

const MAX: &str = "int max(int a, int b) {\n    if (a > b)\n        return a;\n    return b;\n}\n";
const DIVIDE: &str = "int divide(unsigned a) {\n    return 12 / a;\n}\n";
const ENDLESS_SEARCH: &str = "unsigned f(unsigned n, unsigned x) {
    unsigned i, hits = 0;
    for (i = 0; i < n; i++)
        if ((x >> i % 32) * 2654435761u % 7 == i % 5)
            hits++;
    if (hits == 0xffffffff)
        return 1;
    return 0;
}
";

/// Reads a JSON file of the folder.
fn json_of(folder: &Folder, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.path(name)).expect("a readable file");
    serde_json::from_str(&text).expect("valid JSON")
}

#[test]
fn cover_finds_a_test_for_each_side() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["cover", "x.c", "-f", "max"]).ends_with(0);
    run.says(&[
        "max in x.c: decisions",
        "a > b",
        "2 goals: 2 covered.",
        "attest-out/tests/test_max.c",
    ]);
    let suite = json_of(&folder, "attest-out/suite.json");
    assert_eq!(suite["function"], "max");
    assert_eq!(suite["complete"], true);
    let goals = suite["goals"].as_array().expect("goals");
    assert!(
        goals.iter().all(|goal| goal["confirmed"] == true),
        "{goals:?}"
    );
    assert!(folder.path("attest-out/tests/Makefile").exists());
}

#[test]
fn a_defect_is_told_with_the_command_that_replays_it() {
    let folder = Folder::with("x.c", DIVIDE);
    let run = folder.attest(&["cover", "x.c", "-f", "divide", "-o", "out"]);
    run.ends_with(1).says(&[
        "division-by-zero",
        "x.c:2:",
        "12 / a",
        "a = 0",
        "attest replay out --test",
        "--gdb",
    ]);
}

#[test]
fn undecided_goals_end_with_3() {
    let folder = Folder::with("x.c", ENDLESS_SEARCH);
    let run = folder.attest(&[
        "cover",
        "x.c",
        "-f",
        "f",
        "--iterations",
        "3",
        "--no-replay",
    ]);
    run.ends_with(3).says(&["undecided", "iteration-limit"]);
    assert_eq!(json_of(&folder, "attest-out/suite.json")["complete"], false);
}

#[test]
fn json_on_standard_output_is_the_suite() {
    let folder = Folder::with("x.c", MAX);
    let run = folder
        .attest(&["cover", "x.c", "-f", "max", "--format", "json"])
        .ends_with(0);
    let printed: Value = serde_json::from_str(&run.output).expect("JSON");
    assert_eq!(printed, json_of(&folder, "attest-out/suite.json"));
}

#[test]
fn without_replay_nothing_is_confirmed() {
    let folder = Folder::with("x.c", MAX);
    folder
        .attest(&["cover", "x.c", "-f", "max", "--no-replay"])
        .ends_with(0);
    let suite = json_of(&folder, "attest-out/suite.json");
    assert_eq!(suite["goals"][0]["confirmed"], Value::Null);
}

#[test]
fn two_runs_give_the_same_suite() {
    let folder = Folder::with("x.c", include_str!("../../../examples/ini_line.c"));
    for out in ["one", "two"] {
        folder.attest(&[
            "cover",
            "x.c",
            "-o",
            out,
            "--no-replay",
            "--iterations",
            "200",
        ]);
    }
    let names = files_below(&folder, "one");
    assert!(
        names.iter().any(|name| name.ends_with("suite.json")),
        "{names:?}"
    );
    assert_eq!(names, files_below(&folder, "two"));
    for name in names {
        let read = |out: &str| {
            let text = std::fs::read_to_string(folder.path(out).join(&name)).expect("a file");
            without_statistics(&text.replace(&format!("{out}/"), "OUT/"))
        };
        assert_eq!(read("one"), read("two"), "{name}");
    }
}

/// The paths of all files below a folder, relative to it, sorted.
fn files_below(folder: &Folder, name: &str) -> Vec<String> {
    let output = Command::new("find")
        .args([".", "-type", "f"])
        .current_dir(folder.path(name))
        .output()
        .expect("find");
    let mut names: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

/// JSON without its statistics; any other text as it is.
fn without_statistics(text: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    forget_statistics(&mut value);
    value.to_string()
}

fn forget_statistics(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("statistics");
            map.values_mut().for_each(forget_statistics);
        }
        Value::Array(list) => list.iter_mut().for_each(forget_statistics),
        _ => {}
    }
}

#[test]
fn without_a_function_every_one_is_covered() {
    let folder = Folder::with("x.c", &format!("{MAX}{DIVIDE}int declared(int);\n"));
    folder
        .attest(&["cover", "x.c", "-o", "out", "--no-replay"])
        .ends_with(1);
    assert_eq!(json_of(&folder, "out/max/suite.json")["complete"], true);
    assert_eq!(
        json_of(&folder, "out/divide/suite.json")["defects"][0]["kind"],
        "division-by-zero"
    );
    let summary = json_of(&folder, "out/summary.json");
    let names: Vec<&Value> = summary["functions"]
        .as_array()
        .expect("functions")
        .iter()
        .map(|function| &function["function"])
        .collect();
    assert_eq!(names, ["max", "divide"]);
}

#[test]
fn a_precondition_restricts_the_inputs() {
    let text = format!("{DIVIDE}_Bool divide_precond(unsigned a) {{ return a != 0; }}\n");
    let folder = Folder::with("x.c", &text);
    folder
        .attest(&["cover", "x.c", "-f", "divide"])
        .ends_with(0);
}

#[test]
fn ctrl_c_keeps_what_was_found() {
    let folder = Folder::with("x.c", ENDLESS_SEARCH);
    let mut child = folder
        .command(&["cover", "x.c", "-f", "f", "--time", "1h", "--no-replay"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !searching(child.id()) {
        assert!(
            std::time::Instant::now() < deadline,
            "the search did not begin"
        );
        std::thread::yield_now();
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill").success());
    let status = child.wait().expect("an end");
    let output = child.wait_with_output().expect("output");
    assert_eq!(status.code(), Some(3), "{}", Run::of(&output).errors);
    let suite = json_of(&folder, "attest-out/suite.json");
    assert_ne!(suite["tests"], json!([]));
}

/// Whether a process has used its processor for a while: it no longer starts up.
fn searching(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name
        .split_whitespace()
        .nth(11)
        .and_then(|ticks| ticks.parse::<u64>().ok());
    ticks.is_some_and(|ticks| ticks > 100)
}

#[test]
fn an_endless_loop_is_a_defect() {
    let text = "int f(int a) {\n    if (a == 7)\n        for (;;) ;\n    return a;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(1).says(&["non-termination", "a = 7"]);
}

#[test]
fn a_loop_that_outlasts_the_step_limit_is_a_loss() {
    let text = "unsigned f(unsigned a) {\n    unsigned long i = 0;\n    if (a == 7)\n        \
                while (i + 1 != 0) i++;\n    return a;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--step-limit", "100000"]);
    run.ends_with(3).says(&["step-limit"]);
}

#[test]
fn a_path_of_too_many_choices_is_a_loss() {
    let text = "int f(unsigned n) {\n    unsigned i, sum = 0;\n    if (n < 1000)\n        return 0;\n    \
                for (i = 0; i < n; i++)\n        sum += i ^ 5;\n    return sum == 3;\n}\n";
    let folder = Folder::with("x.c", text);
    let limits = ["--choice-limit", "100", "--iterations", "20"];
    let run = folder.attest(&[&["cover", "x.c", "-f", "f"], &limits[..]].concat());
    run.ends_with(3).says(&["choice-limit"]);
}

#[test]
fn endless_recursion_ends() {
    let text = "int f(int a) {\n    if (a == 7)\n        return f(a) + 1;\n    return 0;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(0).says(&["stack-limit", "2 covered"]);
}

#[test]
fn a_unit_that_fails_at_every_input_is_reported() {
    let text = "int f(int a) {\n    int *p = 0;\n    *p = a;\n    if (a)\n        return 1;\n    return 0;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(1)
        .says(&["null-dereference", "x.c:3:", "unreachable"]);
}

#[test]
fn unsupported_constructs_are_warned_of() {
    let text = "int f(int a) {\n    if (a == 1)\n        __asm__(\"nop\");\n    return a;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.complains(&["warning: ", "x.c:3:9"]);
}

#[test]
fn goals_lists_every_criterion() {
    let folder = Folder::with("x.c", MAX);
    folder
        .attest(&["goals", "x.c", "-f", "max"])
        .ends_with(0)
        .says(&[
            "decisions",
            "conditions",
            "statements",
            "x.c:2:9",
            "a > b",
            "true",
            "false",
            "executed",
        ]);
}

#[test]
fn tests_are_built_as_programs_whatever_the_unit_is_built_as() {
    let builds = [
        "-ffreestanding -nostdlib -nostartfiles -T chip.ld -fanalyzer",
        "-shared -fPIC -save-temps -fsanitize=address",
        "-fno-PIE -mcmodel=kernel -mno-red-zone -Weverything",
    ];
    let folder = Folder::with("x.c", MAX);
    for build in builds {
        let mut words = vec!["cover", "x.c", "-f", "max", "-o", "out", "--"];
        words.extend(build.split(' '));
        let run = folder.attest(&words).ends_with(0);
        run.says(&["2 goals: 2 covered"]);
        folder.attest(&["replay", "out"]).ends_with(0);
    }
}

#[test]
fn each_unit_has_functions_of_its_own_from_a_header() {
    let clamped = "static int clamped(unsigned x) {\n    if (x > LIMIT)\n        return LIMIT;\n    \
                   return (int)x;\n}\n";
    let folder = Folder::with("clamped.h", clamped);
    let unit = |limit: u32, code: &str| {
        format!("#define LIMIT {limit}\n#include \"clamped.h\"\nint far(unsigned x);\n{code}\n")
    };
    folder.write(
        "x.c",
        &unit(10, "int f(unsigned x) { return clamped(x) + far(x); }"),
    );
    folder.write(
        "y.c",
        &unit(1000, "int far(unsigned x) { return clamped(x); }"),
    );
    let run = folder.attest(&["cover", "x.c", "y.c", "-f", "f", "--scope", "program"]);
    run.ends_with(0).says(&[
        "clamped in ./clamped.h of x.c: decisions",
        "clamped in ./clamped.h of y.c: decisions",
        "4 goals: 4 covered.",
    ]);
    folder
        .attest(&["cover", "x.c", "y.c", "-f", "f", "--scope", "file"])
        .ends_with(0);
}

#[test]
fn run_executes_a_program() {
    let text = "#include <stdio.h>\nint main(int argc, char **argv) {\n    \
                printf(\"%d %s\\n\", argc, argv[1]);\n    return 5;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["run", "x.c", "--", "word"]).ends_with(5);
    assert_eq!(run.output, "2 word\n");
}

#[test]
fn run_reports_a_defect() {
    let text = "int main(void) {\n    int a[2] = {1, 2}, i = 2;\n    return a[i];\n}\n";
    let folder = Folder::with("x.c", text);
    folder
        .attest(&["run", "x.c"])
        .ends_with(1)
        .complains(&["out-of-bounds", "x.c:3:12"]);
}

#[test]
fn help_names_every_command_and_exit_status() {
    let folder = Folder::with("x.c", MAX);
    folder.attest(&["--help"]).ends_with(0).says(&[
        "cover",
        "goals",
        "replay",
        "run",
        "Exit status",
    ]);
}

/// A function of a library that the user names is called for real, and its result is an input under
/// `off`.
#[test]
fn native_calls_are_the_users_choice() {
    let text = "#include <stdlib.h>
int f(void) { return getenv(\"ATTEST_NOT_SET\") != NULL ? 1 : 0; }
";
    let folder = Folder::with("x.c", text);
    let all = ["cover", "x.c", "-f", "f", "--native"];
    let run = |choice: &str| folder.attest(&[&all[..], &[choice]].concat());
    let named = run("getenv").ends_with(3);
    named.says(&[
        "undecided: loss 1  test 0",
        "may do something else elsewhere",
    ]);
    run("auto").ends_with(0).says(&["2 covered"]);
    run("off").ends_with(0).says(&["2 covered"]);
}

/// The first defect can end the search, which is told so.
#[test]
fn a_search_ends_at_the_first_defect() {
    let text = "#include \"attest.h\"
int f(int *p, int x) { if (x == 3) return *p; return x == 5 ? 7 : 0; }
";
    let folder = Folder::with("x.c", text);
    let stops = ["--stop-on-defect", "--fail-on", "assumed"];
    let run = folder.attest(&[&["cover", "x.c", "-f", "f"][..], &stops].concat());
    run.ends_with(1)
        .says(&["stopped-on-defect: a defect ended the search with paths left to try"]);
    assert!(folder.path("attest-out/tests/include/attest.h").exists());
}

/// Not every read of what was never written is reported by a sanitizer: that is told.
#[test]
fn a_defect_that_no_sanitizer_shows_is_marked() {
    let text = "#include <stdlib.h>
int f(int which) {
    int *p = malloc(4), r;
    if (!p) return 0;
    r = which > 5 ? *p : 0;
    free(p);
    return which == 3 && r;
}
";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(1).says(&[
        "no sanitizer shows it in the compiled test",
        "with allocation#1[0] = 0, which = 6",
    ]);
    let suite = json_of(&folder, "attest-out/suite.json");
    assert_eq!(suite["defects"][0]["confirmed"], false);
}

#[test]
fn defects_say_what_they_take_for_granted_of_callers_and_earlier_calls() {
    let state = "static int n;\nstatic int table[10];\nint f(void)\n{\n    if (n < 9)\n        \
                 n++;\n    return table[n] == 3;\n}\n";
    let literal = "#include <string.h>\nint f(char *to, const char *from)\n{\n    *to = *from;\n    \
                   if (to + 3 == from)\n        return 2;\n    \
                   return memcmp(to, \"abcd\", 4) == 0;\n}\n";
    let circle = "struct list { struct list *next; };\nint f(struct list *l)\n{\n    \
                  for (; l; l = l->next)\n        if (l->next == l)\n            continue;\n    \
                  return 0;\n}\n";
    for (text, assumption) in [
        (state, "earlier calls may leave "),
        (literal, "the caller may pass a string literal for to"),
        (
            circle,
            "l->next may lead to *l, which another input leads to",
        ),
    ] {
        let folder = Folder::with("x.c", text);
        let run = folder.attest(&["cover", "x.c", "-f", "f", "--no-replay"]);
        run.says(&[assumption]);
    }
}
