//! The conditions and decisions of the source that an ordered trace evaluates.

use std::collections::VecDeque;

use index_vec::IndexVec;

use super::{OrderedTrace, PackedEvent, TraceEvent};
use crate::{
    Block, BlockData, Body, CodeEdge, CodeIndex, ConditionId, DecisionId, FunctionId, Program,
    RegionId, RegionMap, Terminator,
};

/// One thing that an execution did, in terms of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceEvent {
    /// It took an edge. What that says about the source comes next.
    Edge(CodeEdge),
    /// It called a function.
    Call(FunctionId),
    /// This function, the innermost one, returned.
    Return(FunctionId),
    /// A call of this function was replaced by inputs.
    Replaced(FunctionId),
    /// A condition of a function had this value.
    Condition(FunctionId, ConditionId, bool),
    /// A decision of a function had this outcome.
    Decision(FunctionId, DecisionId, bool),
    /// A switch of a function went to this one of [`crate::Decision::sides`].
    Switch(FunctionId, DecisionId, u32),
    /// A region of a function began.
    Enter(FunctionId, RegionId),
    /// A round of a loop began.
    Round(FunctionId, RegionId),
    /// A region of a function ended, or control left it by a jump. A call that returns, or that the
    /// execution ends in, leaves its regions without this.
    Leave(FunctionId, RegionId),
}

/// Reads traces of a program: follows them through the code, and says what they mean in the source.
#[derive(Clone, Debug)]
pub struct TraceReader<'a> {
    program: &'a Program,
    index: &'a CodeIndex,
    /// Where the blocks of functions with bodies lie.
    maps: IndexVec<FunctionId, Option<RegionMap>>,
}

impl<'a> TraceReader<'a> {
    /// A reader of traces of a program.
    pub fn new(program: &'a Program, index: &'a CodeIndex) -> TraceReader<'a> {
        let functions = program.functions.iter();
        TraceReader {
            program,
            index,
            maps: functions
                .map(|function| function.body.as_ref().map(RegionMap::new))
                .collect(),
        }
    }

    /// Reads a trace.
    ///
    /// Outcomes that constants settle ([`crate::Fold`]) come where the code goes by. If the execution
    /// ended in the middle of a call, those after its last event are left out: the trace does not say
    /// how far it went on from there. In a loop without any branch or call they come once.
    pub fn read<'r>(&'r self, trace: &'r OrderedTrace) -> SourceEvents<'r> {
        SourceEvents {
            reader: self,
            events: trace.events.iter(),
            calls: Vec::new(),
            ready: VecDeque::new(),
        }
    }
}

/// A call under way.
#[derive(Clone, Debug)]
struct Frame {
    function: FunctionId,
    /// The block in which it is.
    block: Block,
    /// The regions in which it is, outer ones first.
    regions: Vec<RegionId>,
}

/// See [`TraceReader::read`]. It ends early where the trace is not one of the program.
#[derive(Clone, Debug)]
pub struct SourceEvents<'a> {
    reader: &'a TraceReader<'a>,
    /// What is left to read.
    events: std::slice::Iter<'a, PackedEvent>,
    /// The calls under way.
    calls: Vec<Frame>,
    /// What the event that was read last says.
    ready: VecDeque<SourceEvent>,
}

impl Iterator for SourceEvents<'_> {
    type Item = SourceEvent;

    fn next(&mut self) -> Option<SourceEvent> {
        while self.ready.is_empty() {
            let event = *self.events.next()?;
            self.read(event.into())?;
        }
        self.ready.pop_front()
    }
}

impl<'a> SourceEvents<'a> {
    /// Reads one event; `None` if it cannot come next.
    fn read(&mut self, event: TraceEvent) -> Option<()> {
        self.run_on();
        match event {
            TraceEvent::Edge(edge) => self.take(edge)?,
            TraceEvent::Call(function) => {
                self.ready.push_back(SourceEvent::Call(function));
                self.call(function);
            }
            TraceEvent::Return => {
                let Frame { function, .. } = self.calls.pop()?;
                self.ready.push_back(SourceEvent::Return(function));
                self.go_on_behind_call();
            }
            TraceEvent::Replaced(function) => {
                self.ready.push_back(SourceEvent::Replaced(function));
                self.go_on_behind_call();
            }
        }
        Some(())
    }

    fn call(&mut self, function: FunctionId) {
        let block = Block::from_raw(0);
        self.calls.push(Frame {
            function,
            block,
            regions: Vec::new(),
        });
        self.go_to(block);
    }

