//! From places to addresses.

use ir::test::BoundKind;
use ir::{CellId, DefectKind};

use crate::code::{IndexCode, PlaceCode};
use crate::constants;
use crate::execution::{Alternative, ConstraintKind, Demand};
use crate::ids::AllocationId;
use crate::memory::{InputObject, Kind, Life};
use crate::moved::Move;
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value, mask, number, show};

/// The alternatives of an access by a pointer into the middle of an input array: after it, before
/// it, or neither. They begin at 1, since 0 means at other assumptions that these do not hold.
const ABOVE: u32 = 1;
const BELOW: u32 = 2;
const OUTSIDE: u32 = 3;

/// An address with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub value: Value,
    /// Offsets in the allocation between which checks have proved it to be, both included.
    pub range: Option<(u64, u64)>,
    /// The input pointer that it was made from, where that is null.
    pub null_cell: Option<CellId>,
    /// Whether a local is named here. A write to a `const` local by its name is its initialisation.
    pub named: bool,
}

/// What an address is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To read or write there.
    Access,
    /// To make a pointer: it may be one past the end, and nothing needs to exist there.
    Point,
}

impl Run<'_, '_> {
    /// The address of a place.
    pub fn locate(&mut self, place: &PlaceCode, purpose: Purpose) -> Flow<Address> {
        let mut address = self.place_base(place, purpose)?;
        let mut offset = place.offset as i128;
        let mut constant = offset;
        let mut term = None;
        let mut range = match address.value.shadow {
            Shadow::Pointer(id, None) => {
                let start = self.offset_of(address.value, id).0 as u64;
                start
                    .checked_add_signed(place.offset)
                    .map(|start| (start, start))
            }
            _ => None,
        };
        for index in &place.indices {
            if let (None, Shadow::Pointer(id, _)) = (index.length, address.value.shadow) {
                self.stay_unwrapped_at(id, index)?;
            }
            let (value, step, length) = self.index(index, purpose)?;
            offset = offset.wrapping_add(step);
            match value {
                None => {
                    constant = constant.wrapping_add(step);
                    range = range.and_then(|r| shift_range(r, step));
                }
                Some(by) => {
                    term = Some(match term {
                        None => by,
                        Some(sum) => self.terms.add(sum, by),
                    });
                    range = range.and_then(|(low, high)| {
                        let last = length?.checked_sub(1)?.checked_mul(index.element)?;
                        Some((low, high.checked_add(last)?))
                    });
                }
            }
        }
        let width = self.code.pointer_width;
        let bits = address.value.bits.wrapping_add(offset as u128) & mask(width);
        let symbolic = match (term, address.value.shadow) {
            (None, Shadow::Pointer(_, None) | Shadow::None) => None,
            _ => Some(self.moved_term(address.value, constant, term)),
        };
        address.value = match (address.value.shadow, symbolic) {
            (Shadow::Pointer(id, _), symbolic) => Value {
                bits,
                shadow: Shadow::Pointer(
                    id,
                    symbolic.filter(|&term| self.terms.as_constant(term).is_none()),
                ),
            },
            (Shadow::None | Shadow::Term(_), Some(term)) => self.valued(bits, term),
            (shadow, _) => Value { bits, shadow },
        };
        address.range = range;
        address.named = place.local.is_some();
        if purpose == Purpose::Access
            && let (Some(ty), Shadow::Pointer(id, _)) = (place.accessed, address.value.shadow)
        {
            self.note_accessed_as(id, ty);
        }
        Ok(address)
    }

    /// The term of an address after a constant and a symbolic number of bytes were added.
    fn moved_term(&mut self, base: Value, constant: i128, by: Option<expr::Term>) -> expr::Term {
        let width = self.code.pointer_width;
        let start = match base.shadow {
            Shadow::Pointer(id, term) => {
                let (offset, _) = self.offset_of(base, id);
                term.unwrap_or_else(|| self.terms.constant(width, offset))
            }
            _ => self.term_of(base, width),
        };
        let constant = self.terms.constant(width, constant as u128);
        let sum = self.terms.add(start, constant);
        match by {
            Some(by) => self.terms.add(sum, by),
            None => sum,
        }
    }

    /// The address that a place starts at.
    fn place_base(&mut self, place: &PlaceCode, purpose: Purpose) -> Flow<Address> {
        if let Some(local) = place.local {
            let value = self.local_address(local)?;
            return Ok(plain(value));
        }
        let raw = self.read(place.base);
        let value = self.used(raw)?;
        let null_cell = match raw.shadow {
            Shadow::Lazy(cell) if value.bits == 0 => Some(cell),
            _ => None,
        };
        let address = Address {
            value,
            range: None,
            null_cell,
            named: false,
        };
        match purpose {
            Purpose::Access => {
                self.check_pointer(address)?;
                self.check_alignment(value, place.align)?;
                let value = self.fix_added(value);
                return Ok(Address { value, ..address });
            }
            Purpose::Point if place.member && value.bits == 0 => self.check_pointer(address)?,
            Purpose::Point => {}
        }
        Ok(address)
    }

