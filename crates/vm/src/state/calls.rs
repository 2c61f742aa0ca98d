//! The calls of an execution that may be replaced by inputs.

use std::collections::{BTreeMap, BTreeSet};

use ir::input::Root;
use ir::{ObjectId, TypeId};

use crate::ids::AllocationId;

/// The objects that a call can reach, each with the types that it is pointed to as.
pub(crate) type ReachedObjects = BTreeMap<AllocationId, BTreeSet<TypeId>>;

/// The calls of an execution that may be replaced, numbered inside each that was expanded.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    /// Those that are expanded and under way, outermost first.
    pub levels: Vec<Level>,
    /// How many were replaced.
    pub replaced: u32,
    /// How many of these take inputs that are numbered where they are executed.
    pub skipped: u32,
    /// What these may have kept pointers to.
    pub kept: ReachedObjects,
    /// The one that has just returned.
    pub returned: Option<usize>,
}

/// A call that is expanded; the first stands for the whole execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub call: Option<ObjectId>,
    /// How many calls are under way around it.
    pub depth: usize,
    /// How many calls that may be replaced were made in it.
    pub made: u32,
    /// Its position among those of the execution; of no meaning for the first.
    pub number: usize,
}

impl Default for Calls {
    fn default() -> Self {
        let whole = Level {
            call: None,
            depth: 0,
            made: 0,
            number: 0,
        };
        Calls {
            levels: vec![whole],
            replaced: 0,
            skipped: 0,
            kept: ReachedObjects::new(),
            returned: None,
        }
    }
}

impl Calls {
    /// The logical address of the next call.
    pub fn next(&mut self) -> Root {
        let level = self.levels.last_mut();
        let (within, nth) = level.map_or((None, 0), |level| {
            level.made += 1;
            (level.call, level.made - 1)
        });
        Root::Call { within, nth }
    }

    /// Whether a call is under way that could be replaced and was not.
    #[inline(always)]
    pub fn is_in_expanded(&self) -> bool {
        self.levels.len() > 1
    }

    /// Records that all calls but this many have returned.
    #[inline]
    pub fn returned_to(&mut self, calls: usize) {
        self.returned = None;
        while self.levels.len() > 1
            && let Some(level) = self.levels.pop_if(|level| level.depth >= calls)
        {
            self.returned = Some(level.number);
        }
    }
}
