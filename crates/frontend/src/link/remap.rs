//! New numbers for everything that a function or global refers to.

use index_vec::IndexVec;
use ir::{
    Body, Callee, Constant, ConstantValue, FileId, Function, FunctionId, Global, GlobalId,
    GlobalKind, Operand, Place, PlaceBase, Position, Projection, Rvalue, Span, StatementKind,
    Terminator, TypeId, UnitId,
};
use rustc_hash::FxHashMap;

/// For each old number the new one; `None` for functions and globals that are left out, to which
/// nothing that is kept refers.
pub(super) struct Remap {
    pub(super) types: IndexVec<TypeId, TypeId>,
    pub(super) files: IndexVec<FileId, FileId>,
    pub(super) units: IndexVec<UnitId, UnitId>,
    pub(super) functions: IndexVec<FunctionId, Option<FunctionId>>,
    /// Where the function whose address is taken is not the one that is called.
    pub(super) addresses: FxHashMap<FunctionId, FunctionId>,
    pub(super) globals: IndexVec<GlobalId, Option<GlobalId>>,
}

impl Remap {
    pub(super) fn function(&self, function: &mut Function) {
        self.ty(&mut function.ty);
        function.unit = self.units[function.unit];
        if let Some(span) = &mut function.span {
            self.span(span);
        }
        if let Some(body) = &mut function.body {
            self.body(body);
        }
    }

    pub(super) fn global(&self, global: &mut Global) {
        self.ty(&mut global.ty);
        global.unit = self.units[global.unit];
        if let GlobalKind::StaticLocal(function) = &mut global.kind {
            self.function_id(function);
        }
        if let Some(span) = &mut global.span {
            self.span(span);
        }
        for relocation in global
            .initializer
            .iter_mut()
            .flat_map(|i| &mut i.relocations)
        {
            self.value(&mut relocation.target);
        }
    }

    fn body(&self, body: &mut Body) {
        for local in &mut body.locals {
            self.ty(&mut local.ty);
        }
        for span in &mut body.spans {
            self.span(span);
        }
        for decision in &mut body.decisions {
            self.span(&mut decision.span);
            for side in &mut decision.sides {
                self.span(&mut side.span);
            }
        }
        for condition in &mut body.conditions {
            self.span(&mut condition.span);
            let operands = condition.operands.iter_mut().flatten();
            operands.for_each(|span| self.span(span));
        }
        for statement in &mut body.source_statements {
            self.span(&mut statement.span);
        }
        for head in &mut body.heads {
            self.span(&mut head.span);
        }
        for block in &mut body.blocks {
            for statement in &mut block.statements {
                if let StatementKind::Assign(place, value) = &mut statement.kind {
                    self.place(place);
                    self.rvalue(value);
                }
            }
            self.terminator(&mut block.terminator);
        }
    }

    fn terminator(&self, terminator: &mut Terminator) {
        match terminator {
            Terminator::Branch { operand, .. } | Terminator::Switch { operand, .. } => {
                self.operand(operand);
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                match callee {
                    Callee::Direct(function) => self.function_id(function),
                    Callee::Indirect(operand) => self.operand(operand),
                }
                arguments
                    .iter_mut()
                    .for_each(|operand| self.operand(operand));
                if let Some(place) = destination {
                    self.place(place);
                }
            }
            Terminator::Return(Some(operand)) => self.operand(operand),
            Terminator::Goto(_)
            | Terminator::Return(None)
            | Terminator::Unreachable
            | Terminator::Unsupported { .. } => {}
        }
    }

    fn rvalue(&self, value: &mut Rvalue) {
        match value {
            Rvalue::Use(operand) | Rvalue::Unary(_, operand) => self.operand(operand),
            Rvalue::Load(place) | Rvalue::AddressOf(place) => self.place(place),
            Rvalue::Binary(_, left, right) => {
                self.operand(left);
                self.operand(right);
            }
            Rvalue::Cast(_, operand, ty) => {
                self.operand(operand);
                self.ty(ty);
            }
            Rvalue::PointerOffset { pointer, index, .. } => {
                self.operand(pointer);
                self.operand(index);
            }
            Rvalue::PointerDifference {
                left, right, ty, ..
            } => {
                self.operand(left);
                self.operand(right);
                self.ty(ty);
            }
            Rvalue::Zero(ty) => self.ty(ty),
        }
    }

    fn place(&self, place: &mut Place) {
        match &mut place.base {
            PlaceBase::Local(_) => {}
            PlaceBase::Global(global) => self.global_id(global),
            PlaceBase::Deref(operand) => self.operand(operand),
        }
        for step in &mut place.projections {
            if let Projection::Index(operand) = step {
                self.operand(operand);
            }
        }
        self.ty(&mut place.ty);
    }

    fn operand(&self, operand: &mut Operand) {
        if let Operand::Constant(Constant { ty, value }) = operand {
            self.ty(ty);
            self.value(value);
        }
    }

    fn value(&self, value: &mut ConstantValue) {
        match value {
            ConstantValue::Global { global, .. } => self.global_id(global),
            ConstantValue::Function(function) => match self.addresses.get(function) {
                Some(other) => *function = *other,
                None => self.function_id(function),
            },
            ConstantValue::Int(_) | ConstantValue::Float(_) => {}
        }
    }

    fn ty(&self, ty: &mut TypeId) {
        *ty = self.types[*ty];
    }

    fn function_id(&self, id: &mut FunctionId) {
        if let Some(Some(new)) = self.functions.get(*id) {
            *id = *new;
        }
    }

    fn global_id(&self, id: &mut GlobalId) {
        if let Some(Some(new)) = self.globals.get(*id) {
            *id = *new;
        }
    }

    fn span(&self, span: &mut Span) {
        self.position(&mut span.begin);
        self.position(&mut span.end);
        for expansion in &mut span.expansions {
            self.position(&mut expansion.at);
        }
    }

    fn position(&self, position: &mut Position) {
        if let Some(file) = self.files.get(position.file) {
            position.file = *file;
        }
    }
}
