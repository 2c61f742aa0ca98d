//! Objects whose end is unknown: arrays that are declared without a length, records whose last
//! member is one, and objects of incomplete types, which no unit defines. They are taken to have
//! some room; what leaves it is no defect, but a bound.

use expr::Term;
use ir::test::BoundKind;

use crate::execution::{Alternative, ConstraintKind, Demand};
use crate::ids::AllocationId;
use crate::memory::Kind;
use crate::run::Run;
use crate::statics;
use crate::stop::{Flow, Stop};
use crate::value::{Shadow, Value};

/// The alternatives of a pointer that is moved in such an object: it stays in its room or leaves
/// it.
const INSIDE: u32 = 1;
const OUTSIDE: u32 = 2;

impl Run<'_, '_> {
    /// Whether the end of an object is unknown: an array that is declared without a length, a
    /// record whose last member is one, or an object of an incomplete type, which no unit defines.
    pub fn is_open_ended(&self, id: AllocationId) -> bool {
        let Kind::Global(global) = self.state.memory.get(id).kind else {
            return false;
        };
        let program = self.code.program;
        let global = &program.globals[global];
        let types = &program.types;
        global.initializer.is_none()
            && (statics::open_element(program, global).is_some()
                || types.flexible_member(global.ty).is_some()
                || types.is_incomplete(global.ty))
    }

    /// A pointer stays in the room that such an object has, or not, each as an alternative of its
    /// own.
    pub fn stay_inside(&mut self, id: AllocationId, inside: Term, holds: bool) -> Flow<()> {
        let outside = self.terms.bool_not(inside);
        let alternatives = [(INSIDE, inside), (OUTSIDE, outside)];
        let [(taken, term), (number, other)] = match holds {
            true => alternatives,
            false => [alternatives[1], alternatives[0]],
        };
        let other = Alternative {
            number,
            demand: Demand::Term(other),
        };
        self.constrain(ConstraintKind::Assumption, term, taken, vec![other]);
        match holds {
            true => Ok(()),
            false => Err(self.ends_unknown_object(id)),
        }
    }

    /// Ends the execution where it leaves the room that such an object is taken to have.
    pub fn ends_unknown_object(&mut self, id: AllocationId) -> Stop {
        let allocation = self.state.memory.get(id);
        let (room, kind) = (allocation.size, allocation.kind);
        match allocation.input.as_deref().copied() {
            Some(input) if input.growable || kind == Kind::Pointee => self.hit_extent(input, room),
            Some(input) => {
                let name = self.object_name(input.object);
                let detail = match self.code.program.types.is_incomplete(input.element) {
                    true => {
                        format!("{name} is of an incomplete type: it is taken to have no bytes")
                    }
                    false => format!("the array at the end of {name} is taken to have no elements"),
                };
                self.hit(BoundKind::ArrayExtent, detail);
            }
            None => self.hit(BoundKind::ArrayExtent, "an array has no further elements"),
        }
        Stop::Limit
    }

    /// Whether an address lies in an object of unknown length.
    pub fn is_in_open_ended(&self, value: Value) -> bool {
        matches!(value.shadow, Shadow::Pointer(id, _) if self.is_open_ended(id))
    }

    /// Whether an address lies in an object of unknown length, but not at its start.
    pub fn is_behind_start(&self, value: Value) -> bool {
        let Shadow::Pointer(id, term) = value.shadow else {
            return false;
        };
        let is_start = term.is_none() && value.bits == u128::from(self.state.memory.get(id).base);
        !is_start && self.is_open_ended(id)
    }
}
