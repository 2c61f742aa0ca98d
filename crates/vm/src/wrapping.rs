//! Numbers that are made from addresses, and that may wrap. The compiled program computes with the
//! numbers; the machine holds an object and an offset for each.

use ir::test::BoundKind;

use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::memory::{Kind, UNSEEN};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value, mask};

/// Objects lie at least so far, in bytes, from both ends of the address space: programs use numbers
/// near the ends as marks, such as those for errors.
const AT_AN_END: u128 = 1 << 16;

impl Run<'_, '_> {
    /// Returns whether two numbers are addresses in the object, or of its end; such numbers do not
    /// wrap. If they depend on inputs, the path decides that, and the other values are
    /// alternatives.
    pub fn lie_in_object(&mut self, id: AllocationId, left: Value, right: Value) -> bool {
        let Some((low, high)) = self.accessed_part(id) else {
            return false;
        };
        let width = self.code.pointer_width;
        let start = self.terms.constant(width, u128::from(low));
        let length = self.terms.constant(width, u128::from(high - low));
        let mut all = true;
        for value in [left, right] {
            let (offset, term) = self.offset_of(value, id);
            let holds = (u128::from(low)..=u128::from(high)).contains(&offset);
            if let Some(term) = term {
                let from_start = self.terms.sub(term, start);
                let inside = self.terms.ule(from_start, length);
                self.decide(ConstraintKind::Concretisation, inside, holds);
            }
            all &= holds;
        }
        all
    }

    /// The part of an object that certainly exists: of an object of the caller, the range that was
    /// accessed.
    fn accessed_part(&self, id: AllocationId) -> Option<(u64, u64)> {
        let allocation = self.state.memory.get(id);
        match (allocation.kind, allocation.input.as_deref()) {
            (Kind::Pointee, Some(input)) => {
                let mut flags = allocation.flags.iter();
                flags
                    .any(|flags| flags & UNSEEN == 0)
                    .then_some(input.touched)
            }
            _ => Some((0, allocation.size)),
        }
    }

    /// Records a bound if the object is one that an input pointer leads to: the pointer could lie at
    /// an end of the address space, as marks for errors do, and a number made from it would wrap.
    /// Returns whether the object is such.
    pub fn note_wrapping(&mut self, id: AllocationId) -> bool {
        let is_chosen = self.state.memory.get(id).kind == Kind::Pointee;
        if is_chosen {
            let detail = "an input pointer is taken not to lie at an end of the address space";
            self.hit(BoundKind::PointerChoice, detail);
        }
        is_chosen
    }

    /// Returns whether a number that is made from an address certainly differs from a constant of
    /// the code. It may be equal where something was added to it that leads outside the object:
    /// then it depends on where the object lies. Input pointers are assumed not to lie there, which
    /// is a bound.
    pub fn is_surely_other(&mut self, id: AllocationId, made: Value, number: u128) -> Flow<bool> {
        let (offset, term) = self.offset_of(made, id);
        let allocation = self.state.memory.get(id);
        let (base, input) = (allocation.base, allocation.input.as_deref());
        let is_moved = offset != input.map_or(0, |input| u128::from(input.origin));
        let is_pointer = term.is_none() && !is_moved || self.is_input_itself(made);
        if is_pointer || self.lie_in_object(id, made, made) {
            return Ok(true);
        }
        if !self.note_wrapping(id) {
            return Ok(false);
        }
        if let Some(term) = term {
            let width = self.code.pointer_width;
            let base = self.terms.constant(width, u128::from(base));
            let address = self.terms.add(base, term);
            let number = self.terms.constant(width, number);
            let is_number = self.terms.eq(address, number);
            let is_other = self.terms.bool_not(is_number);
            let holds = made.bits != self.terms.as_constant(number).unwrap_or_default();
            self.decide(ConstraintKind::Assumption, is_other, holds);
            if !holds {
                return Err(Stop::Rejected);
            }
        }
        Ok(true)
    }

    /// Returns whether an address of this type may lie outside the object that it was made from:
    /// numbers may, and pointers that are made from numbers. C moves pointers within objects only.
    pub fn may_lie_outside(&self, scalar: Scalar) -> bool {
        !scalar.pointer || self.code.facts.uses.makes_pointers
    }

    /// Whether an address is what an input pointer was chosen to be.
    fn is_input_itself(&self, made: Value) -> bool {
        let is_choice = matches!(made.shadow, Shadow::Pointer(id, _) if self.state.memory.get(id).kind == Kind::Pointee);
        is_choice && self.state.resolved.values().any(|value| *value == made)
    }

    /// Returns whether an address, or a number that is made from one, may equal a constant of the
    /// code. Linkers place static objects and functions at any multiple of their alignment, except
    /// at the ends of the address space.
    pub fn may_be_number(
        &mut self,
        (id, made): (AllocationId, Value),
        number: Value,
        scalar: Scalar,
    ) -> Flow<bool> {
        if self.may_lie_outside(scalar) && !self.is_surely_other(id, made, number.bits)? {
            return Ok(true);
        }
        let (offset, term) = self.offset_of(made, id);
        let allocation = self.state.memory.get(id);
        if !matches!(allocation.kind, Kind::Global(_) | Kind::Function(_)) {
            return Ok(false);
        }
        let all = mask(self.code.pointer_width);
        let base = number.bits.wrapping_sub(offset) & all;
        let is_placeable = (AT_AN_END..=all - AT_AN_END).contains(&base);
        let is_aligned = term.is_some() || base.is_multiple_of(u128::from(self.known_align(id)));
        Ok(is_placeable && is_aligned)
    }
}
