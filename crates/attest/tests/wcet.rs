//! `--wcet`: the tests are timed, and the longest path that the code could have is told.

#[path = "support/attest.rs"]
mod attest;
#[path = "support/suite.rs"]
mod suite;

use attest::Folder;

/// The longest path has the most rounds and both true sides; `x` cannot be both 1 and 2.
const UNIT: &str = "static unsigned twice(unsigned n) { return n > 2 ? 2 * n : n; }
unsigned f(unsigned n, int x)
{
    unsigned sum = 0;
    if (n > 5)
        n = 5;
    while (n > 0) {
        sum += n;
        n--;
    }
    if (x == 1)
        sum += twice(sum);
    if (x == 2)
        sum *= 3;
    return sum;
}
unsigned endless(unsigned n) { return n > 9 ? n : endless(n + 1); }
unsigned nothing(void) { return 7; }
";

#[test]
fn the_longest_test_and_the_longest_path_are_told() {
    let folder = Folder::with("x.c", UNIT);
    let run = folder.attest(&[
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        "max-iterations",
        "--wcet",
        "-o",
        "out",
    ]);
    run.ends_with(0).says(&[
        "longest: test ",
        "the least of 51 runs",
        "longest path that the code could have",
        "5+ (7+)*5 7- 11+ {1+} 13+",
        "the loop on line 7 is entered 6 times at most",
    ]);
    let suite = suite::read(&folder);
    let timing = &suite["timing"];
    let unit = timing["unit"].as_str().expect("a unit");
    assert!(
        ["instructions", "cycles", "nanoseconds"].contains(&unit),
        "{unit}"
    );
    let tests = timing["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), suite["tests"].as_array().expect("tests").len());
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let most = tests.iter().map(|test| number(&test["count"])).max();
    let longest = number(&timing["longest_test"]);
    let longest = tests.iter().find(|test| number(&test["test"]) == longest);
    assert_eq!(longest.map(|test| number(&test["count"])), most);
    // No input takes both sides at the end.
    let lengths = tests.iter().map(|test| number(&test["length"]));
    assert!(lengths.max() < Some(number(&timing["longest_path"]["length"])));
}

#[test]
fn functions_without_a_longest_path_and_without_a_choice() {
    let folder = Folder::with("x.c", UNIT);
    let cover = |function, criterion| {
        folder.attest(&[
            "cover",
            "x.c",
            "-f",
            function,
            "--criterion",
            criterion,
            "--wcet",
            "-o",
            "out",
        ])
    };
    cover("endless", "empty-else").says(&["there is no longest path: `endless` calls itself"]);
    cover("nothing", "empty-else").ends_with(0).says(&[
        "longest: test 0",
        "the code could have: 1 steps; test 0 has 1",
    ]);
    cover("f", "decisions")
        .ends_with(2)
        .complains(&["--wcet times the tests of whole paths", "empty-else"]);
}
