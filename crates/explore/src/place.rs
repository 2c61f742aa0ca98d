//! The place of a flip in the program, whatever path leads there.

use vm::{Constraint, ConstraintKind, Context, Site};

use crate::path_tree::{Flip, PathTree};

/// A way out of a site, with its calling context and its round of the loops around it, on whatever
/// path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub site: Site,
    /// The reason why an input decides here.
    pub kind: ConstraintKind,
    /// The calls under way.
    pub context: Context,
    /// How often the path passed the site before in the same call; an estimate, if often.
    pub repeats: u32,
    /// The way's number at the site.
    pub way: u32,
}

impl Place {
    /// The place of the way that an execution took.
    pub fn taken(constraint: &Constraint) -> Place {
        Place {
            site: constraint.site,
            kind: constraint.kind,
            context: constraint.context,
            repeats: constraint.repeats,
            way: constraint.taken,
        }
    }

    /// The place of a flip whose node is in the tree.
    pub fn of(flip: Flip, tree: &PathTree) -> Place {
        let node = tree.node(flip.node);
        Place {
            site: node.site,
            kind: node.kind,
            context: node.context,
            repeats: node.repeats,
            way: tree.way(flip).number,
        }
    }
}
