//! One measured search: what `attest cover --no-replay` does, without the writing.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use coverage::{GoalStatus, Suite};
use explore::{DefectSearch, Exploration, Observer, Options, Outside, Progress, StrategyName};
use ir::FunctionId;

use super::clock::Clock;
use super::curve::Curve;
use crate::cli::cover::CoverArguments;
use crate::cli::{Command, CommandLine};
use crate::commands::cover::options;
use crate::entry;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::loaded_program::LoadedProgram;
use crate::memory;
use crate::native::{self, Host};

/// A program that was read, and what to search for in it.
pub struct Job {
    arguments: CoverArguments,
    /// The program.
    pub unit: LoadedProgram,
    entry: FunctionId,
}

/// What a search took and found.
pub struct Measured {
    /// What was found.
    pub exploration: Exploration,
    /// Covered goals over time.
    pub curve: Curve,
    /// Seconds on the processor, where the system tells.
    pub processor_seconds: Option<f64>,
}

impl Job {
    /// Reads C files; `words` are the options of `attest cover`, such as `-f main --scope file`.
    pub fn load(files: &[PathBuf], words: &str, flags: &[String]) -> Result<Job, Failure> {
        let mut line: Vec<String> = vec!["attest".to_owned(), "cover".to_owned()];
        line.extend(files.iter().map(|file| file.display().to_string()));
        line.extend(words.split_whitespace().map(str::to_owned));
        line.push("--".to_owned());
        line.extend(flags.iter().cloned());
        let arguments = match CommandLine::try_parse_from(&line) {
            Ok(CommandLine {
                command: Command::Cover(arguments),
            }) => arguments,
            _ => return Err(Failure::internal(format!("bench cannot run {line:?}"))),
        };
        let mut unit = LoadedProgram::load(&arguments.unit.files, &arguments.unit.flags)?;
        coverage::prepare(&mut unit.program, &arguments.criterion.criteria);
        let entry = match arguments.functions.first() {
            Some(name) => entry::by_name(&unit.program, name)?,
            None => entry::all(&unit.program)?[0],
        };
        Ok(Job {
            arguments: *arguments,
            unit,
            entry,
        })
    }

    /// The options of a search for goals alone.
    fn options(&self) -> Result<Options, Failure> {
        let mut options = options(&self.arguments, &self.unit.program, self.entry)?;
        options.defect_search = DefectSearch::None;
        Ok(options)
    }

    /// All functions of the files.
    pub fn functions(&self) -> Result<Vec<FunctionId>, Failure> {
        entry::all(&self.unit.program)
    }

    /// Turns to another function.
    pub fn turn_to(&mut self, entry: FunctionId) {
        self.entry = entry;
    }

    /// The strategy of the criteria.
    ///
    /// # Errors
    /// What the words ask for cannot be.
    pub fn own_strategy(&self) -> Result<StrategyName, Failure> {
        let options = self.options()?;
        Ok(options.strategy)
    }

    /// Searches with a strategy for at most so long; only the search is on the clock.
    pub fn search(
        &mut self,
        strategy: StrategyName,
        time: Duration,
        interrupt: &Interrupt,
    ) -> Result<Measured, Failure> {
        self.arguments.search.strategy = Some(strategy);
        let options = self.options()?;
        memory::forget_peak();
        let mut sampler = Sampler {
            clock: Clock::start(),
            time,
            interrupt,
            curve: Curve::default(),
        };
        let host = Host::new(
            &self.unit.program,
            native::functions(&self.arguments.search.native, &self.unit.program)?,
            &self.arguments.unit.flags,
        );
        let outside = Outside {
            seeds: &[],
            natives: &host,
        };
        let mut exploration = explore::explore(&self.unit.program, &options, outside, &mut sampler);
        let statistics = &mut exploration.suite.statistics;
        statistics.seconds = sampler.clock.seconds();
        statistics.peak_memory_bytes = memory::peak_bytes();
        let covered = exploration.suite.asked_for();
        let covered = covered.filter(|goal| matches!(goal.status, GoalStatus::Covered(_)));
        let mut curve = sampler.curve;
        curve.note(exploration.suite.statistics.seconds, covered.count());
        Ok(Measured {
            exploration,
            curve,
            processor_seconds: sampler.clock.processor_seconds(),
        })
    }
}

impl Measured {
    /// The suite.
    pub fn suite(&self) -> &Suite {
        &self.exploration.suite
    }

    /// Seconds of search.
    pub fn seconds(&self) -> f64 {
        self.suite().statistics.seconds
    }

    /// Executions a second.
    pub fn rate(&self) -> f64 {
        self.suite().statistics.iterations as f64 / self.seconds()
    }

    /// Peak memory in millions of bytes.
    pub fn megabytes(&self) -> f64 {
        self.suite().statistics.peak_memory_bytes as f64 / 1e6
    }

    /// Goals that are covered.
    pub fn covered(&self) -> usize {
        self.curve.last()
    }

    /// Goals in all.
    pub fn goals(&self) -> usize {
        self.suite().asked_for().count()
    }

    /// Goals with a test or a proof.
    pub fn decided(&self) -> usize {
        let undecided =
            |status: &GoalStatus| matches!(status, GoalStatus::Open | GoalStatus::Undecided(_));
        let goals = self.suite().asked_for();
        goals.filter(|goal| !undecided(&goal.status)).count()
    }
}

/// Samples coverage over time, and ends the search when time is up.
struct Sampler<'a> {
    clock: Clock,
    time: Duration,
    interrupt: &'a Interrupt,
    curve: Curve,
}

impl Observer for Sampler<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let elapsed = self.clock.seconds();
        self.curve.note(elapsed, progress.covered);
        if elapsed >= self.time.as_secs_f64() || self.interrupt.requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The line `// attest: cover …` of an annotated program: the options, and the flags after `--`.
pub fn annotated(text: &str) -> Result<(String, String), Failure> {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("// attest: cover "));
    let line = line.ok_or_else(|| Failure::internal("an example does not say how to cover it"))?;
    let (words, flags) = line.split_once(" -- ").unwrap_or((line, ""));
    Ok((words.to_owned(), flags.to_owned()))
}
