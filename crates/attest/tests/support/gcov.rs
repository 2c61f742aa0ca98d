//! Which branches of a C program its native runs do not take, by gcc and gcov.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Compiles a program and a `main` beside it, runs that with each of the arguments, and names the
/// branches of the program that were not taken then.
pub fn untaken_branches(program: &str, main: &str, arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("program.c", program).expect("a written program");
    write("main.c", main).expect("a written main");
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
    let measured = ["--coverage", "-O0", "-D__ATTEST__", include];
    gcc(
        folder.path(),
        &[&measured[..], &["-c", "program.c"]].concat(),
    );
    gcc(
        folder.path(),
        &["--coverage", "-o", "program", "main.c", "program.o"],
    );
    let mut run = Command::new(folder.path().join("program"));
    run.args(arguments).current_dir(folder.path());
    assert!(run.status().expect("a run").success(), "{run:?}");
    untaken(folder.path())
}

fn gcc(folder: &Path, arguments: &[&str]) {
    let mut gcc = Command::new("gcc");
    gcc.args(arguments).current_dir(folder);
    assert!(gcc.status().expect("gcc").success(), "{gcc:?}");
}

fn untaken(folder: &Path) -> Vec<String> {
    let mut gcov = Command::new("gcov");
    gcov.args([
        "--json-format",
        "--stdout",
        "--branch-probabilities",
        "program.o",
    ]);
    let output = gcov.current_dir(folder).output().expect("gcov");
    let counts: Value = serde_json::from_slice(&output.stdout).expect("gcov's JSON");
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let lines: Vec<Value> = list(&counts, "files")
        .iter()
        .filter(|file| file["file"] == "program.c")
        .flat_map(|file| list(file, "lines"))
        .collect();
    assert!(!lines.is_empty(), "{counts}");
    let branches = lines.iter().flat_map(|line| {
        let branches = list(line, "branches").into_iter().enumerate();
        branches.map(|(number, branch)| (line["line_number"].clone(), number, branch))
    });
    branches
        .filter(|(_, _, branch)| branch["count"] == 0)
        .map(|(line, number, _)| format!("line {line}, branch {number}"))
        .collect()
}
