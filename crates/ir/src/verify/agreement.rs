//! Agreement of types: a value of one type may stand where another is expected.

use crate::{FunctionType, Type, TypeId, Types};

/// Whether values of the two types can be used as one another without a conversion.
pub(super) fn agree(types: &Types, a: TypeId, b: TypeId) -> bool {
    if a == b {
        return true;
    }
    match (types.kind(a), types.kind(b)) {
        (Type::Pointer { pointee: a, .. }, Type::Pointer { pointee: b, .. }) => {
            agree(types, *a, *b)
        }
        (
            Type::Array {
                element: a,
                length: n,
            },
            Type::Array {
                element: b,
                length: m,
            },
        ) => agree(types, *a, *b) && (n == m || n.is_none() || m.is_none()),
        (Type::Enum(_), Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
            types.int(a) == types.int(b)
        }
        (Type::Enum(a), Type::Enum(b)) => {
            let (a, b) = (&types.enums[*a], &types.enums[*b]);
            a.name.is_some() && a.name == b.name
        }
        (Type::Record(a), Type::Record(b)) => {
            let (a, b) = (&types.records[*a], &types.records[*b]);
            a.kind == b.kind && a.name.is_some() && a.name == b.name
        }
        (Type::Function(a), Type::Function(b)) => functions_agree(types, a, b),
        _ => false,
    }
}

fn functions_agree(types: &Types, a: &FunctionType, b: &FunctionType) -> bool {
    let unprototyped = |ty: &FunctionType| ty.variadic && ty.parameters.is_empty();
    let parameters = a.parameters.len() == b.parameters.len()
        && a.variadic == b.variadic
        && (a.parameters.iter().zip(&b.parameters)).all(|(&a, &b)| agree(types, a, b));
    agree(types, a.result, b.result) && (parameters || unprototyped(a) || unprototyped(b))
}