    /// An index in bytes: its term, if it depends on inputs, its value, and the array's length.
    fn index(
        &mut self,
        index: &IndexCode,
        purpose: Purpose,
    ) -> Flow<(Option<expr::Term>, i128, Option<u64>)> {
        let raw = self.read(index.operand);
        let value = self.used(raw)?;
        let scalar = index.scalar;
        let at = number(value.bits, scalar.bits(), scalar.signed);
        if value.is_address() {
            self.depends_on_address("an index");
        }
        if let Some(length) = index.length {
            let limit = match purpose {
                Purpose::Access => length,
                Purpose::Point => length.saturating_add(1),
            };
            self.check_index(value, scalar, at, length, limit)?;
        }
        let term = value.term().map(|term| {
            let width = self.code.pointer_width;
            let wide = self.terms.resize(width, term, scalar.signed);
            let size = self.terms.constant(width, u128::from(index.element));
            self.terms.mul(wide, size)
        });
        let length = index.length.map(|length| match purpose {
            Purpose::Access => length,
            Purpose::Point => length + 1,
        });
        Ok((term, at.wrapping_mul(index.element as i128), length))
    }

    /// The same as for a pointer that is moved, for an index into an array of unknown length.
    fn stay_unwrapped_at(&mut self, id: AllocationId, index: &IndexCode) -> Flow<()> {
        let raw = self.read(index.operand);
        let by = Move {
            index: self.used(raw)?,
            scalar: index.scalar,
            element: index.element as i64,
        };
        self.stay_unwrapped(id, by)
    }

    fn check_index(
        &mut self,
        value: Value,
        scalar: Scalar,
        at: i128,
        length: u64,
        limit: u64,
    ) -> Flow<()> {
        // Unsigned 128-bit indices beyond the signed range are negative here, and so outside.
        let holds = at >= 0 && at < i128::from(limit);
        let message = || format!("index {at} is outside an array of {length} elements");
        let Some(term) = value.term() else {
            return if holds {
                Ok(())
            } else {
                Err(self.defect(DefectKind::OutOfBounds, message()))
            };
        };
        let width = scalar.bits();
        // What the type cannot exceed needs no check; a sign does.
        let greatest = mask(if scalar.signed { width - 1 } else { width });
        let safe = if u128::from(limit) <= greatest {
            let limit = self.terms.constant(width, u128::from(limit));
            self.terms.ult(term, limit)
        } else if scalar.signed {
            let zero = self.terms.constant(width, 0);
            self.terms.sle(zero, term)
        } else {
            return Ok(());
        };
        self.check(DefectKind::OutOfBounds, safe, holds, message)
    }

    /// Checks that a pointer points to an object at all, alive or not.
    pub fn check_pointer(&mut self, address: Address) -> Flow<()> {
        let bits = address.value.bits;
        match address.value.shadow {
            Shadow::Pointer(..) => Ok(()),
            _ if !self.is_near_null(bits) && self.is_constant_address(address.value) => Ok(()),
            // Natively it may point to one.
            Shadow::Tainted(_) => {
                self.depends_on_address("what a pointer points to");
                Err(Stop::Limit)
            }
            _ if self.is_near_null(bits) => {
                let message = "access through a null pointer";
                let kind = DefectKind::NullDereference;
                let nulls = self.assumes_nulls(address.null_cell);
                let number = match nulls.is_empty() {
                    true => self.assumes_number(address.value),
                    false => None,
                };
                Err(self.assumed_defect(kind, message, nulls.into_iter().chain(number)))
            }
            _ => {
                let message = format!("access through {bits:#x}, which points to no object");
                let assumption = self.assumes_number(address.value);
                Err(self.assumed_defect(DefectKind::WildPointer, message, assumption))
            }
        }
    }

    /// The allocation of an address that is about to be accessed, alive.
    pub fn alive(&mut self, address: Address) -> Flow<AllocationId> {
        self.check_pointer(address)?;
        let id = match address.value.shadow {
            Shadow::Pointer(id, _) => id,
            Shadow::None | Shadow::Term(_) => self.page_at(address.value)?,
            _ => return Err(self.unsupported("an access through a value that is no pointer")),
        };
        let allocation = self.state.memory.get(id);
        match allocation.life {
            Life::Live => Ok(id),
            Life::Dead => Err(self.no_more(id)),
        }
    }

