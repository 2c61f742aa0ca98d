//! What the entry function returned and wrote to its inputs, as far as it is not about addresses.

use std::collections::BTreeMap;

use ir::input::Root;
use ir::library::RUN_BY_THEMSELVES;
use ir::sharing::is_character;
use ir::test::{Observation, Observed, ObservedPlace};
use ir::{CellId, FunctionId, Type, TypeId, Types};

use crate::ids::AllocationId;
use crate::leaves::{Leaf, leaves};
use crate::memory::{Blob, INITIALISED, InputObject, Kind, Life, OF_PADDING, UNWRITTEN, WRITTEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::value::{Shadow, Value, mask};

/// The most observations of what one pointer leads to.
const MOST_BEHIND: u64 = 24;

/// The most scalars of one object that are observed.
const MOST_IN_OBJECT: usize = 1 << 11;

/// What is observed at one time.
#[derive(Default)]
struct Found {
    observations: Vec<Observation>,
    /// The objects that were met, with the pointer to each and its type.
    met: BTreeMap<AllocationId, (ObservedPlace, TypeId)>,
    /// How many more may be observed of what the current pointer leads to.
    left: u64,
    /// Whether the execution goes on; then input pointers that nothing has looked at stay
    /// undecided.
    goes_on: bool,
}

impl Run<'_, '_> {
    /// The observations of an execution that returned.
    pub fn observe(&mut self, entry: FunctionId, result: &Passed) -> Vec<Observation> {
        let mut found = Found::default();
        let types = &self.code.program.types;
        if let Type::Function(ty) = types.kind(self.code.program.functions[entry].ty) {
            let place = |offset_bits| ObservedPlace::Result { offset_bits };
            self.observe_result(ty.result, result, place, &mut found);
        }
        for index in 0..self.state.objects.len() {
            let (object, id) = self.state.objects[index];
            if matches!(self.space.object_data(object).root, Root::After { .. }) {
                continue;
            }
            if let Some(input) = self.state.memory.get(id).input.as_deref().copied() {
                self.observe_object(id, input, &mut found);
            }
        }
        let mut observations = std::mem::take(&mut self.state.record.results);
        observations.append(&mut found.observations);
        observations
    }

    /// Observes what a call of the driver of a sequence returned.
    pub fn observe_call(&mut self, function: FunctionId, result: &Passed) {
        let nth = self.state.counters.driven;
        self.state.counters.driven += 1;
        let types = &self.code.program.types;
        if let Type::Function(ty) = types.kind(self.code.program.functions[function].ty) {
            let mut found = Found {
                goes_on: true,
                ..Found::default()
            };
            let place = |offset_bits| ObservedPlace::Call { nth, offset_bits };
            self.observe_result(ty.result, result, place, &mut found);
            self.state.record.results.append(&mut found.observations);
        }
    }

    fn observe_result(
        &self,
        ty: TypeId,
        result: &Passed,
        place: impl Fn(u64) -> ObservedPlace,
        found: &mut Found,
    ) {
        match result {
            Passed::Nothing => {}
            Passed::Scalar(value, scalar) => {
                let width = if scalar.boolean { 1 } else { scalar.bits() };
                self.note(place(0), *value, (ty, width), found);
            }
            Passed::Object(blob) => {
                let types = &self.code.program.types;
                let observed = blob.bytes.len().min(MOST_IN_OBJECT) as u64;
                for leaf in leaves(types, ty, (0, observed * 8), None) {
                    if let Some(value) = self.blob_value(blob, leaf) {
                        self.note(place(leaf.offset), value, (leaf.ty, leaf.width), found);
                    }
                }
            }
        }
    }

    /// Observes a scalar of a type and width, and the object that the code made if the scalar
    /// points to it.
    fn note(&self, place: ObservedPlace, value: Value, of: (TypeId, u32), found: &mut Found) {
        found.left = MOST_BEHIND;
        self.follow(place, value, of, found);
    }

    fn follow(
        &self,
        place: ObservedPlace,
        value: Value,
        (ty, width): (TypeId, u32),
        found: &mut Found,
    ) {
        let is_open =
            matches!(value.shadow, Shadow::Lazy(cell) if !self.state.resolved.contains_key(&cell));
        if is_open && found.goes_on {
            return;
        }
        let Some(seen) = self.observed(value, ty, width) else {
            return;
        };
        let made = self.made(value, ty).filter(|_| seen == Observed::NotNull);
        let known = made.and_then(|(id, _)| found.met.get(&id)).cloned();
        let seen = known.map_or(seen, |(place, ty)| Observed::Same(Box::new(place), ty));
        let is_new = seen == Observed::NotNull;
        found.observations.push(Observation {
            place: place.clone(),
            ty,
            width,
            value: seen,
        });
        let Some((id, element)) = made.filter(|_| is_new) else {
            return;
        };
        found.met.insert(id, (place.clone(), ty));
        let types = &self.code.program.types;
        let size = types.size(element);
        let is_record = types.record(element).is_some();
        let whole = self.state.memory.get(id).size;
        let elements = if is_record {
            1
        } else {
            whole.checked_div(size).unwrap_or(0)
        };
        for leaf in (0..elements.min(MOST_BEHIND)).flat_map(|index| {
            let inside = leaves(types, element, (0, size * 8), None);
            inside.into_iter().map(move |leaf| Leaf {
                offset: leaf.offset + index * size * 8,
                ..leaf
            })
        }) {
            let Some(value) = self.contents(id, leaf, INITIALISED) else {
                return;
            };
            let Some(left) = found.left.checked_sub(1) else {
                return;
            };
            found.left = left;
            let place = ObservedPlace::Behind {
                pointer: Box::new(place.clone()),
                ty,
                offset_bits: leaf.offset,
            };
            self.follow(place, value, (leaf.ty, leaf.width), found);
            if is_character(types, element) && value.bits == 0 {
                // Nothing after the end of a string is observed.
                return;
            }
        }
    }

    /// The object that the code allocated, to whose start a value points, and the type of what the
    /// pointer points to.
    fn made(&self, value: Value, ty: TypeId) -> Option<(AllocationId, TypeId)> {
        let value = match value.shadow {
            Shadow::Lazy(cell) => *self.state.resolved.get(&cell)?,
            _ => value,
        };
        let Shadow::Pointer(id, None) = value.shadow else {
            return None;
        };
        let types = &self.code.program.types;
        let element = types.pointee(ty)?;
        let allocation = self.state.memory.get(id);
        let is_whole = value.bits == u128::from(allocation.base)
            && (1..=allocation.size).contains(&types.size(element));
        let is_made = allocation.kind == Kind::Heap && allocation.life == Life::Live;
        (is_made && is_whole).then_some((id, element))
    }

    /// A scalar of a copied object, if all of it was written.
    pub fn blob_value(&self, blob: &Blob, leaf: Leaf) -> Option<Value> {
        let (low, high) = leaf.bytes();
        let range = low as usize..high as usize;
        let flags = blob.flags.get(range.clone())?;
        if !flags.iter().all(is_settled) {
            return None;
        }
        let raw = crate::memory::read_bits(blob.bytes.get(range)?);
        let mut shadow = Shadow::None;
        // No entry is longer than 16 bytes.
        let first = blob.entries.partition_point(|(at, _)| at + 16 <= low);
        let entries = blob.entries.get(first..).unwrap_or_default();
        for (at, entry) in entries.iter().take_while(|(at, _)| *at < high) {
            if *at < high && at + entry.size > low {
                shadow = match entry.shadow {
                    shadow if *at == low && entry.size == high - low => shadow,
                    Shadow::Term(_) => shadow,
                    _ => Shadow::Tainted(None),
                };
            }
        }
        Some(field_value(raw, shadow, leaf))
    }

    fn observe_object(&self, id: AllocationId, input: InputObject, found: &mut Found) {
        let allocation = self.state.memory.get(id);
        let types = &self.code.program.types;
        let element = types.size(input.element);
        let (low, high) = allocation.history.dirty;
        if element == 0 || low >= high || allocation.bytes.is_empty() {
            return;
        }
        let most = found.observations.len() + MOST_IN_OBJECT;
        let phase = input.origin % element;
        let mut start = low.saturating_sub(phase) / element * element + phase;
        if low < phase {
            start = phase;
        }
        while start + element <= allocation.size && start < high {
            let range = (low.saturating_sub(start), (high - start).min(element));
            for mut leaf in leaves_in_parts(types, input.element, range) {
                leaf.offset += start * 8;
                if found.observations.len() >= most {
                    return;
                }
                let Some(value) = self.contents(id, leaf, WRITTEN) else {
                    continue;
                };
                let place = ObservedPlace::Cell {
                    object: input.object,
                    offset_bits: leaf.offset as i64 - input.origin as i64 * 8,
                };
                self.note(place, value, (leaf.ty, leaf.width), found);
            }
            start += element;
        }
    }

    /// The value of a scalar that is initialised, one byte of which at least has this flag.
    pub fn contents(&self, id: AllocationId, leaf: Leaf, wanted: u8) -> Option<Value> {
        let allocation = self.state.memory.get(id);
        let (low, high) = leaf.bytes();
        let flags = allocation.flags.get(low as usize..high as usize)?;
        let any_wanted = flags.iter().any(|flag| flag & wanted != 0);
        if !any_wanted || !flags.iter().all(is_settled) {
            return None;
        }
        let raw = allocation.bits(low, high - low);
        let mut shadow = Shadow::None;
        for (at, entry) in allocation.entries_in(low, high - low) {
            shadow = match entry.shadow {
                whole if at == low && entry.size == high - low => whole,
                Shadow::Term(_) => shadow,
                _ => Shadow::Tainted(None),
            };
        }
        Some(field_value(raw, shadow, leaf))
    }

    /// A value as a test can check it natively.
    pub fn observed(&self, value: Value, ty: TypeId, width: u32) -> Option<Observed> {
        match value.shadow {
            Shadow::Term(term) if self.is_unsettled(term) => None,
            Shadow::None if value.bits == 0 && self.is_pointer(ty) => Some(Observed::Null),
            Shadow::None | Shadow::Term(_) => Some(Observed::Bits(value.bits & mask(width))),
            Shadow::Tainted(_) | Shadow::Uninitialised | Shadow::Unspecified(..) => None,
            Shadow::Lazy(cell) => match self.state.resolved.get(&cell) {
                Some(&value) if !self.is_pointer(ty) => self.observed(value, ty, width),
                None if !self.is_pointer(ty) => None,
                Some(&value) => self.observed_pointer(value),
                // Nothing looked at it: a test leaves it as it is.
                None => self.is_null_by_itself(cell).then_some(Observed::Null),
            },
            Shadow::Pointer(..) => self.observed_pointer(value),
        }
    }

    /// Whether an input pointer that a test does not set is NULL. Globals keep their initial
    /// values.
    fn is_null_by_itself(&self, cell: CellId) -> bool {
        let data = self.space.cell_data(cell);
        let global = match self.space.object_data(data.object).root {
            Root::Global(global) => global,
            // It is as it was before the call.
            Root::After { .. } => return false,
            _ => return true,
        };
        let program = self.code.program;
        // What ran before the test may have set it.
        let mut globals = program.globals.iter();
        if globals.any(|global| global.name == RUN_BY_THEMSELVES) {
            return false;
        }
        let Some(initial) = &program.globals[global].initializer else {
            return true;
        };
        let start = data.offset_bits as usize / 8;
        let range = start..start + data.width as usize / 8;
        let mut bytes = initial.bytes.iter().enumerate();
        let is_set = bytes.any(|(at, byte)| range.contains(&at) && *byte != 0);
        let mut relocations = initial.relocations.iter();
        !is_set && !relocations.any(|relocation| range.contains(&(relocation.offset as usize)))
    }

    fn observed_pointer(&self, value: Value) -> Option<Observed> {
        let Shadow::Pointer(id, _) = value.shadow else {
            return Some(if value.bits == 0 {
                Observed::Null
            } else {
                Observed::Bits(value.bits)
            });
        };
        let allocation = self.state.memory.get(id);
        Some(match (allocation.kind, allocation.input.as_deref()) {
            (Kind::Function(function), _) => Observed::Function(function),
            (Kind::Pointee | Kind::Global(_), Some(input)) => {
                let offset = (value.bits as u64).wrapping_sub(allocation.base) as i64;
                Observed::Inside(input.object, offset - input.origin as i64)
            }
            _ => Observed::NotNull,
        })
    }
}

/// The scalars of a type that a range of bytes overlaps, listed part by part.
fn leaves_in_parts(
    types: &Types,
    ty: TypeId,
    (low, high): (u64, u64),
) -> impl Iterator<Item = Leaf> {
    let starts = (low..high).step_by(1 << 12);
    starts.flat_map(move |start| {
        let end = high.min(start + (1 << 12));
        let found = leaves(types, ty, (start * 8, end * 8), None);
        // What reaches over the border of two parts is in the first of them.
        let is_here = move |leaf: &Leaf| start == low || leaf.offset >= start * 8;
        found.into_iter().filter(is_here)
    })
}

/// Whether a byte holds what the program put there.
fn is_settled(flags: &u8) -> bool {
    flags & (INITIALISED | UNWRITTEN | OF_PADDING) == INITIALISED
}

/// The value of a scalar in the bytes that it lies in.
fn field_value(raw: u128, shadow: Shadow, leaf: Leaf) -> Value {
    let first = leaf.offset % 8;
    Value {
        bits: raw >> first & mask(leaf.storage),
        shadow,
    }
}
