//! Numbers of what an execution makes and of positions in prepared code.

/// Index of an allocation; allocations are numbered in order of their addresses, and no number is
/// used twice in one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AllocationId(pub u32);

/// A position in [`crate::code::Prepared::ops`].
pub(crate) type Pc = u32;
