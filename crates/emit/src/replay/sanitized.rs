//! Runs the tests that show no defect under sanitizers: a test has no defect of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use ir::TestId;

use super::build::{SANITIZER_FLAGS, sanitizer_environment};
use super::run::Limits;
use super::whole::run_whole;
use super::{Replay, ReplayError};
use crate::c::defects::defect_kind;

/// The machine takes pointers of different types for compatible where functions take or return
/// them, as calling conventions do; other calls through pointers of another type are defects to it.
const COMPATIBLE_POINTERS: &str = "-fno-sanitize=function";

/// Where names of types lower an alignment, no access is taken to need it.
const ANY_ALIGNMENT: &str = "-fno-sanitize=alignment";

/// Words of a report about what the process may use, which is less under sanitizers than without.
const EXHAUSTED: [&str; 4] = [
    "stack-overflow",
    "out-of-memory",
    "allocation-size-too-big",
    "failed to allocate",
];

/// Words of reports about what is no defect to the machine: `offsetof` as it is written without the
/// macro, with a constant null pointer; and the size of a parameter, which is not evaluated.
const TOLERATED: [&str; 2] = [
    "member access within null pointer",
    "variable length array bound evaluates to non-positive value",
];

/// The reports of the tests that have one; empty if the compiler has no sanitizers for the target.
pub(super) fn run_sanitized(
    replay: &Replay<'_>,
    scratch: &Path,
) -> Result<BTreeMap<TestId, String>, ReplayError> {
    let mut reports = BTreeMap::new();
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        let shows = |&id: &TestId| replay.suite.tests.get(id).and_then(defect_kind).is_some();
        if tests.iter().all(shows) || replay.is_over() {
            continue;
        }
        let program = scratch.join(format!("sanitized{number}"));
        let is_relaxed = replay.program.target.relaxed_alignment;
        let flags = SANITIZER_FLAGS.into_iter().chain([COMPATIBLE_POINTERS]);
        let flags = flags.chain(is_relaxed.then_some(ANY_ALIGNMENT));
        let flags: Vec<&str> = flags.collect();
        match replay.compile(&replay.tools.clang, file, &flags, &program) {
            Ok(Some(_)) => {}
            Ok(None) | Err(ReplayError::Compile { .. }) => continue,
            Err(error) => return Err(error),
        }
        let limits = Limits {
            time: replay.left(Duration::from_secs(60) + replay.limits.time * 2),
            processor: Duration::from_secs(60),
            memory: None,
            ..replay.limits
        };
        for (id, said) in run_whole(&program, Vec::new(), sanitizer_environment(), &limits)? {
            if let Some(report) = report(&said.output) {
                reports.insert(id, report);
            }
        }
    }
    Ok(reports)
}

/// The line that says what a sanitizer found.
fn report(output: &str) -> Option<String> {
    let is_report =
        |line: &&str| line.contains("runtime error: ") || line.contains("ERROR: AddressSanitizer");
    let line = output.lines().find(is_report)?;
    let is_among = |all: &[&str]| all.iter().any(|words| line.contains(words));
    (!is_among(&EXHAUSTED) && !is_among(&TOLERATED)).then(|| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_from_what_the_program_says() {
        let output = "an error\nx.c:3:4: runtime error: load of null pointer\nSUMMARY: x\n";
        let expected = "x.c:3:4: runtime error: load of null pointer";
        assert_eq!(report(output).as_deref(), Some(expected));
        assert_eq!(
            report("==1==ERROR: AddressSanitizer: stack-overflow on"),
            None
        );
        assert_eq!(report("fine"), None);
    }
}
