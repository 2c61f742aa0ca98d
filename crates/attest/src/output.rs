//! The output folder: suites written there, and replayed natively.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use coverage::{Evidence, GoalId, GoalStatus, Suite};
use emit::record::{PathsRecord, ProofsRecord};
use emit::replay::{self, Build, Difference, Limits, Replay, ReplayError, Replayed};
use emit::{BuildRecord, Output, Subject, SuiteFiles, SuiteRecord, Together, WriteError};
use ir::certificate::GoalProof;
use ir::certificate::paths::SearchPaths;
use ir::input::InputSpace;
use ir::sequence::Sequence;
use ir::test::Outcome;
use ir::{Program, TestId};

use crate::cli::cover::CoverArguments;
use crate::compilers;
use crate::difference;
use crate::failure::Failure;
use crate::include;
use crate::memory;
use crate::message::{Message, Severity};
use crate::status::Status;
use crate::wcet;

/// A file of tests, and which tests it holds.
type TestFile = (PathBuf, Vec<TestId>);

/// The compiler that emitted Makefiles name.
const COMPILER: &str = "cc";

/// How long it takes to read what the last tests of a replay reached.
const LAST_READING: Duration = Duration::from_millis(500);

/// The results of writing a suite.
#[derive(Debug, Default)]
pub struct Written {
    /// The contents of `suite.json`.
    pub json: String,
    /// For each test, its inputs as the reader of the tests sees them: path and value.
    pub inputs: Vec<Vec<(String, String)>>,
    /// The path of the C file of tests, if it was written.
    pub tests: Option<String>,
    /// How long the replay took, if there was one.
    pub replay: Option<Duration>,
    /// Failures on the way; the suite is reported all the same.
    pub failures: Vec<Failure>,
}

/// The results of a replay.
#[derive(Default)]
struct Told {
    /// Where machine and compiled program disagree, and other things that the user should know.
    failures: Vec<Failure>,
    /// The tests that are left out.
    withdrawn: BTreeSet<TestId>,
    /// Whether some test was changed.
    is_changed: bool,
}

/// Writes one suite.
pub struct Writer<'a> {
    /// The program.
    pub program: &'a Program,
    /// The space that the tests' inputs are numbered in.
    pub space: &'a InputSpace,
    /// The calls that the tests make, where the tested function is a driver.
    pub sequence: Option<&'a Sequence>,
    /// The user's request.
    pub arguments: &'a CoverArguments,
    /// The folder.
    pub directory: &'a Path,
    /// The proofs of unreachable goals.
    pub proofs: &'a [GoalProof],
    /// The paths of the search, if it took all.
    pub paths: Option<&'a SearchPaths>,
}

/// A suite that is written and not yet replayed.
pub struct Begun {
    written: Written,
    /// Its files, if they could be written.
    emitted: Option<emit::Written>,
    /// How long writing them took.
    writing: Duration,
}

/// Returns which of some tests of a suite depend on the order of operands.
pub type Order<'o> = &'o dyn Fn(&Suite, &BTreeSet<TestId>) -> BTreeSet<TestId>;

impl<'a> Writer<'a> {
    /// Writes the suite before it is replayed.
    pub fn begin(&self, suite: &mut Suite) -> Begun {
        let mut written = Written {
            inputs: self.inputs(suite),
            ..Written::default()
        };
        suite.statistics.peak_memory_bytes = memory::peak_bytes();
        // The tests that the replay runs are to show their defects.
        let unshown = match self.arguments.no_replay {
            true => unshown(suite),
            false => BTreeSet::new(),
        };
        let started = Instant::now();
        let emitted = match self.write(suite, unshown) {
            Ok(emitted) => {
                let path = |name: &String| self.directory.join(name).display().to_string();
                let files = &emitted.files;
                written.tests = files.tests.as_ref().or(files.defects.as_ref()).map(path);
                Some(emitted)
            }
            Err(failure) => {
                written.failures.push(failure);
                None
            }
        };
        Begun {
            written,
            emitted,
            writing: started.elapsed(),
        }
    }

    /// Writes the suite again, with what its replay confirmed and how long that took, if there was
    /// one.
    pub fn end(
        &self,
        suite: &mut Suite,
        begun: Begun,
        replayed: Option<(Result<Replayed, Failure>, Duration)>,
        order: Order<'_>,
    ) -> Written {
        let Begun {
            mut written,
            mut emitted,
            ..
        } = begun;
        if let Some((replayed, time)) = replayed
            && let Some(before) = emitted.take()
        {
            let told = match replayed {
                Ok(replayed) => self.judge(suite, &replayed, order),
                Err(failure) => Told {
                    failures: vec![failure],
                    ..Told::default()
                },
            };
            emitted = Some(self.settle(suite, &told, before, &mut written));
            written.failures.extend(told.failures);
            written.replay = Some(time);
        }
        let mut files = match emitted {
            Some(emitted) => (emitted.files, Some(emitted.build)),
            None => (SuiteFiles::default(), None),
        };
        match self.write_proofs(suite) {
            Ok(proofs) => files.0.proofs = proofs,
            Err(failure) => written.failures.push(failure),
        }
        match self.write_paths(suite) {
            Ok(paths) => files.0.paths = paths,
            Err(failure) => written.failures.push(failure),
        }
        self.write_json(suite, &files, &mut written);
        written
    }

