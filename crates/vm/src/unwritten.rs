//! Values that C leaves open: of memory that was never written, and of padding.
//!
//! Memory that the program makes and does not write holds unspecified values (C17, 6.7.9p10 and
//! 7.22.3.4), which are inputs: a read of it is a defect that is reported, but the execution goes
//! on. A cell is made where such memory is read or copied, and keeps its value from then on.
//! Padding may be changed by every store to its object (6.2.6.1p6): what is used of it is a loss.

use expr::SeenParts;
use ir::input::{Made, Root};
use ir::test::{Defect, LossKind};
use ir::{DefectKind, ObjectId, TypeId};

use crate::ids::AllocationId;
use crate::leaves::{self, Bools, Leaf, leaves};
use crate::memory::{Allocation, INITIALISED, OF_PADDING, OPEN_BITS, UNSEEN, UNWRITTEN, WRITTEN};
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Unspecified, Value};

/// More unwritten bytes are not made inputs where they are only copied: the copy is unwritten too.
const MOST_COPIED: usize = 256;

impl Unspecified {
    /// The flag of bytes that hold such a value.
    pub fn flag(self) -> u8 {
        match self {
            Unspecified::Unwritten => UNWRITTEN,
            Unspecified::Padding => OF_PADDING,
        }
    }
}

impl Run<'_, '_> {
    /// Makes inputs of what a scalar is read from, at least a byte of which was never written.
    pub fn look_at_unwritten(&mut self, id: AllocationId, offset: u64, scalar: Scalar) {
        let size = scalar.size();
        let (any, _) = self.state.memory.get(id).flags_of(offset, size);
        let leaf = self.unwritten_leaf(id, offset, scalar);
        match leaf.filter(|_| any & INITIALISED == 0 && !self.is_padding(id, offset)) {
            Some(leaf) => self.put_unwritten(id, leaf, UNWRITTEN),
            None => self.make_unwritten(id, offset, size),
        }
    }

    /// The cell for a scalar that is read where nothing was written.
    fn unwritten_leaf(&self, id: AllocationId, offset: u64, scalar: Scalar) -> Option<Leaf> {
        let storage = scalar.bits();
        let types = &self.code.program.types;
        let range = (offset * 8, (offset + scalar.size()) * 8);
        let declared = self.state.memory.get(id).declaration.ty;
        let declared = declared.map(|ty| leaves(types, ty, range, None));
        let is_it = |leaf: &Leaf| {
            let fits = (leaf.offset, leaf.storage) == (range.0, storage);
            fits && !leaf.bit_field && !self.is_pointer(leaf.ty)
        };
        let found = declared.into_iter().flatten().find(is_it);
        found.or_else(|| {
            Some(Leaf {
                offset: range.0,
                ty: self.code.number_type(scalar)?,
                width: if scalar.boolean { 1 } else { storage },
                storage,
                bit_field: false,
            })
        })
    }

    /// Makes inputs of the bytes in a range that were never written, each by itself.
    pub fn make_unwritten(&mut self, id: AllocationId, offset: u64, size: u64) {
        for byte in offset..offset + size {
            if self.is_unwritten(id, byte, 1) {
                let flag = match self.is_padding(id, byte) {
                    true => OF_PADDING,
                    false => UNWRITTEN,
                };
                let leaf = Leaf {
                    offset: byte * 8,
                    ty: self.character_type(),
                    width: 8,
                    storage: 8,
                    bit_field: false,
                };
                self.put_unwritten(id, leaf, flag);
            }
        }
    }

    /// Makes inputs of the bytes in a range that were never written and are copied, so that both
    /// copies hold the same.
    pub fn copy_unwritten(&mut self, id: AllocationId, offset: u64, size: u64) {
        self.state.memory.reach(id, offset + size);
        let range = offset as usize..(offset + size) as usize;
        let flags = self.state.memory.get(id).flags[range].iter();
        let count = flags
            .filter(|flags| *flags & (INITIALISED | UNSEEN) == 0)
            .count();
        if count == 0 || count > MOST_COPIED {
            return;
        }
        let types = &self.code.program.types;
        let declared = self.state.memory.get(id).declaration.ty;
        let bits = (offset * 8, (offset + size) * 8);
        let declared = declared.map(|ty| leaves(types, ty, bits, None));
        for leaf in declared.into_iter().flatten() {
            let (low, high) = leaf.bytes();
            let is_inside = low >= offset && high <= offset + size && !leaf.bit_field;
            if is_inside && !self.is_pointer(leaf.ty) && self.is_unwritten(id, low, high - low) {
                self.put_unwritten(id, leaf, UNWRITTEN);
            }
        }
        self.make_unwritten(id, offset, size);
    }

