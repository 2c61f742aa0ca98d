//! What an execution records beside what it does: its path, what it visited, what it lost.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Term, Var};
use ir::input::InputVector;
use ir::test::{BoundKind, Defect, LossKind, Observation};
use ir::{CellId, CodeEdge, DefectKind, FunctionId, ObjectId, Trace};
use rustc_hash::FxHashSet;

use crate::execution::{Beyond, Constraint, Imprecision, MadeCall, Needs};
use crate::given::Given;
use crate::ids::Pc;
use crate::log::Log;
use crate::state::Order;

/// What an execution has recorded so far.
#[derive(Clone)]
pub(crate) struct Record {
    /// The values of the cells that were looked at.
    pub inputs: InputVector,
    pub visited: VisitedCode,
    pub order: Order,
    pub path: Log<Constraint>,
    /// See [`crate::Execution::probes`].
    pub probes: BTreeMap<(CodeEdge, Term), usize>,
    /// The terms of the path: a term that comes up again adds no constraint.
    pub known: FxHashSet<Term>,
    pub imprecision: RecordedImprecision,
    pub findings: Findings,
    pub unspecified: Unspecified,
    pub needs: Needs,
    pub noted: NotedInputs,
    /// See [`crate::Execution::made`].
    pub made: Vec<MadeCall>,
    /// How often each function without a body and without a model was called.
    pub calls: BTreeMap<FunctionId, u32>,
    /// What functions without a body were given.
    pub given: Vec<Given>,
    /// What the calls of a driver returned.
    pub results: Vec<Observation>,
    pub steps: u64,
}

/// Which code an execution visited, as a whole and up to some points in it.
#[derive(Clone)]
pub(crate) struct VisitedCode {
    /// All of it; without what the precondition visited, once that holds.
    pub all: Trace,
    /// What the precondition visited, once it holds.
    pub precondition: Option<Trace>,
    /// What was visited before something depended on where objects lie, if anything does.
    pub before_addresses: Option<Box<Trace>>,
    /// What was visited before the last call that may never return, if there are assumptions at
    /// all.
    pub before_call: Option<Box<Trace>>,
}

/// Where an execution lost precision, and which bounds it hit.
#[derive(Clone, Default)]
pub(crate) struct RecordedImprecision {
    pub found: Imprecision,
    lost: FxHashSet<(LossKind, Pc)>,
    bound: FxHashSet<(BoundKind, Pc)>,
}

/// The defects that did not end an execution, and what later defects rest on.
#[derive(Clone, Default)]
pub(crate) struct Findings {
    /// The defects that were reported though the execution went on.
    pub reported: Vec<Defect>,
    reports: FxHashSet<(DefectKind, Pc)>,
    /// Where it went on beyond a defect.
    pub beyond: Option<Beyond>,
    /// The last allocation that failed.
    pub failed: Option<u32>,
}

/// What an execution made of values that C leaves open.
#[derive(Clone, Default)]
pub(crate) struct Unspecified {
    /// Whether it depends on something that no test can set reliably.
    pub unsure: bool,
    /// The inputs in unwritten memory and padding.
    pub inputs: FxHashSet<Var>,
    /// The inputs of which such values were used.
    pub depends_on: FxHashSet<Var>,
}

/// Inputs that are looked at again when the execution has ended, or when something is asked of
/// them.
#[derive(Clone, Default)]
pub(crate) struct NotedInputs {
    /// The pointers whose objects' placement was asked for, each with the cell that gives it.
    pub placed: Vec<(CellId, CellId)>,
    /// Pointers for which NULL is undefined, also where nothing looks at them.
    pub nonnull: Vec<CellId>,
    /// The streams of the caller of which was asked whether output fails.
    pub streams: BTreeSet<ObjectId>,
}

impl Record {
    pub fn new(nothing: Trace) -> Record {
        Record {
            inputs: InputVector::default(),
            visited: VisitedCode {
                all: nothing,
                precondition: None,
                before_addresses: None,
                before_call: None,
            },
            order: Order::default(),
            path: Log::default(),
            probes: BTreeMap::new(),
            known: FxHashSet::default(),
            imprecision: RecordedImprecision::default(),
            findings: Findings::default(),
            unspecified: Unspecified::default(),
            needs: Needs::default(),
            noted: NotedInputs::default(),
            made: Vec::new(),
            calls: BTreeMap::new(),
            given: Vec::new(),
            results: Vec::new(),
            steps: 0,
        }
    }
}

impl Findings {
    /// Whether a defect is reported here for the first time.
    pub fn is_new(&mut self, kind: DefectKind, at: Pc) -> bool {
        self.reports.insert((kind, at))
    }
}

impl RecordedImprecision {
    /// Whether a loss is recorded here for the first time.
    pub fn is_new_loss(&mut self, kind: LossKind, at: Pc) -> bool {
        self.lost.insert((kind, at))
    }

    /// Whether a bound is hit here for the first time.
    pub fn is_new_bound(&mut self, kind: BoundKind, at: Pc) -> bool {
        self.bound.insert((kind, at))
    }
}
