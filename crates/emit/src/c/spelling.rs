//! Types as C text where a declaration must be compatible with the unit's own.

use super::records::is_foreign;
use ir::path;
use ir::{FunctionType, Type, TypeId, Types};

/// Declares with the type; what attest knows by its spelling alone is declared by that, and a
/// pointer to what has no name as one to `void`.
pub fn declare(types: &Types, ty: TypeId, declarator: &str) -> Option<String> {
    match types.kind(ty) {
        Type::Unsupported(spelling) => Some(format!("{} {declarator}", by_spelling(spelling))),
        _ => path::declare(types, ty, declarator),
    }
}

/// A type by its spelling; that of `nullptr` has a name in a header only.
fn by_spelling(spelling: &str) -> String {
    match spelling.ends_with("nullptr_t") {
        true => "__typeof__(nullptr)".to_owned(),
        false => format!("__typeof__({spelling})"),
    }
}

/// Whether [`declare`] makes declarations of this very type.
fn is_exact(types: &Types, ty: TypeId) -> bool {
    let is_spelled = matches!(types.kind(ty), Type::Unsupported(_));
    is_spelled || path::nameable(types, ty) && !is_foreign(types, ty)
}

/// Whether a function can be declared as the unit does.
pub fn is_exact_function(types: &Types, function: &FunctionType) -> bool {
    let mut all = function.parameters.iter().chain([&function.result]);
    all.all(|&ty| is_exact(types, ty))
}

/// Declares with the type that a function of this name returns: a record without a name is what a
/// call of it gives.
pub fn declare_result(
    types: &Types,
    name: &str,
    function: &FunctionType,
    declarator: &str,
) -> Option<String> {
    let by_name = declare(types, function.result, declarator);
    by_name.or_else(|| {
        let arguments = function.parameters.iter().map(|&ty| argument(types, ty));
        let arguments = arguments.collect::<Option<Vec<_>>>()?.join(", ");
        let is_complete = types.record(function.result)?.complete;
        is_complete.then(|| format!("__typeof__({name}({arguments})) {declarator}"))
    })
}

/// An argument for a call that is never made.
fn argument(types: &Types, ty: TypeId) -> Option<String> {
    match types.kind(ty) {
        Type::Pointer { .. } => Some("(void *)0".to_owned()),
        _ => Some(format!("*({})0", declare(types, ty, "*")?)),
    }
}
