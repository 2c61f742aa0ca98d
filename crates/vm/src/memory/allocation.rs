//! One allocation: its bytes, what is known about each, and the values that are more than bits.

use std::collections::BTreeMap;

use expr::Terms;
use ir::{FunctionId, GlobalId, ObjectId, TypeId};

use crate::leaves::Leaf;
use crate::memory::bits::{read_bits, write_bits};
use crate::memory::declaration::Declaration;
use crate::memory::entry::{self, Entry};
use crate::memory::flags::*;
use crate::value::{Shadow, Value, mask};

/// Objects larger than this have no bytes after the last one that was looked at.
pub(crate) const LARGE: u64 = 1 << 20;
/// So many bytes of a large object are there at first.
pub(crate) const STEP: u64 = 1 << 16;

/// What kind of object an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Function(FunctionId),
    Global(GlobalId),
    Local,
    Heap,
    /// What an input pointer leads to.
    Pointee,
    /// At an address that the program knows.
    Mapped,
    /// Something that the program has a pointer to but that no access fits: `stdout`.
    Opaque,
}

/// Whether an allocation can be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Life {
    Live,
    /// Freed, or its lifetime ended.
    Dead,
}

/// What makes an allocation an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InputObject {
    pub object: ObjectId,
    /// Type of the object, or of one element that a pointer points to.
    pub element: TypeId,
    /// Offset in the allocation that the object's cells are counted from.
    pub origin: u64,
    /// Whether it extends as far as it is accessed.
    pub growable: bool,
    /// The accessed range, for one that a pointer points to: in whole elements, and all that an
    /// access may be to whose place depends on inputs.
    pub touched: (u64, u64),
    /// The lowest offset that was accessed for sure, or a higher one.
    pub accessed: u64,
    /// Whether the program wrote to it in this execution.
    pub written: bool,
    /// Whether its pointer could have pointed to more parts of other objects than it was offered.
    pub cut: bool,
}

/// An allocation.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub base: u64,
    /// Size in bytes. Of a large object `bytes` and `flags` hold the part up to the last byte that
    /// was looked at so far, and nothing once it is dead.
    pub size: u64,
    /// The flags of all bytes after that part.
    pub fill: u8,
    pub kind: Kind,
    pub life: Life,
    /// Whether writing is a defect.
    pub constant: bool,
    pub bytes: Vec<u8>,
    pub flags: Vec<u8>,
    pub entries: BTreeMap<u64, Entry>,
    /// Whether it may hold pointers, or numbers that were made from them.
    pub leads: bool,
    pub input: Option<Box<InputObject>>,
    pub declaration: Declaration,
    pub history: History,
    pub changes: Changes,
}

/// What the execution did with an allocation.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// Which allocation of the execution made it, if one did.
    pub nth: Option<u32>,
    /// The range that differs from the initial state.
    pub dirty: (u64, u64),
    /// The types, beside that of an input object's elements, that it was accessed as.
    pub accessed_as: Vec<TypeId>,
    /// The input that its unwritten bytes are, once they are looked at.
    pub unwritten: Option<ObjectId>,
}

impl Default for History {
    fn default() -> Self {
        History {
            nth: None,
            dirty: EMPTY,
            accessed_as: Vec::new(),
            unwritten: None,
        }
    }
}

/// What calls that were not executed may have changed in an allocation.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// The input that the bytes belong to which a call may have changed.
    pub object: Option<ObjectId>,
    /// The former contents of the bytes that functions without a body may have changed and that
    /// nothing has looked at since.
    pub previous: Option<Box<Previous>>,
    /// What all bytes became at the last call of a function without a body, except those of the
    /// range `fresh`, which were written or looked at since.
    pub settled: Option<Settled>,
    /// See `settled`.
    pub fresh: (u64, u64),
}

impl Default for Changes {
    fn default() -> Self {
        Changes {
            object: None,
            previous: None,
            settled: None,
            fresh: EMPTY,
        }
    }
}

/// What a call of a function without a body makes of all bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// They are an input from then on.
    Changed,
    /// They may have changed in a way that is a bound.
    Narrowed,
}

/// A range without bytes, which grows to any other.
pub(crate) const EMPTY: (u64, u64) = (u64::MAX, 0);

