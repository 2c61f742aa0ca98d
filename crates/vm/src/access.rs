//! Reading and writing memory at known offsets.

use ir::DefectKind;
use ir::test::BoundKind;

use crate::address::{Address, Purpose};
use crate::code::{Access, PlaceCode, StorageUnit};
use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::leaves::{View, lies_in_union};
use crate::memory::{
    INITIALISED, OF_PADDING, OPEN_BITS, Piece, SHADOWED, UNSEEN, UNWRITTEN, WRITTEN, join, part,
    write_bits,
};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value, mask, number};

impl Run<'_, '_> {
    /// Reads a scalar from a place.
    pub fn load_place(&mut self, place: &PlaceCode) -> Flow<Value> {
        let address = self.locate(place, Purpose::Access)?;
        if place.volatile {
            self.note_volatile(address, object_size(place));
        }
        match place.access {
            Access::Scalar(scalar) => self.load(address, scalar),
            Access::BitField {
                scalar,
                first,
                width,
                bytes,
                storage,
            } => {
                self.reach_storage(address, bytes, storage)?;
                let raw = self.load(address, Scalar::unsigned(bytes as u32 * 8))?;
                let raw = self.used(raw)?;
                let bits = raw.bits >> first & mask(width);
                let bits = number(bits, width, scalar.signed) as u128 & mask(scalar.bits());
                let Some(term) = raw.term() else {
                    let is_whole = first == 0 && width == scalar.bits();
                    return Ok(match raw.is_address() && !is_whole {
                        true => Value::tainted(bits),
                        false => Value {
                            bits,
                            shadow: raw.shadow,
                        },
                    });
                };
                let field = self.terms.extract(first + width - 1, first, term);
                let term = self.terms.resize(scalar.bits(), field, scalar.signed);
                Ok(self.valued(bits, term))
            }
            Access::Object { .. } => Err(self.unsupported("a whole object used as a number")),
        }
    }

    /// Writes a scalar to a place.
    pub fn store_place(&mut self, place: &PlaceCode, value: Value) -> Flow<()> {
        let address = self.locate(place, Purpose::Access)?;
        if place.volatile {
            self.expose(value.shadow);
        }
        match place.access {
            Access::Scalar(scalar) => self.store(address, scalar, value),
            Access::BitField {
                first,
                width,
                bytes,
                storage,
                ..
            } => {
                self.reach_storage(address, bytes, storage)?;
                self.store_bit_field(address, first, width, bytes, value)
            }
            Access::Object { .. } => Err(self.unsupported("a number written to a whole object")),
        }
    }

    /// Checks that what compilers access for a bit-field lies in its object, which reaches over all
    /// of it.
    fn reach_storage(&mut self, address: Address, bytes: u64, storage: StorageUnit) -> Flow<()> {
        let id = self.alive(address)?;
        let (offset, None) = self.bounded(id, address, bytes)? else {
            return Ok(());
        };
        let start = offset.checked_sub(storage.before);
        let start = start.filter(|&start| self.state.memory.get(id).holds(start, storage.size));
        let Some(start) = start else {
            let start = u128::from(offset).wrapping_sub(u128::from(storage.before));
            return Err(self.outside(id, start, storage.size));
        };
        if self.state.memory.get(id).input.is_some() {
            self.extend(id, start, storage.size);
        }
        Ok(())
    }

    fn store_bit_field(
        &mut self,
        address: Address,
        first: u32,
        width: u32,
        bytes: u64,
        value: Value,
    ) -> Flow<()> {
        let value = self.used(value)?;
        let raw_scalar = Scalar::unsigned(bytes as u32 * 8);
        self.initialise(address, bytes)?;
        let raw = self.load(address, raw_scalar)?;
        let id = self.alive(address)?;
        let (offset, _) = self.bounded(id, address, bytes)?;
        let range = offset as usize..(offset + bytes) as usize;
        // A bit for each byte, of which a bit-field has at most sixteen.
        let is_open = |flags: &u8| u32::from(flags & (OPEN_BITS | UNSEEN) == OPEN_BITS);
        let before = self.state.memory.get(id).flags[range.clone()].iter().rev();
        let open = before.fold(0, |open, flags| open << 1 | is_open(flags));
        let stored = self.with_bits(raw, first, width, value, raw_scalar);
        self.store(address, raw_scalar, stored)?;
        // The bits beside the bit-field stay unspecified where they were.
        if open != 0 {
            let flags = &mut self.state.memory.get_mut(id).flags[range];
            for (byte, flags) in flags.iter_mut().enumerate() {
                if open >> byte & 1 != 0 {
                    *flags |= OPEN_BITS;
                }
            }
        }
        Ok(())
    }

