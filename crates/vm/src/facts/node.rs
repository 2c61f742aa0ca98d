//! Places that values flow through, by the form of the code.

use ir::{FunctionId, GlobalId, Local, RecordId, TypeId};

/// A place that values flow through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Node {
    /// A local, a parameter among them; arrays with their elements.
    Local(FunctionId, Local),
    /// A global.
    Global(GlobalId),
    /// A member, of all objects of the record.
    Field(RecordId, u32),
    /// What a function returns.
    Result(FunctionId),
    /// What pointers to this type point to, outside records.
    Behind(TypeId),
}