    /// Whether no byte of a range was ever written.
    pub fn is_unwritten(&self, id: AllocationId, offset: u64, size: u64) -> bool {
        let flags = &self.state.memory.get(id).flags;
        let flags = flags.get(offset as usize..(offset + size) as usize);
        let is_unwritten = |flags: &u8| flags & (INITIALISED | UNSEEN) == 0;
        flags.is_some_and(|flags| flags.iter().all(is_unwritten))
    }

    fn put_unwritten(&mut self, id: AllocationId, leaf: Leaf, flag: u8) {
        if self.state.memory.get(id).declaration.is_register {
            let message = "a value is used that was never written".to_owned();
            self.go_beyond(DefectKind::UninitialisedRead, message);
        }
        let object = self.unwritten_object(id);
        let value = self.leaf_value(object, leaf.offset as i64, leaf);
        self.note_unspecified(value);
        let (low, high) = leaf.bytes();
        self.put_input(id, low, high - low, value);
        let allocation = self.state.memory.get_mut(id);
        allocation.touch(low, high - low);
        for flags in &mut allocation.flags[low as usize..high as usize] {
            *flags |= INITIALISED | flag;
        }
    }

    /// Marks bytes that were never written as written.
    pub fn take_as_written(&mut self, id: AllocationId, offset: u64, size: u64) {
        let allocation = self.state.memory.get_mut(id);
        for flags in &mut allocation.flags[offset as usize..(offset + size) as usize] {
            *flags &= !(UNWRITTEN | OF_PADDING);
        }
    }

    /// The input object that stands for the unwritten bytes of an allocation.
    fn unwritten_object(&mut self, id: AllocationId) -> ObjectId {
        let allocation = self.state.memory.get(id);
        if let Some(object) = allocation.history.unwritten {
            return object;
        }
        let own = allocation.declaration.ty;
        let (root, ty) = match allocation.history.nth {
            Some(nth) => {
                let made = Made::Allocation;
                (Root::Unwritten { made, nth }, None)
            }
            None => {
                let (made, nth) = (Made::Local, self.numbered(self.state.counters.unwritten));
                self.state.counters.unwritten += 1;
                (Root::Unwritten { made, nth }, own)
            }
        };
        let ty = ty.unwrap_or_else(|| self.character_type());
        self.state.counters.consumed += 1;
        let object = self.space.object(root, ty);
        self.state.memory.get_mut(id).history.unwritten = Some(object);
        object
    }

    /// Records an input that tests set only where the path depends on it.
    pub fn note_unspecified(&mut self, value: Value) {
        if let Some(term) = value.term() {
            let variables = self.terms.variables(term);
            self.state.record.unspecified.inputs.extend(variables);
        }
    }

    /// Whether a byte is padding of the type that its object is declared with.
    pub fn is_padding(&self, id: AllocationId, byte: u64) -> bool {
        self.is_padding_of(self.state.memory.get(id), byte)
    }

    /// The same, of an allocation at hand.
    pub fn is_padding_of(&self, allocation: &Allocation, byte: u64) -> bool {
        let declared = self.declared_byte(allocation, byte);
        declared.is_some_and(|(ty, byte)| leaves::is_padding(&self.code.program.types, ty, byte))
    }

    /// Returns whether some bits of a byte that is read as a character are padding and others are
    /// not: those next to bit-fields, and those of a `_Bool` that the program did not write.
    pub fn has_open_bits(&self, allocation: &Allocation, byte: u64, flags: u8) -> bool {
        if flags & (UNSEEN | OPEN_BITS) == OPEN_BITS {
            return true;
        }
        let bools = match allocation.input.is_some() && flags & WRITTEN == 0 {
            true => Bools::OneBit,
            false => Bools::AllBits,
        };
        let declared = self.declared_byte(allocation, byte);
        declared.is_some_and(|(ty, byte)| {
            let bits = leaves::value_bits(&self.code.program.types, ty, byte, bools);
            bits != 0 && bits != u8::MAX
        })
    }

    /// The declared type of an object, if it has padding, and the offset of one of its bytes in
    /// that type.
    fn declared_byte(&self, allocation: &Allocation, byte: u64) -> Option<(TypeId, u64)> {
        if !allocation.declaration.padded {
            return None;
        }
        let types = &self.code.program.types;
        let input = allocation.input.as_deref();
        let input = input.map(|input| (input.element, input.origin));
        let (ty, origin) = input.or(allocation.declaration.ty.map(|ty| (ty, 0)))?;
        let inner = byte.checked_sub(origin.checked_rem(types.size(ty))?)?;
        Some(match types.flexible_member(ty) {
            Some(_) => (ty, inner),
            None => (ty, inner % types.size(ty)),
        })
    }

