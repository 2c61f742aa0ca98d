//! Native replay, the judge: compiles the emitted tests, runs each in a process of its own, and
//! says which goals it really reached.

mod build;
mod combinations;
mod compare;
mod coverage_map;
mod covered;
mod defects;
mod each;
mod flags;
mod goal_counter;
mod paths;
mod preprocessed;
mod process;
mod profile;
mod run;
mod sanitized;
mod second;
mod timing;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coverage::Suite;
use index_vec::IndexVec;
use ir::test::{Outcome, TestCase};
use ir::{DefectKind, FunctionId, Origin, Program, TestId};

pub use build::{Build, CALLS_OF_THE_LIBRARY, COVERAGE_FLAGS, SANITIZER_FLAGS, UNRESOLVED};
pub use combinations::ReadUnit;
pub use compare::{Difference, compare, confirm, fail_only_second, reached_by, withdrawn};
pub use defects::DefectRun;
pub use flags::{compile_flags, forced_headers, test_flags};
pub use goal_counter::Reached;
pub use preprocessed::ReadsOtherwise;
pub use run::{End, Limits};
pub use timing::time;

use crate::c::defects::defect_kind;
use run::{Job, Ran};

/// The front-end's clang.
pub const CLANG: &str = "clang-19";

/// The programs that replay needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// The front-end's clang.
    pub clang: PathBuf,
    /// The command that reads raw profiles: see [`Tools::new`].
    pub profiles: Vec<OsString>,
    /// A second compiler, if there is one.
    pub gcc: Option<PathBuf>,
}

impl Tools {
    /// [`CLANG`], `gcc` if it is on the path, and a command that reads raw profiles: after it are
    /// added an instrumented program and the profiles of its runs. It prints
    /// for each profile the functions that ran, as `llvm-cov export` prints them, or `null` if the
    /// profile is missing or empty; and all functions without counts.
    pub fn new(profiles: Vec<OsString>) -> Self {
        let gcc = std::env::var_os("PATH").and_then(|path| {
            std::env::split_paths(&path)
                .map(|folder| folder.join("gcc"))
                .find(|file| file.is_file())
        });
        Tools {
            clang: PathBuf::from(CLANG),
            profiles,
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
        /// Its message.
        message: String,
    },
    /// A compiler makes no code of a unit of the program itself.
    #[error("{compiler} does not compile {unit}, with or without tests:\n{message}")]
    Unit {
        /// The compiler.
        compiler: String,
        /// The unit.
        unit: PathBuf,
        /// Its message about the tests that contain the unit.
        message: String,
    },
    /// The reader of profiles failed.
    #[error("{program} failed:\n{message}")]
    Tool {
        /// The tool.
        program: PathBuf,
        /// Its message.
        message: String,
    },
    /// The time is over.
    #[error("the time for replaying tests is over")]
    Late,
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
    /// How preprocessed files are read.
    pub read_unit: ReadUnit,
    /// The limits of each test.
    pub limits: Limits,
    /// The builds in which tests run.
    pub builds: Builds,
    /// When to begin no further run, if time is limited.
    pub deadline: Option<Instant>,
}

/// The builds in which tests run. That with clang's coverage is always one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builds {
    /// With the second compiler, tests of defects under sanitizers, and all others under sanitizers.
    All,
    /// With the second compiler, and tests of defects under sanitizers.
    FewSanitizers,
    /// No further one.
    Coverage,
}

