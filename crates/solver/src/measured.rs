//! Counts and times the work of each link of a chain from outside, so that links need not.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use expr::Terms;

use crate::{Answer, Effort, LinkName, Query, Solver};

/// Gives the time since some moment. The caller, who may ask the system, provides it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// A clock that is read so.
    pub fn new(read: impl Fn() -> Duration + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(read))
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Counts of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkStatistics {
    /// The link.
    pub link: LinkName,
    /// Queries that reached it.
    pub queries: u64,
    /// Constraints of all these queries together.
    pub constraints: u64,
    /// Queries that it answered without the next link; to give up is no answer.
    pub answered: u64,
    /// Its own time, without that of the next links; zero without a clock.
    pub time: Duration,
}

/// Counts for all links of a chain.
#[derive(Debug)]
pub(crate) struct Meter {
    clock: Option<Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    links: Vec<LinkStatistics>,
    /// The links that are running, outermost first.
    running: Vec<Running>,
    /// When the innermost of them started or resumed.
    since: Duration,
}

#[derive(Debug)]
struct Running {
    link: usize,
    asked_next: bool,
}

impl Meter {
    /// The counts, which a panic leaves as they are.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new(clock: Option<Clock>) -> Arc<Meter> {
        Arc::new(Meter {
            clock,
            state: Mutex::default(),
        })
    }

    /// All counts, those of the link that was registered last first.
    pub(crate) fn statistics(&self) -> Vec<LinkStatistics> {
        self.state().links.iter().rev().copied().collect()
    }

    fn register(&self, link: LinkName) -> usize {
        let links = &mut self.state().links;
        links.push(LinkStatistics {
            link,
            queries: 0,
            constraints: 0,
            answered: 0,
            time: Duration::ZERO,
        });
        links.len() - 1
    }

    fn enter(&self, link: usize, constraints: usize) {
        let mut state = self.state();
        self.charge(&mut state);
        if let Some(caller) = state.running.last_mut() {
            caller.asked_next = true;
        }
        state.links[link].queries += 1;
        state.links[link].constraints += constraints as u64;
        state.running.push(Running {
            link,
            asked_next: false,
        });
    }

    fn leave(&self, answer: &Answer) {
        let mut state = self.state();
        self.charge(&mut state);
        if let Some(Running { link, asked_next }) = state.running.pop() {
            let answered = !asked_next && !matches!(answer, Answer::Unknown(_));
            state.links[link].answered += u64::from(answered);
        }
    }

    /// Adds the time that has passed to the link that was running.
    fn charge(&self, state: &mut State) {
        let Some(Clock(read)) = &self.clock else {
            return;
        };
        let now = read();
        if let Some(running) = state.running.last() {
            state.links[running.link].time += now.saturating_sub(state.since);
        }
        state.since = now;
    }
}

/// A link with its counts.
pub(crate) struct Measured<S> {
    solver: S,
    meter: Arc<Meter>,
    link: usize,
    effort: Effort,
    /// The effort that a constraint takes.
    per_constraint: u64,
}

impl<S: Solver> Measured<S> {
    pub(crate) fn new(
        name: LinkName,
        solver: S,
        (meter, effort): (&Arc<Meter>, &Effort),
    ) -> Measured<S> {
        Measured {
            solver,
            link: meter.register(name),
            meter: Arc::clone(meter),
            effort: effort.clone(),
            per_constraint: name.effort_per_constraint(),
        }
    }
}

impl<S: Solver> Solver for Measured<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.meter.enter(self.link, query.constraints.len());
        let constraints = query.constraints.len() as u64;
        self.effort.add(constraints * self.per_constraint);
        let answer = self.solver.check(terms, query);
        self.meter.leave(&answer);
        answer
    }
}
