//! A group of functions whose searches are done: their tests are compiled and run together, as far
//! as they can be, so that a unit is compiled once for the group.
//!
//! A group needs nothing of the searches of other functions: it replays on a thread of its own
//! while the next function is searched.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

use coverage::Suite;
use emit::Together;
use emit::replay::Replayed;
use ir::UnitId;

use super::search::Searched;
use super::{Ended, Job};
use crate::STACK_BYTES;
use crate::cli::cover::GroupReplay;
use crate::output::{self, Begun, Writer};

/// The most functions of a group.
const MOST_FUNCTIONS: usize = 32;
/// The most tests of a function whose tests run with those of others.
const MOST_TESTS: usize = 512;
/// So long a user waits for the results of a search.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A function that waits for its replay.
pub struct Waiting {
    pub name: String,
    pub folder: String,
    pub searched: Searched,
    pub begun: Begun,
    /// How long its search took.
    pub time: Duration,
}

/// A function with the result of its replay, if there was one.
pub type Settled = (Waiting, Option<Ended>);

/// Functions that wait for their replay together.
pub struct Group {
    waiting: Vec<Waiting>,
    since: Instant,
}

impl Group {
    pub fn new() -> Self {
        Group {
            waiting: Vec::new(),
            since: Instant::now(),
        }
    }

    pub fn push(&mut self, waiting: Waiting) {
        self.waiting.push(waiting);
    }

    /// Whether it is time to replay the group.
    pub fn is_due(&self, replay: GroupReplay) -> bool {
        let is_full = match replay {
            GroupReplay::Alone => !self.waiting.is_empty(),
            GroupReplay::Together | GroupReplay::Beside => self.waiting.len() >= MOST_FUNCTIONS,
        };
        is_full || self.since.elapsed() >= LONGEST_WAIT
    }

    /// The tests of all functions.
    pub fn tests(&self) -> usize {
        self.waiting.iter().map(tests).sum()
    }
}

/// The groups of a run that were replayed, or are going to be.
pub struct Replays<'job> {
    job: &'job Job<'job>,
    worker: Option<Worker>,
    settled: Vec<Settled>,
}

/// A thread that replays groups in turn.
struct Worker {
    groups: Sender<Group>,
    settled: Receiver<Vec<Settled>>,
}

impl Worker {
    /// None if there is no thread to be had.
    fn start<'scope>(job: &'scope Job<'_>, scope: &'scope Scope<'scope, '_>) -> Option<Self> {
        let (groups, waiting) = channel::<Group>();
        let (done, settled) = channel();
        let work = move || {
            let mut groups = waiting.into_iter();
            groups.try_for_each(|group| done.send(job.replay_group(group)))
        };
        let thread = Builder::new().stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, work).ok()?;
        Some(Worker { groups, settled })
    }
}

impl<'job> Replays<'job> {
    /// Replays beside other work, if that is wanted.
    pub fn start(job: &'job Job<'_>, scope: &'job Scope<'job, '_>) -> Self {
        Replays {
            job,
            worker: match job.arguments.group_replay {
                GroupReplay::Beside => Worker::start(job, scope),
                GroupReplay::Alone | GroupReplay::Together => None,
            },
            settled: Vec::new(),
        }
    }

    /// Replays a group, now or later.
    pub fn add(&mut self, group: Group) {
        let left = match &self.worker {
            Some(worker) => worker
                .groups
                .send(group)
                .err()
                .map(|SendError(group)| group),
            None => Some(group),
        };
        let settled = left.map(|group| self.job.replay_group(group));
        self.settled.extend(settled.into_iter().flatten());
    }

    /// The functions whose replay ended by now, each told once.
    pub fn ended(&mut self) -> Vec<Settled> {
        let beside = self.worker.iter();
        let beside = beside.flat_map(|worker| worker.settled.try_iter().flatten());
        self.settled.extend(beside);
        std::mem::take(&mut self.settled)
    }

    /// The others, when all replays have ended.
    pub fn rest(self) -> impl Iterator<Item = Settled> {
        let Replays {
            worker, settled, ..
        } = self;
        // Without a sender, the thread ends after the last group.
        let beside = worker.map(|Worker { settled, .. }| settled.into_iter().flatten());
        settled.into_iter().chain(beside.into_iter().flatten())
    }
}

impl Job<'_> {
    fn replay_group(&self, group: Group) -> Vec<Settled> {
        let mut joined: BTreeMap<UnitId, Vec<(usize, Waiting)>> = BTreeMap::new();
        let mut settled: Vec<(usize, Settled)> = Vec::new();
        for (position, waiting) in group.waiting.into_iter().enumerate() {
            if self.may_join(&waiting) {
                let function = waiting.searched.suite.function;
                let unit = self.unit.program.functions[function].unit;
                joined.entry(unit).or_default().push((position, waiting));
            } else {
                settled.push((position, self.settle(waiting, None)));
            }
        }
        for of_unit in joined.into_values() {
            let started = Instant::now();
            let replayed = self.replay_together(of_unit.iter().map(|(_, waiting)| waiting));
            let share = started.elapsed() / of_unit.len().max(1) as u32;
            let mut replayed = replayed.map(Vec::into_iter);
            for (position, waiting) in of_unit {
                let of_function = replayed.as_mut().and_then(Iterator::next);
                let ended = of_function.map(|replayed| (Ok(replayed), share));
                settled.push((position, self.settle(waiting, ended)));
            }
        }
        settled.sort_by_key(|(position, _)| *position);
        settled.into_iter().map(|(_, settled)| settled).collect()
    }

    /// Replays a function by itself if it was not replayed with others.
    fn settle(&self, mut waiting: Waiting, replayed: Option<Ended>) -> Settled {
        let replayed = replayed.or_else(|| self.replay(&mut waiting.searched, &waiting.begun));
        (waiting, replayed)
    }

    /// Whether the tests of a function can run with those of others.
    fn may_join(&self, waiting: &Waiting) -> bool {
        let is_alone = self.arguments.no_replay || self.arguments.wcet;
        !is_alone && waiting.searched.base.made.is_none() && tests(waiting) <= MOST_TESTS
    }

    /// The results for each of some functions; `None` if their tests do not run together.
    fn replay_together<'w>(
        &self,
        group: impl ExactSizeIterator<Item = &'w Waiting> + Clone,
    ) -> Option<Vec<Replayed>> {
        if group.len() < 2 {
            return None;
        }
        let suites: Vec<&Suite> = group.clone().map(|it| &it.searched.suite).collect();
        let writers = group.clone().map(|it| self.writer(&it.searched.base));
        let writers: Vec<Writer<'_>> = writers.collect();
        let outputs = writers.iter().zip(&suites);
        let outputs = outputs.map(|(writer, suite)| writer.output(suite).ok());
        let outputs: Vec<emit::Output<'_>> = outputs.collect::<Option<_>>()?;
        let together = Together::new(&suites)?;
        let deadlines = group.map(|it| it.searched.base.deadline());
        let deadline = deadlines.max().flatten();
        let replayed = output::replay_together(&writers[0], &together, &outputs, deadline)?;
        Some(together.split(&replayed))
    }
}

fn tests(waiting: &Waiting) -> usize {
    waiting.searched.suite.tests.len()
}
