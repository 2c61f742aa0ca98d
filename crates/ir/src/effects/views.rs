//! The types as which a call may access an object beside its own type: pointers to it may be cast,
//! from `void *` to the type that memory from `malloc` is used as, or from a base to a derived
//! record.

use std::collections::BTreeSet;

use super::Effects;
use crate::sharing::contains_exactly;
use crate::{Type, TypeId, Types};

impl Effects {
    /// Whether stores may change an object that is accessed as another type. The pointers by which
    /// the call reaches it say as which types it is first accessed (`seen_as`).
    pub fn change_as_other(
        &self,
        types: &Types,
        element: TypeId,
        seen_as: &BTreeSet<TypeId>,
    ) -> bool {
        let views = self.views(types, seen_as.iter().copied().chain([element]));
        let others = views
            .iter()
            .filter(|&&view| !contains_exactly(types, element, view));
        let mut changed = others.map(|&view| self.stores.changed(types, view));
        changed.any(|ranges| !ranges.is_empty())
    }

    /// The types as which objects may be accessed that are accessed as these.
    fn views(&self, types: &Types, first: impl Iterator<Item = TypeId>) -> BTreeSet<TypeId> {
        let mut views: BTreeSet<TypeId> = first.collect();
        let mut waiting: Vec<TypeId> = views.iter().copied().collect();
        while let Some(view) = waiting.pop() {
            let is_unknown = |ty: TypeId| matches!(types.kind(ty), Type::Void);
            let from_here = self.casts.iter().filter(|&&(from, _)| {
                from == view || (!is_unknown(from) && contains_exactly(types, view, from))
            });
            waiting.extend(from_here.map(|&(_, to)| to).filter(|&to| views.insert(to)));
        }
        views
    }
}
