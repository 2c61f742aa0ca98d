//! The folder that `attest cover` wrote, as a replay finds it.

use std::path::{Path, PathBuf};

use emit::record::{OutcomeRecord, TestRecord};
use emit::{BuildRecord, SuiteRecord};
use ir::TestId;

use crate::failure::Failure;

/// What to do when the folder is none.
const HELP: &str = "name a folder that `attest cover` wrote (-o)";

/// A folder that `attest cover` wrote.
#[derive(Debug)]
pub struct Folder {
    /// Where it is; absolute.
    pub directory: PathBuf,
    /// What its `suite.json` says.
    pub suite: SuiteRecord,
}

impl Folder {
    /// Reads `suite.json`.
    pub fn open(directory: &Path) -> Result<Folder, Failure> {
        let path = directory.join("suite.json");
        let cannot_read = |error: std::io::Error| {
            Failure::bad_input(format!("cannot read {}: {error}", path.display()), HELP)
        };
        let text = std::fs::read_to_string(&path).map_err(cannot_read)?;
        let suite = SuiteRecord::parse(&text).ok().filter(SuiteRecord::is_sound);
        let suite = suite.ok_or_else(|| unusable(&path))?;
        Ok(Folder {
            directory: directory.canonicalize().map_err(cannot_read)?,
            suite,
        })
    }

    /// `suite.json` is not what attest writes.
    pub fn unusable(&self) -> Failure {
        unusable(&self.directory.join("suite.json"))
    }

    /// Demands that there is a test of this number.
    pub fn has_test(&self, test: u32) -> Result<(), Failure> {
        if (test as usize) < self.suite.tests.len() {
            return Ok(());
        }
        let directory = self.directory.display();
        let help = match self.suite.tests.len() {
            0 => "the suite has no tests".to_owned(),
            count => format!("the tests are 0 to {}", count - 1),
        };
        Err(Failure::bad_input(
            format!("there is no test {test} in {directory}"),
            help,
        ))
    }

    /// How the program is compiled.
    pub fn build(&self) -> Result<&BuildRecord, Failure> {
        self.suite.build.as_ref().ok_or_else(|| {
            let title = format!(
                "{} does not say how the program is compiled",
                self.directory.join("suite.json").display()
            );
            Failure::bad_input(
                title,
                "it is of an earlier version; cover the function again",
            )
        })
    }

    /// The folder that the suite's paths start from.
    pub fn working_directory(&self) -> Result<PathBuf, Failure> {
        let build = self.build()?;
        let folder = self.directory.join(&build.directory);
        folder.canonicalize().map_err(|error| {
            let title = format!(
                "the folder of the sources is gone: {}: {error}",
                folder.display()
            );
            Failure::bad_input(title, "move the results together with the sources")
        })
    }

    /// The units, from the folder that the suite's paths start from.
    pub fn units(&self, build: &BuildRecord) -> Result<Vec<PathBuf>, Failure> {
        let folder = self.working_directory()?;
        for unit in &build.units {
            if !folder.join(unit).is_file() {
                return Err(Failure::bad_input(
                    format!("{unit} is not in {} any more", folder.display()),
                    "move the results together with the sources, or cover the function again",
                ));
            }
        }
        Ok(build.units.iter().map(PathBuf::from).collect())
    }

    /// The flags, with the folder of headers that the results bring along.
    pub fn compile_flags(&self, build: &BuildRecord) -> Vec<String> {
        let mut flags = build.flags.clone();
        let headers = self.directory.join("tests/include");
        if headers.is_dir() {
            flags.push(format!("-I{}", headers.display()));
        }
        flags
    }

    /// The files that compile the program's other units.
    pub fn other_units(&self) -> Vec<PathBuf> {
        let files = self.suite.files.units.iter();
        files.map(|file| self.directory.join(file)).collect()
    }

    /// The C files with their tests, or with one of them.
    pub fn files(&self, only: Option<u32>) -> Vec<(PathBuf, Vec<TestId>)> {
        let suite = &self.suite;
        let wanted = |test: usize| only.is_none_or(|only| only as usize == test);
        let ran = |test: &&TestRecord| test.outcome != OutcomeRecord::Rejected;
        let tests = suite.tests.iter().filter(ran);
        let (showing, passing): (Vec<_>, Vec<_>) = tests
            .filter(|test| wanted(test.id))
            .partition(|test| suite.defect_kind(test).is_some());
        let ids = |tests: Vec<&TestRecord>| -> Vec<TestId> {
            tests
                .iter()
                .map(|test| TestId::from_usize(test.id))
                .collect()
        };
        [
            (&suite.files.tests, ids(passing)),
            (&suite.files.defects, ids(showing)),
        ]
        .into_iter()
        .filter(|(_, tests)| !tests.is_empty())
        .filter_map(|(file, tests)| Some((self.directory.join(file.as_ref()?), tests)))
        .collect()
    }
}

fn unusable(path: &Path) -> Failure {
    Failure::bad_input(
        format!("{} is not what attest writes", path.display()),
        HELP,
    )
}
