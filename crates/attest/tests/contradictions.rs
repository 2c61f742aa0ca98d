//! No two searches contradict each other: a goal of a fixture that is covered under one strategy, seed or
//! choice of calls to replace is not unreachable under another.

#[path = "support/fixture.rs"]
mod fixture;
#[path = "support/searched.rs"]
mod searched;

use std::collections::BTreeMap;
use std::process::ExitCode;

use fixture::{Fixture, workspace};
use libtest_mimic::{Arguments, Failed, Trial};
use searched::list;

/// Ways to search; the fixture's own comes first.
const SEARCHES: [&[&str]; 7] = [
    &[],
    &["--strategy", "dfs"],
    &["--strategy", "bfs"],
    &["--strategy", "cfg", "--seed", "1"],
    &["--strategy", "generational"],
    &["--strategy", "random-branch", "--seed", "2"],
    &["--strategy", "uniform-random", "--random-values"],
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for path in fixture::paths() {
        let name = path.replace('/', "::");
        trials.push(Trial::test(name, move || check(&path)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check(path: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(workspace().join(path))?;
    let fixture = Fixture::parse(&text)?;
    let has = |option: &str| fixture.arguments.iter().any(|word| word == option);
    let lazy = callees(&text);
    let lazily = ["--lazy", lazy.as_str()];
    let own = SEARCHES.into_iter();
    let own = own.filter(|search| search.is_empty() || !(has("--strategy") || has("--seed")));
    let lazily = (!lazy.is_empty() && !has("--lazy")).then_some(lazily.as_slice());
    let mut known: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for search in own.chain(lazily) {
        let words: Vec<String> = search.iter().map(|&word| word.to_owned()).collect();
        let limited = [search, &["--time", "4s"]].concat();
        let limited = match has("--time") {
            true => search,
            false => limited.as_slice(),
        };
        let Some(suite) = searched::suite(path, &fixture, limited)? else {
            continue;
        };
        for goal in list(&suite, "goals") {
            // Goals of one macro can share a place, never a number.
            let place = format!(
                "goal {}, line {}, {}",
                goal["id"], goal["line"], goal["side"]
            );
            let status = goal["status"].as_str().unwrap_or_default().to_owned();
            if !matches!(status.as_str(), "covered" | "unreachable") {
                continue;
            }
            let (before, with) = known
                .entry(place.clone())
                .or_insert_with(|| (status.clone(), words.clone()));
            if *before != status {
                let told = format!("{place} is {before} with {with:?}, {status} with {words:?}");
                return Err(told.into());
            }
        }
    }
    Ok(())
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
