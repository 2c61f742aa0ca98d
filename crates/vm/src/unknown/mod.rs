//! Calls of unknown functions: what they return and what they may change are inputs.
//!
//! A function of the user without a body may change whatever other code can reach: what its
//! arguments lead to, globals, the caller's objects, `errno`, and what an earlier call was given. A
//! function that a header of the system declares keeps to its declaration ([`reach`]). The values
//! of changed bytes are chosen when they are read. What a call could do beyond that is a bound,
//! which is recorded where something reads the bytes in question.

mod change;
mod contract;
mod ends;
mod library;
mod narrow;
mod open_pointers;
mod options;
mod own_objects;
mod parts;
mod reach;
mod reached;
mod route;
mod scan;
mod unseen_pointers;

use ir::input::Root;
use ir::library::{executes, only_gives_input};
use ir::{CellId, FunctionId, ObjectId, Type};

use crate::code::CallCode;
use crate::ids::AllocationId;
use crate::memory::Kind;
use crate::passed::Passed;
use crate::replaced::counted;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

/// How many steps a call counts as, by the time that it takes.
const STEPS_OF_CALL: u64 = 50;

impl Run<'_, '_> {
    /// Calls an unknown function.
    pub fn unknown(&mut self, function: FunctionId, call: &CallCode) -> Flow<Passed> {
        let program = self.code.program;
        let data = &program.functions[function];
        let calls = self.state.record.calls.entry(function).or_default();
        let count = *calls;
        *calls += 1;
        let nth = self.numbered(count);
        self.state.counters.consumed += 1;
        self.state.unknown.made += 1;
        let before = self.options_before(function)?;
        let mut arguments = Vec::new();
        if data.noreturn {
            self.note_last_arguments((function, count), call);
        }
        if !data.noreturn && !only_gives_input(&program.types, data) {
            self.state.steps.reduce(STEPS_OF_CALL);
            if !program.keeps_to_itself(function) || executes(&data.name) {
                self.note_possible_end();
            }
            arguments = self.arguments(call)?;
            self.check_nonnull(function, &arguments)?;
            self.note_arguments((function, count), &arguments);
            self.change_by_unknown((function, nth), &arguments, call)?;
            if program.is_library(function) {
                self.narrow_own_objects(&data.name);
                // Any of them may write to a standard stream.
                self.note_memory_streams();
            }
            self.note_kept_buffer(function, &arguments);
            if let Some(before) = before {
                self.keep_options(before, &arguments)?;
            }
        }
        let Type::Function(ty) = program.types.kind(data.ty) else {
            return Ok(Passed::Nothing);
        };
        if *program.types.kind(ty.result) == Type::Void {
            return Ok(Passed::Nothing);
        }
        let root = Root::Result { function, nth };
        let object = self.space.object(root.clone(), ty.result);
        self.state
            .unknown
            .made_by
            .insert(object, self.state.unknown.made);
        let usual = self.usual_result(count);
        let result = self.any_value_or(root, ty.result, usual)?;
        let has_no_contract =
            only_gives_input(&program.types, data) || !program.is_library(function);
        if has_no_contract
            && let Passed::Scalar(value, scalar) = result
            && let Shadow::Term(_) = value.shadow
            && self.has_recorded_all()
        {
            // Its choices are not recorded, so that terms would be built in vain. Without terms no
            // branch records the loss.
            self.choose_unrecorded();
            return Ok(Passed::Scalar(Value::concrete(value.bits), scalar));
        }
        if program.is_library(function) {
            self.note_static_result(function, &result);
            self.keep_contract(function, &arguments, result)
        } else {
            Ok(result)
        }
    }

    /// Whether an input is the result of a function without a body that was called so often that
    /// its default should end the loop which calls it: a test needs no more values then than the
    /// search asks for.
    pub fn ends_loops(&self, root: &Root) -> bool {
        matches!(root, Root::Result { nth, .. } if counted(*nth) >= self.code.config.patience)
    }

    /// The default result of a call after many calls: -1 (nothing more) for one round of
    /// `patience`, then 1 for another; otherwise none. Tests write a long run of equal results on
    /// one line, so each value lasts for a whole round.
    fn usual_result(&self, nth: u32) -> Option<u128> {
        match nth.checked_div(self.code.config.patience) {
            Some(1) => Some(u128::MAX),
            Some(2) => Some(1),
            _ => None,
        }
    }

    /// Whether an object that such functions were given could be what the pointer in a cell points
    /// to. It could only be if the function that returned or wrote the pointer was called with the
    /// object, or after such a call.
    pub fn could_be_given(&self, id: AllocationId, cell: CellId) -> bool {
        let Some(&(_, since)) = self.state.unknown.given.get(&id) else {
            return !self.is_own_of_library(id);
        };
        let mut object = self.space.cell_data(cell).object;
        loop {
            if let Some(&made) = self.state.unknown.made_by.get(&object) {
                return made >= since;
            }
            match self.space.object_data(object).root {
                Root::Pointee(pointer) => object = self.space.cell_data(pointer).object,
                _ => return false,
            }
        }
    }

