//! Calls of functions of the host: functions of libraries for which there is no model, called for
//! real on concrete arguments (CUTE, section 3.4).
//!
//! What a call is given, values of inputs included, is fixed on the path: other values are other
//! ways. The memory behind pointers goes along, no more of it than the function looks at: a window
//! that grows where the function comes to its end. This part knows no processes; who executes a
//! [`NativeCall`] is a [`Natives`].

mod environment;
mod left_open;
mod memory;
mod returned;

use ir::test::{Loss, LossKind};
use ir::{DefectKind, FunctionId, Program, Type, TypeId};

use crate::calls::Passed;
use crate::code::CallCode;
use crate::run::{Run, Step};

use self::memory::Windows;
pub(crate) use self::returned::LibraryMemory;

use self::returned::Executed;

/// Executes calls of functions of the host, for all threads that ask.
pub trait Natives: Send + Sync {
    /// Makes a call. The same call always has the same end.
    fn call(&self, call: &NativeCall) -> NativeEnd;
}

/// Nothing can be called.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNatives;

impl Natives for NoNatives {
    fn call(&self, _: &NativeCall) -> NativeEnd {
        NativeEnd::Failed("cannot be called here".to_owned())
    }
}

/// A call of a function on concrete arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeCall {
    /// The function.
    pub function: FunctionId,
    /// Its arguments.
    pub arguments: Vec<NativeValue>,
    /// The memory that they lead to.
    pub objects: Vec<NativeObject>,
    /// What it returns.
    pub result: NativeResult,
}

/// A number or a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeValue {
    /// A number, or NULL, as bits of its type; higher bits are zero.
    Bits(u64),
    /// A pointer into an object of the call.
    Pointer {
        /// Its position.
        object: usize,
        /// Bytes from where it starts.
        offset: u64,
    },
}

/// Memory that a call can access.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeObject {
    /// Its contents.
    pub bytes: Vec<u8>,
    /// The pointers in it, by offset in bytes.
    pub pointers: Vec<(u64, NativeValue)>,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeResult {
    /// Nothing, or a number.
    Number,
    /// A pointer; behind it, where it leads to memory of the library, is text up to its null
    /// character.
    Text,
    /// A pointer; behind it, where it leads to memory of the library, are so many bytes.
    Bytes(u64),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeEnd {
    /// The function returned.
    Returned {
        /// What it returned.
        result: NativeReturn,
        /// What is in the objects of the call now.
        objects: Vec<Vec<u8>>,
        /// What it set `errno` to, if it did.
        error_number: Option<u32>,
    },
    /// It accessed memory right behind this object.
    Behind(usize),
    /// It accessed memory through NULL.
    Null,
    /// The call could not be made, or ended in some other way: what the function did, for people.
    Failed(String),
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeReturn {
    /// A number, or a pointer into an object of the call.
    Value(NativeValue),
    /// A pointer to memory of the library.
    Library {
        /// What tells it from other memory of the library.
        place: u64,
        /// Its contents.
        bytes: Vec<u8>,
    },
}

/// What the function returns, if its calls can be made natively: all that it takes and returns are
/// integers of up to 64 bits and pointers, the one that it returns to something of known size.
pub(crate) fn callable(program: &Program, function: FunctionId) -> Option<NativeResult> {
    let types = &program.types;
    let Type::Function(ty) = types.kind(program.functions[function].ty) else {
        return None;
    };
    let is_plain = |ty: TypeId| {
        let fits = types.int(ty).is_some_and(|int| int.width <= 64);
        fits || matches!(types.kind(ty), Type::Pointer { .. })
    };
    if ty.variadic || !ty.parameters.iter().all(|&ty| is_plain(ty)) {
        return None;
    }
    match types.kind(ty.result) {
        Type::Void => Some(NativeResult::Number),
        Type::Pointer { pointee, .. } => {
            let is_text = types.int(*pointee).is_some_and(|int| int.width == 8);
            let size = types.size(*pointee);
            match is_text {
                true => Some(NativeResult::Text),
                false if types.has_pointers(*pointee) => None,
                false => (size > 0).then_some(NativeResult::Bytes(size)),
            }
        }
        _ => is_plain(ty.result).then_some(NativeResult::Number),
    }
}

/// Whether calls of a function without a body can be made natively.
pub fn can_be_native(program: &Program, function: FunctionId) -> bool {
    callable(program, function).is_some()
}

impl Run<'_, '_> {
    /// Calls a function of the host.
    pub fn native(
        &mut self,
        function: FunctionId,
        result: NativeResult,
        call: &CallCode,
    ) -> Step<Passed> {
        let name = &self.code.program.functions[function].name;
        let known = self.state.record.path.len();
        self.narrow_earlier_results(function);
        let given = self.given_to_native(call)?;
        let number = given.first().and_then(|given| given.number());
        self.note_locale_of(function, number);
        self.note_environment_of(function, &given);
        let mut windows = Windows::around(&given);
        loop {
            let sent = self.sent(function, result, &given, &mut windows)?;
            if self.state.record.path.len() > known {
                self.note_fixed(name);
            }
            match self.executed(&sent) {
                Executed::Returned(done) => {
                    self.write_back(&done.written, &windows)?;
                    self.set_error_number(done.error_number)?;
                    let result = self.returned(done.result, function, &windows)?;
                    self.note_left_open(function, &given, &result);
                    self.note_static_result(function, &result);
                    return Ok(result);
                }
                Executed::Behind(object) => self.widen(&mut windows, object)?,
                Executed::Null => {
                    let message = format!("{name} accesses memory through a null pointer");
                    return Err(self.null_defect(DefectKind::NullDereference, &message, None));
                }
                Executed::Failed(why) => {
                    let what = format!("a native call of {name}, which {why}");
                    return Err(self.unsupported(what));
                }
            }
        }
    }

    /// Notes that a call of a function may return something else another time.
    pub fn note_world(&mut self, function: FunctionId) {
        let name = &self.code.program.functions[function].name;
        let detail = format!("{name} is called for real, and may do something else elsewhere");
        self.lose(LossKind::Concretisation, detail);
    }

    /// Notes, once for each place, that a call has a value of an input for itself.
    fn note_fixed(&mut self, name: &str) {
        let stack = self.frames();
        if self
            .state
            .record
            .imprecision
            .fixed
            .iter()
            .all(|fixed| fixed.stack != stack)
        {
            self.state.record.imprecision.fixed.push(Loss {
                kind: LossKind::Concretisation,
                detail: format!(
                    "{name} is called for real: each value of what it is given is a way of its own"
                ),
                stack,
            });
        }
    }
}
