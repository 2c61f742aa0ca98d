//! The whole paths of executions, as a tree: through the unit and through the calls that could be
//! replaced and were not.

use index_vec::IndexVec;
use ir::ObjectId;
use ir::input::{InputSpace, Root};
use rustc_hash::FxHashMap;
use vm::WholeEdge;

index_vec::define_index_type! {
    /// A place on whole paths: the edges that lead there from the start.
    pub(crate) struct WholeNode = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// The tree; see the module.
#[derive(Debug)]
pub(crate) struct WholePaths {
    /// The place before each, and the edge between them; nothing for the start.
    before: IndexVec<WholeNode, Option<(WholeNode, WholeEdge)>>,
    behind: FxHashMap<(WholeNode, WholeEdge), WholeNode>,
    /// The call that each call was made in.
    around: FxHashMap<ObjectId, Option<ObjectId>>,
}

impl Default for WholePaths {
    fn default() -> Self {
        WholePaths {
            before: IndexVec::from_vec(vec![None]),
            behind: FxHashMap::default(),
            around: FxHashMap::default(),
        }
    }
}

impl WholePaths {
    /// The place before any edge.
    pub const START: WholeNode = WholeNode { _raw: 0 };

    /// The places that a path comes by, the start first, its end last.
    pub fn walk(&mut self, edges: &[WholeEdge], space: &InputSpace) -> Vec<WholeNode> {
        let mut here = WholePaths::START;
        let mut trail = Vec::with_capacity(edges.len() + 1);
        trail.push(here);
        for &edge in edges {
            let mut call = edge.call;
            while let Some(inner) = call
                && !self.around.contains_key(&inner)
            {
                call = made_in(inner, space);
                self.around.insert(inner, call);
            }
            let before = &mut self.before;
            let behind = self.behind.entry((here, edge));
            here = *behind.or_insert_with(|| before.push(Some((here, edge))));
            trail.push(here);
        }
        trail
    }

    /// The place before this one, and the edge between them.
    pub fn before(&self, trail: WholeNode) -> Option<(WholeNode, WholeEdge)> {
        self.before[trail]
    }

    /// A call and those that it was made in, from the innermost on.
    pub fn around(&self, call: Option<ObjectId>) -> impl Iterator<Item = ObjectId> + '_ {
        std::iter::successors(call, |call| self.around.get(call).copied().flatten())
    }
}

/// The call that a call was made in.
fn made_in(call: ObjectId, space: &InputSpace) -> Option<ObjectId> {
    match space.object_data(call).root {
        Root::Call { within, .. } => within,
        _ => None,
    }
}
