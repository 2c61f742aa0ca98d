//! Statements: an operation into a slot, and a store where the slot is not its place.

use ir::{BinaryOp, Operand, Place, PlaceBase, Rvalue, StatementKind};

use crate::code::*;
use crate::prepare::renewed::is_renewed;
use crate::prepare::{Preparer, Result, Unprepared, push};
use crate::value::{Scalar, Value};

impl Preparer<'_, '_> {
    pub(super) fn statement(&mut self, kind: &StatementKind) -> Result<()> {
        match kind {
            StatementKind::StorageLive(local) => match self.register(*local) {
                Some(_) if is_renewed(self.body, &self.flow, *local, self.site.block) => {
                    self.emit(Op::RenewRegister { slot: local.raw() });
                }
                Some(_) => self.emit(Op::Forget { slot: local.raw() }),
                None => self.emit(Op::Renew { slot: local.raw() }),
            },
            StatementKind::StorageLiveArray(local, length) => {
                let array = self.array(*local, self.operand_type(length))?;
                let array = push(&mut self.out.tables.arrays, array);
                let length = self.source(length)?;
                self.emit(Op::LiveArray { array, length });
            }
            StatementKind::StorageDead(local) => {
                if self.register(*local).is_none() {
                    self.emit(Op::Dead { slot: local.raw() });
                }
            }
            StatementKind::Assign(place, value) => return self.assign(place, value),
        }
        Ok(())
    }

    pub(super) fn assign(&mut self, place: &Place, value: &Rvalue) -> Result<()> {
        if !self.types.is_scalar(place.ty) {
            return self.assign_object(place, value);
        }
        if let Some(slot) = self.register_of(place) {
            return self.compute(slot, value);
        }
        if let Rvalue::Use(operand) = value {
            let from = self.source(operand)?;
            let place = self.place(place)?;
            self.emit(Op::Store { place, from });
            return Ok(());
        }
        let scratch = self.scratch();
        self.compute(scratch, value)?;
        let place = self.place(place)?;
        let from = Source::slot(scratch);
        self.emit(Op::Store { place, from });
        Ok(())
    }

    pub(super) fn register_of(&self, place: &Place) -> Option<Slot> {
        match place.base {
            PlaceBase::Local(local) if place.projections.is_empty() => {
                self.register(local).map(|_| local.raw())
            }
            _ => None,
        }
    }

    pub(super) fn assign_object(&mut self, place: &Place, value: &Rvalue) -> Result<()> {
        let to = self.place(place)?;
        match value {
            Rvalue::Zero(_) => self.emit(Op::ZeroObject { place: to }),
            Rvalue::Load(from) => {
                let from = self.place(from)?;
                self.emit(Op::CopyObject { to, from });
            }
            Rvalue::Use(Operand::Copy(local)) => {
                let from = self.local_place(*local);
                self.emit(Op::CopyObject { to, from });
            }
            _ => return Err(Unprepared("an operation on whole objects")),
        }
        Ok(())
    }

    /// Computes a scalar into a slot.
    pub(super) fn compute(&mut self, to: Slot, value: &Rvalue) -> Result<()> {
        match value {
            Rvalue::Use(Operand::Copy(local)) if self.register(*local).is_none() => {
                let place = self.local_place(*local);
                self.emit(Op::Load { to, place });
            }
            Rvalue::Use(operand) => {
                let scalar = self.scalar(self.operand_type(operand))?;
                let from = self.source(operand)?;
                self.emit(Op::Copy { to, from, scalar });
            }
            Rvalue::Load(place) => match self.register_of(place) {
                Some(slot) => {
                    let scalar = self.scalar(place.ty)?;
                    let from = Source::slot(slot);
                    self.emit(Op::Copy { to, from, scalar });
                }
                None => {
                    let place = self.place(place)?;
                    self.emit(Op::Load { to, place });
                }
            },
            Rvalue::AddressOf(place) => {
                let place = self.place(place)?;
                self.emit(Op::AddressOf { to, place });
            }
            Rvalue::Unary(op, operand) => {
                let scalar = self.number(self.operand_type(operand))?;
                let from = self.source(operand)?;
                self.emit(Op::Unary {
                    op: *op,
                    scalar,
                    to,
                    from,
                });
            }
            Rvalue::Binary(op, left, right) => self.binary(to, *op, left, right)?,
            Rvalue::Cast(kind, operand, ty) => {
                let source = self.number(self.operand_type(operand))?;
                let target = self.number(*ty)?;
                let from = self.source(operand)?;
                self.emit(Op::Cast {
                    kind: *kind,
                    source,
                    target,
                    to,
                    from,
                });
            }
            Rvalue::Zero(_) => {
                let from =
                    Source::constant(push(&mut self.out.tables.constants, Value::ZERO) as usize);
                let scalar = Scalar::unsigned(8);
                self.emit(Op::Copy { to, from, scalar });
            }
            Rvalue::PointerOffset { .. } | Rvalue::PointerDifference { .. } => {
                self.pointer_arithmetic(to, value)?;
            }
        }
        Ok(())
    }

    pub(super) fn binary(
        &mut self,
        to: Slot,
        op: BinaryOp,
        left: &Operand,
        right: &Operand,
    ) -> Result<()> {
        let scalar = self.number(self.operand_type(left))?;
        let amount = self.number(self.operand_type(right))?;
        let (left, right) = (self.source(left)?, self.source(right)?);
        self.emit(if op.is_comparison() {
            Op::Compare {
                op,
                scalar,
                to,
                left,
                right,
            }
        } else if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            Op::Shift {
                op,
                scalar,
                amount,
                to,
                left,
                right,
            }
        } else {
            Op::Int {
                op,
                scalar,
                to,
                left,
                right,
            }
        });
        Ok(())
    }

    pub(super) fn pointer_arithmetic(&mut self, to: Slot, value: &Rvalue) -> Result<()> {
        match value {
            Rvalue::PointerOffset {
                pointer,
                index,
                element,
                negative,
            } => {
                let index_scalar = self.number(self.operand_type(index))?;
                let size = i64::try_from(*element).map_err(|_| Unprepared("a huge element"))?;
                let (pointer, index) = (self.source(pointer)?, self.source(index)?);
                self.emit(Op::Offset {
                    index_scalar,
                    to,
                    pointer,
                    index,
                    element: if *negative { -size } else { size },
                });
            }
            Rvalue::PointerDifference {
                left,
                right,
                element,
                ty,
            } => {
                let scalar = self.number(*ty)?;
                let (left, right) = (self.source(left)?, self.source(right)?);
                let element = push(&mut self.out.tables.sizes, *element);
                self.emit(Op::Difference {
                    scalar,
                    to,
                    left,
                    right,
                    element,
                });
            }
            _ => return Err(Unprepared("pointer arithmetic")),
        }
        Ok(())
    }
}
