//! Sequences of calls: a driver that calls functions in turn, on one object that they share.
//!
//! Which call comes next, and all arguments but the shared object, are inputs of the driver's
//! execution. This module describes the driver, so that a test can be written as the calls that it
//! makes.

use crate::{FunctionId, GlobalId, Type, TypeId, Types};

/// The description of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The notation of the user.
    pub notation: String,
    /// The driver, a function without parameters.
    pub driver: FunctionId,
    /// The object that the calls share, if there is one.
    pub shared: Option<Shared>,
    /// The shared object, if it is a variable of the driver.
    pub variable: Option<GlobalId>,
    /// The states between calls; the first one is the start.
    pub states: Vec<State>,
}

/// The object that the calls of a sequence share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Its name in messages.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The number of objects, one after the other: the greatest length of an array that a parameter
    /// of a call is declared as.
    pub length: u64,
    /// The type of a pointer to it.
    pub pointer: TypeId,
    /// Its origin.
    pub origin: SharedOrigin,
}

impl Shared {
    /// The type of all of them together.
    pub fn array(&self) -> Type {
        Type::Array {
            element: self.ty,
            length: Some(self.length),
        }
    }
}

/// The origin of a shared object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedOrigin {
    /// It is a variable, all zeros at first.
    Variable,
    /// The first call returns a pointer to it; if it returns NULL, nothing more is called.
    Result,
    /// It is behind a pointer, an array that is an input of this name.
    Input,
}

/// The calls that can come next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The calls.
    pub calls: Vec<Call>,
    /// Whether the sequence may end here.
    pub may_end: bool,
}

/// A call of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The called function.
    pub function: FunctionId,
    /// A function with the same parameters that must return true first.
    pub precondition: Option<FunctionId>,
    /// Whether its result becomes the pointer to the shared object.
    pub adopts: bool,
    /// The state after it.
    pub next: usize,
}

impl State {
    /// The number of choices: the calls, and the end where it is one. Where there are several, an
    /// input decides: each value takes the choice of that number, all values beyond it the last.
    pub fn choices(&self) -> usize {
        self.calls.len() + usize::from(self.may_end)
    }

    /// The choice that a value makes.
    pub fn choice(&self, value: u128) -> usize {
        let last = self.choices().saturating_sub(1);
        usize::try_from(value).map_or(last, |value| value.min(last))
    }
}

/// The name of the input that says which call comes next.
pub const CHOICE: &str = "sequence: next call";

/// The name of the variable that is the shared object.
pub const SHARED_OBJECT: &str = "the object that the calls share";

/// The name of the input that is an argument of a function.
pub fn argument(function: &str, parameter: &str) -> String {
    format!("{function}({parameter})")
}

/// The kind of argument for a parameter in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A pointer to the shared object.
    Shared,
    /// A pointer to the pointer to the shared object.
    SharedPointer,
    /// An input.
    Input,
}

impl Sequence {
    /// The kind of argument for a parameter of this type.
    pub fn role(&self, types: &Types, parameter: TypeId) -> Role {
        let Some(shared) = &self.shared else {
            return Role::Input;
        };
        let pointee = types.pointee(parameter);
        if pointee == Some(shared.ty) {
            return Role::Shared;
        }
        let behind = pointee.and_then(|pointee| types.pointee(pointee));
        match behind == Some(shared.ty) && shared.origin == SharedOrigin::Result {
            true => Role::SharedPointer,
            false => Role::Input,
        }
    }
}
