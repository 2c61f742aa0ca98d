//! Lvalues: places, their values, and their addresses.

use ir::{
    Constant, ConstantValue, LocalKind, Operand, Place, PlaceBase, Projection, Rvalue, SpanId,
    Type, TypeId,
};

use super::builder::Typed;
use super::function::FunctionLowering;
use super::lengths::{Within, is_array_in_array};
use super::{OperandOrder, visit};
use crate::ast::{Expr, ExprKind, UnaryOp};

impl<'a> FunctionLowering<'_, 'a> {
    /// Whether the expression is an lvalue that [`Self::place`] finds without making a copy.
    pub(super) fn is_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(_)
            | ExprKind::Variable(_)
            | ExprKind::String(_)
            | ExprKind::Subscript { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Unary {
                op: UnaryOp::Dereference,
                ..
            } => true,
            ExprKind::Member { base, arrow, .. } => *arrow || self.is_place(base),
            ExprKind::Cast { kind, operand, .. } => kind == "NoOp" && self.is_place(operand),
            _ => false,
        }
    }

    /// The place of an lvalue; of another expression, a temporary with its value.
    pub(super) fn place(&mut self, expr: &'a Expr) -> Place {
        let place = self.place_of_kind(expr);
        self.mention(expr);
        place
    }

    fn place_of_kind(&mut self, expr: &'a Expr) -> Place {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        match &expr.kind {
            ExprKind::Local(index) => match self.local(*index) {
                Some(local) => self.local_place(local),
                None => self.no_place("an unknown variable", ty, span),
            },
            ExprKind::Variable(index) | ExprKind::String(index) => {
                self.global_place(*index, ty, span)
            }
            ExprKind::Unary {
                op: UnaryOp::Dereference,
                operand,
            } => {
                let pointer = self.value(operand);
                Place {
                    base: PlaceBase::Deref(pointer),
                    projections: Vec::new(),
                    ty,
                }
            }
            ExprKind::Member {
                base, arrow, field, ..
            } => {
                let base = if *arrow {
                    self.pointed_to(base)
                } else {
                    self.place(base)
                };
                self.member(base, *field, span)
            }
            ExprKind::Subscript { .. } => self.subscript(expr, Within::Element),
            ExprKind::CompoundLiteral { constant, init } => {
                let local = self.new_local(ty, LocalKind::Variable);
                self.locals[local].constant = *constant;
                self.declare_storage(local, span);
                let place = self.local_place(local);
                self.initialize(&place, init);
                place
            }
            ExprKind::Cast { kind, operand, .. } if kind == "NoOp" && self.is_place(operand) => {
                self.place(operand)
            }
            _ => {
                let value = self.rvalue(expr);
                let local = self.temporary(value.1);
                self.assign_local(local, value.0, span);
                self.local_place(local)
            }
        }
    }

    /// The place of an lvalue, safe from what is evaluated between here and its use.
    pub(super) fn place_before(&mut self, expr: &'a Expr, later: &[&'a Expr]) -> Place {
        let span = self.span(expr.span);
        let mut place = self.place(expr);
        if later.iter().any(|later| visit::assigns(later)) {
            if let PlaceBase::Deref(pointer) = place.base {
                place.base = PlaceBase::Deref(self.freeze(pointer, span));
            }
            for projection in &mut place.projections {
                if let Projection::Index(index) = projection {
                    *index = self.freeze(index.clone(), span);
                }
            }
        }
        place
    }

    /// A placeholder for a place that is not supported.
    fn no_place(&mut self, construct: &str, ty: TypeId, span: SpanId) -> Place {
        self.unsupported(construct, span);
        let local = self.temporary(ty);
        self.assign_local(local, Rvalue::Zero(ty), span);
        self.local_place(local)
    }

    fn global_place(&mut self, index: usize, ty: TypeId, span: SpanId) -> Place {
        let Some(global) = self.unit.global(index) else {
            return self.no_place("an unknown object", ty, span);
        };
        if let Some(reason) = self.unit.unknown_value(global) {
            let reason = reason.to_owned();
            self.unsupported(&reason, span);
        }
        Place {
            base: PlaceBase::Global(global),
            projections: Vec::new(),
            ty: self.unit.program.globals[global].ty,
        }
    }

    /// `*base` for `base->field`.
    fn pointed_to(&mut self, base: &'a Expr) -> Place {
        let pointer = self.value(base);
        let pointee = self.types().pointee(self.operand_type(&pointer));
        Place {
            ty: pointee.unwrap_or(self.unit.int),
            base: PlaceBase::Deref(pointer),
            projections: Vec::new(),
        }
    }

    /// A member of the record at a place.
    pub(super) fn member(&mut self, mut base: Place, field: usize, span: SpanId) -> Place {
        let record = self.types().record(base.ty);
        match record.and_then(|record| record.fields.get(field)) {
            Some(found) => {
                base.ty = found.ty;
                base.projections.push(Projection::Field(field as u32));
                base
            }
            None => self.no_place("a member of an object of this type", base.ty, span),
        }
    }

    /// An element of the array at a place.
    pub(super) fn element(&mut self, mut base: Place, mut index: Operand, span: SpanId) -> Place {
        if let Some(place) = self.element_behind(&base, &index, span) {
            return place;
        }
        let kind = self.types().kind(base.ty);
        let is_inner = is_array_in_array(&base, kind);
        match *kind {
            Type::Array { element, .. } => {
                base.ty = element;
                if is_inner && let Some(Projection::Index(first)) = base.projections.pop() {
                    index = self.sum(first, index, span);
                }
                base.projections.push(Projection::Index(index));
                base
            }
            _ => self.no_place("an element of an object of this type", base.ty, span),
        }
    }

    /// `base[index]`.
    fn subscript(&mut self, expr: &'a Expr, within: Within) -> Place {
        let ExprKind::Subscript {
            base,
            index,
            index_first,
        } = &expr.kind
        else {
            return self.place_of_kind(expr);
        };
        let index_first = match self.unit.order {
            OperandOrder::Clang => *index_first,
            OperandOrder::Reversed => !*index_first,
        };
        let early = index_first.then(|| self.value_before(index, &[base]));
        let span = self.span(expr.span);
        if let ExprKind::Cast { kind, operand, .. } = &base.kind
            && kind == "ArrayToPointerDecay"
            && matches!(
                self.types().kind(self.unit.ty(operand.ty)),
                Type::Array { .. }
            )
        {
            let array = self.place(operand);
            let index = early.unwrap_or_else(|| self.value(index));
            return self.variable_element(array, index, (operand.ty, expr.ty, within), span);
        }
        let pointer = self.value_before(base, &[index]);
        let index = early.unwrap_or_else(|| self.value(index));
        let offset = match self.is_variable(expr.ty) {
            true => self.array_offset(pointer, index, expr.ty, false, span),
            false => self.offset(pointer, index, false, span),
        };
        let pointer = self.operand(offset, span);
        Place {
            base: PlaceBase::Deref(pointer),
            projections: Vec::new(),
            ty: self.unit.ty(expr.ty),
        }
    }

    /// What is at a place. A whole variable that lives in a register is an operand already.
    pub(super) fn load(&mut self, place: Place, span: SpanId) -> Typed {
        let ty = place.ty;
        match self.types().kind(ty) {
            Type::Void | Type::Function(_) | Type::Array { length: None, .. } => {
                return (Rvalue::Use(self.int_constant(0)), self.unit.int);
            }
            Type::Unsupported(spelling) => {
                let construct = format!("an object of type `{spelling}`");
                return self.unsupported_value(&construct, ty, span);
            }
            _ => {}
        }
        match place.base {
            PlaceBase::Local(local)
                if place.projections.is_empty() && !self.in_memory.contains(&local.index()) =>
            {
                (Rvalue::Use(Operand::Copy(local)), ty)
            }
            _ => (Rvalue::Load(place), ty),
        }
    }

    /// `&operand`.
    pub(super) fn address_expr(&mut self, operand: &'a Expr, expr: &'a Expr) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        if let ExprKind::Function(index) = operand.kind {
            return self.function_address(index, ty, expr.span);
        }
        let mut place = self.designated(operand);
        if self.is_variable(operand.ty) {
            let zero = self.int_constant(0);
            place = self.element(place, zero, span);
        }
        self.address(place, ty, span)
    }

    /// The place of an lvalue of which only the address is taken: it may lie right behind an array.
    fn designated(&mut self, expr: &'a Expr) -> Place {
        let place = match expr.kind {
            ExprKind::Subscript { .. } => self.subscript(expr, Within::End),
            _ => self.place_of_kind(expr),
        };
        self.mention(expr);
        place
    }

    /// The address of an array's first element.
    pub(super) fn decay(&mut self, operand: &'a Expr, ty: TypeId, span: SpanId) -> Typed {
        let place = self.designated(operand);
        if !matches!(self.types().kind(place.ty), Type::Array { .. }) {
            let spelling = self.types().declare(place.ty, "");
            let construct = format!("an object of type `{spelling}`");
            return self.unsupported_value(&construct, ty, span);
        }
        let zero = self.int_constant(0);
        let first = self.element(place, zero, span);
        self.address(first, ty, span)
    }

    /// The address of a place, as a pointer of the given type.
    fn address(&mut self, place: Place, ty: TypeId, span: SpanId) -> Typed {
        if let PlaceBase::Global(global) = place.base
            && let Some(offset) = self.constant_offset(&place)
        {
            let constant = Constant {
                ty,
                value: ConstantValue::Global { global, offset },
            };
            return (Rvalue::Use(Operand::Constant(constant)), ty);
        }
        match place.base {
            PlaceBase::Deref(pointer) if place.projections.is_empty() => {
                self.conversion(pointer, ty, span)
            }
            _ => (Rvalue::AddressOf(place), ty),
        }
    }

    /// The offset in bytes from the base to a place, where it is a constant.
    fn constant_offset(&self, place: &Place) -> Option<i64> {
        let PlaceBase::Global(global) = place.base else {
            return None;
        };
        let types = self.types();
        let mut ty = self.unit.program.globals[global].ty;
        let mut offset: i64 = 0;
        for step in &place.projections {
            match (step, types.kind(ty)) {
                (Projection::Field(index), Type::Record(_)) => {
                    let field = types.record(ty)?.fields.get(*index as usize)?;
                    offset = offset.checked_add(i64::try_from(field.offset_bits / 8).ok()?)?;
                    ty = field.ty;
                }
                (Projection::Index(Operand::Constant(index)), Type::Array { element, .. }) => {
                    let ConstantValue::Int(bits) = index.value else {
                        return None;
                    };
                    let index = super::types::extend(bits, types.int(index.ty)?);
                    let size = i64::try_from(types.size(*element)).ok()?;
                    let distance = i64::try_from(index).ok()?.checked_mul(size)?;
                    offset = offset.checked_add(distance)?;
                    ty = *element;
                }
                _ => return None,
            }
        }
        Some(offset)
    }
}
