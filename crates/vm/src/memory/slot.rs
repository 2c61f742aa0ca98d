//! How a memory holds an allocation: as its own, or shared with copies of the memory until it is
//! written to.

use std::sync::Arc;

use super::Allocation;
use crate::ids::AllocationId;

/// An allocation of a memory.
#[derive(Debug)]
pub(super) enum Slot {
    /// It is static and equals the one of this number in the memory's [`super::Image`].
    Initial(u32),
    /// The same, but the buffers of an earlier execution are there, for its next change.
    Restored(u32, Box<Allocation>),
    /// No other memory holds it.
    Own(Box<Allocation>),
    /// Copies of the memory may hold it too.
    Shared(Arc<Allocation>),
}

impl Slot {
    /// The allocation.
    #[inline(always)]
    pub fn get<'a>(&'a self, initial: &'a [Allocation]) -> &'a Allocation {
        match self {
            Slot::Own(allocation) | Slot::Restored(_, allocation) => allocation,
            Slot::Shared(allocation) => allocation,
            Slot::Initial(index) => &initial[*index as usize],
        }
    }

    /// The allocation, to be changed. Adds its number to `changed` if it was as in the image.
    #[inline(always)]
    pub fn get_mut(
        &mut self,
        id: AllocationId,
        initial: &[Allocation],
        changed: &mut Vec<AllocationId>,
    ) -> &mut Allocation {
        match self {
            Slot::Own(allocation) => allocation,
            other => other.make_own(id, initial, changed),
        }
    }

    #[cold]
    fn make_own(
        &mut self,
        id: AllocationId,
        initial: &[Allocation],
        changed: &mut Vec<AllocationId>,
    ) -> &mut Allocation {
        if matches!(self, Slot::Initial(_) | Slot::Restored(..)) {
            changed.push(id);
        }
        let own = std::mem::replace(self, Slot::Initial(id.0)).into_own(initial);
        *self = Slot::Own(own);
        self.get_mut(id, initial, changed)
    }

    /// The allocation, copied only if it is in other memories too.
    pub fn into_own(self, initial: &[Allocation]) -> Box<Allocation> {
        match self {
            Slot::Own(allocation) | Slot::Restored(_, allocation) => allocation,
            Slot::Shared(allocation) => Box::new(Arc::unwrap_or_clone(allocation)),
            Slot::Initial(index) => Box::new(initial[index as usize].clone()),
        }
    }

    /// The allocation, if no other memory needs it.
    pub fn into_unshared(self) -> Option<Box<Allocation>> {
        match self {
            Slot::Own(allocation) | Slot::Restored(_, allocation) => Some(allocation),
            Slot::Shared(allocation) => Arc::into_inner(allocation).map(Box::new),
            Slot::Initial(_) => None,
        }
    }

    /// Makes copies of the slot share its allocation.
    pub fn share(&mut self) {
        if let Slot::Own(_) = self
            && let Slot::Own(allocation) = std::mem::replace(self, Slot::Initial(0))
        {
            *self = Slot::Shared(Arc::new(*allocation));
        }
    }

    /// Whether both are one allocation, so that there is nothing to compare.
    pub fn is_same(&self, other: &Slot) -> bool {
        match (self, other) {
            (
                Slot::Initial(left) | Slot::Restored(left, _),
                Slot::Initial(right) | Slot::Restored(right, _),
            ) => left == right,
            (Slot::Shared(left), Slot::Shared(right)) => Arc::ptr_eq(left, right),
            _ => false,
        }
    }
}

/// Copies nothing but what was changed since the last [`Slot::share`].
impl Clone for Slot {
    fn clone(&self) -> Self {
        match self {
            Slot::Initial(index) | Slot::Restored(index, _) => Slot::Initial(*index),
            Slot::Own(allocation) => Slot::Own(allocation.clone()),
            Slot::Shared(allocation) => Slot::Shared(allocation.clone()),
        }
    }
}
