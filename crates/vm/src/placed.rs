//! Whether accesses are aligned, and where the objects of callers lie.
//!
//! Code may access an object that an input pointer leads to as a type that is aligned to more than
//! the object's own, such as a word in the bytes of a packet. How far the object lies after a
//! multiple of 16 is an input ([`Root::Placed`]). The access asks for a place where it is aligned;
//! that the caller passes an object elsewhere is a defect which rests on that.

use ir::input::{InputCell, InputValue, Root};
use ir::test::BoundKind;
use ir::{Assumption, AssumptionKind, CellId, DefectKind, ObjectId};

use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::memory::Kind;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

/// Places are told apart up to a multiple of so many bytes; no common type is aligned to more.
pub(crate) const MOST_ALIGNED: u64 = 16;

/// Where an object lies: so many bytes after a multiple of [`MOST_ALIGNED`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// The pointer to it.
    pointer: CellId,
    /// The bytes, of a pointer's width.
    place: Value,
}

impl Run<'_, '_> {
    /// Checks that a pointer is a multiple of the alignment. Where a typedef lowers the alignment,
    /// an access may be through that name, which requires less.
    pub fn check_alignment(&mut self, value: Value, align: u64) -> Flow<()> {
        if align <= 1 || self.code.program.target.relaxed_alignment {
            return Ok(());
        }
        if let Shadow::Pointer(id, _) = value.shadow
            && let Some(placement) = self.placement(id, align)
        {
            return self.check_placed(id, value, align, placement);
        }
        let low = u128::from(align - 1);
        let holds = value.bits & low == 0;
        let message = || {
            format!(
                "access through {:#x}, which is no multiple of {align}",
                value.bits
            )
        };
        let kind = DefectKind::Misaligned;
        match value.shadow {
            Shadow::Pointer(id, Some(term)) => {
                if self.congruence(term).divisible(u128::from(align)) {
                    return Ok(());
                }
                let width = self.code.pointer_width;
                let base = self.state.memory.get(id).base;
                let base = self.terms.constant(width, u128::from(base));
                let sum = self.terms.add(base, term);
                let low = self.terms.constant(width, low);
                let rest = self.terms.and(sum, low);
                let any = self.terms.is_nonzero(rest);
                let safe = self.terms.bool_not(any);
                self.decide(ConstraintKind::Check(kind), safe, holds);
                if holds {
                    return Ok(());
                }
                self.note_place(id, align);
                self.note_beside(id);
                let assumption = self.assumes_tag(term);
                Err(self.assumed_defect(kind, message(), assumption))
            }
            _ if holds => Ok(()),
            Shadow::Pointer(id, None) => {
                self.note_place(id, align);
                self.note_beside(id);
                Err(self.defect(kind, message()))
            }
            _ => Err(self.defect(kind, message())),
        }
    }

    /// Records that an access to an object of the program is aligned or not as the object happens
    /// to lie.
    fn note_place(&mut self, id: AllocationId, align: u64) {
        if self.known_align(id) < align {
            self.depends_on_address("whether an access is aligned");
        }
    }

