//! Memory: allocations at addresses that are given out in order and never used twice.

mod allocation;
mod bits;
mod buffers;
mod declaration;
mod entry;
mod flags;
mod slot;

pub(crate) use allocation::*;
pub(crate) use bits::{read_bits, write_bits};
pub(crate) use declaration::Declaration;
pub(crate) use entry::{Entry, Piece, join, part};
pub(crate) use flags::*;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::buffers::Buffers;
use self::slot::Slot;
use crate::ids::AllocationId;
use crate::value::{Shadow, Value};

/// Unused bytes after each allocation, so that one past the end of an object is no other object.
const GAP: u64 = 32;
/// Every object is at a multiple of this number, as `malloc` has it: more than most need.
pub(crate) const MALLOC_ALIGN: u64 = 16;
/// Room that objects to come have in front of what is mapped at an address.
const ROOM_BEHIND: u64 = 1 << 30;

/// All allocations of a program.
///
/// A copy shares the allocations that were there at the last [`Memory::share`], until one of the
/// two is changed.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    slots: Vec<Slot>,
    /// What was there before any execution.
    image: Arc<Image>,
    next: u64,
    /// Addresses below are no objects, unless something is mapped there.
    first: u64,
    /// One past the last address.
    end: u64,
    /// Bytes of live allocations that the program made.
    live: u64,
    limit: u64,
    /// Buffers of dead allocations.
    buffers: Buffers,
    /// The static allocations that are not as in the image.
    changed: Vec<AllocationId>,
    /// Whether addresses rise with the numbers of allocations.
    is_sorted: bool,
}

/// The static allocations in their initial state.
#[derive(Debug, Default)]
struct Image {
    allocations: Vec<Allocation>,
    next: u64,
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
            slots: Vec::new(),
            image: Arc::default(),
            next: first_address(pointer_width),
            first: first_address(pointer_width),
            end: if pointer_width >= 64 {
                1 << 47
            } else {
                (1 << pointer_width) - (1 << 16)
            },
            live: 0,
            limit,
            buffers: Buffers::default(),
            changed: Vec::new(),
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
            .checked_next_multiple_of(align.max(MALLOC_ALIGN))
            .ok_or(OutOfMemory)?;
        let end = base.checked_add(size).ok_or(OutOfMemory)?;
        let live = self.live.checked_add(size).ok_or(OutOfMemory)?;
        if end > self.end || live > self.limit || self.slots.len() >= u32::MAX as usize / 2 {
            return Err(OutOfMemory);
        }
        self.next = end + GAP;
        self.live = live;
        let (mut bytes, mut byte_flags) = self.buffers.take();
        let present = if size > LARGE { STEP } else { size };
        bytes.resize(present as usize, 0);
        byte_flags.resize(present as usize, flags);
        let id = AllocationId(self.slots.len() as u32);
        self.slots.push(Slot::Own(Box::new(Allocation {
            base,
            size,
            fill: flags,
            kind,
            life: Life::Live,
            constant: false,
            bytes,
            flags: byte_flags,
            entries: BTreeMap::new(),
            leads: false,
            input: None,
            declaration: Declaration::untyped(align.max(1)),
            history: History::default(),
            changes: Changes::default(),
        })));
        Ok(id)
    }

    /// Adds an allocation of this many bytes at an address, if no other is near.
    pub fn map(&mut self, base: u64, size: u64, flags: u8) -> Option<AllocationId> {
        let end = base.checked_add(size).filter(|&end| end <= self.end)?;
        let is_free = end <= self.first || base >= self.next.saturating_add(ROOM_BEHIND);
        let next = self.next;
        if !is_free || self.slots.len() >= u32::MAX as usize / 2 {
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
        if self.get(id).life == Life::Live {
            let allocation = self.get_mut(id);
            let size = allocation.size;
            let (bytes, flags) = allocation.die();
            self.live -= size;
            self.buffers.keep(bytes, flags);
        }
    }

    /// Ends the lifetime of a static allocation until the next [`Memory::reset`].
    pub fn free_static(&mut self, id: AllocationId) {
        self.get_mut(id).die();
    }

    /// Ends the lifetime of an input object whose contents a test may still have to set up.
    pub fn free_pointee(&mut self, id: AllocationId) {
        if self.get(id).life == Life::Live {
            let allocation = self.get_mut(id);
            let size = allocation.size;
            allocation.die();
            self.live -= size;
        }
    }

    #[inline(always)]
    pub fn get(&self, id: AllocationId) -> &Allocation {
        self.slots[id.0 as usize].get(&self.image.allocations)
    }

    /// The static allocations that are not as before the execution.
    pub fn changed(&self) -> &[AllocationId] {
        &self.changed
    }

    /// An allocation to be changed: copied first if other memories share it.
    #[inline(always)]
    pub fn get_mut(&mut self, id: AllocationId) -> &mut Allocation {
        let initial = &self.image.allocations;
        self.slots[id.0 as usize].get_mut(id, initial, &mut self.changed)
    }

    /// Makes copies of this memory share all allocations.
    pub fn share(&mut self) {
        self.slots.iter_mut().for_each(Slot::share);
    }

    /// Becomes a copy that was made earlier in the same execution.
    pub fn come_back(&mut self, to: Memory) {
        let buffers = std::mem::take(&mut self.buffers);
        *self = Memory { buffers, ..to };
    }

    /// Makes the bytes of an object exist up to an end that lies in it.
    #[inline(always)]
    pub fn reach(&mut self, id: AllocationId, end: u64) {
        if end > self.get(id).bytes.len() as u64 {
            self.get_mut(id).grow(end);
        }
    }

    /// All allocations with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (AllocationId, &Allocation)> {
        let initial = &self.image.allocations;
        let numbered = self.slots.iter().enumerate();
        numbered.map(|(index, slot)| (AllocationId(index as u32), slot.get(initial)))
    }

    /// How many allocations were ever made.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many allocations are static; they come first.
    pub fn fixed(&self) -> usize {
        self.image.allocations.len()
    }

    /// A pointer to the start of an allocation.
    pub fn pointer_to(&self, id: AllocationId) -> Value {
        Value {
            bits: u128::from(self.get(id).base),
            shadow: Shadow::Pointer(id, None),
        }
    }

    /// The allocation that an address lies in, or just past.
    pub fn find(&self, address: u64) -> Option<AllocationId> {
        let holds = |allocation: &Allocation| {
            let offset = address.checked_sub(allocation.base);
            offset.is_some_and(|offset| offset <= allocation.size)
        };
        let initial = &self.image.allocations;
        let mut slots = self.slots.iter();
        let index = match self.is_sorted {
            false => slots.position(|slot| holds(slot.get(initial)))?,
            true => {
                let is_before = |slot: &Slot| slot.get(initial).base <= address;
                self.slots.partition_point(is_before).checked_sub(1)?
            }
        };
        holds(self.slots[index].get(initial)).then_some(AllocationId(index as u32))
    }

    /// Declares all allocations so far static: [`Memory::reset`] keeps them.
    pub fn fix(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        let initial = &self.image.allocations;
        let mut allocations: Vec<Allocation> = slots
            .into_iter()
            .map(|slot| *slot.into_own(initial))
            .collect();
        for allocation in &mut allocations {
            allocation.history.dirty = EMPTY;
        }
        self.slots = (0..allocations.len() as u32).map(Slot::Initial).collect();
        self.image = Arc::new(Image {
            allocations,
            next: self.next,
            is_sorted: self.is_sorted,
        });
        self.changed.clear();
        self.live = 0;
    }

    /// Whether the same allocations exist with the same contents.
    pub fn same_contents(&self, other: &Memory) -> bool {
        let holds_same = |(left, right): (&Slot, &Slot)| {
            let a = left.get(&self.image.allocations);
            let b = right.get(&other.image.allocations);
            let is_same = Arc::ptr_eq(&self.image, &other.image) && left.is_same(right);
            is_same || a.holds_same(b)
        };
        self.next == other.next
            && self.slots.len() == other.slots.len()
            && self.slots.iter().zip(&other.slots).all(holds_same)
    }

    /// Sets how many bytes may be live beside the static objects.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Makes this memory what it was before the execution, at the cost of what changed.
    pub fn reset(&mut self) {
        let image = self.image.clone();
        for slot in self.slots.drain(image.allocations.len()..) {
            if let Some(allocation) = slot.into_unshared() {
                self.buffers.keep(allocation.bytes, allocation.flags);
            }
        }
        for id in std::mem::take(&mut self.changed) {
            let slot = &mut self.slots[id.0 as usize];
            let changed = std::mem::replace(slot, Slot::Initial(id.0));
            if let Some(mut allocation) = changed.into_unshared() {
                allocation.restore(&image.allocations[id.0 as usize]);
                *slot = Slot::Restored(id.0, allocation);
            }
        }
        self.is_sorted = image.is_sorted;
        self.next = image.next;
        self.live = 0;
    }
}

