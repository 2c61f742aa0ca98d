//! How often the search tried each branch, and the results.

use coverage::Tries;
use ir::{CodeBlock, CodeEdge};
use rustc_hash::FxHashMap;
use vm::ConstraintKind;

use crate::branch_site::BranchSite;
use crate::open_goals::OpenGoals;

/// The results of trying flips, by the edge that they take out of a branch or switch, on whatever path.
/// Flips of other choices of an input, such as where a pointer points, count for their block. The
/// edge that an execution takes behind such a choice is not noted.
#[derive(Debug, Default)]
pub(crate) struct TryCounts {
    counts: FxHashMap<(CodeBlock, Option<CodeEdge>), Tries>,
}

impl TryCounts {
    /// The counts for flips at a place; `None` for those that lead on to nothing of their own, as the
    /// violation of a check.
    pub fn at(&mut self, place: BranchSite, open_goals: &OpenGoals<'_>) -> Option<&mut Tries> {
        let edge = match place.kind {
            ConstraintKind::Branch => Some(open_goals.edge(place)?),
            ConstraintKind::PointerChoice(_) | ConstraintKind::Concretisation => None,
            ConstraintKind::Check(_) | ConstraintKind::Call(_) | ConstraintKind::Assumption => {
                return None;
            }
        };
        let block = open_goals.block(place.site);
        Some(self.counts.entry((block, edge)).or_default())
    }

    /// The counts of flips that take an edge out of a block, and of other choices in the block that no
    /// execution took.
    pub fn of(&self, block: CodeBlock, edge: Option<CodeEdge>) -> Tries {
        let of = |edge| self.counts.get(&(block, edge)).copied().unwrap_or_default();
        let others = Tries {
            taken: 0,
            ..of(None)
        };
        match edge {
            Some(_) => of(edge).and(others),
            None => others,
        }
    }
}
