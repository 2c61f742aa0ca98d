//! Writes a suite's files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use coverage::{GoalStatus, Suite};
use ir::TestId;
use ir::test::Outcome;
use walkdir::WalkDir;

use crate::c::defects::defect_kind;
use crate::c::file::TestFile;
use crate::c::pragmas::Pragmas;
use crate::c::prefix;
use crate::c::units;
use crate::makefile::Makefile;
use crate::record::is_of_system;
use crate::relative::{rebase_flags, relative};
use crate::replay::{Build, forced_headers, test_flags};
use crate::titles::titles;
use crate::{BuildRecord, Subject, SuiteFiles, SuiteRecord};

/// How long a path may be, in bytes, that a test's comment says.
const LONGEST_PATH: usize = 400;

/// A suite to be written, and where.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    /// The tested program.
    pub subject: Subject<'a>,
    /// The suite.
    pub suite: &'a Suite,
    /// The folder that takes `suite.json` and `tests/`; made if it is missing.
    pub directory: PathBuf,
    /// The folder, absolute, that relative paths of units and flags start from.
    pub working_directory: PathBuf,
    /// The user's compiler flags.
    pub flags: Vec<String>,
    /// The compiler that the Makefile names.
    pub compiler: String,
    /// The folder of attest's own headers; those that the program includes are copied beside the
    /// tests, which need nothing but a C compiler.
    pub headers: Option<PathBuf>,
    /// The tests of defects whose defect no replay has shown: they do not fail if it does not show.
    pub unshown: BTreeSet<TestId>,
}

/// The files that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The emitted C files with their tests: those that pass first, then those of defects.
    pub c_files: Vec<(PathBuf, Vec<TestId>)>,
    /// All files.
    pub files: SuiteFiles,
    /// How the program is compiled.
    pub build: BuildRecord,
}

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {error}")]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

