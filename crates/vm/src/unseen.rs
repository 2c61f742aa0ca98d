//! The scalars of an input object in a range of bytes, and those that nothing has looked at.

use ir::TypeId;
use rustc_hash::FxHashSet;

use crate::ids::AllocationId;
use crate::leaves::{Leaf, View, leaves, lies_in_union};
use crate::memory::{CHANGED, InputObject, NARROWED, UNSEEN};
use crate::run::Run;

impl Run<'_, '_> {
    /// The inputs in a range that no execution step has read or written yet. Where some bytes of a
    /// scalar are known, each of its other bytes is an input, as is each byte of the bit-fields that
    /// share one with it.
    pub fn unseen_leaves(
        &self,
        id: AllocationId,
        input: InputObject,
        range: (u64, u64),
        view: Option<View>,
    ) -> Vec<Leaf> {
        let (mut unseen, known): (Vec<Leaf>, Vec<Leaf>) = self
            .closed_leaves(input, range, view)
            .into_iter()
            .partition(|leaf| self.is_unseen(id, leaf.bytes()));
        let bytes = |leaf: &Leaf| leaf.bytes().0..leaf.bytes().1;
        // Only bit-fields share bytes.
        let bit_fields = known.iter().filter(|leaf| leaf.bit_field);
        let mut cut: FxHashSet<u64> = bit_fields.flat_map(bytes).collect();
        while !cut.is_empty() {
            let is_cut = |leaf: &Leaf| leaf.bit_field && bytes(leaf).any(|at| cut.contains(&at));
            let (parts, whole): (Vec<Leaf>, Vec<Leaf>) = unseen.into_iter().partition(is_cut);
            unseen = whole;
            if parts.is_empty() {
                break;
            }
            cut.extend(parts.iter().flat_map(bytes));
        }
        unseen.extend(self.bytes_beside(id, input, range, &unseen));
        unseen
    }

    /// Whether nothing has looked at any byte of a range.
    fn is_unseen(&self, id: AllocationId, (low, high): (u64, u64)) -> bool {
        let flags = self
            .state
            .memory
            .get(id)
            .flags
            .get(low as usize..high as usize);
        let is_unseen = |flags: &u8| flags & UNSEEN != 0 && flags & NARROWED == 0;
        flags.is_some_and(|flags| flags.iter().all(is_unseen))
    }

    /// The scalar inputs of an allocation that overlap a range of bytes, with offsets counted from
    /// the start of the allocation, as the view's is.
    pub fn leaves_in(
        &self,
        input: InputObject,
        (low, high): (u64, u64),
        view: Option<View>,
    ) -> Vec<Leaf> {
        let types = &self.code.program.types;
        let size = types.size(input.element);
        if size == 0 {
            return Vec::new();
        }
        let phase = input.origin % size;
        let mut found = Vec::new();
        let whole = (low, high);
        let flexible = types.flexible_member(input.element);
        let flexible = flexible.map(|(offset, element)| (input.origin + offset, element));
        let high = flexible.map_or(high, |(border, _)| high.min(border));
        // Elements are counted so that one starts at the origin; the first may be cut off.
        let mut start = if low < phase {
            0
        } else {
            (low - phase) / size * size + phase
        };
        while start < high {
            let low_bits = low.saturating_sub(start) * 8;
            let range = (low_bits, (high - start) * 8);
            let view = view.and_then(|view| {
                let offset = view.offset.checked_sub(start * 8)?;
                Some(View { offset, ..view })
            });
            for mut leaf in leaves(types, input.element, range, view) {
                leaf.offset += start * 8;
                found.push(leaf);
            }
            start += size;
        }
        if let Some((border, element)) = flexible {
            found.extend(self.flexible_leaves(border, element, whole));
        }
        found
    }

    /// The scalars of a flexible array, which begins at the border, that overlap a range of bytes.
    fn flexible_leaves(&self, border: u64, element: TypeId, (low, high): (u64, u64)) -> Vec<Leaf> {
        let types = &self.code.program.types;
        let size = types.size(element);
        let mut found = Vec::new();
        if size == 0 || high <= border {
            return found;
        }
        let mut start = border + low.saturating_sub(border) / size * size;
        while start < high {
            let range = (low.saturating_sub(start) * 8, (high - start) * 8);
            for mut leaf in leaves(types, element, range, None) {
                leaf.offset += start * 8;
                found.push(leaf);
            }
            start += size;
        }
        found
    }

    /// All scalars of an input that a range touches, through bit-fields that share bytes.
    pub fn closed_leaves(
        &self,
        input: InputObject,
        (mut low, mut high): (u64, u64),
        view: Option<View>,
    ) -> Vec<Leaf> {
        loop {
            let found = self.leaves_in(input, (low, high), view);
            let start = found.iter().map(|leaf| leaf.bytes().0).min().unwrap_or(low);
            let end = found
                .iter()
                .map(|leaf| leaf.bytes().1)
                .max()
                .unwrap_or(high);
            let has_bits = found.iter().any(|leaf| leaf.bit_field);
            if !has_bits || (start >= low && end <= high) {
                return found;
            }
            (low, high) = (low.min(start), high.max(end));
        }
    }

    /// The bytes in a range of an input object that belong to unions or padding and to none of these
    /// scalars, and the bytes of scalars that a function without a body changed in part.
    fn bytes_beside(
        &self,
        id: AllocationId,
        input: InputObject,
        (low, high): (u64, u64),
        scalars: &[Leaf],
    ) -> Vec<Leaf> {
        let types = &self.code.program.types;
        let element = types.size(input.element).max(1);
        let phase = input.origin % element;
        let unseen = |byte: &u64| {
            let flags = &self.state.memory.get(id).flags;
            flags.get(*byte as usize).is_some_and(|f| f & UNSEEN != 0)
        };
        let is_beside = |byte: u64| {
            let flags = self.state.memory.get(id).flags.get(byte as usize);
            lies_in_union(types, input.element, (byte - phase) % element)
                || self.is_padding(id, byte)
                || flags.is_some_and(|flags| flags & CHANGED != 0 && flags & NARROWED == 0)
        };
        // The scalars are in order, and bit-fields that share bytes too.
        let is_covered = |byte: u64| {
            let behind = scalars.partition_point(|leaf| leaf.bytes().0 <= byte);
            behind > 0 && byte < scalars[behind - 1].bytes().1
        };
        // In the order of what they cost.
        (low..high)
            .filter(|byte| *byte >= phase)
            .filter(unseen)
            .filter(|byte| !is_covered(*byte))
            .filter(|byte| is_beside(*byte))
            .map(|byte| Leaf {
                offset: byte * 8,
                ty: self.character_type(),
                width: 8,
                storage: 8,
                bit_field: false,
            })
            .collect()
    }
}
