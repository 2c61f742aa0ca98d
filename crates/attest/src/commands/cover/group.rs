//! A group of functions whose searches are done: their tests are compiled and run together, as far
//! as they can be, so that a unit is compiled once for the group.
//!
//! A group needs nothing of the searches of other functions: it replays on a thread of its own
//! while the next function is searched.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use coverage::Suite;
use emit::Together;
use emit::replay::Replayed;
use ir::UnitId;

use super::search::Searched;
use super::{Ended, Job};
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

/// A group that replays.
pub enum Running<'scope> {
    /// On a thread.
    Thread(ScopedJoinHandle<'scope, Vec<Settled>>),
    /// It has done so already.
    Done(Vec<Settled>),
}

impl Running<'_> {
    pub fn is_finished(&self) -> bool {
        match self {
            Running::Thread(thread) => thread.is_finished(),
            Running::Done(_) => true,
        }
    }

    /// Waits for its end; a panic of the thread goes on here.
    pub fn join(self) -> Vec<Settled> {
        match self {
            Running::Thread(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Running::Done(settled) => settled,
        }
    }
}

impl Job<'_> {
    /// Replays a group, beside other work if that is wanted.
    pub fn start<'scope>(
        &'scope self,
        group: Group,
        scope: &'scope Scope<'scope, '_>,
    ) -> Running<'scope> {
        match self.arguments.group_replay {
            GroupReplay::Beside => Running::Thread(scope.spawn(|| self.replay_group(group))),
            GroupReplay::Alone | GroupReplay::Together => Running::Done(self.replay_group(group)),
        }
    }

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
