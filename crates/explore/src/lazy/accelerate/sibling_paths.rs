//! Siblings of a path that was made real: on that path a call returned some value, and another
//! branch inside the call makes it return another value, with which the unit goes where no
//! execution has been.
//!
//! Such a path needs no abstract execution: one with all calls executed takes it, if the rest of
//! the path allows it.

use std::sync::Arc;

use analysis::Values;
use expr::{Model, Terms};
use ir::CodeEdge;
use ir::input::{Expands, InputVector};
use rustc_hash::FxHashSet;

use super::{Ordering, Proposal};
use crate::acceleration::Acceleration;
use crate::branch_site::BranchSite;
use crate::lazy::Joined;
use crate::lazy::facts::Facts;
use crate::lazy::guards::Guard;
use crate::lazy::surroundings::Surroundings;
use crate::lazy::target::Target;
use crate::lazy::unit_paths::UnitNode;
use crate::path_tree::{Demands, Flip};
use crate::strategy::View;

/// A fork of the unit: an edge after a place.
type Fork = (UnitNode, CodeEdge);

/// A flip to a sibling of a path that was made real.
#[derive(Debug)]
struct Sibling {
    flip: Flip,
    /// The input of the execution that it branches off from.
    input: Arc<InputVector>,
    /// Where the unit goes then.
    fork: Fork,
}

/// The siblings that wait; see the module.
#[derive(Debug, Default)]
pub(super) struct SiblingPaths {
    siblings: Vec<Sibling>,
    /// The forks that executions were to take.
    tried: FxHashSet<Fork>,
}

impl Ordering for SiblingPaths {
    fn name(&self) -> Acceleration {
        Acceleration::SiblingPaths
    }

    fn concretised(
        &mut self,
        joined: Joined<'_>,
        target: &Target,
        facts: &Facts,
        surroundings: &mut Surroundings<'_>,
    ) {
        let (terms, view) = (&*surroundings.terms, &surroundings.view);
        let input = Arc::new(joined.execution.inputs.clone());
        for step in joined.path {
            let Some(&call) = facts
                .nodes
                .of(step.node)
                .and_then(|info| info.calls.first())
            else {
                continue;
            };
            let guards: Vec<&Guard> = target.path.partial.guards.of_result(call.call).collect();
            let Some(node) = view.tree.get(step.node).filter(|_| !guards.is_empty()) else {
                continue;
            };
            let branches = 0..node.branches.len() as u32;
            let flips = branches.map(|branch| Flip { branch, ..*step });
            for flip in flips.filter(|&flip| view.tree.is_pending(flip)) {
                let place = BranchSite::of(flip, view.tree);
                let values = facts.returns.of(call, place, view.open_goals);
                let fork = leads_to(&values, &guards, target, facts, terms, view);
                self.siblings.extend(fork.map(|fork| Sibling {
                    flip,
                    input: Arc::clone(&input),
                    fork,
                }));
            }
        }
    }

    /// The next flip to a path that no execution took, with the input to change for it.
    fn propose(
        &mut self,
        target: Option<&Target>,
        facts: &Facts,
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Proposal> {
        if target.is_some() || facts.are_rejected {
            return None;
        }
        while let Some(Sibling { flip, input, fork }) = self.siblings.pop() {
            let is_open = is_open(fork, facts) && surroundings.view.tree.is_pending(flip);
            if is_open && self.tried.insert(fork) {
                return Some(Proposal {
                    by: Acceleration::SiblingPaths,
                    flip,
                    source: Some(input),
                    further: Vec::new(),
                    expands: Expands::All,
                });
            }
        }
        None
    }
}

/// Whether no execution took the fork, and something may be left to find there.
fn is_open((place, edge): Fork, facts: &Facts) -> bool {
    match facts.units.behind(place, edge) {
        Some(behind) => !facts.units.was_reached(behind) && !facts.units.is_finished(behind),
        None => !facts.units.is_finished(place),
    }
}

/// The fork at which the unit leaves the target if a call returns one of these values, if it is a
/// single one where no execution was.
fn leads_to(
    values: &Values,
    guards: &[&Guard],
    target: &Target,
    facts: &Facts,
    terms: &Terms,
    view: &View<'_>,
) -> Option<Fork> {
    let Values::Of(values) = values else {
        return None;
    };
    let mut forks = values.iter().map(|&value| {
        let fork = leaves_at(value, guards, target, terms, view)?;
        is_open(fork, facts).then_some(fork)
    });
    let first = forks.next()??;
    forks.all(|fork| fork == Some(first)).then_some(first)
}

/// The fork that the unit takes when a result first violates a guard of the target.
fn leaves_at(
    value: u128,
    guards: &[&Guard],
    target: &Target,
    terms: &Terms,
    view: &View<'_>,
) -> Option<Fork> {
    let holds = |guard: &Guard, term| {
        let model: Model = [(guard.alone?, value)].into_iter().collect();
        Some(terms.holds(term, &model))
    };
    let first = guards
        .iter()
        .find(|guard| holds(guard, guard.term) == Some(false))?;
    let node = view.tree.get(first.node)?;
    let takes = |demands: &Demands| match demands {
        Demands::Terms(own) => own.iter().all(|&term| holds(first, term) == Some(true)),
        _ => false,
    };
    let branch = node
        .branches
        .iter()
        .position(|branch| takes(&branch.demands))?;
    let flip = Flip {
        node: first.node,
        branch: branch as u32,
    };
    let edge = view.open_goals.edge(BranchSite::of(flip, view.tree))?;
    let place = target.places().get(first.edges as usize)?;
    Some((*place, edge))
}
