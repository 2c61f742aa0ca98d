//! Watching executions in the monitor of the abstraction ([`abstraction::Portfolio::watch`]): which
//! flips can still lead to open goals.
//!
//! A flip of which the monitor says that it leads to no open goal is put off: it stays pending, and
//! is tried after all others. So nothing rests on the monitor. Traces wait until there is one.

use std::collections::VecDeque;

use abstraction::{Position, Watching};
use ir::OrderedTrace;
use ir::test::Outcome;
use rustc_hash::FxHashMap;
use vm::{ConstraintKind, Execution};

use super::Search;
use crate::branch_site::BranchSite;
use crate::path_tree::{Flip, Inserted, PathTree};

/// How many events and flips may wait for a monitor, of 4 and of 24 bytes.
const MOST_EVENTS: usize = 8_000_000;
const MOST_FLIPS: usize = 2_000_000;

/// What the monitor knows of flips.
#[derive(Default)]
pub(crate) struct WatchedFlips {
    /// Where executions were at the nodes of pending flips.
    positions: FxHashMap<Flip, Position>,
    /// Executions from before there was a monitor, and during turns of provers.
    waiting: VecDeque<Waiting>,
    /// Whether there is no monitor, and will be none.
    is_over: bool,
    /// How many events and flips wait.
    events: usize,
    flips: usize,
    /// How many flips were put off.
    pub put_off: u64,
}

/// What there is to watch of an execution.
struct Waiting {
    trace: OrderedTrace,
    /// Flips of branches that became pending, in the order of the path, each with the event by which
    /// the execution took another edge there.
    flips: Vec<(usize, Flip)>,
    /// Whether formulas allow it: it ended without a defect, and lost no precision.
    is_exact: bool,
}

impl WatchedFlips {
    /// Forgets flips that were settled.
    pub fn evict(&mut self, tree: &PathTree) {
        self.positions.retain(|&flip, _| tree.is_pending(flip));
    }

    /// Keeps an execution until there is a monitor.
    fn wait(&mut self, execution: Waiting) {
        self.events += execution.trace.len();
        self.flips += execution.flips.len();
        if self.events <= MOST_EVENTS && self.flips <= MOST_FLIPS {
            self.waiting.push_back(execution);
        }
    }

    /// There will be no monitor.
    fn end(&mut self) {
        self.is_over = true;
        self.waiting = VecDeque::new();
    }

    /// Counts executions that wait from 0: none does.
    fn begin_anew(&mut self) {
        self.events = 0;
        self.flips = 0;
    }
}

impl Search<'_> {
    /// Has the monitor watch an execution that has joined the tree, later if provers have a turn.
    pub(super) fn watch(&mut self, execution: &Execution, inserted: &Inserted) {
        let is_followed = execution.abstracted == 0 && execution.defects.beyond.is_none();
        let is_followed = is_followed && !self.provers.watched.is_over;
        let Some(trace) = execution.visited.ordered.as_ref().filter(|_| is_followed) else {
            return;
        };
        let is_exact = execution.imprecision.losses.is_empty()
            && matches!(execution.outcome, Outcome::Return | Outcome::Exit(_));
        self.provers.watched.wait(Waiting {
            trace: trace.clone(),
            flips: flips(execution, inserted),
            is_exact,
        });
        self.watch_waiting();
    }

    /// Has the monitor watch the executions that wait for it, if provers have no turn.
    pub(super) fn watch_waiting(&mut self) {
        if self.provers.portfolio().is_none() {
            return;
        }
        while let Some(next) = self.provers.watched.waiting.pop_front() {
            let mut pending = next.flips.iter();
            let is_left = pending.any(|&(_, flip)| self.tree.is_pending(flip));
            if !is_left && !cfg!(debug_assertions) {
                continue;
            }
            let portfolio = self.provers.portfolio();
            match portfolio.map_or(Watching::Waits, |it| it.watch(&next.trace)) {
                Watching::Waits => return self.provers.watched.waiting.push_front(next),
                Watching::Never if cfg!(debug_assertions) => {}
                Watching::Never => return self.provers.watched.end(),
                Watching::Watched(it) => {
                    debug_assert!(
                        !(it.is_impossible && next.is_exact),
                        "the formulas of provers say that no execution goes this way"
                    );
                    self.locate(&next.flips, &it.positions);
                }
            }
        }
        self.provers.watched.begin_anew();
    }

    /// Records where an execution was at its flips, and puts off those behind dead ends.
    fn locate(&mut self, flips: &[(usize, Flip)], positions: &[(usize, Position)]) {
        let mut positions = positions.iter().peekable();
        for &(event, flip) in flips {
            while positions.next_if(|&&(edge, _)| edge < event).is_some() {}
            let here = positions.peek().filter(|&&&(edge, _)| edge == event);
            let Some(&&(_, position)) = here else {
                continue;
            };
            self.provers.watched.positions.insert(flip, position);
            let portfolio = self.provers.portfolio();
            if portfolio.is_some_and(|portfolio| portfolio.is_dead_end(position)) {
                self.put_off(flip);
            }
        }
    }

    fn put_off(&mut self, flip: Flip) {
        let is_new = self.tree.is_pending(flip) && !self.tree.is_put_off(flip);
        self.provers.watched.put_off += u64::from(is_new);
        self.tree.put_off(flip);
    }

    /// Whether a flip is to come last: the monitor says that it leads to no open goal.
    pub(super) fn is_put_off(&mut self, flip: Flip) -> bool {
        if self.tree.is_put_off(flip) {
            return true;
        }
        let Some(&position) = self.provers.watched.positions.get(&flip) else {
            return false;
        };
        let edge = self.open_goals.edge(BranchSite::of(flip, &self.tree));
        let portfolio = self.provers.portfolio();
        let is_put_off = edge
            .zip(portfolio)
            .is_some_and(|(edge, portfolio)| !portfolio.may_lead_to_goal((position, edge)));
        if is_put_off {
            self.put_off(flip);
        }
        is_put_off
    }
}

/// The flips of branches that became pending, each with the event by which the execution took another
/// edge there.
fn flips(execution: &Execution, inserted: &Inserted) -> Vec<(usize, Flip)> {
    let before = execution.visited.ordered_precondition.as_ref();
    let before = before.map_or(0, |trace| trace.len());
    let mut pending = inserted.pending.iter().copied().peekable();
    let mut flips = Vec::new();
    for (step, constraint) in inserted.path.iter().zip(&execution.path) {
        while let Some(flip) = pending.next_if(|flip| flip.node == step.node) {
            let event = constraint.events.checked_sub(before);
            let event = event.filter(|_| constraint.kind == ConstraintKind::Branch);
            flips.extend(event.map(|event| (event, flip)));
        }
    }
    flips
}
