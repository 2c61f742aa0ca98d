//! The ordered trace of an execution, as far as [`crate::Config::recorded_events`] says.

use ir::TraceEvent;

use crate::run::Run;

impl Run<'_, '_> {
    /// Records an event, if order is recorded.
    #[inline(always)]
    pub fn note_event(&mut self, event: TraceEvent) {
        if self.state.record.order.events.len() < self.code.config.recorded_events {
            self.state.record.order.events.push(event.into());
        }
    }

    /// Decides whether edges are noted in order, after a call was entered or left. So the loop that
    /// executes code tests one flag for each edge, and not all conditions.
    #[inline]
    pub fn settle_noted_edges(&mut self) {
        self.state.notes_edges = self.state.unit.inside
            || self.state.calls.is_in_expanded()
            || self.state.record.order.events.len() < self.code.config.recorded_events;
    }
}
