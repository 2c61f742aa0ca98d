//! Places: base, offset, indices, and what is accessed there.

use ir::{
    ConstantValue, Field, Local, Operand, Place, PlaceBase, Projection, Record, Type, TypeId,
};

use crate::code::*;
use crate::leaves;
use crate::prepare::{Preparer, Result, Unprepared, push};
use crate::statics;
use crate::value::Scalar;

impl Preparer<'_, '_> {
    pub(super) fn local_place(&mut self, local: Local) -> u32 {
        let code = self.local(local);
        let access = self.whole(code.ty);
        let place = PlaceCode {
            base: Source::slot(code.slot),
            local: Some(code),
            align: 1,
            member: false,
            accessed: None,
            offset: 0,
            indices: Box::new([]),
            access,
            volatile: self.body.locals[local].volatile,
        };
        push(&mut self.out.tables.places, place)
    }

    pub(super) fn place(&mut self, place: &Place) -> Result<u32> {
        let mut align = 1;
        let volatile;
        let mut member = false;
        let mut local_code = None;
        let mut accessed = None;
        let (base, ty) = match &place.base {
            PlaceBase::Local(local) => {
                if self.register(*local).is_some() {
                    return Err(Unprepared("a part of a register"));
                }
                local_code = Some(self.local(*local));
                volatile = self.body.locals[*local].volatile;
                (Source::slot(local.raw()), self.body.locals[*local].ty)
            }
            PlaceBase::Global(global) => {
                let target = ConstantValue::Global {
                    global: *global,
                    offset: 0,
                };
                let value =
                    statics::address(&self.out.statics.image, &self.out.statics.layout, &target);
                volatile = self.out.program.globals[*global].volatile;
                let index = push(&mut self.out.tables.constants, value);
                (
                    Source::constant(index as usize),
                    self.out.program.globals[*global].ty,
                )
            }
            PlaceBase::Deref(pointer) => {
                let pointer_type = self.operand_type(pointer);
                let pointee = self.types.pointee(pointer_type);
                volatile = matches!(
                    self.types.kind(pointer_type),
                    Type::Pointer { volatile: true, .. }
                );
                let source = self.source(pointer)?;
                let start = match pointee {
                    Some(pointee) if !place.projections.is_empty() => pointee,
                    _ => place.ty,
                };
                align = self.types.align(start).max(1);
                accessed = Some(start);
                let first = place.projections.first();
                member = matches!(first, Some(Projection::Field(_)))
                    && !matches!(pointer, Operand::Constant(_));
                (source, start)
            }
        };
        let mut code = PlaceCode {
            base,
            local: local_code,
            align,
            member,
            accessed,
            offset: 0,
            indices: Box::new([]),
            access: self.whole(place.ty),
            volatile,
        };
        self.project(&mut code, ty, &place.projections)?;
        Ok(push(&mut self.out.tables.places, code))
    }

    /// How all of an object of the type is accessed.
    fn whole(&self, ty: TypeId) -> Access {
        let object = || Access::Object {
            size: self.types.size(ty),
            flexible: leaves::flexible_from(self.types, ty),
        };
        Scalar::of(self.types, ty).map_or_else(object, Access::Scalar)
    }

    /// Adds the projections to the place.
    pub(super) fn project(
        &mut self,
        code: &mut PlaceCode,
        mut ty: TypeId,
        projections: &[Projection],
    ) -> Result<()> {
        let mut indices = Vec::new();
        let mut last_member = false;
        for projection in projections {
            match projection {
                Projection::Field(number) => {
                    let record = self
                        .types
                        .record(ty)
                        .ok_or(Unprepared("a member of no record"))?;
                    let field = record
                        .fields
                        .get(*number as usize)
                        .ok_or(Unprepared("an unknown member"))?;
                    last_member = *number as usize + 1 == record.fields.len();
                    code.offset += (field.offset_bits / 8) as i64;
                    code.volatile |= field.volatile;
                    ty = field.ty;
                    if let Some(width) = field.bit_width {
                        let first = (field.offset_bits % 8) as u32;
                        code.access = Access::BitField {
                            scalar: self.scalar(ty)?,
                            first,
                            width,
                            bytes: u64::from((first + width).div_ceil(8)),
                            storage: storage_unit(record, *number as usize),
                        };
                    }
                }
                Projection::Index(operand) => {
                    let Type::Array { element, length } = *self.types.kind(ty) else {
                        return Err(Unprepared("an element of no array"));
                    };
                    let scalar = self.number(self.operand_type(operand))?;
                    indices.push(IndexCode {
                        operand: self.source(operand)?,
                        scalar,
                        element: self.types.size(element),
                        // A last member of one element is a flexible array by old habit.
                        length: length.filter(|&length| !last_member || length > 1),
                    });
                    last_member = false;
                    ty = element;
                }
            }
        }
        code.indices = indices.into();
        Ok(())
    }
}

/// The most bytes that a compiler accesses at once.
const REGISTER: u64 = 8;

/// What compilers may access for a bit-field: the bit-fields beside it, and the padding after them,
/// as far as one access reaches.
fn storage_unit(record: &Record, number: usize) -> StorageUnit {
    let byte = |at: usize| record.fields[at].offset_bits / 8;
    let is_bit_field = |field: &Field| field.bit_width.is_some();
    let others = record.fields[..number].iter().rev();
    let first = number - others.take_while(|field| is_bit_field(field)).count();
    let mut behind = number..record.fields.len();
    let next = behind.find(|&at| !is_bit_field(&record.fields[at]));
    let field = &record.fields[number];
    let last = (field.offset_bits + u64::from(field.bit_width.unwrap_or(0))).div_ceil(8);
    let start = byte(first).max((byte(number) + 1).saturating_sub(REGISTER));
    let end = next.map_or(record.size, byte).min(last + REGISTER - 1);
    StorageUnit {
        before: byte(number) - start,
        size: end.max(last) - start,
    }
}
