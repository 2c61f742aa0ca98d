//! The state that a call depends on, as a number (LATEST, section 4.3: the context that a
//! path of a function depends on).
//!
//! A call depends on its arguments, the globals that its function uses, what lies at constant
//! addresses, and what these lead to. Equal numbers stand for equal contents: a collision of 128
//! bits of SipHash is not to be expected.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use siphasher::sip128::{Hasher128, SipHasher13};

use ir::{CellId, FunctionId, TypeId};

use crate::code::{Argument, CallCode};
use crate::config::CallPolicy;
use crate::ids::AllocationId;
use crate::memory::{CHANGED, Kind, Life, UNSEEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::value::{Shadow, Value};

/// A hash of everything that is added to it.
struct Fingerprint(SipHasher13);

impl Fingerprint {
    fn new() -> Fingerprint {
        Fingerprint(SipHasher13::new())
    }

    fn add(&mut self, what: impl Hash) {
        what.hash(&mut self.0);
    }

    fn finish(&self) -> u128 {
        self.0.finish128().as_u128()
    }
}

impl Run<'_, '_> {
    /// The number of what a call of a function that may be replaced depends on; `None` where that
    /// is not settled yet, or depends on calls that were replaced.
    pub(super) fn context_fingerprint(
        &self,
        function: FunctionId,
        call: &CallCode,
    ) -> Option<u128> {
        let code = self.code;
        let Some(CallPolicy::Abstract(effects)) = code.config.policies.get(&function) else {
            return None;
        };
        if self.state.calls.replaced > 0 && !code.facts.addresses.is_empty() {
            // A replaced call may have changed what lies at an address that nothing accessed yet.
            return None;
        }
        let mut seen = Fingerprint::new();
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            // Looking at an object that is passed by value would be a decision of its own.
            let &Argument::Scalar(source, scalar, _) = argument else {
                return None;
            };
            let value = self.settled(self.read(source))?;
            self.add_value(value, &mut seen)?;
            arguments.push(Passed::Scalar(value, scalar));
        }
        self.add_counts(&mut seen);
        seen.add(&self.state.unknown);
        if effects.takes_inputs {
            // Memory that it allocates may lie where other memory was freed.
            seen.add(self.state.unknown.could_free());
        }
        if effects.calls_unknown {
            // Such a call renames what may have been looked at, if others were replaced.
            seen.add((&self.state.calls.kept, self.state.calls.replaced > 0));
        }
        let globals = self.globals_used(effects);
        for (id, seen_as) in self.reachable(function, &arguments, &globals) {
            self.add_object((id, &seen_as), &mut seen)?;
        }
        Some(seen.finish())
    }

    /// Adds how many inputs were taken of those that are counted, and what is said of lengths.
    fn add_counts(&self, seen: &mut Fingerprint) {
        let counters = &self.state.counters;
        seen.add((
            counters.allocations,
            counters.driven,
            counters.consumed,
            counters.unwritten,
        ));
        let declared: BTreeMap<&String, &u32> = counters.declared.iter().collect();
        seen.add((declared, &self.state.record.calls, self.state.library.len()));
        seen.add(self.state.calls.skipped);
        seen.add(&self.inputs.vector.exact);
    }

    /// Adds a value, unless it is an input pointer about which something is open.
    fn settled(&self, value: Value) -> Option<Value> {
        match value.shadow {
            Shadow::Lazy(cell) if self.state.open.contains_key(&cell) => None,
            Shadow::Lazy(cell) => self.state.resolved.get(&cell).copied(),
            _ => Some(value),
        }
    }

    /// Adds what an object holds; nothing where pointers in it are open.
    fn add_object(
        &self,
        (id, seen_as): (AllocationId, &BTreeSet<TypeId>),
        seen: &mut Fingerprint,
    ) -> Option<()> {
        let allocation = self.state.memory.get(id);
        seen.add((id, allocation.base, allocation.size, allocation.life));
        seen.add((
            allocation.kind,
            allocation.declaration.ty,
            allocation.declaration.align,
        ));
        seen.add((allocation.history.nth, allocation.history.unwritten));
        seen.add((allocation.fill, &allocation.history.accessed_as));
        let is_object = !matches!(allocation.kind, Kind::Function(_) | Kind::Opaque);
        // Other constants hold what the execution initialised them with.
        let is_global = matches!(allocation.kind, Kind::Global(_));
        let is_initial = allocation.constant && is_global && allocation.input.is_none();
        if !is_object || allocation.life != Life::Live || is_initial {
            return Some(());
        }
        let is_whole = allocation.bytes.len() as u64 == allocation.size;
        let behind = (!is_whole).then_some(&allocation.fill);
        let all = allocation.flags.iter().chain(behind);
        let has = |flag: u8| all.clone().any(|flags| flags & flag != 0);
        let types = &self.code.program.types;
        if has(CHANGED) || types.has_pointers(self.element(id, seen_as)) && has(UNSEEN) {
            return None;
        }
        let mut bytes = allocation.bytes.clone();
        for (&at, entry) in &allocation.entries {
            bytes[at as usize..(at + entry.size) as usize].fill(0);
        }
        seen.add((bytes, &allocation.flags));
        seen.add((allocation.input.as_deref(), allocation.changes.object));
        seen.add(self.state.guesses.get(&id));
        for (&at, entry) in &allocation.entries {
            let bits = allocation.bits(at, entry.size);
            let shadow = entry.shadow;
            seen.add((at, entry.size));
            self.add_value(self.settled(Value { bits, shadow })?, seen)?;
        }
        Some(())
    }

    /// Adds a value: its term, if it has one, rather than the number that it has in this execution.
    /// `None` if the value depends on a call that was replaced.
    fn add_value(&self, value: Value, seen: &mut Fingerprint) -> Option<()> {
        seen.add(value.shadow);
        let (Shadow::Term(term) | Shadow::Pointer(_, Some(term))) = value.shadow else {
            seen.add(value.bits);
            return Some(());
        };
        let mut variables = self.terms.variables(term).iter();
        let is_of_call = variables.any(|var| self.space.is_of_call(CellId::from_raw(var.0)));
        (!is_of_call).then_some(())
    }
}
