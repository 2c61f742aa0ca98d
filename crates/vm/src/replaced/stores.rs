//! Which objects may lie around the places that stores through pointers change.

use ir::effects::Stores;
use ir::sharing::{contains, fits_in_array, is_of_characters, may_overlap, share_characters};
use ir::{Program, TypeId};

use crate::memory::Kind;

/// Whether a store may change an object of this type that lies inside the stored-to object, or
/// overlaps it although no candidate says so. An object without a declared type has the type of the
/// last store.
pub(super) fn may_be_around(stores: &Stores, program: &Program, kind: Kind, ty: TypeId) -> bool {
    if program.target.relaxed_aliasing {
        return !stores.is_empty();
    }
    let types = &program.types;
    let element = types.element_of(ty);
    let shares = |place: TypeId| {
        let stored = types.element_of(place);
        may_overlap(types, element, stored)
            || is_of_characters(types, stored)
            || match kind {
                Kind::Global(_) => element != stored && fits_in_array(types, ty, stored),
                _ => contains(types, stored, element) || share_characters(types, place, element),
            }
    };
    let fields = stores.members.iter().filter_map(|&(record, index)| {
        let fields = &types.record(record)?.fields;
        Some(fields.get(index as usize)?.ty)
    });
    let records = stores.members.iter().map(|&(record, _)| record);
    let mut stored = stores.types.iter().copied().chain(fields);
    stored.any(shares)
        || records.into_iter().any(|record| match kind {
            Kind::Global(_) => shares(record),
            _ => may_overlap(types, element, record) || is_of_characters(types, record),
        })
}
