//! Memory: allocations at addresses that are given out in order and never used twice.

mod allocation;
mod checkpoint;
mod entry;

pub(crate) use allocation::*;
pub(crate) use checkpoint::Checkpoint;
pub(crate) use entry::{Entry, Piece, join, part};

use std::collections::BTreeMap;

use crate::value::{Shadow, Value};

/// Unused bytes after each allocation, so that one past the end of an object is no other object.
const GAP: u64 = 32;
/// Every object is at least so aligned: more than most need, as `malloc` does it.
const ALIGN: u64 = 16;
/// Room that objects to come have in front of what is mapped at an address.
const ROOM_BEHIND: u64 = 1 << 30;

/// All allocations of a program.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    allocations: Vec<Allocation>,
    next: u64,
    /// Addresses below are no objects, unless something is mapped there.
    first: u64,
    /// One past the last address.
    end: u64,
    /// Bytes of live allocations that the program made.
    live: u64,
    limit: u64,
    /// Buffers of dead allocations.
    buffers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The static allocations that were accessed on slow paths or written.
    changed: Vec<AllocationId>,
    /// How many allocations are static.
    fixed: usize,
    /// Whether addresses rise with the numbers of allocations.
    is_sorted: bool,
}

/// There is no room for an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

impl Default for Memory {
    fn default() -> Self {
        Memory::new(64, u64::MAX)
    }
}

impl Memory {
    /// An empty memory for pointers of this width, that holds at most `limit` bytes.
    pub fn new(pointer_width: u32, limit: u64) -> Memory {
        Memory {
            allocations: Vec::new(),
            next: first_address(pointer_width),
            first: first_address(pointer_width),
            end: if pointer_width >= 64 {
                1 << 47
            } else {
                (1 << pointer_width) - (1 << 16)
            },
            live: 0,
            limit,
            buffers: Vec::new(),
            changed: Vec::new(),
            fixed: 0,
            is_sorted: true,
        }
    }

    /// Adds an allocation of this many bytes, all with these flags.
    pub fn allocate(
        &mut self,
        kind: Kind,
        size: u64,
        align: u64,
        flags: u8,
    ) -> Result<AllocationId, OutOfMemory> {
        let base = self
            .next
            .checked_next_multiple_of(align.max(ALIGN))
            .ok_or(OutOfMemory)?;
        let end = base.checked_add(size).ok_or(OutOfMemory)?;
        let live = self.live.checked_add(size).ok_or(OutOfMemory)?;
        if end > self.end || live > self.limit || self.allocations.len() >= u32::MAX as usize / 2 {
            return Err(OutOfMemory);
        }
        self.next = end + GAP;
        self.live = live;
        let (mut bytes, mut byte_flags) = self.buffers.pop().unwrap_or_default();
        let present = if size > LARGE { STEP } else { size };
        bytes.resize(present as usize, 0);
        byte_flags.resize(present as usize, flags);
        let id = AllocationId(self.allocations.len() as u32);
        self.allocations.push(Allocation {
            base,
            size,
            fill: flags,
            align: align.max(1),
            ty: None,
            padded: false,
            is_register: false,
            temporary: false,
            accessed_as: Vec::new(),
            nth: None,
            unwritten: None,
            kind,
            life: Life::Live,
            constant: false,
            guarded: false,
            bytes,
            flags: byte_flags,
            entries: BTreeMap::new(),
            input: None,
            changed: None,
            previous: None,
            dirty: EMPTY,
            settled: None,
            fresh: EMPTY,
            leads: false,
        });
        Ok(id)
    }

    /// Adds an allocation of this many bytes at an address, if no other is near.
    pub fn map(&mut self, base: u64, size: u64, flags: u8) -> Option<AllocationId> {
        let end = base.checked_add(size).filter(|&end| end <= self.end)?;
        let is_free = end <= self.first || base >= self.next.saturating_add(ROOM_BEHIND);
        let next = self.next;
        if !is_free || self.allocations.len() >= u32::MAX as usize / 2 {
            return None;
        }
        self.next = base;
        let id = self.allocate(Kind::Mapped, end - base, 1, flags).ok();
        self.next = next;
        self.is_sorted = false;
        id
    }

    /// Ends the lifetime of an allocation.
    pub fn kill(&mut self, id: AllocationId) {
        let allocation = &mut self.allocations[id.0 as usize];
        if allocation.life == Life::Dead {
            return;
        }
        allocation.life = Life::Dead;
        self.live -= allocation.size;
        let mut bytes = std::mem::take(&mut allocation.bytes);
        let mut flags = std::mem::take(&mut allocation.flags);
        allocation.entries = BTreeMap::new();
        allocation.previous = None;
        if self.buffers.len() < 64 && bytes.capacity() <= 1 << 16 {
            bytes.clear();
            flags.clear();
            self.buffers.push((bytes, flags));
        }
    }

