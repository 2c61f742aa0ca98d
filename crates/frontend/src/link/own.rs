//! Functions of the user that have names of the C library's.

use ir::library::is_reserved;
use ir::{FunctionId, Origin, Program, TypeId};

/// The owner of a function that the user's units name and a model defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The C library's.
    Library,
    /// The C library's by its type alone: the units declare it themselves, and C does not reserve
    /// its name.
    Assumed,
    /// The user's: it is defined or declared as another function.
    User,
}

/// The owner of a known function, which a model of a type defines.
pub(super) fn owner(program: &Program, known: FunctionId, model: TypeId) -> Owner {
    let function = &program.functions[known];
    if program.origin(known) == Origin::Model || is_reserved(&function.name) {
        return Owner::Library;
    }
    match (&function.body, program.is_library(known)) {
        (None, true) => Owner::Library,
        (None, false) if function.ty == model => Owner::Assumed,
        _ => Owner::User,
    }
}
