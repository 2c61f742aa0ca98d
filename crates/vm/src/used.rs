//! What the code makes of an input: integers that are used as pointers, pointers whose low bits are
//! a tag, and pointers that are compared by order.

use expr::{Term, Var};
use ir::input::{InputCell, InputValue, Root};
use ir::test::BoundKind;
use ir::{CellId, Local, ObjectId, Type, TypeId, Types};

use crate::facts::node::Node;
use crate::facts::uses::Use;
use crate::ids::AllocationId;
use crate::memory::Kind;
use crate::run::Run;
use crate::value::{Shadow, Value, mask, number};

/// What an integer that may be a pointer is, when it is none: a number.
pub(crate) const NUMBER: InputValue = InputValue::Bits(0);

/// The most arrays that one pointer is offered to point into.
const MOST_ARRAYS: usize = 3;

impl Run<'_, '_> {
    /// What the code makes of what a cell holds.
    pub fn use_of(&self, cell: InputCell) -> Option<&Use> {
        let uses = &self.code.facts.uses;
        let types = &self.code.program.types;
        let object = self.space.object_data(cell.object);
        if let Some(node) = member(types, object.ty, cell) {
            return uses.of(node);
        }
        match object.root {
            Root::Parameter(index) => uses.of(Node::Local(self.entry, Local::from_raw(index))),
            Root::Global(global) => uses.of(Node::Global(global)),
            Root::Result { function, .. } => uses.of(Node::Result(function)),
            Root::Pointee(_) => uses.of(Node::Behind(cell.ty)),
            Root::Unwritten { .. } => None,
            _ if types.int(cell.ty).is_some() => uses.of_any_number(),
            _ => None,
        }
    }

    /// What the code makes of the input in a cell.
    pub fn use_of_cell(&self, cell: CellId) -> Option<&Use> {
        self.use_of(*self.space.cell_data(cell))
    }

    /// Whether a cell is an integer that the code may use as a pointer.
    pub fn is_handle(&self, cell: InputCell) -> bool {
        let types = &self.code.program.types;
        self.code.facts.uses.has_numbers()
            && cell.width == self.code.pointer_width
            && types.int(cell.ty).is_some()
            && self
                .use_of(cell)
                .is_some_and(|used| !used.pointers.is_empty())
    }

    /// Whether a cell that is looked at like a pointer is an integer.
    pub fn is_number(&self, cell: CellId) -> bool {
        !self.is_pointer(self.space.cell_data(cell).ty)
    }

    /// Whether nothing about a cell may stay open once something looks at it: what it is equal to
    /// depends on numbers too.
    pub fn is_looked_at_whole(&self, cell: CellId) -> bool {
        let used = self.use_of_cell(cell);
        self.is_number(cell) || used.is_some_and(|used| used.tagged || used.ordered.is_some())
    }

    /// The types of pointers that a cell may be beside its own.
    pub fn other_pointers(&self, cell: CellId) -> &[TypeId] {
        let types = &self.code.program.types;
        let data = self.space.cell_data(cell);
        let is_plain = match types.pointee(data.ty) {
            Some(pointee) => match types.kind(pointee) {
                Type::Void => true,
                Type::Int(int) => int.name.is_character(),
                _ => false,
            },
            None => true,
        };
        match self.use_of_cell(cell).filter(|_| is_plain) {
            Some(used) => &used.pointers,
            None => &[],
        }
    }

    /// The arrays that a pointer points into first, since the code compares it with pointers to
    /// them.
    pub fn arrays_of(&self, cell: CellId) -> Vec<ObjectId> {
        let Some(set) = self.use_of_cell(cell).and_then(|used| used.ordered) else {
            return Vec::new();
        };
        let types = &self.code.program.types;
        let pointee = types.pointee(self.space.cell_data(cell).ty);
        let is_one = |&(object, id): &(ObjectId, AllocationId)| {
            let data = self.space.object_data(object);
            let Root::Pointee(pointer) = data.root else {
                return false;
            };
            let is_compared = self.use_of_cell(pointer).and_then(|used| used.ordered) == Some(set);
            let is_array = self.distance_width(data.ty).is_some();
            let fits = pointee
                .is_some_and(|pointee| pointee == data.ty || *types.kind(pointee) == Type::Void);
            is_compared && is_array && fits && self.state.memory.get(id).kind == Kind::Pointee
        };
        let arrays = self.state.objects.iter().filter(|object| is_one(object));
        arrays
            .map(|(object, _)| *object)
            .take(MOST_ARRAYS)
            .collect()
    }

