//! The accelerations of lazy expansion, by name.

/// The accelerations of lazy expansion. Each can be left out, to measure what it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Acceleration {
    /// Known paths of a function are taken again in its next calls (LATEST, section 4.3).
    Summaries,
    /// Paths beside one that was made real are taken directly.
    SiblingPaths,
    /// Where a call may return what is asked of it, all that follows is executed at once.
    WholeExpansion,
    /// Calls behind which executions left the abstract path are executed last.
    FutileCalls,
    /// Where inputs are rejected, the shortest abstract paths through a goal come first.
    AStar,
    /// A pruning: a call that can no longer return what the path asks of it need not be executed.
    ReturnedValues,
    /// A pruning: what no path through a call meets, no abstract path needs to ask again.
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
