//! `attest cover`: tests for every goal of a function.

mod options;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coverage::Suite;
use explore::{Exploration, Outside};
use frontend::OperandOrder;
use ir::sequence::Sequence;
use ir::test::{Bound, BoundKind, Frame};
use ir::{FunctionId, Program, TestId};
use vm::Defaults;

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
use crate::native::{self, Host};
use crate::output::{self, Written};
use crate::progress::ProgressMonitor;
use crate::report::{Phases, Report};
use crate::seeds::Corpus;
use crate::sequence;
use crate::sources::SourceRange;
use crate::status::Status;
use crate::summary::Summary;
use crate::wcet;

pub use options::{close_world, options};

/// How long a search of a function takes at most, where nothing is said.
const TIME: Duration = Duration::from_secs(60);

/// How many ways of a sequence of calls are tried beyond the goals, in which arguments point to the
/// same object. What a sequence links, it links by the rules.
const ALIAS_PROBES: u32 = 256;

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
            let covered = job.cover(*entry, (1, 1), &arguments.output, console)?;
            let findings = job.findings(&covered, &mut baseline, console);
            let told = job.tell(&covered, &findings, Show::All, console);
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

/// One function, covered.
struct Covered {
    /// The program, where it is another one than that of all functions.
    program: Option<Program>,
    suite: Suite,
    written: Written,
    directory: PathBuf,
}

