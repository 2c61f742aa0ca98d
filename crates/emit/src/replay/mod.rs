//! Native replay, the judge: compiles the emitted tests, runs each in a process of its own, and
//! says which goals it really reached.

mod build;
mod compare;
mod coverage_map;
mod defects;
mod paths;
mod profile;
mod run;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use coverage::Suite;
use ir::test::Outcome;
use ir::{Origin, Program, TestId};

pub use build::{Build, COVERAGE_FLAGS, SANITIZER_FLAGS, UNRESOLVED, compile_flags};
pub use compare::{Difference, compare, confirm, reached_by};
pub use coverage_map::Reached;
pub use defects::DefectRun;
pub use run::{End, Limits};

use paths::Files;
use run::{Job, Ran};

/// The programs that replay needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// The front-end's clang.
    pub clang: PathBuf,
    /// Its `llvm-profdata`.
    pub profdata: PathBuf,
    /// Its `llvm-cov`.
    pub cov: PathBuf,
    /// A second compiler, if there is one.
    pub gcc: Option<PathBuf>,
}

impl Default for Tools {
    /// Those of LLVM 19, and `gcc` if it is on the path.
    fn default() -> Self {
        let gcc = std::env::var_os("PATH").and_then(|path| {
            std::env::split_paths(&path)
                .map(|folder| folder.join("gcc"))
                .find(|file| file.is_file())
        });
        Tools {
            clang: PathBuf::from("clang-19"),
            profdata: PathBuf::from("llvm-profdata-19"),
            cov: PathBuf::from("llvm-cov-19"),
            gcc,
        }
    }
}

/// Why a replay could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A program cannot be started.
    #[error("cannot start {program}: {error}")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A compiler does not accept emitted tests.
    #[error("{compiler} does not compile {file}:\n{message}")]
    Compile {
        /// The compiler.
        compiler: String,
        /// The file.
        file: PathBuf,
        /// What it says.
        message: String,
    },
    /// A tool of LLVM failed.
    #[error("{program} failed:\n{message}")]
    Tool {
        /// The tool.
        program: PathBuf,
        /// What it says.
        message: String,
    },
    /// The coverage data is not as expected.
    #[error("cannot read the coverage data: {0}")]
    Export(serde_json::Error),
    /// Files or processes.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A suite on disk to replay.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    /// The program that it tests.
    pub program: &'a Program,
    /// The suite.
    pub suite: &'a Suite,
    /// The emitted C files; each test is in one of them.
    pub files: Vec<(PathBuf, Vec<TestId>)>,
    /// How to compile them.
    pub build: Build,
    /// The programs to use.
    pub tools: Tools,
    /// What each test may use.
    pub limits: Limits,
}

/// How a test ended natively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestStatus {
    /// As it should, and all assertions held.
    Passed,
    /// An assertion failed; what the test said.
    Failed(String),
    /// An assumption did not hold.
    Rejected,
    /// It exited with this status, though another end was expected.
    Exited(i32),
    /// A signal killed it.
    Signalled(i32),
    /// It ran out of time.
    TimedOut,
}

/// What replay found out about one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedTest {
    /// How it ended.
    pub status: TestStatus,
    /// What it reached.
    pub reached: Reached,
}

/// What replay found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// With clang and its coverage.
    pub tests: BTreeMap<TestId, ReplayedTest>,
    /// With the second compiler: how each test ended, or why it does not compile them. Empty
    /// without one.
    pub second: BTreeMap<TestId, TestStatus>,
    /// The second compiler's message, if it does not compile the tests.
    pub second_refuses: Option<String>,
    /// Whether the tests of defects show them under sanitizers.
    pub defects: BTreeMap<TestId, DefectRun>,
}

/// Compiles and runs a suite's tests.
///
/// # Errors
/// Clang does not compile them, a tool is missing or fails, or the scratch folder cannot be used.
pub fn replay(replay: &Replay<'_>) -> Result<Replayed, ReplayError> {
    let scratch = tempfile::tempdir()?;
    let (first, others) = std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let second = run_second(replay, scratch.path());
            let defects = defects::run_defects(replay, scratch.path());
            (second, defects)
        });
        let first = run_first(replay, scratch.path());
        (first, others.join())
    });
    let (second, defects) = match others {
        Ok(others) => others,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    let (second, second_refuses) = match second {
        Ok(second) => (second, None),
        // What the compiler refuses without any test says nothing about the tests.
        Err(ReplayError::Compile { .. }) if second_refuses_units(replay) => (BTreeMap::new(), None),
        Err(ReplayError::Compile { message, .. }) => (BTreeMap::new(), Some(message)),
        Err(error) => return Err(error),
    };
    Ok(Replayed {
        tests: first?,
        second,
        second_refuses,
        defects: defects?,
    })
}

