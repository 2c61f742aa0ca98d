//! Assignments: plain, compound, `++` and `--`.

use ir::{IntName, Operand, Place, Rvalue, SpanId, StatementKind, Type, TypeId};

use super::function::FunctionLowering;
use super::unit::int_type;
use super::{OperandOrder, visit};
use crate::ast::{BinaryOp, Expr, ExprKind};

impl<'a> FunctionLowering<'_, 'a> {
    /// `left = right`, as clang does: of scalars the right side first, of records the left one.
    /// Gives the place, from which the value of the assignment can be read.
    pub(super) fn assignment(&mut self, left: &'a Expr, right: &'a Expr, span: usize) -> Place {
        let span = self.span(span);
        if let ExprKind::Local(index) = left.kind
            && let Some(local) = self.local(index)
        {
            let place = self.local_place(local);
            let value = self.rvalue(right);
            self.write(place.clone(), value, span);
            return place;
        }
        let ty = self.unit.ty(left.ty);
        let left_first = match self.unit.order {
            OperandOrder::Clang => self.types().record(ty).is_some(),
            OperandOrder::Reversed => self.types().record(ty).is_none(),
        };
        if left_first {
            let place = self.place_before(left, &[right]);
            let value = self.rvalue(right);
            self.write(place.clone(), value, span);
            return place;
        }
        let value = self.rvalue(right);
        let mut value = self.operand(value, span);
        if visit::assigns(left) {
            value = self.freeze(value, span);
        }
        let place = self.place(left);
        self.store(place.clone(), value, span);
        place
    }

    /// Writes a value to a place: in one statement where that makes at most one access of memory.
    pub(super) fn write(&mut self, place: Place, value: (Rvalue, TypeId), span: SpanId) {
        let whole_local =
            matches!(place.base, ir::PlaceBase::Local(_)) && place.projections.is_empty();
        let aggregate = !self.types().is_scalar(place.ty);
        let direct = match &value.0 {
            Rvalue::Use(_) => true,
            Rvalue::Load(_) => aggregate || whole_local,
            _ => whole_local,
        };
        if value.1 == place.ty && direct {
            self.emit(StatementKind::Assign(place, value.0), span);
        } else {
            let value = self.operand(value, span);
            self.store(place, value, span);
        }
    }

    /// `left op= right`. Gives the place, or nothing where the operation is not supported.
    pub(super) fn compound_assignment(&mut self, expr: &'a Expr) -> Option<Place> {
        let ExprKind::CompoundAssign {
            op,
            left,
            right,
            computation_left,
            computation_result,
        } = &expr.kind
        else {
            return None;
        };
        let span = self.span(expr.span);
        let computation = self.unit.ty(*computation_left);
        let result = self.unit.ty(*computation_result);
        let (place, old, amount) = match self.unit.order {
            OperandOrder::Clang => {
                let amount = self.value_before(right, &[left]);
                let place = self.place(left);
                let old = self.load(place.clone(), span);
                (place, self.operand(old, span), amount)
            }
            OperandOrder::Reversed => {
                let place = self.place_before(left, &[right]);
                let old = self.load(place.clone(), span);
                let old = self.operand(old, span);
                let old = self.freeze(old, span);
                (place, old, self.value(right))
            }
        };
        let old = self.convert(old, computation, span);
        let amount = self.stepped_by(left.ty, amount, span);
        let value = self.operation(*op, old, amount, result, expr.span);
        self.note_operation(&value.0, [expr.span, left.span, right.span], true);
        if value.1 == place.ty {
            self.write(place.clone(), value, span);
        } else {
            let value = self.operand(value, span);
            self.store(place.clone(), value, span);
        }
        Some(place)
    }

    /// `++` or `--` of an lvalue before its value is used, or without a use. Gives the place.
    pub(super) fn step(&mut self, operand: &'a Expr, op: BinaryOp, span: usize) -> Place {
        let span_id = self.span(span);
        let place = self.place(operand);
        let old = self.load(place.clone(), span_id);
        let old = self.operand(old, span_id);
        self.write_stepped(&place, old, op, (operand, span));
        place
    }

    /// `++` or `--` of an lvalue after its value is used. Gives that value.
    pub(super) fn step_after(&mut self, operand: &'a Expr, op: BinaryOp, span: usize) -> Operand {
        let span_id = self.span(span);
        let place = self.place(operand);
        let old = self.load(place.clone(), span_id);
        let old = self.operand(old, span_id);
        let old = self.freeze(old, span_id);
        self.write_stepped(&place, old.clone(), op, (operand, span));
        old
    }

    /// Writes the value plus or minus one to a place, computed in the promoted type.
    fn write_stepped(
        &mut self,
        place: &Place,
        old: Operand,
        op: BinaryOp,
        (stepped, span): (&Expr, usize),
    ) {
        self.operations.forget();
        let span_id = self.span(span);
        let ty = self.stepping_type(place.ty);
        let wide = self.convert(old, ty, span_id);
        let one = match self.types().kind(ty) {
            Type::Pointer { .. } => {
                let one = self.int_constant(1);
                self.stepped_by(stepped.ty, one, span_id)
            }
            Type::Int(_) => self.constant(ty, 1),
            // The operation says what is not supported.
            _ => wide.clone(),
        };
        let value = self.operation(op, wide, one, ty, span);
        self.write(place.clone(), value, span_id);
    }

    /// The type that `++` computes in: the promoted one.
    fn stepping_type(&mut self, ty: TypeId) -> TypeId {
        let Some(int) = self.types().int(ty) else {
            return ty;
        };
        if int.width < 32 || int.name == IntName::Bool {
            return self.unit.int;
        }
        let size = u64::from(int.width / 8);
        let kind = int_type(int.name, int.width, int.signed);
        self.unit.program.types.intern(kind, size, size)
    }
}