    /// The bytes that a bit-field lies in, with a new value for it.
    fn with_bits(
        &mut self,
        raw: Value,
        first: u32,
        width: u32,
        value: Value,
        scalar: Scalar,
    ) -> Value {
        let raw_width = scalar.bits();
        let hole = mask(width) << first;
        let bits = raw.bits & !hole | (value.bits & mask(width)) << first;
        // What is beside an address depends on addresses too: which of the bits do is not followed.
        if raw.is_address() || value.is_address() {
            return Value::tainted(bits);
        }
        let symbolic = raw.term().is_some() || value.term().is_some();
        if !symbolic {
            let shadow = match (raw.shadow, value.shadow) {
                (Shadow::None, Shadow::None) => Shadow::None,
                _ => Shadow::Tainted(None),
            };
            return Value { bits, shadow };
        }
        let old = self.term_of(raw, raw_width);
        let new = match value.term() {
            Some(term) => self.terms.resize(width, term, false),
            None => self.terms.constant(width, value.bits),
        };
        let mut term = new;
        if first > 0 {
            let low = self.terms.extract(first - 1, 0, old);
            term = self.terms.concat(term, low);
        }
        if first + width < raw_width {
            let high = self.terms.extract(raw_width - 1, first + width, old);
            term = self.terms.concat(high, term);
        }
        self.valued(bits, term)
    }

    /// Makes inputs of bytes that were never written: the bits beside a bit-field keep their value,
    /// which nothing uses.
    fn initialise(&mut self, address: Address, bytes: u64) -> Flow<()> {
        let id = self.alive(address)?;
        let (offset, symbolic) = self.bounded(id, address, bytes)?;
        self.reach(id, offset + bytes)?;
        let flags = &self.state.memory.get(id).flags[offset as usize..(offset + bytes) as usize];
        let is_indeterminate =
            |flag: &u8| flag & (INITIALISED | UNSEEN) == 0 || flag & UNWRITTEN != 0;
        if !flags.iter().any(is_indeterminate) {
            return Ok(());
        }
        // Which bytes become inputs must not depend on one.
        if let Some(term) = symbolic {
            self.concretise(term, u128::from(offset));
        }
        self.make_unwritten(id, offset, bytes);
        self.take_as_written(id, offset, bytes);
        Ok(())
    }

    /// Reads a scalar.
    pub fn load(&mut self, address: Address, scalar: Scalar) -> Flow<Value> {
        let id = self.alive(address)?;
        let (offset, term) = self.bounded(id, address, scalar.size())?;
        self.note_read_as(id, scalar);
        let value = match term {
            Some(term) => self.load_symbolic(id, offset, term, address.range, scalar)?,
            None => self.load_at(id, offset, scalar)?,
        };
        let value = self.loaded(value, scalar)?;
        if scalar.boolean {
            self.check_boolean(value)?;
        }
        if scalar.floating {
            self.check_signalling(value, scalar)?;
        }
        Ok(value)
    }

    /// Checks that what is read as a `_Bool` is 0 or 1: all else is a trap representation.
    fn check_boolean(&mut self, value: Value) -> Flow<()> {
        if !matches!(value.shadow, Shadow::None | Shadow::Term(_)) {
            return Ok(());
        }
        let holds = value.bits <= 1;
        let message = format!("{} is no value of _Bool", value.bits);
        let kind = DefectKind::TrapRepresentation;
        match value.term() {
            Some(term) => {
                let one = self.terms.constant(self.terms.width(term), 1);
                let safe = self.terms.ule(term, one);
                if !self.is_of_unions(term) {
                    return self.check(kind, safe, holds, || message);
                }
                // A caller's union holds the member that is read.
                self.decide(ConstraintKind::Assumption, safe, holds);
                match holds {
                    true => Ok(()),
                    false => Err(Stop::Rejected),
                }
            }
            None if holds => Ok(()),
            None => Err(self.defect(kind, message)),
        }
    }