    /// Whether a scalar that is read from bytes with these flags has bits that are padding of the
    /// object.
    fn is_open(&self, id: AllocationId, offset: u64, flags: u8, scalar: Scalar) -> bool {
        let allocation = self.state.memory.get(id);
        if flags & OPEN_BITS == 0 && !allocation.declaration.padded {
            return false;
        }
        // Under strict aliasing, only copies bring padding into a scalar that is wider than a byte.
        let was_copied = flags & (UNSEEN | OPEN_BITS) == OPEN_BITS;
        if !scalar.raw && !scalar.boolean && was_copied {
            return true;
        }
        let is_padding = |byte| self.is_padding_of(allocation, byte);
        let has_open_bits = |byte| self.has_open_bits(allocation, byte, flags);
        let size = scalar.size();
        if size == 1 {
            return is_padding(offset) || scalar.character && has_open_bits(offset);
        }
        let is_any = self.code.program.target.relaxed_aliasing && !scalar.raw;
        is_any
            && (offset..offset + size - u64::from(scalar.padding))
                .any(|byte| is_padding(byte) || has_open_bits(byte))
    }

    /// A value that was read from bytes with these flags, marked as open where C leaves it open.
    pub fn as_specified(
        &mut self,
        value: Value,
        (id, offset): (AllocationId, u64),
        flags: u8,
        scalar: Scalar,
    ) -> Value {
        let is_padding = self.is_open(id, offset, flags, scalar);
        let why = match flags {
            _ if is_padding || flags & OF_PADDING != 0 && scalar.padding == 0 => {
                Unspecified::Padding
            }
            _ if flags & UNWRITTEN != 0 => Unspecified::Unwritten,
            _ => return value,
        };
        let (Shadow::None | Shadow::Term(_)) = value.shadow else {
            return value;
        };
        let term = self.term_of(value, scalar.size() as u32 * 8);
        Value {
            bits: value.bits,
            shadow: Shadow::Unspecified(term, why),
        }
    }

    /// A value that C leaves open, where the program uses it. Memory that was never written is
    /// reported as a defect, padding as a loss.
    pub fn use_unspecified(
        &mut self,
        bits: u128,
        term: expr::Term,
        why: Unspecified,
    ) -> Flow<Value> {
        let is_known = |variable| self.state.record.unspecified.depends_on.contains(&variable);
        match why {
            // A report was made at its first use.
            Unspecified::Unwritten if self.terms.variables(term).iter().all(is_known) => {}
            Unspecified::Unwritten => {
                let message = "a value is used that was never written";
                self.report(DefectKind::UninitialisedRead, message)?;
            }
            Unspecified::Padding => {
                self.state.record.unspecified.unsure = true;
                let detail = "what padding holds may change with every store to its object";
                self.lose(LossKind::Padding, detail);
            }
        }
        let variables = self.terms.variables(term);
        self.state.record.unspecified.depends_on.extend(variables);
        Ok(self.valued(bits, term))
    }

    /// Reports a defect after which the program is still defined, once for each place, and goes on.
    fn report(&mut self, kind: DefectKind, message: &str) -> Flow<()> {
        let stack = self.seen_by_user(self.frames());
        if self.ends_at_reports {
            return Err(self.defect(kind, message));
        }
        if self.state.record.findings.is_new(kind, self.state.pc) {
            self.state.record.findings.reported.push(Defect {
                kind,
                message: message.to_owned(),
                stack,
                assumptions: self.assumed_failure().into_iter().collect(),
            });
        }
        Ok(())
    }

    /// Leaves out the inputs in unwritten memory and padding that nothing depends on. What depends
    /// on what the stack held cannot be set for sure.
    pub fn settle_unspecified(&mut self) {
        if self.state.record.unspecified.inputs.is_empty() {
            return;
        }
        let (mut seen, depends_on) = (
            SeenParts::default(),
            &mut self.state.record.unspecified.depends_on,
        );
        for constraint in self.state.record.path.iter() {
            let variables = self.terms.variables(constraint.term);
            variables.each_unseen(&mut seen, |variable| {
                depends_on.insert(variable);
            });
        }
        for variable in &self.state.record.unspecified.inputs {
            let cell = ir::CellId::from_raw(variable.0);
            if !self.state.record.unspecified.depends_on.contains(variable) {
                self.state.record.inputs.values.remove(&cell);
                continue;
            }
            let object = self.space.cell_data(cell).object;
            let root = &self.space.object_data(object).root;
            let made = Made::Local;
            self.state.record.unspecified.unsure |=
                matches!(root, Root::Unwritten { made: of, .. } if *of == made);
        }
    }

    /// Whether a term depends on an input that [`Run::settle_unspecified`] left out.
    pub fn is_unsettled(&self, term: expr::Term) -> bool {
        let unspecified = &self.state.record.unspecified.inputs;
        let is_left_out = |variable: expr::Var| {
            let cell = ir::CellId::from_raw(variable.0);
            unspecified.contains(&variable) && !self.state.record.inputs.values.contains_key(&cell)
        };
        !unspecified.is_empty() && self.terms.variables(term).iter().any(is_left_out)
    }
}
