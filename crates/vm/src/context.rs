//! Calling contexts: which calls are under way, as a number.
//!
//! The same place in a program means another thing under other calls: where control can go from it
//! depends on who called. A context is numbered only when something of interest happens in it, so
//! that calls without symbolic data pay nothing.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::Site;

index_vec::define_index_type! {
    /// The calls that were under way at some place, as a number of [`Contexts`].
    pub struct Context = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// The contexts that executions have met, numbered; a context comes after that of its caller.
#[derive(Clone, Debug)]
pub struct Contexts {
    callers: IndexVec<Context, Option<(Context, Site)>>,
    numbers: FxHashMap<(Context, Site), Context>,
}

impl Contexts {
    /// The context of the outermost function.
    pub const OUTERMOST: Context = Context { _raw: 0 };

    /// The context of a call at this site in this context, numbered now if it is new.
    pub fn of_call(&mut self, caller: Context, site: Site) -> Context {
        let callers = &mut self.callers;
        *self
            .numbers
            .entry((caller, site))
            .or_insert_with(|| callers.push(Some((caller, site))))
    }

    /// The context and the place of the call that a context is; `None` for the outermost.
    pub fn caller(&self, context: Context) -> Option<(Context, Site)> {
        self.callers[context]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.callers.len()
    }

    /// Never, since there is always the outermost.
    pub fn is_empty(&self) -> bool {
        self.callers.is_empty()
    }
}

impl Default for Contexts {
    fn default() -> Self {
        Contexts {
            callers: IndexVec::from_vec(vec![None]),
            numbers: FxHashMap::default(),
        }
    }
}
