//! The place of a flip in the program, whatever path leads there.

use vm::{Constraint, ConstraintKind, Context, Site};

use crate::path_tree::{Flip, PathTree};

/// A branch at a site, with its calling context and its round of the loops around it, on whatever
/// path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BranchSite {
    pub site: Site,
    /// The reason why an input decides here.
    pub kind: ConstraintKind,
    /// The calls on the stack.
    pub context: Context,
    /// How often the path passed the site before in the same call; an estimate, if often.
    pub repeats: u32,
    /// The branch's number at the site.
    pub branch: u32,
}

impl BranchSite {
    /// The place of the branch that an execution took.
    pub fn taken(constraint: &Constraint) -> BranchSite {
        BranchSite {
            site: constraint.site,
            kind: constraint.kind,
            context: constraint.context,
            repeats: constraint.repeats,
            branch: constraint.taken,
        }
    }

    /// The place of a flip whose node is in the tree.
    pub fn of(flip: Flip, tree: &PathTree) -> BranchSite {
        let node = tree.node(flip.node);
        BranchSite {
            site: node.site,
            kind: node.kind,
            context: node.context,
            repeats: node.repeats,
            branch: tree.branch(flip).number,
        }
    }
}
