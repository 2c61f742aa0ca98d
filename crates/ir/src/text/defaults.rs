//! The defaults of the text form where nothing is written; printer and parser must agree on them.

use index_vec::IndexVec;

use crate::{
    BinaryOp, Body, Callee, DecisionId, FileId, FloatName, Function, FunctionId, FunctionType,
    IntName, IntType, Operand, Origin, Position, Rvalue, SourceFile, Span, SwitchArm, SwitchSide,
    Target, Terminator, Type, TypeId, Types, Typing, Unit,
};

/// The target of a text that names none.
pub(super) fn target() -> Target {
    Target {
        triple: "x86_64-pc-linux-gnu".to_owned(),
        pointer_width: 64,
        moves_by_x87: false,
        signed_overflow_wraps: false,
        relaxed_aliasing: false,
        relaxed_alignment: false,
        freestanding: false,
    }
}

/// The only file of a text that names none.
pub(super) fn file() -> SourceFile {
    SourceFile {
        path: "text.c".to_owned(),
    }
}

/// The only unit of a text that names none.
pub(super) fn unit() -> Unit {
    Unit {
        path: "text.c".to_owned(),
        origin: Origin::User,
        unknown_records: Vec::new(),
        absent_records: Vec::new(),
        unknown_enums: Vec::new(),
        macros: Vec::new(),
        qualified: Vec::new(),
        clang_values: false,
    }
}

/// The span of code that is written without one.
pub(super) fn span() -> Span {
    let start = Position {
        file: FileId::from_raw(0),
        line: 1,
        column: 1,
    };
    Span {
        begin: start,
        end: start,
        expansions: Vec::new(),
    }
}

/// The usual width and signedness of an integer type.
pub(super) fn int(name: IntName, target: &Target) -> IntType {
    let (width, signed) = match name {
        IntName::Bool | IntName::UnsignedChar => (8, false),
        IntName::Char | IntName::SignedChar => (8, true),
        IntName::Short => (16, true),
        IntName::UnsignedShort => (16, false),
        IntName::Int => (32, true),
        IntName::UnsignedInt => (32, false),
        IntName::Long => (target.pointer_width, true),
        IntName::UnsignedLong => (target.pointer_width, false),
        IntName::LongLong => (64, true),
        IntName::UnsignedLongLong => (64, false),
        IntName::Int128 => (128, true),
        IntName::UnsignedInt128 => (128, false),
    };
    IntType {
        name,
        width,
        signed,
    }
}

/// The usual size and alignment of a type in bytes.
pub(super) fn layout(kind: &Type, types: &Types, target: &Target) -> (u64, u64) {
    let wide = target.pointer_width == 64;
    let natural = |size: u64| (size, if wide { size } else { size.min(4) });
    match kind {
        Type::Void | Type::Function(_) | Type::Unsupported(_) => (0, 1),
        Type::Int(int) => natural(u64::from(int.width / 8)),
        Type::Enum(id) => types
            .enums
            .get(*id)
            .map_or((0, 1), |def| natural(u64::from(def.underlying.width / 8))),
        Type::Float(FloatName::Half) => (2, 2),
        Type::Float(FloatName::Float) => (4, 4),
        Type::Float(FloatName::Double) => natural(8),
        Type::Float(FloatName::LongDouble) => {
            if wide {
                (16, 16)
            } else {
                (12, 4)
            }
        }
        Type::Float(FloatName::Float128) => (16, 16),
        Type::Pointer { .. } => natural(u64::from(target.pointer_width / 8)),
        Type::Array { element, length } => types.get(*element).map_or((0, 1), |element| {
            let length = length.unwrap_or(0);
            (element.size.saturating_mul(length), element.align)
        }),
        Type::Record(id) => types
            .records
            .get(*id)
            .map_or((0, 1), |record| (record.size, record.align)),
    }
}

/// The type of a constant written without one, where its surroundings suggest `hint`; `None` for
/// `int`.
pub(super) fn constant_type(hint: Option<TypeId>, types: &Types) -> Option<TypeId> {
    hint.filter(|&ty| types.get(ty).is_some() && types.is_scalar(ty))
}

/// The types that an operation suggests for its two operands, in an assignment to `target`.
pub(super) fn binary_hints(
    op: BinaryOp,
    target: TypeId,
    left: Option<TypeId>,
    right: Option<TypeId>,
) -> [Option<TypeId>; 2] {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => [Some(target), None],
        _ if op.is_comparison() => [left.or(right); 2],
        _ => [left.or(right).or(Some(target)); 2],
    }
}

/// The type of an operand that says it by itself: that of a local.
pub(super) fn own_type(operand: &Operand, typing: &Typing<'_>) -> Option<TypeId> {
    match operand {
        Operand::Copy(_) => typing.operand(operand),
        Operand::Constant(_) => None,
    }
}

/// The type that casts and their like give when no `as` follows them.
pub(super) fn explicit_type(rvalue: &Rvalue) -> Option<TypeId> {
    match rvalue {
        Rvalue::Cast(_, _, ty) | Rvalue::PointerDifference { ty, .. } | Rvalue::Zero(ty) => {
            Some(*ty)
        }
        _ => None,
    }
}

/// The sides of a decision that is written `switch` without any: those of its terminator.
pub(super) fn switch_sides(body: &Body, id: DecisionId, typing: &Typing<'_>) -> Vec<SwitchSide> {
    let switch = body
        .blocks
        .iter()
        .find_map(|block| match &block.terminator {
            Terminator::Switch {
                operand,
                arms,
                decision,
                ..
            } if *decision == id => Some((operand, arms)),
            _ => None,
        });
    let Some((operand, arms)) = switch else {
        return Vec::new();
    };
    let int = typing
        .operand(operand)
        .filter(|&ty| typing.types.get(ty).is_some())
        .and_then(|ty| typing.types.int(ty));
    let side = |values| SwitchSide {
        values,
        names: None,
        span: span(),
    };
    let value = |arm: &SwitchArm| (signed(arm.low, int), signed(arm.high, int));
    arms.iter()
        .map(|arm| side(Some(value(arm))))
        .chain([side(None)])
        .collect()
}

/// The mathematical value of bits of an integer type.
pub(super) fn signed(bits: u128, int: Option<IntType>) -> i128 {
    match int {
        Some(int) if is_negative(bits, int) && int.width < 128 => {
            bits as i128 - (1i128 << int.width)
        }
        _ => bits as i128,
    }
}

/// Whether bits of an integer type stand for a number below zero.
pub(super) fn is_negative(bits: u128, int: IntType) -> bool {
    let fits = int.width >= 128 || bits >> int.width == 0;
    int.signed && fits && int.width > 0 && bits >> (int.width.min(128) - 1) & 1 == 1
}

/// The function type behind an id, if it is one.
pub(super) fn function_type(ty: TypeId, types: &Types) -> Option<&FunctionType> {
    match &types.get(ty)?.kind {
        Type::Function(function) => Some(function),
        _ => None,
    }
}

/// The type that a call is made at.
pub(super) fn callee_type<'t>(
    callee: &Callee,
    functions: &IndexVec<FunctionId, Function>,
    typing: &Typing<'t>,
) -> Option<&'t FunctionType> {
    let ty = match callee {
        Callee::Direct(function) => functions.get(*function)?.ty,
        Callee::Indirect(operand) => {
            let pointer = typing.operand(operand)?;
            typing.types.get(pointer)?;
            typing.types.pointee(pointer)?
        }
    };
    function_type(ty, typing.types)
}
