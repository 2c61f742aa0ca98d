//! Expressions for their value, and for their effects alone.

use ir::{
    Constant, ConstantValue, DecisionKind, Operand, Rvalue, Terminator, Type, TypeId,
    UnaryOp as IrUnary,
};

use super::OperandOrder;
use super::builder::Typed;
use super::function::FunctionLowering;
use super::types::{parse_decimal, truncate};
use super::visit;
use crate::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

impl<'a> FunctionLowering<'_, 'a> {
    /// The value of an expression as an operand; something arbitrary for `void`.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Operand {
        let span = self.span(expr.span);
        let value = self.rvalue(expr);
        self.operand(value, span)
    }

    /// The value, safe from what is evaluated between here and its use.
    pub(super) fn value_before(&mut self, expr: &'a Expr, later: &[&'a Expr]) -> Operand {
        let span = self.span(expr.span);
        let value = self.value(expr);
        if later.iter().any(|later| visit::assigns(later)) {
            self.freeze(value, span)
        } else {
            value
        }
    }

    /// The values of two operands, in the order that clang takes them, or reversed.
    pub(super) fn values(&mut self, first: &'a Expr, second: &'a Expr) -> (Operand, Operand) {
        match self.unit.order {
            OperandOrder::Clang => {
                let earlier = self.value_before(first, &[second]);
                (earlier, self.value(second))
            }
            OperandOrder::Reversed => {
                let earlier = self.value_before(second, &[first]);
                (self.value(first), earlier)
            }
        }
    }

    /// The value of an expression, whose last step is not carried out yet.
    pub(super) fn rvalue(&mut self, expr: &'a Expr) -> Typed {
        let value = self.rvalue_of_kind(expr);
        self.mention(expr);
        value
    }

    fn rvalue_of_kind(&mut self, expr: &'a Expr) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        match &expr.kind {
            ExprKind::Integer(text) => {
                let bits = parse_decimal(text).unwrap_or(0);
                (Rvalue::Use(self.constant(ty, bits)), ty)
            }
            ExprKind::Float(text) => (Rvalue::Use(float_constant(text, ty)), ty),
            ExprKind::Local(_)
            | ExprKind::Variable(_)
            | ExprKind::String(_)
            | ExprKind::Member { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::CompoundLiteral { .. } => {
                let place = self.place(expr);
                self.load(place, span)
            }
            ExprKind::Function(index) => self.function_address(*index, ty, expr.span),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, expr),
            ExprKind::Binary { op, left, right } => match op {
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => self.logical_value(expr),
                BinaryOp::Comma => {
                    self.effect(left);
                    self.rvalue(right)
                }
                BinaryOp::Assign => {
                    let place = self.assignment(left, right, expr.span);
                    self.load(place, span)
                }
                _ => self.binary(*op, left, right, expr),
            },
            ExprKind::CompoundAssign { .. } => match self.compound_assignment(expr) {
                Some(place) => self.load(place, span),
                None => (Rvalue::Use(self.placeholder(ty, span)), ty),
            },
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.conditional(
                DecisionKind::Conditional,
                condition,
                [then, otherwise],
                expr,
            ),
            ExprKind::BinaryConditional {
                common,
                opaque,
                condition,
                then,
                otherwise,
            } => {
                let common = self.value(common);
                let common = self.freeze(common, span);
                self.opaque.insert(*opaque, common);
                let arms = [&**then, &**otherwise];
                self.conditional(DecisionKind::BinaryConditional, condition, arms, expr)
            }
            ExprKind::Opaque(number) => match self.opaque.get(number) {
                Some(operand) => (Rvalue::Use(operand.clone()), self.operand_type(operand)),
                None => self.unsupported_value("a value without a source", ty, span),
            },
            ExprKind::Cast { kind, operand, .. } => self.cast_expr(kind, operand, expr),
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, expr),
            ExprKind::InitRecord { .. } | ExprKind::InitArray { .. } | ExprKind::ImplicitZero => {
                self.initializer_value(expr)
            }
            ExprKind::Statement(stmt) => self.statement_expression(stmt, ty),
            ExprKind::SizeOf(array) => self.size_of_array(*array, ty, span),
            ExprKind::Sized { lengths, value } => {
                self.evaluate_lengths(lengths);
                self.rvalue(value)
            }
            ExprKind::VaArg { .. } => self.unsupported_value("`va_arg`", ty, span),
            ExprKind::Unsupported(unknown) => self.unsupported_value(&unknown.construct, ty, span),
        }
    }

    /// Evaluates an expression whose value is not used.
    pub(super) fn effect(&mut self, expr: &'a Expr) {
        self.effect_of_kind(expr);
        self.mention(expr);
    }

    fn effect_of_kind(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Binary {
                op: BinaryOp::Assign,
                left,
                right,
            } => {
                self.assignment(left, right, expr.span);
            }
            ExprKind::Binary {
                op: BinaryOp::Comma,
                left,
                right,
            } => {
                self.effect(left);
                self.effect(right);
            }
            ExprKind::CompoundAssign { .. } => {
                self.compound_assignment(expr);
            }
            ExprKind::Unary {
                op:
                    op @ (UnaryOp::PreIncrement
                    | UnaryOp::PostIncrement
                    | UnaryOp::PreDecrement
                    | UnaryOp::PostDecrement),
                operand,
            } => {
                self.step(operand, step_operator(*op), expr.span);
            }
            ExprKind::Cast { kind, operand, .. } if kind == "ToVoid" => self.effect(operand),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.conditional_effect(
                    DecisionKind::Conditional,
                    condition,
                    [then, otherwise],
                    expr.span,
                );
            }
            ExprKind::Call { callee, arguments } => self.call_for_effect(callee, arguments, expr),
            ExprKind::Statement(stmt) => self.stmt(stmt),
            ExprKind::Local(_) | ExprKind::Variable(_) | ExprKind::String(_) => {}
            _ => {
                self.value(expr);
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a Expr, expr: &'a Expr) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        match op {
            UnaryOp::Plus => self.rvalue(operand),
            UnaryOp::Minus => self.arithmetic_unary(IrUnary::Negate, operand, expr),
            UnaryOp::Complement => self.arithmetic_unary(IrUnary::Complement, operand, expr),
            UnaryOp::LogicalNot => {
                let value = self.value(operand);
                let of = self.operand_type(&value);
                if self.types().int(of).is_none() && self.types().pointee(of).is_none() {
                    return self.unsupported_value("`!` of a floating-point value", ty, span);
                }
                let zero = self.constant(of, 0);
                let int = self.unit.int;
                (Rvalue::Binary(ir::BinaryOp::Eq, value, zero), int)
            }
            UnaryOp::Dereference => {
                let place = self.place(expr);
                self.load(place, span)
            }
            UnaryOp::AddressOf => self.address_expr(operand, expr),
            UnaryOp::PreIncrement | UnaryOp::PreDecrement => {
                let place = self.step(operand, step_operator(op), expr.span);
                self.load(place, span)
            }
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                self.note_hidden_bit_field(operand);
                let before = self.step_after(operand, step_operator(op), expr.span);
                let ty = self.operand_type(&before);
                (Rvalue::Use(before), ty)
            }
        }
    }

    fn arithmetic_unary(&mut self, op: IrUnary, operand: &'a Expr, expr: &'a Expr) -> Typed {
        let span = self.span(expr.span);
        let value = self.value(operand);
        let ty = self.operand_type(&value);
        let Some(int) = self.types().int(ty) else {
            let ty = self.unit.ty(expr.ty);
            return self.unsupported_value("floating-point arithmetic", ty, span);
        };
        if let Operand::Constant(Constant {
            value: ConstantValue::Int(bits),
            ..
        }) = value
        {
            let lowest = 1 << (int.width - 1);
            match op {
                IrUnary::Complement => return (Rvalue::Use(self.constant(ty, !bits)), ty),
                IrUnary::Negate if !int.signed || bits != lowest => {
                    return (Rvalue::Use(self.constant(ty, bits.wrapping_neg())), ty);
                }
                IrUnary::Negate => {}
            }
        }
        (Rvalue::Unary(op, value), ty)
    }

    fn binary(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr, expr: &'a Expr) -> Typed {
        let (left_value, right_value) = self.values(left, right);
        let ty = self.unit.ty(expr.ty);
        let span = self.span(expr.span);
        let spans = [expr.span, left.span, right.span];
        let operands = ((left, &left_value), (right, &right_value));
        let on_arrays = ir_operator(op)
            .and_then(|op| self.array_operation(op, operands.0, operands.1, (ty, span)));
        if let Some(value) = on_arrays {
            return value;
        }
        let (left, right) = (left_value, right_value);
        let value = self.operation(op, left, right, ty, expr.span);
        self.note_operation(&value.0, spans, false);
        value
    }

    /// A binary operation of C on converted operands: arithmetic, comparison, or on pointers.
    pub(super) fn operation(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        ty: TypeId,
        span: usize,
    ) -> Typed {
        let span = self.span(span);
        let Some(op) = ir_operator(op) else {
            return self.unsupported_value("an operator", ty, span);
        };
        let (of_left, of_right) = (self.operand_type(&left), self.operand_type(&right));
        let scalars = (self.types().kind(of_left), self.types().kind(of_right));
        match scalars {
            (Type::Float(_), _) | (_, Type::Float(_)) => {
                self.unsupported_value("floating-point arithmetic", ty, span)
            }
            (Type::Pointer { pointee, .. }, Type::Pointer { .. }) if op == ir::BinaryOp::Sub => {
                match self.stride(*pointee) {
                    Some(element) => {
                        let difference = Rvalue::PointerDifference {
                            left,
                            right,
                            element,
                            ty,
                        };
                        (difference, ty)
                    }
                    None => self.unsupported_value("arithmetic on this pointer type", ty, span),
                }
            }
            (Type::Pointer { .. }, Type::Int(_) | Type::Enum(_)) if is_sum(op) => {
                self.offset(left, right, op == ir::BinaryOp::Sub, span)
            }
            (Type::Int(_) | Type::Enum(_), Type::Pointer { .. }) if op == ir::BinaryOp::Add => {
                self.offset(right, left, false, span)
            }
            (Type::Int(_) | Type::Enum(_), Type::Int(_) | Type::Enum(_)) => {
                let shift = matches!(op, ir::BinaryOp::Shl | ir::BinaryOp::Shr);
                let right = if shift {
                    right
                } else {
                    self.convert(right, of_left, span)
                };
                let result = if op.is_comparison() {
                    self.unit.int
                } else {
                    of_left
                };
                (Rvalue::Binary(op, left, right), result)
            }
            (Type::Pointer { .. }, Type::Pointer { .. }) if op.is_comparison() => {
                let right = self.convert(right, of_left, span);
                (Rvalue::Binary(op, left, right), self.unit.int)
            }
            _ => {
                let spelling = self.types().declare(of_left, "");
                let construct = format!("an operator on `{spelling}`");
                self.unsupported_value(&construct, ty, span)
            }
        }
    }

    /// `pointer + index` or `pointer - index`.
    pub(super) fn offset(
        &mut self,
        pointer: Operand,
        index: Operand,
        negative: bool,
        span: ir::SpanId,
    ) -> Typed {
        let ty = self.operand_type(&pointer);
        let element = self.types().pointee(ty).and_then(|to| self.stride(to));
        let Some(element) = element else {
            return self.unsupported_value("arithmetic on this pointer type", ty, span);
        };
        let offset = Rvalue::PointerOffset {
            pointer,
            index,
            element,
            negative,
        };
        (offset, ty)
    }

    /// The size of an element for pointer arithmetic; GNU C counts `void` and functions as one
    /// byte.
    fn stride(&self, pointee: TypeId) -> Option<u64> {
        match self.types().kind(pointee) {
            Type::Void | Type::Function(_) => Some(1),
            Type::Unsupported(_) => None,
            _ => Some(self.types().size(pointee)),
        }
    }

    fn conditional(
        &mut self,
        kind: DecisionKind,
        condition: &'a Expr,
        arms: [&'a Expr; 2],
        expr: &'a Expr,
    ) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        if *self.types().kind(ty) == Type::Void {
            self.conditional_effect(kind, condition, arms, expr.span);
            return (Rvalue::Use(self.int_constant(0)), self.unit.int);
        }
        let result = self.temporary(ty);
        let around = self.begin_region(self.next_decision());
        let blocks = [self.new_block(), self.new_block()];
        let end = self.new_block_in(around);
        let whole = self.decide(kind, condition, blocks[0], blocks[1]);
        for (arm, block) in arms.into_iter().zip(blocks) {
            self.current = block;
            let value = self.value(arm);
            let value = self.convert(value, ty, span);
            self.assign_local(result, Rvalue::Use(value), span);
            self.end_block(Terminator::Goto(end), span, end);
        }
        self.source.mapped.extend(whole);
        self.end_region(around);
        (Rvalue::Use(Operand::Copy(result)), ty)
    }

    fn conditional_effect(
        &mut self,
        kind: DecisionKind,
        condition: &'a Expr,
        arms: [&'a Expr; 2],
        span: usize,
    ) {
        let span = self.span(span);
        let around = self.begin_region(self.next_decision());
        let blocks = [self.new_block(), self.new_block()];
        let end = self.new_block_in(around);
        let whole = self.decide(kind, condition, blocks[0], blocks[1]);
        for (arm, block) in arms.into_iter().zip(blocks) {
            self.current = block;
            self.effect(arm);
            self.end_block(Terminator::Goto(end), span, end);
        }
        self.source.mapped.extend(whole);
        self.end_region(around);
    }

    /// `({ … })`: its value is copied before its locals end.
    fn statement_expression(&mut self, stmt: &'a Stmt, ty: TypeId) -> Typed {
        let span = self.span(stmt.span);
        let StmtKind::Compound(statements) = &stmt.kind else {
            self.stmt(stmt);
            return (Rvalue::Use(self.placeholder(ty, span)), ty);
        };
        let void = *self.types().kind(ty) == Type::Void;
        self.open_scope(stmt.span);
        let mut value = None;
        for (index, statement) in statements.iter().enumerate() {
            match last_expression(statement) {
                Some(last) if !void && index + 1 == statements.len() => {
                    let last_span = self.span(last.span);
                    self.place_labels(statement);
                    self.source_statement(last_span);
                    self.note_hidden_bit_field(last);
                    let operand = self.value(last);
                    value = Some(self.freeze(operand, last_span));
                    self.source_statement_ran(last_span);
                }
                _ => self.stmt(statement),
            }
        }
        self.close_scope(span);
        let value = match value {
            Some(value) => value,
            None => self.placeholder(ty, span),
        };
        let ty = self.operand_type(&value);
        (Rvalue::Use(value), ty)
    }

    /// Starts the blocks of the labels that a statement bears.
    fn place_labels(&mut self, stmt: &Stmt) {
        if let StmtKind::Label { label, body } = &stmt.kind {
            let span = self.span(stmt.span);
            if let Some(&block) = self.label_blocks.get(*label) {
                self.place_label(block, span);
            }
            self.place_labels(body);
        }
    }
}

