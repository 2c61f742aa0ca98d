//! Times the tests natively: how long the tested function takes with each input.
//!
//! The tests are compiled once more, optimised as the user's flags say, with each call of the tested
//! function in a frame that counts it (`templates/timing.c`): instructions where the machine counts
//! them, else cycles, else nanoseconds. Each test forks for each of its runs, so that all of them start
//! from the same state, and the least count is taken.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use coverage::{TimeUnit, Timing};

use super::{Replay, ReplayError, compare, run_test};

/// What is put before the first test.
const FRAME: &str = include_str!("../templates/timing.c");

/// The comment before the first test.
const TESTS: &str = "/* ---- The tests. ---- */";

/// What a test prints before its unit and count.
const TOLD: &str = "attest-timed ";

/// The name that the tests give to the unit's `main`.
const RENAMED_MAIN: &str = "attest_unit_main";

/// How often a test is run; see `ATTEST_RUNS`.
const RUNS: u32 = 51;

/// The optimisation where the user's flags name none.
const OPTIMISED: &str = "-O2";

/// Times all tests of a suite that end as the tested function returns.
///
/// # Errors
/// The tests cannot be compiled or run.
pub fn time(replay: &Replay<'_>) -> Result<Timing, ReplayError> {
    let scratch = tempfile::tempdir()?;
    let flags = replay.build.flags.iter().rev();
    let mut levels = flags.filter(|flag| flag.starts_with("-O"));
    let level = levels.next().map_or(OPTIMISED, String::as_str);
    let mut counts = BTreeMap::new();
    let mut unit = None;
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        let timed = tests.iter().copied();
        let mut timed = timed
            .filter(|&id| compare::must_pass(&replay.suite.tests[id]))
            .peekable();
        if timed.peek().is_none() || replay.is_over() {
            continue;
        }
        let source = framed(replay, scratch.path(), number, file)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let quoted = format!("-iquote{}", folder.display());
        let program = scratch.path().join(format!("timed{number}"));
        let clang = &replay.tools.clang;
        if replay
            .compile(clang, &source, &[level, &quoted], &program)?
            .is_none()
        {
            break;
        }
        for id in timed {
            let ran = run_test(replay, scratch.path(), &program, id, Vec::new());
            let Some(ran) = Replay::in_time(ran)? else {
                break;
            };
            if let Some((counted, count)) = told(&ran.output) {
                unit = Some(counted);
                counts.insert(id, count);
            }
        }
    }
    Ok(Timing {
        unit: unit.unwrap_or(TimeUnit::Instructions),
        optimisation: level.to_owned(),
        runs: RUNS,
        counts,
        lengths: BTreeMap::new(),
        longest: Err("it was not looked for".to_owned()),
    })
}

/// A file of tests in which calls of the tested function are counted.
fn framed(
    replay: &Replay<'_>,
    scratch: &Path,
    number: usize,
    file: &Path,
) -> Result<PathBuf, ReplayError> {
    let text = std::fs::read_to_string(file)?;
    let name = replay.program.functions[replay.suite.function]
        .name
        .as_str();
    let name = if name == "main" { RENAMED_MAIN } else { name };
    let frame = format!(
        "{TESTS}\n{FRAME}#undef {name}\n#define {name}(...) ATTEST_TIMED({name}, ##__VA_ARGS__)\n"
    );
    let path = scratch.join(format!("timed{number}.c"));
    std::fs::write(&path, text.replacen(TESTS, &frame, 1))?;
    Ok(path)
}

/// The unit and the count that a test printed last.
fn told(output: &str) -> Option<(TimeUnit, u64)> {
    let mut lines = output.lines().rev();
    let line = lines.find_map(|line| line.strip_prefix(TOLD))?;
    let (unit, count) = line.split_once(' ')?;
    let unit = match unit {
        "instructions" => TimeUnit::Instructions,
        "cycles" => TimeUnit::Cycles,
        "nanoseconds" => TimeUnit::Nanoseconds,
        _ => return None,
    };
    Some((unit, count.parse().ok()?))
}
