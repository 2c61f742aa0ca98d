//! The way of an execution through the unfolded graph, from its ordered trace.

use ir::{CodeEdge, OrderedTrace, Terminator, TraceEvent};

use crate::formulas::model::Model;
use crate::graph::cuts::CutId;
use crate::graph::unfolding::{ContextId, Point};

/// How many events of a trace are followed.
pub const WATCHED_EVENTS: usize = 1_000_000;

/// What an execution does on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It takes an edge of a branch or a switch, by the event of this number.
    Edge(usize, ContextId, CodeEdge),
    /// It comes to a cut.
    Cut(CutId),
}

/// The way of an execution as far as the graph has it: up to a call that never returns, or to what
/// runs before or after the entry function.
pub fn way(model: &Model<'_>, trace: &OrderedTrace) -> Vec<Step> {
    let mut events = trace.events().take(WATCHED_EVENTS).enumerate();
    let mut follower = Follower {
        model,
        at: model.unfolding.start(),
        steps: Vec::new(),
    };
    let entry = model.unfolding.context(follower.at);
    let entry = model.unfolding.data(entry).function;
    if events.next().map(|(_, event)| event) != Some(TraceEvent::Call(entry)) {
        return Vec::new();
    }
    follower.arrive(model.unfolding.start());
    let mut skipped = 0_usize;
    for (number, event) in events {
        let goes_on = match (skipped, event) {
            (0, _) => follower.step(number, event, &mut skipped),
            (_, TraceEvent::Call(_)) => {
                skipped += 1;
                Some(())
            }
            (_, TraceEvent::Return) => {
                skipped -= 1;
                match skipped {
                    0 => follower.go_to_successor(0),
                    _ => Some(()),
                }
            }
            (_, TraceEvent::Edge(_) | TraceEvent::Replaced(_)) => Some(()),
        };
        if goes_on.is_none() {
            break;
        }
    }
    follower.steps
}

/// Follows a trace.
struct Follower<'m, 'p> {
    model: &'m Model<'p>,
    /// The block that control is in.
    at: Point,
    steps: Vec<Step>,
}

impl Follower<'_, '_> {
    /// Takes one event, outside of calls that the graph does not enter. Counts such a call.
    fn step(&mut self, number: usize, event: TraceEvent, skipped: &mut usize) -> Option<()> {
        self.pass_jumps()?;
        let unfolding = &self.model.unfolding;
        let context = unfolding.context(self.at);
        match (&unfolding.block(self.at).terminator, event) {
            (Terminator::Call { .. }, TraceEvent::Call(function)) => {
                match unfolding.entered(self.at) {
                    Some(entered) if unfolding.data(entered).function == function => {
                        self.go_to_successor(0)
                    }
                    Some(_) => None,
                    None => {
                        *skipped = 1;
                        Some(())
                    }
                }
            }
            (Terminator::Return(_), TraceEvent::Return) => self.go_to_successor(0),
            (terminator, TraceEvent::Edge(edge)) if terminator.decides() => {
                let function = unfolding.data(context).function;
                let block = unfolding.block_of(self.at);
                let index = &self.model.index;
                let mut successors = 0..terminator.successor_count();
                let taken = successors.find(|&nth| index.edge(function, block, nth) == edge)?;
                self.steps.push(Step::Edge(number, context, edge));
                self.go_to_successor(taken)
            }
            _ => None,
        }
    }

    /// Passes blocks that end with a jump, of which traces have no event.
    fn pass_jumps(&mut self) -> Option<()> {
        // A loop of such blocks alone has no event behind it.
        for _ in 0..self.model.unfolding.graph().len() {
            match self.model.unfolding.block(self.at).terminator {
                Terminator::Goto(_) => self.go_to_successor(0)?,
                _ => return Some(()),
            }
        }
        None
    }

    fn go_to_successor(&mut self, nth: usize) -> Option<()> {
        let graph = self.model.unfolding.graph();
        let next = *graph.successors(self.at).get(nth)?;
        self.arrive(next);
        Some(())
    }

    fn arrive(&mut self, point: Point) {
        self.at = point;
        self.steps.extend(self.model.cuts.at(point).map(Step::Cut));
    }
}
