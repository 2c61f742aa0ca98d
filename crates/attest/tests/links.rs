//! Every link of the solver chain but the last can be left out: the verdicts of fixtures and examples
//! stay as they are without one of them, or without all, each choice in its turn.

#[path = "support/fixture.rs"]
mod fixture;
#[path = "support/searched.rs"]
mod searched;

use std::process::ExitCode;

use fixture::Fixture;
use libtest_mimic::Failed;
use searched::list;
use serde_json::Value;
use solver::LinkName;

fn main() -> ExitCode {
    searched::each_fixture(check)
}

fn check(path: &str, fixture: Fixture) -> Result<(), Failed> {
    // Provers do not use the links, and take most of the time of these searches.
    if path.contains("/prove_") {
        return Ok(());
    }
    let optional = LinkName::OPTIONAL;
    // Each fixture leaves out one of them, or all; each choice has its turns.
    let number = fixture::paths().iter().position(|other| other == path);
    let turn = number.unwrap_or_default() % (2 * optional.len());
    let left_out = match optional.get(turn) {
        Some(link) => std::slice::from_ref(link),
        None => &optional,
    };
    let searches = [&[][..], left_out].map(|links| without(&fixture, links));
    let suites = searched::suites(path, &fixture, &searches)?;
    let verdicts: Vec<Vec<String>> = suites.iter().flatten().map(verdicts).collect();
    for (words, found) in searches.iter().zip(&verdicts) {
        let whole = &verdicts[0];
        if found != whole {
            let told = format!("{words:?}:\n{found:#?}\nwith all:\n{whole:#?}");
            return Err(told.into());
        }
    }
    Ok(())
}

/// The options that leave links out. A search may not end without them: what it found in time
/// counts.
fn without(fixture: &Fixture, links: &[LinkName]) -> Vec<String> {
    let has_limit = fixture.arguments.iter().any(|word| word == "--time");
    let limit: &[&str] = if has_limit { &[] } else { &["--time", "10s"] };
    let options = links
        .iter()
        .flat_map(|link| ["--without-link", link.name()]);
    options
        .chain(limit.iter().copied())
        .map(str::to_owned)
        .collect()
}

/// What becomes of each goal, and which certain defects are found.
fn verdicts(suite: &Value) -> Vec<String> {
    let goals = list(suite, "goals").into_iter().map(|goal| {
        let place = (&goal["line"], &goal["column"], &goal["side"]);
        format!("{place:?}: {}", goal["status"])
    });
    // Which guesses are tried depends on the inputs that a solver happens to find.
    let is_certain = |defect: &&Value| list(defect, "assumptions").is_empty();
    let mut defects: Vec<String> = list(suite, "defects")
        .iter()
        .filter(is_certain)
        .map(|defect| {
            // Which number a solver chooses for a pointer decides between the two.
            let kind = match defect["kind"].as_str() {
                Some("null-dereference" | "wild-pointer") => "invalid-pointer",
                kind => kind.unwrap_or_default(),
            };
            format!("{kind} in line {}", defect["line"])
        })
        .collect();
    defects.sort();
    goals.chain(defects).collect()
}
