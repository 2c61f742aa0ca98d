//! Every link of the solver chain but the last can be left out: the verdicts of all fixtures and
//! examples stay as they are.

#[path = "support/fixture.rs"]
mod fixture;
#[path = "support/searched.rs"]
mod searched;

use std::process::ExitCode;

use fixture::{Fixture, workspace};
use libtest_mimic::{Arguments, Failed, Trial};
use searched::list;
use solver::LinkName;

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
    let whole = verdicts(path, &fixture, &[])?;
    for link in LinkName::OPTIONAL {
        let found = verdicts(path, &fixture, &["--without-link", link.name()])?;
        if found != whole {
            let told = format!(
                "without {}:\n{found:#?}\nwith all:\n{whole:#?}",
                link.name()
            );
            return Err(told.into());
        }
    }
    Ok(())
}

/// What becomes of each goal, and which defects are found.
fn verdicts(path: &str, fixture: &Fixture, options: &[&str]) -> Result<Vec<String>, Failed> {
    let Some(suite) = searched::suite(path, fixture, options)? else {
        return Ok(Vec::new());
    };
    let goals = list(&suite, "goals").into_iter().map(|goal| {
        let place = (&goal["line"], &goal["column"], &goal["side"]);
        format!("{place:?}: {}", goal["status"])
    });
    let mut defects: Vec<String> = list(&suite, "defects")
        .iter()
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
