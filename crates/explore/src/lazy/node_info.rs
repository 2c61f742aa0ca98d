//! The places of the nodes of the path tree: on which path through the unit, and after which calls.

use std::sync::Arc;

use expr::Terms;
use ir::ObjectId;
use ir::input::CallMode;
use slotmap::SecondaryMap;
use vm::{ConstraintKind, Execution};

use super::returns::{self, UnitCall};
use super::unit_paths::UnitNode;
use super::whole_paths::WholeNode;
use crate::path_tree::{Flip, NodeId};

/// Whether the calls before a node that can be replaced by inputs were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// There is none.
    Start,
    /// All were executed: what follows is real.
    Real,
    /// All were replaced.
    Abstract,
    /// Some were executed, and others replaced.
    Mixed,
}

impl Region {
    /// The region after one more call.
    pub fn behind(self, mode: CallMode) -> Region {
        match (self, mode) {
            (Region::Start | Region::Real, CallMode::Entered) => Region::Real,
            (Region::Start | Region::Abstract, CallMode::Abstract | CallMode::Ends) => {
                Region::Abstract
            }
            _ => Region::Mixed,
        }
    }

    /// Whether no call was replaced.
    pub fn is_real(self) -> bool {
        matches!(self, Region::Start | Region::Real)
    }
}

/// The facts about a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeInfo {
    /// The edges of the unit before it.
    pub place: UnitNode,
    /// All edges before it.
    pub whole: WholeNode,
    /// Whether it is in a function of the unit itself.
    pub inside: bool,
    /// Its region.
    pub region: Region,
    /// The calls that it is in and that could be replaced, the outermost first.
    pub calls: Arc<[UnitCall]>,
    /// Calls before it that were executed and returned a constant, with that.
    pub returned: Arc<[(ObjectId, u128)]>,
}

/// The facts about the nodes of a path tree.
#[derive(Debug, Default)]
pub(crate) struct NodeInfos(SecondaryMap<NodeId, NodeInfo>);

impl NodeInfos {
    /// The facts about a node.
    pub fn of(&self, node: NodeId) -> Option<&NodeInfo> {
        self.0.get(node)
    }

    /// Records the nodes on an execution's path. `places` are those on its path through the unit,
    /// and `whole` those on its whole path.
    pub fn note(
        &mut self,
        execution: &Execution,
        nodes: &[Flip],
        places: &[UnitNode],
        whole: &[WholeNode],
        terms: &Terms,
    ) {
        let calls = returns::calls(execution).zip(returns::returned(execution, terms));
        let along = regions(execution).zip(calls);
        let along = along.zip(&execution.unit.places);
        for (flip, ((region, (calls, returned)), at)) in nodes.iter().zip(along) {
            if self.0.contains_key(flip.node) {
                continue;
            }
            let place = places.get(at.edges as usize);
            let Some((&place, &whole)) = place.zip(whole.get(at.whole as usize)) else {
                return;
            };
            let info = NodeInfo {
                place,
                whole,
                inside: at.inside,
                region,
                calls,
                returned,
            };
            self.0.insert(flip.node, info);
        }
    }
}

/// The region of each constraint of a path.
fn regions(execution: &Execution) -> impl Iterator<Item = Region> + '_ {
    let mut region = Region::Start;
    execution.path.iter().map(move |constraint| {
        let here = region;
        if let ConstraintKind::Call(_) = constraint.kind {
            region = region.behind(CallMode::ALL[constraint.taken as usize]);
        }
        here
    })
}

/// The position of the first constraint of a path at which a call is replaced.
pub(crate) fn first_replaced(execution: &Execution) -> Option<usize> {
    let entered = CallMode::Entered as u32;
    execution.path.iter().position(|constraint| {
        matches!(constraint.kind, ConstraintKind::Call(_)) && constraint.taken != entered
    })
}
