//! Which parts of objects that exist an input pointer may point to.
//!
//! Where a pointer is looked at for the first time, each part of an input object that can be
//! accessed as what it points to is offered: the object itself, a member, an element that was
//! accessed before or is one of the first. A pointer to constant data is offered the constants of
//! the program too. The search decides. What is not among these is a bound where it matters, see
//! [`crate::aliases`].

use ir::input::{InputValue, Root};
use ir::sharing::{is_accessible_as, is_character};
use ir::{CellId, GlobalKind, ObjectId, Type, TypeId, Types};

use crate::ids::AllocationId;
use crate::memory::{InputObject, Kind};
use crate::run::Run;

/// The most parts of one object that a pointer is offered.
const MOST_PARTS: usize = 8;

/// How many elements of an array of scalars are offered before they are accessed.
const FIRST_ELEMENTS: i64 = 4;

/// How many elements of a declared array of unknown length are offered before they are accessed.
pub(crate) fn first_elements(types: &Types, element: TypeId) -> i64 {
    match types.record(element) {
        Some(_) => 1,
        None => FIRST_ELEMENTS,
    }
}

/// The most parts of all objects together that are tried where a pointer is used.
const MOST: usize = 24;

/// What an input pointer is offered beside NULL and an object of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub values: Vec<InputValue>,
    /// Whether there were more.
    pub cut: bool,
}

impl Candidates {
    /// Adds one, unless it is there.
    pub fn add_one(&mut self, value: InputValue) {
        if !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    fn add(&mut self, object: ObjectId, offsets: &[i64]) {
        let offsets = offsets.iter();
        let parts = offsets.map(|&offset| InputValue::Alias { object, offset });
        self.values.extend(parts);
    }
}

/// Keeps as many candidates as are tried where a pointer is used. Returns whether there were more.
pub(crate) fn cut_down(values: &mut Vec<InputValue>) -> bool {
    let mut aliases = 0;
    let before = values.len();
    values.retain(|value| {
        aliases += usize::from(matches!(value, InputValue::Alias { .. }));
        aliases <= MOST
    });
    values.len() < before
}

impl Run<'_, '_> {
    /// The parts of objects that the pointer in a cell may point to, in a fixed order.
    pub fn alias_candidates(&self, cell: CellId, pointer: TypeId) -> Candidates {
        let types = &self.code.program.types;
        let mut found = Candidates::default();
        let &Type::Pointer {
            pointee, constant, ..
        } = types.kind(pointer)
        else {
            return found;
        };
        for &(object, id) in &self.state.objects {
            // What lies at a constant address is not offered: a bound.
            if !self.could_be_given(id, cell) || self.state.memory.get(id).kind == Kind::Mapped {
                continue;
            }
            let root = &self.space.object_data(object).root;
            let unaddressed = &self.code.config.unaddressed_globals;
            if matches!(root, Root::Global(global) if unaddressed.binary_search(global).is_ok()) {
                continue;
            }
            // Also what was freed since: it was there when the input was made.
            let input = self.state.memory.get(id).input.as_deref().copied();
            if let Some(input) = input {
                let parts = self.parts(id, input, pointee);
                found.cut |= parts.len() > MOST_PARTS;
                found.add(object, &parts[..parts.len().min(MOST_PARTS)]);
            }
        }
        if constant && (types.record(pointee).is_some() || is_character(types, pointee)) {
            for &(object, id) in &self.state.constants {
                let ty = self.state.memory.get(id).declaration.ty;
                if is_character(types, pointee) {
                    // A pointer into the middle of a literal is a bound.
                    found.values.extend(self.literal(object, id));
                    continue;
                }
                let mut parts = Vec::new();
                ty.into_iter()
                    .for_each(|ty| parts_of(types, ty, pointee, 0, &mut parts));
                found.cut |= parts.len() > MOST_PARTS;
                found.add(object, &parts[..parts.len().min(MOST_PARTS)]);
            }
        }
        found
    }

    /// The start of a constant, if it is a string literal.
    fn literal(&self, object: ObjectId, id: AllocationId) -> Option<InputValue> {
        let is_literal = match self.state.memory.get(id).kind {
            Kind::Global(global) => {
                self.code.program.globals[global].kind == GlobalKind::StringLiteral
            }
            _ => false,
        };
        is_literal.then_some(InputValue::Alias { object, offset: 0 })
    }

    /// The offsets in bytes, from where its cells are counted, of the parts of an input object that
    /// can be accessed as the type; at most one more than are offered.
    pub fn parts(&self, id: AllocationId, input: InputObject, part: TypeId) -> Vec<i64> {
        let types = &self.code.program.types;
        let size = types.size(input.element) as i64;
        let mut found = Vec::new();
        let allocation = self.state.memory.get(id);
        if size == 0 || (allocation.kind != Kind::Pointee && !input.growable) {
            // Allocated memory may have room for more than one.
            let room = match allocation.kind {
                Kind::Heap => allocation.size as i64,
                _ => size,
            };
            let starts = (0..).map(|index| index * size.max(1));
            for start in starts.take_while(|start| *start == 0 || start + size <= room) {
                parts_of(types, input.element, part, start, &mut found);
                if found.len() > MOST_PARTS || size == 0 {
                    break;
                }
            }
            return found;
        }
        // The element that was pointed to first comes first.
        let origin = input.origin as i64;
        let (low, mut high) = (
            input.touched.0 as i64 - origin,
            input.touched.1 as i64 - origin,
        );
        let is_declared = allocation.kind != Kind::Pointee;
        if input.growable && (is_declared || types.record(input.element).is_none()) {
            let room = allocation.size as i64 - origin;
            high = high.max(room.min(first_elements(types, input.element) * size));
        }
        let behind = (0..)
            .map(|index| index * size)
            .take_while(|&start| start < high);
        let before = (1..)
            .map(|index| -index * size)
            .take_while(|&start| start >= low);
        for start in behind.chain(before) {
            parts_of(types, input.element, part, start, &mut found);
            if found.len() > MOST_PARTS {
                break;
            }
        }
        found
    }
}

/// Adds the offsets in bytes of the parts of a type, which starts at `start`, that can be accessed
/// as another one.
fn parts_of(types: &Types, whole: TypeId, part: TypeId, start: i64, out: &mut Vec<i64>) {
    if out.len() > MOST_PARTS {
        return;
    }
    if is_accessible_as(types, whole, part) {
        if out.last() != Some(&start) {
            out.push(start);
        }
        return;
    }
    match types.kind(whole) {
        Type::Array { element, .. } => {
            let size = types.size(*element);
            let count = types.size(whole).checked_div(size).unwrap_or(0);
            for index in 0..count.min(MOST_PARTS as u64 + 1) {
                let start = start + (index * size) as i64;
                parts_of(types, *element, part, start, out);
            }
        }
        Type::Record(record) => {
            let fields = types.records[*record].fields.iter();
            for field in fields.filter(|field| field.bit_width.is_none()) {
                let start = start + (field.offset_bits / 8) as i64;
                parts_of(types, field.ty, part, start, out);
            }
        }
        _ => {}
    }
}
