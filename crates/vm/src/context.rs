//! Calling contexts: which calls are under way, as a number.
//!
//! The same place in a program means another thing under other calls: where control can go from it
//! depends on who called, and in which round of a loop. A context is numbered only when something
//! of interest happens in it, so that calls without symbolic data pay nothing.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::ids::Pc;
use crate::site::Site;

index_vec::define_index_type! {
    /// The calls that were under way at some place, as a number of [`Contexts`].
    pub struct Context = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// A call: its caller's context, its place, and how many calls from there in the same activation of
/// the caller were numbered before it, [`roughly`].
type Call = (Context, Site, u32);

/// The contexts that executions have met, numbered; a context comes after that of its caller.
#[derive(Clone, Debug)]
pub struct Contexts {
    calls: IndexVec<Context, Option<Call>>,
    numbers: FxHashMap<Call, Context>,
}

impl Contexts {
    /// The context of the outermost function.
    pub const OUTERMOST: Context = Context { _raw: 0 };

    /// The context of a call, numbered now if it is new.
    fn of_call(&mut self, call: Call) -> Context {
        let calls = &mut self.calls;
        *self
            .numbers
            .entry(call)
            .or_insert_with(|| calls.push(Some(call)))
    }

    /// The context and the place of the call that a context is; `None` for the outermost.
    pub fn caller(&self, context: Context) -> Option<(Context, Site)> {
        self.calls[context].map(|(caller, site, _)| (caller, site))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Never, since there is always the outermost.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

impl Default for Contexts {
    fn default() -> Self {
        Contexts {
            calls: IndexVec::from_vec(vec![None]),
            numbers: FxHashMap::default(),
        }
    }
}

/// A small count as it is, a larger one as its order of magnitude.
fn roughly(count: u32) -> u32 {
    const EXACT: u32 = 32;
    match count {
        0..EXACT => count,
        _ => EXACT + count.ilog2(),
    }
}

/// A call under way whose context has a number.
#[derive(Clone, Copy, Debug)]
struct Activation {
    context: Context,
    /// Which of the execution's.
    number: u32,
}

/// The contexts of the calls under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveContexts {
    /// Those of the outermost calls, as far as they have a number yet.
    active: Vec<Activation>,
    /// How many were there so far.
    activations: u32,
    /// How often something of interest happened at a place in an activation.
    repeats: FxHashMap<(u32, Pc), u32>,
}

impl ActiveContexts {
    /// Records that all calls but this many have returned.
    #[inline]
    pub fn returned_to(&mut self, calls: usize) {
        self.active.truncate(calls);
    }

    /// The context of the innermost call, and how often, roughly, something of interest happened at
    /// this place since it began. `callers` are the places of the active calls, outermost first;
    /// the first one has no meaning.
    pub fn at(
        &mut self,
        pc: Pc,
        callers: impl Iterator<Item = Pc>,
        sites: &[Site],
        contexts: &mut Contexts,
    ) -> (Context, u32) {
        for caller in callers.skip(self.active.len()) {
            let context = match self.active.last().copied() {
                None => Contexts::OUTERMOST,
                Some(activation) => {
                    let before = self.count(activation, caller);
                    contexts.of_call((activation.context, sites[caller as usize], before))
                }
            };
            self.active.push(Activation {
                context,
                number: self.activations,
            });
            self.activations += 1;
        }
        match self.active.last().copied() {
            None => (Contexts::OUTERMOST, 0),
            Some(activation) => (activation.context, self.count(activation, pc)),
        }
    }

    /// How often something happened there before.
    fn count(&mut self, activation: Activation, pc: Pc) -> u32 {
        let count = self.repeats.entry((activation.number, pc)).or_default();
        *count += 1;
        roughly(*count - 1)
    }
}
