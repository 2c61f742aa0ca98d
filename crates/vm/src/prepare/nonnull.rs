//! What declarations of functions of the user demand of arguments and promise of results.

use ir::{FunctionId, Nonnull, Origin, Program, Type};

/// Whether a function of the user with a body is declared with a parameter that is never NULL.
/// Models check what they are given themselves.
pub(super) fn demands_nonnull(program: &Program, function: FunctionId) -> bool {
    let is_user = program.origin(function) == Origin::User;
    let mut parameters = program.functions[function].parameters.iter();
    is_user && parameters.any(|parameter| parameter.nonnull == Nonnull::Demanded)
}

/// Whether a function of the user with a body is declared never to return NULL.
pub(super) fn promises_nonnull(program: &Program, function: FunctionId) -> bool {
    let data = &program.functions[function];
    let returns_pointer = match program.types.kind(data.ty) {
        Type::Function(ty) => program.types.pointee(ty.result).is_some(),
        _ => false,
    };
    program.origin(function) == Origin::User
        && data.result_nonnull == Nonnull::Demanded
        && returns_pointer
}
