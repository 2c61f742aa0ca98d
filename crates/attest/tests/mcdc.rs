//! MC/DC, held to brute force over all inputs and to clang's own.

#[path = "support/attest.rs"]
mod attest;
#[path = "support/decisions.rs"]
mod decisions;
#[path = "support/suite.rs"]
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use attest::Folder;
use decisions::{DECISIONS, Decision, Values};
use fastrand::Rng;
use serde_json::Value;

/// How many random functions are looked at.
const FUNCTIONS: u64 = 25;

/// The most conditions of a decision.
const CONDITIONS: usize = 6;

/// The line of the first decision.
const FIRST_LINE: u64 = 5;

fn random_decisions(rng: &mut Rng) -> Vec<Decision> {
    let random = |_| {
        let conditions = rng.usize(2..=CONDITIONS);
        Decision::random(rng, conditions)
    };
    (0..DECISIONS).map(random).collect()
}

/// The suite for a criterion, which has to be complete.
fn suite(folder: &Folder, criterion: &str, more: &[&str]) -> Value {
    let mut line = vec![
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        criterion,
        "-o",
        "out",
    ];
    line.extend(more);
    let run = folder.attest(&line);
    run.ends_with(0).says(&["0 defects"]);
    let suite = suite::read(folder);
    assert_eq!(suite["complete"], true);
    suite
}

/// For each line with a decision the goals of a kind in the order of their columns: whether each is
/// covered; otherwise it is unreachable.
fn by_line(suite: &Value, kind: &str) -> BTreeMap<u64, Vec<(String, bool)>> {
    let mut found: BTreeMap<u64, Vec<(u64, String, bool)>> = BTreeMap::new();
    for goal in suite["goals"].as_array().expect("goals") {
        if goal["kind"] != kind {
            continue;
        }
        let number = |name: &str| goal[name].as_u64().expect("a number");
        let is_covered = goal["status"] == "covered";
        assert!(is_covered || goal["status"] == "unreachable", "{goal}");
        let side = goal["side"].as_str().expect("a side").to_owned();
        let of_line = found.entry(number("line")).or_default();
        of_line.push((number("column"), side, is_covered));
    }
    let sorted = found.into_iter().map(|(line, mut goals)| {
        goals.sort_by_key(|(column, ..)| *column);
        let goals = goals.into_iter();
        (
            line,
            goals.map(|(_, side, covered)| (side, covered)).collect(),
        )
    });
    sorted.collect()
}

fn text(values: &Values) -> String {
    let letters = values.iter().map(|value| match value {
        Some(true) => "T",
        Some(false) => "F",
        None => "-",
    });
    letters.collect::<Vec<_>>().join(" ")
}

#[test]
fn combinations_and_independence_are_decided_as_by_brute_force() {
    let mut rng = Rng::with_seed(7);
    let (mut independent, mut not) = (0, 0);
    for number in 0..FUNCTIONS {
        let decisions = random_decisions(&mut rng);
        let source = decisions::function(&decisions);
        let folder = Folder::with("x.c", &source);
        let criteria = "mcdc,masking-mcdc,condition-combinations";
        let suite = suite(&folder, criteria, &["--no-replay"]);
        let combinations = by_line(&suite, "combination");
        let independence = by_line(&suite, "independence");
        for (line, decision) in (FIRST_LINE..).zip(&decisions) {
            let expected = decision.evaluations().into_iter();
            let expected: BTreeSet<String> = expected.map(|(values, _)| text(&values)).collect();
            let found = combinations[&line].iter().filter(|(_, covered)| *covered);
            let found: BTreeSet<String> = found.map(|(side, _)| side.clone()).collect();
            assert_eq!(
                found, expected,
                "combinations of line {line}, {number}:\n{source}"
            );
            for (at, pair) in independence[&line].chunks(2).enumerate() {
                for (side, is_covered) in pair {
                    let expected = match side.as_str() {
                        "independent" => decision.has_unique_cause(at),
                        _ => decision.has_masking(at),
                    };
                    assert_eq!(
                        *is_covered, expected,
                        "{side}, {at} of line {line}, {number}:\n{source}"
                    );
                    independent += u64::from(expected);
                    not += u64::from(!expected);
                }
            }
            assert_eq!(independence[&line].len(), 2 * decision.conditions());
        }
    }
    assert!(
        independent > 300 && not > 100,
        "{independent} and {not} are too few"
    );
}