/// What an allocation held, where it was changed since.
#[derive(Clone, Debug)]
pub(crate) struct Previous {
    bytes: Vec<u8>,
    /// Whether each byte was initialised.
    known: Vec<bool>,
    entries: BTreeMap<u64, Entry>,
}

impl Previous {
    /// Nothing is known of an allocation of so many bytes.
    pub fn empty(size: usize) -> Previous {
        Previous {
            bytes: vec![0; size],
            known: vec![false; size],
            entries: BTreeMap::new(),
        }
    }

    /// Takes over what a range holds, over whose ends no entry reaches.
    pub fn keep(&mut self, allocation: &Allocation, low: u64, high: u64) {
        let range = low as usize..high as usize;
        // A large object may have grown since.
        let size = self.bytes.len().max(allocation.bytes.len());
        self.bytes.resize(size, 0);
        self.known.resize(size, false);
        self.bytes[range.clone()].copy_from_slice(&allocation.bytes[range.clone()]);
        // What is no input and unseen holds its initial value.
        let is_initial =
            |flags: u8| allocation.input.is_none() && flags & UNSEEN != 0 && flags & CHANGED == 0;
        let flags = allocation.flags[range.clone()].iter();
        for (known, &flags) in self.known[range].iter_mut().zip(flags) {
            *known = flags & INITIALISED != 0 || is_initial(flags);
        }
        let overwritten = self.entries.range(low..high).map(|(&at, _)| at);
        for at in overwritten.collect::<Vec<_>>() {
            self.entries.remove(&at);
        }
        self.entries.extend(allocation.entries_in(low, high - low));
    }

    /// Nothing is known of a range any more.
    pub fn forget(&mut self, low: u64, high: u64) {
        let present = self.known.len();
        let range = (low as usize).min(present)..(high as usize).min(present);
        self.known[range].fill(false);
    }

    /// The value of a scalar, if all of it was known.
    pub fn value(&self, leaf: Leaf) -> Option<Value> {
        let (low, high) = leaf.bytes();
        let known = self.known.get(low as usize..high as usize)?;
        if !known.iter().all(|known| *known) {
            return None;
        }
        let raw = read_bits(&self.bytes[low as usize..high as usize]);
        let bits = raw >> (leaf.offset % 8) & mask(leaf.storage);
        let shadow = match self.entries.get(&low) {
            Some(entry) if entry.size == high - low && !leaf.bit_field => entry.shadow,
            _ => Shadow::None,
        };
        Some(Value { bits, shadow })
    }
}

/// A copy of a part of an allocation.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    pub bytes: Vec<u8>,
    pub flags: Vec<u8>,
    pub entries: Vec<(u64, Entry)>,
}

impl Allocation {
    /// Whether `size` bytes from `offset` on exist.
    #[inline(always)]
    pub fn holds(&self, offset: u64, size: u64) -> bool {
        offset
            .checked_add(size)
            .is_some_and(|end| end <= self.size && self.life == Life::Live)
    }

    /// Ends its lifetime. Returns the buffers of its bytes and of their flags.
    pub fn die(&mut self) -> (Vec<u8>, Vec<u8>) {
        self.life = Life::Dead;
        self.entries = BTreeMap::new();
        self.changes.previous = None;
        let bytes = std::mem::take(&mut self.bytes);
        (bytes, std::mem::take(&mut self.flags))
    }

    /// Whether another allocation has the same contents.
    pub fn holds_same(&self, other: &Allocation) -> bool {
        self.life == other.life
            && self.bytes == other.bytes
            && self.entries == other.entries
            && self.flags == other.flags
    }