impl Job<'_> {
    /// Covers one function, which has this position among all; its results go to `directory`.
    fn cover(
        &self,
        entry: FunctionId,
        position: (usize, usize),
        directory: &Path,
        console: &mut Console,
    ) -> Result<Covered, Failure> {
        let made = self.makes_opaque(entry, console)?;
        let (program, sequence) = match &made {
            Some((program, sequence)) => (program, Some(sequence)),
            None => (&self.unit.program, self.sequence),
        };
        let entry = sequence.map_or(entry, |sequence| sequence.driver);
        let mut options = options(self.arguments, program, entry)?;
        let host = Host::new(
            program,
            native::functions(&self.arguments.search.native, program)?,
            &self.arguments.unit.flags,
        );
        if let Some(sequence) = sequence {
            options.tested = sequence::tested(program, sequence);
            options.machine.observe_calls = true;
            options.machine.known_kept_globals.extend(sequence.variable);
            options.alias_probes = ALIAS_PROBES;
        }
        let made_by = sequence.filter(|_| made.is_some());
        let made_by = made_by.map(|made| format!("objects are made by calls: {}", made.notation));
        let left_out = sequence.map(|sequence| sequence::left_out(program, sequence));
        for detail in made_by.into_iter().chain(left_out.unwrap_or_default()) {
            options.assumed.push(Bound {
                kind: BoundKind::Sequence,
                detail,
                stack: Vec::new(),
            });
        }
        let max_array = options.machine.max_array;
        let (seeds, messages) = self.corpus.seeds(program, entry, max_array);
        if self.arguments.search.seeds.is_some() {
            messages.iter().for_each(|message| console.tell(message));
        }
        let seeds: Vec<&dyn Defaults> = seeds.iter().map(|seed| seed as _).collect();
        let outside = Outside {
            seeds: &seeds,
            natives: &host,
        };
        let name = &program.functions[entry].name;
        let time = self.arguments.time.unwrap_or(TIME);
        let limits = (time, self.arguments.memory);
        let mut watch = ProgressMonitor::start((name, position), limits, self.interrupt)
            .looking_for_defects(self.arguments.defects.check_time);
        options.solver.stop = Some(watch.stop());
        let Exploration {
            mut suite,
            space,
            contradictions,
            proofs,
            paths,
        } = explore::explore(program, &options, outside, &mut watch);
        if let Some(contradiction) = contradictions.into_iter().next() {
            return Err(Failure::internal(contradiction));
        }
        suite.statistics.seconds = watch.stopped().as_secs_f64();
        let deadline = watch.deadline();
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let tests = (&mut suite, &space);
        explore::observe_given(program, &options, outside, tests, &is_over);
        let order = |suite: &Suite, tests: &BTreeSet<TestId>| {
            let UnitArguments { files, flags } = &self.arguments.unit;
            let reversed = LoadedProgram::load_ordered(files, flags, OperandOrder::Reversed);
            let depending = reversed.map(|mut reversed| {
                coverage::prepare(&mut reversed.program, &suite.criteria);
                let programs = (program, &reversed.program);
                let found = (suite, &space);
                explore::depend_on_order(programs, &options, outside, found, tests, &is_over)
            });
            depending.unwrap_or_default()
        };
        let writer = output::Writer {
            program,
            space: &space,
            sequence,
            arguments: self.arguments,
            directory,
            proofs: &proofs,
            paths: paths.as_ref(),
            deadline,
            order: &order,
        };
        watch.replays(suite.tests.len());
        let written = writer.write_and_replay(&mut suite);
        watch.ended();
        Ok(Covered {
            program: made.map(|(program, _)| program),
            suite,
            written,
            directory: directory.to_owned(),
        })
    }

    /// The program with a driver of the function that has its objects of opaque types made by
    /// others, if it takes such.
    fn makes_opaque(
        &self,
        entry: FunctionId,
        console: &mut Console,
    ) -> Result<Option<(Program, Sequence)>, Failure> {
        let program = &self.unit.program;
        let is_free = self.sequence.is_none() && self.arguments.search.precondition.is_none();
        let notation = is_free
            .then(|| sequence::for_opaque(program, entry))
            .flatten();
        let Some(notation) = notation else {
            return Ok(None);
        };
        let name = program.functions[entry].name.clone();
        let title = format!("{name} takes an object whose type its file does not define");
        let message = Message::new(Severity::Warning, title);
        console.tell(&message.help(format!("it is made by calls: --sequence '{notation}'")));
        let mut program = program.clone();
        let sequence = sequence::read(&mut program, &notation, &name)?;
        Ok(Some((program, sequence)))
    }

    /// Covers several functions, each into a folder of its own. What ends the work on one of them
    /// leaves the others alone.
    fn cover_all(
        &self,
        entries: &[FunctionId],
        baseline: &mut Baseline,
        console: &mut Console,
    ) -> Result<Status, Failure> {
        let mut summary = Summary::default();
        let mut told = BTreeSet::new();
        let mut status = Status::Complete;
        for (number, &entry) in entries.iter().enumerate() {
            let name = &self.unit.program.functions[entry].name;
            if self.interrupt.requested() {
                status = status.and(Status::Undecided);
                summary.skip(name);
                continue;
            }
            let started = Instant::now();
            let folder = summary.folder(name);
            let directory = self.arguments.output.join(&folder);
            let position = (number + 1, entries.len());
            let done = output::make_folder(&directory)
                .and_then(|()| self.cover(entry, position, &directory, console))
                .and_then(|covered| {
                    let findings = self.findings(&covered, baseline, console);
                    if self.arguments.format == Format::Human {
                        let program = covered.program.as_ref();
                        let program = program.unwrap_or(&self.unit.program);
                        let untold = findings.untold(program, &mut told);
                        self.tell(&covered, &untold, Show::Summary, console)?;
                    }
                    Ok((covered, findings))
                });
            match done {
                Ok((covered, findings)) => {
                    summary.add(name, folder, &covered.suite, &findings, started.elapsed());
                    let ended = covered.end(&self.unit.program, &findings, console);
                    status = status.and(ended);
                }
                Err(failure) => {
                    let failure = failure.of_function(name);
                    failure
                        .messages
                        .iter()
                        .for_each(|message| console.tell(message));
                    summary.fail(name);
                    status = status.and(failure.status);
                }
            }
        }
        let text = summary.json();
        match self.arguments.format {
            Format::Json => console.write(text.as_bytes())?,
            Format::Human => console.write(summary.table().as_bytes())?,
        }
        output::write_file(&self.arguments.output.join("summary.json"), &text)?;
        Ok(status)
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

    /// Writes the result to standard output; it shows so much unless the user says otherwise.
    fn tell(
        &self,
        covered: &Covered,
        findings: &Findings,
        usual: Show,
        console: &mut Console,
    ) -> Result<Status, Failure> {
        let show = self.arguments.show.unwrap_or(usual);
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
                    (Show::Summary, Show::Summary) => report.certain_defects(console),
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
