//! The effects of a native call: its result and what it wrote.

use ir::{FunctionId, Origin, Type};

use super::memory::{Sent, Windows};
use crate::ids::AllocationId;
use crate::memory::{INITIALISED, Kind};
use crate::native_call::{NativeCall, NativeEnd, NativeReturn, NativeValue};
use crate::objects::filled;
use crate::passed::Passed;
use crate::run::Run;
use crate::state::LibraryMemory;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value, mask};

/// What stands in bytes that were never written, in one call and in another: what differs between
/// the two afterwards was not written then either.
const FILLS: [u8; 2] = [0x00, 0xa5];

/// How a call ended.
#[derive(Debug)]
pub enum Executed {
    Returned(Done),
    /// See [`NativeEnd`].
    Behind(usize),
    Null,
    Failed(String),
}

/// A call that returned.
#[derive(Debug)]
pub struct Done {
    pub result: NativeReturn,
    /// For each byte of each object, what was written there.
    pub written: Vec<Vec<Option<u8>>>,
    pub error_number: Option<u32>,
}

impl Run<'_, '_> {
    /// Has a call executed, so that it is known what it wrote.
    pub(super) fn executed(&mut self, sent: &Sent) -> Executed {
        let natives = self.natives;
        let all_written = sent.written.iter().flatten().all(|&written| written);
        let end = natives.call(&with_fill(sent, FILLS[0]));
        let other = match all_written {
            true => end.clone(),
            false => natives.call(&with_fill(sent, FILLS[1])),
        };
        match (end, other) {
            (
                NativeEnd::Returned {
                    result,
                    objects,
                    error_number,
                },
                NativeEnd::Returned {
                    result: other_result,
                    objects: others,
                    ..
                },
            ) if result == other_result => Executed::Returned(Done {
                result,
                written: written(sent, &objects, &others),
                error_number,
            }),
            (NativeEnd::Behind(first), NativeEnd::Behind(second)) if first == second => {
                Executed::Behind(first)
            }
            (NativeEnd::Null, NativeEnd::Null) => Executed::Null,
            (NativeEnd::Failed(why), _) | (_, NativeEnd::Failed(why)) => Executed::Failed(why),
            _ => Executed::Failed("depends on memory that was never written".to_owned()),
        }
    }

    /// Writes what a call wrote.
    pub(super) fn write_back(
        &mut self,
        written: &[Vec<Option<u8>>],
        windows: &Windows,
    ) -> Flow<()> {
        for (bytes, window) in written.iter().zip(&windows.0) {
            let mut at = 0;
            while let Some(from) = bytes[at..].iter().position(Option::is_some) {
                let start = at + from;
                let run: Vec<u8> = bytes[start..].iter().map_while(|byte| *byte).collect();
                at = start + run.len();
                let mut blob = filled(run.len() as u64, 0, INITIALISED);
                blob.bytes = run;
                let target = self.pointer_into(window.id, window.start + start as u64);
                self.write_bytes(target.into(), &blob)?;
            }
        }
        Ok(())
    }

    /// Sets the machine's `errno`, if the program has one.
    pub(super) fn set_error_number(&mut self, number: Option<u32>) -> Flow<()> {
        let program = self.code.program;
        let is_it = |global: &ir::Global| {
            global.name == "error_number" && program.units[global.unit].origin == Origin::Model
        };
        let found = program.globals.position(is_it);
        if let (Some(number), Some(global)) = (number, found) {
            let place = self.pointer_into(self.code.statics.layout.globals[global], 0);
            let value = Value::concrete(u128::from(number));
            self.store(place.into(), Scalar::unsigned(32), value)?;
        }
        Ok(())
    }

    /// The result of a call.
    pub(super) fn returned(
        &mut self,
        result: NativeReturn,
        function: FunctionId,
        windows: &Windows,
    ) -> Flow<Passed> {
        let types = &self.code.program.types;
        let Type::Function(ty) = types.kind(self.code.program.functions[function].ty) else {
            return Ok(Passed::Nothing);
        };
        let Some(scalar) = Scalar::of(types, ty.result) else {
            return Ok(Passed::Nothing);
        };
        let value = match result {
            NativeReturn::Value(NativeValue::Bits(bits)) => {
                Value::concrete(u128::from(bits) & mask(scalar.bits()))
            }
            NativeReturn::Value(NativeValue::Pointer { object, offset }) => {
                let window = windows.0[object];
                self.pointer_into(window.id, window.start.wrapping_add(offset))
            }
            NativeReturn::Library { place, bytes } => {
                let memory = LibraryMemory { place, bytes };
                let id = self.library_memory(function, memory, ty.result)?;
                self.pointer_into(id, 0)
            }
        };
        Ok(Passed::Scalar(value, scalar))
    }

    /// Memory of the library that a pointer of this type leads to. Whether a later result lies
    /// where an earlier one does, and changes it, is known only if both are the same.
    fn library_memory(
        &mut self,
        function: FunctionId,
        memory: LibraryMemory,
        pointer: ir::TypeId,
    ) -> Flow<AllocationId> {
        let types = &self.code.program.types;
        let Type::Pointer {
            pointee, constant, ..
        } = *types.kind(pointer)
        else {
            return Err(self.unsupported("a native call that returns an address as a number"));
        };
        let mut others = self.state.library.iter();
        let meets = |(id, other, _): &&(FunctionId, LibraryMemory, AllocationId)| {
            *id == function || other.place == memory.place
        };
        if let Some((_, other, id)) = others.find(meets) {
            if *other == memory {
                return Ok(*id);
            }
            let name = &self.code.program.functions[function].name;
            let what =
                format!("a further native call of {name}, which may change what it returned");
            return Err(self.unsupported(what));
        }
        let mut blob = filled(memory.bytes.len() as u64, 0, INITIALISED);
        blob.bytes.clone_from(&memory.bytes);
        let size = memory.bytes.len() as u64;
        let id = self
            .state
            .memory
            .allocate(Kind::Local, size, types.align(pointee), 0)
            .map_err(|error| self.out_of_memory(error))?;
        // Others have it from the same function.
        self.expose(Shadow::Pointer(id, None));
        let target = self.pointer_into(id, 0);
        self.write_bytes(target.into(), &blob)?;
        self.state.memory.get_mut(id).constant = constant;
        self.state.library.push((function, memory, id));
        Ok(id)
    }
}

/// A call with something in the bytes that were never written.
fn with_fill(sent: &Sent, fill: u8) -> NativeCall {
    let mut call = sent.call.clone();
    for (object, written) in call.objects.iter_mut().zip(&sent.written) {
        for (byte, written) in object.bytes.iter_mut().zip(written) {
            if !written {
                *byte = fill;
            }
        }
    }
    call
}

/// What was written, by the contents of objects after two calls with different fills.
fn written(sent: &Sent, first: &[Vec<u8>], second: &[Vec<u8>]) -> Vec<Vec<Option<u8>>> {
    let objects = sent.call.objects.iter().zip(&sent.written);
    let pairs = first.iter().zip(second);
    let objects = objects
        .zip(pairs)
        .map(|((object, known), (first, second))| {
            let bytes = object.bytes.iter().zip(known).zip(first.iter().zip(second));
            let bytes = bytes.map(|((&before, &known), (&one, &other))| {
                let is_written = if known { one != before } else { one == other };
                is_written.then_some(one)
            });
            bytes.collect()
        });
    objects.collect()
}
