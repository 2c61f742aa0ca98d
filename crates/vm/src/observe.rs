//! What the entry function returned and wrote to its inputs, as far as it is not about addresses.

use ir::test::{Observation, Observed, ObservedPlace};
use ir::{FunctionId, Type, TypeId};

use crate::calls::Passed;
use crate::leaves::{Leaf, leaves};
use crate::memory::{AllocationId, Blob, INITIALISED, InputObject, Kind, WRITTEN};
use crate::run::Run;
use crate::value::{Shadow, Value, mask};

impl Run<'_, '_> {
    /// The observations of an execution that returned.
    pub fn observe(&mut self, entry: FunctionId, result: &Passed) -> Vec<Observation> {
        let mut observations = Vec::new();
        let types = &self.code.program.types;
        if let Type::Function(ty) = types.kind(self.code.program.functions[entry].ty) {
            let place = |offset_bits| ObservedPlace::Result { offset_bits };
            self.observe_result(ty.result, result, place, &mut observations);
        }
        observations.append(&mut self.record.results);
        for index in 0..self.objects.len() {
            let (_, id) = self.objects[index];
            if let Some(input) = self.memory.get(id).input.as_deref().copied() {
                self.observe_object(id, input, &mut observations);
            }
        }
        observations
    }

    /// Observes what a call of the driver of a sequence returned.
    pub fn observe_call(&mut self, function: FunctionId, result: &Passed) {
        let nth = self.counters.driven;
        self.counters.driven += 1;
        let types = &self.code.program.types;
        if let Type::Function(ty) = types.kind(self.code.program.functions[function].ty) {
            let mut results = std::mem::take(&mut self.record.results);
            let place = |offset_bits| ObservedPlace::Call { nth, offset_bits };
            self.observe_result(ty.result, result, place, &mut results);
            self.record.results = results;
        }
    }

    fn observe_result(
        &self,
        ty: TypeId,
        result: &Passed,
        place: impl Fn(u64) -> ObservedPlace,
        out: &mut Vec<Observation>,
    ) {
        match result {
            Passed::Nothing => {}
            Passed::Scalar(value, scalar) => {
                let width = if scalar.boolean { 1 } else { scalar.bits() };
                if let Some(value) = self.observed(*value, ty, width) {
                    out.push(Observation {
                        place: place(0),
                        ty,
                        width,
                        value,
                    });
                }
            }
            Passed::Object(blob) => {
                let types = &self.code.program.types;
                for leaf in leaves(types, ty, (0, blob.bytes.len() as u64 * 8), None) {
                    let value = self
                        .blob_value(blob, leaf)
                        .and_then(|value| self.observed(value, leaf.ty, leaf.width));
                    if let Some(value) = value {
                        out.push(Observation {
                            place: place(leaf.offset),
                            ty: leaf.ty,
                            width: leaf.width,
                            value,
                        });
                    }
                }
            }
        }
    }

    /// A scalar of a copied object, if all of it was written.
    fn blob_value(&self, blob: &Blob, leaf: Leaf) -> Option<Value> {
        let (low, high) = leaf.bytes();
        let range = low as usize..high as usize;
        let flags = blob.flags.get(range.clone())?;
        if flags.iter().any(|flag| flag & INITIALISED == 0) {
            return None;
        }
        let raw = crate::memory::read_bits(blob.bytes.get(range)?);
        let mut shadow = Shadow::None;
        for (at, entry) in &blob.entries {
            if *at < high && at + entry.size > low {
                shadow = match entry.shadow {
                    shadow if *at == low && entry.size == high - low => shadow,
                    Shadow::Term(_) => shadow,
                    _ => Shadow::Tainted,
                };
            }
        }
        Some(field_value(raw, shadow, leaf))
    }

    fn observe_object(&self, id: AllocationId, input: InputObject, out: &mut Vec<Observation>) {
        let allocation = self.memory.get(id);
        let types = &self.code.program.types;
        let element = types.size(input.element);
        let (low, high) = allocation.dirty;
        if element == 0 || low >= high || allocation.bytes.is_empty() {
            return;
        }
        let phase = input.origin % element;
        let mut start = low.saturating_sub(phase) / element * element + phase;
        if low < phase {
            start = phase;
        }
        while start + element <= allocation.size && start < high {
            let low_bits = low.saturating_sub(start) * 8;
            for mut leaf in leaves(types, input.element, (low_bits, (high - start) * 8), None) {
                leaf.offset += start * 8;
                let Some(value) = self.written(id, leaf) else {
                    continue;
                };
                if let Some(value) = self.observed(value, leaf.ty, leaf.width) {
                    out.push(Observation {
                        place: ObservedPlace::Cell {
                            object: input.object,
                            offset_bits: leaf.offset as i64 - input.origin as i64 * 8,
                        },
                        ty: leaf.ty,
                        width: leaf.width,
                        value,
                    });
                }
            }
            start += element;
        }
    }

    /// The value of a scalar that was written and is initialised.
    fn written(&self, id: AllocationId, leaf: Leaf) -> Option<Value> {
        let allocation = self.memory.get(id);
        let (low, high) = leaf.bytes();
        let flags = allocation.flags.get(low as usize..high as usize)?;
        let any_written = flags.iter().any(|flag| flag & WRITTEN != 0);
        if !any_written || flags.iter().any(|flag| flag & INITIALISED == 0) {
            return None;
        }
        let raw = allocation.bits(low, high - low);
        let mut shadow = Shadow::None;
        for (at, entry) in allocation.entries_in(low, high - low) {
            shadow = match entry.shadow {
                whole if at == low && entry.size == high - low => whole,
                Shadow::Term(_) => shadow,
                _ => Shadow::Tainted,
            };
        }
        Some(field_value(raw, shadow, leaf))
    }

    /// A value as a test can check it natively.
    fn observed(&self, value: Value, ty: TypeId, width: u32) -> Option<Observed> {
        match value.shadow {
            Shadow::None if value.bits == 0 && self.is_pointer(ty) => Some(Observed::Null),
            Shadow::None | Shadow::Term(_) => Some(Observed::Bits(value.bits & mask(width))),
            Shadow::Tainted | Shadow::Uninitialised => None,
            Shadow::Lazy(cell) => match self.resolved.get(&cell) {
                Some(&value) => self.observed_pointer(value),
                // Nothing looked at it: a test leaves it NULL.
                None => Some(Observed::Null),
            },
            Shadow::Pointer(..) => self.observed_pointer(value),
        }
    }

    fn observed_pointer(&self, value: Value) -> Option<Observed> {
        let Shadow::Pointer(id, _) = value.shadow else {
            return Some(if value.bits == 0 {
                Observed::Null
            } else {
                Observed::Bits(value.bits)
            });
        };
        let allocation = self.memory.get(id);
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

/// The value of a scalar in the bytes that it lies in.
fn field_value(raw: u128, shadow: Shadow, leaf: Leaf) -> Value {
    let first = leaf.offset % 8;
    Value {
        bits: raw >> first & mask(leaf.storage),
        shadow,
    }
}
