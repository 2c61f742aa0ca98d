//! Correctness witnesses: their texts, and whether what they say is true of executions.
//!
//! For that, the invariants are put into the program as assertions, by code that shares nothing with
//! the exporter, and the compiled program runs on random inputs: none may fail.

#[path = "support/attest.rs"]
mod attest;

use std::path::Path;
use std::process::Command;

use attest::Folder;
use expect_test::expect_file;
use serde_norway::Value;

/// The programs, in `tests/witness`.
const PROGRAMS: [&str; 5] = ["loops", "contexts", "names", "arrays", "harness"];

/// How many random inputs a program is run on.
const RUNS: u32 = 60;

/// The exit statuses of a program in which an assertion fails, or `reach_error` is called.
const FAILED: i32 = 77;

/// Inputs by a seed; after some hundred of them, the program ends.
const RUNTIME: &str = "
#include <stdlib.h>
static unsigned long long state;
static unsigned left = 400;
int __VERIFIER_nondet_int(void) {
    if (!state) state = strtoull(getenv(\"SEED\"), 0, 10) * 0x9E3779B97F4A7C15u + 1;
    if (!left--) exit(0);
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    unsigned bits = state >> 32;
    switch (bits % 4) {
    case 0: return 0;
    case 1: return bits / 4 % 100;
    case 2: return bits / 4 % 1001;
    default: return (int)(bits / 4);
    }
}
void reach_error(void) { exit(77); }
void broken(void) { exit(77); }
";

/// An invariant, as the witness has it.
struct Said {
    is_of_loop: bool,
    line: usize,
    column: usize,
    value: String,
}

/// A folder with a program that is covered, and its witness.
fn exported(name: &str) -> Folder {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/witness");
    let text = std::fs::read_to_string(path.join(format!("{name}.c"))).expect("a program");
    let file = format!("{name}.c");
    let folder = Folder::with(&file, &text);
    folder.attest(&[
        "cover",
        &file,
        "-f",
        "main",
        "--no-replay",
        "--iterations",
        "3000",
        "--prove-share",
        "80",
    ]);
    export(&folder).ends_with(0);
    folder
}

fn export(folder: &Folder) -> attest::Run {
    folder.attest(&["witness", "--creation-time", "2026-01-31T12:00:00Z"])
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).expect(name)
}

/// The program that a witness is about, and its invariants.
fn parsed(folder: &Folder) -> (String, Vec<Said>) {
    let text = read(folder, "attest-out/witness/witness.yml");
    let entries: Value = serde_norway::from_str(&text).expect("YAML");
    let task = &entries[0]["metadata"]["task"];
    let file = task["input_files"][0].as_str().expect("a file");
    let inside = format!("attest-out/witness/{file}");
    let program = match folder.path(&inside).exists() {
        true => read(folder, &inside),
        false => read(folder, file),
    };
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let content = entries[0]["content"].as_sequence().expect("a list");
    let said = content.iter().map(|it| {
        let invariant = &it["invariant"];
        let location = &invariant["location"];
        assert_eq!(location["file_name"].as_str(), Some(file));
        Said {
            is_of_loop: invariant["type"].as_str() == Some("loop_invariant"),
            line: number(&location["line"]),
            column: number(&location["column"]),
            value: invariant["value"].as_str().expect("a condition").to_owned(),
        }
    });
    (program, said.collect())
}

/// The program with assertions; `said` gives the condition that each invariant is asserted as.
fn asserted(program: &str, all: &[Said], said: impl Fn(&Said) -> String) -> String {
    let mut lines: Vec<String> = program.lines().map(str::to_owned).collect();
    let mut sorted: Vec<&Said> = all.iter().collect();
    // From the end on, so that columns stay.
    sorted.sort_by_key(|it| std::cmp::Reverse((it.line, it.column)));
    for it in sorted {
        let line = &mut lines[it.line - 1];
        let at = it.column - 1;
        let assertion = format!("(({}) ? (void)0 : broken())", said(it));
        match it.is_of_loop {
            false => line.insert_str(at, &format!("{assertion}; ")),
            true => {
                let rest = &line[at..];
                let is_loop = rest.starts_with("for (") || rest.starts_with("while (");
                assert!(is_loop, "no loop begins at `{rest}`");
                let mark = if rest.starts_with("for") { ';' } else { '(' };
                let code = at + rest.find(mark).expect("a header") + 1;
                line.insert_str(code, &format!("{assertion}, "));
            }
        }
    }
    format!("void broken(void); {}\n", lines.join("\n"))
}

/// How many of the runs of a program on random inputs fail.
fn failures(program: &str) -> u32 {
    let folder = Folder::with("program.c", program);
    folder.write("runtime.c", RUNTIME);
    let compiled = Command::new("gcc")
        .args([
            "-w",
            "-O0",
            "-fsanitize=undefined",
            "-fsanitize-undefined-trap-on-error",
        ])
        .args(["-o", "program", "program.c", "runtime.c"])
        .current_dir(folder.path(""))
        .output()
        .expect("gcc");
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}\n{program}");
    let failed = (1..=RUNS).filter(|seed| {
        let run = Command::new(folder.path("program"))
            .env("SEED", seed.to_string())
            .status()
            .expect("a run");
        let status = run.code().unwrap_or_else(|| panic!("{run}: {program}"));
        status == FAILED
    });
    failed.count() as u32
}

