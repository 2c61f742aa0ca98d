//! Watching executions in the monitor of the abstraction ([`abstraction::Portfolio::watch`]): which
//! flips can still lead to open goals.
//!
//! A flip of which the monitor says that it leads to no open goal is put off: it stays pending, and
//! is tried after all others. So nothing rests on the monitor. Traces wait until there is one.

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
    /// Executions from before there was a monitor.
    waiting: Vec<Waiting>,
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
            self.waiting.push(execution);
        }
    }
}

impl Search<'_> {
    /// Has the monitor watch an execution that has joined the tree.
    pub(super) fn watch(&mut self, execution: &Execution, inserted: &Inserted) {
        let is_followed = execution.abstracted == 0 && execution.defects.beyond.is_none();
        let Some(trace) = execution.visited.ordered.as_ref().filter(|_| is_followed) else {
            return;
        };
        let flips = || flips(execution, inserted);
        let Some(portfolio) = self.provers.portfolio() else {
            let (trace, flips) = (trace.clone(), flips());
            return self.provers.watched.wait(Waiting { trace, flips });
        };
        let watching = portfolio.watch(trace);
        let is_exact = execution.imprecision.losses.is_empty()
            && matches!(execution.outcome, Outcome::Return | Outcome::Exit(_));
        let is_impossible = matches!(&watching, Watching::Watched(it) if it.is_impossible);
        debug_assert!(
            !(is_impossible && is_exact),
            "the formulas of provers say that no execution goes this way"
        );
        match watching {
            Watching::Waits => {
                let (trace, flips) = (trace.clone(), flips());
                self.provers.watched.wait(Waiting { trace, flips });
            }
            Watching::Never => self.provers.watched.waiting.clear(),
            Watching::Watched(it) => {
                self.locate(&flips(), &it.positions);
                self.watch_waiting();
            }
        }
    }

    /// Has the monitor watch the executions that waited for it.
    fn watch_waiting(&mut self) {
        for Waiting { trace, flips } in std::mem::take(&mut self.provers.watched.waiting) {
            let is_left = flips.iter().any(|&(_, flip)| self.tree.is_pending(flip));
            let portfolio = self.provers.portfolio().filter(|_| is_left);
            let watching = portfolio.map(|portfolio| portfolio.watch(&trace));
            if let Some(Watching::Watched(it)) = watching {
                self.locate(&flips, &it.positions);
            }
        }
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