    fn subject(&self, suite: &Suite) -> Subject<'a> {
        Subject {
            program: self.program,
            types: &self.program.types,
            space: self.space,
            entry: suite.function,
            sequence: self.sequence,
        }
    }

    pub(crate) fn output<'s>(&self, suite: &'s Suite) -> Result<Output<'s>, Failure>
    where
        'a: 's,
    {
        let working_directory = std::env::current_dir().map_err(|error| {
            let title = format!("the current folder is not there any more: {error}");
            Failure::bad_input(title, "go to a folder that exists")
        })?;
        Ok(Output {
            subject: self.subject(suite),
            suite,
            directory: self.directory.to_owned(),
            working_directory,
            flags: self.arguments.unit.flags.clone(),
            compiler: COMPILER.to_owned(),
            headers: include::folder(),
            unshown: BTreeSet::new(),
        })
    }

    fn inputs(&self, suite: &Suite) -> Vec<Vec<(String, String)>> {
        let subject = self.subject(suite);
        let of_test = |test| {
            let inputs = emit::inputs::inputs(&subject, test).into_iter();
            inputs
                .map(|(path, value)| (path, value.to_string()))
                .collect()
        };
        suite.tests.iter().map(of_test).collect()
    }

    fn write(&self, suite: &Suite, unshown: BTreeSet<TestId>) -> Result<emit::Written, Failure> {
        forget_earlier(self.directory);
        let output = Output {
            unshown,
            ..self.output(suite)?
        };
        output.write().map_err(unwritable_suite)
    }

    /// Runs the written tests, which are to be told by a deadline. Nothing if there are none.
    pub fn replay(
        &self,
        suite: &mut Suite,
        begun: &Begun,
        deadline: Option<Instant>,
    ) -> Option<Result<Replayed, Failure>> {
        let emitted = begun.emitted.as_ref();
        let files = emitted
            .filter(|_| !self.arguments.no_replay)?
            .c_files
            .clone();
        if files.is_empty() {
            return Some(Ok(Replayed::default()));
        }
        Some(self.replay_files(suite, files, end_of_runs(deadline, begun.writing)))
    }

    fn replay_files(
        &self,
        suite: &mut Suite,
        files: Vec<TestFile>,
        deadline: Option<Instant>,
    ) -> Result<Replayed, Failure> {
        let fails = |error| not_replayed(&error);
        let scratch = tempfile::tempdir().map_err(|error| fails(error.into()))?;
        let (build, files) = self.in_parts(suite, files, scratch.path())?;
        let job = Replay {
            program: self.program,
            suite,
            files,
            build,
            tools: compilers::tools().map_err(|error| fails(error.into()))?,
            read_unit: compilers::READ_UNIT,
            limits: Limits::default(),
            builds: self.arguments.builds(),
            deadline,
        };
        let replayed = replay::replay(&job).map_err(fails)?;
        if self.arguments.wcet {
            let mut timing = replay::time(&job).map_err(fails)?;
            wcet::add_paths(self.program, suite, &mut timing);
            suite.timing = Some(timing);
        }
        Ok(replayed)
    }

    /// Records in the suite what a replay confirms, and reports each difference from the machine's
    /// claims.
    fn judge(&self, suite: &mut Suite, replayed: &Replayed, order: Order<'_>) -> Told {
        let ordered = depend_on_order(suite, replayed, order);
        let mut differences = replay::compare(suite, replayed);
        let subject = self.subject(suite);
        differences.retain(|difference| {
            let test = difference.test().and_then(|id| suite.tests.get(id));
            test.is_none_or(|test| subject.out_of_reach(test).is_none())
        });
        replay::confirm(suite, replayed);
        let withdrawn = replay::withdrawn(suite, replayed);
        let number = |test: TestId| test.index() - withdrawn.range(..test).count();
        let tell = |difference: &Difference| match difference.test() {
            Some(test) if withdrawn.contains(&test) => None,
            _ => Some(difference::told(self.program, suite, difference, &number)),
        };
        let mut failures: Vec<Failure> = differences.iter().filter_map(tell).collect();
        let left: Vec<usize> = ordered
            .difference(&withdrawn)
            .map(|&test| number(test))
            .collect();
        if !left.is_empty() {
            failures.push(told(compilers::depend_on_order(&left)));
        }
        failures.extend(replayed.is_silent.then(|| told(compilers::is_silent())));
        failures.extend(
            replayed
                .second_reads
                .as_ref()
                .map(compilers::reads_otherwise)
                .map(told),
        );
        Told {
            failures,
            withdrawn,
            is_changed: !ordered.is_empty(),
        }
    }

    /// How the tests are compiled, and the files that are: where there are many tests, several in a
    /// folder of their own, those first that are needed most.
    fn in_parts(
        &self,
        suite: &Suite,
        files: Vec<TestFile>,
        folder: &Path,
    ) -> Result<(Build, Vec<TestFile>), Failure> {
        let output = self.output(suite)?;
        let mut divided = Vec::new();
        let mut last = Vec::new();
        for (path, tests) in files {
            let parts = emit::parts(suite, &tests);
            let shows = |&test: &TestId| matches!(suite.tests[test].outcome, Outcome::Defect(_));
            if parts.len() == 1 || tests.iter().any(shows) {
                divided.push((path, tests));
                continue;
            }
            let mut parts = output
                .write_parts(folder, &parts)
                .map_err(unwritable_suite)?;
            last.extend(parts.split_off(1));
            divided.append(&mut parts);
        }
        divided.extend(last);
        Ok((output.build(), divided))
    }

    /// The suite as its replay left it, written anew where that matters.
    fn settle(
        &self,
        suite: &mut Suite,
        told: &Told,
        emitted: emit::Written,
        written: &mut Written,
    ) -> emit::Written {
        let shows_all = unshown(suite).is_empty();
        if told.withdrawn.is_empty() && !told.is_changed && shows_all {
            return emitted;
        }
        if !told.withdrawn.is_empty() {
            suite.withdraw(&told.withdrawn);
        }
        written.inputs = self.inputs(suite);
        match self.write(suite, unshown(suite)) {
            Ok(emitted) => emitted,
            Err(failure) => {
                written.failures.push(failure);
                emitted
            }
        }
    }

    /// Writes the proofs of goals that are unreachable. Returns the name of their file, if there are
    /// some.
    fn write_proofs(&self, suite: &Suite) -> Result<Option<String>, Failure> {
        let is_unreachable = |proof: &&GoalProof| {
            let goal = suite.goals.get(GoalId::from_usize(proof.goal));
            goal.is_some_and(|goal| {
                matches!(
                    goal.status,
                    GoalStatus::Unreachable(_) | GoalStatus::UnreachableWithin(_)
                )
            })
        };
        let proofs: Vec<GoalProof> = self.proofs.iter().filter(is_unreachable).cloned().collect();
        if proofs.is_empty() {
            return Ok(None);
        }
        let text = ProofsRecord::new(proofs).text();
        let text = text.map_err(|error| Failure::internal(error.to_string()))?;
        write_file(&self.directory.join(ProofsRecord::FILE), &text)?;
        Ok(Some(ProofsRecord::FILE.to_owned()))
    }

    /// Writes the paths of the search, if some goal is unreachable because it took all. Returns the
    /// name of the file.
    fn write_paths(&self, suite: &Suite) -> Result<Option<String>, Failure> {
        let rests_on_paths = |status: &GoalStatus| match status {
            GoalStatus::Unreachable(evidence) => {
                matches!(evidence, Evidence::ExhaustedSearch { .. })
            }
            GoalStatus::UnreachableWithin(_) => true,
            _ => false,
        };
        let mut goals = suite.goals.iter();
        let paths = self
            .paths
            .filter(|_| goals.any(|goal| rests_on_paths(&goal.status)));
        let Some(paths) = paths else {
            return Ok(None);
        };
        let text = PathsRecord::new(paths.clone()).text();
        let text = text.map_err(|error| Failure::internal(error.to_string()))?;
        write_file(&self.directory.join(PathsRecord::FILE), &text)?;
        Ok(Some(PathsRecord::FILE.to_owned()))
    }

    /// Writes `suite.json`, as replay left the suite.
    fn write_json(
        &self,
        suite: &Suite,
        (files, build): &(SuiteFiles, Option<BuildRecord>),
        written: &mut Written,
    ) {
        let record = SuiteRecord::new(&self.subject(suite), suite, files, build.as_ref());
        match record.text() {
            Ok(json) => written.json = json,
            Err(error) => written.failures.push(Failure::internal(error.to_string())),
        }
        if written
            .failures
            .iter()
            .any(|failure| failure.status == Status::BadInput)
        {
            return;
        }
        if let Err(failure) = write_file(&self.directory.join("suite.json"), &written.json) {
            written.failures.push(failure);
        }
    }
}

