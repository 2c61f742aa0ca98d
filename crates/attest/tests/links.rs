//! Every link of the solver chain but the last can be left out: the verdicts of all fixtures and
//! examples stay as they are without all of them, and without one of them, each in its turn.

#[path = "support/fixture.rs"]
mod fixture;
#[path = "support/searched.rs"]
mod searched;

use std::process::ExitCode;

use fixture::{Fixture, workspace};
use libtest_mimic::{Arguments, Failed, Trial};
use searched::list;
use serde_json::Value;
use solver::LinkName;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let each = LinkName::OPTIONAL.into_iter().cycle();
    for (path, link) in fixture::paths().into_iter().zip(each) {
        let name = path.replace('/', "::");
        trials.push(Trial::test(name, move || check(&path, link)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check(path: &str, link: LinkName) -> Result<(), Failed> {
    let text = std::fs::read_to_string(workspace().join(path))?;
    let fixture = Fixture::parse(&text)?;
    let whole = verdicts(path, &fixture, &[])?;
    for left_out in [&[link][..], &LinkName::OPTIONAL] {
        let found = verdicts(path, &fixture, left_out)?;
        if found != whole {
            let told = format!("without {left_out:?}:\n{found:#?}\nwith all:\n{whole:#?}");
            return Err(told.into());
        }
    }
    Ok(())
}

/// What becomes of each goal without some links, and which certain defects are found.
fn verdicts(path: &str, fixture: &Fixture, without: &[LinkName]) -> Result<Vec<String>, Failed> {
    let options = without
        .iter()
        .flat_map(|link| ["--without-link", link.name()]);
    let options: Vec<&str> = options.collect();
    let Some(suite) = searched::suite(path, fixture, &options)? else {
        return Ok(Vec::new());
    };
    let goals = list(&suite, "goals").into_iter().map(|goal| {
        let place = (&goal["line"], &goal["column"], &goal["side"]);
        format!("{place:?}: {}", goal["status"])
    });
    // Which guesses are tried depends on the inputs that a solver happens to find.
    let is_certain = |defect: &&Value| list(defect, "assumptions").is_empty();
    let mut defects: Vec<String> = list(&suite, "defects")
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
    Ok(goals.chain(defects).collect())
}