    /// The width in bits of a signed number of elements of an input array that is never too large.
    fn distance_width(&self, element: TypeId) -> Option<u32> {
        let size = self.code.program.types.size(element);
        let elements = self.room(element, size).before.checked_div(size)?;
        (elements > 1).then(|| elements.ilog2() + 1)
    }

    /// A pointer into an array, as far from its start as an input says.
    pub fn pointer_within(&mut self, cell: CellId, object: ObjectId) -> Option<Value> {
        let (id, origin) = self.alias(object, 0)?;
        let element = self.space.object_data(object).ty;
        let size = self.code.program.types.size(element);
        let bits = self.distance_width(element)?;
        let distance = self.added(cell, bits);
        let width = self.code.pointer_width;
        let elements = number(distance.bits, bits, true) as i64;
        let place = origin.wrapping_add_signed(elements.wrapping_mul(size as i64));
        self.extend(id, place, 0);
        let detail = format!(
            "input pointers into one array are at most {} elements apart",
            self.code.config.max_array
        );
        self.hit(BoundKind::ArrayExtent, detail);
        let term = self.term_of(distance, bits);
        let wide = self.terms.resize(width, term, true);
        let step = self.terms.constant(width, u128::from(size));
        let bytes = self.terms.mul(wide, step);
        let start = self.terms.constant(width, u128::from(origin));
        let offset = self.terms.add(start, bytes);
        let address = self.pointer_into(id, place);
        Some(Value {
            shadow: Shadow::Pointer(id, Some(offset)),
            ..address
        })
    }

    /// Whether the code looks at the low bits of a pointer.
    pub fn is_tagged(&self, cell: CellId) -> bool {
        self.use_of_cell(cell).is_some_and(|used| used.tagged)
    }

    /// A pointer with its tag, if the code looks at its low bits.
    pub fn with_tag(&mut self, cell: CellId, value: Value) -> Value {
        if !self.is_tagged(cell) {
            return value;
        }
        let align = match value.shadow {
            Shadow::Pointer(id, None) => self.state.memory.get(id).declaration.align,
            Shadow::None if value.bits == 0 => self.least_align(cell),
            _ => 1,
        };
        let bits = align.ilog2();
        if bits == 0 {
            return value;
        }
        let width = self.code.pointer_width;
        let tag = self.added(cell, bits);
        let term = self.term_of(tag, bits);
        let wide = self.terms.resize(width, term, false);
        let address = value.bits.wrapping_add(tag.bits);
        match value.shadow {
            Shadow::Pointer(id, _) => {
                let offset = value
                    .bits
                    .wrapping_sub(u128::from(self.state.memory.get(id).base));
                let offset = self.terms.constant(width, offset);
                let offset = self.terms.add(offset, wide);
                Value {
                    bits: address,
                    shadow: Shadow::Pointer(id, Some(offset)),
                }
            }
            _ => Value::symbolic(address, wide),
        }
    }

    /// Fixes the offset of a pointer to bytes whose low bits the code reads. These bits are no tag;
    /// each other offset is an alternative.
    pub fn fix_place(&mut self, cell: CellId, value: Value) -> Value {
        let Shadow::Pointer(id, Some(term)) = value.shadow else {
            return value;
        };
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        let (input, base) = (allocation.input.as_deref(), allocation.base);
        let is_bytes = input.is_some_and(|input| types.align(input.element) == 1);
        if !is_bytes || !self.is_tagged(cell) {
            return value;
        }
        let offset = value.bits.wrapping_sub(u128::from(base));
        self.concretise(term, offset);
        self.extend(id, offset as u64, 1);
        let fixed = Value {
            shadow: Shadow::Pointer(id, None),
            ..value
        };
        self.state.resolved.insert(cell, fixed);
        fixed
    }

