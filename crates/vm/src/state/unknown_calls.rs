//! What an execution knows about its calls of functions without a body.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use ir::{CellId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::AllocationId;
use crate::value::Value;

/// What an execution knows about its calls of functions without a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnknownCalls {
    /// How many were made.
    pub made: u32,
    /// Which of them an input object comes from.
    pub made_by: FxHashMap<ObjectId, u32>,
    /// The objects, not inputs of the caller, that such functions were given, with the object's
    /// name after that and the number of the call.
    pub given: BTreeMap<AllocationId, (ObjectId, u32)>,
    /// Those of them that functions may have kept pointers to, and to what part, if not to all.
    pub kept: BTreeMap<AllocationId, (ObjectId, Option<(u64, u64)>)>,
    /// The objects that such functions could make pointers to from numbers.
    pub exposed: BTreeSet<AllocationId>,
    /// The constants that such functions were given.
    pub constants: FxHashSet<AllocationId>,
    /// How many allocations there were when functions were called that could free objects.
    pub could_free: Vec<usize>,
    /// What functions returned that share objects to return pointers to, by what they share.
    pub static_results: BTreeMap<String, Vec<Value>>,
    /// What pointers were before a call that may have changed them.
    pub before: FxHashMap<CellId, Value>,
    /// The results that are either NULL or an argument; `before` has the argument.
    pub either: FxHashSet<CellId>,
    /// The results that are NULL or memory which the function allocated.
    pub allocated: FxHashSet<CellId>,
}

/// Hashes all that decides what later calls do, except the values of cells that were looked at and
/// the objects that could be freed.
impl Hash for UnknownCalls {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let constants: BTreeSet<AllocationId> = self.constants.iter().copied().collect();
        (self.made, &self.given, &self.kept, &self.exposed, constants).hash(state);
        for (family, results) in &self.static_results {
            family.hash(state);
            for value in results {
                (value.bits, value.shadow).hash(state);
            }
        }
    }
}

impl UnknownCalls {
    /// How many allocations there were when functions were called that could free objects.
    pub fn could_free(&self) -> &[usize] {
        &self.could_free
    }
}
