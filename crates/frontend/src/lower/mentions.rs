//! The objects and functions that unsupported constructs mention.
//!
//! Such a construct ends the path, but analyses of the code as a whole have to know what it may
//! write or hand out. So it is followed, on a branch that no execution takes, by a call of an unknown
//! function ([`ir::UNSUPPORTED_CONSTRUCT`]), which gets all that the construct mentions.

use ir::{
    Block, Callee, Constant, ConstantValue, FunctionId, GlobalKind, Operand, Rvalue, Statement,
    StatementKind, Terminator, Type, TypeId,
};

use super::function::FunctionLowering;
use super::visit::parts;
use crate::ast::{Expr, ExprKind, Stmt, StmtKind, Unsupported};

/// What is mentioned, by clang's numbers; only that of which more than the value is used, save for
/// locals.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    functions: Vec<usize>,
    variables: Vec<usize>,
    locals: Vec<usize>,
}

impl Mentions {
    /// The mentions of an expression.
    pub(super) fn of(expr: &Expr) -> Self {
        let mut found = Mentions::default();
        found.expr(expr);
        found.tidy();
        found
    }

    /// The mentions of a construct that the exporter does not know.
    pub(super) fn of_unknown(construct: &Unsupported) -> Self {
        let mut found = Mentions::default();
        found.unknown(construct);
        found.tidy();
        found
    }

    fn tidy(&mut self) {
        for list in [&mut self.functions, &mut self.variables, &mut self.locals] {
            list.sort_unstable();
            list.dedup();
        }
    }

    fn unknown(&mut self, construct: &Unsupported) {
        self.functions.extend(&construct.functions);
        self.variables.extend(&construct.variables);
        self.locals.extend(&construct.locals);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Variable(index) => self.variables.push(*index),
            ExprKind::Function(index) => self.functions.push(*index),
            ExprKind::Local(index) => self.locals.push(*index),
            ExprKind::Unsupported(construct) => self.unknown(construct),
            ExprKind::Statement(stmt) => self.stmt(stmt),
            ExprKind::Cast { kind, operand, .. } if kind == "LValueToRValue" => self.read(operand),
            _ => super::visit::children(expr)
                .into_iter()
                .for_each(|child| self.expr(child)),
        }
    }

    /// An lvalue that is only read.
    fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Variable(_) => {}
            ExprKind::Member {
                base, arrow: false, ..
            } => self.read(base),
            ExprKind::Subscript { base, index, .. } => {
                self.expr(index);
                match &base.kind {
                    ExprKind::Cast { kind, operand, .. } if kind == "ArrayToPointerDecay" => {
                        self.read(operand);
                    }
                    _ => self.expr(base),
                }
            }
            _ => self.expr(expr),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Unsupported(construct) = &stmt.kind {
            self.unknown(construct);
        }
        let (exprs, statements) = parts(stmt);
        exprs.into_iter().for_each(|expr| self.expr(expr));
        statements.into_iter().for_each(|inner| self.stmt(inner));
    }
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Records the mentions of the unsupported constructs of an expression. Those inside its parts
    /// are recorded already.
    pub(super) fn mention(&mut self, expr: &'a Expr) {
        if !self.unsettled.is_empty() {
            self.settle(&Mentions::of(expr));
        }
    }

    /// Gives the constructs that were found to be unsupported what they mention.
    pub(super) fn settle(&mut self, mentions: &Mentions) {
        for block in std::mem::take(&mut self.unsettled) {
            self.hand_over(block, mentions);
        }
    }

    /// Adds the branch on which all that is mentioned is given to an unknown function, behind a
    /// block that ends in an unsupported construct.
    fn hand_over(&mut self, block: Block, mentions: &Mentions) {
        let Some((_, span)) = self.blocks[block].end else {
            return;
        };
        let mut statements = Vec::new();
        let mut arguments = self.mentioned_symbols(mentions);
        for &index in &mentions.locals {
            let Some(local) = self.local(index) else {
                continue;
            };
            let ty = self.locals[local].ty;
            let is_register = self.types().is_scalar(ty) && !self.in_memory.contains(&index);
            if is_register {
                if self.may_hold_address(ty) {
                    arguments.push(Operand::Copy(local));
                }
            } else if !matches!(self.types().kind(ty), Type::Unsupported(_)) {
                let pointer = self.pointer_to(ty);
                let address = self.temporary(pointer);
                let value = Rvalue::AddressOf(self.local_place(local));
                let kind = StatementKind::Assign(self.local_place(address), value);
                statements.push(Statement {
                    kind,
                    span,
                    operation: None,
                });
                arguments.push(Operand::Copy(address));
            }
        }
        if arguments.is_empty() {
            return;
        }
        let place = self.spans.spans[span].clone();
        let callee = self.unit.unsupported_construct(&place);
        let mentioning = self.new_block();
        let Some((Terminator::Unsupported { next, .. }, _)) = &mut self.blocks[block].end else {
            return;
        };
        let behind = next.first().copied();
        next.push(mentioning);
        let call = Terminator::Call {
            callee: Callee::Direct(callee),
            arguments,
            destination: None,
            next: behind,
        };
        self.blocks[mentioning].statements = statements;
        self.blocks[mentioning].end = Some((call, span));
    }

    /// Whether a scalar of this type has room for an address.
    fn may_hold_address(&self, ty: TypeId) -> bool {
        let types = self.types();
        let width = self.unit.program.target.pointer_width;
        match types.kind(ty) {
            Type::Pointer { .. } => true,
            _ => types.int(ty).is_some_and(|int| int.width >= width),
        }
    }

    /// The addresses of the functions and of the objects of static storage duration.
    fn mentioned_symbols(&mut self, mentions: &Mentions) -> Vec<Operand> {
        let mut found = Vec::new();
        for &index in &mentions.functions {
            let is_defined = self.unit.ast.functions.get(index);
            let is_defined = is_defined.is_some_and(|function| function.body.is_some());
            let program = &self.unit.program;
            // What the C library does without a body is no matter here.
            let is_of_user = |&function: &FunctionId| is_defined || !program.is_library(function);
            if let Some(function) = self.unit.function(index).filter(is_of_user) {
                let ty = self.unit.program.functions[function].ty;
                let ty = self.pointer_to(ty);
                let value = ConstantValue::Function(function);
                found.push(Operand::Constant(Constant { ty, value }));
            }
        }
        for &index in &mentions.variables {
            let Some(global) = self.unit.global(index) else {
                continue;
            };
            let data = &self.unit.program.globals[global];
            if data.kind != GlobalKind::StringLiteral {
                let ty = self.pointer_to(data.ty);
                let value = ConstantValue::Global { global, offset: 0 };
                found.push(Operand::Constant(Constant { ty, value }));
            }
        }
        found
    }

    fn pointer_to(&mut self, pointee: TypeId) -> TypeId {
        self.unit.pointer_to(pointee, false)
    }
}
