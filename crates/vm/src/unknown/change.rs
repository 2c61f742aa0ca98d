//! What a call of a function without a body may have changed holds inputs from then on.

use ir::input::{AccessStart, InputCell, Root};
use ir::library::keeps_for_others;
use ir::test::BoundKind;
use ir::{FunctionId, ObjectId, TypeId};

use super::parts::joined;
use super::reached::Changed;
use crate::code::CallCode;
use crate::constants::has_members_in;
use crate::ids::AllocationId;
use crate::leaves::Leaf;
use crate::memory::{CHANGED, INITIALISED, Kind, Life, NARROWED, Previous, Settled, UNSEEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

/// The most bytes of an object that are looked at before they may change.
const MOST_SEEN: u64 = 4096;

/// The text of the bound: what functions without a body could do that is not offered.
const MAY_HAVE_CHANGED: &str = "a function without a body is taken not to call back, nor to go from a member \
                                to what is around it, nor to write over what it returned before, and others \
                                not to write at a barrier; an input pointer is taken not to be to errno or \
                                another object of the library, nor to an object of another type";

impl Run<'_, '_> {
    /// Makes inputs of what a call of a function without a body may change.
    pub(super) fn change_by_unknown(
        &mut self,
        (function, nth): (FunctionId, u32),
        arguments: &[Passed],
        call: &CallCode,
    ) -> Flow<()> {
        let reached = self.reached_by_unknown(function, arguments, call)?;
        let is_library = self.code.program.is_library(function);
        for (id, changed) in reached.changed {
            match self.can_change(id) {
                true => {
                    if is_library && changed.part.is_some() {
                        self.narrow_other_types(id);
                    }
                    self.change_one(id, changed, function, nth);
                }
                false => self.note_given(id),
            }
        }
        for (id, route) in reached.given {
            let nothing = Changed {
                route,
                seen_as: None,
                part: Some((0, 0)),
                kept: keeps_for_others(self.name_of(function)),
                is_state: false,
            };
            match self.can_change(id) {
                true => self.change_one(id, nothing, function, nth),
                false => self.note_given(id),
            }
        }
        for (id, range) in reached.narrowed {
            if self.can_change(id) {
                self.narrow(id, range);
            }
        }
        Ok(())
    }

    /// Records that a function was given a constant object, which it may return a pointer to.
    fn note_given(&mut self, id: AllocationId) {
        let allocation = self.state.memory.get(id);
        let is_object = matches!(allocation.kind, Kind::Local | Kind::Heap | Kind::Global(_));
        if is_object && allocation.life == Life::Live && allocation.constant {
            self.state.unknown.constants.insert(id);
        }
    }

    pub(super) fn can_change(&self, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        let types = &self.code.program.types;
        let element = allocation.input.as_deref().map(|input| input.element);
        if element
            .or(allocation.declaration.ty)
            .is_some_and(|ty| types.is_library_object(ty))
        {
            return false;
        }
        let is_object = !matches!(allocation.kind, Kind::Function(_) | Kind::Opaque);
        is_object && allocation.life == Life::Live && !allocation.constant && allocation.size > 0
    }

    fn change_one(&mut self, id: AllocationId, changed: Changed, function: FunctionId, nth: u32) {
        let element = self.element(id, &changed.seen_as.into_iter().collect());
        let moved = changed.route.moved();
        let path = changed.route.name;
        if let AccessStart::Global(global) = path.start {
            // Tests know it as an input, whether or not it is one from the start.
            let ty = self.code.program.globals[global].ty;
            self.space.object(Root::Global(global), ty);
        }
        let path = Box::new(path);
        let root = Root::After {
            function,
            nth,
            path,
        };
        let object = self.space.object(root, element);
        if let Some(offsets) = moved {
            self.state.record.needs.moved.insert(object, offsets);
        }
        let made = self.state.unknown.made;
        self.state.unknown.made_by.insert(object, made);
        let is_own = {
            let allocation = self.state.memory.get(id);
            let root = allocation.input.as_deref();
            let root = root.map(|input| &self.space.object_data(input.object).root);
            !matches!(root, Some(Root::Pointee(_) | Root::Global(_)))
        };
        if is_own && !changed.is_state {
            let name = self
                .state
                .unknown
                .given
                .entry(id)
                .or_insert((object, made))
                .0;
            if changed.kept {
                // What is only read may be kept as a whole.
                let part = changed.part.filter(|&part| part != (0, 0));
                let kept = self.state.unknown.kept.entry(id).or_insert((name, part));
                kept.1 = joined(kept.1, part);
            }
        }
        if changed.part != Some((0, 0)) {
            self.note_write(id);
        }
        let (low, high) = changed.part.unwrap_or((0, self.state.memory.get(id).size));
        self.unsee(id, (low, high), is_own);
        let is_written = changed.part != Some((0, 0));
        let allocation = self.state.memory.get_mut(id);
        allocation.become_changed(object, element, is_written);
        if is_own && !changed.is_state && !self.state.objects.iter().any(|&(_, known)| known == id)
        {
            self.state.objects.push((object, id));
        }
    }

    /// Makes the bytes of a range inputs that nothing has looked at, and remembers what was there.
    /// Those that were unseen before stand for any value anyway, unless a call was replaced that
    /// may have looked at them: what is learnt of such a call speaks of them by the names that they
    /// had.
    fn unsee(&mut self, id: AllocationId, (low, high): (u64, u64), is_own: bool) {
        let allocation = self.state.memory.get(id);
        let is_all = low == 0 && high >= allocation.size;
        let may_be_seen = self.state.calls.replaced > 0;
        // All of an input of the caller that nothing touched is unseen.
        let (low, high) = match is_own || may_be_seen {
            true => (low, high),
            false => (
                low.max(allocation.history.dirty.0),
                high.min(allocation.history.dirty.1),
            ),
        };
        let is_input = allocation.input.is_some();
        if low >= high {
            return;
        }
        let high = self.unsee_absent(id, (low, high));
        let with_constants = self.with_constant_members(id);
        if self.is_shared_by_calls(id) && self.has_constant_members(id, (low, high)) {
            self.state.record.needs.allocates_shared = true;
        }
        let types = &self.code.program.types;
        let is_seen = move |byte: u64, flags: u8| {
            let is_named = (is_input && !may_be_seen) || flags & CHANGED != 0;
            let is_any_value = flags & UNSEEN != 0 && is_named;
            let is_constant =
                with_constants.is_some_and(|ty| has_members_in(types, ty, (byte, byte + 1)));
            !is_constant && (!is_any_value || flags & NARROWED != 0)
        };
        let allocation = self.state.memory.get(id);
        let (mut at, high) = match may_be_seen {
            true => (low, high),
            false => allocation.unsettled(Settled::Changed, (low, high)),
        };
        while at < high {
            let flags = &self.state.memory.get(id).flags;
            let is_seen = |&byte: &u64| is_seen(byte, flags[byte as usize]);
            let Some(start) = (at..high).find(is_seen) else {
                break;
            };
            let end = (start..high).find(|byte| !is_seen(byte));
            let end = end.unwrap_or(high);
            let allocation = self.state.memory.get_mut(id);
            allocation.touch(start, end - start);
            allocation.cut(self.terms, start, end - start);
            let size = allocation.bytes.len();
            let mut previous = allocation
                .changes
                .previous
                .take()
                .unwrap_or_else(|| Box::new(Previous::empty(size)));
            previous.keep(allocation, start, end);
            allocation.changes.previous = Some(previous);
            allocation.clear(start, end - start);
            let range = start as usize..end as usize;
            allocation.flags[range.clone()].fill(UNSEEN | CHANGED);
            allocation.bytes[range].fill(0);
            at = end;
        }
        let settled = is_all.then_some(Settled::Changed);
        self.state.memory.get_mut(id).settle(settled);
    }

    /// The type of a declared object that has const members, which no function changes. A caller
    /// may have the object that the calls of a sequence share from an allocation function.
    fn with_constant_members(&self, id: AllocationId) -> Option<TypeId> {
        let allocation = self.state.memory.get(id);
        let is_global = matches!(allocation.kind, Kind::Global(_)) && !self.is_shared_by_calls(id);
        let is_declared = is_global || allocation.kind == Kind::Local;
        allocation
            .declaration
            .ty
            .filter(|_| is_declared && allocation.declaration.guarded && !allocation.constant)
    }

    /// Makes inputs of the bytes of a large object that are not there yet; where those that are
    /// there end.
    fn unsee_absent(&mut self, id: AllocationId, (low, high): (u64, u64)) -> u64 {
        let allocation = self.state.memory.get_mut(id);
        let present = allocation.bytes.len() as u64;
        if high <= present {
            return high;
        }
        if high < allocation.size || low > present {
            self.state.memory.reach(id, high);
            return high;
        }
        allocation.touch(present, high - present);
        allocation.fill = UNSEEN | CHANGED;
        present
    }

    /// Notes that a range may have changed as no candidate offers: a bound where code reads it.
    pub fn narrow(&mut self, id: AllocationId, (low, high): (u64, u64)) {
        self.see_before(id, (low, high));
        let allocation = self.state.memory.get_mut(id);
        // What is kept has its initial value, seen or not.
        let is_kept = allocation.input.is_none();
        let narrow = |flags: &mut u8| match *flags & (UNSEEN | CHANGED) {
            0 => *flags |= UNSEEN | NARROWED,
            UNSEEN if is_kept => *flags |= INITIALISED | NARROWED,
            _ => {}
        };
        if high > allocation.bytes.len() as u64 {
            narrow(&mut allocation.fill);
        }
        let is_all = low == 0 && high >= allocation.size;
        let high = high.min(allocation.bytes.len() as u64);
        let (low, high) = allocation.unsettled(Settled::Narrowed, (low, high));
        if low < high {
            allocation.touch(low, high - low);
            let flags = &mut allocation.flags[low as usize..high as usize];
            flags.iter_mut().for_each(narrow);
        }
        allocation.settle(is_all.then_some(Settled::Narrowed));
    }

    /// Reads the inputs in a range before they may change, if a replaced call may have read them.
    fn see_before(&mut self, id: AllocationId, (low, high): (u64, u64)) {
        let allocation = self.state.memory.get(id);
        let high = high.min(allocation.size);
        if self.state.calls.replaced == 0 || allocation.input.is_none() || low >= high {
            return;
        }
        let is_small = high - low <= MOST_SEEN;
        if !is_small || self.materialise(id, low, high - low, None).is_err() {
            self.hit(BoundKind::UnknownCall, MAY_HAVE_CHANGED);
        }
    }

    /// Records the bound if something looks at bytes that a function without a body could have
    /// changed as no candidate offers, and makes these what they were.
    pub fn look_at_narrowed(&mut self, id: AllocationId, offset: u64, size: u64) {
        let range = offset as usize..(offset + size) as usize;
        let is_narrowed = |flags: &u8| flags & NARROWED != 0;
        if !self.state.memory.get(id).flags[range.clone()]
            .iter()
            .any(is_narrowed)
        {
            return;
        }
        let allocation = self.state.memory.get_mut(id);
        allocation.touch(offset, size);
        for flags in &mut allocation.flags[range] {
            if is_narrowed(flags) {
                *flags &= !(UNSEEN | NARROWED);
            }
        }
        if self.is_locale_table(id) {
            if !self.reads_digits() {
                self.note_locale();
            }
            return;
        }
        if self.is_library_state(id) {
            let detail = "errno is taken not to be set where that is left open, nor through a pointer of \
                          the caller";
            self.hit(BoundKind::LibraryModel, detail);
            return;
        }
        self.hit(BoundKind::UnknownCall, MAY_HAVE_CHANGED);
    }

    /// Records that a function which has a model may have set `errno`: a bound where code reads it.
    pub fn narrow_error_number(&mut self) {
        for &global in &self.code.statics.library_state {
            let id = self.code.statics.layout.globals[global];
            let size = self.state.memory.get(id).size;
            self.narrow(id, (0, size));
        }
        self.narrow_pointers_to_errno();
    }

    fn is_library_state(&self, id: AllocationId) -> bool {
        let mut state = self.code.statics.library_state.iter();
        state.any(|&global| self.code.statics.layout.globals[global] == id)
    }

    /// The value of a scalar that a call may have changed: what was there before is the first that
    /// is tried.
    pub fn changed_leaf(
        &mut self,
        id: AllocationId,
        object: ObjectId,
        from_origin: i64,
        leaf: Leaf,
    ) -> Value {
        let is_after = matches!(self.space.object_data(object).root, Root::After { .. });
        let allocation = self.state.memory.get(id);
        let previous = allocation.changes.previous.as_deref().filter(|_| is_after);
        let old = previous.and_then(|previous| previous.value(leaf));
        if !self.is_pointer(leaf.ty) {
            let bits = old.map(|old| old.bits);
            return self.leaf_value_or(object, from_origin, leaf, bits);
        }
        let value = self.leaf_value_or(object, from_origin, leaf, None);
        let cell = self.space.cell(InputCell {
            object,
            offset_bits: from_origin,
            ty: leaf.ty,
            width: leaf.width,
        });
        if let Some(old) = old.filter(|old| old.bits != 0 || old.shadow != Shadow::None) {
            self.state.unknown.before.insert(cell, old);
        }
        value
    }
}

/// A byte is unseen as an input, or because of what is said of it.
const _: () = assert!(NARROWED & (INITIALISED | UNSEEN | CHANGED) == 0);
