//! `__builtin_add_overflow` and its kin: the exact result in a wider type, stored in the narrower
//! one, and a test if it fits there.

use ir::{BinaryOp, IntName, Operand, PlaceBase, Rvalue, SpanId, TypeId};

use super::builder::Typed;
use super::function::FunctionLowering;
use super::unit::int_type;
use crate::ast::Expr;

/// The operation of an overflow-checking builtin, generic or of a fixed type.
pub(super) fn operation(name: &str) -> Option<BinaryOp> {
    let typed = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
    let core = typed.trim_end_matches('l');
    // Of `mul` no letter must be lost.
    let core = if typed.ends_with("mul") || typed.contains("mul") {
        typed
    } else {
        core
    };
    let core = core
        .strip_prefix(['s', 'u'])
        .filter(|rest| ["add", "sub", "mul"].iter().any(|op| rest.starts_with(op)))
        .unwrap_or(core);
    match core.get(..3)? {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    }
}

impl<'a> FunctionLowering<'_, 'a> {
    /// The builtin's result, a truth value; the exact result goes to where the last argument
    /// points.
    pub(super) fn checked_arithmetic(
        &mut self,
        op: BinaryOp,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        let [left, right, target] = arguments else {
            return self.unsupported_value("a checked operation of this form", ty, span);
        };
        let left = self.value_before(left, &[right, target]);
        let right = self.value_before(right, &[target]);
        let target = self.value(target);
        let result = self.types().pointee(self.operand_type(&target));
        let Some((wide, result)) =
            result.and_then(|result| Some((self.wide_type(op, &left, &right, result)?, result)))
        else {
            return self.unsupported_value("checked arithmetic on 128-bit integers", ty, span);
        };
        // Clang stores the lowest bit, and gcc refuses it.
        if self
            .types()
            .int(result)
            .is_some_and(|int| int.name == IntName::Bool)
        {
            return self.unsupported_value(
                "checked arithmetic with a result of type _Bool",
                ty,
                span,
            );
        }
        let left = self.convert(left, wide, span);
        let right = self.convert(right, wide, span);
        let exact = self.operand((Rvalue::Binary(op, left, right), wide), span);
        let narrow = self.convert(exact.clone(), result, span);
        let place = ir::Place {
            base: PlaceBase::Deref(target),
            projections: Vec::new(),
            ty: result,
        };
        self.store(place, narrow.clone(), span);
        self.differs(exact, narrow, wide, ty, span)
    }

    /// Whether a value changes on the way back from the narrower type.
    fn differs(
        &mut self,
        exact: Operand,
        narrow: Operand,
        wide: TypeId,
        ty: TypeId,
        span: SpanId,
    ) -> Typed {
        let back = self.convert(narrow, wide, span);
        let int = self.unit.int;
        let differs = self.operand((Rvalue::Binary(BinaryOp::Ne, exact, back), int), span);
        self.conversion(differs, ty, span)
    }

    /// A type in which the result is exact, and wider than the type that it is stored in.
    fn wide_type(
        &mut self,
        op: BinaryOp,
        left: &Operand,
        right: &Operand,
        result: TypeId,
    ) -> Option<TypeId> {
        let left = self.types().int(self.operand_type(left))?;
        let right = self.types().int(self.operand_type(right))?;
        let result = self.types().int(result)?;
        let widest = left.width.max(right.width).max(result.width);
        // Only a product of two unsigned factors can need all bits.
        let signed = op != BinaryOp::Mul || left.signed || right.signed;
        let kind = match (widest, signed) {
            (..=32, true) => int_type(IntName::LongLong, 64, true),
            (..=32, false) => int_type(IntName::UnsignedLongLong, 64, false),
            (..=64, true) => int_type(IntName::Int128, 128, true),
            (..=64, false) => int_type(IntName::UnsignedInt128, 128, false),
            _ => return None,
        };
        let size = if widest <= 32 { 8 } else { 16 };
        Some(self.unit.program.types.intern(kind, size, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_checked_operations() {
        for (name, expected) in [
            ("__builtin_add_overflow", Some(BinaryOp::Add)),
            ("__builtin_sub_overflow", Some(BinaryOp::Sub)),
            ("__builtin_mul_overflow", Some(BinaryOp::Mul)),
            ("__builtin_sadd_overflow", Some(BinaryOp::Add)),
            ("__builtin_ssub_overflow", Some(BinaryOp::Sub)),
            ("__builtin_usubll_overflow", Some(BinaryOp::Sub)),
            ("__builtin_umull_overflow", Some(BinaryOp::Mul)),
            ("__builtin_smulll_overflow", Some(BinaryOp::Mul)),
            ("__builtin_clz", None),
            ("add_overflow", None),
        ] {
            assert_eq!(operation(name), expected, "{name}");
        }
    }
}
