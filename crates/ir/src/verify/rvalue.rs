//! Assignments and their right sides.

use super::Invariant;
use super::body::BodyChecker;
use super::globals::is_object;
use crate::{BinaryOp, CastKind, IntName, Operand, Place, PlaceBase, Rvalue, Type, TypeId};

impl BodyChecker<'_> {
    pub fn assign(&mut self, place: &Place, rvalue: &Rvalue) {
        self.place(place);
        let value = match rvalue {
            Rvalue::AddressOf(of) => {
                self.address(of, place.ty);
                return;
            }
            Rvalue::Binary(op, left, right) if op.is_comparison() => {
                self.comparison(left, right);
                self.int_result(place.ty);
                return;
            }
            _ => self.value(rvalue),
        };
        if let (Some(value), Some(_)) = (value, self.typing.types.get(place.ty)) {
            self.assigned(value, place.ty);
        }
    }

    /// A value of one type goes to a place of another.
    pub fn assigned(&mut self, value: TypeId, place: TypeId) {
        if !self.agree(value, place) {
            let (value, place) = (self.name(value), self.name(place));
            self.fail(
                Invariant::Assignments,
                format!("{value} is assigned to {place}"),
            );
        }
    }

    fn int_result(&mut self, place: TypeId) {
        let types = self.typing.types;
        if types.get(place).is_none() {
            return;
        }
        if types.int(place).is_none_or(|int| int.name != IntName::Int) {
            let place = self.name(place);
            self.fail(
                Invariant::Assignments,
                format!("a comparison is assigned to {place}"),
            );
        }
    }

    /// The type of a value, if everything that it depends on is good.
    fn value(&mut self, rvalue: &Rvalue) -> Option<TypeId> {
        match rvalue {
            Rvalue::Use(operand) => self.operand(operand),
            Rvalue::Load(place) => {
                self.place(place);
                self.typing.types.get(place.ty).map(|_| place.ty)
            }
            Rvalue::Unary(_, operand) => self.integer(operand),
            Rvalue::Binary(op, left, right) => self.arithmetic(*op, left, right),
            Rvalue::Cast(kind, operand, ty) => self.cast(*kind, operand, *ty),
            Rvalue::PointerOffset { pointer, index, .. } => {
                self.integer(index);
                self.pointer(pointer)
            }
            Rvalue::PointerDifference {
                left, right, ty, ..
            } => {
                self.pointer(left);
                self.pointer(right);
                let int = self.known(*ty)? && self.typing.types.int(*ty).is_some();
                self.demand(int, Invariant::Operators, || {
                    "a difference is no integer".to_owned()
                });
                Some(*ty)
            }
            Rvalue::Zero(ty) => {
                let object = self.known(*ty)? && is_object(self.typing.types, *ty);
                self.demand(object, Invariant::Operators, || {
                    "zero of no object type".to_owned()
                });
                Some(*ty)
            }
            // Their types depend on where they go; `assign` sees to them.
            Rvalue::AddressOf(_) => None,
        }
    }

    /// `Some(true)` for a type that exists.
    fn known(&mut self, ty: TypeId) -> Option<bool> {
        if self.typing.types.get(ty).is_some() {
            return Some(true);
        }
        self.fail(Invariant::Ids, format!("the type {ty} does not exist"));
        None
    }

    /// The address of a place is assigned to a place of a type.
    fn address(&mut self, of: &Place, target: TypeId) {
        let bit_field = self.place(of);
        self.demand(!bit_field, Invariant::Addresses, || {
            "the address of a bit-field".to_owned()
        });
        if let PlaceBase::Local(local) = of.base {
            let said = self
                .body
                .locals
                .get(local)
                .is_none_or(|decl| decl.address_taken);
            self.demand(said, Invariant::Addresses, || {
                format!("the address of {local} is taken, which it does not say")
            });
        }
        let types = self.typing.types;
        if types.get(of.ty).is_none() || types.get(target).is_none() {
            return;
        }
        // An array may give the address of its first element.
        let element = match types.kind(of.ty) {
            Type::Array { element, .. } => Some(*element),
            _ => None,
        };
        let pointee = types.pointee(target);
        let fits = pointee.is_some_and(|pointee| {
            self.agree(pointee, of.ty) || element.is_some_and(|e| self.agree(pointee, e))
        });
        if !fits {
            let (of, target) = (self.name(of.ty), self.name(target));
            self.fail(
                Invariant::Assignments,
                format!("the address of {of} is assigned to {target}"),
            );
        }
    }

    fn comparison(&mut self, left: &Operand, right: &Operand) {
        let (Some(left), Some(right)) = (self.scalar(left), self.scalar(right)) else {
            return;
        };
        let types = self.typing.types;
        let pointers = types.pointee(left).is_some() && types.pointee(right).is_some();
        let integers = types.int(left).is_some() && self.agree(left, right);
        if !pointers && !integers {
            let (left, right) = (self.name(left), self.name(right));
            self.fail(
                Invariant::Operators,
                format!("{left} is compared to {right}"),
            );
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Operand, right: &Operand) -> Option<TypeId> {
        let (left, right) = (self.integer(left), self.integer(right));
        let (left, right) = (left?, right?);
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if !shift && !self.agree(left, right) {
            let (left, right) = (self.name(left), self.name(right));
            self.fail(
                Invariant::Operators,
                format!("{op:?} of {left} and {right}"),
            );
        }
        Some(left)
    }

    fn cast(&mut self, kind: CastKind, operand: &Operand, to: TypeId) -> Option<TypeId> {
        let from = self.scalar(operand);
        self.known(to)?;
        let from = from?;
        let types = self.typing.types;
        let bool = |ty| types.int(ty).is_some_and(|int| int.name == IntName::Bool);
        let int = |ty| types.int(ty).is_some();
        let pointer = |ty| types.pointee(ty).is_some();
        let fits = match kind {
            CastKind::IntToInt => int(from) && int(to) && (bool(from) || !bool(to)),
            CastKind::IntToBool => int(from) && bool(to),
            CastKind::PointerToBool => pointer(from) && bool(to),
            CastKind::PointerToInt => pointer(from) && int(to) && !bool(to),
            CastKind::IntToPointer => int(from) && pointer(to),
            CastKind::PointerToPointer => pointer(from) && pointer(to),
        };
        if !fits {
            let (from, to) = (self.name(from), self.name(to));
            self.fail(
                Invariant::Operators,
                format!("{kind:?} from {from} to {to}"),
            );
        }
        Some(to)
    }
}