    /// Becomes equal to the initial state that it was copied from, at the cost of what changed.
    pub fn restore(&mut self, initial: &Allocation) {
        let mut bytes = std::mem::take(&mut self.bytes);
        let mut flags = std::mem::take(&mut self.flags);
        if self.life == Life::Dead {
            bytes.clone_from(&initial.bytes);
            flags.clone_from(&initial.flags);
        }
        let (low, high) = self.history.dirty;
        if low < high {
            let present = initial.bytes.len();
            let (low, high) = (low as usize, (high as usize).min(bytes.len()));
            let range = low.min(present)..high.min(present);
            bytes[range.clone()].copy_from_slice(&initial.bytes[range.clone()]);
            flags[range.clone()].copy_from_slice(&initial.flags[range]);
            let beyond = low.max(present)..high.max(present);
            bytes[beyond.clone()].fill(0);
            flags[beyond].fill(initial.fill);
        }
        self.fill = initial.fill;
        self.entries.clone_from(&initial.entries);
        self.input.clone_from(&initial.input);
        self.life = initial.life;
        self.changes.object = None;
        self.changes.previous = None;
        self.history.dirty = EMPTY;
        self.changes.settled = None;
        self.changes.fresh = EMPTY;
        self.leads = initial.leads;
        self.bytes = bytes;
        self.flags = flags;
    }

    /// Makes the bytes of a large object exist up to an end that lies in it.
    #[cold]
    pub fn grow(&mut self, end: u64) {
        let double = self.bytes.len() as u64 * 2;
        // Scalars that reach over the end are looked at as a whole.
        let wanted = end.saturating_add(STEP).next_multiple_of(STEP);
        let length = wanted.max(double).min(self.size) as usize;
        if self.life == Life::Live && length > self.bytes.len() {
            let mut bytes = vec![0; length];
            bytes[..self.bytes.len()].copy_from_slice(&self.bytes);
            self.bytes = bytes;
            self.flags.resize(length, self.fill);
        }
    }

    /// The input that an unseen byte belongs to: that of the object, unless a call may have changed
    /// it.
    pub fn owner(&self, object: ObjectId, offset: u64) -> ObjectId {
        let flags = self.flags.get(offset as usize);
        let is_changed = flags.is_some_and(|flags| flags & CHANGED != 0);
        self.changes.object.filter(|_| is_changed).unwrap_or(object)
    }

    /// The bits of `size` (1 to 16) bytes that exist.
    #[inline(always)]
    pub fn bits(&self, offset: u64, size: u64) -> u128 {
        let at = offset as usize;
        read_bits(&self.bytes[at..at + size as usize])
    }

    /// Reads an initialised number that depends on nothing; `None` where the slow path must read
    /// it.
    #[inline(always)]
    pub fn load_concrete(&self, offset: u64, size: u64) -> Option<u64> {
        let end = offset.checked_add(size)?;
        if end > self.bytes.len() as u64 || self.flags.len() != self.bytes.len() {
            return None;
        }
        let (at, end) = (offset as usize, end as usize);
        let (bytes, flags) = (&self.bytes[at..end], &self.flags[at..end]);
        let (bits, state) = match size {
            1 => (u64::from(bytes[0]), u64::from(flags[0]) | SPREAD << 8),
            2 => (
                u64::from(u16::from_le_bytes(bytes.try_into().ok()?)),
                u64::from(u16::from_le_bytes(flags.try_into().ok()?)) | SPREAD << 16,
            ),
            4 => (
                u64::from(u32::from_le_bytes(bytes.try_into().ok()?)),
                u64::from(u32::from_le_bytes(flags.try_into().ok()?)) | SPREAD << 32,
            ),
            8 => (
                u64::from_le_bytes(bytes.try_into().ok()?),
                u64::from_le_bytes(flags.try_into().ok()?),
            ),
            _ => return None,
        };
        (state & (SPREAD * u64::from(STATE)) == SPREAD).then_some(bits)
    }