    /// Records the bound that a number which is an input was taken to be the address of an object,
    /// where one beside it would be aligned: a tag is added to it, and subtracted before the
    /// access.
    fn note_beside(&mut self, id: AllocationId) {
        let is_number = self
            .pointer_to_placed(id)
            .is_some_and(|cell| self.is_number(cell));
        if is_number {
            let detail =
                "an input number is taken to be the address of an object, and of none beside it";
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// What a defect rests on whose address has low bits that are an input.
    fn assumes_tag(&self, offset: expr::Term) -> Option<Assumption> {
        let mut inputs = self.terms.variables(offset).iter();
        let name = self.describe(inputs.find_map(|input| self.added_to(input))?);
        let text = format!("the caller may set low bits of {name}");
        Some(Assumption::new(AssumptionKind::Number, name, text))
    }

    /// Where the object of a caller lies, if an access that wants to be aligned asks for more than
    /// its type.
    pub fn placement(&mut self, id: AllocationId, align: u64) -> Option<Placement> {
        let own = self.state.memory.get(id).declaration.align;
        if align <= own || align > MOST_ALIGNED {
            return None;
        }
        let pointer = self.pointer_to_placed(id)?;
        if self.is_tagged(pointer) {
            return None;
        }
        let place = self.placed_behind(pointer, own);
        Some(Placement { pointer, place })
    }

    fn pointer_to_placed(&self, id: AllocationId) -> Option<CellId> {
        let allocation = self.state.memory.get(id);
        let input = allocation.input.as_deref()?;
        match self.space.object_data(input.object).root {
            Root::Pointee(pointer) if allocation.kind == Kind::Pointee => Some(pointer),
            _ => None,
        }
    }

    fn placed_behind(&mut self, pointer: CellId, own: u64) -> Value {
        let ty = self.character_type();
        let object = self.space.object(Root::Placed(pointer), ty);
        let bits = (MOST_ALIGNED / own.max(1)).ilog2();
        let cell = InputCell {
            object,
            offset_bits: 0,
            ty,
            width: bits,
        };
        let count = self.cell_value(cell);
        let asked = (pointer, self.space.cell(cell));
        if !self.state.record.noted.placed.contains(&asked) {
            self.state.record.noted.placed.push(asked);
        }
        let width = self.code.pointer_width;
        let wide = self.term_of(count, bits);
        let wide = self.terms.zero_extend(width, wide);
        let step = self.terms.constant(width, u128::from(own.max(1)));
        let term = self.terms.mul(wide, step);
        self.valued(count.bits * u128::from(own.max(1)), term)
    }

    /// Checks that an access is aligned, which depends on where the object lies.
    pub fn check_placed(
        &mut self,
        id: AllocationId,
        value: Value,
        align: u64,
        placement: Placement,
    ) -> Flow<()> {
        let width = self.code.pointer_width;
        let low = u128::from(align - 1);
        let origin = self.state.memory.get(id).input.as_deref();
        let origin = u128::from(origin.map_or(0, |input| input.origin));
        let (offset, term) = self.offset_of(value, id);
        let bits = offset
            .wrapping_sub(origin)
            .wrapping_add(placement.place.bits)
            & low;
        let holds = bits == 0;
        let known = term.map(|term| self.congruence(term));
        let steps = known.is_none_or(|known| known.modulus.is_multiple_of(u128::from(align)));
        let offset = match term.filter(|_| !steps) {
            Some(term) => term,
            None => self.terms.constant(width, offset & low),
        };
        let origin = self.terms.constant(width, origin);
        let from_origin = self.terms.sub(offset, origin);
        let place = self.term_of(placement.place, width);
        let sum = self.terms.add(from_origin, place);
        let mask = self.terms.constant(width, low);
        let rest = self.terms.and(sum, mask);
        let is_odd = self.terms.is_nonzero(rest);
        let safe = self.terms.bool_not(is_odd);
        if self.knows(safe) {
            return Ok(());
        }
        let kind = DefectKind::Misaligned;
        // Where the object lies decides alone, and its place is one that will do: others are not
        // asked for.
        if holds && steps {
            self.constrain(ConstraintKind::Check(kind), safe, 1, Vec::new());
            return Ok(());
        }
        self.decide(ConstraintKind::Check(kind), safe, holds);
        if holds {
            return Ok(());
        }
        let message = format!("access to what is no multiple of {align}");
        let name = self.describe(placement.pointer);
        let text = format!("the caller may pass an object for {name} that is not aligned so");
        let assumption = Assumption::new(AssumptionKind::Caller, name, text);
        Err(self.assumed_defect(kind, message, [assumption]))
    }

    /// Checks that an object which is freed lies where malloc puts objects, so many bytes after the
    /// start of its block.
    pub fn check_malloc_placed(&mut self, id: AllocationId, front: u64) -> Flow<()> {
        let own = self.state.memory.get(id).declaration.align;
        let Some(pointer) = self.pointer_to_placed(id) else {
            return Ok(());
        };
        if self.place_in_vector(pointer).is_none() {
            return Ok(());
        }
        let place = self.placed_behind(pointer, own);
        let width = self.code.pointer_width;
        let term = self.term_of(place, width);
        let behind = u128::from(front % MOST_ALIGNED);
        let expected = self.terms.constant(width, behind);
        let safe = self.terms.eq(term, expected);
        let message = || "free of an object that does not lie where malloc puts objects".to_owned();
        self.check(DefectKind::InvalidFree, safe, place.bits == behind, message)
    }

    /// How many bytes after a multiple of [`MOST_ALIGNED`] an object lies, if something asked for
    /// that.
    pub fn recorded_place(&self, object: ObjectId) -> Option<u64> {
        let Root::Pointee(pointer) = self.space.object_data(object).root else {
            return None;
        };
        self.place_in_vector(pointer)
    }

    fn place_in_vector(&self, pointer: CellId) -> Option<u64> {
        let mut placed = self.state.record.noted.placed.iter();
        let &(_, cell) = placed.find(|(asked, _)| *asked == pointer)?;
        let InputValue::Bits(count) = *self.state.record.inputs.values.get(&cell)? else {
            return None;
        };
        let bits = self.space.cell_data(cell).width;
        Some(count as u64 * (MOST_ALIGNED >> bits))
    }
}
