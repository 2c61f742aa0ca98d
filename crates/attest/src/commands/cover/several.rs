//! Covers several functions, each into a folder of its own. Their tests run together, as far as they
//! can: so the unit is compiled once for a group of functions.
//!
//! ```text
//! for each function: search, write its suite, add it to the group
//!     when the group is large or old, or with the last function:
//!         replay the group as one suite; each function for itself where that fails
//!         for each function of the group: judge its share, write it again, tell it
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use coverage::Suite;
use emit::Together;
use emit::replay::Replayed;
use ir::{FunctionId, UnitId};

use super::search::Searched;
use super::{Ended, Job, Usual};
use crate::baseline::Baseline;
use crate::cli::cover::Format;
use crate::console::Console;
use crate::failure::Failure;
use crate::findings::ToldPlace;
use crate::output::{self, Begun, Writer};
use crate::progress::ProgressMonitor;
use crate::status::Status;
use crate::summary::{LineStatistics, Summary};

/// Certain defects that are shown with their source where there are several functions.
const MOST_WITH_SOURCE: usize = 4;

/// The most functions of a group.
const MOST_FUNCTIONS: usize = 32;
/// The most tests of a function whose tests run with those of others.
const MOST_TESTS: usize = 512;
/// So long a user waits for the results of a search.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A function that waits for its replay.
struct Waiting {
    name: String,
    folder: String,
    searched: Searched,
    begun: Begun,
    /// How long its search took.
    time: Duration,
}

/// What becomes of all functions.
struct Results<'a> {
    baseline: &'a mut Baseline,
    summary: Summary,
    /// The defects that were told.
    told: BTreeSet<ToldPlace>,
    status: Status,
}

