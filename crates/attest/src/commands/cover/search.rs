//! The search for the tests of one function, and what is left of it for their replay.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coverage::Suite;
use explore::{Exploration, Options, Outside};
use frontend::OperandOrder;
use ir::certificate::GoalProof;
use ir::certificate::paths::SearchPaths;
use ir::input::InputSpace;
use ir::sequence::Sequence;
use ir::test::{Bound, BoundKind};
use ir::{FunctionId, Program, TestId};
use vm::Defaults;

use super::{Job, options};
use crate::cli::common::UnitArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::message::{Message, Severity};
use crate::native::{self, Host};
use crate::output::Writer;
use crate::progress::ProgressMonitor;
use crate::{sequence, suggest};

/// How long a search of a function takes at most, where nothing is said.
const TIME: Duration = Duration::from_secs(60);

/// How many ways of a sequence of calls are tried beyond the goals, in which arguments point to the
/// same object. What a sequence links, it links by the rules.
const ALIAS_PROBES: u32 = 256;

/// The result of a search.
pub struct Searched {
    pub suite: Suite,
    pub base: Base,
}

/// What its suite rests on.
pub struct Base {
    /// The program with its driver, where the function has another one than all functions have.
    pub made: Option<(Program, Sequence)>,
    /// Where its results go.
    pub directory: PathBuf,
    space: InputSpace,
    proofs: Vec<GoalProof>,
    paths: Option<SearchPaths>,
    options: Options,
    /// The time for all behind the search.
    left: Option<Duration>,
}

impl Base {
    /// When the rest is to be done, if it begins now.
    pub fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.left?)
    }
}

impl Job<'_> {
    /// Searches for tests of one function, which has this position among all; its results are to go
    /// to `directory`.
    pub fn search(
        &self,
        entry: FunctionId,
        position: (usize, usize),
        directory: &Path,
        console: &mut Console,
    ) -> Result<(Searched, ProgressMonitor), Failure> {
        let made = self.makes_opaque(entry, console)?;
        let (program, sequence) = match &made {
            Some((program, sequence)) => (program, Some(sequence)),
            None => (&self.unit.program, self.sequence),
        };
        let entry = sequence.map_or(entry, |sequence| sequence.driver);
        let mut options = options(self.arguments, program, entry)?;
        let host = self.host(program)?;
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
        let stopped = watch.stopped();
        suite.statistics.seconds = stopped.as_secs_f64();
        suite.statistics.defect_seconds = watch.looked_for_defects(stopped).as_secs_f64();
        let deadline = watch.deadline();
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let tests = (&mut suite, &space);
        explore::observe_given(program, &options, outside, tests, &is_over);
        if sequence.is_none() && options.precondition.is_none() {
            suite.suggestions = suggest::suggestions(program, entry, &suite);
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let base = Base {
            made,
            directory: directory.to_owned(),
            space,
            proofs,
            paths,
            options,
            left,
        };
        Ok((Searched { suite, base }, watch))
    }

    /// Writes the suite of a search.
    pub fn writer<'w>(&'w self, base: &'w Base) -> Writer<'w> {
        let (program, sequence) = self.program(base);
        Writer {
            program,
            space: &base.space,
            sequence,
            arguments: self.arguments,
            directory: &base.directory,
            proofs: &base.proofs,
            paths: base.paths.as_ref(),
        }
    }

    /// The program that a search was for, and the calls that its tests make.
    fn program<'w>(&'w self, base: &'w Base) -> (&'w Program, Option<&'w Sequence>) {
        match &base.made {
            Some((program, sequence)) => (program, Some(sequence)),
            None => (&self.unit.program, self.sequence),
        }
    }

    fn host(&self, program: &Program) -> Result<Host, Failure> {
        let functions = native::functions(&self.arguments.search.native, program)?;
        Ok(Host::new(program, functions, &self.arguments.unit.flags))
    }

    /// Which of some tests depend on the order of operands.
    pub fn order(&self, base: &Base, suite: &Suite, tests: &BTreeSet<TestId>) -> BTreeSet<TestId> {
        let (program, _) = self.program(base);
        let UnitArguments { files, flags } = &self.arguments.unit;
        let reversed = LoadedProgram::load_ordered(files, flags, OperandOrder::Reversed);
        let (Ok(mut reversed), Ok(host)) = (reversed, self.host(program)) else {
            return BTreeSet::new();
        };
        coverage::prepare(&mut reversed.program, &suite.criteria);
        let outside = Outside {
            seeds: &[],
            natives: &host,
        };
        let deadline = base.deadline();
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let programs = (program, &reversed.program);
        let found = (suite, &base.space);
        explore::depend_on_order(programs, &base.options, outside, found, tests, &is_over)
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
}