#[test]
fn witnesses_are_as_they_were() {
    for name in PROGRAMS {
        let folder = exported(name);
        let witness = read(&folder, "attest-out/witness/witness.yml");
        expect_file![format!("../../../tests/witness/{name}.yml")].assert_eq(&witness);
        // The same at the same time.
        export(&folder).ends_with(0);
        assert_eq!(read(&folder, "attest-out/witness/witness.yml"), witness);
    }
}

#[test]
fn no_execution_breaks_an_invariant() {
    for name in PROGRAMS {
        let (program, said) = parsed(&exported(name));
        assert!(!said.is_empty(), "{name} has no invariant");
        let asserting = asserted(&program, &said, |it| it.value.clone());
        assert_eq!(failures(&asserting), 0, "{asserting}");
        for at in 0..said.len() {
            let one = &said[at..=at];
            let negated = asserted(&program, one, |it| format!("!({})", it.value));
            assert_ne!(failures(&negated), 0, "no run evaluates it: {negated}");
        }
    }
}

#[test]
fn the_harness_calls_reach_error_at_goals() {
    let folder = exported("harness");
    let harness = read(&folder, "attest-out/witness/harness.c");
    assert!(
        harness.contains("(u & 1) ? (reach_error(), 1) : 0"),
        "{harness}"
    );
    let run = export(&folder);
    run.says(&["never calls reach_error", "it is in a macro"]);
}

#[test]
fn what_cannot_be_claimed_is_refused() {
    let loops = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
                 int main(void) { unsigned u = 0; while (__VERIFIER_nondet_int()) u += 2;\n";
    let refused = |text: &str, function: &str, flags: &[&str], why: &str| {
        let folder = Folder::with("x.c", text);
        let mut arguments = vec!["cover", "x.c", "-f", function, "--no-replay"];
        arguments.extend(["--iterations", "500", "-o", "attest-out", "--"]);
        arguments.extend(flags);
        folder.attest(&arguments);
        export(&folder).ends_with(2).complains(&[why]);
    };
    let reached = format!("{loops}if (u & 1) reach_error();\nif (u == 4) reach_error(); }}\n");
    refused(&reached, "main", &[], "the call of reach_error in line 4");
    let plain = format!("{loops}if (u & 1) reach_error(); return 0; }}\n");
    refused(&plain, "main", &["-DNAME"], "the flag -DNAME");
    refused(
        "int f(int a) { return a ? 1 : 2; }\n",
        "f",
        &[],
        "it is about `f`",
    );
    let unknown = "int other(void); int main(void) { unsigned u = 0; while (other()) u += 2;\n\
                   if (u & 1) return 1; return 0; }\n";
    refused(unknown, "main", &[], "nothing defines");
    let none = "int main(void) { return 0; }\n";
    refused(none, "main", &[], "no goal is shown");
    let numbered = format!("# 5 \"x.c\"\n{plain}");
    refused(&numbered, "main", &[], "directives number its lines");
    let assumed = "#include <attest.h>\nint main(void) { int n = 0; ATTEST_INPUT(n);\n\
                   ATTEST_ASSUME(n > 3); if (n < 2) return 1; return 0; }\n";
    refused(assumed, "main", &[], "attest.h");
}