    /// A value that was read, at the type that it is read at.
    fn loaded(&mut self, value: Value, scalar: Scalar) -> Flow<Value> {
        match value.shadow {
            Shadow::Unspecified(..) if !scalar.character => self.used(value),
            Shadow::Tainted(_) if scalar.pointer => Ok(self.pointer_again(value.bits)),
            Shadow::Pointer(..) if !scalar.pointer => {
                self.expose(value.shadow);
                Ok(value)
            }
            Shadow::Lazy(cell) if !scalar.pointer && !self.is_number(cell) => {
                let name = self.describe(cell);
                let detail = format!("{name} is a pointer where it is read as a number");
                self.hit(BoundKind::PointerChoice, detail);
                self.used(value)
            }
            Shadow::Term(_) if scalar.pointer => {
                let detail = "an input is a number where it is read as a pointer";
                self.hit(BoundKind::PointerChoice, detail);
                Ok(value)
            }
            _ => Ok(value),
        }
    }

    /// Whether all inputs that a term depends on lie in unions.
    fn is_of_unions(&self, term: expr::Term) -> bool {
        let types = &self.code.program.types;
        self.terms.variables(term).iter().all(|variable| {
            let data = self.space.cell_data(ir::CellId::from_raw(variable.0));
            let ty = self.space.object_data(data.object).ty;
            let byte = u64::try_from(data.offset_bits / 8).unwrap_or(0);
            lies_in_union(types, ty, byte.checked_rem(types.size(ty)).unwrap_or(0))
        })
    }

    /// Reads 1 to 16 bytes that exist, at a known offset.
    pub fn load_at(&mut self, id: AllocationId, offset: u64, scalar: Scalar) -> Flow<Value> {
        let size = scalar.size();
        self.reach(id, offset + size)?;
        let allocation = self.state.memory.get(id);
        let (mut any, mut all) = allocation.flags_of(offset, size);
        if any & (UNSEEN | SHADOWED) == 0 && all & INITIALISED != 0 {
            let value = Value::concrete(allocation.bits(offset, size));
            return Ok(self.as_specified(value, (id, offset), any, scalar));
        }
        if any & UNSEEN != 0 {
            self.materialise(id, offset, size, Some(view(offset, scalar)))?;
            (any, all) = self.state.memory.get(id).flags_of(offset, size);
        }
        if all & INITIALISED == 0 {
            self.look_at_unwritten(id, offset, scalar);
            (any, _) = self.state.memory.get(id).flags_of(offset, size);
        }
        let value = match any & SHADOWED {
            0 => Value::concrete(self.state.memory.get(id).bits(offset, size)),
            _ => self.load_shadowed(id, offset, size)?,
        };
        Ok(self.as_specified(value, (id, offset), any, scalar))
    }

    /// Reads a scalar some bytes of which are more than bits.
    fn load_shadowed(&mut self, id: AllocationId, offset: u64, size: u64) -> Flow<Value> {
        let bits = self.state.memory.get(id).bits(offset, size);
        if let Some(entry) = self.state.memory.get(id).entries.get(&offset)
            && entry.size == size
        {
            let shadow = entry.shadow;
            return Ok(Value { bits, shadow });
        }
        self.resolve_stored(id, offset, size)?;
        let allocation = self.state.memory.get(id);
        let bits = allocation.bits(offset, size);
        let mut pieces = Vec::new();
        let mut at = offset;
        let entries: Vec<_> = allocation.entries_in(offset, size).collect();
        for (start, entry) in entries {
            let (begin, end) = (start.max(offset), (start + entry.size).min(offset + size));
            if begin > at {
                pieces.push(plain_piece(bits, at - offset, begin - at));
            }
            let whole = allocation.bits(start, entry.size);
            let shadow = part(self.terms, entry, whole, begin - start, end - begin);
            pieces.push(Piece {
                shadow,
                ..plain_piece(bits, begin - offset, end - begin)
            });
            at = end;
        }
        if at < offset + size {
            pieces.push(plain_piece(bits, at - offset, offset + size - at));
        }
        let shadow = join(self.terms, &pieces);
        Ok(Value { bits, shadow })
    }

