//! The objects that a call of a function without a body could change as no candidate offers: bounds
//! where code reads them.

use std::collections::BTreeSet;

use ir::TypeId;

use super::STEPS_OF_CALL;
use super::reached::Reached;
use crate::ids::AllocationId;
use crate::memory::{Kind, Life};
use crate::passed::Passed;
use crate::run::Run;
use crate::value::Shadow;

impl Run<'_, '_> {
    /// At a barrier, others may have changed whatever they can reach, which no test can have them
    /// do.
    pub fn narrow_at_barrier(&mut self) {
        // So that a loop that waits for others does not count as one that never ends.
        self.state.counters.consumed += 1;
        self.state.steps.reduce(STEPS_OF_CALL);
        let mut reached = Reached::default();
        let shared = self.shared_objects();
        self.follow_targets(shared, true, &mut reached);
        self.narrow_exposed(&mut reached);
        self.narrow_called_back(&mut reached);
        let whole = |&id: &AllocationId| (id, (0, self.state.memory.get(id).size));
        let changed: Vec<_> = reached.changed.keys().map(whole).collect();
        for (id, range) in changed.into_iter().chain(reached.narrowed) {
            if self.can_change(id) {
                self.narrow(id, range);
            }
        }
    }

    /// What functions of the unit that are called back could change: statics, and what these lead
    /// to, also those that stay as they are.
    pub(super) fn narrow_called_back(&self, reached: &mut Reached) {
        let at = |globals: &[ir::GlobalId]| -> Vec<AllocationId> {
            let globals = globals.iter();
            let allocations = globals.map(|&global| self.code.statics.layout.globals[global]);
            allocations.collect()
        };
        let mut waiting = at(&self.code.config.called_back_globals);
        for id in at(&self.code.config.looked_at_back_globals) {
            waiting.extend(self.pointed_to(id));
        }
        self.narrow_all(waiting, reached);
    }

