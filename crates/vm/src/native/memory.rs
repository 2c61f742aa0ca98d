//! Which memory a native call is given: windows of the machine's allocations.

use ir::{FunctionId, TypeId};

use crate::code::{Argument, CallCode};
use crate::ids::AllocationId;
use crate::memory::{Blob, INITIALISED, Kind, Life};
use crate::native_call::{NativeCall, NativeObject, NativeResult, NativeValue};
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value};

/// More memory than that goes to no call.
const MOST_OBJECTS: usize = 256;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum NativeArgument {
    Bits(u64),
    /// A place in an allocation, and how many bytes from there on the function surely may access.
    At(AllocationId, u64, u64),
}

impl NativeArgument {
    /// The number that it is.
    pub fn number(&self) -> Option<u64> {
        match self {
            NativeArgument::Bits(bits) => Some(*bits),
            NativeArgument::At(..) => None,
        }
    }
}

/// A part of an allocation.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub id: AllocationId,
    pub start: u64,
    pub end: u64,
}

/// The parts of allocations that a call is given, at most one of each.
#[derive(Clone, Debug, Default)]
pub struct Windows(pub Vec<Window>);

impl Windows {
    pub fn around(arguments: &[NativeArgument]) -> Windows {
        let mut windows = Windows::default();
        for &argument in arguments {
            if let NativeArgument::At(id, offset, size) = argument {
                windows.include(id, offset, offset + size);
            }
        }
        windows
    }

    /// Makes a part of an allocation visible.
    fn include(&mut self, id: AllocationId, start: u64, end: u64) {
        match self.0.iter_mut().find(|window| window.id == id) {
            Some(window) => {
                window.start = window.start.min(start);
                window.end = window.end.max(end);
            }
            None => self.0.push(Window { id, start, end }),
        }
    }

    /// A pointer to a place that is visible.
    fn pointer(&self, id: AllocationId, offset: u64) -> NativeValue {
        let object = self.0.iter().position(|window| window.id == id);
        let object = object.unwrap_or(0);
        NativeValue::Pointer {
            object,
            offset: offset.wrapping_sub(self.0[object].start),
        }
    }
}

/// A call as it is made, and what was never written of the memory that goes along.
#[derive(Clone, Debug)]
pub struct Sent {
    pub call: NativeCall,
    /// For each byte of each object, whether it was written.
    pub written: Vec<Vec<bool>>,
}

/// A pointer in memory: where it is, and where it leads.
type Stored = (u64, AllocationId, u64);

