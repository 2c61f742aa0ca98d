//! Abstract paths (LATEST, section 4.1: what `abstract_next_path` returns): paths through the unit
//! on which each call is replaced by inputs.

use coverage::GoalId;
use ir::input::{CallMode, Expands, InputSpace, InputValue, InputVector};
use ir::test::Outcome;
use ir::{CellId, CodeEdge};
use vm::{ConstraintKind, Execution, WholeEdge};

use super::Joined;
use super::facts::Facts;
use super::guards::Guards;
use super::partial_path::{PartialPath, PathId};
use super::surroundings::Surroundings;
use super::unit_paths::{Ending, UnitNode};

/// An abstract path.
#[derive(Debug)]
pub(crate) struct AbstractPath {
    /// The edges of the unit that it takes.
    pub edges: Vec<CodeEdge>,
    /// The places on it, one more than there are edges.
    pub places: Vec<UnitNode>,
    /// How it ends, if it ends well.
    pub ending: Option<Ending>,
    /// The goals that it reaches, each with the number of edges that lead there, in this order.
    pub goals: Vec<(GoalId, usize)>,
    /// The path to follow, with none of its calls executed.
    pub partial: PartialPath,
}

impl AbstractPath {
    /// The path of an execution with calls replaced.
    pub fn of(
        id: PathId,
        joined: Joined<'_>,
        facts: &Facts,
        surroundings: &Surroundings<'_>,
    ) -> AbstractPath {
        let execution = joined.execution;
        let edges = execution.unit.edges.clone();
        let whole = edges.iter().map(|&edge| WholeEdge { edge, call: None });
        let mut partial = PartialPath::new(id, whole.collect(), Default::default());
        partial.guards = Guards::of_unit(joined, surroundings);
        partial.values = values_of_calls(execution, surroundings.space);
        AbstractPath {
            edges,
            places: joined.places.to_vec(),
            ending: ending(&execution.outcome),
            goals: goals(joined, facts.are_rejected),
            partial,
        }
    }

    /// The first goal on it that is not covered.
    pub fn next_goal(&self, is_covered: impl Fn(GoalId) -> bool) -> Option<(GoalId, usize)> {
        let mut goals = self.goals.iter().copied();
        goals.find(|(goal, _)| !is_covered(*goal))
    }
}

/// The goals that an execution reaches, each with the edges that lead there. Where others were
/// rejected, that is the whole path: any part of it may make it infeasible. A rejected execution
/// reaches none.
fn goals(joined: Joined<'_>, are_rejected: bool) -> Vec<(GoalId, usize)> {
    let execution = joined.execution;
    let whole = execution.unit.edges.len();
    let goals = joined.goals.iter().copied();
    match are_rejected {
        _ if execution.outcome == Outcome::Rejected => Vec::new(),
        true => goals.map(|(goal, _)| (goal, whole)).collect(),
        false => goals.collect(),
    }
}

/// The values that replaced calls return, and those that they change.
pub(super) fn values_of_calls(
    execution: &Execution,
    space: &InputSpace,
) -> Vec<(CellId, InputValue)> {
    let values = execution.inputs.values.iter();
    let of_calls = values.filter(|(cell, _)| space.is_of_call(**cell));
    of_calls.map(|(&cell, &value)| (cell, value)).collect()
}

/// The input of an execution, with all calls executed from a constraint of its path on.
pub(super) fn expanded(execution: &Execution, first: usize) -> InputVector {
    let before = execution.path[..first].iter();
    let calls = before.filter_map(|constraint| match constraint.kind {
        ConstraintKind::Call(call) => Some((call, CallMode::ALL[constraint.taken as usize])),
        _ => None,
    });
    InputVector {
        values: execution.inputs.values.clone(),
        calls: calls.collect(),
        expands: Expands::All,
        ..InputVector::default()
    }
}

/// How an execution ended, if it ended well.
pub(crate) fn ending(outcome: &Outcome) -> Option<Ending> {
    match outcome {
        Outcome::Return => Some(Ending::Returned),
        Outcome::Exit(_) => Some(Ending::InCallee),
        _ => None,
    }
}

/// Whether all calls were replaced that can be.
pub(super) fn is_abstract(execution: &Execution) -> bool {
    let mut modes = execution.inputs.calls.values();
    execution.abstracted > 0 && modes.all(|&mode| mode != CallMode::Entered)
}

/// Whether an execution was rejected, or could have been.
pub(super) fn is_rejected(execution: &Execution) -> bool {
    let mut kinds = execution.path.iter().map(|constraint| constraint.kind);
    execution.outcome == Outcome::Rejected || kinds.any(|kind| kind == ConstraintKind::Assumption)
}