    /// The defect of an access to an object that is no more.
    fn no_more(&mut self, id: AllocationId) -> Stop {
        let allocation = self.state.memory.get(id);
        // Of an object that an input pointer leads to, the part that is known to exist.
        let input = allocation.input.as_deref();
        let size = input.map_or(allocation.size, |input| input.touched.1 - input.touched.0);
        let freed = format!("access to {size} bytes that were freed");
        match allocation.kind {
            Kind::Heap | Kind::Pointee => self.defect(DefectKind::UseAfterFree, freed),
            Kind::Global(_) => self.freed_by_calls(DefectKind::UseAfterFree, freed),
            _ => {
                let message = format!("access to a local of {size} bytes that is no more");
                self.defect(DefectKind::UseAfterReturn, message)
            }
        }
    }

    /// The defect (or limit) of an access of `size` bytes at this offset, outside its object.
    pub fn outside(&mut self, id: AllocationId, offset: u128, size: u64) -> Stop {
        let width = self.code.pointer_width;
        let signed = Scalar {
            signed: true,
            ..Scalar::unsigned(width)
        };
        let allocation = self.state.memory.get(id);
        let (whole, kind) = (allocation.size, allocation.kind);
        let input = allocation.input.as_deref().copied();
        match (kind, input) {
            (_, Some(input)) if input.growable => {
                self.hit_extent(input, whole);
                crate::stop::Stop::Limit
            }
            _ if self.is_open_ended(id) => self.ends_unknown_object(id),
            (Kind::Pointee, Some(input)) => {
                let at = number(offset, width, true) - i128::from(input.origin);
                let after = whole - input.origin;
                let before = input.origin;
                let message = format!(
                    "access to {size} bytes at offset {at} of an input object of {after} bytes \
                     (and {before} before the pointer)"
                );
                let assumption = self.assumes_extent(input.object, after);
                self.assumed_defect(DefectKind::OutOfBounds, message, [assumption])
            }
            (Kind::Function(_), _) => self.unsupported("an access to the code of a function"),
            (Kind::Opaque, _) => self.unsupported("an access to an object of the C library"),
            _ => {
                let at = show(offset, signed);
                let message =
                    format!("access to {size} bytes at offset {at} of an object of {whole} bytes");
                self.out_of_object(message, id)
            }
        }
    }

    /// Checks the bounds of an access of `size` bytes and gives its offset; and the term of the
    /// offset, if it is symbolic.
    pub fn bounded(
        &mut self,
        id: AllocationId,
        address: Address,
        size: u64,
    ) -> Flow<(u64, Option<expr::Term>)> {
        let (offset, term) = self.offset_of(address.value, id);
        let allocation = self.state.memory.get(id);
        let whole = allocation.size;
        let holds = u64::try_from(offset).is_ok_and(|offset| allocation.holds(offset, size));
        let Some(term) = term else {
            if !holds {
                return Err(self.outside(id, offset, size));
            }
            if !self.state.guesses.is_empty() {
                let end = offset as i128 + i128::from(size) - self.origin_of(id);
                self.check_length(id, end, None, size)?;
            }
            self.note_lowest(id, offset as u64);
            return Ok((offset as u64, None));
        };
        let growable = allocation
            .input
            .as_ref()
            .is_some_and(|input| input.growable);
        if growable {
            self.bound_growable(id, term, offset, size, holds)?;
            if !self.state.guesses.is_empty() {
                let origin = self.origin_of(id);
                let end = offset as i128 + i128::from(size) - origin;
                let width = self.code.pointer_width;
                let origin = self.terms.constant(width, origin as u128);
                let start = self.terms.sub(term, origin);
                self.check_length(id, end, Some(start), size)?;
            }
            return Ok((offset as u64, Some(term)));
        }
        let proved = address
            .range
            .is_some_and(|(_, high)| high.checked_add(size).is_some_and(|end| end <= whole));
        if proved && holds {
            return Ok((offset as u64, Some(term)));
        }
        let width = self.code.pointer_width;
        let safe = match whole.checked_sub(size) {
            Some(last) => {
                let last = self.terms.constant(width, u128::from(last));
                self.terms.ule(term, last)
            }
            None => self.terms.bool(false),
        };
        self.decide(ConstraintKind::Check(DefectKind::OutOfBounds), safe, holds);
        if holds {
            Ok((offset as u64, Some(term)))
        } else {
            let stop = self.outside(id, offset, size);
            Err(self.blamed(stop, safe))
        }
    }

    /// Where in an allocation the pointer to it points, for an input array.
    fn origin_of(&self, id: AllocationId) -> i128 {
        let input = self.state.memory.get(id).input.as_deref();
        input.map_or(0, |input| i128::from(input.origin))
    }

