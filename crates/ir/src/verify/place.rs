//! Operands and places.

use super::Invariant;
use super::body::BodyChecker;
use super::globals::{is_object, target_exists};
use crate::{
    Constant, ConstantValue, IntName, Operand, Place, PlaceBase, Projection, Type, TypeId,
};

impl BodyChecker<'_> {
    /// The type of an operand, if it has a good one.
    pub fn operand(&mut self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Copy(local) => self.local(*local),
            Operand::Constant(constant) => self.constant(constant),
        }
    }

    /// The type of an operand that has to be a scalar.
    pub fn scalar(&mut self, operand: &Operand) -> Option<TypeId> {
        let ty = self.operand(operand)?;
        if self.typing.types.is_scalar(ty) {
            return Some(ty);
        }
        self.fail(
            Invariant::Scalars,
            format!("an operand of type {}", self.name(ty)),
        );
        None
    }

    /// The type of an operand that has to be an integer.
    pub fn integer(&mut self, operand: &Operand) -> Option<TypeId> {
        let ty = self.scalar(operand)?;
        if self.typing.types.int(ty).is_some() {
            return Some(ty);
        }
        self.fail(
            Invariant::Operators,
            format!("{} where an integer is needed", self.name(ty)),
        );
        None
    }

    /// The type of an operand that has to be a pointer.
    pub fn pointer(&mut self, operand: &Operand) -> Option<TypeId> {
        let ty = self.scalar(operand)?;
        if self.typing.types.pointee(ty).is_some() {
            return Some(ty);
        }
        self.fail(
            Invariant::Operators,
            format!("{} where a pointer is needed", self.name(ty)),
        );
        None
    }

    fn constant(&mut self, constant: &Constant) -> Option<TypeId> {
        let types = self.typing.types;
        let Some(info) = types.get(constant.ty) else {
            self.fail(
                Invariant::Ids,
                format!("the type {} does not exist", constant.ty),
            );
            return None;
        };
        let pointer = matches!(info.kind, Type::Pointer { .. });
        let fits = match &constant.value {
            ConstantValue::Int(bits) => {
                let width = match types.int(constant.ty) {
                    Some(int) if int.name == IntName::Bool => Some(1),
                    Some(int) => Some(int.width),
                    None => pointer.then_some(self.program.target.pointer_width),
                };
                width.is_some_and(|width| width >= 128 || bits >> width == 0)
            }
            ConstantValue::Float(_) => matches!(info.kind, Type::Float(_)),
            ConstantValue::Global { .. } | ConstantValue::Function(_) => pointer,
        };
        let exists = target_exists(self.program, &constant.value);
        self.demand(exists, Invariant::Ids, || {
            "a constant points to what does not exist".to_owned()
        });
        if !fits {
            let name = self.name(constant.ty);
            self.fail(
                Invariant::Constants,
                format!("{:?} is no {name}", constant.value),
            );
        }
        Some(constant.ty)
    }

    /// Checks a place. Returns whether it is a bit-field.
    pub fn place(&mut self, place: &Place) -> bool {
        if self.typing.types.get(place.ty).is_none() {
            self.fail(
                Invariant::Ids,
                format!("the type {} does not exist", place.ty),
            );
            return false;
        }
        let object = is_object(self.typing.types, place.ty);
        self.demand(object, Invariant::Places, || {
            "a place of no object type".to_owned()
        });
        let Some(mut ty) = self.base(&place.base) else {
            return false;
        };
        let mut bit_field = false;
        for step in &place.projections {
            self.demand(!bit_field, Invariant::Places, || {
                "a step after a bit-field".to_owned()
            });
            let Some(part) = self.typing.step(ty, step) else {
                let message = format!("{step:?} of {}", self.name(ty));
                self.fail(Invariant::Places, message);
                return false;
            };
            bit_field = self.step(ty, step);
            ty = part;
        }
        let through_cast =
            matches!(place.base, PlaceBase::Deref(_)) && place.projections.is_empty();
        if !through_cast && !self.agree(ty, place.ty) {
            let (is, says) = (self.name(ty), self.name(place.ty));
            self.fail(
                Invariant::Places,
                format!("a place of type {is} says {says}"),
            );
        }
        bit_field
    }

    /// The type of the start of a place.
    fn base(&mut self, base: &PlaceBase) -> Option<TypeId> {
        match base {
            PlaceBase::Local(local) => self.local(*local),
            PlaceBase::Global(global) => {
                let exists = global.index() < self.program.globals.len();
                self.demand(exists, Invariant::Ids, || {
                    format!("{global} does not exist")
                });
                self.typing.base(base)
            }
            PlaceBase::Deref(pointer) => {
                let ty = self.scalar(pointer)?;
                let pointee = self.typing.types.pointee(ty);
                if pointee.is_none() {
                    self.fail(
                        Invariant::Places,
                        format!("{} is dereferenced", self.name(ty)),
                    );
                }
                pointee
            }
        }
    }

    /// Checks a step from a type that has it. Returns whether it leads to a bit-field.
    fn step(&mut self, ty: TypeId, step: &Projection) -> bool {
        match step {
            Projection::Index(index) => {
                self.integer(index);
                false
            }
            Projection::Field(index) => {
                let record = self.typing.types.record(ty);
                let field = record.and_then(|record| record.fields.get(*index as usize));
                field.is_some_and(|field| field.bit_width.is_some())
            }
        }
    }
}
