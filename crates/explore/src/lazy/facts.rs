//! Facts from executions about paths, which the core of lazy expansion and its accelerations read.

use super::node_info::NodeInfos;
use super::returns::ReturnValues;
use super::unit_paths::UnitPaths;
use super::whole_paths::WholePaths;

/// The facts.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The paths through the unit.
    pub units: UnitPaths,
    /// Those through the unit and the calls that were executed.
    pub whole_paths: WholePaths,
    /// The places of the nodes of the path tree on them.
    pub nodes: NodeInfos,
    /// The values that calls may return.
    pub returns: ReturnValues,
    /// Whether executions were rejected, or could have been.
    pub are_rejected: bool,
}
