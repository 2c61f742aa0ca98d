//! The nodes of a path tree and the branches out of them.

use std::sync::Arc;

use derive_more::{Add, AddAssign, Neg, Sum};
use expr::Term;
use ir::input::{CallMode, InputValue, InputVector};
use ir::{CellId, ObjectId};
use slotmap::new_key_type;
use smallvec::{SmallVec, smallvec};
use vm::{Constraint, ConstraintKind, Context, Demand, Site};

new_key_type! {
    /// A node of a [`super::PathTree`]. Nodes come and go; the number of one that went is never
    /// given to another.
    pub struct NodeId;
}

/// A branch out of a node that no execution took yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flip {
    /// The node.
    pub node: NodeId,
    /// The position among the node's branches.
    pub branch: u32,
}

/// The state of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchState {
    /// An execution took it, and met this node next.
    Taken(NodeId),
    /// It was not tried yet.
    Pending,
    /// Executions took it, and nothing is pending after it.
    Explored,
    /// No input satisfies its demands.
    Infeasible,
    /// It was tried without an answer; a loss says why.
    Undecided,
    /// It was left out: no goal needs it, or a bound or a loss says why.
    Dropped,
}

/// The demands of a branch on an input, all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demands {
    /// Bools that must hold.
    Terms(SmallVec<[Term; 2]>),
    /// A pointer cell with this value.
    Pointer(Box<(CellId, InputValue)>),
    /// An object that is just as long as its length says, and a Bool that must hold.
    Exact(ObjectId, Term),
    /// This mode of a call.
    Call(ObjectId, CallMode),
}

/// A branch out of a node.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its number at the site, see [`vm::Constraint::taken`].
    pub number: u32,
    /// Its state.
    pub state: BranchState,
    /// Its demands.
    pub demands: Demands,
    /// Whether it is to be tried after all others.
    pub(super) is_put_off: bool,
}

/// A place on a path where an input decided how it goes on.
#[derive(Clone, Debug)]
pub struct Node {
    /// The branch that leads here; `None` for the root.
    pub(super) parent: Option<Flip>,
    /// The site in the program.
    pub site: Site,
    /// The calls on the stack.
    pub context: Context,
    /// How many nodes above it are of the same site and call; an estimate, if many.
    pub repeats: u32,
    /// The reason why the input decided.
    pub kind: ConstraintKind,
    /// The branches, the first execution's first.
    pub branches: SmallVec<[Branch; 2]>,
    /// The input of the execution that made the node.
    pub(super) source: Arc<InputVector>,
    /// How many nodes are above it.
    pub depth: u32,
    /// How many of the branches are pending, or lead to something that is.
    pub pending: Pending,
}

/// How many branches are pending themselves or have something pending after them, or a change of
/// that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Add, AddAssign, Neg, Sum)]
pub struct Pending {
    /// Branches to something pending that leads on.
    pub branches: i32,
    /// Branches to something pending that violates a check, and so ends in a defect.
    pub violations: i32,
    /// Branches to something pending that was put off.
    pub put_off: i32,
}

impl Pending {
    /// Whether nothing is pending.
    pub fn is_none(self) -> bool {
        self == Pending::default()
    }

    /// One for each kind that is not zero.
    pub(super) fn signum(self) -> Pending {
        Pending {
            branches: self.branches.signum(),
            violations: self.violations.signum(),
            put_off: self.put_off.signum(),
        }
    }
}

/// The number of the branch to all values but one at a [`ConstraintKind::Concretisation`].
const OTHER_VALUES: u32 = 0;

/// The branch to the values of a concretised term that no execution had yet, once one more had one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OtherValues {
    /// Its position among the branches. It is pending.
    pub branch: usize,
    /// Whether it was settled before.
    pub is_reopened: bool,
}

impl Branch {
    fn taken(constraint: &Constraint) -> Self {
        let demands = match constraint.kind {
            ConstraintKind::Call(call) => {
                Demands::Call(call, CallMode::ALL[constraint.taken as usize])
            }
            _ => Demands::Terms(smallvec![constraint.term]),
        };
        Branch {
            number: constraint.taken,
            state: BranchState::Explored,
            demands,
            is_put_off: false,
        }
    }

    /// Whether it stands for the values of a concretised term that no execution had yet.
    pub(super) fn is_other_values(&self) -> bool {
        let was_taken = matches!(self.state, BranchState::Taken(_) | BranchState::Explored);
        self.number == OTHER_VALUES && !was_taken
    }
}

