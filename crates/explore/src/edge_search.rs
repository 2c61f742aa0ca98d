//! Counts of a search for single edges, as PathCrawler counts them (section 5).

use coverage::{AbstractPaths, PathStatistics};
use ir::CodeEdge;
use ir::test::Outcome;
use vm::{ConstraintKind, Execution};

use crate::path_tree::{Flip, PathTree};

/// The counts.
pub(crate) struct EdgeSearch<'a> {
    code: AbstractPaths<'a>,
    pub statistics: PathStatistics,
}

impl<'a> EdgeSearch<'a> {
    /// Counts of nothing yet.
    pub fn new(code: AbstractPaths<'a>) -> EdgeSearch<'a> {
        EdgeSearch {
            code,
            statistics: PathStatistics::default(),
        }
    }

    /// Counts an execution that was made for a flip. `is_new` says whether it covers a goal that none
    /// before it did, and `is_open` whether an edge still covers an open goal.
    pub fn joined(
        &mut self,
        execution: &Execution,
        flip: Option<Flip>,
        tree: &PathTree,
        is_new: bool,
        is_open: impl Fn(CodeEdge) -> bool,
    ) {
        let ends_well = matches!(execution.outcome, Outcome::Return | Outcome::Exit(_));
        self.statistics.redundant += u64::from(ends_well && !is_new);
        let Some(trace) = execution.visited.ordered.as_ref() else {
            return;
        };
        let before = execution.visited.ordered_precondition.as_ref();
        let before = before.map_or(0, |trace| trace.len());
        let flipped = flip.and_then(|flip| tree.get(flip.node));
        let flipped = flipped.and_then(|node| execution.path.get(node.depth as usize));
        let since = flipped.map_or(0, |constraint| constraint.events + 1);
        let branches = execution.path.iter();
        let branches = branches.filter(|constraint| constraint.kind == ConstraintKind::Branch);
        let mut decided = branches.map(|constraint| constraint.events).peekable();
        for (event, edge) in trace.edges_at() {
            let event = before + event;
            while decided.next_if(|&other| other < event).is_some() {}
            if event >= since && decided.peek() != Some(&event) {
                let open = self.code.others(edge).filter(|&other| is_open(other));
                self.statistics.infeasible += open.count() as u64;
            }
        }
    }
}