    /// Writes a number over bytes that are not shadowed. Returns false where the slow path must
    /// write it. The caller marks static objects dirty.
    #[inline(always)]
    pub fn store_concrete(&mut self, offset: u64, size: u64, bits: u64) -> bool {
        let Some(end) = offset.checked_add(size) else {
            return false;
        };
        if self.declaration.guarded
            || end > self.bytes.len() as u64
            || self.flags.len() != self.bytes.len()
        {
            return false;
        }
        let (at, end) = (offset as usize, end as usize);
        let flags = &mut self.flags[at..end];
        let written = SPREAD * u64::from(INITIALISED | WRITTEN);
        let special = SPREAD * u64::from(SHADOWED | UNSEEN);
        match size {
            1 => {
                if u64::from(flags[0]) & special != 0 {
                    return false;
                }
                flags[0] = written as u8;
                self.bytes[at] = bits as u8;
            }
            4 => {
                let Ok(old) = <[u8; 4]>::try_from(&*flags) else {
                    return false;
                };
                if u64::from(u32::from_le_bytes(old)) & special != 0 {
                    return false;
                }
                flags.copy_from_slice(&(written as u32).to_le_bytes());
                self.bytes[at..end].copy_from_slice(&(bits as u32).to_le_bytes());
            }
            8 => {
                let Ok(old) = <[u8; 8]>::try_from(&*flags) else {
                    return false;
                };
                if u64::from_le_bytes(old) & special != 0 {
                    return false;
                }
                flags.copy_from_slice(&written.to_le_bytes());
                self.bytes[at..end].copy_from_slice(&bits.to_le_bytes());
            }
            _ => {
                if flags.iter().any(|&f| u64::from(f) & special & 0xff != 0) {
                    return false;
                }
                flags.fill(written as u8);
                write_bits(&mut self.bytes[at..end], u128::from(bits));
            }
        }
        self.history.dirty.0 = self.history.dirty.0.min(offset);
        self.history.dirty.1 = self.history.dirty.1.max(end as u64);
        true
    }

    /// All flags of the range, united; and those that every byte has.
    pub fn flags_of(&self, offset: u64, size: u64) -> (u8, u8) {
        let at = offset as usize;
        self.flags[at..at + size as usize]
            .iter()
            .fold((0, u8::MAX), |(any, all), &f| (any | f, all & f))
    }

    /// Whether a byte of the range was never written, and is no input either.
    #[inline]
    pub fn has_unwritten(&self, offset: u64, size: u64) -> bool {
        let (_, all) = self.flags_of(offset, size);
        let range = offset as usize..(offset + size) as usize;
        let is_unwritten = |flags: &u8| flags & (INITIALISED | UNSEEN) == 0;
        all & INITIALISED == 0 && self.flags[range].iter().any(is_unwritten)
    }

    /// Makes it hold the input of an object that a call may have changed. Unless it is an input object
    /// already, it becomes one, of which all was touched.
    pub fn become_changed(&mut self, object: ObjectId, element: TypeId, written: bool) {
        let size = self.size;
        self.changes.object = Some(object);
        self.input.get_or_insert_with(|| {
            Box::new(InputObject {
                object,
                element,
                origin: 0,
                growable: false,
                touched: (0, size),
                accessed: u64::MAX,
                written,
                cut: false,
            })
        });
    }

    /// Notes that the range may differ from the initial state.
    pub fn touch(&mut self, offset: u64, size: u64) {
        self.history.dirty.0 = self.history.dirty.0.min(offset);
        self.history.dirty.1 = self.history.dirty.1.max(offset + size);
        self.changes.fresh.0 = self.changes.fresh.0.min(offset);
        self.changes.fresh.1 = self.changes.fresh.1.max(offset + size);
    }

    /// The part of a range that a call still has to mark in this way.
    pub fn unsettled(&self, as_what: Settled, (low, high): (u64, u64)) -> (u64, u64) {
        match self.changes.settled == Some(as_what) {
            true => (
                low.max(self.changes.fresh.0),
                high.min(self.changes.fresh.1),
            ),
            false => (low, high),
        }
    }

    /// Notes what a call made of all bytes, if it did not make it of some of them.
    pub fn settle(&mut self, as_what: Option<Settled>) {
        self.changes.settled = as_what;
        self.changes.fresh = EMPTY;
    }