    /// Whether the pointer in a cell lies in memory of others, so that the function which an object
    /// was given to may have made it point there, though the pointer is taken to be as it was at
    /// the start.
    pub fn could_lead_to_given(&self, id: AllocationId, cell: CellId) -> bool {
        if !self.was_given(id) && !self.state.unknown.exposed.contains(&id) {
            return false;
        }
        let object = self.space.cell_data(cell).object;
        matches!(
            self.space.object_data(object).root,
            Root::Pointee(_) | Root::Global(_)
        )
    }

    /// The objects that the pointer in a cell could lead to because a function without a body could
    /// reach them as no candidate offers, and wrote or returned the pointer.
    pub fn could_lead_to_exposed(&self, cell: CellId) -> impl Iterator<Item = AllocationId> + '_ {
        let object = self.space.cell_data(cell).object;
        let is_of_call = self.state.unknown.made_by.contains_key(&object);
        let exposed = self.state.unknown.exposed.iter().copied();
        let exposed = exposed.filter(|&id| !self.was_given(id));
        exposed.filter(move |&id| is_of_call || self.could_lead_to_given(id, cell))
    }

    /// Whether an object is no input of the caller, and a function without a body was given it.
    pub fn was_given(&self, id: AllocationId) -> bool {
        self.state.unknown.given.contains_key(&id)
    }

    /// Whether a function without a body was given an object, which may be a constant, or could
    /// reach it as no candidate offers, so that pointers from such functions may lead to it.
    pub fn is_known_outside(&self, id: AllocationId) -> bool {
        self.was_given(id)
            || self.state.unknown.constants.contains(&id)
            || self.state.unknown.exposed.contains(&id)
    }

    /// Records that the function which is called here may not return. If an assumption rejects this
    /// execution later, the compiled program may have ended here instead; so it may if a defect
    /// ends an execution in which calls are replaced, which covers nothing.
    pub fn note_possible_end(&mut self) {
        if self.code.features.has_assumptions || !self.code.config.policies.is_empty() {
            self.state.record.visited.before_call = Some(Box::new(self.trace_until_here()));
        }
    }

    /// Records that the function which is called here may free the objects that other code has
    /// pointers to.
    pub fn note_possible_free(&mut self) {
        let count = self.state.memory.len();
        if self.state.unknown.could_free.last() != Some(&count) {
            self.state.unknown.could_free.push(count);
        }
    }

    /// Whether a function without a body could have freed an object, the caller's or one that it
    /// was given, before memory was allocated, which may then lie where the object was.
    pub fn may_have_place_of(&self, freed: AllocationId, allocated: AllocationId) -> bool {
        let kind = |id| self.state.memory.get(id).kind;
        if kind(allocated) != Kind::Heap {
            return false;
        }
        match kind(freed) {
            // It was there from the start, whenever it was looked at.
            Kind::Pointee => self.could_free(0, allocated),
            Kind::Heap => self.was_given(freed) && self.could_free(freed.0 as usize + 1, allocated),
            _ => false,
        }
    }

    /// Whether an address is one of memory that was allocated after objects of the caller could be
    /// freed.
    pub fn may_have_place_of_any(&self, address: Value) -> bool {
        match address.shadow {
            Shadow::Pointer(id, _) => {
                self.state.memory.get(id).kind == Kind::Heap && self.could_free(0, id)
            }
            _ => false,
        }
    }

    /// Whether a function was called that could free objects, when there were at least so many and
    /// before another was allocated.
    fn could_free(&self, least: usize, allocated: AllocationId) -> bool {
        let calls = &self.state.unknown.could_free;
        let next = calls.partition_point(|&count| count < least);
        calls
            .get(next)
            .is_some_and(|&count| count <= allocated.0 as usize)
    }

    /// Has functions without a body reach an object, which a call that was replaced may have left
    /// pointers to where others see them.
    pub fn keep_for_others(&mut self, id: AllocationId, name: ObjectId) {
        let kept = self.state.unknown.kept.entry(id).or_insert((name, None));
        kept.1 = None;
    }

    /// Whether functions without a body were given an object, or may reach it by what a replaced
    /// call left.
    pub fn is_known_to_others(&self, id: AllocationId) -> bool {
        self.was_given(id) || self.state.unknown.kept.contains_key(&id)
    }

    /// The objects that functions without a body may have kept pointers to.
    pub fn kept_by_others(&self) -> impl Iterator<Item = AllocationId> + '_ {
        self.state.unknown.kept.keys().copied()
    }

    /// What the pointer in a cell was before the call that may have changed it.
    pub fn pointer_before(&self, cell: CellId) -> Option<Value> {
        self.state.unknown.before.get(&cell).copied()
    }

    /// Whether the pointer in a cell is NULL or what it was before, and nothing else.
    pub fn is_either(&self, cell: CellId) -> bool {
        self.state.unknown.either.contains(&cell)
    }

    /// Decides what the pointer in a cell was before the call that may have changed it, since now
    /// it may still be that.
    pub fn settle_before(&mut self, cell: CellId) -> Flow<()> {
        let Some(Value {
            shadow: Shadow::Lazy(before),
            ..
        }) = self.pointer_before(cell)
        else {
            return Ok(());
        };
        let value = self.resolve_to_call(before)?;
        if value.bits == 0 {
            self.state.unknown.before.remove(&cell);
        } else {
            self.state.unknown.before.insert(cell, value);
        }
        Ok(())
    }
}
