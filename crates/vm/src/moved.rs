//! Pointer arithmetic: `pointer + index * element`. The result must lie in the pointer's object or
//! just past its end (C17 6.5.6p8). The machine computes the product in the width of an address, so
//! it also checks that the product does not wrap.

use expr::{BvOp, Term};
use ir::DefectKind;

use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::memory::{Kind, Life};
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value, mask, number};

/// By how much a pointer is moved.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    /// How many elements; numbers beyond the signed range of addresses stand for negative ones.
    pub index: Value,
    /// How that is held.
    pub scalar: Scalar,
    /// Size of an element in bytes; negative for a subtraction.
    pub element: i64,
}

impl Run<'_, '_> {
    /// `pointer + index * element`.
    pub fn pointer_offset(
        &mut self,
        pointer: Value,
        index: Value,
        scalar: Scalar,
        element: i64,
    ) -> Flow<Value> {
        let (pointer, index) = (self.used(pointer)?, self.used(index)?);
        let by = Move {
            index,
            scalar,
            element,
        };
        let moved = self.moved_pointer(pointer, by);
        self.check_moved(pointer, moved, by)?;
        Ok(moved)
    }

    /// Checks that a pointer that was moved still points into its object or just past its end. An
    /// object that an input pointer points to may extend as far.
    fn check_moved(&mut self, pointer: Value, moved: Value, by: Move) -> Flow<()> {
        let (Shadow::Pointer(id, from), Shadow::Pointer(_, term)) = (pointer.shadow, moved.shadow)
        else {
            // C leaves open what NULL is with a number added, and compilers take it otherwise where
            // they compare it.
            self.state.record.unspecified.unsure |= pointer.bits == 0 && moved.bits != 0;
            return Ok(());
        };
        let allocation = self.state.memory.get(id);
        let is_object = matches!(allocation.kind, Kind::Global(_) | Kind::Local | Kind::Heap);
        if !is_object || self.is_open_ended(id) {
            self.stay_unwrapped(id, by)?;
        }
        let allocation = self.state.memory.get(id);
        if !is_object || allocation.life == Life::Dead {
            return Ok(());
        }
        let (size, base) = (allocation.size, allocation.base);
        let width = self.code.pointer_width;
        let offset = (moved.bits as u64).wrapping_sub(base);
        let offset = u128::from(offset) & mask(width);
        let wraps = self.wraps(by);
        let holds = offset <= u128::from(size) && !wraps;
        let Some(term) = term else {
            return match holds {
                true => Ok(()),
                false if self.is_open_ended(id) => Err(self.ends_unknown_object(id)),
                false => {
                    let message = self.moved_message(pointer, id, by);
                    Err(self.out_of_object(message, id))
                }
            };
        };
        let start = (pointer.bits as u64).wrapping_sub(base);
        let safe = match (self.may_wrap(by), from, by.index.term()) {
            (true, None, Some(index)) if start <= size => self.stays(index, by, (start, size)),
            (true, _, Some(index)) => {
                let unwrapped = self.no_wrap(index, by);
                let end = self.terms.constant(width, u128::from(size));
                let inside = self.terms.ule(term, end);
                self.terms.bool_and(unwrapped, inside)
            }
            _ => {
                let end = self.terms.constant(width, u128::from(size));
                self.terms.ule(term, end)
            }
        };
        if self.is_open_ended(id) {
            return self.stay_inside(id, safe, holds);
        }
        let message = self.moved_message(pointer, id, by);
        if self.is_shared_by_calls(id) {
            self.decide(ConstraintKind::Check(DefectKind::OutOfBounds), safe, holds);
            return match holds {
                true => Ok(()),
                false => Err(self.out_of_object(message, id)),
            };
        }
        self.check(DefectKind::OutOfBounds, safe, holds, || message)
    }

    /// For an object of unknown size, makes a branch of whether the product of index and element
    /// size wraps. No object is that large, so executions in which it wraps end at the bound
    /// `array-extent`.
    pub fn stay_unwrapped(&mut self, id: AllocationId, by: Move) -> Flow<()> {
        if !self.may_wrap(by) {
            return Ok(());
        }
        let wraps = self.wraps(by);
        match by.index.term() {
            Some(index) => {
                let unwrapped = self.no_wrap(index, by);
                self.stay_inside(id, unwrapped, !wraps)
            }
            None if wraps => Err(self.ends_unknown_object(id)),
            None => Ok(()),
        }
    }

