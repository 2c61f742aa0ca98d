//! What a call that is replaced may have changed: each such object holds inputs from then on.
//!
//! Inputs that nothing has looked at yet stand for any value, before the call as after it.

use std::collections::BTreeSet;

use ir::effects::Stores;
use ir::input::Root;
use ir::test::BoundKind;
use ir::{FunctionId, ObjectId, TypeId};

use crate::config::CallPolicy;
use crate::ids::AllocationId;
use crate::memory::{CHANGED, Kind, Life, UNSEEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::state::ReachedObjects;
use crate::stop::Flow;

/// Ranges of bytes, each with one past its end.
type Ranges = Vec<(u64, u64)>;

impl Run<'_, '_> {
    /// Makes inputs of what a call may change.
    pub(super) fn change(
        &mut self,
        function: FunctionId,
        call: ObjectId,
        arguments: &[Passed],
    ) -> Flow<()> {
        let code = self.code;
        let Some(CallPolicy::Abstract(effects)) = code.config.policies.get(&function) else {
            return Ok(());
        };
        self.note_possible_free();
        let mut reached = ReachedObjects::new();
        let keeps = effects.stores.any || effects.give_addresses(code.program, function);
        if keeps || !effects.stores.is_empty() {
            if code.facts.uses.has_numbers() {
                let detail = "what a call changes is not taken to be behind a number";
                self.hit(BoundKind::PointerChoice, detail);
            }
            self.decide_all()?;
            let globals = self.globals_used(effects);
            reached = self.may_reach(function, arguments, &globals, &effects.stores);
        }
        let mut kept = Vec::new();
        if keeps {
            for (&id, seen_as) in &reached {
                self.state.calls.kept.entry(id).or_default().extend(seen_as);
            }
            kept.extend(reached.keys().copied().filter(|&id| self.is_own(id)));
        }
        if effects.calls_unknown {
            self.note_possible_end();
            self.add_shared(arguments, &mut reached);
        }
        for family in &effects.writes_over {
            self.narrow_results_of(family);
        }
        for name in &effects.of_library {
            self.narrow_own_objects(name);
        }
        let mut changed: Vec<(AllocationId, TypeId, Ranges)> = Vec::new();
        for &global in &effects.writes {
            let id = code.statics.layout.globals[global];
            reached.remove(&id);
            let element = self.element(id, &BTreeSet::new());
            changed.push((id, element, vec![(0, self.state.memory.get(id).size)]));
        }
        for (id, seen_as) in reached {
            let element = self.element(id, &seen_as);
            let types = &code.program.types;
            let is_any = effects.calls_unknown
                || self.state.memory.get(id).kind == Kind::Mapped
                || effects.change_as_other(types, element, &seen_as);
            let ranges = match is_any {
                true => vec![(0, self.state.memory.get(id).size)],
                false => self.ranges(id, element, &effects.stores),
            };
            changed.push((id, element, ranges));
        }
        changed.retain(|(id, _, ranges)| self.is_variable(*id) && !ranges.is_empty());
        let count = changed.len() as u32;
        for (nth, (id, element, ranges)) in (0..).zip(changed) {
            self.note_write(id);
            self.make_changed(id, element, &ranges, Root::Changed { call, nth })?;
        }
        for (nth, id) in (count..).zip(kept) {
            let element = self.element(id, &BTreeSet::new());
            let name = self.make_changed(id, element, &[], Root::Changed { call, nth })?;
            self.keep_for_others(id, name);
        }
        Ok(())
    }

    /// Whether an object belongs to the tested code, so that others reach it only if they are given
    /// it.
    fn is_own(&self, id: AllocationId) -> bool {
        let is_local_or_heap = matches!(self.state.memory.get(id).kind, Kind::Local | Kind::Heap);
        is_local_or_heap && self.is_variable(id)
    }

    /// The bytes of an allocation that stores may change.
    fn ranges(&self, id: AllocationId, element: TypeId, stores: &Stores) -> Ranges {
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        let inside = stores.changed(types, element);
        let size = types.size(element).max(1);
        if inside == [(0, size)] || stores.change_end(types, element) {
            return vec![(0, allocation.size)];
        }
        let origin = allocation.input.as_deref().map_or(0, |input| input.origin);
        let first = origin % size;
        let starts = (0..).map(|index| first + index * size);
        let starts = starts.take_while(|start| start + size <= allocation.size);
        let ranges = starts.flat_map(|start| {
            let inside = inside.iter();
            inside.map(move |(low, high)| (start + low, start + high))
        });
        // What lies around whole elements may hold anything.
        let rest = (allocation.size - first.min(allocation.size)) % size;
        let around = [(0, first), (allocation.size - rest, allocation.size)];
        let around = around
            .into_iter()
            .filter(|(low, high)| !inside.is_empty() && low < high);
        ranges.chain(around).collect()
    }

    /// Whether the contents of an allocation can change.
    fn is_variable(&self, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        let is_object = !matches!(allocation.kind, Kind::Function(_) | Kind::Opaque);
        is_object && allocation.life == Life::Live && !allocation.constant && allocation.size > 0
    }

    /// The type of an object, or of one of its elements.
    pub fn element(&self, id: AllocationId, seen_as: &BTreeSet<TypeId>) -> TypeId {
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        let input = allocation.input.as_deref().map(|input| input.element);
        let known = input.or(allocation.declaration.ty).into_iter();
        let mut known = known.chain(seen_as.iter().copied());
        let known = known.find(|&ty| types.size(ty) > 0);
        known.unwrap_or_else(|| self.character_type())
    }

    /// Makes inputs of some bytes of an object, which has a name from then on.
    fn make_changed(
        &mut self,
        id: AllocationId,
        element: TypeId,
        ranges: &[(u64, u64)],
        root: Root,
    ) -> Flow<ObjectId> {
        let object = self.space.object(root, element);
        for &(low, high) in ranges {
            self.reach(id, high)?;
            let allocation = self.state.memory.get_mut(id);
            allocation.touch(low, high - low);
            allocation.cut(self.terms, low, high - low);
            allocation.clear(low, high - low);
            let range = low as usize..high as usize;
            allocation.flags[range.clone()].fill(UNSEEN | CHANGED);
            allocation.bytes[range].fill(0);
            if let Some(previous) = &mut allocation.changes.previous {
                previous.forget(low, high);
            }
        }
        let allocation = self.state.memory.get_mut(id);
        allocation.become_changed(object, element, false);
        if !self.state.objects.iter().any(|&(_, known)| known == id) {
            self.state.objects.push((object, id));
        }
        Ok(object)
    }
}