    /// Ends the lifetime of a static allocation until the next [`Memory::reset`].
    pub fn free_static(&mut self, id: AllocationId) {
        let allocation = self.change(id);
        allocation.life = Life::Dead;
        allocation.bytes = Vec::new();
        allocation.flags = Vec::new();
        allocation.entries = BTreeMap::new();
        allocation.previous = None;
    }

    /// Ends the lifetime of an input object whose contents a test may still have to set up.
    pub fn free_pointee(&mut self, id: AllocationId) {
        let allocation = &mut self.allocations[id.0 as usize];
        if allocation.life == Life::Live {
            allocation.life = Life::Dead;
            self.live -= allocation.size;
            allocation.bytes = Vec::new();
            allocation.flags = Vec::new();
            allocation.entries = BTreeMap::new();
            allocation.previous = None;
        }
    }

    #[inline(always)]
    pub fn get(&self, id: AllocationId) -> &Allocation {
        &self.allocations[id.0 as usize]
    }

    #[inline(always)]
    pub fn get_mut(&mut self, id: AllocationId) -> &mut Allocation {
        &mut self.allocations[id.0 as usize]
    }

    /// Makes the allocation one that [`Memory::reset`] looks at.
    #[inline(always)]
    pub fn change(&mut self, id: AllocationId) -> &mut Allocation {
        let allocation = &mut self.allocations[id.0 as usize];
        if allocation.dirty.0 > allocation.dirty.1 && (id.0 as usize) < self.fixed {
            self.changed.push(id);
        }
        allocation
    }

    /// Has the bytes of an object up to an end that it holds.
    #[inline(always)]
    pub fn reach(&mut self, id: AllocationId, end: u64) {
        let allocation = &mut self.allocations[id.0 as usize];
        if end > allocation.bytes.len() as u64 {
            allocation.grow(end);
        }
    }

    /// All allocations with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (AllocationId, &Allocation)> {
        let number = |(index, allocation)| (AllocationId(index as u32), allocation);
        self.allocations.iter().enumerate().map(number)
    }

    /// How many allocations were ever made.
    pub fn len(&self) -> usize {
        self.allocations.len()
    }

    /// How many allocations are static; they come first.
    pub fn fixed(&self) -> usize {
        self.fixed
    }

    /// A pointer to the start of an allocation.
    pub fn pointer_to(&self, id: AllocationId) -> Value {
        Value {
            bits: u128::from(self.get(id).base),
            shadow: Shadow::Pointer(id, None),
        }
    }

    /// The allocation that an address lies in, or just behind.
    pub fn find(&self, address: u64) -> Option<AllocationId> {
        let holds = |allocation: &Allocation| {
            let offset = address.checked_sub(allocation.base);
            offset.is_some_and(|offset| offset <= allocation.size)
        };
        if !self.is_sorted {
            let found = self.allocations.iter().position(holds);
            return found.map(|index| AllocationId(index as u32));
        }
        let after = self
            .allocations
            .partition_point(|allocation| allocation.base <= address);
        let index = after.checked_sub(1)?;
        let allocation = &self.allocations[index];
        (address - allocation.base <= allocation.size).then_some(AllocationId(index as u32))
    }

    /// Declares all allocations so far static: [`Memory::reset`] keeps them.
    pub fn fix(&mut self) {
        self.fixed = self.allocations.len();
        for allocation in &mut self.allocations {
            allocation.dirty = EMPTY;
        }
        self.changed.clear();
        self.live = 0;
    }

    /// Whether the same allocations exist with the same contents.
    pub fn same_contents(&self, other: &Memory) -> bool {
        self.next == other.next
            && self.allocations.len() == other.allocations.len()
            && self
                .allocations
                .iter()
                .zip(&other.allocations)
                .all(|(a, b)| {
                    a.life == b.life
                        && a.bytes == b.bytes
                        && a.entries == b.entries
                        && a.flags == b.flags
                })
    }

    /// Sets how many bytes may be live beside the static objects.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Makes this memory equal to `image`, from which it was cloned, at the cost of what changed.
    pub fn reset(&mut self, image: &Memory) {
        for mut allocation in self.allocations.drain(self.fixed..) {
            if self.buffers.len() < 64 && allocation.bytes.capacity() <= 1 << 16 {
                allocation.bytes.clear();
                allocation.flags.clear();
                self.buffers.push((allocation.bytes, allocation.flags));
            }
        }
        for id in std::mem::take(&mut self.changed) {
            self.restore(id, image);
        }
        self.is_sorted = image.is_sorted;
        self.next = image.next;
        self.live = image.live;
    }

    /// Makes a static allocation equal to that of `image`.
    fn restore(&mut self, id: AllocationId, image: &Memory) {
        let (old, new) = (image.get(id), &mut self.allocations[id.0 as usize]);
        if new.life == Life::Dead {
            new.life = old.life;
            new.bytes.clone_from(&old.bytes);
            new.flags.clone_from(&old.flags);
        }
        let (low, high) = new.dirty;
        if low < high {
            let present = old.bytes.len();
            let (low, high) = (low as usize, (high as usize).min(new.bytes.len()));
            let range = low.min(present)..high.min(present);
            new.bytes[range.clone()].copy_from_slice(&old.bytes[range.clone()]);
            new.flags[range.clone()].copy_from_slice(&old.flags[range]);
            let beyond = low.max(present)..high.max(present);
            new.bytes[beyond.clone()].fill(0);
            new.flags[beyond].fill(old.fill);
        }
        new.fill = old.fill;
        new.entries.clone_from(&old.entries);
        new.input.clone_from(&old.input);
        new.changed = None;
        new.previous = None;
        new.dirty = EMPTY;
        new.settled = None;
        new.fresh = EMPTY;
        new.leads = old.leads;
        new.fill = old.fill;
    }
}

