//! The types of operands and places, worked out from the tables they refer to.
//!
//! Everything here answers `None` for ids that are out of range and for steps that do not fit the
//! type they start from, so that it can be asked about programs that were not verified.

use index_vec::IndexVec;

use crate::{
    Global, GlobalId, Local, LocalDecl, Operand, Place, PlaceBase, Projection, Type, TypeId, Types,
};

/// The tables that the types of a function's operands and places depend on.
#[derive(Clone, Copy, Debug)]
pub struct Typing<'a> {
    /// The program's types.
    pub types: &'a Types,
    /// The program's globals.
    pub globals: &'a IndexVec<GlobalId, Global>,
    /// The function's locals.
    pub locals: &'a IndexVec<Local, LocalDecl>,
}

impl Typing<'_> {
    /// The type of an operand.
    pub fn operand(&self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Copy(local) => self.locals.get(*local).map(|decl| decl.ty),
            Operand::Constant(constant) => Some(constant.ty),
        }
    }

    /// The type of where a place starts.
    pub fn base(&self, base: &PlaceBase) -> Option<TypeId> {
        match base {
            PlaceBase::Local(local) => self.locals.get(*local).map(|decl| decl.ty),
            PlaceBase::Global(global) => self.globals.get(*global).map(|global| global.ty),
            PlaceBase::Deref(pointer) => self.types.pointee(self.operand(pointer)?),
        }
    }

    /// The type of a part, from the type it is a part of.
    pub fn step(&self, from: TypeId, step: &Projection) -> Option<TypeId> {
        match (self.types.get(from)?.kind.clone(), step) {
            (Type::Record(record), Projection::Field(index)) => {
                let fields = &self.types.records.get(record)?.fields;
                fields.get(*index as usize).map(|field| field.ty)
            }
            (Type::Array { element, .. }, Projection::Index(_)) => Some(element),
            _ => None,
        }
    }

    /// The type of a place that its base and projections give.
    pub fn place(&self, place: &Place) -> Option<TypeId> {
        place
            .projections
            .iter()
            .try_fold(self.base(&place.base)?, |ty, step| self.step(ty, step))
    }
}
