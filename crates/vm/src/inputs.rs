//! Inputs: from cells of the input map to values in memory, when something looks at them.

use expr::Var;
use ir::input::{Extent, InputCell, InputValue, Root};
use ir::sequence::SHARED_OBJECT;
use ir::test::BoundKind;
use ir::{Global, GlobalId, GlobalKind, ObjectId, Origin, Type, TypeId};

use crate::ids::AllocationId;
use crate::leaves::{Leaf, View};
use crate::memory::{
    Entry, INITIALISED, InputObject, Kind, NARROWED, SHADOWED, UNSEEN, WRITTEN, write_bits,
};
use crate::placed::MOST_ALIGNED;
use crate::run::Run;
use crate::statics;
use crate::stop::Flow;
use crate::value::{Shadow, Value, mask};

impl Run<'_, '_> {
    /// The value of a cell that is about to be looked at, at the cell's own width.
    pub fn cell_value(&mut self, cell: InputCell) -> Value {
        self.cell_value_or(cell, None)
    }

    /// The same, with the value that a number has where the input vector leaves it open.
    fn cell_value_or(&mut self, cell: InputCell, usual: Option<u128>) -> Value {
        let id = self.space.cell(cell);
        if self.is_pointer(cell.ty) || self.is_handle(cell) {
            return Value {
                bits: 0,
                shadow: Shadow::Lazy(id),
            };
        }
        // What was read once is read again, whatever the usual value is now.
        let read = self.state.record.inputs.values.get(&id).copied();
        let bits = match read.or_else(|| self.inputs.value(self.space, id)) {
            Some(InputValue::Bits(bits)) => bits & mask(cell.width),
            _ => usual.unwrap_or_default() & mask(cell.width),
        };
        self.state
            .record
            .inputs
            .values
            .insert(id, InputValue::Bits(bits));
        match self.has_term(id) {
            true => Value::symbolic(bits, self.terms.var(Var(id.raw()), cell.width)),
            false => Value::concrete(bits),
        }
    }

