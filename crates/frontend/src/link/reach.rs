//! Which functions and globals of a program some of its functions use.

use index_vec::IndexVec;
use ir::{
    Body, Callee, Constant, ConstantValue, FunctionId, GlobalId, GlobalKind, Operand, Place,
    PlaceBase, Program, Projection, Rvalue, StatementKind, Terminator,
};

/// Some functions and globals of a program.
pub(crate) struct Selection {
    pub(super) functions: IndexVec<FunctionId, bool>,
    pub(super) globals: IndexVec<GlobalId, bool>,
}

/// Something that code refers to.
#[derive(Clone, Copy)]
enum Symbol {
    Function(FunctionId),
    Global(GlobalId),
}

impl Selection {
    /// Everything.
    pub(crate) fn all(program: &Program) -> Self {
        Selection {
            functions: program.functions.iter().map(|_| true).collect(),
            globals: program.globals.iter().map(|_| true).collect(),
        }
    }

    /// These functions and all that they refer to, directly or not.
    pub(crate) fn reachable(program: &Program, roots: Vec<FunctionId>) -> Self {
        let mut selection = Selection {
            functions: program.functions.iter().map(|_| false).collect(),
            globals: program.globals.iter().map(|_| false).collect(),
        };
        let mut open: Vec<Symbol> = roots.into_iter().map(Symbol::Function).collect();
        while let Some(symbol) = open.pop() {
            match symbol {
                Symbol::Function(id) => {
                    if !std::mem::replace(&mut selection.functions[id], true)
                        && let Some(body) = &program.functions[id].body
                    {
                        each_symbol(body, &mut |symbol| open.push(symbol));
                    }
                }
                Symbol::Global(id) => {
                    if !std::mem::replace(&mut selection.globals[id], true) {
                        let global = &program.globals[id];
                        if let GlobalKind::StaticLocal(function) = global.kind {
                            open.push(Symbol::Function(function));
                        }
                        let relocations = global.initializer.iter().flat_map(|i| &i.relocations);
                        open.extend(relocations.filter_map(|r| symbol_of(&r.target)));
                    }
                }
            }
        }
        selection
    }
}

fn symbol_of(value: &ConstantValue) -> Option<Symbol> {
    match value {
        ConstantValue::Global { global, .. } => Some(Symbol::Global(*global)),
        ConstantValue::Function(function) => Some(Symbol::Function(*function)),
        ConstantValue::Int(_) | ConstantValue::Float(_) => None,
    }
}

fn each_symbol(body: &Body, visitor: &mut impl FnMut(Symbol)) {
    for block in &body.blocks {
        for statement in &block.statements {
            if let StatementKind::Assign(place, value) = &statement.kind {
                in_place(place, visitor);
                in_rvalue(value, visitor);
            }
        }
        match &block.terminator {
            Terminator::Branch { operand, .. }
            | Terminator::Switch { operand, .. }
            | Terminator::Return(Some(operand)) => in_operand(operand, visitor),
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                match callee {
                    Callee::Direct(function) => visitor(Symbol::Function(*function)),
                    Callee::Indirect(operand) => in_operand(operand, visitor),
                }
                for operand in arguments {
                    in_operand(operand, visitor);
                }
                if let Some(place) = destination {
                    in_place(place, visitor);
                }
            }
            Terminator::Goto(_)
            | Terminator::Return(None)
            | Terminator::Unreachable
            | Terminator::Unsupported { .. } => {}
        }
    }
}

fn in_rvalue(value: &Rvalue, visitor: &mut impl FnMut(Symbol)) {
    match value {
        Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
            in_operand(operand, visitor);
        }
        Rvalue::Load(place) | Rvalue::AddressOf(place) => in_place(place, visitor),
        Rvalue::Binary(_, left, right) | Rvalue::PointerDifference { left, right, .. } => {
            in_operand(left, visitor);
            in_operand(right, visitor);
        }
        Rvalue::PointerOffset { pointer, index, .. } => {
            in_operand(pointer, visitor);
            in_operand(index, visitor);
        }
        Rvalue::Zero(_) => {}
    }
}

fn in_place(place: &Place, visitor: &mut impl FnMut(Symbol)) {
    match &place.base {
        PlaceBase::Local(_) => {}
        PlaceBase::Global(global) => visitor(Symbol::Global(*global)),
        PlaceBase::Deref(operand) => in_operand(operand, visitor),
    }
    for step in &place.projections {
        if let Projection::Index(operand) = step {
            in_operand(operand, visitor);
        }
    }
}

fn in_operand(operand: &Operand, visitor: &mut impl FnMut(Symbol)) {
    if let Operand::Constant(Constant { value, .. }) = operand
        && let Some(symbol) = symbol_of(value)
    {
        visitor(symbol);
    }
}
