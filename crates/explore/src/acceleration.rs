//! The accelerations of lazy expansion, by name.

/// The accelerations of lazy expansion. Each can be left out, to measure what it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Acceleration {
    /// Known paths of a function are taken again in its next calls (LATEST, section 4.3).
    Summaries,
    /// The siblings of a path that was made real are taken directly.
    SiblingPaths,
    /// Where a call may return what its guards ask, everything in it is executed at once.
    WholeExpansion,
    /// Calls after which executions left the abstract path are executed last.
    FutileCalls,
    /// Where inputs are rejected, the shortest abstract paths through a goal come first.
    AStar,
    /// A pruning: a call that can no longer return what its guards ask need not be executed.
    ReturnedValues,
    /// A pruning: no abstract path asks again for conditions that no path through a call meets.
    Nogoods,
    /// A pruning: a branch on which only constants decide has one edge on each path.
    DeterminedBranches,
}

impl Acceleration {
    /// All of them.
    pub const ALL: [Acceleration; 8] = [
        Acceleration::Summaries,
        Acceleration::SiblingPaths,
        Acceleration::WholeExpansion,
        Acceleration::FutileCalls,
        Acceleration::AStar,
        Acceleration::ReturnedValues,
        Acceleration::Nogoods,
        Acceleration::DeterminedBranches,
    ];

    /// Its name on the command line, in tables and in suites.
    pub fn name(self) -> &'static str {
        match self {
            Acceleration::Summaries => "summaries",
            Acceleration::SiblingPaths => "sibling-paths",
            Acceleration::WholeExpansion => "whole-expansion",
            Acceleration::FutileCalls => "futile-calls",
            Acceleration::AStar => "a-star",
            Acceleration::ReturnedValues => "returned-values",
            Acceleration::Nogoods => "nogoods",
            Acceleration::DeterminedBranches => "determined-branches",
        }
    }
}
