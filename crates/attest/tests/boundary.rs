//! Boundary values of conditions, held to brute force over all inputs.

#[path = "support/attest.rs"]
mod attest;
#[path = "support/decisions.rs"]
mod decisions;
#[path = "support/suite.rs"]
mod suite;

use std::collections::BTreeMap;

use attest::Folder;
use decisions::{DECISIONS, Decision};
use fastrand::Rng;
use serde_json::Value;

/// How many random functions are looked at.
const FUNCTIONS: u64 = 25;

/// The line of the first decision.
const FIRST_LINE: u64 = 6;

/// Some decisions, and an assumption behind them that leaves out some of their outcomes.
fn function(decisions: &[Decision], left_out: i32) -> String {
    let text = decisions::function(decisions);
    let assumption = format!("    ATTEST_ASSUME(r != {left_out});\n    return r;");
    format!(
        "#include <attest.h>\n{}",
        text.replace("    return r;", &assumption)
    )
}

/// Whether each boundary goal is covered, by its line, its place among the comparisons there, and the
/// difference of the sides; otherwise it is unreachable.
fn found(suite: &Value) -> BTreeMap<(u64, usize, i32), bool> {
    let goals = suite["goals"].as_array().expect("goals");
    let mut places: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let place = |goal: &Value| {
        let number = |name: &str| goal[name].as_u64().expect("a number");
        (number("line"), number("column"))
    };
    for (line, column) in goals.iter().map(place) {
        let columns = places.entry(line).or_default();
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    places
        .values_mut()
        .for_each(|columns| columns.sort_unstable());
    let by_place = goals.iter().map(|goal| {
        let (line, column) = place(goal);
        let at = places[&line].iter().position(|&it| it == column);
        let difference = match goal["side"].as_str().expect("a side") {
            "left == right - 1" => -1,
            "left == right" => 0,
            _ => 1,
        };
        let is_covered = goal["status"] == "covered";
        assert!(is_covered || goal["status"] == "unreachable", "{goal}");
        ((line, at.expect("a place"), difference), is_covered)
    });
    by_place.collect()
}

#[test]
fn boundary_values_are_decided_as_by_brute_force() {
    let mut rng = Rng::with_seed(11);
    let (mut covered, mut not) = (0, 0);
    for number in 0..FUNCTIONS {
        let random = |_| {
            let conditions = rng.usize(1..=5);
            Decision::random(&mut rng, conditions)
        };
        let decisions: Vec<Decision> = (0..DECISIONS).map(random).collect();
        let left_out = 1 << rng.usize(..DECISIONS);
        let source = function(&decisions, left_out);
        let folder = Folder::with("x.c", &source);
        let run = folder.attest(&[
            "cover",
            "x.c",
            "-f",
            "f",
            "--criterion",
            "boundary",
            "-o",
            "out",
            "--no-sanitizers",
        ]);
        run.ends_with(0).says(&["0 defects"]);
        let found = found(&suite::read(&folder));
        let mut expected: BTreeMap<(u64, usize, i32), bool> = BTreeMap::new();
        for inputs in decisions::inputs() {
            let outcomes = decisions.iter().enumerate();
            let r: i32 = outcomes
                .map(|(at, it)| i32::from(it.holds(inputs)) << at)
                .sum();
            for (line, decision) in (FIRST_LINE..).zip(&decisions) {
                for (at, difference) in decision.differences(inputs).into_iter().enumerate() {
                    for wanted in -1..=1 {
                        let is_reached = expected.entry((line, at, wanted)).or_default();
                        *is_reached |= r != left_out && difference == Some(wanted);
                    }
                }
            }
        }
        assert_eq!(found, expected, "{number}:\n{source}");
        covered += expected.values().filter(|it| **it).count();
        not += expected.values().filter(|it| !**it).count();
    }
    assert!(covered > 200 && not > 50, "{covered} and {not} are too few");
}

/// A comparison of pointers, and conditions that are not relational.
const NOT_RELATIONAL: &str = "
int f(int *p, int *q, int a)
{
    if (p < q || a == 3 || a)
        return 1;
    return 0;
}
";

#[test]
fn only_integers_have_boundary_values() {
    let folder = Folder::with("x.c", NOT_RELATIONAL);
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--criterion", "boundary"]);
    run.says(&["f has no goals under boundary"]);
    let twice = [
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        "boundary,boundary",
    ];
    let told = "the criterion `boundary` is named twice";
    folder
        .attest(&twice)
        .ends_with(2)
        .complains(&["error: ", told]);
}