impl Output<'_> {
    /// Writes the tests, their Makefile and `suite.json`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self) -> Result<Written, WriteError> {
        let tests = self.tests_directory();
        make_directory(&tests)?;
        self.copy_headers()?;
        let function = &self.subject.function().name;
        let mut written = Written::default();
        let (showing, passing): (Vec<_>, Vec<_>) = self
            .suite
            .tests
            .iter()
            .filter(|test| test.outcome != Outcome::Rejected)
            .partition(|test| defect_kind(test).is_some());
        let file = TestFile {
            subject: self.subject,
            unit: self.unit_from_tests(),
            forced: self.forced_from(&self.tests_directory()),
            tests: passing,
            suite: self.suite.tests.iter().collect(),
            unshown: self.unshown.clone(),
            spelled: self.spelled_like_own(),
            pragmas: self.pragmas(),
            titles: titles(&self.subject, self.suite),
            notes: self.notes(),
        };
        let ids = |file: &TestFile<'_>| file.tests.iter().map(|test| test.id).collect();
        if !file.tests.is_empty() {
            let name = format!("test_{function}.c");
            write_file(&tests.join(&name), &file.text())?;
            written.c_files.push((tests.join(&name), ids(&file)));
            written.files.tests = Some(format!("tests/{name}"));
        }
        let file = TestFile {
            tests: showing,
            ..file
        };
        if !file.tests.is_empty() {
            let name = format!("defects_{function}.c");
            write_file(&tests.join(&name), &file.defects_text())?;
            written.c_files.push((tests.join(&name), ids(&file)));
            written.files.defects = Some(format!("tests/{name}"));
        }
        for (unit, name) in units::file_names(&self.subject) {
            let path = &self.subject.program.units[unit].path;
            let text = file.other_unit(unit, &self.seen_from_tests(Path::new(path)));
            write_file(&tests.join(&name), &text)?;
            written.files.units.push(format!("tests/{name}"));
        }
        write_file(
            &tests.join("Makefile"),
            &self.makefile(&written.files).text(),
        )?;
        written.files.makefile = Some("tests/Makefile".to_owned());
        written.build = self.record();
        self.write_json(&written.files)?;
        Ok(written)
    }

    /// Writes `suite.json` alone, for a suite that replay has changed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_json(&self, files: &SuiteFiles) -> Result<(), WriteError> {
        let path = self.directory.join("suite.json");
        let build = self.record();
        let record = SuiteRecord::new(&self.subject, self.suite, files, Some(&build));
        let text = record.text().map_err(|error| WriteError {
            path: path.clone(),
            error: error.into(),
        })?;
        write_file(&path, &text)
    }

    /// How the emitted files are compiled from the working directory.
    pub fn build(&self) -> Build {
        let mut flags = self.flags.clone();
        if self.included_headers().next().is_some() {
            flags.push(format!("-I{}", self.headers_copy().display()));
        }
        Build {
            flags,
            folder: self.working_directory.clone(),
            other_units: self.other_units(),
        }
    }

    /// The record of the program that a later replay reads.
    fn record(&self) -> BuildRecord {
        let working_directory = resolved(&self.working_directory);
        let directory = resolved(&working_directory.join(&self.directory));
        BuildRecord::new(&self.subject, &self.flags, &working_directory, &directory)
    }

    fn tests_directory(&self) -> PathBuf {
        self.working_directory.join(&self.directory).join("tests")
    }

    fn headers_copy(&self) -> PathBuf {
        self.tests_directory().join("include")
    }

    fn unit_from_tests(&self) -> String {
        self.unit_from(&self.tests_directory())
    }

    /// The path of the tested unit from a folder.
    pub(crate) fn unit_from(&self, folder: &Path) -> String {
        let unit = &self.subject.program.units[self.subject.unit()].path;
        self.seen_from(folder, Path::new(unit))
    }

    /// The headers that the flags name, as files in a folder include them.
    pub(crate) fn forced_from(&self, folder: &Path) -> Vec<String> {
        let (from, to) = (resolved(&self.working_directory), resolved(folder));
        let headers = forced_headers(&self.flags).into_iter();
        let rebased = headers.map(|header| {
            let flags = ["-include".to_owned(), header];
            rebase_flags(&flags, &from, &to).pop()
        });
        rebased.flatten().collect()
    }

    fn seen_from_tests(&self, path: &Path) -> String {
        self.seen_from(&self.tests_directory(), path)
    }

    pub(crate) fn seen_from(&self, folder: &Path, path: &Path) -> String {
        let path = self.working_directory.join(path);
        relative(&resolved(folder), &resolved(&path))
            .display()
            .to_string()
    }

    fn other_units(&self) -> Vec<PathBuf> {
        let names = units::file_names(&self.subject).into_iter();
        names
            .map(|(_, name)| self.tests_directory().join(name))
            .collect()
    }

    fn makefile(&self, files: &SuiteFiles) -> Makefile {
        let tests = resolved(&self.tests_directory());
        let folder = resolved(&self.working_directory);
        let mut flags = rebase_flags(&test_flags(&self.flags), &folder, &tests);
        if self.included_headers().next().is_some() {
            flags.push("-Iinclude".to_owned());
        }
        Makefile {
            function: self.subject.function().name.clone(),
            compiler: self.compiler.clone(),
            flags,
            other_units: units::file_names(&self.subject)
                .into_iter()
                .map(|(_, name)| name)
                .collect(),
            sources: std::iter::once(self.subject.unit())
                .chain(self.subject.other_units())
                .map(|unit| Path::new(&self.subject.program.units[unit].path))
                .map(|path| self.seen_from_tests(path))
                .collect(),
            tests: files.tests.is_some(),
            defects: files.defects.is_some(),
        }
    }

    /// Attest's own headers, if the program includes any of them: where they are, and their path
    /// among them. All of them, since one may include another without leaving a trace.
    fn included_headers(&self) -> impl Iterator<Item = (PathBuf, PathBuf)> {
        let folder = self.headers.as_ref().map(|folder| resolved(folder));
        let included = folder.filter(|folder| {
            let mut files = self.subject.program.files.iter();
            files.any(|file| resolved(&self.working_directory.join(&file.path)).starts_with(folder))
        });
        included.into_iter().flat_map(|folder| {
            let entries = WalkDir::new(&folder)
                .sort_by_file_name()
                .into_iter()
                .flatten();
            let files = entries.filter(|entry| entry.file_type().is_file());
            files.filter_map(move |entry| {
                let inside = entry.path().strip_prefix(&folder).ok()?.to_owned();
                Some((entry.path().to_owned(), inside))
            })
        })
    }

    fn copy_headers(&self) -> Result<(), WriteError> {
        for (from, inside) in self.included_headers() {
            let to = self.headers_copy().join(inside);
            if let Some(folder) = to.parent() {
                make_directory(folder)?;
            }
            fs::copy(&from, &to).map_err(|error| WriteError { path: to, error })?;
        }
        Ok(())
    }

    /// The words of the program's own files that begin as names of the tests' own do.
    pub(crate) fn spelled_like_own(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for text in self.texts() {
            found.extend(prefix::spelled_like_own(&text).map(str::to_owned));
        }
        found
    }

    /// The pragmas of the program's own files that stay in effect after them.
    pub(crate) fn pragmas(&self) -> Pragmas {
        let texts = self.texts().map(|text| Pragmas::of_text(&text));
        texts.fold(Pragmas::default(), Pragmas::or)
    }

    /// The texts of the program's own files.
    fn texts(&self) -> impl Iterator<Item = String> {
        let files = self.subject.program.files.iter();
        let own = files.filter(|file| !is_of_system(&file.path));
        own.map(|file| {
            let path = self.working_directory.join(&file.path);
            String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
        })
    }

    /// The purpose of each test.
    fn notes(&self) -> BTreeMap<TestId, Vec<String>> {
        let all = self.suite.tests.iter();
        let numbered = all.map(|test| (test.id, vec![format!("Test {}.", test.id.index())]));
        let mut notes: BTreeMap<TestId, Vec<String>> = numbered.collect();
        for entry in &self.suite.goals {
            if let GoalStatus::Covered(test) = entry.status {
                let place = self.place(entry.goal.span.place());
                let note = format!("Covers {place} {}.", entry.goal.told_side());
                notes.entry(test).or_default().push(note);
            }
        }
        for test in &self.suite.tests {
            if let Some(name) = self.subject.out_of_reach(test) {
                let note = format!("It needs a value of {name}, which no test can set.");
                notes.entry(test.id).or_default().push(note);
            }
        }
        for test in &self.suite.tests {
            let assumed = test.assumptions.iter();
            let assumed = assumed.map(|it| format!("It takes for granted: {}", it.text));
            notes.entry(test.id).or_default().extend(assumed);
        }
        for test in &self.suite.tests {
            let is_told = |path: &&String| !path.is_empty() && path.len() <= LONGEST_PATH;
            let path = test.path.iter().filter(is_told);
            let path = path.map(|path| format!("Takes the path {path}."));
            notes.entry(test.id).or_default().extend(path);
        }
        for found in &self.suite.defects {
            let defect = &found.defect;
            let place = defect
                .stack
                .first()
                .map(|frame| self.place(frame.span.place()));
            let at = place.map_or_else(String::new, |place| format!(" at {place}"));
            let note = format!("Shows {}{at}: {}", defect.kind, defect.message);
            let of_test = notes.entry(found.test).or_default();
            of_test.push(note);
            let assumed = defect.assumptions.iter();
            of_test
                .extend(assumed.map(|assumed| format!("It takes for granted: {}", assumed.text)));
        }
        notes
    }

    fn place(&self, position: ir::Position) -> String {
        let file = self.subject.program.files.get(position.file);
        let name = file.and_then(|file| Path::new(&file.path).file_name());
        let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        format!("{name}:{}", position.line)
    }
}

/// The path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn make_directory(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|error| WriteError {
        path: path.to_owned(),
        error,
    })
}

pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), WriteError> {
    fs::write(path, text).map_err(|error| WriteError {
        path: path.to_owned(),
        error,
    })
}