impl Replay<'_> {
    /// The files, by number, with a test that may reach goals: others show defects alone, which
    /// sanitizers judge.
    fn files_of_goals(&self) -> impl Iterator<Item = (usize, &Path, &[TestId])> {
        let goals = self.suite.goals.iter();
        let beyond: BTreeSet<TestId> = goals.filter_map(|goal| goal.beyond_defect).collect();
        let reaches = move |id: &TestId| {
            let shows = self.suite.tests.get(*id).and_then(defect_kind).is_some();
            let claims = self.suite.claims.get(*id);
            !shows || beyond.contains(id) || claims.is_some_and(|claims| !claims.is_empty())
        };
        let files = self.files.iter().enumerate();
        let files = files.filter(move |(_, (_, tests))| tests.iter().any(&reaches));
        files.map(|(number, (file, tests))| (number, file.as_path(), tests.as_slice()))
    }

    /// Whether there is no time left.
    fn is_over(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The result, or `None` if time was up.
    fn in_time<T>(done: Result<T, ReplayError>) -> Result<Option<T>, ReplayError> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(ReplayError::Late) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Compiles a file of tests, and returns what the linker said; `None` if time was up before it
    /// was done.
    fn compile(
        &self,
        compiler: &Path,
        source: &Path,
        extra: &[&str],
        program: &Path,
    ) -> Result<Option<String>, ReplayError> {
        let compiled = self
            .build
            .compile(compiler, source, extra, program, self.deadline);
        Self::in_time(compiled)
    }

    /// The first unit of the program itself of which a compiler makes no code.
    fn refused_unit(&self, compiler: &Path, extra: &[&str]) -> Option<&Path> {
        let units = self.program.units.iter();
        let units = units.filter(|unit| unit.origin == Origin::User);
        let mut paths = units.map(|unit| Path::new(&unit.path));
        paths.find(|path| !self.build.accepts(compiler, path, extra))
    }

    /// An error of compiling tests, which is reported of the unit where that does not compile
    /// either.
    fn blame_unit(&self, error: ReplayError) -> ReplayError {
        let ReplayError::Compile {
            compiler, message, ..
        } = &error
        else {
            return error;
        };
        let clang = &self.tools.clang;
        match self
            .refused_unit(clang, &COVERAGE_FLAGS)
            .filter(|_| Path::new(compiler) == clang)
        {
            Some(unit) => ReplayError::Unit {
                compiler: compiler.clone(),
                unit: unit.to_owned(),
                message: message.clone(),
            },
            None => error,
        }
    }

    /// The time that a run may take that wants so much.
    fn left(&self, wanted: Duration) -> Duration {
        let until = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline
            .map_or(wanted, |deadline| wanted.min(until(deadline)))
    }
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

/// The result of the replay of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedTest {
    /// How it ended.
    pub status: TestStatus,
    /// The profile that counts it.
    pub profile: ProfileId,
}

index_vec::define_index_type! {
    /// A profile of a replay.
    pub struct ProfileId = u32;
}

/// Clang's counts of one test, or of some tests that run in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The tests, the last of which need not have ended.
    pub tests: Vec<TestId>,
    /// The goals that they reached together.
    pub reached: Reached,
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// With clang and its coverage.
    pub tests: BTreeMap<TestId, ReplayedTest>,
    /// Their profiles.
    pub profiles: IndexVec<ProfileId, Profile>,
    /// With the second compiler: how each test ended, or why it does not compile them. Empty
    /// without one.
    pub second: BTreeMap<TestId, TestStatus>,
    /// The second compiler's message, if it does not compile the tests.
    pub second_refuses: Option<String>,
    /// How the second compiler reads another program than clang, where tests fail with it alone.
    /// Then it says nothing about the tests.
    pub second_reads: Option<ReadsOtherwise>,
    /// Whether some code does not tell its values natively, so that the goals that ask for them count as
    /// reached where their tests pass.
    pub is_silent: bool,
    /// For each test whose path in the machine is known: whether the compiled test takes the same one.
    pub paths: BTreeMap<TestId, bool>,
    /// Whether the tests of defects show them under sanitizers.
    pub defects: BTreeMap<TestId, DefectRun>,
    /// The reports of sanitizers on tests that show no defect.
    pub sanitized: BTreeMap<TestId, String>,
    /// The functions that run in each test by themselves.
    pub unasked: BTreeSet<FunctionId>,
}

impl Replayed {
    /// The coverage of a test, together with those that its profile counts too.
    pub fn reached(&self, test: TestId) -> Option<&Reached> {
        let profile = self.tests.get(&test)?.profile;
        Some(&self.profiles.get(profile)?.reached)
    }

    fn add(&mut self, counted: Counted) {
        let profile = self.profiles.push(counted.profile);
        let tests = counted.ended.into_iter();
        self.tests
            .extend(tests.map(|(id, status)| (id, ReplayedTest { status, profile })));
    }
}

