//! Runs `attest cover` on a package, and reads what it wrote.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use emit::SuiteRecord;
use emit::replay::{CLANG, COVERAGE_FLAGS};

use super::Package;
use crate::commands::bench::real_code::{existing, workspace};
use crate::failure::Failure;
use crate::summary::Summary;

/// What a run on a package left.
#[derive(Debug)]
pub struct Covered {
    /// The summary of all functions.
    pub summary: Summary,
    /// For each function of the summary, its folder and its suite.
    pub suites: Vec<(PathBuf, SuiteRecord)>,
}

/// How a run looked to its user.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Lines of the report, and of messages beside it.
    pub lines: usize,
    /// How long the run took.
    pub wall: Duration,
}

/// Covers every function of a package anew, each for so long, and keeps the results for
/// [`results`].
pub fn cover(package: &Package, time: Duration) -> Result<(Covered, Told), Failure> {
    let output = folder(package);
    if output.is_dir() {
        std::fs::remove_dir_all(&output).map_err(|error| unusable(&output, &error.to_string()))?;
    }
    cover_into(package, time, &[], &output)
}

/// Covers every function of a package, each for so long, with further options, into a folder.
pub fn cover_into(
    package: &Package,
    time: Duration,
    options: &[&str],
    output: &Path,
) -> Result<(Covered, Told), Failure> {
    let sources = sources(package)?;
    let program = std::env::current_exe().map_err(|error| Failure::internal(error.to_string()))?;
    let started = Instant::now();
    let ran = Command::new(program)
        .arg("cover")
        .args(package.files)
        .args(["--time", &format!("{}s", time.as_secs().max(1)), "-o"])
        .arg(output)
        .args(options)
        .arg("--")
        .args(package.flags)
        .current_dir(sources)
        .output()
        .map_err(|error| Failure::internal(error.to_string()))?;
    let wall = started.elapsed();
    let said = String::from_utf8_lossy(&ran.stderr);
    let is_told = |line: &&str| !line.starts_with("attest: ");
    let lines = String::from_utf8_lossy(&ran.stdout).lines().count();
    let lines = lines + said.lines().filter(is_told).count();
    let covered = results_in(output).map_err(|failure| match said.trim() {
        "" => failure,
        said => unusable(output, said),
    })?;
    Ok((covered, Told { lines, wall }))
}

/// What the last run on a package left.
pub fn results(package: &Package) -> Result<Covered, Failure> {
    results_in(&folder(package))
}

fn results_in(folder: &Path) -> Result<Covered, Failure> {
    let summary = folder.join("summary.json");
    let summary: Summary = serde_json::from_str(&read(&summary)?)
        .map_err(|error| unusable(&summary, &error.to_string()))?;
    let functions = summary.functions.iter();
    let suites = functions.map(|line| {
        let folder = folder.join(&line.directory);
        let path = folder.join("suite.json");
        let suite = SuiteRecord::parse(&read(&path)?);
        let suite = suite.map_err(|error| unusable(&path, &error.to_string()))?;
        Ok((folder, suite))
    });
    let suites = suites.collect::<Result<Vec<_>, Failure>>()?;
    Ok(Covered { summary, suites })
}

/// How long clang takes to compile the files of a package for their coverage, as tests are compiled.
pub fn compile(package: &Package) -> Result<Duration, Failure> {
    let sources = sources(package)?;
    let started = Instant::now();
    for file in package.files {
        let compiled = Command::new(CLANG)
            .args(["-O0", "-w", "-c", "-o", "/dev/null", file])
            .args(COVERAGE_FLAGS)
            .args(package.flags)
            .current_dir(&sources)
            .status();
        if !compiled.is_ok_and(|status| status.success()) {
            return Err(unusable(&sources.join(file), "clang does not compile it"));
        }
    }
    Ok(started.elapsed())
}

/// The folder of a package's sources, which are fetched if need be.
fn sources(package: &Package) -> Result<PathBuf, Failure> {
    let fetched = Command::new(workspace().join("tools/fetch-package.sh"))
        .arg(package.name)
        .status();
    if !fetched.is_ok_and(|status| status.success()) {
        let title = format!("the source package {} cannot be fetched", package.name);
        return Err(Failure::bad_input(
            title,
            "measure projects in the folder that attest was built in, with a Debian mirror",
        ));
    }
    existing(workspace().join("target/real-code").join(package.name))
}

/// The folder of a package's results.
fn folder(package: &Package) -> PathBuf {
    workspace().join("target/projects").join(package.name)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::bad_input(
        format!("cannot use {}: {why}", path.display()),
        "run `attest bench projects` again",
    )
}
