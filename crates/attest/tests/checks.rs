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

/// A program with nodes of the heap, and a goal that what they hold excludes.
const NODES: &str = include_str!("../../../tests/fixtures/prove_nodes_members.c");

#[test]
fn proofs_about_nodes_of_the_heap_are_accepted() {
    let folder = Folder::with("x.c", NODES);
    let proves = ["--prove-share", "80", "--iterations", "400"];
    let mut cover = vec!["cover", "x.c", "-f", "f", "--scope", "file", "--no-replay"];
    cover.push("--no-allocation-failures");
    cover.extend(proves);
    folder.attest(&cover);
    let run = folder.attest(&["check"]).ends_with(0);
    run.says(&[
        "x.c:34:13: true: accepted (",
        "2 accepted, 0 refused, 0 not checked",
    ]);
    folder.attest(&["check", "--covered"]).ends_with(0);
    let proofs = "attest-out/proofs.json";
    damage(&folder, proofs, "\"offset\": 4\n", "\"offset\": 2\n");
    let run = folder.attest(&["check"]).ends_with(0);
    run.says(&[
        "nodes of the heap hold; needs what a part of nodes holds",
        "1 not checked",
    ]);
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

/// Goals that no path reaches, of a search that takes all: behind branches, a switch, a pointer, a check
/// and an assumption.
const PATHS: &str = "#include <attest.h>
int f(int x, int *p)
{
    ATTEST_ASSUME(x > -100);
    if (x > 10 && x < 5)
        return 1;
    switch (x & 3) {
    case 0: return 10 / (x + 7);
    case 1: case 2: case 3: break;
    default: return 2;
    }
    if (p && *p == x && *p < -100)
        return 3;
    return 0;
}
";

fn searched() -> Folder {
    let folder = Folder::with("x.c", PATHS);
    let cover = ["cover", "x.c", "-f", "f", "--no-replay", "--prove", "off"];
    folder.attest(&cover);
    folder
}

#[test]
fn a_search_that_took_all_paths_is_accepted() {
    let folder = searched();
    let run = folder.attest(&["check"]).ends_with(0);
    run.says(&[
        "x.c:5:9: true: accepted (",
        "x.c:10:5: default: accepted (",
        "x.c:12:9: true: accepted (",
        "3 accepted, 0 refused, 0 not checked",
    ]);
    let run = folder.attest(&["check", "--format", "json"]).ends_with(0);
    let results: serde_json::Value = serde_json::from_str(&run.output).expect("valid JSON");
    assert_eq!(results[0]["result"], "accepted");
    assert!(results[0]["paths"].as_u64() > Some(4));
    folder.attest(&["check", "--covered"]).ends_with(0);
}

#[test]
fn a_search_that_lacks_a_path_is_refused() {
    let folder = searched();
    let file = "attest-out/paths.json";
    let text = std::fs::read_to_string(folder.path(file)).expect("a readable file");
    let paths: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    let inputs = paths["inputs"].as_array().expect("inputs");
    let mut refused = 0;
    for at in 0..inputs.len() {
        let mut fewer = paths.clone();
        fewer["inputs"].as_array_mut().expect("inputs").remove(at);
        folder.write(file, &fewer.to_string());
        let run = folder.attest(&["check"]);
        if run.status == Some(3) {
            run.says(&[
                "refused: an input takes a path that is not given, by ",
                " at x.c:",
            ]);
            refused += 1;
        } else {
            run.ends_with(0);
        }
    }
    // The paths into a defect and into the assumption are not needed, nor is what no goal is behind.
    assert!(
        refused >= 3 && refused < inputs.len(),
        "{refused} of {paths}"
    );
}

#[test]
fn paths_that_are_not_given_are_not_checked() {
    let folder = searched();
    let left_out = "{ \"format\": 1, \"left_out\": \"there are too many\" }";
    folder.write("attest-out/paths.json", left_out);
    let run = folder.attest(&["check"]).ends_with(0);
    run.says(&[
        "not checked: there are too many",
        "0 accepted, 0 refused, 3 not checked",
    ]);
    folder.write(
        "attest-out/paths.json",
        "{ \"format\": 2, \"left_out\": \"\" }",
    );
    let run = folder.attest(&["check"]).ends_with(2);
    run.complains(&["it has another format"]);
    folder.write("attest-out/paths.json", "{ \"format\": 1 }");
    let run = folder.attest(&["check"]).ends_with(2);
    run.complains(&["is not what attest writes"]);
}

#[test]
fn a_search_that_replaces_calls_is_not_checked() {
    let text = "int g(int x) { return x > 3; }\n\
                int f(int x) { if (g(x) == 7) return 1; return 0; }\n";
    let folder = Folder::with("x.c", text);
    let cover = [
        "cover",
        "x.c",
        "-f",
        "f",
        "--no-replay",
        "--prove",
        "off",
        "--lazy",
        "g",
    ];
    folder.attest(&cover).ends_with(0);
    let run = folder.attest(&["check"]).ends_with(0);
    run.says(&["x.c:2:20: true: not checked: the search replaced calls by inputs"]);
}

/// Fixtures whose searches end with all paths taken, and how many goals are unreachable by that.
const FIXTURES: [(&str, usize); 6] = [
    ("constructors", 2),
    ("environment_of_main", 2),
    ("library_locale", 1),
    ("tagged_null", 1),
    ("unknown_before_rejection", 1),
    ("printed_to_the_end_of_its_room", 1),
];

#[test]
fn searches_of_fixtures_are_accepted() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, least) in FIXTURES {
        let file = format!("tests/fixtures/{name}.c");
        let text = std::fs::read_to_string(root.join(&file)).expect("a fixture");
        let first = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// attest: "));
        let words = first.expect("a command line").split_whitespace();
        let (options, flags): (Vec<&str>, Vec<&str>) = {
            let words: Vec<&str> = words.collect();
            let at = words
                .iter()
                .position(|word| *word == "--")
                .unwrap_or(words.len());
            (words[..at].to_vec(), words[at..].to_vec())
        };
        let folder = Folder::with("unused.c", "");
        let out = folder.path("out").display().to_string();
        let mut cover = folder.command(&options);
        let given = [file.as_str(), "-o", &out, "--no-replay"];
        cover.args(given).args(flags).current_dir(&root);
        cover.output().expect("a run of attest");
        let mut check = folder.command(&["check", &out, "--format", "json"]);
        let output = check.current_dir(&root).output().expect("a run of attest");
        let run = attest::Run::of(&output).ends_with(0);
        let results: serde_json::Value = serde_json::from_str(&run.output).expect("valid JSON");
        let results = results.as_array().expect("results").iter();
        let accepted = results.filter(|it| it["result"] == "accepted" && it["paths"].is_u64());
        assert!(accepted.count() >= least, "{name}: {}", run.output);
    }
}