    /// The alignment that any pointer in a cell has. One to `void` is to what needs that of
    /// pointers.
    fn least_align(&self, cell: CellId) -> u64 {
        let types = &self.code.program.types;
        let align = |pointee: TypeId| match types.kind(pointee) {
            Type::Void => u64::from(self.code.pointer_width / 8),
            _ => types.align(pointee),
        };
        let own = self.space.cell_data(cell).ty;
        let others = self.other_pointers(cell).iter().copied();
        let pointers = others
            .chain([own])
            .filter_map(|pointer| types.pointee(pointer));
        pointers.map(align).max().unwrap_or(1)
    }

    /// The pointer that an input is added to.
    pub fn added_to(&self, input: Var) -> Option<CellId> {
        let cell = self.space.cell_data(CellId::from_raw(input.0));
        match self.space.object_data(cell.object).root {
            Root::Added(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// Fixes what is added to an input pointer that an access goes through: a tag is known to be 0
    /// by then, and each distance in an array is an alternative of its own.
    pub fn fix_added(&mut self, value: Value) -> Value {
        let Shadow::Pointer(id, Some(term)) = value.shadow else {
            return value;
        };
        let inputs = self.terms.variables(term);
        if !inputs.iter().all(|input| self.added_to(input).is_some()) {
            return value;
        }
        let base = u128::from(self.state.memory.get(id).base);
        let offset = value.bits.wrapping_sub(base) & mask(self.code.pointer_width);
        self.concretise(term, offset);
        Value {
            shadow: Shadow::Pointer(id, None),
            ..value
        }
    }

    /// Records the bound that a number, which is made a pointer, could have been an address that
    /// its inputs were not offered.
    pub fn note_number(&mut self, term: Term) {
        let mut inputs = self.terms.variables(term).iter();
        let was_offered = inputs.all(|input| {
            let is_looked_at = self.state.resolved.contains_key(&CellId::from_raw(input.0));
            is_looked_at || self.added_to(input).is_some()
        });
        if !was_offered {
            let detail = "a number that is made a pointer is not taken to be an address";
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// What is added to the pointer in a cell.
    fn added(&mut self, cell: CellId, width: u32) -> Value {
        let ty = self.character_type();
        let object = self.space.object(Root::Added(cell), ty);
        self.cell_value(InputCell {
            object,
            offset_bits: 0,
            ty,
            width,
        })
    }
}

/// The innermost member of a type that a cell is or lies in.
fn member(types: &Types, ty: TypeId, cell: InputCell) -> Option<Node> {
    let size = types.size(ty) as i64 * 8;
    let flexible = types.flexible_member(ty);
    if let Some((offset, _)) = flexible
        && cell.offset_bits >= offset as i64 * 8
        && let Type::Record(record) = *types.kind(ty)
    {
        let last = types.records[record].fields.len() as u32 - 1;
        return Some(Node::Field(record, last));
    }
    let offset = cell.offset_bits.checked_rem_euclid(size)?;
    member_at(types, ty, offset as u64, cell)
}

fn member_at(types: &Types, ty: TypeId, offset: u64, cell: InputCell) -> Option<Node> {
    match *types.kind(ty) {
        Type::Array { element, .. } => {
            let inside = offset.checked_rem(types.size(element) * 8)?;
            member_at(types, element, inside, cell)
        }
        Type::Record(record) => {
            let fields = types.records[record].fields.iter().zip(0..);
            let mut around = fields.filter(|(field, _)| {
                let end = field.offset_bits + types.size(field.ty) * 8;
                field.bit_width.is_none() && (field.offset_bits..end).contains(&offset)
            });
            around.find_map(|(field, number)| {
                let inner = member_at(types, field.ty, offset - field.offset_bits, cell);
                let is_it = || {
                    (types.element_of(field.ty) == cell.ty).then_some(Node::Field(record, number))
                };
                inner.or_else(is_it)
            })
        }
        _ => None,
    }
}
