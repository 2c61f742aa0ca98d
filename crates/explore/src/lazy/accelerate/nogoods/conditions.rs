//! The conditions of abstract paths on which only the unit itself decides.

use expr::Term;
use ir::input::CallMode;
use vm::{ConstraintKind, Execution};

use super::call_summary::{CallState, CallSummaries};
use crate::branch_site::BranchSite;
use crate::lazy::decided_by_path::{is_decided, is_decided_in_unit};
use crate::lazy::facts::Facts;
use crate::path_tree::{self, Flip};
use crate::strategy::View;

/// The conditions of an abstract path on which only the unit itself decides, and the calls that are
/// replaced there, each with the number of edges of the unit before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    pub terms: Vec<(Term, usize)>,
    pub calls: Vec<(CallState, usize)>,
}

impl Conditions {
    /// The conditions of an execution; `None` if there are others: the same path through the unit
    /// may have fewer.
    pub fn of(execution: &Execution, view: &View<'_>) -> Option<Conditions> {
        let mut conditions = Conditions::default();
        for (constraint, at) in execution.path.iter().zip(&execution.unit.places) {
            if let ConstraintKind::Call(_) = constraint.kind {
                continue;
            }
            if !is_decided(constraint, at, view) {
                return None;
            }
            conditions.terms.push((constraint.term, at.edges as usize));
        }
        let made = execution.made.iter();
        let replaced = made.filter(|made| made.mode == CallMode::Abstract);
        conditions.calls = replaced
            .filter_map(|made| {
                let at = execution.unit.places.get(made.at)?;
                Some((CallState::of(made)?, at.edges as usize))
            })
            .collect();
        Some(conditions)
    }

    /// The conditions before a flip, its own included.
    pub fn before(
        flip: Flip,
        summaries: &CallSummaries,
        facts: &Facts,
        view: &View<'_>,
    ) -> Option<Conditions> {
        let mut conditions = Conditions::default();
        for step in view.tree.prefix(flip) {
            match &view.tree.branch(step).demands {
                path_tree::Demands::Call(_, CallMode::Abstract) => {
                    let state = summaries.state(step.node);
                    conditions.calls.extend(state.map(|state| (state, 0)));
                }
                path_tree::Demands::Call(..) => {}
                path_tree::Demands::Terms(terms) => {
                    let inside = facts.nodes.of(step.node).is_some_and(|at| at.inside);
                    if !inside || !is_decided_in_unit(BranchSite::of(step, view.tree), view) {
                        return None;
                    }
                    conditions.terms.extend(terms.iter().map(|&term| (term, 0)));
                }
                path_tree::Demands::Pointer(_) | path_tree::Demands::Exact(..) => return None,
            }
        }
        Some(conditions)
    }

    /// The number of edges before the last of some terms, if all are among the conditions.
    pub fn last(&self, terms: &[Term]) -> Option<usize> {
        let edges = |term: &Term| {
            let mut own = self.terms.iter();
            own.find(|(own, _)| own == term).map(|&(_, edges)| edges)
        };
        let all: Option<Vec<usize>> = terms.iter().map(edges).collect();
        Some(all?.into_iter().max().unwrap_or(0))
    }
}