    /// Resolves the input pointers stored in a range, before their bytes are looked at.
    pub fn resolve_stored(&mut self, id: AllocationId, offset: u64, size: u64) -> Flow<()> {
        let lazy: Vec<_> = self
            .state
            .memory
            .get(id)
            .entries_in(offset, size)
            .filter_map(|(at, entry)| match entry.shadow {
                Shadow::Lazy(cell) => Some((at, entry.size, cell)),
                _ => None,
            })
            .collect();
        for (at, bytes, cell) in lazy {
            let value = self.resolve(cell)?;
            let allocation = self.state.memory.get_mut(id);
            allocation.touch(at, bytes);
            allocation.clear(at, bytes);
            let range = at as usize..(at + bytes) as usize;
            write_bits(&mut allocation.bytes[range], value.bits);
            allocation.put_entry(at, bytes, value.shadow);
        }
        Ok(())
    }

    /// Writes a scalar.
    pub fn store(&mut self, address: Address, scalar: Scalar, value: Value) -> Flow<()> {
        let id = self.alive(address)?;
        let (offset, term) = self.bounded(id, address, scalar.size())?;
        if !address.named {
            self.writable(id, (offset, offset + scalar.size()))?;
        }
        if value.shadow.is_open() && !scalar.character {
            self.used(value)?;
        }
        match term {
            Some(term) => self.store_symbolic(id, offset, term, address.range, scalar, value),
            None => self.store_at(id, offset, scalar, value),
        }
    }

    /// Writes 1 to 16 bytes that exist, at a known offset.
    pub fn store_at(
        &mut self,
        id: AllocationId,
        offset: u64,
        scalar: Scalar,
        value: Value,
    ) -> Flow<()> {
        let size = scalar.size();
        self.prepare_overwrite(id, offset, size, Some(view(offset, scalar)))?;
        let allocation = self.state.memory.get_mut(id);
        allocation.touch(offset, size);
        let range = offset as usize..(offset + size) as usize;
        write_bits(&mut allocation.bytes[range.clone()], value.bits);
        let (flags, shadow) = match value.shadow {
            Shadow::Uninitialised => (WRITTEN, Shadow::None),
            Shadow::Unspecified(term, why) => {
                let is_constant = self.terms.as_constant(term).is_some();
                let shadow = if is_constant {
                    Shadow::None
                } else {
                    Shadow::Term(term)
                };
                (INITIALISED | WRITTEN | why.flag(), shadow)
            }
            shadow => (INITIALISED | WRITTEN, shadow),
        };
        let padding = range.end - usize::from(scalar.padding)..range.end;
        allocation.flags[range].fill(flags);
        for flags in &mut allocation.flags[padding] {
            *flags |= OF_PADDING;
        }
        allocation.put_entry(offset, size, shadow);
        Ok(())
    }

    /// Makes a range ready to be overwritten: what lies partly in it keeps its other part.
    pub fn prepare_overwrite(
        &mut self,
        id: AllocationId,
        offset: u64,
        size: u64,
        view: Option<View>,
    ) -> Flow<()> {
        self.reach(id, offset + size)?;
        self.note_write(id);
        let (any, _) = self.state.memory.get(id).flags_of(offset, size);
        if any & UNSEEN != 0 {
            self.overwrite_unseen(id, offset, size, view)?;
        }
        let straddles = |at: u64, bytes: u64| at < offset || at + bytes > offset + size;
        let straddling = self
            .state
            .memory
            .get(id)
            .entries_in(offset, size)
            .any(|(at, entry)| {
                straddles(at, entry.size) && matches!(entry.shadow, Shadow::Lazy(_))
            });
        if straddling {
            self.resolve_stored(id, offset, size)?;
        }
        let allocation = self.state.memory.get_mut(id);
        allocation.touch(offset, size);
        allocation.cut(self.terms, offset, size);
        allocation.clear(offset, size);
        Ok(())
    }
}

/// What an access at an offset looks at.
fn view(offset: u64, scalar: Scalar) -> View {
    View {
        offset: offset * 8,
        width: scalar.size() * 8,
        pointer: scalar.pointer,
        boolean: scalar.boolean,
    }
}

/// The size in bytes of what a place holds.
pub(crate) fn object_size(place: &PlaceCode) -> u64 {
    match place.access {
        Access::Object { size, .. } => size,
        Access::Scalar(scalar) => scalar.size(),
        Access::BitField { bytes, .. } => bytes,
    }
}

/// `size` bytes from `at` on of some bits.
fn plain_piece(bits: u128, at: u64, size: u64) -> Piece {
    Piece {
        size,
        shadow: Shadow::None,
        bits: bits >> (at * 8) & mask(size as u32 * 8),
    }
}
