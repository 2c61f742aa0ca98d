//! The state of an execution in one value, apart from what the execution borrows.
//!
//! These modules hold data only: what executes code and changes the state is elsewhere.

mod calls;
mod cycle_detector;
mod order;
mod pointers;
mod record;
mod trial;
mod unknown_calls;

use ir::{CellId, FunctionId, ObjectId, Trace, TypeId};
use rustc_hash::FxHashMap;

use crate::context::ActiveContexts;
use crate::ids::{AllocationId, Pc};
use crate::log::Log;
use crate::memory::Memory;
use crate::site::Site;
use crate::steps::Steps;
use crate::unit::UnitTracker;
use crate::value::Value;

pub(crate) use self::calls::{Calls, Level, ReachedObjects};
pub(crate) use self::cycle_detector::{CycleDetector, LoopHead, Snapshot};
pub(crate) use self::order::Order;
pub(crate) use self::pointers::{Guess, Open};
pub(crate) use self::record::Record;
pub(crate) use self::trial::Trial;
pub(crate) use self::unknown_calls::UnknownCalls;

/// A call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameState {
    pub function: FunctionId,
    /// Its first slot.
    pub base: usize,
    /// The call that it returns to, in the caller's frame; of no meaning for the outermost.
    pub caller: Pc,
}

/// What `atexit` was given. It is checked to be such a function only when it is called.
#[derive(Clone, Copy)]
pub(crate) struct AtExit {
    pub function: Value,
    /// The type at which it is called.
    pub ty: TypeId,
    /// Where it was given.
    pub at: Pc,
}

/// Memory of the host's libraries that a native call returned a pointer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LibraryMemory {
    pub place: u64,
    pub bytes: Vec<u8>,
}

/// How often each kind of numbered input was met.
#[derive(Clone, Default)]
pub(crate) struct Counters {
    pub declared: FxHashMap<String, u32>,
    pub allocations: u32,
    /// Locals that were read unwritten.
    pub unwritten: u32,
    /// Calls that the driver of a sequence made.
    pub driven: u32,
    /// How many inputs of any numbered kind were taken.
    pub consumed: u64,
    /// Whether the precondition takes them.
    pub of_precondition: bool,
}

/// All that an execution has done so far and that decides what it does next, but its input.
///
/// A copy by [`State::snapshot`] is cheap: it shares what memory holds and what the execution
/// has recorded until one of the two changes it.
#[derive(Clone)]
pub(crate) struct State {
    pub memory: Memory,
    pub stack: Vec<Value>,
    pub frames: Vec<FrameState>,
    pub contexts: ActiveContexts,
    pub pc: Pc,
    /// First slot of the current frame.
    pub base: usize,
    /// How far the execution may go.
    pub steps: Steps,
    pub record: Record,
    pub counters: Counters,
    /// What is guessed of input arrays.
    pub guesses: FxHashMap<AllocationId, Guess>,
    /// The input pointers that were looked at.
    pub resolved: FxHashMap<CellId, Value>,
    /// What is still open about some of these.
    pub open: FxHashMap<CellId, Open>,
    /// The input objects that aliases and observations are about, in the order they came.
    pub objects: Vec<(ObjectId, AllocationId)>,
    /// The constants of the program that aliases are about.
    pub constants: Vec<(ObjectId, AllocationId)>,
    /// The pages at constant addresses that were accessed, with these.
    pub mapped: Vec<(AllocationId, u64)>,
    /// Where each heap allocation was made: the calls, innermost first.
    pub made_at: FxHashMap<AllocationId, Vec<Site>>,
    /// Memory of the host's libraries that native calls returned pointers to.
    pub library: Vec<(FunctionId, LibraryMemory, AllocationId)>,
    pub output: Log<u8>,
    pub cycles: CycleDetector,
    pub unit: UnitTracker,
    /// Whether someone asks for the order of the edges that are taken now.
    pub notes_edges: bool,
    /// The calls that may be replaced by inputs.
    pub calls: Calls,
    /// The calls of functions without a body.
    pub unknown: UnknownCalls,
    /// The functions that `atexit` was given.
    pub at_exit: Vec<AtExit>,
}

impl State {
    /// The state before anything ran, with a memory and a stack that hold nothing of an execution.
    pub fn new(memory: Memory, stack: Vec<Value>, steps: Steps, nothing: Trace) -> State {
        State {
            memory,
            stack,
            frames: Vec::new(),
            contexts: ActiveContexts::default(),
            pc: 0,
            base: 0,
            steps,
            record: Record::new(nothing),
            counters: Counters::default(),
            guesses: FxHashMap::default(),
            resolved: FxHashMap::default(),
            open: FxHashMap::default(),
            objects: Vec::new(),
            constants: Vec::new(),
            mapped: Vec::new(),
            made_at: FxHashMap::default(),
            library: Vec::new(),
            output: Log::default(),
            cycles: CycleDetector::default(),
            unit: UnitTracker::default(),
            notes_edges: false,
            calls: Calls::default(),
            unknown: UnknownCalls::default(),
            at_exit: Vec::new(),
        }
    }

    /// A copy that shares what it can with this state.
    pub fn snapshot(&mut self) -> State {
        self.memory.share();
        self.record.path.share();
        self.record.order.share();
        self.output.share();
        self.unit.share();
        self.clone()
    }

    /// Becomes a snapshot of an earlier state of the same execution.
    pub fn come_back(&mut self, to: State) {
        let State { memory, .. } = to;
        let mut now = std::mem::take(&mut self.memory);
        now.come_back(memory);
        *self = State { memory: now, ..to };
    }
}