/// Where objects begin: far from where programs expect a device, and as far as a pointer of the
/// width reaches.
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
        let changed = memory.get_mut(id);
        changed.touch(far, 4);
        changed.flags[far as usize..far as usize + 4].fill(INITIALISED);
        assert!(memory.get_mut(id).store_concrete(far, 4, 7));
        memory.reset();
        assert_eq!(memory.get(id).bits(far, 4), 0);
        assert_eq!(memory.get(id).flags_of(far, 4), (UNSEEN, UNSEEN));
    }

    #[test]
    fn reset_restores_what_was_written() {
        let mut image = Memory::new(64, 1000);
        let id = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.get_mut(id).store_concrete(4, 4, 7));
        assert_eq!(memory.get(id).load_concrete(4, 4), Some(7));
        memory.allocate(Kind::Heap, 8, 1, 0).unwrap();
        memory.reset();
        assert_eq!(memory.get(id).load_concrete(4, 4), Some(0));
        assert_eq!(memory.get(id).flags, vec![INITIALISED; 8]);
        assert_eq!(memory.len(), 1);
    }

    #[test]
    fn comes_back_to_what_was_there() {
        let mut image = Memory::new(64, 1000);
        let early = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        let late = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.get_mut(early).store_concrete(0, 4, 1));
        let made = memory.allocate(Kind::Heap, 4, 1, INITIALISED).unwrap();
        assert!(memory.get_mut(made).store_concrete(0, 4, 2));
        let before = memory.clone();
        memory.share();
        let copy = memory.clone();
        assert!(memory.get_mut(early).store_concrete(0, 4, 5));
        assert!(memory.get_mut(late).store_concrete(4, 4, 6));
        memory.kill(made);
        memory.allocate(Kind::Heap, 4, 1, 0).unwrap();
        assert!(copy.same_contents(&before));
        memory.come_back(copy);
        assert!(memory.same_contents(&before));
        assert_eq!(memory.len(), 3);
        memory.reset();
        assert!(memory.same_contents(&image));
    }

    #[test]
    fn reset_revives_what_was_freed() {
        let mut image = Memory::new(64, 1000);
        let id = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.get_mut(id).store_concrete(4, 4, 7));
        memory.free_static(id);
        assert_eq!(memory.get(id).load_concrete(4, 4), None);
        memory.reset();
        assert_eq!(memory.get(id).life, Life::Live);
        assert_eq!(memory.get(id).load_concrete(4, 4), Some(0));
    }
}
