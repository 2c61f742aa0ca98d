//! The objects that a call of a function without a body reaches, as data.

use std::collections::{BTreeMap, BTreeSet};

use ir::TypeId;

use super::route::Route;
use crate::ids::AllocationId;

/// An object that a call may change.
pub(super) struct Changed {
    /// The route of the call to it.
    pub route: Route,
    /// The type that it is pointed to as, if that is known.
    pub seen_as: Option<TypeId>,
    /// The bytes of it that may be changed, if not all.
    pub part: Option<(u64, u64)>,
    /// Whether the function may keep a pointer to it.
    pub kept: bool,
    /// Whether it is what the C library remembers, such as `errno`.
    pub is_state: bool,
}

/// What a call can reach.
#[derive(Default)]
pub(super) struct Reached {
    /// What it may change.
    pub changed: BTreeMap<AllocationId, Changed>,
    /// What it does not change, but may return a pointer to.
    pub given: Vec<(AllocationId, Route)>,
    /// What it could change as no candidate offers.
    pub narrowed: Vec<(AllocationId, (u64, u64))>,
    /// What it was given in ways that tests cannot name.
    pub unnamed: BTreeSet<AllocationId>,
}

/// Something that a pointer leads to.
pub(super) struct Target {
    pub id: AllocationId,
    /// Where in it, counted from its start.
    pub offset: u64,
    pub route: Option<Route>,
    pub seen_as: Option<TypeId>,
    /// Whether the pointer is an argument, with that type.
    pub is_argument: bool,
    /// The bytes of it that are meant, if that is known.
    pub part: Option<(u64, u64)>,
}
