//! Values of bit-fields that gcc converts to `int` where clang keeps their declared types: what a
//! postfix `++` or `--` yields, and a statement expression. C17 6.3.1.1p2 speaks of bit-fields, not
//! of such values.

use ir::Type;

use super::function::FunctionLowering;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

impl FunctionLowering<'_, '_> {
    /// Records that the unit uses such a value, if the expression gives one.
    pub(super) fn note_hidden_bit_field(&mut self, expr: &Expr) {
        if self.is_of_wide_bit_field(expr) {
            self.note_clang_value();
        }
    }

    /// Records that the unit uses a value that gcc gives otherwise.
    pub(super) fn note_clang_value(&mut self) {
        for unit in &mut self.unit.program.units {
            unit.clang_values = true;
        }
    }

    /// Whether an expression is a bit-field, or an assignment to one, whose declared type is not
    /// converted to `int`.
    fn is_of_wide_bit_field(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Member { record, field, .. } => {
                let record = self.unit.ast.records.get(*record);
                let field = record.and_then(|record| record.fields.get(*field));
                field.is_some_and(|field| {
                    let kind = self.types().kind(self.unit.ty(field.ty));
                    let is_wide = |int: &ir::IntType| int.width > 32 || !int.signed;
                    let is_of_int =
                        matches!(kind, Type::Int(int) if int.width >= 32 && is_wide(int));
                    field.bit_width.is_some() && (is_of_int || matches!(kind, Type::Enum(_)))
                })
            }
            ExprKind::Cast { kind, operand, .. }
                if matches!(&**kind, "LValueToRValue" | "NoOp") =>
            {
                self.is_of_wide_bit_field(operand)
            }
            ExprKind::Binary {
                op: BinaryOp::Assign,
                left,
                ..
            }
            | ExprKind::CompoundAssign { left, .. } => self.is_of_wide_bit_field(left),
            ExprKind::Binary {
                op: BinaryOp::Comma,
                right,
                ..
            } => self.is_of_wide_bit_field(right),
            ExprKind::Unary {
                op:
                    UnaryOp::PreIncrement
                    | UnaryOp::PreDecrement
                    | UnaryOp::PostIncrement
                    | UnaryOp::PostDecrement,
                operand,
            } => self.is_of_wide_bit_field(operand),
            _ => false,
        }
    }
}
