//! Which functions a call may enter, by its type.
//!
//! A call through a pointer may enter each function with a body whose type could fit, not only
//! those whose address is taken, since a function pointer can be an input. A function without a
//! body may call what it is given pointers to.

use std::mem::discriminant;

use ir::{
    Callee, Function, FunctionId, FunctionType, Operand, Program, Type, TypeId, Types, Typing,
};

/// The functions with a body, to find those that a call can enter.
pub(crate) struct Callees<'p> {
    program: &'p Program,
    defined: Vec<(FunctionId, Option<&'p FunctionType>)>,
}

impl<'p> Callees<'p> {
    pub fn new(program: &'p Program) -> Self {
        let defined = program
            .functions
            .iter_enumerated()
            .filter(|(_, function)| has_code(function))
            .map(|(id, function)| (id, function_type(program, function.ty)))
            .collect();
        Callees { program, defined }
    }

    /// The functions that a call may enter.
    pub fn of(
        &self,
        callee: &Callee,
        arguments: &[Operand],
        typing: Typing<'_>,
    ) -> Vec<FunctionId> {
        match callee {
            Callee::Direct(callee) => match self.program.functions.get(*callee) {
                Some(function) if has_code(function) => vec![*callee],
                _ => self.given(arguments, typing),
            },
            Callee::Indirect(pointer) => self.fitting(self.pointed(pointer, typing)),
        }
    }

    /// The functions that a function without a body may call because it is given pointers to them.
    fn given(&self, arguments: &[Operand], typing: Typing<'_>) -> Vec<FunctionId> {
        let given = arguments
            .iter()
            .filter_map(|argument| self.pointed(argument, typing));
        given
            .flat_map(|called| self.fitting(Some(called)))
            .collect()
    }

    fn fitting(&self, called: Option<&FunctionType>) -> Vec<FunctionId> {
        let types = &self.program.types;
        let defined = self.defined.iter();
        let fitting = defined.filter(|(_, ty)| fits(types, called, *ty));
        fitting.map(|(id, _)| *id).collect()
    }

    fn pointed(&self, pointer: &Operand, typing: Typing<'_>) -> Option<&'p FunctionType> {
        let ty = typing.operand(pointer)?;
        function_type(self.program, self.program.types.pointee(ty)?)
    }
}

/// Whether control can enter a function.
pub(crate) fn has_code(function: &Function) -> bool {
    let body = function.body.as_ref();
    body.is_some_and(|body| !body.blocks.is_empty())
}

fn function_type(program: &Program, ty: TypeId) -> Option<&FunctionType> {
    match &program.types.get(ty)?.kind {
        Type::Function(ty) => Some(ty),
        _ => None,
    }
}

/// Whether a call at one type may enter a function of another; unknown types fit everything. Any
/// other call is a defect, or not handled, so control does not go there.
fn fits(types: &Types, called: Option<&FunctionType>, function: Option<&FunctionType>) -> bool {
    let (Some(called), Some(function)) = (called, function) else {
        return true;
    };
    let same = |(a, b): (&TypeId, &TypeId)| {
        let integers = types.int(*a).is_some() && types.int(*b).is_some();
        let kinds = discriminant(types.kind(*a)) == discriminant(types.kind(*b));
        (integers || kinds) && types.size(*a) == types.size(*b)
    };
    let count = called.parameters.len() == function.parameters.len();
    let open = called.variadic || function.variadic;
    // A definition in the old style may have narrower parameters than the call passes.
    let is_promotion = |(_, b): (&TypeId, &TypeId)| {
        matches!(types.kind(*b), Type::Float(_)) || types.int(*b).is_some_and(|int| int.width < 32)
    };
    let mut parameters = called.parameters.iter().zip(&function.parameters);
    let fit = |pair| same(pair) || is_promotion(pair);
    same((&called.result, &function.result)) && (open || count && parameters.all(fit))
}
