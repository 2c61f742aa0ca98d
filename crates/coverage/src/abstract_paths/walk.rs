//! Reading an execution as an abstract path.

use ir::{CodeEdge, DecisionId, DecisionKind, FunctionId, OrderedTrace, RegionId, SourceEvent};

use super::{AbstractEdge, AbstractPaths, AbstractStep, Abstraction};

/// An edge of the code that an execution took, and where that is on the abstract path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkedEdge {
    /// The number of its event in the trace.
    pub event: usize,
    /// The edge.
    pub edge: CodeEdge,
    /// How many steps of the abstract path come before it.
    pub before: usize,
    /// Whether the decision counts.
    pub counts: bool,
    /// How many rounds the loop has begun that it decides on; 0 if the loop has a fixed number.
    pub rounds: u32,
    /// Whether the path has more rounds of a loop than count, before this edge.
    pub is_beyond: bool,
}

/// An execution, read as an abstract path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkedPath {
    /// The edges of the code, in order.
    pub edges: Vec<WalkedEdge>,
    /// The abstract path; empty where all paths are told apart.
    pub path: Vec<AbstractStep>,
    /// Whether it has more rounds of a loop than count.
    pub is_beyond: bool,
    /// Whether the entry function returned.
    pub has_returned: bool,
}

impl AbstractPaths<'_> {
    /// Reads an execution.
    pub fn walk(&self, trace: &OrderedTrace) -> WalkedPath {
        let mut walker = Walker {
            of: self,
            event: 0,
            frames: Vec::new(),
            walked: WalkedPath::default(),
        };
        for event in self.reader.read(trace) {
            walker.read(event);
        }
        walker.walked.has_returned = walker.frames.is_empty();
        walker.walked
    }
}

/// A call under way.
struct Frame {
    function: FunctionId,
    /// Whether its decisions count.
    counts: bool,
    /// The loops under way, apart from those with a fixed number of rounds.
    loops: Vec<Loop>,
}

struct Loop {
    region: RegionId,
    decision: Option<DecisionId>,
    rounds: u32,
}

struct Walker<'w> {
    of: &'w AbstractPaths<'w>,
    /// How many events of the trace were read.
    event: usize,
    frames: Vec<Frame>,
    walked: WalkedPath,
}

impl Walker<'_> {
    fn read(&mut self, event: SourceEvent) {
        match event {
            SourceEvent::Edge(edge) => {
                self.take(edge);
                self.event += 1;
            }
            SourceEvent::Call(function) => {
                self.call(function);
                self.event += 1;
            }
            SourceEvent::Return(_) => {
                self.frames.pop();
                self.event += 1;
            }
            SourceEvent::Replaced(_) => self.event += 1,
            SourceEvent::Condition(..) => {}
            SourceEvent::Decision(function, decision, outcome) => {
                self.settle(function, decision, u32::from(outcome));
            }
            SourceEvent::Switch(function, decision, side) => self.settle(function, decision, side),
            SourceEvent::Enter(function, region) => self.enter(function, region),
            SourceEvent::Round(_, region) => self.begin_round(region),
            SourceEvent::Leave(function, region) => {
                self.pass_border(AbstractStep::Leave(function, region), (function, region));
                if let Some(frame) = self.frames.last_mut() {
                    frame.loops.retain(|it| it.region != region);
                }
            }
        }
    }

    fn call(&mut self, function: FunctionId) {
        let is_under_way = self.frames.iter().any(|frame| frame.function == function);
        let counts = self.frames.last().is_none_or(|frame| frame.counts)
            && self.of.functions.contains(&function)
            && (self.of.with_recursion || !is_under_way);
        self.frames.push(Frame {
            function,
            counts,
            loops: Vec::new(),
        });
    }

    fn take(&mut self, edge: CodeEdge) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let decision = self.of.meanings[edge].map(|meaning| meaning.decision);
        let mut loops = frame.loops.iter().rev();
        let rounds = loops.find(|it| it.decision.is_some() && it.decision == decision);
        self.walked.edges.push(WalkedEdge {
            event: self.event,
            edge,
            before: self.walked.path.len(),
            counts: frame.counts,
            rounds: rounds.map_or(0, |it| it.rounds),
            is_beyond: self.walked.is_beyond,
        });
        if self.of.has_order() && frame.counts {
            self.walked.path.extend(self.of.step(edge));
        }
    }

    /// A decision goes to a side.
    fn settle(&mut self, function: FunctionId, decision: DecisionId, side: u32) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        // Where constants decide, there is nothing to tell apart.
        let is_constant = self.of.is_constant(function, decision);
        let is_step = !self.of.tells_all_apart() && !self.of.has_order();
        if frame.counts && !is_constant && is_step {
            self.walked.path.push(AbstractStep::Decision(AbstractEdge {
                function,
                decision,
                side,
            }));
        }
        let mut loops = frame.loops.iter_mut().rev();
        if let Some(it) = loops.find(|it| it.decision == Some(decision))
            && side == 1
        {
            it.rounds += 1;
            let rounds = it.rounds;
            self.made(rounds);
        }
    }

    /// A part of the source begins or ends, in which paths with an order may differ.
    fn pass_border(&mut self, border: AbstractStep, region: (FunctionId, RegionId)) {
        let counts = self.frames.last().is_some_and(|frame| frame.counts);
        if counts && self.of.ordered.contains(&region) {
            self.walked.path.push(border);
        }
    }

    fn enter(&mut self, function: FunctionId, region: RegionId) {
        self.pass_border(AbstractStep::Enter(function, region), (function, region));
        let body = self.of.program.functions[function].body.as_ref();
        let (Some(body), Some(frame)) = (body, self.frames.last_mut()) else {
            return;
        };
        let data = &body.regions[region];
        if data.head.is_some() && !self.of.is_fixed(function, region) {
            let kind = data.decision.map(|decision| body.decisions[decision].kind);
            frame.loops.push(Loop {
                region,
                decision: data.decision,
                rounds: u32::from(kind == Some(DecisionKind::DoWhile)),
            });
        }
    }

    /// A round of a loop begins. Those of loops with a condition are counted where it is true.
    fn begin_round(&mut self, region: RegionId) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let mut loops = frame.loops.iter_mut();
        if let Some(it) = loops.find(|it| it.region == region && it.decision.is_none()) {
            it.rounds += 1;
            let rounds = it.rounds;
            self.made(rounds);
        }
    }

    /// A loop has begun so many rounds.
    fn made(&mut self, rounds: u32) {
        if let Abstraction::MoreRounds(most) = self.of.abstraction {
            self.walked.is_beyond |= rounds > most.get();
        }
    }
}
