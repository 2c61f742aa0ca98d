//! What an execution did, in order.
//!
//! An execution records which edges it took and which calls it made, in 32 bits each, and nothing
//! else. Which conditions and decisions that evaluates follows from the program, and a reader asks
//! for it with a [`TraceReader`]: the machine would otherwise record twice what an edge says, and
//! the loop that executes code would look up what a branch means in the source.

mod source_events;

pub use source_events::{SourceEvent, SourceEvents, TraceReader};

use crate::{CodeEdge, FunctionId};

/// One thing that an execution did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceEvent {
    /// It took an edge of a branch or a switch.
    Edge(CodeEdge),
    /// It called a function, with or without a body.
    Call(FunctionId),
    /// The innermost call returned.
    Return,
    /// A call of this function was replaced by inputs instead of made.
    Replaced(FunctionId),
}

/// A [`TraceEvent`] in 32 bits: edges as they are, the others with the highest bit set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackedEvent(u32);

const CALL: u32 = 0b10 << 30;
const REPLACED: u32 = 0b11 << 30;
const KIND: u32 = 0b11 << 30;
/// It would be a replaced call of the last of 2^30 functions.
const RETURN: u32 = u32::MAX;

impl From<TraceEvent> for PackedEvent {
    #[inline]
    fn from(event: TraceEvent) -> PackedEvent {
        PackedEvent(match event {
            TraceEvent::Edge(edge) => edge.raw(),
            TraceEvent::Call(function) => CALL | function.raw(),
            TraceEvent::Return => RETURN,
            TraceEvent::Replaced(function) => REPLACED | function.raw(),
        })
    }
}

impl From<PackedEvent> for TraceEvent {
    fn from(PackedEvent(bits): PackedEvent) -> TraceEvent {
        let function = FunctionId::from_raw(bits & !KIND);
        match bits & KIND {
            _ if bits == RETURN => TraceEvent::Return,
            CALL => TraceEvent::Call(function),
            REPLACED => TraceEvent::Replaced(function),
            _ => TraceEvent::Edge(CodeEdge::from_raw(bits)),
        }
    }
}

impl std::fmt::Debug for PackedEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        TraceEvent::from(*self).fmt(f)
    }
}

/// The edges that an execution took and the calls that it made, in the order of execution.
///
/// Calls and returns nest. Calls that never return, because the execution ended in them, have no
/// [`TraceEvent::Return`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderedTrace {
    events: Vec<PackedEvent>,
}

impl OrderedTrace {
    /// What was done, in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = TraceEvent> + ExactSizeIterator + '_ {
        self.events.iter().map(|&event| event.into())
    }

    /// The edges that were taken, in order.
    pub fn edges(&self) -> impl Iterator<Item = CodeEdge> + '_ {
        self.events().filter_map(|event| match event {
            TraceEvent::Edge(edge) => Some(edge),
            _ => None,
        })
    }

    /// The edges that were taken, each with the number of its event.
    pub fn edges_at(&self) -> impl Iterator<Item = (usize, CodeEdge)> + '_ {
        let events = self.events().enumerate();
        events.filter_map(|(at, event)| match event {
            TraceEvent::Edge(edge) => Some((at, edge)),
            _ => None,
        })
    }

    /// The first events, and then another one.
    #[must_use]
    pub fn with_other_end(&self, events: usize, end: Option<TraceEvent>) -> OrderedTrace {
        self.events().take(events).chain(end).collect()
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

impl From<Vec<PackedEvent>> for OrderedTrace {
    fn from(events: Vec<PackedEvent>) -> OrderedTrace {
        OrderedTrace { events }
    }
}

impl FromIterator<TraceEvent> for OrderedTrace {
    fn from_iter<I: IntoIterator<Item = TraceEvent>>(events: I) -> OrderedTrace {
        let events = events.into_iter().map(PackedEvent::from);
        OrderedTrace::from(events.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::{OrderedTrace, PackedEvent, TraceEvent};
    use crate::{CodeEdge, FunctionId};

    #[test]
    fn packed_events_are_the_events() {
        let function = |number| FunctionId::from_raw(number);
        let events = [
            TraceEvent::Call(function(0)),
            TraceEvent::Edge(CodeEdge::from_raw(0)),
            TraceEvent::Edge(CodeEdge::from_raw((1 << 31) - 1)),
            TraceEvent::Call(function((1 << 30) - 1)),
            TraceEvent::Replaced(function(0)),
            TraceEvent::Replaced(function((1 << 30) - 2)),
            TraceEvent::Return,
        ];
        let trace: OrderedTrace = events.into_iter().collect();
        assert_eq!(trace.events().collect::<Vec<_>>(), events);
        assert_eq!(trace.edges().count(), 2);
        assert_eq!(size_of::<PackedEvent>(), 4);
    }
}
