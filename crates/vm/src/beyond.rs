//! Going on beyond defects: C says nothing of what comes then, but compilers give it a meaning.
//!
//! These are reads of locals in registers that were never written, and calls through pointers to
//! functions of another type that takes its arguments and gives its result in the same way.

use ir::test::Defect;
use ir::{DefectKind, FunctionId, Type, TypeId, Types};

use crate::execution::Beyond;
use crate::run::Run;
use crate::value::Scalar;

impl Run<'_, '_> {
    /// Notes that the execution goes on beyond a defect.
    pub fn go_beyond(&mut self, kind: DefectKind, message: String) {
        if self.state.record.findings.beyond.is_some() {
            return;
        }
        self.complete_trace();
        self.state.record.findings.beyond = Some(Beyond {
            defect: Defect {
                kind,
                message,
                stack: self.seen_by_user(self.frames()),
                assumptions: self.assumed_failure().into_iter().collect(),
            },
            within: self.state.record.visited.all.clone(),
        });
    }

    /// Whether a call goes to a function although that has another type.
    pub fn calls_beyond(&mut self, function: FunctionId, ty: TypeId) -> bool {
        let program = self.code.program;
        let callee = &program.functions[function];
        let goes_on = self.code.config.beyond_defects
            && callee.body.is_some()
            && passes_alike(&program.types, callee.ty, ty);
        if goes_on {
            let message = format!("{} is called as a function of another type", callee.name);
            self.go_beyond(DefectKind::BadFunctionPointer, message);
        }
        goes_on
    }
}

/// Whether two function types pass arguments and results in the same places.
fn passes_alike(types: &Types, function: TypeId, call: TypeId) -> bool {
    let (Type::Function(function), Type::Function(call)) = (types.kind(function), types.kind(call))
    else {
        return false;
    };
    let width = |ty: TypeId| match types.kind(ty) {
        Type::Float(_) => None,
        _ => Scalar::of(types, ty).map(|scalar| scalar.width),
    };
    let is_alike = |x: TypeId, y: TypeId| width(x).is_some() && width(x) == width(y);
    let is_wanted = *types.kind(call.result) != Type::Void;
    let has_result = *types.kind(function.result) == Type::Void || width(function.result).is_some();
    let mut pairs = function.parameters.iter().zip(&call.parameters);
    !function.variadic
        && !call.variadic
        && function.parameters.len() <= call.parameters.len()
        && pairs.all(|(&x, &y)| is_alike(x, y))
        && has_result
        && (!is_wanted || is_alike(function.result, call.result))
}
