//! Types that are compatible (C17 6.2.7): a pointer to one may lead to what is declared with the
//! other.

use crate::{FloatName, FunctionType, IntName, IntType, Type, TypeId, Types};

impl Types {
    /// Whether two types are compatible. Records are only if they are the same: one that another
    /// unit declares is no other type here.
    pub fn are_compatible(&self, one: TypeId, other: TypeId) -> bool {
        if one == other {
            return true;
        }
        match (self.kind(one), self.kind(other)) {
            // An enumeration is, with the integer type that the compiler gives it (6.7.2.2p4).
            (Type::Enum(_), Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
                self.int(one) == self.int(other)
            }
            (
                Type::Pointer {
                    pointee: a,
                    constant: a_constant,
                    volatile: a_volatile,
                },
                Type::Pointer {
                    pointee: b,
                    constant: b_constant,
                    volatile: b_volatile,
                },
            ) => {
                (a_constant, a_volatile) == (b_constant, b_volatile) && self.are_compatible(*a, *b)
            }
            (
                Type::Array {
                    element: a,
                    length: a_length,
                },
                Type::Array {
                    element: b,
                    length: b_length,
                },
            ) => {
                let is_open = a_length.is_none() || b_length.is_none();
                (is_open || a_length == b_length) && self.are_compatible(*a, *b)
            }
            (Type::Function(a), Type::Function(b)) => self.functions_are_compatible(a, b),
            _ => false,
        }
    }

    /// Whether two types of functions are compatible (6.7.6.3p15), noreturn aside.
    fn functions_are_compatible(&self, a: &FunctionType, b: &FunctionType) -> bool {
        let is_open = |f: &FunctionType| f.variadic && f.parameters.is_empty();
        let mut pairs = a.parameters.iter().zip(&b.parameters);
        let parameters = match (is_open(a), is_open(b)) {
            (true, true) => true,
            (true, false) => self.are_promoted(b),
            (false, true) => self.are_promoted(a),
            (false, false) => {
                a.variadic == b.variadic
                    && a.parameters.len() == b.parameters.len()
                    && pairs.all(|(&x, &y)| self.are_compatible(x, y))
            }
        };
        parameters
            && a.attributes.convention == b.attributes.convention
            && self.are_compatible(a.result, b.result)
    }

    /// Whether a type of functions is compatible with a definition in the old style, whose type
    /// has the parameters as they are inside: a prototype has their types after promotion.
    pub fn is_compatible_with_old_style(&self, ty: TypeId, definition: TypeId) -> bool {
        let (Type::Function(a), Type::Function(b)) = (self.kind(ty), self.kind(definition)) else {
            return false;
        };
        let is_open = a.variadic && a.parameters.is_empty();
        let mut pairs = a.parameters.iter().zip(&b.parameters);
        let is_promoted = |(&x, &y): (&TypeId, &TypeId)| {
            let promoted = match (self.kind(y), self.int(y)) {
                (Type::Float(name), _) if name.is_promoted() => {
                    Some(Type::Float(FloatName::Double))
                }
                (_, Some(int)) if int.width < 32 => Some(Type::Int(IntType {
                    name: IntName::Int,
                    width: 32,
                    signed: true,
                })),
                _ => None,
            };
            promoted.map_or_else(|| self.are_compatible(x, y), |ty| *self.kind(x) == ty)
        };
        let agree =
            a.parameters.len() == b.parameters.len() && !a.variadic && pairs.all(is_promoted);
        (is_open || agree)
            && a.attributes.convention == b.attributes.convention
            && self.are_compatible(a.result, b.result)
    }

    /// Whether the parameters of a function are what default promotions make of arguments.
    fn are_promoted(&self, function: &FunctionType) -> bool {
        let is_narrow = |&ty: &TypeId| match self.kind(ty) {
            Type::Float(name) => name.is_promoted(),
            _ => self.int(ty).is_some_and(|int| int.width < 32),
        };
        !function.variadic && !function.parameters.iter().any(is_narrow)
    }
}
