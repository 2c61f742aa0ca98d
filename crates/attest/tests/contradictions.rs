//! No two searches contradict each other: a goal of a fixture that is covered under one strategy,
//! seed, criterion or choice of calls to replace is not unreachable under another.

#[path = "support/fixture.rs"]
mod fixture;
#[path = "support/searched.rs"]
mod searched;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use fixture::Fixture;
use libtest_mimic::Failed;
use searched::list;
use serde_json::Value;

/// Ways to search beside the fixture's own: each fixture tries two of them, and fixtures take
/// turns.
const STRATEGIES: [&[&str]; 6] = [
    &["--strategy", "dfs"],
    &["--strategy", "bfs"],
    &["--strategy", "cfg", "--seed", "1"],
    &["--strategy", "generational"],
    &["--strategy", "random-branch", "--seed", "2"],
    &["--strategy", "uniform-random", "--random-values"],
];

/// Leaves everything to provers: what they call unreachable, no other search may cover.
const PROVERS_ALONE: [&str; 4] = ["--step-limit", "1", "--time", "1s"];

fn main() -> ExitCode {
    searched::each_fixture(check)
}

fn check(path: &str, fixture: Fixture) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let number = fixture::paths().iter().position(|other| other == path);
    let turn = number.unwrap_or_default();
    let is_for_provers = path.contains("/prove_");
    let count = STRATEGIES.len();
    let each = count / 2;
    let strategies: Vec<&[&str]> = STRATEGIES
        .into_iter()
        .skip(turn % each)
        .step_by(each)
        .collect();
    let mut searches = searches(&fixture, &callees(&text), &strategies);
    if is_for_provers {
        // Provers use all the time of each search: two of the others take turns.
        let others = searches.split_off(1);
        let count = others.len().max(1);
        let taken = others
            .into_iter()
            .cycle()
            .skip(turn % count)
            .take(count.min(2));
        searches.extend(taken);
        searches.push(provers_alone(&fixture));
    }
    let suites = searched::suites(path, &fixture, &searches)?;
    let mut known: BTreeMap<String, (String, &Vec<String>)> = BTreeMap::new();
    for (words, suite) in searches.iter().zip(suites) {
        let Some(suite) = suite else {
            continue;
        };
        for (goal, status) in decided(&suite) {
            let now = (status, words);
            let before = known.entry(goal.clone()).or_insert_with(|| now.clone());
            if before.0 != now.0 {
                return Err(format!("{goal} is {before:?} and {now:?}").into());
            }
        }
    }
    Ok(())
}

/// The options of the searches for a fixture, with some strategies.
fn searches(fixture: &Fixture, callees: &str, strategies: &[&[&str]]) -> Vec<Vec<String>> {
    let has = |option: &str| fixture.arguments.iter().any(|word| word == option);
    let mut all: Vec<&[&str]> = vec![&[]];
    if !has("--strategy") && !has("--seed") {
        all.extend(strategies);
    }
    let lazily = ["--lazy", callees];
    if !callees.is_empty() && !has("--lazy") {
        all.push(&lazily);
    }
    let lazily_by_paths = ["--criterion", "unit-paths", "--lazy", callees];
    if !has("--criterion") {
        all.push(&["--criterion", "conditions"]);
        match has("--lazy") || callees.is_empty() {
            true => all.push(&["--criterion", "unit-paths"]),
            false => all.push(&lazily_by_paths),
        }
    }
    let limited = |search: &[&str]| {
        let limit: &[&str] = if has("--time") {
            &[]
        } else {
            &["--time", "1s"]
        };
        let words = search.iter().chain(limit).copied();
        words.map(str::to_owned).collect()
    };
    all.into_iter().map(limited).collect()
}

fn provers_alone(fixture: &Fixture) -> Vec<String> {
    let own = &fixture.arguments;
    let has_share = own.iter().any(|word| word == "--prove-share");
    let share: &[&str] = if has_share {
        &[]
    } else {
        &["--prove-share", "90"]
    };
    let words = PROVERS_ALONE.iter().chain(share);
    words.map(|&word| word.to_owned()).collect()
}

/// The goals of a suite that are covered or unreachable: by their numbers under the criterion, and
/// by their places, which criteria have in common, if no other goal shares them as in a macro.
fn decided(suite: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for goal in list(suite, "goals") {
        let of = |key: &str| goal[key].to_string();
        let place = ["file", "line", "column", "in_macro", "end", "side"].map(of);
        let place = place.join(" ");
        let status = goal["status"].as_str().unwrap_or_default();
        let is_decided = matches!(status, "covered" | "unreachable");
        if !seen.insert(place.clone()) {
            found.remove(&place);
        } else if is_decided {
            found.insert(place, status.to_owned());
        }
        if is_decided {
            let number = format!("goal {} of {}", goal["id"], suite["criterion"]);
            found.insert(number, status.to_owned());
        }
    }
    found
}

/// The static functions that a file defines, with commas between them.
fn callees(text: &str) -> String {
    let heads = text
        .lines()
        .filter(|line| line.starts_with("static ") && !line.ends_with(';'));
    let names = heads.filter_map(|line| {
        let (head, _) = line.split_once('(')?;
        let name = head.rsplit([' ', '*']).next()?;
        (!name.is_empty() && !head.contains('=')).then(|| name.to_owned())
    });
    let names: Vec<String> = names.collect();
    names.join(",")
}
