//! Shows how a search goes, and ends it when time is up or the user stops it.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use explore::{Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use solver::Stop;

use crate::interrupt::Interrupt;
use crate::memory;

/// How often the bar on a terminal is redrawn.
const REDRAW: Duration = Duration::from_millis(100);
/// How often the memory that attest has is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// When the first line appears where there is no terminal; each next one takes twice as long.
const FIRST_LINE: Duration = Duration::from_secs(10);
/// The least time to look for further defects: the limit of their number of executions, which gives
/// the same result each time, is reached first unless executions are slow.
const LEAST_CHECKS: Duration = Duration::from_millis(500);
/// The least time to find what defects rest on, beyond that of the search.
const LEAST_EXPLANATIONS: Duration = Duration::from_secs(1);
/// The least time for the work after a search, such as running its tests.
const LEAST_BEHIND: Duration = Duration::from_secs(5);

/// Shows the progress of one search, and ends it at its limits.
pub struct ProgressMonitor {
    limits: Arc<Limits>,
    next_sign: Duration,
    display: Display,
    /// The function, with its position among several.
    name: String,
    /// How long further defects are looked for, if the user says so.
    check_time: Option<Duration>,
    /// When the search began to look for them, from the start.
    goals_decided: Option<Duration>,
}

/// The limits that end a search from outside.
struct Limits {
    interrupt: Interrupt,
    started: Instant,
    /// How long the search may take.
    time: Duration,
    /// When it ends at the latest, in milliseconds from the start: after its time, or earlier once it
    /// looks for further defects, or later once it finds what defects rest on.
    end: AtomicU64,
    /// How many bytes attest may have resident.
    memory: u64,
    /// When to look at that next, in milliseconds from the start.
    next_look: AtomicU64,
    is_out_of_memory: AtomicBool,
}

impl Limits {
    /// Whether a limit is reached. This is called often.
    fn are_reached(&self) -> bool {
        let elapsed = self.started.elapsed();
        if elapsed >= Duration::from_millis(self.next_look.load(Ordering::Relaxed)) {
            let next = (elapsed + LOOK).as_millis() as u64;
            self.next_look.store(next, Ordering::Relaxed);
            if memory::resident_bytes() > self.memory {
                self.is_out_of_memory.store(true, Ordering::Relaxed);
            }
        }
        let end = Duration::from_millis(self.end.load(Ordering::Relaxed));
        elapsed >= end || self.is_out_of_memory() || self.interrupt.requested()
    }

    fn is_out_of_memory(&self) -> bool {
        self.is_out_of_memory.load(Ordering::Relaxed)
    }
}

enum Display {
    Bar(ProgressBar),
    Lines,
}

