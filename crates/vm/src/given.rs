//! What functions without a body are given: their arguments, and what these point to, as far as a
//! stub can check it natively.
//!
//! What memory holds is noted when the call is made. Which input a pointer is may be decided only
//! later, so all values are told apart when the execution has ended.

use ir::sharing::is_character;
use ir::test::{Observation, Observed, ObservedPlace};
use ir::{FunctionId, GlobalKind, Type, TypeId};

use crate::code::{Argument, CallCode};
use crate::ids::AllocationId;
use crate::leaves::{Leaf, leaves};
use crate::memory::{INITIALISED, Kind, Life, WRITTEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::value::{Shadow, Value};

/// The most calls of one function whose arguments are noted.
const MOST_CALLS: u32 = 32;
/// The most scalars that are noted of what one argument leads to, beside text.
const MOST_BEHIND: usize = 24;
/// The most characters that are noted of what one pointer leads to.
const MOST_CHARACTERS: u64 = 256;
/// The most pointers on the way from an argument to what is noted.
const DEEPEST: u32 = 2;

/// A scalar that a call was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    place: ObservedPlace,
    value: Value,
    ty: TypeId,
    width: u32,
}

/// The pointer that is followed.
struct Pointer {
    place: ObservedPlace,
    ty: TypeId,
    value: Value,
    depth: u32,
}

impl Run<'_, '_> {
    /// Notes the arguments of a call of a function without a body, the `nth` one of the function.
    pub fn note_arguments(&mut self, (function, nth): (FunctionId, u32), arguments: &[Passed]) {
        if !self.notes_given() || nth >= MOST_CALLS {
            return;
        }
        let types = &self.code.program.types;
        let Type::Function(ty) = types.kind(self.code.program.functions[function].ty) else {
            return;
        };
        let mut found = Vec::new();
        for (index, (argument, &ty)) in arguments.iter().zip(&ty.parameters).enumerate() {
            let place = |offset_bits| ObservedPlace::Argument {
                function,
                nth,
                index: index as u32,
                offset_bits,
            };
            let most = found.len() + MOST_BEHIND;
            match argument {
                Passed::Nothing => {}
                Passed::Scalar(value, scalar) => {
                    // A definition in the old style may be given what is promoted.
                    if u64::from(scalar.width) == types.size(ty) * 8 {
                        let width = if scalar.boolean { 1 } else { scalar.bits() };
                        self.note_scalar(place(0), *value, (ty, width, 0), (&mut found, most));
                    }
                }
                Passed::Object(blob) => {
                    for leaf in leaves(types, ty, (0, types.size(ty) * 8), None) {
                        if found.len() < most
                            && let Some(value) = self.blob_value(blob, leaf)
                        {
                            let of = (leaf.ty, leaf.width, 0);
                            self.note_scalar(place(leaf.offset), value, of, (&mut found, most));
                        }
                    }
                }
            }
        }
        self.state.record.given.append(&mut found);
    }

    /// The same for a function that does not return, whose arguments nothing else looks at.
    pub fn note_last_arguments(&mut self, called: (FunctionId, u32), call: &CallCode) {
        if !self.notes_given() {
            return;
        }
        let arguments = call.arguments.iter().map(|argument| match *argument {
            Argument::Scalar(source, scalar, _) => Passed::Scalar(self.read(source), scalar),
            Argument::Object(..) => Passed::Nothing,
        });
        let arguments: Vec<Passed> = arguments.collect();
        self.note_arguments(called, &arguments);
    }

    fn notes_given(&self) -> bool {
        self.code.config.observe_arguments && self.state.calls.replaced == 0
    }

    /// The observations of what calls were given.
    pub fn observe_given(&mut self) -> Vec<Observation> {
        let given = std::mem::take(&mut self.state.record.given);
        let observed = given.into_iter().filter_map(|given| {
            Some(Observation {
                value: self.observed_argument(&given)?,
                place: given.place,
                ty: given.ty,
                width: given.width,
            })
        });
        observed.collect()
    }

    /// A value as a stub can check it; a pointer into a global is one, be it an input or not.
    fn observed_argument(&self, given: &Given) -> Option<Observed> {
        let value = self.resolved(given.value);
        if let Shadow::Pointer(id, _) = value.shadow
            && let Kind::Global(global) = self.state.memory.get(id).kind
        {
            if !self.is_inside(value, id) {
                return None;
            }
            let kind = self.code.program.globals[global].kind;
            if matches!(kind, GlobalKind::File(_)) {
                let offset = (value.bits as u64).wrapping_sub(self.state.memory.get(id).base);
                return Some(Observed::Global(global, offset as i64));
            }
            return Some(Observed::NotNull);
        }
        match value.shadow {
            Shadow::Pointer(id, _) if !self.is_inside(value, id) => None,
            _ => self.observed(given.value, given.ty, given.width),
        }
    }