/// Where objects begin: far from where programs expect a device, and as far as a pointer of the width
/// reaches.
fn first_address(pointer_width: u32) -> u64 {
    match pointer_width {
        64.. => 0x5555_0000_0000,
        _ => 0x5000_0000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_aligned_apart_and_never_used_twice() {
        let mut memory = Memory::new(64, 1000);
        let first = memory.allocate(Kind::Heap, 10, 1, 0).unwrap();
        let base = memory.get(first).base;
        assert_eq!(base % 16, 0);
        memory.kill(first);
        let second = memory.allocate(Kind::Heap, 10, 64, 0).unwrap();
        assert!(memory.get(second).base > base + 10);
        assert_eq!(memory.get(second).base % 64, 0);
        assert_eq!(memory.allocate(Kind::Heap, 991, 1, 0), Err(OutOfMemory));
    }

    #[test]
    fn finds_by_address_including_one_past_the_end() {
        let mut memory = Memory::new(64, 1000);
        let first = memory.allocate(Kind::Heap, 10, 1, 0).unwrap();
        let second = memory.allocate(Kind::Heap, 4, 1, 0).unwrap();
        let base = memory.get(first).base;
        assert_eq!(memory.find(base + 10), Some(first));
        assert_eq!(memory.find(base + 11), None);
        assert_eq!(memory.find(base - 1), None);
        assert_eq!(memory.find(memory.get(second).base), Some(second));
    }

    #[test]
    fn a_large_object_has_the_bytes_that_are_looked_at() {
        let size = 1 << 40;
        let mut image = Memory::new(64, u64::MAX);
        let id = image.allocate(Kind::Heap, size, 1, UNSEEN).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.get(id).holds(size - 1, 1));
        assert!(!memory.get(id).holds(size, 1));
        let far = 3 << 20;
        memory.reach(id, far + 4);
        assert_eq!(memory.get(id).flags_of(far, 4), (UNSEEN, UNSEEN));
        let changed = memory.change(id);
        changed.touch(far, 4);
        changed.flags[far as usize..far as usize + 4].fill(INITIALISED);
        assert!(memory.change(id).store_concrete(far, 4, 7));
        memory.reset(&image);
        assert_eq!(memory.get(id).bits(far, 4), 0);
        assert_eq!(memory.get(id).flags_of(far, 4), (UNSEEN, UNSEEN));
    }

    #[test]
    fn reset_restores_what_was_written() {
        let mut image = Memory::new(64, 1000);
        let id = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.change(id).store_concrete(4, 4, 7));
        assert_eq!(memory.get(id).load_concrete(4, 4), Some(7));
        memory.allocate(Kind::Heap, 8, 1, 0).unwrap();
        memory.reset(&image);
        assert_eq!(memory.get(id).load_concrete(4, 4), Some(0));
        assert_eq!(memory.get(id).flags, vec![INITIALISED; 8]);
        assert_eq!(memory.len(), 1);
    }

    #[test]
    fn reset_revives_what_was_freed() {
        let mut image = Memory::new(64, 1000);
        let id = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.change(id).store_concrete(4, 4, 7));
        memory.free_static(id);
        assert_eq!(memory.get(id).load_concrete(4, 4), None);
        memory.reset(&image);
        assert_eq!(memory.get(id).life, Life::Live);
        assert_eq!(memory.get(id).load_concrete(4, 4), Some(0));
    }
}