    pub fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.code.program.types.kind(ty), Type::Pointer { .. })
    }

    /// The value of a scalar of an input object, at the width that it has in memory. The offset
    /// counts in bits from the object's start.
    pub fn leaf_value(&mut self, object: ObjectId, offset_bits: i64, leaf: Leaf) -> Value {
        self.leaf_value_or(object, offset_bits, leaf, None)
    }

    /// The same, with the value that a number has where the input vector leaves it open.
    pub fn leaf_value_or(
        &mut self,
        object: ObjectId,
        offset_bits: i64,
        leaf: Leaf,
        usual: Option<u128>,
    ) -> Value {
        let cell = InputCell {
            object,
            offset_bits,
            ty: leaf.ty,
            width: leaf.width,
        };
        let value = self.cell_value_or(cell, usual);
        match value.shadow {
            Shadow::Term(term) => {
                let wide = self.terms.resize(leaf.storage, term, false);
                Value::symbolic(value.bits, wide)
            }
            _ => value,
        }
    }

    /// Gives the inputs in a range their values.
    pub fn materialise(
        &mut self,
        id: AllocationId,
        offset: u64,
        size: u64,
        view: Option<View>,
    ) -> Flow<()> {
        self.look_at_narrowed(id, offset, size);
        let Some(input) = self.state.memory.get(id).input.as_deref().copied() else {
            self.look_at_kept(id, offset, size);
            return Ok(());
        };
        if self.code.program.types.is_library_object(input.element) {
            return Err(self.unsupported("an access to an object of the C library"));
        }
        if self.is_place_of_linker(id) {
            return Err(self.unsupported("an access to what linkers define"));
        }
        self.extend(id, offset, size);
        self.note_unsupported_part(id, input, (offset, size));
        let range = (offset, offset + size);
        let unseen = self.unseen_leaves(id, input, range, view);
        let owners: Vec<ObjectId> = unseen
            .iter()
            .map(|leaf| {
                self.state
                    .memory
                    .get(id)
                    .owner(input.object, leaf.bytes().0)
            })
            .collect();
        // Other bytes of no scalar are zero: padding, and parts that are not supported.
        self.see(id, offset, size);
        for &leaf in &unseen {
            let (low, high) = leaf.bytes();
            self.see(id, low, high - low);
        }
        for (leaf, object) in unseen.into_iter().zip(owners) {
            let from_origin = leaf.offset as i64 - input.origin as i64 * 8;
            let value = self.changed_leaf(id, object, from_origin, leaf);
            if self.is_padding(id, leaf.bytes().0) {
                self.note_unspecified(value);
            }
            if leaf.bit_field {
                self.put_bits(id, leaf, value);
            } else {
                let (low, high) = leaf.bytes();
                self.put_input(id, low, high - low, value);
            }
        }
        Ok(())
    }

    /// What the C library remembers, and objects that no test can set, are taken to be as at the
    /// start of the program.
    fn look_at_kept(&mut self, id: AllocationId, offset: u64, size: u64) {
        let program = self.code.program;
        if let Kind::Global(global) = self.state.memory.get(id).kind
            && program.functions[self.entry].name != "main"
        {
            let global = &program.globals[global];
            match program.units[global.unit].origin {
                Origin::User | Origin::Caller => {
                    let detail =
                        format!("{} had its initial value at the start", kept_name(global));
                    self.hit(BoundKind::StaticLocal, detail);
                }
                Origin::Model => {
                    let detail =
                        "errno and other state of the C library is as at the program's start";
                    self.hit(BoundKind::LibraryModel, detail);
                }
            }
        }
        self.see(id, offset, size);
    }

    /// Notes that bytes were looked at.
    fn see(&mut self, id: AllocationId, offset: u64, size: u64) {
        let allocation = self.state.memory.get_mut(id);
        allocation.touch(offset, size);
        for flag in &mut allocation.flags[offset as usize..(offset + size) as usize] {
            if *flag & UNSEEN != 0 {
                *flag = *flag & SHADOWED | INITIALISED;
            }
        }
    }

    /// Writes the value of an input to bytes that hold nothing else.
    pub fn put_input(&mut self, id: AllocationId, offset: u64, size: u64, value: Value) {
        let allocation = self.state.memory.get_mut(id);
        let range = offset as usize..(offset + size) as usize;
        write_bits(&mut allocation.bytes[range], value.bits);
        allocation.put_entry(offset, size, value.shadow);
    }

    /// Writes the value of a bit-field to its bytes, and keeps the other bits in them.
    fn put_bits(&mut self, id: AllocationId, leaf: Leaf, value: Value) {
        let (low, high) = leaf.bytes();
        let term = match value.shadow {
            Shadow::Term(term) => term,
            Shadow::None => self.terms.constant(leaf.storage, value.bits),
            _ => return,
        };
        for byte in low..high {
            let byte_start = byte * 8;
            let first = leaf.offset.max(byte_start);
            let end = (leaf.offset + u64::from(leaf.storage)).min(byte_start + 8);
            let (shift, width) = ((first - byte_start) as u32, (end - first) as u32);
            let from = (first - leaf.offset) as u32;
            let piece = self.terms.extract(from + width - 1, from, term);
            let wide = self.terms.zero_extend(8, piece);
            let distance = self.terms.constant(8, u128::from(shift));
            let placed = self.terms.shl(wide, distance);
            let allocation = self.state.memory.get(id);
            let old = match allocation.entries.get(&byte) {
                Some(entry) if entry.size == 1 => entry.shadow,
                _ => Shadow::None,
            };
            let bits = allocation.bits(byte, 1) | (value.bits >> from & mask(width)) << shift;
            let together = match old {
                Shadow::Term(old) => self.terms.or(old, placed),
                _ => placed,
            };
            let value = self.valued(bits, together);
            self.put_input(id, byte, 1, value);
        }
    }

    /// Notes that an object which a pointer leads to covers a range, in whole elements.
    pub fn extend(&mut self, id: AllocationId, offset: u64, size: u64) {
        let types = &self.code.program.types;
        let unit = self.unit_in_front(id);
        let Some(input) = &mut self.state.memory.get_mut(id).input else {
            return;
        };
        let element = types.size(input.element).max(1);
        let origin = input.origin;
        let low = if offset < origin {
            origin.saturating_sub((origin - offset).div_ceil(unit) * unit)
        } else {
            origin
        };
        let end = offset + size;
        let high = if end > origin {
            origin + (end - origin).div_ceil(element) * element
        } else {
            origin
        };
        let touched = (input.touched.0.min(low), input.touched.1.max(high));
        if touched != input.touched {
            input.touched = touched;
            self.note_sharing(id);
        }
    }

    /// How many bytes an object grows by in front at once: elements, so many that the origin stays
    /// as aligned as it is in the test's object.
    pub fn unit_in_front(&self, id: AllocationId) -> u64 {
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        let Some(input) = allocation.input.as_deref() else {
            return 1;
        };
        let element = types.size(input.element).max(1);
        element * (allocation.declaration.align / types.align(input.element).max(1)).max(1)
    }

    /// Inputs that are overwritten whole are never looked at; the others get their values first.
    pub fn overwrite_unseen(
        &mut self,
        id: AllocationId,
        offset: u64,
        size: u64,
        view: Option<View>,
    ) -> Flow<()> {
        let is_inside = |leaf: &Leaf| leaf.bytes().0 >= offset && leaf.bytes().1 <= offset + size;
        let input = self.state.memory.get(id).input.as_deref().copied();
        let whole = input.is_none_or(|input| {
            let leaves = self.closed_leaves(input, (offset, offset + size), view);
            leaves.iter().all(is_inside)
        });
        if !whole {
            return self.materialise(id, offset, size, view);
        }
        self.extend(id, offset, size);
        let allocation = self.state.memory.get_mut(id);
        allocation.touch(offset, size);
        for flag in &mut allocation.flags[offset as usize..(offset + size) as usize] {
            *flag &= !(UNSEEN | NARROWED);
        }
        Ok(())
    }

    /// Makes an allocation an input object.
    pub fn make_input(&mut self, id: AllocationId, root: Root, ty: TypeId) -> ObjectId {
        let object = self.space.object(root, ty);
        self.state.memory.get_mut(id).input = Some(Box::new(InputObject {
            object,
            element: ty,
            origin: 0,
            growable: false,
            touched: (0, 0),
            accessed: u64::MAX,
            written: false,
            cut: false,
        }));
        object
    }

    /// Makes the input globals input objects.
    pub fn make_global_inputs(&mut self) {
        for index in 0..self.code.statics.input_globals.len() {
            let global: GlobalId = self.code.statics.input_globals[index];
            let id = self.code.statics.layout.globals[global];
            let ty = self.code.program.globals[global].ty;
            let object = self.make_input(id, Root::Global(global), ty);
            let declared = &self.code.program.globals[global];
            if let Some(element) = statics::open_element(self.code.program, declared)
                && let Some(input) = &mut self.state.memory.get_mut(id).input
            {
                input.element = element;
                input.growable = true;
            }
            self.state.objects.push((object, id));
        }
        for index in 0..self.code.config.constants.len() {
            let global = self.code.config.constants[index];
            let id = self.code.statics.layout.globals[global];
            let ty = self.code.program.globals[global].ty;
            let object = self.space.object(Root::Global(global), ty);
            self.state.constants.push((object, id));
        }
    }

    /// Makes bytes that exist inputs of this name, with the type that they have if one fits.
    pub fn declare_input(
        &mut self,
        id: AllocationId,
        offset: u64,
        size: u64,
        name: String,
    ) -> Flow<()> {
        let count = self
            .state
            .counters
            .declared
            .entry(name.clone())
            .or_default();
        let before = *count;
        *count += 1;
        let nth = self.numbered(before);
        let root = Root::Declared { name, nth };
        self.state.counters.consumed += 1;
        let types = &self.code.program.types;
        let declared = self.state.memory.get(id).declaration.ty;
        let ty = declared.and_then(|ty| crate::leaves::subobject(types, ty, offset, size));
        let element = ty.unwrap_or_else(|| self.character_type());
        let object = self.space.object(root, element);
        let input = InputObject {
            object,
            element,
            origin: offset,
            growable: false,
            touched: (0, 0),
            accessed: u64::MAX,
            written: false,
            cut: false,
        };
        self.store_plain_bytes(id, offset, size)?;
        let found = self.leaves_in(input, (offset, offset + size), None);
        for leaf in found {
            let value = self.leaf_value(object, leaf.offset as i64 - offset as i64 * 8, leaf);
            let (low, high) = leaf.bytes();
            if leaf.bit_field {
                self.put_bits(id, leaf, value);
            } else if high <= offset + size {
                self.put_input(id, low, high - low, value);
            }
        }
        Ok(())
    }

    /// Overwrites bytes that exist with zeros.
    fn store_plain_bytes(&mut self, id: AllocationId, offset: u64, size: u64) -> Flow<()> {
        let pointer = self.pointer_into(id, offset);
        let blob = crate::objects::filled(size, 0, INITIALISED);
        self.write_bytes(pointer.into(), &blob)
    }

    /// A pointer to a known offset.
    pub fn pointer_into(&self, id: AllocationId, offset: u64) -> Value {
        Value {
            bits: u128::from(self.state.memory.get(id).base.wrapping_add(offset)),
            shadow: Shadow::Pointer(id, None),
        }
    }

    /// The type of bytes.
    pub fn character_type(&self) -> TypeId {
        self.code.facts.character
    }

    /// The extents of the objects that pointers point to and that were accessed.
    pub fn record_extents(&mut self) {
        for &(object, id) in &self.state.objects {
            let Some(input) = &self.state.memory.get(id).input else {
                continue;
            };
            if matches!(self.space.object_data(object).root, Root::After { .. }) {
                continue;
            }
            let (low, high) = input.touched;
            let mut extent = Extent {
                before: input.origin.saturating_sub(low),
                after: high.saturating_sub(input.origin),
            };
            if let Some(place) = self.recorded_place(object) {
                extent.before +=
                    (place + MOST_ALIGNED - extent.before % MOST_ALIGNED) % MOST_ALIGNED;
            }
            if extent != Extent::default() {
                self.state.record.inputs.extents.insert(object, extent);
            }
        }
    }
}

/// The name, in messages, of an object that no test can set.
pub(crate) fn kept_name(global: &Global) -> String {
    match global.kind {
        GlobalKind::StaticLocal(_) => format!("static local `{}`", global.name),
        GlobalKind::File(_) => global.name.clone(),
        _ if global.name == SHARED_OBJECT => global.name.clone(),
        _ => "a compound literal".to_owned(),
    }
}

/// An entry is at most as long as the widest scalar.
const _: () = assert!(size_of::<Entry>() <= 24);
/// Writing and looking are told apart.
const _: () = assert!(WRITTEN & (INITIALISED | UNSEEN) == 0);
