//! Where an input pointer could have pointed to memory that it was not offered, so that what
//! follows holds within a bound only.
//!
//! An input pointer is offered NULL, an object of its own, and parts of the objects that exist
//! ([`crate::candidates`]). In C, the object may also contain other objects, or overlap an array
//! that was accessed later. A pointer to characters may point to any bytes. That makes a difference
//! once one of two objects that could share memory is written, or addresses are compared.

use ir::input::{InputValue, Root};
use ir::sharing::{
    contains, contains_exactly, fits_in_array, is_accessible_as, is_character, may_lie_across,
    may_overlap, open_end, share_characters,
};
use ir::test::BoundKind;
use ir::{CellId, ObjectId, Type, TypeId, Types};

use crate::candidates::first_elements;
use crate::ids::AllocationId;
use crate::inputs::kept_name;
use crate::memory::{InputObject, Kind, Life};
use crate::run::Run;
use crate::value::{Scalar, Shadow, Value};

/// An input object of an execution.
type Input = (AllocationId, InputObject);

impl Run<'_, '_> {
    /// Records that an object is about to be written.
    pub fn note_write(&mut self, id: AllocationId) {
        self.note_error_number(id);
        self.note_streams(id);
        let Some(input) = &mut self.state.memory.get_mut(id).input else {
            return;
        };
        if !std::mem::replace(&mut input.written, true) {
            self.note_sharing(id);
        }
    }

    /// Records that an object is accessed as something else than what it is pointed to as.
    #[inline]
    pub fn note_accessed_as(&mut self, id: AllocationId, ty: TypeId) {
        let allocation = self.state.memory.get(id);
        let is_news = allocation.kind == Kind::Pointee
            && allocation
                .input
                .as_deref()
                .is_some_and(|input| input.element != ty)
            && !allocation.history.accessed_as.contains(&ty);
        if is_news {
            self.state.memory.get_mut(id).history.accessed_as.push(ty);
            self.note_sharing(id);
        }
    }

    /// Bytes are about to be written to an object that the code has not accessed. A caller may have
    /// cast the pointer to it from a pointer to an object of another type: a bound where code reads
    /// such an object.
    pub fn narrow_other_types(&mut self, id: AllocationId) {
        let allocation = self.state.memory.get(id);
        let is_seen = allocation.history.dirty.0 < allocation.history.dirty.1;
        let input = allocation.input.as_deref().copied();
        let Some(written) = input.filter(|_| allocation.kind == Kind::Pointee && !is_seen) else {
            return;
        };
        let types = &self.code.program.types;
        let is_other = |&other: &AllocationId| {
            let Some(there) = self.shareable(other).filter(|_| other != id) else {
                return false;
            };
            let (one, two) = (written.element, there.element);
            let is_offered = contains_exactly(types, one, two) || contains_exactly(types, two, one);
            !is_offered && self.could_be_behind((other, there), (id, written))
        };
        let others = self.state.objects.iter().map(|&(_, other)| other);
        let others: Vec<_> = others.filter(is_other).collect();
        for other in others {
            let size = self.state.memory.get(other).size;
            self.narrow(other, (0, size));
        }
    }

    /// An input pointer to `int` may point to `errno`: after one of them was written, the other is
    /// a bound where code reads it.
    fn note_error_number(&mut self, id: AllocationId) {
        let global = self.code.statics.library_state.first();
        if global.is_some_and(|&global| self.code.statics.layout.globals[global] == id) {
            self.narrow_pointers_to_errno();
            return;
        }
        // Code that does not name it cannot read it otherwise.
        let named = self.code.statics.error_number;
        if let Some(error_number) = named.filter(|_| self.is_possible_errno(id)) {
            let size = self.state.memory.get(error_number).size;
            self.narrow(error_number, (0, size));
        }
    }

    /// Records the bound if an input object and another one, either of which was written, could
    /// share memory as no candidate offers.
    pub fn note_sharing(&mut self, id: AllocationId) {
        let Some(input) = self.shareable(id) else {
            return;
        };
        self.note_known_kept(id, input);
        let mut is_later = false;
        let mut found = None;
        for &(object, other) in &self.state.objects {
            if other == id {
                is_later = true;
                continue;
            }
            let Some(there) = self.shareable(other) else {
                continue;
            };
            let (earlier, later) = match is_later {
                false => ((other, there), (id, input)),
                true => ((id, input), (other, there)),
            };
            if (input.written || there.written) && self.share_unoffered(earlier, later) {
                found = Some(object);
                break;
            }
        }
        if let Some(other) = found {
            let (one, other) = (self.object_name(input.object), self.object_name(other));
            let detail = format!("{one} and {other} are not taken to share a part of their memory");
            self.hit(BoundKind::SharedMemory, detail);
        }
    }

