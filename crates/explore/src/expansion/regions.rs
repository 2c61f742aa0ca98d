//! Where the nodes of the path tree are: on which path through the unit, and behind which calls.

use ir::input::CallMode;
use slotmap::SecondaryMap;
use vm::{ConstraintKind, Execution};

use super::units::UnitNode;
use crate::path_tree::{Flip, NodeId};

/// What became of the calls before a node that can be replaced by inputs.
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
    /// Behind one more call.
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

/// Where a node is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Station {
    /// The edges of the unit before it.
    pub place: UnitNode,
    /// How many these are.
    pub position: u32,
    /// Whether it is in a function of the unit itself.
    pub inside: bool,
    /// Behind which calls it is.
    pub region: Region,
}

/// The stations of the nodes of a path tree.
#[derive(Debug, Default)]
pub(crate) struct Stations(SecondaryMap<NodeId, Station>);

impl Stations {
    /// Where a node is.
    pub fn of(&self, node: NodeId) -> Option<Station> {
        self.0.get(node).copied()
    }

    /// Takes note of the nodes on an execution's path. `places` are those that its path through the
    /// unit comes by.
    pub fn note(&mut self, execution: &Execution, nodes: &[Flip], places: &[UnitNode]) {
        let along = nodes.iter().zip(regions(execution));
        for ((flip, region), at) in along.zip(&execution.unit.places) {
            if self.0.contains_key(flip.node) {
                continue;
            }
            let Some(&place) = places.get(at.edges as usize) else {
                return;
            };
            let station = Station {
                place,
                position: at.edges,
                inside: at.inside,
                region,
            };
            self.0.insert(flip.node, station);
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
