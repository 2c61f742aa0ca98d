//! Initialisers of locals and compound literals.
//!
//! An object with parts that are not mentioned is zeroed first, then its parts are assigned in
//! order. Long initialisers of constants alone become a constant object that is copied.

use ir::{
    Field, LocalKind, Operand, Place, PlaceBase, RecordKind, Rvalue, SpanId, StatementKind, Type,
    TypeId, Types,
};

use super::builder::Typed;
use super::function::FunctionLowering;
use super::types::{extend, parse_decimal, truncate};
use crate::ast::{ConstantData, Expr, ExprKind, FieldInit, UnaryOp};

/// From how many scalars on constants are copied from an object.
const COPIED_FROM: usize = 8;

/// How many elements a repeated initialiser may have.
const REPEATED_AT_MOST: u64 = 4096;

/// The largest constant object that is made for copying, in bytes.
const IMAGE_AT_MOST: u64 = 1 << 24;

impl<'a> FunctionLowering<'_, 'a> {
    /// Gives an object its initial value.
    pub(super) fn initialize(&mut self, place: &Place, init: &'a Expr) {
        self.initialize_of_kind(place, init);
        self.mention(init);
    }

    fn initialize_of_kind(&mut self, place: &Place, init: &'a Expr) {
        let span = self.span(init.span);
        if scalars(init) >= COPIED_FROM
            && let Some(bytes) = self.image(init, place.ty)
        {
            self.copy_constant(place, bytes, span);
            return;
        }
        if self.leaves_parts_out(init, place.ty) {
            self.emit(
                StatementKind::Assign(place.clone(), Rvalue::Zero(place.ty)),
                span,
            );
        }
        self.fill(place, init);
    }

    /// The value of a braced initialiser where no object is at hand.
    pub(super) fn initializer_value(&mut self, init: &'a Expr) -> Typed {
        let span = self.span(init.span);
        let ty = self.unit.ty(init.ty);
        if self.types().is_scalar(ty) {
            return match &init.kind {
                ExprKind::InitArray { elements, .. } if !elements.is_empty() => {
                    self.rvalue(&elements[0])
                }
                _ => (Rvalue::Use(self.placeholder(ty, span)), ty),
            };
        }
        let local = self.temporary(ty);
        let place = self.local_place(local);
        self.initialize(&place, init);
        (Rvalue::Use(Operand::Copy(local)), ty)
    }

    /// Assigns the parts that an initialiser mentions; the rest is zero already.
    fn fill(&mut self, place: &Place, init: &'a Expr) {
        let span = self.span(init.span);
        match &init.kind {
            ExprKind::ImplicitZero if !self.types().is_scalar(place.ty) => {}
            ExprKind::InitRecord { fields, .. } => {
                let is_open = self.leaves_bits_open(place.ty, fields);
                if is_open {
                    self.forget(place, span);
                }
                if is_open && fields.is_empty() {
                    self.zero_first_member(place, span);
                }
                for field in fields {
                    if is_open || !matches!(field.value.kind, ExprKind::ImplicitZero) {
                        let member = self.member(place.clone(), field.field, span);
                        self.fill_member(place.ty, &member, &field.value, span);
                    }
                }
            }
            ExprKind::InitArray { elements, filler } => {
                self.fill_array(place, elements, filler.as_deref(), span);
            }
            ExprKind::String(index) => self.fill_string(place, *index, span),
            _ => {
                let value = self.rvalue(init);
                self.write(place.clone(), value, span);
            }
        }
    }

    /// Makes a union indeterminate, before one of its members is initialised: bytes and bits that
    /// belong to no value of the member stay so (C17 6.2.6.1p6 and p7).
    fn forget(&mut self, place: &Place, span: SpanId) {
        let unwritten = self.new_local(place.ty, LocalKind::Variable);
        let from = self.local_place(unwritten);
        self.write(place.clone(), (Rvalue::Load(from), place.ty), span);
    }

    /// Makes the values of a union's first member zero.
    fn zero_first_member(&mut self, place: &Place, span: SpanId) {
        let member = self.member(place.clone(), 0, span);
        let zero = self.new_local(member.ty, LocalKind::Variable);
        let zero = self.local_place(zero);
        let kind = StatementKind::Assign(zero.clone(), Rvalue::Zero(zero.ty));
        self.emit(kind, span);
        let value = self.load(zero, span);
        self.write(member, value, span);
    }

    /// Whether these fields initialise a union by a member whose values are not all of its bits. Of
    /// empty braces that is the first one, as clang has it; to C23 they make all of it zero.
    fn leaves_bits_open(&self, ty: TypeId, fields: &[FieldInit]) -> bool {
        let types = self.types();
        let Some(record) = types.record(ty) else {
            return false;
        };
        let initialised = fields.first().map_or(0, |only| only.field);
        let leaves_open = |member: &Field| {
            member.bit_width.is_some()
                || types.size(member.ty) < types.size(ty)
                || has_gaps(types, member.ty)
        };
        record.kind == RecordKind::Union && record.fields.get(initialised).is_some_and(leaves_open)
    }

    /// Initialises a part. In a union, what is padding of a member is copied as that.
    fn fill_member(&mut self, union: TypeId, member: &Place, init: &'a Expr, span: SpanId) {
        let types = self.types();
        let is_union = types.record(union).map(|record| record.kind) == Some(RecordKind::Union);
        if is_union && has_gaps(types, member.ty) {
            let made = self.new_local(member.ty, LocalKind::Variable);
            let made = self.local_place(made);
            self.initialize(&made, init);
            self.write(member.clone(), (Rvalue::Load(made), member.ty), span);
        } else if is_zero(init) {
            self.initialize(member, init);
        } else {
            self.fill(member, init);
        }
    }

    fn fill_array(
        &mut self,
        place: &Place,
        elements: &'a [Expr],
        filler: Option<&'a Expr>,
        span: SpanId,
    ) {
        let Type::Array { length, .. } = *self.types().kind(place.ty) else {
            // A scalar in braces.
            if let Some(only) = elements.first() {
                self.fill(place, only);
            }
            return;
        };
        for (index, element) in elements.iter().enumerate() {
            self.fill_element(place, index as u128, element, span);
        }
        let Some(filler) = filler.filter(|filler| !is_zero(filler)) else {
            return;
        };
        let given = elements.len() as u64;
        let length = length.unwrap_or(given);
        if length.saturating_sub(given) > REPEATED_AT_MOST {
            self.unsupported("a repeated initialiser of this length", span);
            return;
        }
        for index in given..length {
            self.fill_element(place, index.into(), filler, span);
        }
    }

    fn fill_element(&mut self, place: &Place, index: u128, init: &'a Expr, span: SpanId) {
        if is_zero(init) {
            return;
        }
        let long = index > i32::MAX as u128;
        let index = if long {
            self.unsupported("an initialiser of this length", span);
            self.int_constant(0)
        } else {
            self.constant(self.unit.int, index)
        };
        let element = self.element(place.clone(), index, span);
        self.fill(&element, init);
    }

    /// A character array from a string literal, which may be shorter or longer.
    fn fill_string(&mut self, place: &Place, index: usize, span: SpanId) {
        let Some(literal) = self.unit.global(index) else {
            return;
        };
        if self.unit.program.globals[literal].ty == place.ty {
            let from = Place {
                base: PlaceBase::Global(literal),
                projections: Vec::new(),
                ty: place.ty,
            };
            self.write(place.clone(), (Rvalue::Load(from), place.ty), span);
            return;
        }
        match self.string_bytes(index, place.ty) {
            Some(bytes) => self.copy_constant(place, bytes, span),
            None => self.unsupported("an initialiser from this string", span),
        }
    }

    /// The bytes of a string literal in an array of the given type.
    fn string_bytes(&self, index: usize, ty: TypeId) -> Option<Vec<u8>> {
        let size = self.types().size(ty);
        let variable = self.unit.ast.variables.get(index)?;
        let mut bytes = match &variable.init {
            Some(ConstantData::Data { bytes, .. }) => parse_bytes(bytes)?,
            Some(ConstantData::Unsupported(_)) => return None,
            None => Vec::new(),
        };
        if size > IMAGE_AT_MOST {
            return None;
        }
        bytes.resize(size as usize, 0);
        Some(bytes)
    }

    fn copy_constant(&mut self, place: &Place, bytes: Vec<u8>, span: SpanId) {
        let global = self.unit.add_constant(place.ty, bytes);
        let from = Place {
            base: PlaceBase::Global(global),
            projections: Vec::new(),
            ty: place.ty,
        };
        self.write(place.clone(), (Rvalue::Load(from), place.ty), span);
    }

    /// Whether some part of the object must be zero that [`Self::fill`] does not write.
    fn leaves_parts_out(&self, init: &Expr, ty: TypeId) -> bool {
        match (&init.kind, self.types().kind(ty)) {
            (ExprKind::ImplicitZero, _) => !self.types().is_scalar(ty),
            (ExprKind::InitRecord { fields, .. }, Type::Record(record)) => {
                let record = &self.types().records[*record];
                let members = record.fields.iter().filter(|field| {
                    // Unnamed bit-fields are padding; anonymous members are not.
                    field.name.is_some() || field.bit_width.is_none()
                });
                let is_union = record.kind == ir::RecordKind::Union;
                is_union
                    || fields.len() < members.count()
                    || fields.iter().any(|field| {
                        matches!(field.value.kind, ExprKind::ImplicitZero)
                            || record.fields.get(field.field).is_some_and(|member| {
                                self.leaves_parts_out(&field.value, member.ty)
                            })
                    })
            }
            (ExprKind::InitArray { elements, filler }, Type::Array { element, length }) => {
                let rest = length.is_some_and(|length| (elements.len() as u64) < length);
                (rest && filler.as_deref().is_none_or(is_zero))
                    || elements
                        .iter()
                        .chain(filler.as_deref())
                        .any(|init| is_zero(init) || self.leaves_parts_out(init, *element))
            }
            _ => false,
        }
    }

    /// The bytes of an object with this initialiser, if all of it is integers and strings.
    fn image(&self, init: &Expr, ty: TypeId) -> Option<Vec<u8>> {
        let size = self.types().size(ty);
        if size > IMAGE_AT_MOST {
            return None;
        }
        let mut bytes = vec![0; size as usize];
        self.draw(init, ty, 0, &mut bytes)?;
        Some(bytes)
    }

    /// Draws the value of an initialiser at an offset in bits.
    fn draw(&self, init: &Expr, ty: TypeId, offset: u64, bytes: &mut [u8]) -> Option<()> {
        match (&init.kind, self.types().kind(ty)) {
            (ExprKind::ImplicitZero, _) => Some(()),
            (ExprKind::InitRecord { fields, .. }, Type::Record(_))
                if self.leaves_bits_open(ty, fields) =>
            {
                None
            }
            (ExprKind::InitRecord { fields, .. }, Type::Record(record)) => {
                for field in fields {
                    let member = self.types().records[*record].fields.get(field.field)?;
                    let at = offset + member.offset_bits;
                    match member.bit_width {
                        Some(width) => {
                            let value = self.constant_bits(&field.value, member.ty)?;
                            draw_bits(bytes, at, width, value)?;
                        }
                        None => self.draw(&field.value, member.ty, at, bytes)?,
                    }
                }
                Some(())
            }
            (ExprKind::InitArray { elements, filler }, Type::Array { element, length }) => {
                let stride = self.types().size(*element) * 8;
                let length = length.unwrap_or(elements.len() as u64);
                if filler.as_deref().is_some_and(|filler| !is_zero(filler))
                    && length > elements.len() as u64
                {
                    return None;
                }
                for (init, index) in elements.iter().zip(0..) {
                    self.draw(init, *element, offset + stride * index, bytes)?;
                }
                Some(())
            }
            (ExprKind::String(index), Type::Array { .. }) => {
                let text = self.string_bytes(*index, ty)?;
                let start = usize::try_from(offset / 8).ok()?;
                bytes
                    .get_mut(start..start + text.len())?
                    .copy_from_slice(&text);
                Some(())
            }
            (_, Type::Int(_) | Type::Enum(_)) => {
                let value = self.constant_bits(init, ty)?;
                let width = self.types().int(ty)?.width;
                draw_bits(bytes, offset, width, value)
            }
            _ => None,
        }
    }

    /// The value of an integer constant expression without names, as bits of the type.
    fn constant_bits(&self, expr: &Expr, ty: TypeId) -> Option<u128> {
        let from = self.unit.ty(expr.ty);
        let int = self.types().int(from)?;
        let bits = match &expr.kind {
            ExprKind::Integer(text) => parse_decimal(text)?,
            ExprKind::ImplicitZero => 0,
            ExprKind::Cast { kind, operand, .. } if kind == "IntegralCast" => {
                self.constant_bits(operand, from)?
            }
            ExprKind::Unary { op, operand } => {
                let value = self.constant_bits(operand, from)?;
                match op {
                    UnaryOp::Plus => value,
                    UnaryOp::Minus if !int.signed || value != 1 << (int.width - 1) => {
                        value.wrapping_neg()
                    }
                    UnaryOp::Complement => !value,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let value = extend(truncate(bits, int.width), int) as u128;
        Some(truncate(value, self.types().int(ty)?.width))
    }
}

/// Writes bits into little-endian bytes.
fn draw_bits(bytes: &mut [u8], offset: u64, width: u32, value: u128) -> Option<()> {
    for bit in 0..u64::from(width.min(128)) {
        let at = offset + bit;
        let byte = bytes.get_mut(usize::try_from(at / 8).ok()?)?;
        let mask = 1 << (at % 8);
        if value >> bit & 1 == 1 {
            *byte |= mask;
        } else {
            *byte &= !mask;
        }
    }
    Some(())
}

/// Whether objects of the type have bits that belong to no value; of a union, to none of some
/// member's.
fn has_gaps(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_gaps(types, *element),
        Type::Record(_) => {
            let Some(record) = types.record(ty) else {
                return false;
            };
            let bits = |field: &Field| {
                let width = field.bit_width.map(u64::from);
                width.unwrap_or_else(|| types.size(field.ty) * 8)
            };
            // Unnamed bit-fields are padding; anonymous members are not.
            let is_member = |field: &&Field| field.name.is_some() || field.bit_width.is_none();
            let members = || record.fields.iter().filter(is_member);
            let size = types.size(ty) * 8;
            let is_full = match record.kind {
                RecordKind::Struct => members().map(bits).sum::<u64>() == size,
                RecordKind::Union => members().all(|field| bits(field) == size),
            };
            !is_full || record.fields.iter().any(|field| has_gaps(types, field.ty))
        }
        _ => false,
    }
}

/// Whether the initialiser mentions nothing.
fn is_zero(init: &Expr) -> bool {
    match &init.kind {
        ExprKind::ImplicitZero => true,
        ExprKind::InitRecord { fields, .. } => fields.iter().all(|field| is_zero(&field.value)),
        ExprKind::InitArray { elements, filler } => {
            elements.iter().all(is_zero) && filler.as_deref().is_none_or(is_zero)
        }
        _ => false,
    }
}

/// How many scalars a braced initialiser mentions.
fn scalars(init: &Expr) -> usize {
    match &init.kind {
        ExprKind::InitRecord { fields, .. } => {
            fields.iter().map(|field| scalars(&field.value)).sum()
        }
        ExprKind::InitArray { elements, .. } => elements.iter().map(scalars).sum(),
        ExprKind::ImplicitZero => 0,
        _ => 1,
    }
}

/// The bytes of a hexadecimal string.
pub(super) fn parse_bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits
        .chunks_exact(2)
        .map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8))
        .collect()
}
