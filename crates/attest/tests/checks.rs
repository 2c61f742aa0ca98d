//! `attest check`: proofs of covered functions are accepted, and refused where they are damaged.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;

/// A sum that stays even, and an edge that no path takes.
const SUM: &str = "int input(void);
int f(void)
{
    int i = 0, sum = 0;
    while (input()) {
        if (i < 1000) {
            i++;
            sum += 2;
        }
        if (sum == 1999)
            return 2;
    }
    return 0;
}
";

fn covered() -> Folder {
    let folder = Folder::with("x.c", SUM);
    folder
        .attest(&["cover", "x.c", "-f", "f", "--no-replay"])
        .ends_with(0);
    folder
}

fn damage(folder: &Folder, name: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(folder.path(name)).expect("a readable file");
    assert!(text.contains(from), "{name} has no {from}: {text}");
    folder.write(name, &text.replace(from, to));
}

#[test]
fn a_proof_is_accepted() {
    let folder = covered();
    let run = folder.attest(&["check"]).ends_with(0);
    run.says(&[
        "x.c:10:13: true: accepted",
        "1 accepted, 0 refused, 0 not checked",
    ]);
    let run = folder.attest(&["check", "--format", "json"]).ends_with(0);
    let results: serde_json::Value = serde_json::from_str(&run.output).expect("valid JSON");
    assert_eq!(results[0]["result"], "accepted");
    folder.attest(&["check", "--covered"]).ends_with(0);
}

#[test]
fn a_damaged_proof_is_refused() {
    let folder = covered();
    damage(&folder, "attest-out/proofs.json", "(_ bv0 1)", "(_ bv1 1)");
    let run = folder.attest(&["check"]).ends_with(3);
    run.says(&["refused: initiation of formula 1 fails at x.c:5"]);
}

#[test]
fn what_is_no_proof_is_bad_input() {
    let folder = covered();
    damage(
        &folder,
        "attest-out/proofs.json",
        "\"format\": 1",
        "\"format\": 2",
    );
    let run = folder.attest(&["check"]).ends_with(2);
    run.complains(&["it has another format"]);
    folder.write("attest-out/proofs.json", "[]");
    let run = folder.attest(&["check"]).ends_with(2);
    run.complains(&["is not what attest writes"]);
}

#[test]
fn a_program_that_has_changed_is_bad_input() {
    let folder = covered();
    damage(&folder, "x.c", "1999", "1998");
    let run = folder.attest(&["check"]).ends_with(2);
    run.complains(&["x.c has changed since the proofs were made"]);
}

#[test]
fn a_solver_that_gives_no_answer_refuses() {
    let folder = covered();
    let run = folder
        .attest(&["check", "--solver", "no-such-solver"])
        .ends_with(3);
    run.says(&["no-such-solver does not start"]);
    let run = folder.attest(&["check", "--solver", "true"]).ends_with(3);
    run.says(&["true says nothing"]);
}
