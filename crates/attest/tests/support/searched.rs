//! Searches on fixtures, without native runs, in this process.

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

use crate::fixture::{self, Fixture, workspace};

/// Checks every fixture and example, each as a test of its own. The front-end starts this program
/// as its exporter.
pub fn each_fixture(
    check: impl Fn(&str, Fixture) -> Result<(), Failed> + Send + Sync + Copy + 'static,
) -> ExitCode {
    if let Some(code) = frontend::exporter_main_if_requested() {
        return code;
    }
    let arguments = Arguments::from_args();
    if let Err(error) = std::env::set_current_dir(workspace()) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    let trials = fixture::paths().into_iter().map(|path| {
        let name = path.replace('/', "::");
        Trial::test(name, move || {
            let text = std::fs::read_to_string(&path)?;
            check(&path, Fixture::parse(&text)?)
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// The suite of a fixture for each of some searches with further options; `None` where attest
/// cannot do with them.
pub fn suites(
    path: &str,
    fixture: &Fixture,
    searches: &[Vec<String>],
) -> Result<Vec<Option<Value>>, Failed> {
    let scratch = tempfile::tempdir()?;
    let folder = |number: usize| scratch.path().join(number.to_string());
    let lines = searches.iter().enumerate();
    let lines = lines.map(|(number, search)| line(path, fixture, search, &folder(number)));
    let texts = attest::suites(&lines.collect::<Vec<_>>())?.into_iter();
    let read = |text: Option<String>| text.map(|text| serde_json::from_str(&text)).transpose();
    let suites: Result<Vec<_>, serde_json::Error> = texts.map(read).collect();
    Ok(suites?)
}

/// What stands behind `attest cover`.
fn line(path: &str, fixture: &Fixture, search: &[String], folder: &Path) -> Vec<String> {
    let own = fixture.arguments.iter().skip(1);
    let own = own.filter(|word| *word != "--no-replay").cloned();
    let mut line: Vec<String> = own.chain(search.iter().cloned()).collect();
    // Goals are compared, which the search for further defects leaves alone.
    if !line.iter().any(|word| word == "--check-time") {
        line.extend(["--check-time", "0s"].map(str::to_owned));
    }
    line.extend([path, "--no-replay", "-o"].map(str::to_owned));
    line.push(folder.display().to_string());
    line.push("--".to_owned());
    line.extend(fixture.flags.iter().cloned());
    line
}

/// What stands under a key as a list.
pub fn list(suite: &Value, key: &str) -> Vec<Value> {
    suite[key].as_array().cloned().unwrap_or_default()
}