impl Run<'_, '_> {
    /// The arguments of a call, whose values are fixed.
    pub(super) fn given_to_native(&mut self, call: &CallCode) -> Flow<Vec<NativeArgument>> {
        let types = &self.code.program.types;
        let pointees: Vec<Option<TypeId>> = call
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Scalar(_, _, ty) => types.pointee(*ty),
                Argument::Object(..) => None,
            })
            .collect();
        let arguments = self.scalar_arguments(call)?;
        let mut given = Vec::with_capacity(arguments.len());
        for ((value, _), pointee) in arguments.into_iter().zip(pointees) {
            given.push(match value.shadow {
                Shadow::Pointer(..) => {
                    let (id, offset) = self.place_of(value)?;
                    let size = self.surely_visible(id, offset, pointee)?;
                    NativeArgument::At(id, offset, size)
                }
                Shadow::None | Shadow::Term(_) => NativeArgument::Bits(self.fixed(value) as u64),
                _ => return Err(self.unsupported("an address as a number, in a native call")),
            });
        }
        Ok(given)
    }

    /// Where a pointer points, in an object that C code has access to.
    fn place_of(&mut self, value: Value) -> Flow<(AllocationId, u64)> {
        let (id, offset) = self.fixed_address(value.into(), 0)?;
        let allocation = self.state.memory.get(id);
        if matches!(allocation.kind, Kind::Function(_) | Kind::Opaque) {
            let what = "a pointer to a function or a stream, in a native call";
            return Err(self.unsupported(what));
        }
        Ok((id, offset))
    }

    /// How many bytes a function that is given a pointer surely may access: a text, or one element.
    fn surely_visible(
        &mut self,
        id: AllocationId,
        offset: u64,
        pointee: Option<TypeId>,
    ) -> Flow<u64> {
        let room = self.state.memory.get(id).size - offset;
        let types = &self.code.program.types;
        let size = pointee.map_or(0, |pointee| types.size(pointee)).max(1);
        if size > 1 {
            return Ok(size.min(room));
        }
        let allocation = self.state.memory.get(id);
        let whole = allocation.input.as_deref().map(|input| input.element);
        let whole = whole.or(allocation.declaration.ty);
        let has_pointers = whole.is_none_or(|ty| types.has_pointers(ty));
        let mut length = 0;
        while length < room {
            let at = offset + length;
            length += 1;
            if self.is_unwritten(id, at, 1) {
                break;
            }
            let byte = self.load_at(id, at, Scalar::unsigned(8))?;
            // The byte decides whether a pointer after it is looked at.
            if has_pointers && let Some(term) = byte.term() {
                self.concretise(term, byte.bits);
            }
            if byte.bits == 0 {
                break;
            }
        }
        Ok(length)
    }

    /// The call as it is made: memory that pointers in memory lead to becomes visible too.
    pub(super) fn sent(
        &mut self,
        function: FunctionId,
        result: NativeResult,
        arguments: &[NativeArgument],
        windows: &mut Windows,
    ) -> Flow<Sent> {
        let mut stored: Vec<(usize, Stored)> = Vec::new();
        let mut blobs: Vec<(u64, Blob)> = Vec::new();
        while let Some(&window) = windows.0.get(blobs.len()) {
            if blobs.len() == MOST_OBJECTS {
                return Err(self.unsupported("a native call on that many objects"));
            }
            let blob = self.fixed_bytes(window)?;
            for (at, entry) in &blob.entries {
                let bits = blob_bits(&blob, *at, entry.size);
                let shadow = entry.shadow;
                if let Some((id, offset)) = self.stored_pointer(Value { bits, shadow })? {
                    let end = (offset + 1).min(self.state.memory.get(id).size);
                    windows.include(id, offset, end.max(offset));
                    stored.push((blobs.len(), (*at, id, offset)));
                }
            }
            blobs.push((window.start, blob));
        }
        let moved = |(index, (start, blob)): (usize, &(u64, Blob))| {
            let window = windows.0[index];
            window.start != *start || window.end != start + blob.bytes.len() as u64
        };
        if blobs.iter().enumerate().any(moved) {
            // Pointers led to more of what was read already.
            return self.sent(function, result, arguments, windows);
        }
        let arguments = arguments.iter().map(|argument| match *argument {
            NativeArgument::Bits(bits) => NativeValue::Bits(bits),
            NativeArgument::At(id, offset, _) => windows.pointer(id, offset),
        });
        let objects = blobs.iter().enumerate().map(|(index, (_, blob))| {
            let here = stored.iter().filter(|(object, _)| *object == index);
            let pointers = here.map(|&(_, (at, id, offset))| (at, windows.pointer(id, offset)));
            NativeObject {
                bytes: blob.bytes.clone(),
                pointers: pointers.collect(),
            }
        });
        let is_written = |flag: &u8| flag & INITIALISED != 0;
        let written = blobs
            .iter()
            .map(|(_, blob)| blob.flags.iter().map(is_written));
        Ok(Sent {
            call: NativeCall {
                function,
                arguments: arguments.collect(),
                objects: objects.collect(),
                result,
            },
            written: written.map(Iterator::collect).collect(),
        })
    }

    /// The bytes of a window, with what depends on inputs fixed.
    fn fixed_bytes(&mut self, window: Window) -> Flow<Blob> {
        let start = self.pointer_into(window.id, window.start);
        let blob = self.read_stored_bytes(start.into(), window.end - window.start)?;
        for (at, entry) in &blob.entries {
            if let Shadow::Term(term) = entry.shadow {
                self.concretise(term, blob_bits(&blob, *at, entry.size));
            }
        }
        Ok(blob)
    }

    /// Where a pointer in memory leads, if it is one that is not NULL.
    fn stored_pointer(&mut self, value: Value) -> Flow<Option<(AllocationId, u64)>> {
        let value = match value.shadow {
            Shadow::Term(_) | Shadow::None => return Ok(None),
            _ => self.used(value)?,
        };
        match value.shadow {
            Shadow::Pointer(id, _) if self.state.memory.get(id).life == Life::Live => {
                self.place_of(value).map(Some)
            }
            _ if value.bits == 0 => Ok(None),
            _ => Err(self.unsupported("a pointer to no object, in a native call")),
        }
    }

    /// Makes more of an allocation visible, after the window.
    pub(super) fn widen(&mut self, windows: &mut Windows, object: usize) -> Flow<()> {
        let Some(window) = windows.0.get_mut(object) else {
            return Err(self.unsupported("a native call that accesses other memory"));
        };
        let allocation = self.state.memory.get(window.id);
        if window.end < allocation.size {
            let input = allocation.input.as_deref().filter(|input| input.growable);
            let types = &self.code.program.types;
            let by = match input {
                Some(input) => types.size(input.element).max(1),
                None => (window.end - window.start).max(1),
            };
            window.end = (window.end + by).min(allocation.size);
            return Ok(());
        }
        // There is no more memory: an access there is a defect or hits a bound.
        let end = self.pointer_into(window.id, window.end);
        self.fixed_address(end.into(), 1)?;
        Err(self.unsupported("a native call that accesses other memory"))
    }
}

/// The number in bytes of a copy.
fn blob_bits(blob: &Blob, at: u64, size: u64) -> u128 {
    let (at, end) = (at as usize, (at + size) as usize);
    crate::memory::read_bits(&blob.bytes[at..end])
}
