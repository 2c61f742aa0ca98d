//! The order of what an execution did, as far as [`crate::Config::recorded_events`] says.

use ir::{OrderedTrace, PackedEvent};

use crate::log::Log;

/// What an execution did so far, in order.
#[derive(Clone, Default)]
pub(crate) struct Order {
    pub events: Log<PackedEvent>,
    /// How many of the events are the precondition's, once that holds.
    precondition: usize,
    /// How many came before something depended on where objects lie, if anything does.
    before_addresses: Option<usize>,
}

impl Order {
    /// Makes the next copy share the events so far.
    pub fn share(&mut self) {
        self.events.share();
    }

    /// Records that the precondition holds: what comes now is the entry function's.
    pub fn precondition_holds(&mut self) {
        self.precondition = self.events.len();
    }

    /// Records that what comes now depends on where objects lie.
    pub fn depends_on_addresses(&mut self) {
        self.before_addresses.get_or_insert(self.events.len());
    }

    /// Removes what depends on where objects lie.
    pub fn keep_certain(&mut self) {
        if let Some(length) = self.before_addresses {
            self.events.truncate(length);
        }
    }

    /// The events of the precondition, if it held, and those after it.
    pub fn into_traces(self) -> (OrderedTrace, OrderedTrace) {
        let mut events = self.events.into_vec();
        let entry = events.split_off(self.precondition.min(events.len()));
        (events.into(), entry.into())
    }
}
