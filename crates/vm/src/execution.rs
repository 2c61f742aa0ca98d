//! What one execution of the machine yields.

use std::collections::{BTreeMap, BTreeSet};

use expr::Term;
use ir::input::{CallMode, InputValue, InputVector};
use ir::test::{Bound, Defect, Loss, Observation, Outcome};
use ir::{CellId, CodeEdge, DefectKind, FunctionId, ObjectId, OrderedTrace, Trace};

use crate::context::Context;
use crate::site::Site;
use crate::unit::UnitPath;

/// One execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The input, completed: every cell that was looked at has its value, every object that a
    /// pointer points to has the extent that was touched.
    pub inputs: InputVector,
    /// The code that was visited.
    pub visited: Visited,
    /// The path condition, in the order of execution.
    pub path: Vec<Constraint>,
    /// The conditions of labels that depend on inputs.
    pub probes: Vec<Probe>,
    /// The path through the unit ([`crate::Config::unit`]).
    pub unit: UnitPath,
    /// How many calls were replaced by inputs. If any were, the program itself may do something
    /// else.
    pub abstracted: u32,
    /// The calls that could be replaced and in which an input decides, in the order in which they
    /// were made.
    pub made: Vec<MadeCall>,
    /// How it ended.
    pub outcome: Outcome,
    /// Where precision was lost, and which bounds were hit.
    pub imprecision: Imprecision,
    /// What the entry function returned and wrote to its inputs; empty unless it returned.
    pub observations: Vec<Observation>,
    /// What functions without a body were given, if that is asked for
    /// ([`crate::Config::observe_arguments`]).
    pub given: Vec<Observation>,
    /// How many times each function without a body and without a model was called.
    pub calls: BTreeMap<FunctionId, u32>,
    /// What a test has to set up, and what a search has to offer, beside values of inputs.
    pub needs: Needs,
    /// The defects that it met and did not end at.
    pub defects: PassedDefects,
    /// Whether it depends on something that no test can set reliably: what the stack held before,
    /// or padding.
    pub unsure: bool,
    /// How many IR statements and terminators were executed.
    pub steps: u64,
}

/// A condition of a label ([`ir::Terminator::is_probe`]), which holds for the input or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The edge that is taken where it holds.
    pub edge: CodeEdge,
    /// The condition.
    pub condition: Term,
    /// How many constraints of the path came before.
    pub at: usize,
}

/// The code that an execution visited, as a whole and in parts.
#[derive(Clone, Debug)]
pub struct Visited {
    /// What was visited, by the precondition only if it does not hold: no other code calls it.
    pub trace: Trace,
    /// What the precondition visited, if it holds.
    pub precondition: Option<Trace>,
    /// What was visited before the last call of a function without a body, in an execution that
    /// covers nothing (it is rejected, or replaces calls and ends in a defect): it ended at that
    /// call if the function does not return.
    pub before_call: Option<Trace>,
    /// What was done, in order: the edges of [`Visited::trace`], and calls; if asked for
    /// ([`crate::Config::recorded_events`]).
    pub ordered: Option<OrderedTrace>,
    /// What the precondition did, in order, if it holds and order is asked for.
    pub ordered_precondition: Option<OrderedTrace>,
}

/// Where an execution lost precision, and which bounds it hit.
#[derive(Clone, Debug, Default)]
pub struct Imprecision {
    /// Where precision was lost.
    pub losses: Vec<Loss>,
    /// Which bounds were hit.
    pub bounds: Vec<Bound>,
    /// Where native calls fixed the values that they were made on. No precision is lost, since each
    /// other value is an alternative of its own, but there may be more of them than a search can
    /// try.
    pub fixed: Vec<Loss>,
}

