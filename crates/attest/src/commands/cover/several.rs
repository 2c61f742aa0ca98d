//! Covers several functions, each into a folder of its own. Their tests run together, as far as they
//! can: so the unit is compiled once for a group of functions.
//!
//! ```text
//! for each function: search, write its suite, add it to the group
//!     when the group is large or old, or with the last function:
//!         beside the next search: replay the group as one suite; each function for itself where
//!         that fails
//!     when a replay has ended, or before the next one begins:
//!         for each function of its group: judge its share, write it again, tell it
//! ```

use std::collections::BTreeSet;
use std::time::Instant;

use ir::FunctionId;

use super::group::{Group, Replays, Settled, Waiting};
use super::{Ended, Job, Usual};
use crate::baseline::Baseline;
use crate::cli::cover::Format;
use crate::console::Console;
use crate::failure::Failure;
use crate::findings::ToldPlace;
use crate::output;
use crate::progress::{LastReplays, ProgressMonitor};
use crate::status::Status;
use crate::summary::{LineStatistics, Summary};

/// Certain defects that are shown with their source where there are several functions.
const MOST_WITH_SOURCE: usize = 4;

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
        std::thread::scope(|scope| {
            let mut group = Group::new();
            let mut replays = Replays::start(self, scope);
            for (number, &entry) in entries.iter().enumerate() {
                let name = &self.unit.program.functions[entry].name;
                if self.interrupt.requested() {
                    results.skip(name);
                    continue;
                }
                let folder = results.summary.folder(name);
                let position = (number + 1, entries.len());
                match self.wait(entry, (name, folder), position, console) {
                    Ok((waiting, watch)) => {
                        group.push(waiting);
                        if group.is_due(self.arguments.group_replay) {
                            watch.replays(group.tests());
                            replays.add(std::mem::replace(&mut group, Group::new()));
                        }
                        watch.ended();
                    }
                    Err(failure) => results.fail(name, failure, console),
                }
                self.finish(replays.ended(), &mut results, console);
            }
            let waits = LastReplays::start(group.tests());
            replays.add(group);
            let last: Vec<Settled> = replays.rest().collect();
            waits.ended();
            self.finish(last, &mut results, console);
        });
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

    /// Tells what became of functions whose replay has ended.
    fn finish(
        &self,
        settled: impl IntoIterator<Item = Settled>,
        results: &mut Results<'_>,
        console: &mut Console,
    ) {
        for (waiting, replayed) in settled {
            let name = waiting.name.clone();
            if let Err(failure) = self.tell_waiting(waiting, replayed, results, console) {
                results.fail(&name, failure, console);
            }
        }
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
    /// Notes that a function is not covered because the user stopped.
    fn skip(&mut self, name: &str) {
        self.status = self.status.and(Status::Undecided);
        self.summary.skip(name);
    }

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