    /// Narrows objects that a call does not change as a whole, and what their pointers lead to.
    fn narrow_all(&self, mut waiting: Vec<AllocationId>, reached: &mut Reached) {
        let mut seen = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            let allocation = self.state.memory.get(id);
            let is_known = reached.changed.get(&id).is_some_and(|it| it.part.is_none());
            if is_known || allocation.life != Life::Live || !seen.insert(id) {
                continue;
            }
            reached.narrowed.push((id, (0, allocation.size)));
            waiting.extend(self.pointed_to(id));
        }
    }

    /// Exposes the objects that functions of the unit which are called back could return or store
    /// the addresses of: those in statics that they use, and in what these lead to.
    pub(super) fn expose_called_back(&mut self) {
        let globals = self.code.config.looked_at_back_globals.iter();
        let globals = globals.map(|&global| self.code.statics.layout.globals[global]);
        self.expose_behind(globals.collect());
    }

    /// Adds an object that no test can name, and what its pointers lead to.
    pub(super) fn narrow_unnamed(&self, id: AllocationId, reached: &mut Reached) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let allocation = self.state.memory.get(id);
            if allocation.life == Life::Live && reached.unnamed.insert(id) {
                reached.narrowed.push((id, (0, allocation.size)));
                waiting.extend(self.pointed_to(id));
            }
        }
    }

    /// Narrows what is around the members that a function was given pointers to, and what the
    /// pointers there lead to.
    pub(super) fn narrow_around_parts(&self, reached: &mut Reached) {
        let changed = reached.changed.iter();
        let parts: Vec<_> = changed
            .filter_map(|(&id, changed)| Some((id, changed.part?)))
            .collect();
        for (id, (low, high)) in parts {
            let size = self.state.memory.get(id).size;
            for around in [(0, low), (high, size)] {
                reached.narrowed.push((id, around));
                for behind in self.pointed_to_from(id, around) {
                    self.narrow_unnamed(behind, reached);
                }
            }
        }
    }

    /// What the pointers in an object lead to.
    fn pointed_to(&self, id: AllocationId) -> impl Iterator<Item = AllocationId> + '_ {
        self.pointed_to_from(id, (0, u64::MAX))
    }

    /// What the pointers in a range of an object lead to.
    fn pointed_to_from(
        &self,
        id: AllocationId,
        (low, high): (u64, u64),
    ) -> impl Iterator<Item = AllocationId> + '_ {
        let allocation = self.state.memory.get(id);
        let high = if allocation.leads { high } else { low };
        let entries = allocation.entries.range(low..high);
        entries.filter_map(|(_, entry)| match entry.shadow {
            Shadow::Pointer(target, _) => Some(target),
            Shadow::Lazy(cell) => match self.state.resolved.get(&cell)?.shadow {
                Shadow::Pointer(target, _) => Some(target),
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether an object holds a number that was made from addresses.
    pub(super) fn holds_number(&self, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        let mut entries = allocation.entries.values();
        allocation.leads && entries.any(|entry| matches!(entry.shadow, Shadow::Tainted(_)))
    }

    /// Others see a value, and may have an address from it: a device that a volatile object is, who
    /// reads a stream, or who gets a number that an address was converted to (as in the provenance
    /// model of ISO/IEC TS 6010, where such a conversion exposes the object).
    pub fn expose(&mut self, shown: Shadow) {
        match shown {
            // Others know the caller's objects anyway.
            Shadow::Pointer(id, _) if self.state.memory.get(id).kind != Kind::Pointee => {
                self.state.unknown.exposed.insert(id);
            }
            Shadow::Tainted(_) => self.expose_all(),
            _ => {}
        }
    }

    /// Others have a number that was made from addresses: from which is not known.
    pub(super) fn expose_all(&mut self) {
        let own = self.state.memory.iter().filter(|(_, allocation)| {
            let is_own = matches!(allocation.kind, Kind::Local | Kind::Heap);
            is_own && allocation.life == Life::Live
        });
        self.state.unknown.exposed.extend(own.map(|(id, _)| id));
    }

    /// Exposes the objects whose addresses a function, the C library's or the user's, gets as
    /// numbers.
    pub(super) fn expose_numbers(&mut self, arguments: &[Passed], reached: &Reached) {
        let globals = self.code.config.looked_at_back_globals.iter();
        let globals = globals.chain(&self.code.statics.library_state);
        let mut globals = globals.map(|&global| self.code.statics.layout.globals[global]);
        let is_known = globals.any(|id| self.holds_number(id))
            || reached.changed.keys().any(|&id| self.holds_number(id));
        let mut values = arguments.iter().flat_map(shadows);
        if is_known || values.any(|shadow| matches!(shadow, Shadow::Tainted(_))) {
            self.expose_all();
        }
    }

    /// Exposes the objects whose addresses lie, as pointers or as numbers, in memory that a
    /// function of the C library may read and copy elsewhere, and those that it is given as
    /// functions.
    pub(super) fn expose_copied(&mut self, arguments: &[Passed], types: &[Option<TypeId>]) {
        let program = self.code.program;
        let mut waiting: Vec<AllocationId> = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let ty = types.get(index).copied().flatten();
            let is_function = ty.is_some_and(|ty| program.is_function_pointer(ty));
            for shadow in shadows(argument) {
                match shadow {
                    Shadow::Pointer(..) if is_function => self.expose(shadow),
                    Shadow::Pointer(id, _) => waiting.push(id),
                    _ => {}
                }
            }
        }
        self.expose_behind(waiting);
    }

    /// Exposes the objects whose addresses lie in some objects, as pointers or as numbers, and
    /// those that these lead to.
    fn expose_behind(&mut self, mut waiting: Vec<AllocationId>) {
        let mut seen = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            if self.state.memory.get(id).life != Life::Live || !seen.insert(id) {
                continue;
            }
            if self.holds_number(id) {
                self.expose_all();
            }
            let behind: Vec<_> = self.pointed_to(id).collect();
            for &target in &behind {
                self.expose(Shadow::Pointer(target, None));
            }
            waiting.extend(behind);
        }
    }

    /// Narrows what a function, or a later one, could make pointers to from numbers that others
    /// got, and what the pointers there lead to.
    pub(super) fn narrow_exposed(&mut self, reached: &mut Reached) {
        self.state.unknown.exposed.extend(reached.unnamed.iter());
        let waiting: Vec<_> = self.state.unknown.exposed.iter().copied().collect();
        self.narrow_all(waiting, reached);
    }
}

/// What is known of the scalars in an argument.
fn shadows(argument: &Passed) -> Vec<Shadow> {
    match argument {
        Passed::Nothing => Vec::new(),
        Passed::Scalar(value, _) => vec![value.shadow],
        Passed::Object(blob) => blob.entries.iter().map(|(_, entry)| entry.shadow).collect(),
    }
}