/// The expression that a statement is, seen through labels.
fn last_expression(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Expression(expr) => Some(expr),
        StmtKind::Label { body, .. } => last_expression(body),
        _ => None,
    }
}

fn float_constant(text: &str, ty: TypeId) -> Operand {
    let digits = text.trim_start_matches("0x");
    let bits = u128::from_str_radix(digits, 16).unwrap_or(0);
    Operand::Constant(Constant {
        ty,
        value: ConstantValue::Float(truncate(bits, 128)),
    })
}

/// What `++` or `--` does to a value.
fn step_operator(op: UnaryOp) -> BinaryOp {
    match op {
        UnaryOp::PreDecrement | UnaryOp::PostDecrement => BinaryOp::Sub,
        _ => BinaryOp::Add,
    }
}

fn is_sum(op: ir::BinaryOp) -> bool {
    matches!(op, ir::BinaryOp::Add | ir::BinaryOp::Sub)
}

/// The operator of the IR; `None` for those that are no operation on two values.
fn ir_operator(op: BinaryOp) -> Option<ir::BinaryOp> {
    Some(match op {
        BinaryOp::Add => ir::BinaryOp::Add,
        BinaryOp::Sub => ir::BinaryOp::Sub,
        BinaryOp::Mul => ir::BinaryOp::Mul,
        BinaryOp::Div => ir::BinaryOp::Div,
        BinaryOp::Rem => ir::BinaryOp::Rem,
        BinaryOp::And => ir::BinaryOp::And,
        BinaryOp::Or => ir::BinaryOp::Or,
        BinaryOp::Xor => ir::BinaryOp::Xor,
        BinaryOp::Shl => ir::BinaryOp::Shl,
        BinaryOp::Shr => ir::BinaryOp::Shr,
        BinaryOp::Eq => ir::BinaryOp::Eq,
        BinaryOp::Ne => ir::BinaryOp::Ne,
        BinaryOp::Lt => ir::BinaryOp::Lt,
        BinaryOp::Le => ir::BinaryOp::Le,
        BinaryOp::Gt => ir::BinaryOp::Gt,
        BinaryOp::Ge => ir::BinaryOp::Ge,
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::Comma | BinaryOp::Assign => {
            return None;
        }
    })
}