/// A profile, and how those of its tests ended that did before the time was over.
struct Counted {
    profile: Profile,
    ended: Vec<(TestId, TestStatus)>,
}

/// The result of a thread; a panic of the thread goes on here.
fn joined<T>(result: std::thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Compiles and runs a suite's tests.
///
/// # Errors
/// Clang does not compile them, a tool is missing or fails, or the scratch folder cannot be used.
pub fn replay(replay: &Replay<'_>) -> Result<Replayed, ReplayError> {
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path();
    let (first, others, sanitized) = std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            if replay.builds == Builds::Coverage {
                return (Ok(BTreeMap::new()), Ok(BTreeMap::new()));
            }
            let second = second::run_second(replay, folder);
            let defects = defects::run_defects(replay, folder);
            (second, defects)
        });
        let sanitized = scope.spawn(|| match replay.builds {
            Builds::All => sanitized::run_sanitized(replay, folder),
            Builds::FewSanitizers | Builds::Coverage => Ok(BTreeMap::new()),
        });
        let first = covered::run_first(replay, folder).and_then(|mut counted| {
            let profiles = counted.iter_mut().map(|counted| &mut counted.profile);
            let mut profiles: Vec<&mut Profile> = profiles.collect();
            let told = combinations::add_combinations(replay, folder, &mut profiles)?;
            Ok((counted, told))
        });
        (first, joined(others.join()), joined(sanitized.join()))
    });
    let (second, defects) = others;
    let (second, second_refuses) = match second {
        Ok(second) => (second, None),
        // An error that the compiler reports without any test says nothing about the tests.
        Err(ReplayError::Compile { message, .. }) => {
            let gcc = replay.tools.gcc.as_deref();
            let is_refused = gcc.is_some_and(|gcc| replay.refused_unit(gcc, &[]).is_some());
            (BTreeMap::new(), (!is_refused).then_some(message))
        }
        Err(error) => return Err(error),
    };
    let blame = |error| replay.blame_unit(error);
    let mut replayed = Replayed {
        second,
        second_refuses,
        defects: defects.map_err(blame)?,
        sanitized: sanitized.map_err(blame)?,
        unasked: replay.program.run_by_themselves(),
        ..Replayed::default()
    };
    let (first, told) = first.map_err(blame)?;
    replayed.is_silent = !told.is_complete;
    replayed.paths = told.paths;
    first.into_iter().for_each(|counted| replayed.add(counted));
    excuse_second(replay, &mut replayed)?;
    Ok(replayed)
}

/// Ignores the second compiler's failures if it compiles other lines of the program than clang.
fn excuse_second(replay: &Replay<'_>, replayed: &mut Replayed) -> Result<(), ReplayError> {
    let has_failed = replayed.second_refuses.is_some()
        || !compare::fail_only_second(replay.suite, replayed).is_empty();
    let Some(gcc) = replay.tools.gcc.as_deref().filter(|_| has_failed) else {
        return Ok(());
    };
    let reads = Replay::in_time(preprocessed::reads_otherwise(replay, gcc))?.flatten();
    if reads.is_some() {
        replayed.second.clear();
        replayed.second_refuses = None;
        replayed.second_reads = reads;
    }
    Ok(())
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
    let test = replay.suite.tests.get(id);
    let limits = limits(replay, test);
    let ran = run::run(&job, &limits)?;
    let has_end = test.is_some_and(compare::must_pass);
    match ran.end {
        // How it would have ended is not known; one that need not end has reached what it reached.
        End::TimedOut if has_end && replay.is_over() => Err(ReplayError::Late),
        _ => Ok(ran),
    }
}

/// The limits of a test's process. One that does not end has done soon what it will do.
fn limits(replay: &Replay<'_>, test: Option<&TestCase>) -> Limits {
    let is_endless = test.and_then(defect_kind) == Some(DefectKind::NonTermination);
    let processor = match is_endless {
        true => ENDLESS.min(replay.limits.processor),
        false => replay.limits.processor,
    };
    Limits {
        time: replay.left(replay.limits.time),
        processor,
        ..replay.limits
    }
}

/// The processor time of a test that does not end.
const ENDLESS: Duration = Duration::from_secs(1);

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
