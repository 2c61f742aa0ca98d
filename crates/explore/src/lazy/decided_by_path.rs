//! Which constraints the path through the unit decides: on all executions that take the same edges,
//! these have the same branches. What others decide, in functions outside the unit that are always
//! executed or about a pointer, may differ, and with it every condition after them.

use vm::{Constraint, ConstraintKind, UnitPlace};

use crate::branch_site::BranchSite;
use crate::strategy::View;

/// Whether the path through the unit decides which branch a constraint takes.
pub(super) fn is_decided(constraint: &Constraint, at: &UnitPlace, view: &View<'_>) -> bool {
    let place = BranchSite {
        site: constraint.site,
        kind: constraint.kind,
        context: constraint.context,
        repeats: constraint.repeats,
        branch: constraint.taken,
    };
    at.inside && is_decided_in_unit(place, view)
}

/// Whether the path through the unit decides which branch is taken at a place in the unit.
pub(super) fn is_decided_in_unit(place: BranchSite, view: &View<'_>) -> bool {
    match place.kind {
        ConstraintKind::Branch => view.open_goals.edge(place).is_some(),
        ConstraintKind::Check(_) | ConstraintKind::Assumption => true,
        _ => false,
    }
}
