//! Where a flip is in a call that is replaced on the path, and some of the few values that the call
//! may then return meet its guards, everything that follows is executed at once.

use analysis::Values;
use ir::input::Expands;

use super::Ordering;
use crate::acceleration::Acceleration;
use crate::branch_site::BranchSite;
use crate::lazy::facts::Facts;
use crate::lazy::surroundings::Surroundings;
use crate::lazy::target::Target;
use crate::path_tree::Flip;

/// See the module.
#[derive(Debug)]
pub(super) struct WholeExpansion;

impl Ordering for WholeExpansion {
    fn name(&self) -> Acceleration {
        Acceleration::WholeExpansion
    }

    fn expands(
        &self,
        flip: Flip,
        target: &Target,
        facts: &Facts,
        surroundings: &Surroundings<'_>,
    ) -> Option<Expands> {
        let partial = target.partial();
        let info = facts.nodes.of(flip.node).filter(|_| !facts.are_rejected)?;
        let call = *partial.replaced_around(info)?;
        partial.guards.of_result(call.call).next()?;
        let view = &surroundings.view;
        let values = facts
            .returns
            .of(call, BranchSite::of(flip, view.tree), view.open_goals);
        let guards = &partial.guards;
        let may_return = matches!(*values, Values::Of(_))
            && guards.may_meet(call.call, &values, target.length, surroundings.terms);
        may_return.then_some(Expands::All)
    }
}
