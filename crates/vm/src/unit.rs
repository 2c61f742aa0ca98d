//! The path of an execution through the unit: through the functions that are tested themselves,
//! whatever the functions that these call do meanwhile (LATEST, section 2).
//!
//! A call is inside the unit if all calls around it are of functions of the unit. What a function
//! of the unit does when it is called from outside is no part of the path.

use std::collections::BTreeSet;

use ir::{CodeEdge, FunctionId, ObjectId};

use crate::log::Log;

/// The functions whose path counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestedUnit {
    /// The functions.
    pub functions: BTreeSet<FunctionId>,
    /// Whether calls of a function that is under way count too. If not, the path goes through one
    /// activation of each function at a time, and a recursive call is one like any other.
    pub recursive: bool,
}

/// The path of an execution through the unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitPath {
    /// The edges out of the branches and switches of the unit, in the order of execution.
    pub edges: Vec<CodeEdge>,
    /// These, and those of calls that could be replaced and were not.
    pub whole: Vec<WholeEdge>,
    /// Where each constraint of the path condition is on it.
    pub places: Vec<UnitPlace>,
}

/// An edge of the unit, or of a call that could be replaced and was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WholeEdge {
    /// The edge.
    pub edge: CodeEdge,
    /// The innermost such call that it is in; `None` in the unit.
    pub call: Option<ObjectId>,
}

/// Where a constraint of the path condition is on the path through the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitPlace {
    /// How many edges of the unit come before it.
    pub edges: u32,
    /// How many edges of the whole path do.
    pub whole: u32,
    /// Whether it is in a function of the unit itself, and not in one that is called there.
    pub inside: bool,
}

/// Tracks which calls are in the unit, and records the path through it.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitTracker {
    /// See [`UnitPath`].
    edges: Log<CodeEdge>,
    whole: Log<WholeEdge>,
    places: Log<UnitPlace>,
    /// How many of the calls under way, from the outermost on, are inside.
    depth: usize,
    /// Whether the innermost call is.
    pub inside: bool,
    /// The functions of these calls.
    active: Vec<FunctionId>,
}

impl UnitTracker {
    /// Records that a call is entered. Before it, `calls` were active.
    pub fn entered(&mut self, function: FunctionId, calls: usize, unit: &TestedUnit) {
        let counts = self.depth == calls
            && unit.functions.contains(&function)
            && (unit.recursive || !self.active.contains(&function));
        if counts {
            self.depth += 1;
            self.active.push(function);
        }
        self.inside = counts;
    }

    /// Makes the next copy share the path so far.
    pub fn share(&mut self) {
        self.edges.share();
        self.whole.share();
        self.places.share();
    }

    /// The path.
    pub fn into_path(self) -> UnitPath {
        UnitPath {
            edges: self.edges.into_vec(),
            whole: self.whole.into_vec(),
            places: self.places.into_vec(),
        }
    }

    /// Records that an edge was taken in the unit, or in a call that could be replaced.
    pub fn took(&mut self, edge: CodeEdge, call: Option<ObjectId>) {
        if self.inside {
            self.edges.push(edge);
        }
        self.whole.push(WholeEdge { edge, call });
    }

    /// Records that the path condition has one more constraint.
    pub fn constrained(&mut self) {
        self.places.push(UnitPlace {
            edges: self.edges.len() as u32,
            whole: self.whole.len() as u32,
            inside: self.inside,
        });
    }

    /// Records that the innermost call ended. After it, `calls` are active.
    pub fn left(&mut self, calls: usize) {
        if self.depth > calls {
            self.depth = calls;
            self.active.truncate(calls);
        }
        self.inside = self.depth == calls;
    }
}

#[cfg(test)]
mod tests {
    use ir::FunctionId;

    use super::{TestedUnit, UnitTracker};

    fn unit(recursive: bool) -> TestedUnit {
        TestedUnit {
            functions: [0, 1].map(FunctionId::from_raw).into(),
            recursive,
        }
    }

    fn enter(tracker: &mut UnitTracker, function: u32, calls: usize, unit: &TestedUnit) -> bool {
        tracker.entered(FunctionId::from_raw(function), calls, unit);
        tracker.inside
    }

    #[test]
    fn a_call_is_inside_if_all_calls_around_it_are() {
        let (mut tracker, unit) = (UnitTracker::default(), unit(true));
        assert!(enter(&mut tracker, 0, 0, &unit));
        assert!(enter(&mut tracker, 1, 1, &unit));
        assert!(!enter(&mut tracker, 2, 2, &unit));
        assert!(
            !enter(&mut tracker, 0, 3, &unit),
            "it is called from outside"
        );
        tracker.left(3);
        assert!(!tracker.inside);
        tracker.left(2);
        assert!(tracker.inside);
        assert!(enter(&mut tracker, 0, 2, &unit));
    }

    #[test]
    fn a_recursive_call_is_outside_where_one_activation_counts() {
        let (mut tracker, unit) = (UnitTracker::default(), unit(false));
        assert!(enter(&mut tracker, 0, 0, &unit));
        assert!(!enter(&mut tracker, 0, 1, &unit));
        tracker.left(1);
        assert!(tracker.inside);
        assert!(enter(&mut tracker, 1, 1, &unit));
        tracker.left(1);
        assert!(enter(&mut tracker, 1, 1, &unit), "a later activation");
    }
}
