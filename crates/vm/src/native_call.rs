//! Calls of functions of the host, as data, and who executes them.

use ir::{FunctionId, Program, Type, TypeId};

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
    /// A pointer; where it leads to memory of the library, it points to text up to its null
    /// character.
    Text,
    /// A pointer; where it leads to memory of the library, it points to so many bytes.
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
    /// It accessed memory right after this object.
    Behind(usize),
    /// It accessed memory through NULL.
    Null,
    /// The call could not be made, or ended in some other way: a description of what the function
    /// did.
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
