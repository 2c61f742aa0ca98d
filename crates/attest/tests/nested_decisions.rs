//! Combinations and boundary values of decisions in each other's conditions, held to native runs over
//! all inputs.

#[path = "support/attest.rs"]
#[expect(dead_code)] // nothing is refused here
mod attest;
#[path = "support/nested.rs"]
mod nested;
#[path = "support/suite.rs"]
mod suite;

use std::collections::BTreeSet;
use std::process::Command;

use attest::Folder;
use fastrand::Rng;
use nested::Function;
use serde_json::Value;

/// How many random functions are looked at.
const FUNCTIONS: u64 = 40;

/// What native runs record, line by line; `None` where an input has undefined behaviour.
fn judged(folder: &Folder, function: &Function) -> Option<BTreeSet<String>> {
    folder.write("judge.c", nested::JUDGE);
    folder.write("judged.c", &function.judged);
    let compiled = Command::new("gcc")
        .args([
            "-O0",
            "-w",
            "-fsanitize=undefined",
            "-fno-sanitize-recover",
            "judge.c",
            "-o",
            "judge",
        ])
        .current_dir(folder.path(""))
        .status();
    assert!(compiled.expect("a run of gcc").success());
    let run = Command::new(folder.path("judge")).output().expect("a run");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    run.status
        .success()
        .then(|| text.lines().map(str::to_owned).collect())
}

/// What the judge says where a goal is reached; `None` of goals that it does not know.
fn told(goal: &Value, function: &Function) -> Option<String> {
    let line = goal["line"].as_u64()?;
    let side = goal["side"].as_str()?;
    if goal["kind"] == "boundary" && function.comparisons.contains(&line) {
        let difference = match side {
            "left == right - 1" => -1,
            "left == right" => 0,
            _ => 1,
        };
        return Some(format!("sides {line} {difference}"));
    }
    let (id, conditions) = function.decisions.get(&line)?;
    // Conditions that are constants have no values.
    let has_all = side.split(' ').count() == conditions.len();
    if goal["kind"] != "combination" || !has_all {
        return None;
    }
    let values = conditions.iter().zip(side.split(' '));
    let evaluated = values.filter(|(_, value)| *value != "-");
    let values: String = evaluated
        .map(|(id, value)| format!(" {id}{value}"))
        .collect();
    Some(format!("decision {id}{values}"))
}

#[test]
fn each_goal_is_decided_as_by_native_runs() {
    let mut rng = Rng::with_seed(41);
    let (mut reached, mut not) = (0, 0);
    for number in 0..FUNCTIONS {
        let function = nested::function(&mut rng);
        let folder = Folder::with("x.c", &function.plain);
        let Some(known) = judged(&folder, &function) else {
            continue;
        };
        let criteria = "mcdc,condition-combinations,boundary";
        let run = folder.attest(&[
            "cover",
            "x.c",
            "-f",
            "f",
            "--criterion",
            criteria,
            "--no-replay",
            "-o",
            "out",
        ]);
        run.says(&[" covered"]);
        let suite = suite::read(&folder);
        for goal in suite["goals"].as_array().expect("goals") {
            let Some(told) = told(goal, &function) else {
                continue;
            };
            let is_reached = known.contains(&told);
            let expected = if is_reached { "covered" } else { "unreachable" };
            assert_eq!(
                goal["status"], expected,
                "{told} of {number}:\n{}",
                function.plain
            );
            reached += u64::from(is_reached);
            not += u64::from(!is_reached);
        }
    }
    assert!(
        reached > 500 && not > 500,
        "{reached} and {not} are too few"
    );
}