impl From<Demand> for Demands {
    fn from(demand: Demand) -> Self {
        match demand {
            Demand::Term(term) => Demands::Terms(smallvec![term]),
            Demand::Pointer(cell, value) => Demands::Pointer(Box::new((cell, value))),
            Demand::Exact(object, term) => Demands::Exact(object, term),
            Demand::Call(call, mode) => Demands::Call(call, mode),
        }
    }
}

impl Node {
    /// The node that a constraint makes, with one branch for each alternative.
    pub(super) fn new(
        parent: Option<Flip>,
        constraint: &Constraint,
        source: &Arc<InputVector>,
        depth: u32,
    ) -> Self {
        let others = constraint.alternatives.iter().map(|alternative| Branch {
            number: alternative.number,
            state: BranchState::Pending,
            demands: alternative.demand.into(),
            is_put_off: false,
        });
        Node {
            parent,
            site: constraint.site,
            context: constraint.context,
            repeats: constraint.repeats,
            kind: constraint.kind,
            branches: std::iter::once(Branch::taken(constraint))
                .chain(others)
                .collect(),
            source: Arc::clone(source),
            depth,
            pending: Pending::default(),
        }
    }

    /// Whether the constraint can be one of this node's.
    pub(super) fn is_of(&self, constraint: &Constraint) -> bool {
        self.site == constraint.site
            && self.kind == constraint.kind
            && self.context == constraint.context
    }

    /// The branch that the constraint took. Where a value was made concrete, each value is a
    /// branch.
    pub(super) fn branch_of(&self, constraint: &Constraint) -> Option<usize> {
        let concretised = self.kind == ConstraintKind::Concretisation;
        self.branches.iter().position(|branch| match concretised {
            true => branch.demands == Demands::Terms(smallvec![constraint.term]),
            false => branch.number == constraint.taken,
        })
    }

    /// Whether a branch has the demands of the constraint that took it. If not, the executions that
    /// reached this node had diverged before, where no term describes it.
    pub(super) fn demands_the_same(&self, branch: usize, constraint: &Constraint) -> bool {
        match &self.branches[branch].demands {
            Demands::Terms(own) if self.kind != ConstraintKind::Concretisation => {
                own[..] == [constraint.term]
            }
            _ => true,
        }
    }

    /// Adds the branch of a further value, which the other values then exclude too. Returns its
    /// position, and the state of the branch to the other values, if there is one.
    pub(super) fn add_value(&mut self, constraint: &Constraint) -> (usize, Option<OtherValues>) {
        let at = self
            .branches
            .iter()
            .position(|branch| branch.number == OTHER_VALUES);
        let mut others = None;
        if let (Some(at), Some(alternative)) = (at, constraint.alternatives.first())
            && let (Demands::Terms(terms), Demand::Term(exclusion)) =
                (&mut self.branches[at].demands, alternative.demand)
        {
            terms.push(exclusion);
            let is_reopened = self.branches[at].state != BranchState::Pending;
            self.branches[at].state = BranchState::Pending;
            others = Some(OtherValues {
                branch: at,
                is_reopened,
            });
        }
        self.branches.push(Branch::taken(constraint));
        (self.branches.len() - 1, others)
    }

    /// Changes the counts. Returns the change of the counts of the branch that leads here.
    pub(super) fn count(&mut self, change: Pending) -> Pending {
        let before = self.pending.signum();
        self.pending += change;
        self.pending.signum() + -before
    }

    /// The counts of a pending branch.
    pub(super) fn weight(&self, branch: usize) -> Pending {
        let mut weight = Pending::default();
        let kind = match (self.is_violation(branch), self.branches[branch].is_put_off) {
            (true, _) => &mut weight.violations,
            (false, true) => &mut weight.put_off,
            (false, false) => &mut weight.branches,
        };
        *kind = 1;
        weight
    }

    /// Whether a branch is pending, violates no check, and was not put off.
    pub fn leads_on(&self, branch: usize) -> bool {
        let Branch {
            state, is_put_off, ..
        } = self.branches[branch];
        state == BranchState::Pending && !is_put_off && !self.is_violation(branch)
    }

    /// Whether an assumption does not hold on a branch.
    pub fn is_rejection(&self, branch: usize) -> bool {
        self.kind == ConstraintKind::Assumption && self.branches[branch].number == 0
    }

    /// Whether a branch violates a check.
    pub fn is_violation(&self, branch: usize) -> bool {
        matches!(self.kind, ConstraintKind::Check(_)) && self.branches[branch].number == 0
    }
}