/// Runs all tests with coverage.
fn run_first(
    replay: &Replay<'_>,
    scratch: &Path,
) -> Result<BTreeMap<TestId, ReplayedTest>, ReplayError> {
    let mut found = BTreeMap::new();
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        let program = scratch.join(format!("clang{number}"));
        replay
            .build
            .compile(&replay.tools.clang, file, &COVERAGE_FLAGS, &program)?;
        for (id, test) in on_all_cores(tests, |id| covered_run(replay, scratch, &program, id))? {
            found.insert(id, test);
        }
    }
    Ok(found)
}

/// Does something for every test on as many threads as there are cores.
fn on_all_cores<T: Send>(
    tests: &[TestId],
    work: impl Fn(TestId) -> Result<T, ReplayError> + Sync,
) -> Result<Vec<(TestId, T)>, ReplayError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = tests.len().div_ceil(threads).max(1);
    let work = &work;
    std::thread::scope(|scope| {
        let workers: Vec<_> = tests
            .chunks(share)
            .map(|chunk| {
                scope.spawn(move || {
                    chunk
                        .iter()
                        .map(|&id| work(id).map(|done| (id, done)))
                        .collect::<Result<Vec<_>, _>>()
                })
            })
            .collect();
        let mut all = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(done) => all.extend(done?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(all)
    })
}

fn covered_run(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    id: TestId,
) -> Result<ReplayedTest, ReplayError> {
    let raw = scratch.join(format!("{}.profraw", id.index()));
    let mut pattern = scratch.join("%c").into_os_string();
    pattern.push(format!("{}.profraw", id.index()));
    let profile = pattern.to_string_lossy().into_owned();
    let ran = run_test(
        replay,
        scratch,
        program,
        id,
        vec![("LLVM_PROFILE_FILE".to_owned(), profile)],
    )?;
    // Killed before it began: no profile, nothing reached.
    let exported = if raw.metadata().is_ok_and(|data| data.len() > 0) {
        profile::read(&replay.tools, program, &raw)?
    } else {
        Vec::new()
    };
    let mut files = Files::new(&replay.build.folder);
    let reached = coverage_map::reached(replay.program, &replay.suite.goals, &exported, &mut files);
    Ok(ReplayedTest {
        status: status(&replay.suite.tests[id].outcome, &ran),
        reached,
    })
}

/// Runs all tests that should pass with the second compiler.
fn run_second(
    replay: &Replay<'_>,
    scratch: &Path,
) -> Result<BTreeMap<TestId, TestStatus>, ReplayError> {
    let mut found = BTreeMap::new();
    let Some(gcc) = &replay.tools.gcc else {
        return Ok(found);
    };
    for (number, (file, tests)) in replay.files.iter().enumerate() {
        let passing: Vec<TestId> = tests
            .iter()
            .copied()
            .filter(|&id| compare::must_pass(&replay.suite.tests[id]))
            .collect();
        if passing.is_empty() {
            continue;
        }
        let program = scratch.join(format!("gcc{number}"));
        replay.build.compile(gcc, file, &[], &program)?;
        for id in passing {
            let ran = run_test(replay, scratch, &program, id, Vec::new())?;
            found.insert(id, status(&replay.suite.tests[id].outcome, &ran));
        }
    }
    Ok(found)
}

/// Whether the second compiler refuses a unit of the program itself.
fn second_refuses_units(replay: &Replay<'_>) -> bool {
    let units = replay.program.units.iter();
    let units = units.filter(|unit| unit.origin == Origin::User);
    let refuses = |gcc: &PathBuf| {
        let mut paths = units.map(|unit| Path::new(&unit.path));
        paths.any(|path| !replay.build.accepts(gcc, path))
    };
    replay.tools.gcc.as_ref().is_some_and(refuses)
}

fn run_test(
    replay: &Replay<'_>,
    scratch: &Path,
    program: &Path,
    id: TestId,
    environment: Vec<(String, String)>,
) -> Result<Ran, ReplayError> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let folder = scratch.join(format!("{name}-{}", id.index()));
    std::fs::create_dir(&folder)?;
    let job = Job {
        program,
        arguments: vec!["--test".to_owned(), id.index().to_string()],
        environment,
        output: scratch.join(format!("{name}-{}.out", id.index())),
        folder: &folder,
    };
    Ok(run::run(&job, &replay.limits)?)
}

/// The exit statuses of the emitted runner.
const FAILED: i32 = 1;
const REJECTED: i32 = 77;

fn status(expected: &Outcome, ran: &Ran) -> TestStatus {
    match (ran.end, expected) {
        (End::TimedOut, _) => TestStatus::TimedOut,
        (End::Signalled(signal), _) => TestStatus::Signalled(signal),
        (End::Exited(status), Outcome::Exit(Some(wanted))) if status == wanted & 0xff => {
            TestStatus::Passed
        }
        (End::Exited(FAILED), _) => TestStatus::Failed(ran.output.trim_end().to_owned()),
        (End::Exited(REJECTED), _) => TestStatus::Rejected,
        (End::Exited(_), Outcome::Exit(None)) | (End::Exited(0), Outcome::Return) => {
            TestStatus::Passed
        }
        (End::Exited(status), _) => TestStatus::Exited(status),
    }
}