/// The tests that only the second compiler fails, because it evaluates operands in another order than
/// clang. They no longer say how they end.
fn depend_on_order(suite: &mut Suite, replayed: &Replayed, order: Order<'_>) -> BTreeSet<TestId> {
    let failing = replay::fail_only_second(suite, replayed);
    if failing.is_empty() {
        return failing;
    }
    let found = order(suite, &failing);
    for &test in &found {
        suite.tests[test].unsure = true;
        suite.tests[test].observations.clear();
        suite.tests[test].given = None;
    }
    found
}

/// Runs the tests of several functions of a unit together; `None` if that is not possible. The writer
/// is that of any of them.
pub fn replay_together(
    writer: &Writer<'_>,
    together: &Together,
    outputs: &[Output<'_>],
    deadline: Option<Instant>,
) -> Option<Replayed> {
    let scratch = tempfile::tempdir().ok()?;
    let written = together.write(outputs, scratch.path()).ok()?;
    let job = Replay {
        program: writer.program,
        suite: &together.suite,
        files: written.tests,
        build: Build {
            other_units: written.other_units,
            ..outputs.first()?.build()
        },
        tools: compilers::tools().ok()?,
        read_unit: compilers::READ_UNIT,
        limits: Limits::default(),
        builds: writer.arguments.builds(),
        deadline: end_of_runs(deadline, Duration::ZERO),
    };
    let replayed = replay::replay(&job).ok()?;
    replayed.second_refuses.is_none().then_some(replayed)
}

/// When to run no further test, so that there is time to read what the last ones reached, to write
/// the suite anew, and to tell it: each of the last two takes about as long as the first writing.
fn end_of_runs(deadline: Option<Instant>, writing: Duration) -> Option<Instant> {
    let deadline = deadline?;
    let left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub((writing * 2 + LAST_READING).min(left / 2))
}

/// Removes the files of an earlier run, as far as its `suite.json` names them, so that none stays
/// that this run does not write.
fn forget_earlier(directory: &Path) {
    let path = directory.join("suite.json");
    if !path.is_file() {
        return;
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    // The rest need not be what this version writes.
    let mut suite: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let files = suite.get_mut("files").map(serde_json::Value::take);
    let files = files.and_then(|files| serde_json::from_value(files).ok());
    let files: SuiteFiles = files.unwrap_or_default();
    let named = [
        files.tests,
        files.defects,
        files.makefile,
        files.proofs,
        files.paths,
    ];
    let is_inside = |file: &String| {
        let mut parts = Path::new(file).components();
        parts.all(|part| matches!(part, Component::Normal(_)))
    };
    let all = named.into_iter().flatten().chain(files.units);
    for file in all.filter(is_inside) {
        let _ = std::fs::remove_file(directory.join(file));
    }
}

/// Makes a folder, and those above it.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))
}

/// Writes a file.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// A message that does not change the exit status.
fn told(message: Message) -> Failure {
    Failure {
        status: Status::Complete,
        messages: vec![message],
    }
}

/// The tests of defects whose defect no replay has shown.
fn unshown(suite: &Suite) -> BTreeSet<TestId> {
    let defects = suite.defects.iter();
    let unshown = defects.filter(|found| found.confirmed != Some(true));
    unshown.map(|found| found.test).collect()
}

fn unwritable_suite(error: WriteError) -> Failure {
    unwritable(&error.path, &error.error)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::bad_input(
        format!("cannot write {}: {error}", path.display()),
        "free some space there, or choose another folder with -o",
    )
}

/// The message when the tests could not be run.
fn not_replayed(error: &ReplayError) -> Failure {
    let title = format!("the tests could not be run natively: {error}");
    let (status, help) = match error {
        ReplayError::Start { .. } | ReplayError::Tool { .. } => (
            Status::Failed,
            "install clang-19 and libclang-rt-19-dev, or use --no-replay",
        ),
        ReplayError::Late => (Status::Undecided, "give the search more --time"),
        ReplayError::Io(_) => (
            Status::BadInput,
            "replay needs room for temporary files (TMPDIR), and processes; or use --no-replay",
        ),
        ReplayError::Unit { .. } => (
            Status::BadInput,
            "its assembly may be for another machine; with --no-replay, no test is confirmed",
        ),
        ReplayError::Compile { .. } | ReplayError::Export(_) => (
            Status::Failed,
            "this is a defect of attest, unless a flag after -- is missing; please report it with \
             the C file",
        ),
    };
    Failure {
        status,
        messages: vec![Message::new(Severity::Error, title).help(help)],
    }
}
