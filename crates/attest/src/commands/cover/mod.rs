//! `attest cover`: tests for every goal of a function.

mod group;
mod options;
mod search;
mod several;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coverage::Suite;
use emit::replay::Replayed;
use ir::sequence::Sequence;
use ir::test::Frame;
use ir::{FunctionId, Program, TestId};

use crate::baseline::Baseline;
use crate::cli::common::UnitArguments;
use crate::cli::cover::{CoverArguments, Format, Show};
use crate::console::Console;
use crate::entry;
use crate::failure::Failure;
use crate::findings::Findings;
use crate::interrupt::Interrupt;
use crate::loaded_program::LoadedProgram;
use crate::message::{Message, Severity};
use crate::output::{self, Begun, Written};
use crate::report::{Phases, Report};
use crate::seeds::Corpus;
use crate::sequence;
use crate::sources::SourceRange;
use crate::status::Status;
use crate::wcet;
use search::Searched;

pub use options::{close_world, options};

/// The result of a replay, and how long it took.
type Ended = (Result<Replayed, Failure>, Duration);

/// Covers the function that the user names, or every one.
pub fn cover(arguments: &CoverArguments, console: &mut Console) -> Result<Status, Failure> {
    let mut arguments = arguments.clone();
    let UnitArguments { files, flags } = &mut arguments.unit;
    let unit = LoadedProgram::load_as_gcc(files, flags)?;
    cover_unit(&arguments, unit, console)
}

/// Covers functions of a program that was read.
pub fn cover_unit(
    arguments: &CoverArguments,
    mut unit: LoadedProgram,
    console: &mut Console,
) -> Result<Status, Failure> {
    wcet::check(arguments)?;
    let interrupt = Interrupt::listen();
    let notation = arguments.search.sequence.as_deref();
    let sequence = notation.map(|text| sequence::read(&mut unit.program, text, sequence::DRIVER));
    let sequence = sequence.transpose()?;
    let entries = match (&sequence, arguments.functions.as_slice()) {
        (Some(sequence), _) => vec![sequence.driver],
        (None, []) => entry::all(&unit.program)?,
        (None, names) => entry::by_names(&unit.program, names)?,
    };
    let baseline = arguments.defects.baseline.as_deref().map(Baseline::read);
    let mut baseline = baseline.transpose()?.unwrap_or_default();
    if let Some((name, span)) = coverage::label_used_twice(&unit.program) {
        let place = SourceRange::of(&unit.program, &span);
        let title = format!("the label `{name}` is used twice");
        return Err(Failure::bad_input_at(
            title,
            place,
            "give each label a name of its own",
        ));
    }
    coverage::prepare(&mut unit.program, &arguments.criterion.criteria);
    unit.warn(&entries, console);
    let seeds = arguments.search.seeds.as_deref();
    let corpus = seeds.map(Corpus::read).transpose()?.unwrap_or_default();
    output::make_folder(&arguments.output)?;
    let job = Job {
        arguments,
        unit: &unit,
        sequence: sequence.as_ref(),
        corpus: &corpus,
        interrupt: &interrupt,
    };
    let is_one = !arguments.functions.is_empty() || sequence.is_some();
    let status = match entries.as_slice() {
        [entry] if is_one => {
            let covered = job.cover(*entry, &arguments.output, console)?;
            let findings = job.findings(&covered, &mut baseline, console);
            let told = job.tell(&covered, &findings, Usual::OfOne, console);
            Ok(covered.end(&unit.program, &findings, console).and(told?))
        }
        _ => job.cover_all(&entries, &mut baseline, console),
    };
    if let Some(path) = &arguments.defects.write_baseline {
        baseline.write(path)?;
    }
    status
}

/// The parts that all functions have in common.
struct Job<'a> {
    arguments: &'a CoverArguments,
    unit: &'a LoadedProgram,
    sequence: Option<&'a Sequence>,
    corpus: &'a Corpus,
    interrupt: &'a Interrupt,
}

/// What is usually told of a function.
#[derive(Clone, Copy, Debug)]
enum Usual {
    /// All, of the only one.
    OfOne,
    /// The certain defects, of one of several: so many with their source.
    OfSeveral { with_source: usize },
}

/// One function, covered.
struct Covered {
    /// The program, where it is another one than that of all functions.
    program: Option<Program>,
    suite: Suite,
    written: Written,
    directory: PathBuf,
}

