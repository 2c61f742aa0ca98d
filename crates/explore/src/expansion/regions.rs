//! Where the nodes of the path tree are: on which path through the unit, and behind which calls.

use std::rc::Rc;

use expr::Terms;
use ir::ObjectId;
use ir::input::CallMode;
use slotmap::SecondaryMap;
use vm::{ConstraintKind, Execution};

use super::trails::Trail;
use super::units::UnitNode;
use super::within::{self, UnitCall};
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
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// The edges of the unit before it.
    pub place: UnitNode,
    /// All edges before it.
    pub trail: Trail,
    /// Whether it is in a function of the unit itself.
    pub inside: bool,
    /// Behind which calls it is.
    pub region: Region,
    /// The calls that it is in and that could be replaced, the outermost first.
    pub calls: Rc<[UnitCall]>,
    /// Calls before it that were executed and returned a constant, with that.
    pub returned: Rc<[(ObjectId, u128)]>,
}

/// The stations of the nodes of a path tree.
#[derive(Debug, Default)]
pub(crate) struct Stations(SecondaryMap<NodeId, Station>);

impl Stations {
    /// Where a node is.
    pub fn of(&self, node: NodeId) -> Option<&Station> {
        self.0.get(node)
    }

    /// Records the nodes on an execution's path. `places` are those that its path through the
    /// unit comes by, and `trail` those of its whole path.
    pub fn note(
        &mut self,
        execution: &Execution,
        nodes: &[Flip],
        places: &[UnitNode],
        trail: &[Trail],
        terms: &Terms,
    ) {
        let calls = within::calls(execution).zip(within::returned(execution, terms));
        let along = regions(execution).zip(calls);
        let along = along.zip(&execution.unit.places);
        for (flip, ((region, (calls, returned)), at)) in nodes.iter().zip(along) {
            if self.0.contains_key(flip.node) {
                continue;
            }
            let place = places.get(at.edges as usize);
            let Some((&place, &trail)) = place.zip(trail.get(at.whole as usize)) else {
                return;
            };
            let station = Station {
                place,
                trail,
                inside: at.inside,
                region,
                calls,
                returned,
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