    /// Records the bound if the pointer in a cell, which is taken to lead to an object of its own,
    /// could lead to one that functions without a body could reach as no candidate offers.
    pub fn note_exposed(&mut self, cell: CellId, id: AllocationId) {
        let Some(element) = self
            .state
            .memory
            .get(id)
            .input
            .as_deref()
            .map(|it| it.element)
        else {
            return;
        };
        let types = &self.code.program.types;
        let has_part = |other: AllocationId| {
            let allocation = self.state.memory.get(other);
            let is_shared = allocation.declaration.ty.is_none_or(|ty| {
                is_character(types, element)
                    || contains(types, ty, element)
                    || contains(types, element, ty)
            });
            allocation.life == Life::Live && is_shared
        };
        if self.could_lead_to_exposed(cell).any(has_part) {
            let name = self.describe(cell);
            let detail = format!(
                "{name} is not taken to lead to an object that other code could come to through others"
            );
            self.hit(BoundKind::SharedMemory, detail);
        }
    }

    /// Records the bound when a pointee is read as another type than its pointer's, and heap
    /// memory, whose type is that of the last store, could hold both the pointee and another object
    /// that was written.
    pub fn note_read_as(&mut self, id: AllocationId, scalar: Scalar) {
        if self.state.memory.get(id).kind != Kind::Pointee {
            return;
        }
        let Some(input) = self.shareable(id) else {
            return;
        };
        let types = &self.code.program.types;
        let is_other = match types.kind(input.element) {
            Type::Record(_) | Type::Array { .. } => scalar.character,
            _ => scalar.size() != types.size(input.element),
        };
        if !is_other || is_character(types, input.element) {
            return;
        }
        let written = self.state.objects.iter().find(|&&(_, other)| {
            let there = self.shareable(other);
            let is_written = |there: InputObject| there.written && there.element != input.element;
            other != id
                && self.state.memory.get(other).kind == Kind::Pointee
                && there.is_some_and(is_written)
        });
        if let Some(&(other, _)) = written {
            let (one, other) = (self.object_name(input.object), self.object_name(other));
            let detail = format!("{one} and {other} are not taken to be one allocation");
            self.hit(BoundKind::SharedMemory, detail);
        }
    }

    /// Records the bound if an input pointer could lead to an object that no test can name, such as
    /// a static local that an earlier call returned a pointer to.
    fn note_known_kept(&mut self, id: AllocationId, input: InputObject) {
        let program = self.code.program;
        // Linkers name where a section starts and ends.
        let may_lead_there =
            self.state.memory.get(id).kind == Kind::Pointee || self.is_place_of_linker(id);
        if !may_lead_there || self.is_of_arguments(input.object) {
            return;
        }
        let mut known = self.code.config.known_kept_globals.iter();
        let found = known.find(|&&global| {
            let (types, ty) = (&program.types, program.globals[global].ty);
            contains(types, ty, input.element) || contains(types, input.element, ty)
        });
        if let Some(&global) = found {
            let (one, other) = (
                self.object_name(input.object),
                kept_name(&program.globals[global]),
            );
            let detail = format!("{one} and {other} are not taken to share memory");
            self.hit(BoundKind::SharedMemory, detail);
        }
    }

    /// The input that a live object belongs to, if input pointers may point to the object.
    fn shareable(&self, id: AllocationId) -> Option<InputObject> {
        let allocation = self.state.memory.get(id);
        let is_static_or_input = matches!(
            allocation.kind,
            Kind::Pointee | Kind::Global(_) | Kind::Mapped
        );
        let input = allocation.input.as_deref().copied();
        let reachable = is_static_or_input || self.was_given(id);
        input.filter(|_| reachable && allocation.life == Life::Live)
    }

    /// Whether an input object could be one that functions without a body were given: the pointer
    /// that leads to it could have pointed there.
    fn could_be_behind(&self, (given, _): Input, (_, input): Input) -> bool {
        match self.space.object_data(input.object).root {
            Root::Pointee(pointer) => {
                self.could_be_given(given, pointer) || self.could_lead_to_given(given, pointer)
            }
            _ => !self.was_given(given),
        }
    }

    /// The objects that could share memory with an input object as no candidate offers, if elements
    /// of it other than the first are accessed.
    pub fn unoffered_around(&self, id: AllocationId) -> Vec<AllocationId> {
        let Some(input) = self.shareable(id) else {
            return Vec::new();
        };
        let touched = (0, u64::MAX);
        let input = InputObject { touched, ..input };
        let at = self
            .state
            .objects
            .iter()
            .position(|&(_, known)| known == id);
        let others = self.state.objects.iter().enumerate();
        let others = others.filter(|&(_, &(_, other))| other != id);
        let shared = others.filter_map(|(number, &(_, other))| {
            let there = (other, self.shareable(other)?);
            let (earlier, later) = match Some(number) < at {
                true => (there, (id, input)),
                false => ((id, input), there),
            };
            self.share_unoffered(earlier, later).then_some(other)
        });
        shared.collect()
    }