impl Job<'_> {
    /// Covers one function; its results go to `directory`.
    fn cover(
        &self,
        entry: FunctionId,
        directory: &Path,
        console: &mut Console,
    ) -> Result<Covered, Failure> {
        let (mut searched, watch) = self.search(entry, (1, 1), directory, console)?;
        let begun = self.begin(&mut searched);
        watch.replays(searched.suite.tests.len());
        let replayed = self.replay(&mut searched, &begun);
        let covered = self.end(searched, begun, replayed);
        watch.ended();
        Ok(covered)
    }

    /// Writes the suite of a search.
    fn begin(&self, searched: &mut Searched) -> Begun {
        let Searched { suite, base } = searched;
        self.writer(base).begin(suite)
    }

    /// Replays a suite by itself, and says how long that took.
    fn replay(&self, searched: &mut Searched, begun: &Begun) -> Option<Ended> {
        let Searched { suite, base } = searched;
        let started = Instant::now();
        let replayed = self.writer(base).replay(suite, begun, base.deadline());
        Some((replayed?, started.elapsed()))
    }

    /// Writes the suite again as its replay left it.
    fn end(&self, searched: Searched, begun: Begun, replayed: Option<Ended>) -> Covered {
        let Searched { mut suite, base } = searched;
        let order = |suite: &Suite, tests: &BTreeSet<TestId>| self.order(&base, suite, tests);
        let writer = self.writer(&base);
        let written = writer.end(&mut suite, begun, replayed, &order);
        Covered {
            suite,
            written,
            directory: base.directory,
            program: base.made.map(|(program, _)| program),
        }
    }

    /// The defects that are told.
    fn findings(
        &self,
        covered: &Covered,
        baseline: &mut Baseline,
        console: &mut Console,
    ) -> Findings {
        let program = covered.program.as_ref().unwrap_or(&self.unit.program);
        let arguments = &self.arguments.defects;
        let sources = &mut console.sources;
        Findings::new(program, &covered.suite, arguments, baseline, sources)
    }

    /// Writes the result to standard output; it shows as much as is usual unless the user says
    /// otherwise.
    fn tell(
        &self,
        covered: &Covered,
        findings: &Findings,
        usual: Usual,
        console: &mut Console,
    ) -> Result<Status, Failure> {
        let show = self.arguments.show.unwrap_or(match usual {
            Usual::OfOne => Show::All,
            Usual::OfSeveral { .. } => Show::Summary,
        });
        let text = match self.arguments.format {
            Format::Json => covered.written.json.clone(),
            Format::Human => {
                let directory = covered.directory.display().to_string();
                let report = Report {
                    program: covered.program.as_ref().unwrap_or(&self.unit.program),
                    suite: &covered.suite,
                    findings,
                    show,
                    inputs: &covered.written.inputs,
                    directory: &directory,
                    tests: covered.written.tests.as_deref(),
                    phases: Phases {
                        reading: self.unit.reading,
                        replay: covered.written.replay,
                    },
                };
                match (usual, show) {
                    // A table of all functions follows.
                    (Usual::OfSeveral { with_source }, Show::Summary) => {
                        report.certain_defects(with_source, console)
                    }
                    _ => report.text(console),
                }
            }
        };
        console.write(text.as_bytes())?;
        Ok(Status::Complete)
    }
}

impl Covered {
    /// The message when no input satisfies the assumptions of the code, and its status: a loss may
    /// be the reason.
    fn no_input(&self, program: &Program, stack: &[Frame]) -> (Message, Status) {
        let (severity, found, status) = match self.suite.losses.is_empty() {
            true => (Severity::Error, "no input satisfies", Status::BadInput),
            false => (
                Severity::Warning,
                "no input was found that satisfies",
                Status::Undecided,
            ),
        };
        let title = format!("{found} the precondition and what the code assumes");
        let message = Message::new(severity, title);
        let message = match stack.first() {
            Some(frame) => {
                let place = SourceRange::of(program, &frame.span);
                message.at(place, "here the input is rejected that comes farthest")
            }
            None => message,
        };
        let message = message
            .help("nothing is said of what lies behind: relax the precondition, or --max-array");
        (message, status)
    }

    /// Reports failures on the way, and returns the exit status.
    fn end(&self, program: &Program, findings: &Findings, console: &mut Console) -> Status {
        let program = self.program.as_ref().unwrap_or(program);
        let mut status = match self.suite.complete() {
            true => Status::Complete,
            false => Status::Undecided,
        };
        if findings.fails {
            status = status.and(Status::DefectFound);
        }
        if let Some(stack) = &self.suite.no_input {
            let (message, found) = self.no_input(program, stack);
            console.tell(&message);
            status = status.and(found);
        }
        let name = &program.functions[self.suite.function].name;
        for failure in &self.written.failures {
            let failure = failure.clone().of_function(name);
            failure
                .messages
                .iter()
                .for_each(|message| console.tell(message));
            status = status.and(failure.status);
        }
        status
    }
}
