//! The use of a pending flip for lazy expansion, and whether paths after it are still open.

use ir::input::CallMode;

use super::LazyExpansion;
use super::node_info::Region;
use crate::branch_site::BranchSite;
use crate::path_tree::{Demands, Flip, PathTree};
use crate::strategy::View;

/// What is known of paths through the unit from a place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// Some may not have been taken.
    Open,
    /// All that exist were taken.
    Known,
    /// There are none.
    Infeasible,
}

/// The use of a pending branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// For real executions.
    Real,
    /// For abstract ones.
    Abstract,
    /// For either.
    Both,
    /// To make the rest of an abstract path agree with the calls that were expanded.
    Mixed,
    /// For nothing.
    None,
}

impl LazyExpansion {
    /// The use of a pending branch.
    pub fn sort(&self, flip: Flip, tree: &PathTree) -> Use {
        let Some(info) = self.facts.nodes.of(flip.node) else {
            return Use::Real;
        };
        match (tree.branch(flip).demands.clone(), info.region) {
            (Demands::Call(_, CallMode::Entered), Region::Start | Region::Real) => Use::Real,
            (Demands::Call(_, CallMode::Ends), Region::Start | Region::Abstract)
                if self.counted.is_some() =>
            {
                Use::Abstract
            }
            (Demands::Call(..), _) => Use::None,
            (_, Region::Start) if self.is_on => Use::Both,
            (_, Region::Start | Region::Real) => Use::Real,
            (_, Region::Abstract) => Use::Abstract,
            (_, Region::Mixed) => Use::Mixed,
        }
    }

    /// Whether no call was replaced on the path before a flip.
    pub fn is_real(&self, flip: Flip) -> bool {
        let info = self.facts.nodes.of(flip.node);
        info.is_none_or(|info| info.region.is_real())
    }

    /// The outlook of paths through the unit after a pending branch.
    pub fn outlook(&self, flip: Flip, view: &View<'_>) -> Outlook {
        let Some(info) = self.facts.nodes.of(flip.node) else {
            return Outlook::Open;
        };
        let units = &self.facts.units;
        let edge = view.open_goals.edge(BranchSite::of(flip, view.tree));
        let behind = edge.filter(|_| info.inside);
        let behind = behind.and_then(|edge| units.behind(info.place, edge));
        let place = behind.unwrap_or(info.place);
        match (units.is_ruled_out(place), units.is_finished(place)) {
            (true, _) => Outlook::Infeasible,
            (false, true) => Outlook::Known,
            (false, false) => Outlook::Open,
        }
    }
}
