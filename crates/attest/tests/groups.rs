//! The tests of several functions of a file run together, with the results that they have alone.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;
use serde_json::Value;

const TEXT: &str = include_str!("support/group.c");

#[test]
fn functions_have_the_results_that_they_have_alone() {
    let folder = Folder::with("x.c", TEXT);
    let run = folder.attest(&["cover", "x.c", "-o", "all"]);
    run.ends_with(1).says(&["6 functions"]);
    for function in ["make", "ask", "call", "divide", "keep", "stop"] {
        let alone = format!("alone/{function}");
        let output = folder
            .command(&["cover", "x.c", "-f", function, "-o", &alone])
            .output();
        output.expect("attest runs");
        let suites = [format!("all/{function}"), alone].map(|path| suite(&folder, &path));
        assert_eq!(suites[0], suites[1], "{function}");
        let goals = suites[0]["goals"].as_array().expect("goals");
        let is_confirmed = |goal: &&Value| goal["confirmed"] == true;
        assert_eq!(goals.iter().filter(is_confirmed).count(), goals.len());
    }
}

#[test]
fn functions_of_several_files_have_tests_of_their_own() {
    let header = "struct opaque;\nint more(int a);\n";
    let text = "#include \"x.h\"\nint look(struct opaque *it) { return it && more(3) ? 1 : 0; }\n";
    let other = "#include \"x.h\"\nint more(int a) { return a > 3 ? 1 : 0; }\n\
        struct opaque { int a; } kept;\nstruct opaque *make(void) { return &kept; }\n";
    let folder = Folder::with("x.h", header);
    folder.write("x.c", text);
    folder.write("y.c", other);
    let run = folder.attest(&["cover", "x.c", "y.c", "-o", "all"]);
    run.says(&["3 functions"])
        .complains(&["look takes an object whose type its file does not define"]);
    let suite = suite(&folder, "all/more");
    assert_eq!(suite["goals"][0]["confirmed"], true);
}

/// A suite, without its cost and the paths of its files.
fn suite(folder: &Folder, path: &str) -> Value {
    let text = std::fs::read(folder.path(path).join("suite.json")).expect("a suite");
    let mut suite: Value = serde_json::from_slice(&text).expect("JSON");
    if let Some(suite) = suite.as_object_mut() {
        suite.retain(|key, _| !["statistics", "files", "build"].contains(&key.as_str()));
    }
    suite
}