/// What a test has to set up, and what a search has to offer, beside values of inputs.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// The input objects that were freed, or would have been if `realloc` had not failed.
    pub freed: BTreeSet<ObjectId>,
    /// Whether the object that the calls of a sequence share has to come from malloc: a call frees
    /// it, or writes to its const members.
    pub allocates_shared: bool,
    /// The object that a pointer points to and that has no room for the access which ended the
    /// execution.
    pub outgrown: Option<ObjectId>,
    /// A condition on inputs because of which the execution ended, though no constraint says so: a
    /// string that is printed has no end in its room.
    pub ended_by: Option<Term>,
    /// The offsets of pointers along the access paths of calls ([`ir::input::AccessPath`]), where
    /// they depend on inputs.
    pub moved: BTreeMap<ObjectId, Vec<i64>>,
}

/// The defects that an execution met and did not end at.
#[derive(Clone, Debug, Default)]
pub struct PassedDefects {
    /// Those that are reported: reads of memory that was never written.
    pub reported: Vec<Defect>,
    /// Where it went on beyond a defect ([`crate::Config::beyond_defects`]).
    pub beyond: Option<Beyond>,
}

/// Where an execution went on beyond a defect.
#[derive(Clone, Debug)]
pub struct Beyond {
    /// The first defect that it went on beyond.
    pub defect: Defect,
    /// What it had visited by then.
    pub within: Trace,
}

/// A call that could be replaced by inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeCall {
    /// Its number, as an object of the input space.
    pub call: ObjectId,
    /// Who was called.
    pub function: FunctionId,
    /// What became of it.
    pub mode: CallMode,
    /// The position of its constraint on the path.
    pub at: usize,
    /// The first term in it that an input decided, if that is known though it was replaced.
    pub first: Option<Term>,
    /// If it was executed and returned: how long the path was then, and the result as a term of its
    /// width, if it is a number.
    pub returned: Option<(usize, Option<Term>)>,
    /// A number for all of the state that it depends on when it is made: where two calls of a
    /// function have the same number, and what they [relied on](MadeCall::relied) holds, inputs
    /// lead them along the same branches. `None` where that is not settled yet, such as what an
    /// input pointer points to, or depends on calls that were replaced.
    pub context_fingerprint: Option<u128>,
    /// Conditions that came up in it, while it was executed, and that the path had before already,
    /// so that nothing was decided.
    pub relied: Vec<Term>,
}

/// One conjunct of a path condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Why it is there.
    pub kind: ConstraintKind,
    /// Where.
    pub site: Site,
    /// Under which calls.
    pub context: Context,
    /// How many constraints of the path before it come from there in the same call; a large number
    /// only roughly.
    pub repeats: u32,
    /// How many events of the ordered trace came before, those of the precondition included; 0 if
    /// order is not recorded.
    pub events: usize,
    /// A Bool that holds for the input; `true` for a pointer choice.
    pub term: Term,
    /// The number of the alternative that was taken, among those of the site: 0 or 1 for a branch
    /// (1 is `then`), the arm for a switch, the position among the offered values for a pointer
    /// choice.
    pub taken: u32,
    /// The other alternatives.
    pub alternatives: Vec<Alternative>,
}

/// Why a constraint is on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintKind {
    /// A branch or switch of the program.
    Branch,
    /// An operation that is free of this defect on the path; the alternative is the defect.
    Check(DefectKind),
    /// What a pointer input is.
    PointerChoice(CellId),
    /// A call that may be replaced by inputs, and what becomes of it: a [`CallMode`] as a number.
    Call(ObjectId),
    /// Something that was assumed.
    Assumption,
    /// A symbolic value that was replaced by its concrete value. With an alternative, the other
    /// values can still be reached by flipping it; without one it comes with a loss.
    Concretisation,
}

/// An alternative that an execution did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Its number among those of the site, see [`Constraint::taken`].
    pub number: u32,
    /// What an input must satisfy to go there.
    pub demand: Demand,
}

/// What an alternative asks of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// A Bool that must hold.
    Term(Term),
    /// A pointer cell with this value.
    Pointer(CellId, InputValue),
    /// An object that is just as long as its length says, and a Bool that must hold.
    Exact(ObjectId, Term),
    /// This for a call.
    Call(ObjectId, CallMode),
}
