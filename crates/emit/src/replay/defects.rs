//! Runs the tests of defects under sanitizers.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use ir::TestId;

use super::build::{
    CALLS_OF_THE_LIBRARY, MEMORY_SANITIZER_FLAGS, SANITIZER_FLAGS, sanitizer_environment,
};
use super::run::{self, Job, Limits};
use super::whole::{MOST_ALONE, Said, run_these};
use super::{Replay, ReplayError};
use crate::c::defects::{defect_kind, native_report};

/// Whether a test of a defect shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefectRun {
    /// The expected report or signal appears.
    Shown,
    /// It does not; what the test said.
    NotShown(String),
    /// No sanitizer shows this kind of defect.
    NotNative,
}

/// Longer than the emitted runner gives a test.
const TIME: Duration = Duration::from_secs(20);

/// Builds and runs the tests that end in a defect.
pub(super) fn run_defects(
    replay: &Replay<'_>,
    scratch: &Path,
) -> Result<BTreeMap<TestId, DefectRun>, ReplayError> {
    let mut found = BTreeMap::new();
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        let mut by_build: [Vec<TestId>; 2] = Default::default();
        for &id in tests {
            let Some(kind) = replay.suite.tests.get(id).and_then(defect_kind) else {
                continue;
            };
            let report = native_report(kind);
            // There is no such sanitizer for programs of 32 bits.
            let is_missing = report.memory_sanitizer && replay.program.target.pointer_width < 64;
            if is_missing || report.texts.is_empty() && report.signals.is_empty() {
                found.insert(id, DefectRun::NotNative);
            } else {
                by_build[usize::from(report.memory_sanitizer)].push(id);
            }
        }
        let builds: [(&str, &[&str]); 2] = [
            ("address", &SANITIZER_FLAGS),
            ("memory", &MEMORY_SANITIZER_FLAGS),
        ];
        for ((name, flags), ids) in builds.into_iter().zip(by_build) {
            if ids.is_empty() || replay.is_over() {
                continue;
            }
            let program = scratch.join(format!("{name}{number}"));
            let flags: Vec<&str> = flags
                .iter()
                .copied()
                .chain([CALLS_OF_THE_LIBRARY])
                .collect();
            if replay
                .compile(&replay.tools.clang, file, &flags, &program)?
                .is_none()
            {
                continue;
            }
            let said: BTreeMap<TestId, DefectRun> =
                all_at_once(replay, &program, &ids)?.into_iter().collect();
            let shows = |id: &TestId| said.get(id) == Some(&DefectRun::Shown);
            let (shown, others): (Vec<TestId>, Vec<TestId>) = ids.iter().partition(|id| shows(id));
            found.extend(shown.into_iter().map(|id| (id, DefectRun::Shown)));
            if ids.len() > MOST_ALONE {
                let others = others.into_iter();
                found.extend(others.filter_map(|id| Some((id, said.get(&id)?.clone()))));
                continue;
            }
            // A process of its own may show what another test before it hides.
            for id in others {
                if let Some(run) = Replay::in_time(run_one(replay, scratch, &program, id))? {
                    found.insert(id, run);
                }
            }
        }
    }
    Ok(found)
}

/// Runs all tests by the program's own runner, as far as the time allows.
fn all_at_once(
    replay: &Replay<'_>,
    program: &Path,
    ids: &[TestId],
) -> Result<Vec<(TestId, DefectRun)>, ReplayError> {
    let wanted = TIME + Duration::from_millis(50) * ids.len() as u32;
    let limits = Limits {
        time: replay.left(wanted),
        processor: wanted,
        // The sanitizers reserve much more address space than they use.
        memory: None,
        ..replay.limits
    };
    let said = run_these(program, ids, sanitizer_environment(), &limits)?.into_iter();
    let run = |(id, said): (TestId, Said)| match said.passed {
        true => (id, DefectRun::Shown),
        false => (id, DefectRun::NotShown(said.output)),
    };
    Ok(said.map(run).collect())
}

fn run_one(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    id: TestId,
) -> Result<DefectRun, ReplayError> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let folder = scratch.join(format!("{name}-{}", id.index()));
    std::fs::create_dir(&folder)?;
    let job = Job {
        program,
        arguments: vec!["--check".to_owned(), id.index().to_string()],
        environment: sanitizer_environment(),
        output: scratch.join(format!("{name}-{}.out", id.index())),
        folder: &folder,
    };
    let limits = Limits {
        time: replay.left(TIME),
        processor: TIME,
        // The sanitizers reserve much more address space than they use.
        memory: None,
        ..replay.limits
    };
    let ran = run::run(&job, &limits)?;
    if ran.end == run::End::TimedOut && replay.is_over() {
        return Err(ReplayError::Late);
    }
    Ok(
        if ran.output.contains(&format!("test {} passed", id.index())) {
            DefectRun::Shown
        } else {
            DefectRun::NotShown(ran.output)
        },
    )
}