impl Job<'_> {
    /// Covers several functions. What ends the work on one of them leaves the others alone.
    pub fn cover_all(
        &self,
        entries: &[FunctionId],
        baseline: &mut Baseline,
        console: &mut Console,
    ) -> Result<Status, Failure> {
        let mut results = Results {
            baseline,
            summary: Summary::of_program(self.unit.reading),
            told: BTreeSet::new(),
            status: Status::Complete,
        };
        let mut group: Vec<Waiting> = Vec::new();
        let mut since = Instant::now();
        for (number, &entry) in entries.iter().enumerate() {
            let name = &self.unit.program.functions[entry].name;
            if self.interrupt.requested() {
                results.status = results.status.and(Status::Undecided);
                results.summary.skip(name);
                continue;
            }
            let folder = results.summary.folder(name);
            let position = (number + 1, entries.len());
            match self.wait(entry, (name, folder), position, console) {
                Ok((waiting, watch)) => {
                    group.push(waiting);
                    if group.len() >= MOST_FUNCTIONS || since.elapsed() >= LONGEST_WAIT {
                        watch.replays(group.iter().map(tests).sum());
                        self.finish(&mut group, &mut results, console);
                        since = Instant::now();
                    }
                    watch.ended();
                }
                Err(failure) => results.fail(name, failure, console),
            }
        }
        self.finish(&mut group, &mut results, console);
        let Results {
            summary, status, ..
        } = results;
        let text = summary.json();
        match self.arguments.format {
            Format::Json => console.write(text.as_bytes())?,
            Format::Human => console.write(summary.table().as_bytes())?,
        }
        output::write_file(&self.arguments.output.join("summary.json"), &text)?;
        Ok(status)
    }

    /// Searches for tests of a function and writes them.
    fn wait(
        &self,
        entry: FunctionId,
        (name, folder): (&str, String),
        position: (usize, usize),
        console: &mut Console,
    ) -> Result<(Waiting, ProgressMonitor), Failure> {
        let started = Instant::now();
        let directory = self.arguments.output.join(&folder);
        output::make_folder(&directory)?;
        let (mut searched, watch) = self.search(entry, position, &directory, console)?;
        let begun = self.begin(&mut searched);
        let waiting = Waiting {
            name: name.to_owned(),
            folder,
            searched,
            begun,
            time: started.elapsed(),
        };
        Ok((waiting, watch))
    }

    /// Replays a group, and tells what became of each of its functions.
    fn finish(&self, group: &mut Vec<Waiting>, results: &mut Results<'_>, console: &mut Console) {
        let group = std::mem::take(group);
        let (joined, alone): (Vec<Waiting>, Vec<Waiting>) = group
            .into_iter()
            .partition(|waiting| self.may_join(waiting));
        let mut by_unit: BTreeMap<UnitId, Vec<Waiting>> = BTreeMap::new();
        for waiting in joined {
            let function = waiting.searched.suite.function;
            let unit = self.unit.program.functions[function].unit;
            by_unit.entry(unit).or_default().push(waiting);
        }
        for joined in by_unit.into_values() {
            let started = Instant::now();
            let replayed = self.replay_together(&joined);
            let share = started.elapsed() / joined.len().max(1) as u32;
            let mut replayed = replayed.map(Vec::into_iter);
            for waiting in joined {
                let of_function = replayed.as_mut().and_then(Iterator::next);
                let ended = of_function.map(|replayed| (Ok(replayed), share));
                self.settle(waiting, ended, results, console);
            }
        }
        for waiting in alone {
            self.settle(waiting, None, results, console);
        }
    }

    /// Tells what became of a function, which replays by itself if it was not replayed with others.
    fn settle(
        &self,
        mut waiting: Waiting,
        replayed: Option<Ended>,
        results: &mut Results<'_>,
        console: &mut Console,
    ) {
        let replayed = replayed.or_else(|| self.replay(&mut waiting.searched, &waiting.begun));
        let name = waiting.name.clone();
        if let Err(failure) = self.tell_waiting(waiting, replayed, results, console) {
            results.fail(&name, failure, console);
        }
    }

    /// Whether the tests of a function can run with those of others.
    fn may_join(&self, waiting: &Waiting) -> bool {
        let is_alone = self.arguments.no_replay || self.arguments.wcet;
        !is_alone && waiting.searched.base.made.is_none() && tests(waiting) <= MOST_TESTS
    }

    /// The results for each function of a group; `None` if its tests do not run together.
    fn replay_together(&self, group: &[Waiting]) -> Option<Vec<Replayed>> {
        if group.len() < 2 {
            return None;
        }
        let suites: Vec<&Suite> = group.iter().map(|it| &it.searched.suite).collect();
        let writers: Vec<Writer<'_>> = group
            .iter()
            .map(|it| self.writer(&it.searched.base))
            .collect();
        let outputs = writers.iter().zip(&suites);
        let outputs = outputs.map(|(writer, suite)| writer.output(suite).ok());
        let outputs: Vec<emit::Output<'_>> = outputs.collect::<Option<_>>()?;
        let together = Together::new(&suites)?;
        let deadlines = group.iter().map(|it| it.searched.base.deadline());
        let deadline = deadlines.max().flatten();
        let replayed = output::replay_together(&writers[0], &together, &outputs, deadline)?;
        Some(together.split(&replayed))
    }

    /// Tells what became of a function.
    fn tell_waiting(
        &self,
        waiting: Waiting,
        replayed: Option<Ended>,
        results: &mut Results<'_>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let Waiting {
            name,
            folder,
            searched,
            begun,
            time,
        } = waiting;
        let replay = replayed.as_ref().map(|(_, time)| *time);
        let covered = self.end(searched, begun, replayed);
        let findings = self.findings(&covered, results.baseline, console);
        if self.arguments.format == Format::Human {
            let program = covered.program.as_ref().unwrap_or(&self.unit.program);
            let with_source = MOST_WITH_SOURCE.saturating_sub(results.told.len());
            let untold = findings.untold(program, &mut results.told);
            let usual = Usual::OfSeveral { with_source };
            self.tell(&covered, &untold, usual, console)?;
        }
        let ended = covered.end(&self.unit.program, &findings, console);
        let (suite, statistics) = (&covered.suite, &covered.suite.statistics);
        let cost = LineStatistics {
            seconds: (time + replay.unwrap_or_default()).as_secs_f64(),
            search_seconds: statistics.seconds,
            defect_seconds: statistics.defect_seconds,
            replay_seconds: replay.map(|time| time.as_secs_f64()),
        };
        let summary = &mut results.summary;
        summary.add(&name, folder, suite, &findings, (ended, cost));
        results.status = results.status.and(ended);
        Ok(())
    }
}

impl Results<'_> {
    /// Tells that attest could not cover a function.
    fn fail(&mut self, name: &str, failure: Failure, console: &mut Console) {
        let failure = failure.of_function(name);
        failure
            .messages
            .iter()
            .for_each(|message| console.tell(message));
        self.summary.fail(name);
        self.status = self.status.and(failure.status);
    }
}

fn tests(waiting: &Waiting) -> usize {
    waiting.searched.suite.tests.len()
}
