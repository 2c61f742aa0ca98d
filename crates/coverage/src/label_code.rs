//! Statements that evaluate the conditions of labels.

use ir::{
    BinaryOp, Body, IntName, IntType, Local, LocalDecl, LocalKind, Operand, Place, PlaceBase,
    Rvalue, SpanId, Statement, StatementKind, Type, TypeId, Types,
};

/// Statements that are written.
pub(crate) struct Code<'a> {
    body: &'a mut Body,
    types: &'a mut Types,
    pub statements: Vec<Statement>,
    span: SpanId,
}

impl<'a> Code<'a> {
    /// Nothing yet. What is written stands for a piece of the source.
    pub fn new(body: &'a mut Body, types: &'a mut Types, span: SpanId) -> Code<'a> {
        Code {
            body,
            types,
            statements: Vec::new(),
            span,
        }
    }

    /// The value of an operation.
    pub fn binary(&mut self, op: BinaryOp, left: Operand, right: Operand, ty: TypeId) -> Operand {
        self.assign(Rvalue::Binary(op, left, right), ty)
    }

    /// A value in a temporary of its own.
    pub fn assign(&mut self, value: Rvalue, ty: TypeId) -> Operand {
        let local = self.body.locals.push(LocalDecl {
            name: None,
            ty,
            kind: LocalKind::Temporary,
            constant: false,
            address_taken: false,
            volatile: false,
        });
        let place = Place {
            base: PlaceBase::Local(local),
            projections: Vec::new(),
            ty,
        };
        self.statements.push(Statement {
            kind: StatementKind::Assign(place, value),
            span: self.span,
            operation: None,
        });
        Operand::Copy(local)
    }

    /// What a local is.
    pub fn kind(&self, local: Local) -> LocalKind {
        self.body.locals[local].kind
    }

    /// The type of a local.
    pub fn type_of(&self, local: Local) -> TypeId {
        self.body.locals[local].ty
    }

    /// The type of conditions.
    pub fn int(&mut self) -> TypeId {
        let int = IntType {
            name: IntName::Int,
            width: 32,
            signed: true,
        };
        self.types.intern(Type::Int(int), 4, 4)
    }

    /// The unsigned type of the same width.
    pub fn unsigned(&mut self, int: IntType) -> TypeId {
        let name = match int.width {
            8 => IntName::UnsignedChar,
            16 => IntName::UnsignedShort,
            32 => IntName::UnsignedInt,
            64 => IntName::UnsignedLongLong,
            _ => IntName::UnsignedInt128,
        };
        let bytes = u64::from(int.width / 8);
        let unsigned = IntType {
            name,
            width: int.width,
            signed: false,
        };
        self.types.intern(Type::Int(unsigned), bytes, bytes)
    }
}
