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
    let functions = ["make", "ask", "call", "divide", "keep", "stop"];
    are_as_alone(&folder, &["x.c"], &functions);
}

#[test]
fn functions_of_several_files_have_tests_of_their_own() {
    let header = "struct opaque;\nint more(int a);\nextern int level;\n";
    let text = "#include \"x.h\"\nint next(void);\nstatic int kept;\n\
        int look(struct opaque *it) { return it && more(3) ? 1 : 0; }\n\
        int raise(int by) { kept += by; return kept > level ? more(by) : next() == 7 ? 2 : 0; }\n\
        int lower(int by) { return kept < by && level == 5 ? 1 : 0; }\n";
    let other = "#include \"x.h\"\nstatic int kept = 3;\nint level = 4;\nint next(void);\n\
        int more(int a) { return a > kept ? next() > 4 ? 3 : 1 : 0; }\n\
        int less(int a) { return a < kept ? 1 : 0; }\n\
        struct opaque { int a; } one;\nstruct opaque *make(void) { return &one; }\n";
    let folder = Folder::with("x.h", header);
    folder.write("x.c", text);
    folder.write("y.c", other);
    let run = folder.attest(&["cover", "x.c", "y.c", "-o", "all"]);
    run.says(&["6 functions"])
        .complains(&["look takes an object whose type its file does not define"]);
    are_as_alone(
        &folder,
        &["x.c", "y.c"],
        &["raise", "lower", "more", "less"],
    );
}

#[test]
fn many_tests_in_little_time_have_a_profile_each() {
    let cases: String = (0..480)
        .map(|n| format!("case {n}: return {};\n", n * 7 % 11))
        .collect();
    let text = format!(
        "int many(int a) {{ switch (a) {{ {cases} }} return 1; }}\n\
         int one(int a) {{ return a > 3 ? 1 : 0; }}\n"
    );
    let folder = Folder::with("x.c", &text);
    let words = [
        "cover", "x.c", "-o", "all", "--time", "3s", "--prove", "off",
    ];
    folder.attest(&words).says(&["2 functions"]);
    for function in ["many", "one"] {
        let suite = suite(&folder, &format!("all/{function}"));
        let goals = suite["goals"].as_array().expect("goals");
        let is_confirmed = |goal: &Value| goal["confirmed"] == true;
        assert!(goals.iter().all(is_confirmed), "{function}");
    }
}

/// Checks that functions have the same suite alone, with all goals confirmed.
fn are_as_alone(folder: &Folder, files: &[&str], functions: &[&str]) {
    for function in functions {
        let alone = format!("alone/{function}");
        let words = [&["cover"], files, &["-f", function, "-o", &alone]].concat();
        folder.command(&words).output().expect("attest runs");
        let suites = [format!("all/{function}"), alone].map(|path| suite(folder, &path));
        assert_eq!(suites[0], suites[1], "{function}");
        let goals = suites[0]["goals"].as_array().expect("goals");
        let is_open = |goal: &&Value| goal["confirmed"] != true;
        assert_eq!(goals.iter().find(is_open), None, "{function}");
    }
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