    /// Whether two input objects, of which one came earlier, could share memory as no candidate
    /// offers.
    fn share_unoffered(&self, earlier: Input, later: Input) -> bool {
        let types = &self.code.program.types;
        let is_pointee = |(id, _): Input| self.state.memory.get(id).kind == Kind::Pointee;
        let is_mapped = |(id, _): Input| self.state.memory.get(id).kind == Kind::Mapped;
        if is_mapped(earlier) || is_mapped(later) {
            // Nothing is offered at a constant address.
            return is_pointee(earlier) || is_pointee(later);
        }
        if !is_pointee(later) {
            // Globals come first, and do not share memory among themselves.
            return false;
        }
        if self.is_own_of_library(later.0) || !self.could_be_behind(earlier, later) {
            return false;
        }
        let (whole_first, whole_second) = (earlier.1.element, later.1.element);
        let (first, second) = (
            types.element_of(whole_first),
            types.element_of(whole_second),
        );
        let both_pointees = is_pointee(earlier);
        let whole_in_part = both_pointees && first != second && contains(types, second, first);
        let is_any = self.code.program.target.relaxed_aliasing && first != second;
        let part_in_whole = is_any || contains(types, first, second);
        // Arrays that pointers lead to may overlap in part.
        let are_arrays = second != whole_second || (both_pointees && first != whole_first);
        let is_exact = contains_exactly(types, first, second)
            && (!is_character(types, second) || is_character(types, first))
            && !are_arrays
            && is_one_element(types, later.1)
            && (!both_pointees || is_one_element(types, earlier.1))
            && (both_pointees || !earlier.1.growable || has_first_elements_only(types, earlier.1))
            && open_end(types, first).is_none()
            && !may_lie_across(self.code.program, first, second)
            && !later.1.cut;
        let is_offered = match self.space.object_data(later.1.object).root {
            Root::Pointee(pointer) => self.could_be_given(earlier.0, pointer),
            _ => true,
        };
        let in_memory = both_pointees && share_characters(types, first, second);
        let in_array =
            !both_pointees && first != second && fits_in_array(types, whole_first, second);
        whole_in_part
            || may_overlap(types, first, second)
            || in_memory
            || in_array
            || self.is_accessed_as_part(later, earlier)
            || (both_pointees && self.is_accessed_as_part(earlier, later))
            || self.may_hold_elsewhere(earlier, second)
            || ((part_in_whole || self.is_of_any_type(earlier)) && !(is_exact && is_offered))
    }

    /// Whether memory of an allocation function may hold objects of unknown types: it is larger
    /// than the type that it was given to a function as, or was given as characters or `void`.
    fn is_of_any_type(&self, (id, input): Input) -> bool {
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        allocation.kind == Kind::Heap
            && (is_character(types, input.element) || allocation.size != types.size(input.element))
    }

    /// Whether such memory, which was given to a function as a record, may hold an object where an
    /// array of these records has none of its type.
    fn may_hold_elsewhere(&self, earlier: Input, object: TypeId) -> bool {
        let types = &self.code.program.types;
        let (id, InputObject { element, .. }) = earlier;
        let room = self.state.memory.get(id).size;
        let is_array = element == object && room.is_multiple_of(types.size(element).max(1));
        types.record(element).is_some() && !is_array && self.is_of_any_type(earlier)
    }

    /// Whether one object is accessed as another type than its pointer's, and the other one
    /// contains that type, is a part of it, or is accessed as it too. In memory without a declared
    /// type, each access gives the type (C17 6.5p6).
    fn is_accessed_as_part(&self, (one, input): Input, (other, there): Input) -> bool {
        let types = &self.code.program.types;
        let (own, others) = (self.state.memory.get(one), self.state.memory.get(other));
        let is_declared = others.kind != Kind::Pointee;
        let (mine, theirs) = (
            types.element_of(input.element),
            types.element_of(there.element),
        );
        let accessed = own
            .history
            .accessed_as
            .iter()
            .map(|&ty| types.element_of(ty));
        accessed.filter(|&ty| ty != mine).any(|ty| {
            if is_declared {
                let fits = types.size(ty) <= types.size(there.element);
                let is_number = types.record(theirs).is_none();
                return contains(types, theirs, ty)
                    || (is_number && fits && contains_exactly(types, ty, theirs));
            }
            let is_own = contains_exactly(types, mine, ty);
            let meets =
                |element| contains(types, element, ty) || (!is_own && contains(types, ty, element));
            // A pointer to the other is offered the parts of what this one is pointed to as.
            let is_offered = is_own && is_accessible_as(types, ty, theirs);
            (!is_offered && meets(theirs))
                || others.history.accessed_as.iter().any(|&other| meets(other))
        })
    }

