//! Which string literals an input pointer may point to.
//!
//! A caller may hold the address of a literal that the program keeps in a table or returned before.
//! That makes a difference only to code that compares pointers to characters with each other.

use ir::{
    BinaryOp, ConstantValue, FunctionId, GlobalId, GlobalKind, Operand, Origin, Program, Rvalue,
    StatementKind, TypeId,
};

/// The literals of the entry's unit, if some code compares pointers to characters; in order.
pub fn literals(program: &Program, entry: FunctionId) -> Vec<GlobalId> {
    let unit = program.functions[entry].unit;
    let of_user = |&id: &FunctionId| program.origin(id) == Origin::User;
    let mut users = program.functions.indices().filter(of_user);
    if !users.any(|function| compares_characters(program, function)) {
        return Vec::new();
    }
    let globals = program.globals.iter_enumerated();
    let literals = globals
        .filter(|(_, global)| global.kind == GlobalKind::StringLiteral && global.unit == unit);
    literals.map(|(id, _)| id).collect()
}

fn compares_characters(program: &Program, function: FunctionId) -> bool {
    let Some(body) = &program.functions[function].body else {
        return false;
    };
    let ty = |operand: &Operand| match operand {
        Operand::Copy(local) => body.locals[*local].ty,
        Operand::Constant(constant) => constant.ty,
    };
    let is_null = |operand: &Operand| matches!(operand, Operand::Constant(constant) if constant.value == ConstantValue::Int(0));
    let mut statements = body.blocks.iter().flat_map(|block| &block.statements);
    statements.any(|statement| match &statement.kind {
        StatementKind::Assign(_, Rvalue::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right)) => {
            let is_one = |operand| is_pointer_to_characters(program, ty(operand));
            is_one(left) && is_one(right) && !is_null(left) && !is_null(right)
        }
        _ => false,
    })
}

fn is_pointer_to_characters(program: &Program, ty: TypeId) -> bool {
    let pointee = program.types.pointee(ty);
    let int = pointee.and_then(|pointee| program.types.int(pointee));
    int.is_some_and(|int| int.name.is_character())
}
