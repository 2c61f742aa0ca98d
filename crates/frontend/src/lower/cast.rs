//! Conversions, explicit ones and those that C inserts.

use ir::{CastKind, Constant, ConstantValue, IntName, Operand, Rvalue, SpanId, Type, TypeId};

use super::builder::Typed;
use super::function::FunctionLowering;
use super::types::extend;
use crate::ast::{Expr, ExprKind};

impl<'a> FunctionLowering<'_, 'a> {
    /// A cast by clang's name for its kind.
    pub(super) fn cast_expr(&mut self, kind: &str, operand: &'a Expr, expr: &'a Expr) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        match kind {
            "LValueToRValue" if self.is_place(operand) => {
                let place = self.place(operand);
                self.load(place, span)
            }
            "LValueToRValue" => self.rvalue(operand),
            "ArrayToPointerDecay" => self.decay(operand, ty, span),
            "FunctionToPointerDecay" | "BuiltinFnToFnPtr" => {
                self.function_designator(operand, ty, span)
            }
            "NullToPointer" => {
                self.effect(operand);
                (Rvalue::Use(self.constant(ty, 0)), ty)
            }
            "ToVoid" => {
                self.effect(operand);
                (Rvalue::Use(self.int_constant(0)), self.unit.int)
            }
            "NoOp"
            | "BitCast"
            | "IntegralCast"
            | "IntegralToBoolean"
            | "IntegralToPointer"
            | "PointerToIntegral"
            | "PointerToBoolean"
            | "BooleanToSignedIntegral" => {
                let value = self.value(operand);
                self.conversion(value, ty, span)
            }
            "FloatingCast" | "IntegralToFloating" | "FloatingToIntegral" | "FloatingToBoolean" => {
                self.effect(operand);
                self.unsupported_value("a floating-point conversion", ty, span)
            }
            "ToUnion" => {
                self.effect(operand);
                self.unsupported_value("a cast to a union", ty, span)
            }
            _ => {
                self.effect(operand);
                self.unsupported_value(&format!("a conversion ({kind})"), ty, span)
            }
        }
    }

    /// A value converted to a type, where it has not got it already.
    pub(super) fn convert(&mut self, value: Operand, to: TypeId, span: SpanId) -> Operand {
        let converted = self.conversion(value, to, span);
        self.operand(converted, span)
    }

    /// The conversion of a value to a type, by the types alone. Constants are converted at once.
    pub(super) fn conversion(&mut self, value: Operand, to: TypeId, span: SpanId) -> Typed {
        let from = self.operand_type(&value);
        if from == to {
            return (Rvalue::Use(value), to);
        }
        let Some(kind) = self.cast_kind(from, to) else {
            let types = self.types();
            let (from, target) = (types.declare(from, ""), types.declare(to, ""));
            let construct = format!("a conversion from `{from}` to `{target}`");
            return self.unsupported_value(&construct, to, span);
        };
        // Gcc extends the sign of a pointer, clang extends it by zeros.
        if kind == CastKind::PointerToInt && self.types().size(to) > self.types().size(from) {
            self.note_clang_value();
        }
        match self.folded_cast(kind, &value, from, to) {
            Some(constant) => (Rvalue::Use(constant), to),
            None => (Rvalue::Cast(kind, value, to), to),
        }
    }

    fn cast_kind(&self, from: TypeId, to: TypeId) -> Option<CastKind> {
        let types = self.types();
        let is_bool = |ty| types.int(ty).is_some_and(|int| int.name == IntName::Bool);
        Some(match (types.kind(from), types.kind(to)) {
            // Clang 19 cuts numbers off here, where C23 has them tested for 0.
            (_, Type::Enum(_)) if is_bool(to) && !is_bool(from) => return None,
            (Type::Int(_) | Type::Enum(_), Type::Int(int)) if int.name == IntName::Bool => {
                CastKind::IntToBool
            }
            (Type::Int(_) | Type::Enum(_), Type::Int(_) | Type::Enum(_)) => CastKind::IntToInt,
            (Type::Pointer { .. }, Type::Int(int)) if int.name == IntName::Bool => {
                CastKind::PointerToBool
            }
            (Type::Pointer { .. }, Type::Int(_) | Type::Enum(_)) => CastKind::PointerToInt,
            (Type::Int(_) | Type::Enum(_), Type::Pointer { .. }) => CastKind::IntToPointer,
            (Type::Pointer { .. }, Type::Pointer { .. }) => CastKind::PointerToPointer,
            _ => return None,
        })
    }

    fn folded_cast(
        &self,
        kind: CastKind,
        value: &Operand,
        from: TypeId,
        to: TypeId,
    ) -> Option<Operand> {
        let Operand::Constant(Constant { value, .. }) = value else {
            return None;
        };
        match (kind, value) {
            (CastKind::IntToInt | CastKind::IntToPointer, ConstantValue::Int(bits)) => {
                let value = extend(*bits, self.types().int(from)?);
                Some(self.constant(to, value as u128))
            }
            (CastKind::IntToBool | CastKind::PointerToBool, ConstantValue::Int(bits)) => {
                Some(self.constant(to, u128::from(*bits != 0)))
            }
            (CastKind::PointerToInt, ConstantValue::Int(0)) => Some(self.constant(to, 0)),
            (CastKind::PointerToPointer, ConstantValue::Int(_) | ConstantValue::Global { .. }) => {
                Some(Operand::Constant(Constant {
                    ty: to,
                    value: value.clone(),
                }))
            }
            _ => None,
        }
    }

    /// A function where its address is wanted: a name, or `*pointer`.
    fn function_designator(&mut self, operand: &'a Expr, ty: TypeId, span: SpanId) -> Typed {
        match &operand.kind {
            ExprKind::Function(index) => self.function_address(*index, ty, operand.span),
            ExprKind::Unary {
                op: crate::ast::UnaryOp::Dereference,
                operand: pointer,
            } => {
                let value = self.value(pointer);
                self.conversion(value, ty, span)
            }
            _ => {
                let value = self.value(operand);
                self.conversion(value, ty, span)
            }
        }
    }

    /// The address of a function by clang's index.
    pub(super) fn function_address(&mut self, index: usize, ty: TypeId, span: usize) -> Typed {
        let span = self.span(span);
        let ty = match self.types().kind(ty) {
            // Where the name stands bare, its type is the function's own.
            Type::Function(_) => {
                let size = u64::from(self.unit.program.target.pointer_width / 8);
                let pointer = Type::Pointer {
                    pointee: ty,
                    constant: false,
                    volatile: false,
                };
                self.unit.program.types.intern(pointer, size, size)
            }
            _ => ty,
        };
        match self.unit.function(index) {
            Some(function) => {
                let constant = Constant {
                    ty,
                    value: ConstantValue::Function(function),
                };
                (Rvalue::Use(Operand::Constant(constant)), ty)
            }
            None => self.unsupported_value("an unknown function", ty, span),
        }
    }
}
