//! Runs all tests of a program by its own runner, in one process: where there are many, or where
//! nothing is asked but which of them pass.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ir::TestId;

use super::ReplayError;
use super::run::{self, Job, Limits};

/// The most tests of a file that run in a process each, with a folder of its own.
pub(super) const MOST_ALONE: usize = 256;

/// The runner's report of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Whether it passed.
    pub passed: bool,
    /// The output while it ran.
    pub output: String,
}

/// Runs tests with these arguments of the runner; those that it does not reach are left out.
pub(super) fn run_whole(
    program: &Path,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    limits: &Limits,
) -> Result<BTreeMap<TestId, Said>, ReplayError> {
    // Parts run beside each other, each with a folder and an output of its own.
    let part = arguments.last().map_or("all", String::as_str).to_owned();
    let folder = program.with_extension(format!("whole-{part}"));
    std::fs::create_dir(&folder)?;
    let job = Job {
        program,
        arguments,
        environment,
        output: program.with_extension(format!("output-{part}")),
        folder: &folder,
    };
    run::run(&job, limits)?;
    let text = std::fs::read(&job.output)?;
    Ok(said(&String::from_utf8_lossy(&text)))
}

/// Runs all tests, and tells of these what the runner said.
pub(super) fn run_these(
    program: &Path,
    asked: &[TestId],
    environment: Vec<(String, String)>,
    limits: &Limits,
) -> Result<BTreeMap<TestId, Said>, ReplayError> {
    let asked: BTreeSet<TestId> = asked.iter().copied().collect();
    let mut said = run_whole(program, Vec::new(), environment, limits)?;
    said.retain(|id, _| asked.contains(id));
    Ok(said)
}

/// The runner's report, test by test.
fn said(text: &str) -> BTreeMap<TestId, Said> {
    let mut all = BTreeMap::new();
    let mut output = String::new();
    for line in text.lines() {
        // The last output of a test need not end its line.
        let verdict = line.rfind("test ").and_then(|at| verdict(&line[at..]));
        let Some((test, passed)) = verdict else {
            output.push_str(line);
            output.push('\n');
            continue;
        };
        let output = std::mem::take(&mut output);
        all.insert(test, Said { passed, output });
    }
    all
}

/// The test that a line is about, and whether it passed.
fn verdict(line: &str) -> Option<(TestId, bool)> {
    let (number, word) = line.strip_prefix("test ")?.split_once(' ')?;
    let id = TestId::from_usize(number.parse().ok()?);
    match word {
        _ if word == "passed" || word.starts_with("passed: ") => Some((id, true)),
        // A test of a defect that runs for its coverage alone is not judged.
        _ if word == "ran" || word.starts_with("not shown") => Some((id, false)),
        _ if word.starts_with("FAILED") => Some((id, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_before_a_verdict_belongs_to_its_test() {
        let text = "test 0 passed\nabc\nx.c:3: runtime error\nno linetest 4 FAILED\n1 tests: 1\n";
        let said = said(text);
        let of = |id: usize| &said[&TestId::from_usize(id)];
        assert_eq!(said.len(), 2);
        assert_eq!((of(0).passed, of(0).output.as_str()), (true, ""));
        assert_eq!(of(4).output, "abc\nx.c:3: runtime error\n");
        assert!(!of(4).passed);
    }

    #[test]
    fn tests_of_defects_pass_with_a_report_and_need_not_show_it() {
        let text = "test 1 passed: division\ntest 2 not shown by a sanitizer: division\n\
                    test 3 needs another sanitizer: uninitialised-read\ntest 5 ran\n";
        let said = said(text);
        let passed: Vec<_> = said
            .iter()
            .map(|(id, said)| (id.index(), said.passed))
            .collect();
        assert_eq!(passed, [(1, true), (2, false), (5, false)]);
    }
}
