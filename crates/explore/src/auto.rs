//! Tries out whether lazy expansion pays ([`Lazy::Auto`]).
//!
//! This applies to paths through the unit: for single goals, the ordinary search is better on most
//! code. An ordinary search comes first, which is faster wherever there are few paths. The lazy
//! search is next. If it spends too long on one abstract path, or nothing can be proved that way,
//! the ordinary search follows, with so many more executions that the cost of the lazy one hardly
//! counts.

use std::ops::ControlFlow;

use analysis::Reach;
use coverage::{GoalStatus, Paths, Statistics};
use ir::{CodeIndex, Program};

use crate::options::{Lazy, Observer, Options, Outside, Progress};
use crate::unit::{lazy_functions, unit};
use crate::{Exploration, search};

/// The executions of the first ordinary search, before lazy expansion is tried.
const TRIAL: u64 = 512;

/// The executions in a row that the lazy search may spend on one abstract path, the first time.
const PATIENCE: u32 = 1_000;

/// The executions that the ordinary search may then make for each one of the lazy search.
const SHARE: u64 = 64;

/// Gives the executions that a search may make, from those of the searches before it.
type Allowance = fn(u64) -> u64;

/// The searches, one after the other.
struct Stages<'a, 'o> {
    program: &'a Program,
    outside: Outside<'a>,
    observer: RecordingObserver<'o>,
    /// The best that was found so far, with what all of it cost.
    best: Option<Exploration>,
}

/// Searches as [`crate::explore`] does.
pub(crate) fn explore(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    observer: &mut dyn Observer,
) -> Exploration {
    let ordinary = Options {
        lazy: Lazy::Off,
        ..options.clone()
    };
    if !is_worth_lazy(program, options) {
        return search(program, &ordinary, outside, observer);
    }
    let mut stages = Stages {
        program,
        outside,
        observer: RecordingObserver {
            observer,
            is_over: false,
        },
        best: None,
    };
    let lazy = Options {
        lazy_patience: Some(PATIENCE),
        ..options.clone()
    };
    let trials: [(&Options, Allowance); 3] = [
        (&ordinary, |_| TRIAL),
        (&lazy, |_| u64::MAX),
        (&ordinary, |spent| spent.saturating_mul(SHARE)),
    ];
    for (options, allowance) in trials {
        let (found, is_over) = stages.search(options, allowance);
        if is_over {
            return found;
        }
        stages.best = Some(found);
    }
    stages.search(options, |_| u64::MAX).0
}

/// Whether every path through the unit is a goal, and there are calls that lazy expansion would
/// replace.
fn is_worth_lazy(program: &Program, options: &Options) -> bool {
    if options.criteria.paths() != Some(Paths::Unit) {
        return false;
    }
    let index = CodeIndex::new(program);
    let reach = Reach::new(program, &index);
    let unit = unit(program, options);
    !lazy_functions(program, &reach, &unit, options).is_empty()
}

impl Stages<'_, '_> {
    /// Runs one search. Returns the best result so far, and whether nothing is left to do.
    fn search(&mut self, options: &Options, allowance: Allowance) -> (Exploration, bool) {
        let before = self.best.take();
        let spent = before.as_ref().map(|best| best.suite.statistics.clone());
        let spent = spent.unwrap_or_default();
        let left = options.iteration_limit.saturating_sub(spent.iterations);
        let limited = Options {
            iteration_limit: allowance(spent.iterations).min(left),
            ..options.clone()
        };
        let mut found = search(self.program, &limited, self.outside, &mut self.observer);
        let suite = &found.suite;
        let is_done = suite.exhausted
            || suite.complete()
            || (options.stop_on_defect && !suite.defects.is_empty());
        let is_over = is_done || self.observer.is_over || suite.statistics.iterations >= left;
        let statistics = Statistics {
            iterations: spent.iterations + suite.statistics.iterations,
            solver_queries: spent.solver_queries + suite.statistics.solver_queries,
            steps: spent.steps + suite.statistics.steps,
            ..suite.statistics.clone()
        };
        if let Some(mut before) = before {
            found.contradictions.append(&mut before.contradictions);
            if !is_done && is_better(&before, &found) {
                before.contradictions = std::mem::take(&mut found.contradictions);
                found = before;
            }
        }
        let all = &mut found.suite.statistics;
        all.iterations = statistics.iterations;
        all.solver_queries = statistics.solver_queries;
        all.steps = statistics.steps;
        (found, is_over)
    }
}

/// Whether a search found more than another; neither of them was exhausted.
fn is_better(one: &Exploration, other: &Exploration) -> bool {
    let is_covered = |status: &GoalStatus| matches!(status, GoalStatus::Covered(_));
    let found = |it: &Exploration| {
        let goals = it.suite.asked_for();
        let covered = goals.filter(|goal| is_covered(&goal.status)).count();
        (covered, it.suite.tests.len())
    };
    found(one) > found(other)
}

/// Passes the progress on to the observer, and records when the observer ends the search.
struct RecordingObserver<'o> {
    observer: &'o mut dyn Observer,
    is_over: bool,
}

impl Observer for RecordingObserver<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let flow = self.observer.progress(progress);
        self.is_over |= flow.is_break();
        flow
    }

    fn is_out_of_memory(&self) -> bool {
        self.observer.is_out_of_memory()
    }
}