    /// The innermost call, if its function has a body, and the block in which it is.
    fn here(&self) -> Option<(FunctionId, &'a Body, Block)> {
        let &Frame {
            function, block, ..
        } = self.calls.last()?;
        let body = self.reader.program.functions[function].body.as_ref()?;
        Some((function, body, block))
    }

    /// Goes on in a block of the innermost call: leaves regions, begins a round, and enters regions.
    fn go_to(&mut self, target: Block) {
        let Some(frame) = self.calls.last_mut() else {
            return;
        };
        let function = frame.function;
        let Some(map) = &self.reader.maps[function] else {
            return;
        };
        frame.block = target;
        let mut around: Vec<RegionId> = map.outwards(map.of(target)).collect();
        around.reverse();
        let common = frame.regions.iter().zip(&around);
        let common = common.take_while(|(one, other)| one == other).count();
        for region in frame.regions.drain(common..).rev() {
            self.ready.push_back(SourceEvent::Leave(function, region));
        }
        if let Some(&innermost) = frame.regions.last()
            && map.head(innermost) == Some(target)
        {
            let round = SourceEvent::Round(function, innermost);
            self.ready.push_back(round);
        }
        for &region in &around[common..] {
            frame.regions.push(region);
            self.ready.push_back(SourceEvent::Enter(function, region));
            if map.head(region) == Some(target) {
                self.ready.push_back(SourceEvent::Round(function, region));
            }
        }
    }

    /// Enters the region that begins with the edges of a decision, unless control is there: it takes
    /// one of them.
    fn begin(&mut self, function: FunctionId, decision: DecisionId) {
        let Some(map) = &self.reader.maps[function] else {
            return;
        };
        let (Some(region), Some(frame)) = (map.begun_by(decision), self.calls.last_mut()) else {
            return;
        };
        if frame.regions.last() == map.around(region).as_ref() {
            frame.regions.push(region);
            self.ready.push_back(SourceEvent::Enter(function, region));
        }
    }

    /// Follows the code to the next block that does not end in a plain jump.
    fn run_on(&mut self) {
        let Some((function, body, mut block)) = self.here() else {
            return;
        };
        // No more blocks than there are, if they lead round in a circle.
        for _ in 0..body.blocks.len() {
            let Some(BlockData {
                terminator: Terminator::Goto(next),
                ..
            }) = body.blocks.get(block)
            else {
                break;
            };
            let folds = body.folds.iter().filter(|fold| fold.block == block);
            let outcomes = folds.filter_map(|fold| Some((fold.decision, fold.outcome?)));
            let outcomes = outcomes.map(|(id, value)| SourceEvent::Decision(function, id, value));
            self.ready.extend(outcomes);
            block = *next;
            self.go_to(block);
        }
    }

    /// Goes on in the function that made the call which is over.
    fn go_on_behind_call(&mut self) {
        let Some((_, body, block)) = self.here() else {
            return;
        };
        let call = body.blocks.get(block).map(|data| &data.terminator);
        if let Some(&Terminator::Call {
            next: Some(next), ..
        }) = call
        {
            self.go_to(next);
        }
    }

    /// Takes an edge of the branch or switch that ends the block.
    fn take(&mut self, edge: CodeEdge) -> Option<()> {
        let (function, body, block) = self.here()?;
        let terminator = &body.blocks.get(block)?.terminator;
        let first = self.reader.index.edge(function, block, 0);
        let side = edge.raw().checked_sub(first.raw())?;
        let target = terminator.successor(side as usize)?;
        if let Some(decision) = body.decided_by(block) {
            self.begin(function, decision);
        }
        self.ready.push_back(SourceEvent::Edge(edge));
        match *terminator {
            Terminator::Branch { tag: Some(tag), .. } => {
                let value = side == 0;
                let outcome = match value {
                    true => tag.then_outcome,
                    false => tag.otherwise_outcome,
                };
                let decision = body.conditions.get(tag.condition)?.decision;
                let condition = SourceEvent::Condition(function, tag.condition, value);
                let outcome = outcome.map(|it| SourceEvent::Decision(function, decision, it));
                self.ready.extend([condition].into_iter().chain(outcome));
            }
            Terminator::Branch { tag: None, .. } => {}
            Terminator::Switch { decision, .. } => {
                let switch = SourceEvent::Switch(function, decision, side);
                self.ready.push_back(switch);
            }
            _ => return None,
        }
        self.go_to(target);
        Some(())
    }
}
