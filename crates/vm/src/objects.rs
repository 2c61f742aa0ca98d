//! Whole objects: copied, read, written and cleared.

use ir::test::LossKind;

use crate::access::object_size;
use crate::address::{Address, Purpose};
use crate::code::{Access, PlaceCode};
use crate::ids::AllocationId;
use crate::memory::{Blob, INITIALISED, OF_PADDING, OPEN_BITS, UNSEEN};
use crate::run::Run;
use crate::stop::Flow;

/// So many bytes that nothing looked at before can be copied at once: each scalar is an input then.
const MOST_COPIED: u64 = 1 << 17;

impl Run<'_, '_> {
    /// The whole object at a place, of a size known at preparation.
    pub fn copy_object(&mut self, to: &PlaceCode, from: &PlaceCode) -> Flow<()> {
        let blob = self.read_object(from)?;
        self.write_object(to, &blob)
    }

    /// Reads a whole object.
    pub fn read_object(&mut self, place: &PlaceCode) -> Flow<Blob> {
        let size = object_size(place);
        let address = self.locate(place, Purpose::Access)?;
        if place.volatile {
            self.note_volatile(address, size);
        }
        let mut blob = self.read_bytes(address, size)?;
        if let Access::Object { flexible, .. } = place.access {
            let left_out = blob.flags.iter_mut().skip(flexible as usize);
            left_out.for_each(|flags| *flags |= OF_PADDING);
        }
        Ok(blob)
    }

    /// Writes a whole object.
    pub fn write_object(&mut self, place: &PlaceCode, blob: &Blob) -> Flow<()> {
        let address = self.locate(place, Purpose::Access)?;
        if place.volatile {
            let shadows = blob.entries.iter().map(|(_, entry)| entry.shadow);
            shadows.for_each(|shadow| self.expose(shadow));
        }
        self.write_bytes(address, blob)
    }

    /// Reads any number of bytes; a symbolic offset is fixed. What was never written is an input
    /// from then on.
    pub fn read_bytes(&mut self, address: Address, size: u64) -> Flow<Blob> {
        if size > 0 {
            let (id, offset) = self.fixed_address(address, size)?;
            self.copy_unwritten(id, offset, size);
        }
        self.read_stored_bytes(address, size)
    }

    /// Reads any number of bytes as they are; a symbolic offset is fixed.
    pub fn read_stored_bytes(&mut self, address: Address, size: u64) -> Flow<Blob> {
        if size == 0 {
            return Ok(Blob {
                bytes: Vec::new(),
                flags: Vec::new(),
                entries: Vec::new(),
            });
        }
        let (id, offset) = self.fixed_address(address, size)?;
        self.reach(id, offset + size)?;
        let (any, _) = self.state.memory.get(id).flags_of(offset, size);
        if any & UNSEEN != 0 {
            self.check_copied(id, offset, size)?;
            self.materialise(id, offset, size, None)?;
        }
        let ends = [(offset, 1), (offset + size - 1, 1)];
        for (at, bytes) in ends {
            let straddling = self
                .state
                .memory
                .get(id)
                .entries_in(at, bytes)
                .any(|(start, e)| start < offset || start + e.size > offset + size);
            if straddling {
                self.resolve_stored(id, at, bytes)?;
            }
        }
        let mut blob = self.state.memory.get(id).copy_out(self.terms, offset, size);
        let allocation = self.state.memory.get(id);
        if allocation.declaration.padded {
            for (at, flags) in (offset..).zip(&mut blob.flags) {
                if self.is_padding_of(allocation, at) {
                    *flags |= OF_PADDING;
                } else if self.has_open_bits(allocation, at, *flags) {
                    *flags |= OPEN_BITS;
                }
            }
        }
        Ok(blob)
    }

    /// Ends the execution where a copy would make inputs of more bytes than it can hold.
    fn check_copied(&mut self, id: AllocationId, offset: u64, size: u64) -> Flow<()> {
        let allocation = self.state.memory.get(id);
        let range = offset as usize..(offset + size) as usize;
        let flags = allocation.flags[range].iter();
        let unseen = flags.filter(|flags| *flags & UNSEEN != 0).count() as u64;
        if allocation.input.is_none() || unseen <= MOST_COPIED {
            return Ok(());
        }
        let detail = format!("a copy makes inputs of more than {MOST_COPIED} bytes at once");
        Err(self.limit(LossKind::MemoryLimit, detail))
    }

    /// Writes any number of bytes; a symbolic offset is fixed.
    pub fn write_bytes(&mut self, address: Address, blob: &Blob) -> Flow<()> {
        let size = blob.bytes.len() as u64;
        if size == 0 {
            return Ok(());
        }
        let (id, offset) = self.fixed_address(address, size)?;
        if !address.named {
            self.writable(id, (offset, offset + size))?;
        }
        self.prepare_overwrite(id, offset, size, None)?;
        self.state
            .memory
            .get_mut(id)
            .copy_in(self.terms, offset, blob);
        Ok(())
    }

    /// The bounds-checked address of some bytes; a symbolic offset is fixed.
    pub fn fixed_address(&mut self, address: Address, size: u64) -> Flow<(AllocationId, u64)> {
        let id = self.alive(address)?;
        let (offset, term) = self.bounded(id, address, size)?;
        if let Some(term) = term {
            self.concretise(term, u128::from(offset));
        }
        Ok((id, offset))
    }

    /// Sets a whole object to zero bytes.
    pub fn zero_object(&mut self, place: &PlaceCode) -> Flow<()> {
        let blob = filled(object_size(place), 0, INITIALISED);
        self.write_object(place, &blob)
    }
}

/// Bytes that are all alike.
pub(crate) fn filled(size: u64, byte: u8, flags: u8) -> Blob {
    Blob {
        bytes: vec![byte; size as usize],
        flags: vec![flags; size as usize],
        entries: Vec::new(),
    }
}