impl ProgressMonitor {
    /// Starts the clock of a search for a function, which has a position among several.
    pub fn start(
        (function, (position, all)): (&str, (usize, usize)),
        (time, memory): (Duration, u64),
        interrupt: &Interrupt,
    ) -> Self {
        let name = match all {
            1 => function.to_owned(),
            _ => format!("{position}/{all} {function}"),
        };
        let terminal = io::stderr().is_terminal();
        ProgressMonitor {
            limits: Arc::new(Limits {
                interrupt: interrupt.clone(),
                started: Instant::now(),
                time,
                memory,
                end: AtomicU64::new(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
                next_look: AtomicU64::new(LOOK.as_millis() as u64),
                is_out_of_memory: AtomicBool::new(false),
            }),
            next_sign: if terminal { REDRAW } else { FIRST_LINE },
            display: if terminal {
                Display::Bar(bar(&name))
            } else {
                Display::Lines
            },
            name,
            check_time: None,
            goals_decided: None,
        }
    }

    /// Looks for further defects as long as the user says, if he does.
    pub fn looking_for_defects(mut self, time: Option<Duration>) -> Self {
        self.check_time = time;
        self
    }

    /// Tells solver and machine when the search is to end.
    pub fn stop(&self) -> Stop {
        let limits = Arc::clone(&self.limits);
        Stop::when(move || limits.are_reached())
    }

    /// How long the search took.
    pub fn stopped(&self) -> Duration {
        self.limits.started.elapsed()
    }

    /// How long the search, which took this long, has looked for further defects.
    pub fn looked_for_defects(&self, stopped: Duration) -> Duration {
        let began = self.goals_decided.unwrap_or(stopped);
        stopped.saturating_sub(began)
    }

    /// Shows that so many tests are compiled and run.
    pub fn replays(&self, tests: usize) {
        if let Display::Bar(bar) = &self.display {
            bar.set_message(format!("running {tests} tests"));
            bar.tick();
        }
    }

    /// Removes the display.
    pub fn ended(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    /// When all behind the search has to end: a quarter of the search's time, or [`LEAST_BEHIND`],
    /// behind the time of the search. What the search leaves of its time is for what is behind it,
    /// unless the user ended it. None if that is later than clocks know.
    pub fn deadline(&self) -> Option<Instant> {
        let limits = &self.limits;
        let now = Instant::now();
        let end = match limits.interrupt.requested() {
            true => now,
            false => limits.started.checked_add(limits.time)?.max(now),
        };
        end.checked_add((limits.time / 4).max(LEAST_BEHIND))
    }

    fn show(&mut self, elapsed: Duration, progress: &Progress) {
        let counts = counts(progress);
        match &self.display {
            Display::Bar(bar) => {
                bar.set_length(progress.goals as u64);
                bar.set_position(progress.covered as u64);
                bar.set_message(counts);
                self.next_sign = elapsed + REDRAW;
            }
            Display::Lines => {
                eprintln!(
                    "attest: {}: {} s, {} of {} goals covered, {counts}",
                    self.name,
                    elapsed.as_secs(),
                    progress.covered,
                    progress.goals,
                );
                self.next_sign = elapsed * 2;
            }
        }
    }
}

impl Observer for ProgressMonitor {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let elapsed = self.limits.started.elapsed();
        if elapsed >= self.next_sign {
            self.show(elapsed, progress);
        }
        match self.limits.are_reached() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn looks_for_defects(&mut self) {
        let elapsed = self.limits.started.elapsed();
        self.goals_decided = Some(elapsed);
        let time = self.check_time.unwrap_or_else(|| {
            let most = self.limits.time / 10;
            elapsed.max(LEAST_CHECKS).min(most)
        });
        let end = (elapsed + time).min(self.limits.time).as_millis() as u64;
        self.limits.end.store(end, Ordering::Relaxed);
    }

    fn explains_defects(&mut self) {
        let time = (self.limits.time / 5).max(LEAST_EXPLANATIONS);
        let end = (self.limits.started.elapsed() + time).as_millis() as u64;
        self.limits.end.store(end, Ordering::Relaxed);
    }

    fn is_out_of_memory(&self) -> bool {
        self.limits.is_out_of_memory()
    }
}

/// Shows on a terminal that the last tests of several functions run.
pub struct LastReplays(Option<ProgressBar>);

impl LastReplays {
    /// Shows that so many tests run.
    pub fn start(tests: usize) -> Self {
        let style = ProgressStyle::with_template("{elapsed} {wide_msg}");
        let bar = style.ok().filter(|_| io::stderr().is_terminal());
        LastReplays(bar.map(|style| {
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.set_message(format!("running {tests} tests"));
            bar.enable_steady_tick(REDRAW);
            bar
        }))
    }

    /// Removes the display.
    pub fn ended(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}

fn counts(progress: &Progress) -> String {
    format!(
        "{} executions, {} paths, {} defects",
        progress.iterations, progress.paths, progress.defects
    )
}

fn bar(function: &str) -> ProgressBar {
    let bar = ProgressBar::new(0).with_prefix(function.to_owned());
    let template = "{elapsed} {prefix} [{bar:24}] {pos}/{len} goals, {wide_msg}";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
