//! `attest cover`: tests for every goal of a function.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coverage::{Criterion, FoundDefect, Suite};
use explore::{Exploration, Options, Outside, ProofShare, StrategyName};
use frontend::OperandOrder;
use ir::sequence::Sequence;
use ir::test::{Bound, BoundKind, Frame};
use ir::{FunctionId, Program, TestId};
use vm::Defaults;

use super::goals::scope;
use crate::cli::common::UnitArguments;
use crate::cli::cover::{CoverArguments, Format, Switch};
use crate::console::Console;
use crate::entry;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::lazy;
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
    let entries = match (&sequence, &arguments.function) {
        (Some(sequence), _) => vec![sequence.driver],
        (None, Some(name)) => vec![entry::by_name(&unit.program, name)?],
        (None, None) => entry::all(&unit.program)?,
    };
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
    let is_one = arguments.function.is_some() || sequence.is_some();
    match entries.as_slice() {
        [entry] if is_one => {
            let covered = job.cover(*entry, &arguments.output, console)?;
            let told = job.tell(&covered, console);
            Ok(covered.end(&unit.program, console).and(told?))
        }
        _ => job.cover_all(&entries, console),
    }
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
    /// Covers one function; its results go to `directory`.
    fn cover(
        &self,
        entry: FunctionId,
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
        let mut watch = ProgressMonitor::start(name, limits, self.interrupt);
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
        let written = writer.write_and_replay(&mut suite);
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
    fn cover_all(&self, entries: &[FunctionId], console: &mut Console) -> Result<Status, Failure> {
        let mut summary = Summary::default();
        let mut status = Status::Complete;
        for &entry in entries {
            if self.interrupt.requested() {
                status = status.and(Status::Undecided);
                break;
            }
            let name = &self.unit.program.functions[entry].name;
            let folder = summary.folder(name);
            let directory = self.arguments.output.join(&folder);
            let done = output::make_folder(&directory)
                .and_then(|()| self.cover(entry, &directory, console))
                .and_then(|covered| {
                    if self.arguments.format == Format::Human {
                        self.tell(&covered, console)?;
                    }
                    Ok(covered)
                });
            match done {
                Ok(covered) => {
                    summary.add(name, folder, &covered.suite);
                    status = status.and(covered.end(&self.unit.program, console));
                }
                Err(failure) => {
                    failure
                        .messages
                        .iter()
                        .for_each(|message| console.tell(message));
                    status = status.and(failure.status);
                }
            }
        }
        let text = summary.text();
        if self.arguments.format == Format::Json {
            console.write(text.as_bytes())?;
        }
        output::write_file(&self.arguments.output.join("summary.json"), &text)?;
        Ok(status)
    }

    /// Writes the result to standard output.
    fn tell(&self, covered: &Covered, console: &mut Console) -> Result<Status, Failure> {
        let text = match self.arguments.format {
            Format::Json => covered.written.json.clone(),
            Format::Human => {
                let directory = covered.directory.display().to_string();
                let report = Report {
                    program: covered.program.as_ref().unwrap_or(&self.unit.program),
                    suite: &covered.suite,
                    inputs: &covered.written.inputs,
                    directory: &directory,
                    tests: covered.written.tests.as_deref(),
                    phases: Phases {
                        reading: self.unit.reading,
                        replay: covered.written.replay,
                    },
                };
                report.text(console)
            }
        };
        console.write(text.as_bytes())?;
        Ok(Status::Complete)
    }
}

/// The options of the search for one function.
pub fn options(
    arguments: &CoverArguments,
    program: &Program,
    entry: FunctionId,
) -> Result<Options, Failure> {
    let search = &arguments.search;
    let mut options = Options::new(entry);
    options.precondition = entry::precondition(program, entry, search.precondition.as_deref())?;
    options.criteria = arguments.criterion.criteria.clone();
    options.scope = scope(program, entry, arguments.scope);
    let own = || StrategyName::of(&options.criteria);
    options.strategy = search.strategy.unwrap_or_else(own);
    options.seed = search.seed;
    options.random_values = search.random_values;
    options.depth = search.depth.or(options
        .strategy
        .is_bounded()
        .then_some(explore::DEFAULT_DEPTH));
    if search.depth.is_some() {
        options.accepted_bounds.push(BoundKind::Depth);
    }
    let mut criteria = options.criteria.all().iter();
    if criteria.any(|criterion| matches!(criterion, Criterion::KPath(_))) {
        options.accepted_bounds.push(BoundKind::Rounds);
    }
    if let Some(steps) = search.step_limit {
        options.machine.step_limit = steps;
    }
    options.longer_executions = arguments.time.is_some() && search.step_limit.is_none();
    options.machine.choice_limit = search.choice_limit;
    options.machine.patience = search.patience;
    // A byte has flags, and to grow is to copy.
    options.machine.touched_limit = arguments.memory / 4;
    if let Some(elements) = search.max_array {
        options.machine.max_array = elements;
        options.accepted_bounds.push(BoundKind::ArrayExtent);
    }
    let natives = native::functions(&search.native, program)?;
    options
        .machine
        .policies
        .extend(native::policies(program, &natives));
    if search.closed_world {
        close_world(&mut options, program);
    }
    if search.no_allocation_failures {
        options.machine.allocation_failures = false;
        options.accepted_bounds.push(BoundKind::AllocationFailures);
    }
    options.stop_on_defect = search.stop_on_defect;
    options.beyond_defects = !search.strict;
    options.lazy = lazy::lazy(&search.lazy, program, entry, &options.criteria)?;
    options.without = search.without.clone();
    options.audit = search.audit;
    options.proofs = share(search.prove, search.prove_share);
    options.fuzzing = share(search.fuzz, search.fuzz_share);
    options.patient_proofs = arguments.time.is_some();
    options.without_provers = search.without_prover.clone();
    options.solver = arguments.solver.chain();
    options.iteration_limit = search.iterations.unwrap_or(u64::MAX);
    Ok(options)
}

/// The share of a part of the search that is switched on or off.
fn share(switch: Switch, percent: Option<u8>) -> ProofShare {
    match (switch, percent) {
        (Switch::Off, _) => ProofShare::None,
        (Switch::On, Some(percent)) => ProofShare::Percent(percent),
        (Switch::On, None) => ProofShare::Adapted,
    }
}

/// Takes the program to be whole. That is a bound unless it is.
pub(super) fn close_world(options: &mut Options, program: &Program) {
    options.closed_world = true;
    if !explore::is_whole(program, options) {
        options.assumed.push(Bound {
            kind: BoundKind::ClosedWorld,
            detail: "the files are taken to be the whole program".to_owned(),
            stack: Vec::new(),
        });
        options.accepted_bounds.push(BoundKind::ClosedWorld);
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
    fn end(&self, program: &Program, console: &mut Console) -> Status {
        let mut status = match self.suite.complete() {
            true => Status::Complete,
            false => Status::Undecided,
        };
        // The behaviour of functions without a body is a guess.
        let is_known = |found: &FoundDefect| found.defect.rests_on.is_none();
        if self.suite.defects.iter().any(is_known) {
            status = status.and(Status::DefectFound);
        }
        if let Some(stack) = &self.suite.no_input {
            let (message, found) = self.no_input(program, stack);
            console.tell(&message);
            status = status.and(found);
        }
        for failure in &self.written.failures {
            failure
                .messages
                .iter()
                .for_each(|message| console.tell(message));
            status = status.and(failure.status);
        }
        status
    }
}