    /// The entries that overlap the range, by offset.
    pub fn entries_in(&self, offset: u64, size: u64) -> impl Iterator<Item = (u64, Entry)> + '_ {
        // No entry is longer than 16 bytes.
        self.entries
            .range(offset.saturating_sub(15)..offset + size)
            .filter(move |(at, entry)| *at + entry.size > offset)
            .map(|(&at, &entry)| (at, entry))
    }

    /// Cuts entries that reach over the ends of the range, so that none straddles them.
    pub fn cut(&mut self, terms: &mut Terms, offset: u64, size: u64) {
        for edge in [offset, offset + size] {
            let straddling = self
                .entries_in(edge, 1)
                .find(|(at, entry)| *at < edge && at + entry.size > edge);
            if let Some((at, entry)) = straddling {
                self.entries.remove(&at);
                let whole = self.bits(at, entry.size);
                for (part, bytes) in [(at, edge - at), (edge, at + entry.size - edge)] {
                    let shadow = entry::part(terms, entry, whole, part - at, bytes);
                    self.put_entry(part, bytes, shadow);
                }
            }
        }
    }

    /// Whether an access treats an object behind an input pointer as another type than the
    /// pointer's. Such an access needs the checks of aliasing and of alignment.
    #[inline(always)]
    pub fn is_pointed_to_otherwise(&self, accessed: Option<TypeId>) -> bool {
        self.kind == Kind::Pointee
            && self
                .input
                .as_deref()
                .is_some_and(|input| accessed.is_some_and(|ty| ty != input.element))
    }

    /// Removes the entries in the range, none of which may straddle its ends.
    pub fn clear(&mut self, offset: u64, size: u64) {
        while let Some(at) = self
            .entries
            .range(offset..offset + size)
            .next()
            .map(|(&k, _)| k)
        {
            self.entries.remove(&at);
        }
        let at = offset as usize;
        for flag in &mut self.flags[at..at + size as usize] {
            *flag &= !SHADOWED;
        }
    }

    /// Makes all bytes indeterminate.
    pub fn forget(&mut self) {
        let present = self.bytes.len() as u64;
        self.touch(0, present);
        self.clear(0, present);
        self.flags.fill(0);
        self.fill = 0;
        self.changes.previous = None;
        self.history.unwritten = None;
        self.settle(None);
    }

    /// Sets the shadow of a range without entries.
    pub fn put_entry(&mut self, offset: u64, size: u64, shadow: Shadow) {
        let shadowed = match shadow {
            Shadow::None | Shadow::Uninitialised | Shadow::Unspecified(..) => 0,
            _ => {
                self.leads |= leads(shadow);
                self.entries.insert(offset, Entry { size, shadow });
                SHADOWED
            }
        };
        let at = offset as usize;
        for flag in &mut self.flags[at..at + size as usize] {
            *flag = *flag & !SHADOWED | shadowed;
        }
    }

    /// Copies a range that exists.
    pub fn copy_out(&self, terms: &mut Terms, offset: u64, size: u64) -> Blob {
        let (at, end) = (offset as usize, (offset + size) as usize);
        let entries = self
            .entries_in(offset, size)
            .map(|(start, entry)| {
                let begin = start.max(offset);
                let bytes = (start + entry.size).min(offset + size) - begin;
                let whole = self.bits(start, entry.size);
                let shadow = entry::part(terms, entry, whole, begin - start, bytes);
                let part = Entry {
                    size: bytes,
                    shadow,
                };
                (begin - offset, part)
            })
            .collect();
        Blob {
            bytes: self.bytes[at..end].to_vec(),
            flags: self.flags[at..end].to_vec(),
            entries,
        }
    }

    /// Overwrites a range that exists.
    pub fn copy_in(&mut self, terms: &mut Terms, offset: u64, blob: &Blob) {
        let size = blob.bytes.len() as u64;
        self.cut(terms, offset, size);
        self.clear(offset, size);
        let (at, end) = (offset as usize, (offset + size) as usize);
        self.bytes[at..end].copy_from_slice(&blob.bytes);
        for (flag, &new) in self.flags[at..end].iter_mut().zip(&blob.flags) {
            *flag = new & STATE | WRITTEN;
            if new & (OPEN_BITS | UNSEEN) == OPEN_BITS {
                *flag |= OPEN_BITS;
                self.declaration.padded = true;
            }
        }
        for &(k, entry) in &blob.entries {
            self.leads |= leads(entry.shadow);
            self.entries.insert(offset + k, entry);
        }
        self.touch(offset, size);
    }
}

/// Whether a value is a pointer, or depends on addresses.
fn leads(shadow: Shadow) -> bool {
    matches!(
        shadow,
        Shadow::Pointer(..) | Shadow::Lazy(_) | Shadow::Tainted(_)
    )
}

/// A one in each byte.
const SPREAD: u64 = 0x0101_0101_0101_0101;