    /// Records the bound if two addresses are told apart only because of what an input pointer was
    /// not offered.
    pub fn note_comparison(&mut self, left: Value, right: Value) {
        let is_choice = |value| self.is_chosen_object(value);
        let unoffered = match (left.shadow, right.shadow) {
            (Shadow::Pointer(..), Shadow::Pointer(..)) => {
                (is_choice(left) || is_choice(right))
                    && self.is_known_to_callers(left)
                    && self.is_known_to_callers(right)
                    && !self.was_offered(left, right)
                    && !self.was_offered(right, left)
            }
            _ => is_choice(left) || is_choice(right),
        };
        // Another object may lie where one of unknown length ends, which is its start if it has no
        // bytes.
        let is_empty_beside =
            |one: Value, other: Value| self.is_in_open_ended(one) && self.is_static_or_input(other);
        if self.is_behind_start(left)
            || self.is_behind_start(right)
            || is_empty_beside(left, right)
            || is_empty_beside(right, left)
        {
            let detail = "an array that is declared without a length is not empty, and ends before no \
                          other object";
            self.hit(BoundKind::ArrayExtent, detail);
        }
        if unoffered {
            let detail = "an input pointer is compared with an address that it was not offered";
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// Whether an input pointer was taken to point to the object.
    fn is_chosen_object(&self, value: Value) -> bool {
        match value.shadow {
            Shadow::Pointer(id, _) => self.state.memory.get(id).kind == Kind::Pointee,
            _ => false,
        }
    }

    /// Whether the object existed before the entry function was called.
    pub fn is_static_or_input(&self, value: Value) -> bool {
        let Shadow::Pointer(id, _) = value.shadow else {
            return false;
        };
        let is_static = matches!(
            self.state.memory.get(id).kind,
            Kind::Pointee | Kind::Global(_)
        );
        is_static || self.is_known_outside(id)
    }

    /// Whether callers may have the address: of what existed before, standard streams and functions
    /// included.
    pub fn is_known_to_callers(&self, value: Value) -> bool {
        let is_stream = |id| self.state.memory.get(id).kind == Kind::Opaque;
        let is_stream = matches!(value.shadow, Shadow::Pointer(id, _) if is_stream(id));
        is_stream || self.is_function(value) || self.is_static_or_input(value)
    }

    /// Whether a value is the address of a function.
    pub fn is_function(&self, value: Value) -> bool {
        let is_it = |id| matches!(self.state.memory.get(id).kind, Kind::Function(_));
        matches!(value.shadow, Shadow::Pointer(id, _) if is_it(id))
    }

    /// Whether the pointer that a later address comes from was offered the part at the earlier
    /// address.
    fn was_offered(&self, earlier: Value, later: Value) -> bool {
        let (Some((first, at)), Some((second, 0))) = (self.place(earlier), self.place(later))
        else {
            return false;
        };
        let later = self.space.object_data(second);
        let Root::Pointee(pointer) = later.root else {
            return false;
        };
        let objects = || self.state.constants.iter().chain(&self.state.objects);
        let number = |object| objects().position(|(known, _)| *known == object);
        // Further elements may have been accessed since.
        let data = self.space.object_data(first);
        let size = self.code.program.types.size(data.ty) as i64;
        let was_there = !matches!(data.root, Root::Pointee(_)) || (0..size).contains(&at);
        let part = InputValue::Alias {
            object: first,
            offset: at,
        };
        number(first) < number(second)
            && was_there
            && self.all_alias_choices(pointer).values.contains(&part)
    }

    /// The input object or constant that an address lies in, and where.
    fn place(&self, address: Value) -> Option<(ObjectId, i64)> {
        let Shadow::Pointer(id, None) = address.shadow else {
            return None;
        };
        let mut objects = self.state.objects.iter().chain(&self.state.constants);
        let (object, _) = objects.find(|(_, known)| *known == id)?;
        let allocation = self.state.memory.get(id);
        let origin = allocation.input.as_ref().map_or(0, |input| input.origin);
        let start = allocation.base.wrapping_add(origin);
        Some((*object, (address.bits as u64).wrapping_sub(start) as i64))
    }
}

/// Whether nothing but the first element was accessed.
fn is_one_element(types: &Types, input: InputObject) -> bool {
    let (low, high) = input.touched;
    low >= input.origin && high <= input.origin + types.size(input.element)
}

/// Whether only those elements of a declared array of unknown length were accessed that are
/// candidates from the start.
fn has_first_elements_only(types: &Types, input: InputObject) -> bool {
    let (low, high) = input.touched;
    let offered = first_elements(types, input.element) as u64 * types.size(input.element);
    low >= input.origin && high <= input.origin + offered
}
