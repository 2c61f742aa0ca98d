//! Where an input pointer could have pointed to memory that it was not offered, so that what
//! follows holds within a bound only.
//!
//! An input pointer is offered NULL, an object of its own, and each input object of its record
//! type. In C it may also point to a member of one, to a later element, to an object that is no
//! input or, as a pointer to characters, anywhere. That makes a difference once one of two objects
//! that could share memory is written, or addresses are compared.

use ir::test::BoundKind;
use ir::{GlobalKind, Type, TypeId, Types};

use crate::memory::{Allocation, AllocationId, InputObject, Kind, Life};
use crate::run::Run;
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// Takes note that an object is about to be written.
    pub fn note_write(&mut self, id: AllocationId) {
        let Some(input) = &mut self.memory.get_mut(id).input else {
            return;
        };
        if !std::mem::replace(&mut input.written, true) {
            self.note_sharing(id);
        }
    }

    /// Records the bound if an input object and another one, either of which was written, could
    /// share memory in a way that was not offered.
    pub fn note_sharing(&mut self, id: AllocationId) {
        let Some(input) = shareable(self.memory.get(id)) else {
            return;
        };
        let could_share = |other: AllocationId| {
            shareable(self.memory.get(other)).is_some_and(|there| {
                (input.written || there.written)
                    && self.share_unoffered((id, input), (other, there))
            })
        };
        let found = self
            .objects
            .iter()
            .find(|(_, other)| *other != id && could_share(*other));
        if let Some(&(other, _)) = found {
            let (one, other) = (self.object_name(input.object), self.object_name(other));
            let detail = format!("{one} and {other} are not taken to share a part of their memory");
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// Whether two input objects could share memory in a way that was not offered.
    fn share_unoffered(
        &self,
        (a, left): (AllocationId, InputObject),
        (b, right): (AllocationId, InputObject),
    ) -> bool {
        let types = &self.code.program.types;
        let is_pointee = |id| self.memory.get(id).kind == Kind::Pointee;
        let offered = left.element == right.element
            && types.record(left.element).is_some()
            && [left, right]
                .iter()
                .all(|input| is_one_element(types, *input));
        (is_pointee(a) || is_pointee(b))
            && !offered
            && (contains(types, left.element, right.element)
                || contains(types, right.element, left.element))
    }

    /// Records the bound if two addresses are told apart only because of what an input pointer was
    /// not offered.
    pub fn note_comparison(&mut self, left: Value, right: Value) {
        let is_choice = |value| self.is_chosen_object(value);
        let unoffered = match (left.shadow, right.shadow) {
            (Shadow::Pointer(..), Shadow::Pointer(..)) => {
                (is_choice(left) || is_choice(right))
                    && self.is_static_or_input(left)
                    && self.is_static_or_input(right)
                    && !self.were_offered_to_each_other(left, right)
            }
            _ => is_choice(left) || is_choice(right),
        };
        if unoffered {
            let detail = "an input pointer is compared with an address that it was not offered";
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// Whether an input pointer was taken to point to the object.
    fn is_chosen_object(&self, value: Value) -> bool {
        match value.shadow {
            Shadow::Pointer(id, _) => self.memory.get(id).kind == Kind::Pointee,
            _ => false,
        }
    }

    /// Whether the object existed before the entry function was called. String literals did, but
    /// nobody else has their addresses.
    fn is_static_or_input(&self, value: Value) -> bool {
        let Shadow::Pointer(id, _) = value.shadow else {
            return false;
        };
        match self.memory.get(id).kind {
            Kind::Pointee => true,
            Kind::Global(global) => {
                self.code.program.globals[global].kind != GlobalKind::StringLiteral
            }
            _ => false,
        }
    }

    /// Whether both are where an input pointer to a record of one type may point.
    fn were_offered_to_each_other(&self, left: Value, right: Value) -> bool {
        let start = |value: Value| match value.shadow {
            Shadow::Pointer(id, None) => {
                let allocation = self.memory.get(id);
                let input = allocation.input.as_deref()?;
                let at_start = u128::from(allocation.base + input.origin) == value.bits;
                at_start.then_some(input.element)
            }
            _ => None,
        };
        match (start(left), start(right)) {
            (Some(a), Some(b)) => a == b && self.code.program.types.record(a).is_some(),
            _ => false,
        }
    }
}

/// The input that a live object is that pointers of the caller may point to.
fn shareable(allocation: &Allocation) -> Option<InputObject> {
    let reachable = matches!(allocation.kind, Kind::Pointee | Kind::Global(_));
    let input = allocation.input.as_deref().copied();
    input.filter(|_| reachable && allocation.life == Life::Live)
}

/// Whether nothing but the first element was accessed.
fn is_one_element(types: &Types, input: InputObject) -> bool {
    let (low, high) = input.touched;
    low >= input.origin && high <= input.origin + types.size(input.element)
}

/// Whether an object of one type is or has a part that can be accessed as the other. Characters
/// can be anywhere.
fn contains(types: &Types, whole: TypeId, part: TypeId) -> bool {
    let is_character = |ty| types.int(ty).is_some_and(|int| int.name.is_character());
    if whole == part || is_character(part) {
        return true;
    }
    match types.kind(whole) {
        Type::Array { element, .. } => contains(types, *element, part),
        Type::Record(record) => {
            let fields = &types.records[*record].fields;
            fields.iter().any(|field| contains(types, field.ty, part))
        }
        Type::Pointer { .. } => matches!(types.kind(part), Type::Pointer { .. }),
        _ => match (types.int(whole), types.int(part)) {
            (Some(a), Some(b)) => a.width == b.width,
            _ => false,
        },
    }
}
