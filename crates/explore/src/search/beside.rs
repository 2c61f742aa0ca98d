//! Provers at work beside the search, on a thread of their own.
//!
//! ```text
//! search    execute, solve …          ──┬─ takes what was found, begins another turn ──► …
//! provers   a turn of so much work ──┤  │
//! ```
//!
//! The length of a turn is counted work, and the search takes what came of it once it has done its
//! own share of the work: neither depends on how fast the threads are, so that a seed gives a suite.
//! The search waits where the turn takes longer than that.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};

use abstraction::{CodePlace, Findings, Portfolio};

/// The stack of the thread.
const STACK_BYTES: usize = 1 << 28;

/// A turn of provers.
pub(crate) struct Turn<'a> {
    pub portfolio: Portfolio<'a>,
    /// The work that they may have done in all when it ends.
    pub until: u64,
    /// The edges and blocks that open goals ask for.
    pub open: BTreeSet<CodePlace>,
    /// What they found.
    pub found: Findings,
}

impl Turn<'_> {
    /// Does the work.
    pub fn work(&mut self) {
        let open = &self.open;
        let is_reached = |place| !open.contains(&place);
        self.found = self.portfolio.step(self.until, &is_reached);
    }
}

/// A thread that does turns one after the other.
pub(crate) struct ProofThread<'a> {
    turns: Sender<Turn<'a>>,
    done: Receiver<Turn<'a>>,
}

impl<'a> ProofThread<'a> {
    /// Starts the thread, which ends once this is dropped; `None` if the system has none.
    pub fn start<'scope, 'env>(scope: &'scope Scope<'scope, 'env>) -> Option<ProofThread<'a>>
    where
        'a: 'scope,
    {
        let (turns, received) = channel::<Turn<'a>>();
        let (sender, done) = channel();
        let builder = Builder::new().stack_size(STACK_BYTES);
        let started = builder.spawn_scoped(scope, move || {
            for mut turn in received {
                turn.work();
                if sender.send(turn).is_err() {
                    return;
                }
            }
        });
        started.ok().map(|_| ProofThread { turns, done })
    }

    /// Begins a turn; gives it back if the thread has ended.
    pub fn begin(&self, turn: Turn<'a>) -> Result<(), Box<Turn<'a>>> {
        self.turns.send(turn).map_err(|error| Box::new(error.0))
    }

    /// Waits for the end of the turn that is under way; `None` if the thread has ended.
    pub fn end(&self) -> Option<Turn<'a>> {
        self.done.recv().ok()
    }
}
