//! Every link of the solver chain but the last can be left out: the verdicts of all fixtures and
//! examples stay as they are.

#[path = "support/fixture.rs"]
mod fixture;

use std::process::{Command, ExitCode};

use fixture::{Fixture, workspace};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
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
    let scratch = tempfile::tempdir()?;
    let arguments = fixture.arguments.iter();
    let output = Command::new(env!("CARGO_BIN_EXE_attest"))
        .args(arguments.filter(|argument| *argument != "--no-replay"))
        .args(options)
        .args([path, "--no-replay", "-o"])
        .arg(scratch.path())
        .arg("--")
        .args(&fixture.flags)
        .current_dir(workspace())
        .output()?;
    let text = std::fs::read_to_string(scratch.path().join("suite.json")).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("suite.json: {error}\n{said}")
    })?;
    let suite: Value = serde_json::from_str(&text)?;
    let list = |key: &str| suite[key].as_array().cloned().unwrap_or_default();
    let goals = list("goals").into_iter().map(|goal| {
        let place = (&goal["line"], &goal["column"], &goal["side"]);
        format!("{place:?}: {}", goal["status"])
    });
    let mut defects: Vec<String> = list("defects")
        .iter()
        .map(|defect| format!("{} in line {}", defect["kind"], defect["line"]))
        .collect();
    defects.sort();
    Ok(goals.chain(defects).collect())
}
