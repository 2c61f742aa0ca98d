//! Reads operands, places and right sides of assignments.

use super::super::lexer::Token;
use super::super::{defaults, names};
use super::body::BodyParser;
use super::resolve::as_bits;
use super::{ParseError, types};
use crate::{
    Constant, ConstantValue, Local, Operand, Place, PlaceBase, Projection, Rvalue, Type, TypeId,
    UnaryOp,
};

/// An operand whose type may depend on its surroundings.
pub(super) enum Written {
    Copy(Local),
    Constant(WrittenValue, Option<TypeId>),
}

/// The value of a constant, as it is written.
pub(super) enum WrittenValue {
    Int { negative: bool, number: u128 },
    Value(ConstantValue),
}

impl BodyParser<'_> {
    /// Whether an operand is next.
    pub fn at_operand(&self) -> bool {
        let cursor = &self.resolver.cursor;
        cursor.peek_id("_").is_some()
            || matches!(cursor.peek(), Token::Number(_))
            || cursor.at_symbol("-")
            || cursor.at_symbol("&")
            || cursor.at_word("null")
            || cursor.at_word("float")
    }

    /// An operand whose surroundings suggest a type.
    pub fn operand(&mut self, hint: Option<TypeId>) -> Result<Operand, ParseError> {
        let written = self.written()?;
        Ok(self.typed(written, hint))
    }

    pub fn written(&mut self) -> Result<Written, ParseError> {
        let cursor = &mut self.resolver.cursor;
        if let Some(local) = cursor.accept_id("_") {
            return Ok(Written::Copy(Local::from_raw(local)));
        }
        let value = if cursor.at_symbol("&") {
            WrittenValue::Value(self.resolver.address()?)
        } else if cursor.accept_word("float") {
            cursor.expect("(")?;
            let bits = cursor.number()?;
            cursor.expect(")")?;
            WrittenValue::Value(ConstantValue::Float(bits))
        } else if cursor.accept_word("null") {
            WrittenValue::Value(ConstantValue::Int(0))
        } else if cursor.at_symbol("-") || matches!(cursor.peek(), Token::Number(_)) {
            let negative = cursor.accept("-");
            let number = cursor.number()?;
            WrittenValue::Int { negative, number }
        } else {
            return cursor.error("an operand: a local, a number, `null`, `&@name`, …");
        };
        let ty = self.optional_type(":")?;
        Ok(Written::Constant(value, ty))
    }

    /// A type after a symbol or word, if that is next.
    fn optional_type(&mut self, lead: &str) -> Result<Option<TypeId>, ParseError> {
        let cursor = &mut self.resolver.cursor;
        if !cursor.accept(lead) && !cursor.accept_word(lead) {
            return Ok(None);
        }
        let tree = types::ty(cursor)?;
        self.resolver.ty(&tree).map(Some)
    }

    pub fn typed(&mut self, written: Written, hint: Option<TypeId>) -> Operand {
        let (value, ty) = match written {
            Written::Copy(local) => return Operand::Copy(local),
            Written::Constant(value, ty) => (value, ty),
        };
        let types = &self.resolver.program.types;
        let ty = ty.or_else(|| defaults::constant_type(hint, types));
        let ty = ty.unwrap_or_else(|| self.resolver.int_type());
        let value = match value {
            WrittenValue::Value(value) => value,
            WrittenValue::Int { negative, number } => {
                let int = self.resolver.program.types.int(ty);
                let width = int.map_or(128, |int| int.width);
                ConstantValue::Int(as_bits(negative, number, width))
            }
        };
        Operand::Constant(Constant { ty, value })
    }

    /// The type of an operand that is a local.
    fn own_type(&self, written: &Written) -> Option<TypeId> {
        match written {
            Written::Copy(local) => self.typing().operand(&Operand::Copy(*local)),
            Written::Constant(..) => None,
        }
    }

    pub fn place(&mut self) -> Result<Place, ParseError> {
        let start = self.resolver.cursor.position();
        let (base, arrow) = self.base()?;
        let mut projections = Vec::new();
        let mut ty = self.typing().base(&base);
        if arrow {
            projections.push(self.field(ty)?);
            ty = ty.and_then(|ty| self.typing().step(ty, &projections[0]));
        }
        loop {
            let step = if self.resolver.cursor.accept("[") {
                let index = self.operand(None)?;
                self.resolver.cursor.expect("]")?;
                Projection::Index(index)
            } else if self.resolver.cursor.accept(".") {
                self.field(ty)?
            } else {
                break;
            };
            ty = ty.and_then(|ty| self.typing().step(ty, &step));
            projections.push(step);
        }
        let ty = match self.optional_type(":")?.or(ty) {
            Some(ty) => ty,
            None => {
                let expected = "a place whose type is known, or `:` and its type after it";
                return self.resolver.cursor.error_at(start, expected);
            }
        };
        Ok(Place {
            base,
            projections,
            ty,
        })
    }

    /// The start of a place, and whether `->` was read.
    fn base(&mut self) -> Result<(PlaceBase, bool), ParseError> {
        let cursor = &mut self.resolver.cursor;
        if let Some(local) = cursor.accept_id("_") {
            let local = Local::from_raw(local);
            if cursor.accept("->") {
                return Ok((PlaceBase::Deref(Operand::Copy(local)), true));
            }
            return Ok((PlaceBase::Local(local), false));
        }
        if cursor.accept("*") {
            let parenthesised = cursor.accept("(");
            let operand = self.operand(None)?;
            if parenthesised {
                self.resolver.cursor.expect(")")?;
            }
            return Ok((PlaceBase::Deref(operand), false));
        }
        if cursor.at_symbol("@") || cursor.peek_id("g").is_some() {
            return Ok((PlaceBase::Global(self.resolver.global_reference()?), false));
        }
        cursor.error("a place: `_0`, `@global`, `*_0`, …")
    }

    /// A member, by name or by index.
    fn field(&mut self, ty: Option<TypeId>) -> Result<Projection, ParseError> {
        let cursor = &mut self.resolver.cursor;
        if matches!(cursor.peek(), Token::Number(_)) {
            return cursor.small().map(Projection::Field);
        }
        let position = cursor.position();
        let name = cursor.name()?;
        let record = ty.and_then(|ty| self.resolver.program.types.record(ty));
        let index = record.and_then(|record| {
            let mut names = record.fields.iter().map(|field| field.name.as_ref());
            names.position(|field| field == Some(&name))
        });
        match index {
            Some(index) => Ok(Projection::Field(index as u32)),
            None => {
                let expected = "a member of the record";
                self.resolver.cursor.error_at(position, expected)
            }
        }
    }

    /// The right side of an assignment to a place of type `target`.
    pub fn rvalue(&mut self, target: TypeId) -> Result<Rvalue, ParseError> {
        if self.at_operand() {
            return self.operand(Some(target)).map(Rvalue::Use);
        }
        if let Some(op) = self.resolver.accept_word_of(&names::BINARY) {
            let left = self.written()?;
            self.resolver.cursor.expect(",")?;
            let right = self.written()?;
            let own = (self.own_type(&left), self.own_type(&right));
            let hints = defaults::binary_hints(op, target, own.0, own.1);
            let left = self.typed(left, hints[0]);
            let right = self.typed(right, hints[1]);
            return Ok(Rvalue::Binary(op, left, right));
        }
        if let Some(kind) = self.resolver.accept_word_of(&names::CASTS) {
            let operand = self.operand(None)?;
            let ty = self.optional_type("as")?.unwrap_or(target);
            return Ok(Rvalue::Cast(kind, operand, ty));
        }
        let Some(word) = self.resolver.cursor.word().map(str::to_owned) else {
            return self
                .resolver
                .cursor
                .error("the right side of an assignment");
        };
        let position = self.resolver.cursor.position();
        self.resolver.cursor.next();
        match word.as_str() {
            "load" => self.place().map(Rvalue::Load),
            "addr" => self.place().map(Rvalue::AddressOf),
            "neg" => Ok(Rvalue::Unary(UnaryOp::Negate, self.operand(Some(target))?)),
            "not" => Ok(Rvalue::Unary(
                UnaryOp::Complement,
                self.operand(Some(target))?,
            )),
            "ptr_add" => self.pointer_offset(target, false),
            "ptr_sub" => self.pointer_offset(target, true),
            "ptr_diff" => self.pointer_difference(target),
            "zero" => Ok(Rvalue::Zero(self.optional_type("as")?.unwrap_or(target))),
            _ => {
                let expected = "an operand or an operation such as `add`, `load`, `call`";
                self.resolver.cursor.error_at(position, expected)
            }
        }
    }

    fn pointer_offset(&mut self, target: TypeId, negative: bool) -> Result<Rvalue, ParseError> {
        let pointer = self.operand(Some(target))?;
        self.resolver.cursor.expect(",")?;
        let index = self.operand(None)?;
        Ok(Rvalue::PointerOffset {
            pointer,
            index,
            element: self.element()?,
            negative,
        })
    }

    fn pointer_difference(&mut self, target: TypeId) -> Result<Rvalue, ParseError> {
        let left = self.operand(None)?;
        self.resolver.cursor.expect(",")?;
        let right = self.operand(None)?;
        let element = self.element()?;
        let ty = self.optional_type("as")?.unwrap_or(target);
        Ok(Rvalue::PointerDifference {
            left,
            right,
            element,
            ty,
        })
    }

    fn element(&mut self) -> Result<u64, ParseError> {
        self.resolver.cursor.expect_word("x")?;
        self.resolver.cursor.small()
    }

    /// The bits of a label of a switch over an operand.
    pub fn label(&mut self, operand: &Operand) -> Result<u128, ParseError> {
        if self.resolver.cursor.accept_word("null") {
            return Ok(0);
        }
        let ty = self.typing().operand(operand);
        let types = &self.resolver.program.types;
        let int = ty.and_then(|ty| match types.get(ty)?.kind {
            Type::Int(_) | Type::Enum(_) => types.int(ty),
            _ => None,
        });
        self.resolver.bits(int.map_or(128, |int| int.width))
    }
}