    /// The greatest index, in either direction, with which the product does not wrap.
    fn farthest(&self, by: Move) -> u128 {
        mask(self.code.pointer_width - 1) / u128::from(by.element.unsigned_abs().max(1))
    }

    /// Whether an index of this type can be so great that the product wraps.
    fn may_wrap(&self, by: Move) -> bool {
        let width = self.code.pointer_width;
        let sign = u32::from(by.scalar.signed);
        by.element.unsigned_abs() > 1
            && mask((by.scalar.bits() - sign).min(width - 1)) > self.farthest(by)
    }

    /// Whether the product wraps for the index that it is.
    fn wraps(&self, by: Move) -> bool {
        self.may_wrap(by) && self.signed_index(by).unsigned_abs() > self.farthest(by)
    }

    /// The index, as a signed number of an address's width.
    fn signed_index(&self, by: Move) -> i128 {
        let width = self.code.pointer_width;
        let index = number(by.index.bits, by.scalar.bits(), by.scalar.signed);
        number(index as u128 & mask(width), width, true)
    }

    /// Whether the product does not wrap.
    fn no_wrap(&mut self, index: Term, by: Move) -> Term {
        let farthest = self.farthest(by);
        self.is_between(index, by, (farthest, farthest))
    }

    /// Whether a pointer that is `start` bytes after the start of an object stays in it.
    fn stays(&mut self, index: Term, by: Move, (start, size): (u64, u64)) -> Term {
        let element = by.element.unsigned_abs();
        let (below, above) = (start / element, (size - start) / element);
        let (below, above) = match by.element < 0 {
            true => (above, below),
            false => (below, above),
        };
        self.is_between(index, by, (u128::from(below), u128::from(above)))
    }

    /// Whether an index is from `-below` to `above`.
    fn is_between(&mut self, index: Term, by: Move, (below, above): (u128, u128)) -> Term {
        let width = self.code.pointer_width;
        let index = self.terms.resize(width, index, by.scalar.signed);
        let lowest = self.terms.constant(width, below);
        let from_lowest = self.terms.add(index, lowest);
        let count = self.terms.constant(width, below + above);
        self.terms.ule(from_lowest, count)
    }

    fn moved_message(&self, pointer: Value, id: AllocationId, by: Move) -> String {
        let (allocation, width) = (self.state.memory.get(id), self.code.pointer_width);
        let start = u128::from((pointer.bits as u64).wrapping_sub(allocation.base)) & mask(width);
        let step = self.signed_index(by) * i128::from(by.element);
        let at = number(start, width, true) + step;
        let size = allocation.size;
        format!("a pointer to offset {at} of an object of {size} bytes is made")
    }

    fn moved_pointer(&mut self, pointer: Value, by: Move) -> Value {
        let Move {
            index,
            scalar,
            element,
        } = by;
        let width = self.code.pointer_width;
        let step =
            number(index.bits, scalar.bits(), scalar.signed).wrapping_mul(i128::from(element));
        let bits = pointer.bits.wrapping_add(step as u128) & mask(width);
        if index.is_address() {
            self.depends_on_address("an index");
        }
        let shadow = match (index.term(), pointer.shadow) {
            (None, Shadow::Term(term)) => {
                let by = self.terms.constant(width, step as u128);
                Shadow::Term(self.terms.add(term, by))
            }
            (None, Shadow::Pointer(id, Some(term))) => {
                let by = self.terms.constant(width, step as u128);
                let term = self.terms.add(term, by);
                return self.address_at(id, bits, Some(term));
            }
            (None, shadow) => shadow,
            (Some(index), shadow) => {
                let index = self.terms.resize(width, index, scalar.signed);
                let size = self.terms.constant(width, element as u128);
                let by = self.terms.binary(BvOp::Mul, index, size);
                match shadow {
                    Shadow::Pointer(id, _) => {
                        let offset = self.offset_term(pointer, id);
                        let term = self.terms.add(offset, by);
                        return self.address_at(id, bits, Some(term));
                    }
                    Shadow::None | Shadow::Term(_) => {
                        let start = self.term_of(pointer, width);
                        Shadow::Term(self.terms.add(start, by))
                    }
                    other => other,
                }
            }
        };
        Value { bits, shadow }
    }
}