/// Has the profile written where a test ends its process. Clang writes no combinations while it runs.
const END: &str = "
#include <sys/syscall.h>
#include <unistd.h>
int __llvm_profile_write_file(void);
void _exit(int status)
{
    __llvm_profile_write_file();
    for (;;)
        syscall(SYS_exit_group, status);
}
";

/// What clang says of the decisions of tests that are run: for each line, which conditions are covered.
fn clangs(folder: &Folder) -> BTreeMap<u64, Vec<bool>> {
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder.path(""))
            .stderr(Stdio::inherit());
        let output = command.output().expect("a run");
        assert!(output.status.success(), "{program} {arguments:?}");
        output.stdout
    };
    folder.write("end.c", END);
    run(
        "clang-19",
        &[
            "-O0",
            "-w",
            "-fprofile-instr-generate",
            "-fcoverage-mapping",
            "-fcoverage-mcdc",
            "out/tests/test_f.c",
            "end.c",
            "-o",
            "judge",
        ],
    );
    let tests = String::from_utf8(run("./judge", &["--list"])).expect("numbers");
    let mut merge = vec![
        "merge".to_owned(),
        "-o".to_owned(),
        "judge.profdata".to_owned(),
    ];
    for test in tests.split_whitespace() {
        // A test alone runs in the process itself.
        run("./judge", &["--test", test]);
        let profile = format!("{test}.profraw");
        std::fs::rename(folder.path("default.profraw"), folder.path(&profile)).expect("a profile");
        merge.push(profile);
    }
    let merge: Vec<&str> = merge.iter().map(String::as_str).collect();
    run("llvm-profdata-19", &merge);
    let exported = run(
        "llvm-cov-19",
        &["export", "-instr-profile=judge.profdata", "judge"],
    );
    let exported: Value = serde_json::from_slice(&exported).expect("JSON");
    let functions = exported["data"][0]["functions"]
        .as_array()
        .expect("functions");
    let f = functions
        .iter()
        .find(|function| function["name"] == "f")
        .expect("f");
    let records = f["mcdc_records"].as_array().expect("records").iter();
    let by_line = records.map(|record| {
        let fields = record.as_array().expect("fields");
        let conditions = fields.iter().find_map(Value::as_array).expect("conditions");
        let conditions = conditions.iter().map(|it| it.as_bool().expect("a bool"));
        (fields[0].as_u64().expect("a line"), conditions.collect())
    });
    by_line.collect()
}

#[test]
fn functions_without_conditions_have_no_goals() {
    let folder = Folder::with("x.c", "int f(int a) { return a; }\n");
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--criterion", "mcdc"]);
    run.ends_with(0).says(&["f has no goals under mcdc"]);
    let twice = folder.attest(&["cover", "x.c", "-f", "f", "--criterion", "mcdc,mcdc"]);
    twice
        .ends_with(2)
        .complains(&["error: ", "the criterion `mcdc` is named twice"]);
}

#[test]
fn clang_covers_the_same_conditions_by_the_tests() {
    let mut rng = Rng::with_seed(8);
    let mut judged = 0;
    for number in 0..FUNCTIONS {
        let decisions = random_decisions(&mut rng);
        let source = decisions::function(&decisions);
        let folder = Folder::with("x.c", &source);
        let suite = suite(&folder, "mcdc", &["--no-sanitizers"]);
        let found = by_line(&suite, "independence");
        // It leaves out decisions in which `!` stands before a connective.
        for (line, expected) in clangs(&folder) {
            let found: Vec<bool> = found[&line].iter().map(|(_, covered)| *covered).collect();
            assert_eq!(found, expected, "line {line} of {number}:\n{source}");
            judged += 1;
        }
    }
    assert!(
        judged > DECISIONS as u64 * FUNCTIONS / 2,
        "only {judged} decisions"
    );
}