    /// An input array is assumed to be as long as the bound allows, on each side of the pointer;
    /// which side is accessed is an alternative of its own.
    fn bound_growable(
        &mut self,
        id: AllocationId,
        term: expr::Term,
        offset: u128,
        size: u64,
        holds: bool,
    ) -> Flow<()> {
        let width = self.code.pointer_width;
        let allocation = self.state.memory.get(id);
        let whole = allocation.size;
        let input = allocation.input.as_deref().copied();
        let origin = input.map_or(0, |input| input.origin);
        // An access of no bytes at the origin is on one side only.
        let sides = [
            (ABOVE, origin, whole, size),
            (BELOW, 0, origin, size.max(1)),
        ];
        let mut alternatives = Vec::with_capacity(3);
        let mut outside = self.terms.bool(true);
        let mut taken = OUTSIDE;
        for (number, low, high, size) in sides {
            let Some(last) = high.checked_sub(size).filter(|&last| last >= low) else {
                continue;
            };
            let low_term = self.terms.constant(width, u128::from(low));
            let count = self.terms.constant(width, u128::from(last - low));
            let relative = self.terms.sub(term, low_term);
            let inside = self.terms.ule(relative, count);
            if holds && offset >= u128::from(low) && offset <= u128::from(last) {
                taken = number;
            }
            let not_inside = self.terms.bool_not(inside);
            outside = self.terms.bool_and(outside, not_inside);
            alternatives.push((number, inside));
        }
        alternatives.push((OUTSIDE, outside));
        let (chosen, others): (Vec<_>, Vec<_>) = alternatives
            .into_iter()
            .partition(|(number, _)| *number == taken);
        let others = others.into_iter();
        let possible = others.filter(|(_, term)| self.terms.as_bool(*term) != Some(false));
        let others = possible.map(|(number, term)| Alternative {
            number,
            demand: Demand::Term(term),
        });
        let others = others.collect();
        if let Some(&(_, term)) = chosen.first() {
            self.constrain(ConstraintKind::Assumption, term, taken, others);
        }
        if taken == BELOW {
            // Wherever it is, it is no nearer to the origin.
            self.note_lowest(id, origin.saturating_sub(size));
        }
        if taken != OUTSIDE {
            return Ok(());
        }
        // Only where an input leads out of the room is it a bound; the search tries that too.
        if let Some(input) = input {
            self.hit_extent(input, whole);
        }
        Err(crate::stop::Stop::Limit)
    }

    /// Notes an access at a place that is known, or no higher than that.
    #[inline]
    fn note_lowest(&mut self, id: AllocationId, offset: u64) {
        let input = self.state.memory.get(id).input.as_deref();
        if input.is_some_and(|input| input.growable && offset < input.accessed)
            && let Some(input) = &mut self.state.memory.get_mut(id).input
        {
            input.accessed = offset;
        }
    }

    /// Records the bound that the object that a pointer points to has room for so many bytes and no
    /// more; the execution ends there.
    pub fn hit_extent(&mut self, input: InputObject, room: u64) {
        self.state.record.needs.outgrown = Some(input.object);
        let max = self.code.config.max_array;
        let is_one = room == self.code.program.types.size(input.element);
        let detail = if is_one && max > 1 {
            let name = self.object_name(input.object);
            format!("there is taken to be nothing around {name}")
        } else {
            format!("an input array has at most {max} elements each way")
        };
        self.hit(BoundKind::ArrayExtent, detail);
    }

    /// Whether a range of an allocation holds const members of its declared type, or parts of them.
    pub fn has_constant_members(&self, id: AllocationId, range: (u64, u64)) -> bool {
        let types = &self.code.program.types;
        let ty = self.state.memory.get(id).declaration.ty;
        ty.is_some_and(|ty| constants::has_members_in(types, ty, range))
    }

    /// Checks that a range of an allocation may be written.
    pub fn writable(&mut self, id: AllocationId, range: (u64, u64)) -> Flow<()> {
        let allocation = self.state.memory.get(id);
        if !allocation.declaration.guarded {
            return Ok(());
        }
        if self.is_place_of_linker(id) {
            return Err(self.unsupported("an access to what linkers define"));
        }
        if allocation.constant {
            let message = "write to a string literal or a const object";
            return Err(self.defect(DefectKind::WriteToConstant, message));
        }
        if self.has_constant_members(id, range) {
            if self.is_shared_by_calls(id) {
                self.state.record.needs.allocates_shared = true;
                return Ok(());
            }
            let message = "write to a const member of an object";
            return Err(self.defect(DefectKind::WriteToConstant, message));
        }
        Ok(())
    }
}

fn plain(value: Value) -> Address {
    Address {
        value,
        range: None,
        null_cell: None,
        named: false,
    }
}

impl From<Value> for Address {
    fn from(value: Value) -> Address {
        plain(value)
    }
}

fn shift_range((low, high): (u64, u64), step: i128) -> Option<(u64, u64)> {
    let step = i64::try_from(step).ok()?;
    Some((
        low.checked_add_signed(step)?,
        high.checked_add_signed(step)?,
    ))
}