    /// Whether a pointer points into its object, or to its end.
    fn is_inside(&self, value: Value, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        let offset = (value.bits as u64).checked_sub(allocation.base);
        offset.is_some_and(|offset| offset <= allocation.size)
    }

    /// A pointer as it is decided, if it is.
    fn resolved(&self, value: Value) -> Value {
        match value.shadow {
            Shadow::Lazy(cell) => self.state.resolved.get(&cell).copied().unwrap_or(value),
            _ => value,
        }
    }

    /// Notes a scalar of a type, a width and at a depth, and what it points to.
    fn note_scalar(
        &self,
        place: ObservedPlace,
        value: Value,
        (ty, width, depth): (TypeId, u32, u32),
        (found, most): (&mut Vec<Given>, usize),
    ) {
        found.push(Given {
            place: place.clone(),
            value,
            ty,
            width,
        });
        let pointer = Pointer {
            place,
            ty,
            value: self.resolved(value),
            depth: depth + 1,
        };
        if depth < DEEPEST {
            self.note_behind(&pointer, (found, most));
        }
    }

    fn note_behind(&self, pointer: &Pointer, (found, most): (&mut Vec<Given>, usize)) {
        let types = &self.code.program.types;
        let (Shadow::Pointer(id, _), Some(element)) =
            (pointer.value.shadow, types.pointee(pointer.ty))
        else {
            return;
        };
        let Some(wanted) = self.is_worth_noting(id) else {
            return;
        };
        let allocation = self.state.memory.get(id);
        let start = (pointer.value.bits as u64).wrapping_sub(allocation.base);
        let Some(room) = allocation.size.checked_sub(start) else {
            return;
        };
        let place = |offset_bits| ObservedPlace::Behind {
            pointer: Box::new(pointer.place.clone()),
            ty: pointer.ty,
            offset_bits,
        };
        if is_character(types, element) || *types.kind(element) == Type::Void {
            let characters = self.characters(id, (start, room), element, wanted);
            found.extend(characters.into_iter().map(|(offset, value)| Given {
                place: place(offset * 8),
                value,
                ty: element,
                width: 8,
            }));
            return;
        }
        let size = types.size(element);
        let elements = match types.record(element) {
            Some(_) => u64::from(size <= room),
            None => room.checked_div(size).unwrap_or(0).min(MOST_BEHIND as u64),
        };
        let parts = leaves(types, element, (0, size * 8), None);
        for (index, leaf) in (0..elements).flat_map(|index| parts.iter().map(move |it| (index, it)))
        {
            if found.len() >= most {
                return;
            }
            let offset = leaf.offset + index * size * 8;
            let here = Leaf {
                offset: offset + start * 8,
                ..*leaf
            };
            if let Some(value) = self.contents(id, here, wanted) {
                let of = (leaf.ty, leaf.width, pointer.depth);
                self.note_scalar(place(offset), value, of, (found, most));
            }
        }
    }

    /// The flag that bytes of an object have which are worth noting: of objects that a test has
    /// itself, only what the program wrote. None if nothing of it is.
    fn is_worth_noting(&self, id: AllocationId) -> Option<u8> {
        let allocation = self.state.memory.get(id);
        let program = self.code.program;
        let wanted = match allocation.kind {
            Kind::Local | Kind::Heap => INITIALISED,
            Kind::Global(global) => match program.globals[global].kind {
                GlobalKind::File(_) => WRITTEN,
                _ => INITIALISED,
            },
            Kind::Pointee => WRITTEN,
            Kind::Function(_) | Kind::Mapped | Kind::Opaque => return None,
        };
        (allocation.life == Life::Live).then_some(wanted)
    }

    /// The characters of text that a pointer points to, its end included; without an end, or where
    /// the pointer has no type, all that is known.
    fn characters(
        &self,
        id: AllocationId,
        (start, room): (u64, u64),
        element: TypeId,
        wanted: u8,
    ) -> Vec<(u64, Value)> {
        let types = &self.code.program.types;
        let is_text = is_character(types, element);
        let at = |offset: u64, wanted: u8| {
            let leaf = Leaf {
                offset: (start + offset) * 8,
                ty: element,
                width: 8,
                storage: 8,
                bit_field: false,
            };
            self.contents(id, leaf, wanted)
        };
        let offsets = 0..room.min(MOST_CHARACTERS);
        let known = offsets.map(|offset| Some((offset, at(offset, INITIALISED)?)));
        if is_text {
            let mut text: Vec<_> = known.map_while(|it| it).collect();
            if let Some(end) = text.iter().position(|(_, value)| value.bits == 0) {
                text.truncate(end + 1);
            }
            let mut offsets = text.iter().map(|(offset, _)| *offset);
            let is_news = offsets.any(|offset| at(offset, wanted).is_some());
            return if is_news { text } else { Vec::new() };
        }
        let known = known.flatten();
        known
            .filter(|(offset, _)| at(*offset, wanted).is_some())
            .collect()
    }
}
