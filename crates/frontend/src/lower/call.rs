//! Calls.

use ir::{
    Callee, Constant, ConstantValue, FunctionType, IntName, Operand, Place, Rvalue, SpanId,
    Terminator, Type, TypeId,
};

use super::OperandOrder;
use super::builder::Typed;
use super::function::FunctionLowering;
use crate::ast::{Expr, ExprKind, FunctionDecl};

impl<'a> FunctionLowering<'_, 'a> {
    /// A call for its result.
    pub(super) fn call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Typed {
        if let Some(value) = self.builtin_call(callee, arguments, expr) {
            return value;
        }
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        let Some(call) = self.prepare_call(callee, arguments, span) else {
            return (Rvalue::Use(self.placeholder(ty, span)), ty);
        };
        let result = call.ty.result;
        if *self.types().kind(result) == Type::Void {
            self.finish_call(call, None, span);
            return (Rvalue::Use(self.int_constant(0)), self.unit.int);
        }
        if let Type::Unsupported(spelling) = self.types().kind(result) {
            let construct = format!("a result of type `{spelling}`");
            return self.unsupported_value(&construct, ty, span);
        }
        let local = self.temporary(result);
        let destination = self.local_place(local);
        let comes_back = !call.noreturn;
        self.finish_call(call, Some(destination), span);
        if comes_back {
            (Rvalue::Use(Operand::Copy(local)), result)
        } else {
            (Rvalue::Use(self.placeholder(result, span)), result)
        }
    }

    /// A call whose result, if any, is not used.
    pub(super) fn call_for_effect(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) {
        let span = self.span(expr.span);
        if let Some(value) = self.builtin_call(callee, arguments, expr) {
            self.operand(value, span);
            return;
        }
        // Compilers remove a call that does nothing but return a value that is not used.
        if self.calls(callee, |function| function.attributes.pure) {
            arguments.iter().for_each(|argument| self.effect(argument));
            return;
        }
        if let Some(call) = self.prepare_call(callee, arguments, span) {
            self.finish_call(call, None, span);
        }
    }

    /// Evaluates callee and arguments; nothing if they do not fit together.
    fn prepare_call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Expr],
        span: SpanId,
    ) -> Option<Call> {
        let later: Vec<&Expr> = arguments.iter().collect();
        let callee = self.value_before(callee, &later);
        let (callee, ty, noreturn) = match &callee {
            Operand::Constant(Constant {
                value: ConstantValue::Function(id),
                ..
            }) => {
                let function = &self.unit.program.functions[*id];
                (Callee::Direct(*id), function.ty, function.noreturn)
            }
            _ => {
                let pointee = self.types().pointee(self.operand_type(&callee))?;
                (Callee::Indirect(callee), pointee, false)
            }
        };
        let Type::Function(ty) = self.types().kind(ty).clone() else {
            self.unsupported("a call of something that is no function", span);
            return None;
        };
        let operands = self.arguments(arguments, &ty.parameters, span);
        let fixed = ty.parameters.len();
        if operands.len() < fixed || (operands.len() > fixed && !ty.variadic) {
            self.unsupported("a call with a wrong number of arguments", span);
            return None;
        }
        Some(Call {
            callee,
            noreturn: noreturn || ty.attributes.noreturn,
            ty,
            arguments: operands,
        })
    }

    /// Evaluates arguments. In clang's order, a record that is an lvalue is copied after all of
    /// them.
    fn arguments(
        &mut self,
        arguments: &'a [Expr],
        parameters: &[TypeId],
        span: SpanId,
    ) -> Vec<Operand> {
        let operands = match self.unit.order {
            OperandOrder::Clang => self.arguments_as_clang(arguments, span),
            OperandOrder::Reversed => self.arguments_reversed(arguments),
        };
        let mut converted = Vec::with_capacity(operands.len());
        for (index, operand) in operands.into_iter().enumerate() {
            converted.push(match parameters.get(index) {
                Some(&parameter) => {
                    self.check_old_style(&operand, parameter, span);
                    self.convert(operand, parameter, span)
                }
                None => operand,
            });
        }
        converted
    }

    /// A definition in the old style converts its arguments. To `_Bool`, clang 19 cuts numbers off
    /// there, where C has them compared with 0.
    fn check_old_style(&mut self, operand: &Operand, parameter: TypeId, span: SpanId) {
        let types = self.types();
        let is_bool = |ty| types.int(ty).is_some_and(|int| int.name == IntName::Bool);
        if is_bool(parameter) && !is_bool(self.operand_type(operand)) {
            self.unsupported("a number passed to a `_Bool` in the old style", span);
        }
    }

    fn arguments_as_clang(&mut self, arguments: &'a [Expr], span: SpanId) -> Vec<Operand> {
        let later: Vec<&Expr> = arguments.iter().collect();
        let mut evaluated = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let later = &later[index + 1..];
            evaluated.push(match self.record_read(argument) {
                Some(record) => Argument::Record(self.place_before(record, later)),
                None => Argument::Value(self.value_before(argument, later)),
            });
        }
        let mut operands = Vec::with_capacity(arguments.len());
        for argument in evaluated {
            operands.push(match argument {
                Argument::Value(operand) => operand,
                Argument::Record(place) => {
                    let value = self.load(place, span);
                    self.operand(value, span)
                }
            });
        }
        operands
    }

    fn arguments_reversed(&mut self, arguments: &'a [Expr]) -> Vec<Operand> {
        let later: Vec<&Expr> = arguments.iter().collect();
        let mut operands = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate().rev() {
            operands.push(self.value_before(argument, &later[..index]));
        }
        operands.reverse();
        operands
    }

    /// The lvalue of which an expression reads a record.
    fn record_read(&self, expr: &'a Expr) -> Option<&'a Expr> {
        match &expr.kind {
            ExprKind::Cast { kind, operand, .. } if kind == "LValueToRValue" => {
                let ty = self.unit.ty(operand.ty);
                (self.types().record(ty).is_some() && self.is_place(operand)).then_some(operand)
            }
            _ => None,
        }
    }

    fn finish_call(&mut self, call: Call, destination: Option<Place>, span: SpanId) {
        let behind = self.new_block();
        let terminator = Terminator::Call {
            callee: call.callee,
            arguments: call.arguments,
            destination: destination.filter(|_| !call.noreturn),
            next: (!call.noreturn).then_some(behind),
        };
        self.end_block(terminator, span, behind);
    }

    /// Whether a function is declared to return more than once.
    pub(super) fn returns_twice(&self, callee: &Expr) -> bool {
        self.calls(callee, |function| function.attributes.returns_twice)
    }

    /// Whether a function that is called by its name is such a one.
    fn calls(&self, callee: &Expr, is_such: fn(&FunctionDecl) -> bool) -> bool {
        match &callee.kind {
            ExprKind::Cast { operand, .. } => self.calls(operand, is_such),
            ExprKind::Function(index) => self.unit.ast.functions.get(*index).is_some_and(is_such),
            _ => false,
        }
    }

    /// The name of a function that is called by it, if clang or attest treats it specially.
    pub(super) fn builtin_name(&self, callee: &'a Expr) -> Option<&'a str> {
        match &callee.kind {
            ExprKind::Cast { operand, .. } => self.builtin_name(operand),
            ExprKind::Function(index) => {
                let function = self.unit.ast.functions.get(*index)?;
                (function.body.is_none() && !function.internal).then_some(function.name.as_str())
            }
            _ => None,
        }
    }
}

/// An argument that was evaluated, but for the copy of a record.
enum Argument {
    Value(Operand),
    Record(Place),
}

/// A call whose callee and arguments were evaluated.
struct Call {
    callee: Callee,
    ty: FunctionType,
    noreturn: bool,
    arguments: Vec<Operand>,
}
