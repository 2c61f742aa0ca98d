//! Calls across units whose declaration of a function is not that of its definition.
//!
//! Pointers of another type, and integers of equal width, are converted. So are unsigned integers
//! that a function of the C library takes as wider ones (`malloc(unsigned)`): compilers extend them
//! by zeros, which C does not promise, so that no proof holds behind such a call. What differs more
//! makes the call an unsupported construct, since what it does is undefined.

use ir::{
    Block, BlockData, Body, Callee, CastKind, FunctionType, LocalDecl, LocalKind, Operand, Origin,
    Place, PlaceBase, Program, Rvalue, SpanId, Statement, StatementKind, Terminator, Type, TypeId,
    Types,
};

use super::narrow;

use crate::diagnostic::{Diagnostic, Severity, SourcePlace};

/// Makes every direct call fit the function it calls.
pub(super) fn fit(program: &mut Program) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut widened = Vec::new();
    let is_model = |id| program.origin(id) == Origin::Model;
    let models: Vec<bool> = program.functions.indices().map(is_model).collect();
    let callees: Vec<(String, Option<FunctionType>)> = program
        .functions
        .iter()
        .map(|function| {
            let ty = match program.types.kind(function.ty) {
                Type::Function(ty) => Some(ty.clone()),
                _ => None,
            };
            (function.name.clone(), ty)
        })
        .collect();
    let Program {
        functions,
        types,
        files,
        ..
    } = program;
    for (id, function) in functions.iter_mut_enumerated() {
        let Some(body) = &mut function.body else {
            continue;
        };
        for index in 0..body.blocks.len() {
            let block = Block::from_usize(index);
            let Terminator::Call {
                callee: Callee::Direct(callee),
                ..
            } = &body.blocks[block].terminator
            else {
                continue;
            };
            let (name, Some(ty)) = &callees[callee.index()] else {
                continue;
            };
            let mut fitting = Fitting {
                types,
                of_library: models[callee.index()],
                widens: false,
            };
            let is_fit = fitting.fit_call(body, block, ty).is_some();
            if is_fit && fitting.widens {
                widened.push((id, block));
            }
            if !is_fit {
                let span = body.blocks[block].span;
                let construct = format!("a call of `{name}` by another type than its definition's");
                refuse(body, block, &construct);
                let at = body.spans[span].place();
                diagnostics.push(Diagnostic {
                    severity: Severity::Warning,
                    message: format!("attest does not handle this yet: {construct}"),
                    function: Some(function.name.clone()),
                    place: files.get(at.file).map(|file| SourcePlace {
                        path: file.path.clone(),
                        line: at.line,
                        column: at.column,
                    }),
                });
            }
        }
    }
    narrow::note(program, &widened, WIDENED);
    diagnostics
}

/// The note about a call with an argument that is widened.
const WIDENED: &str = "an argument is taken to be extended by zeros for a function that is declared \
                       with a narrower parameter";

/// Makes a call an unsupported construct. Where the program goes on, the result is given a value,
/// so that the code there keeps to the rules.
fn refuse(body: &mut Body, block: Block, construct: &str) {
    let span = body.blocks[block].span;
    let mut next = body.blocks[block].terminator.successors();
    if let Terminator::Call {
        destination: Some(place),
        next: Some(behind),
        ..
    } = &body.blocks[block].terminator
    {
        let value = assign(place.clone(), Rvalue::Zero(place.ty), span);
        let behind = BlockData {
            statements: vec![value],
            terminator: Terminator::Goto(*behind),
            span,
        };
        next = vec![body.blocks.push(behind)];
    }
    body.blocks[block].terminator = Terminator::Unsupported {
        construct: construct.to_owned(),
        next,
    };
}

/// How a call is made to fit.
struct Fitting<'a> {
    types: &'a Types,
    /// Whether the callee is a function of the C library.
    of_library: bool,
    /// Whether an argument is widened.
    widens: bool,
}

impl Fitting<'_> {
    /// Converts arguments and result of a call; nothing if that cannot be done.
    fn fit_call(&mut self, body: &mut Body, block: Block, ty: &FunctionType) -> Option<()> {
        let span = body.blocks[block].span;
        let Terminator::Call {
            arguments,
            destination,
            next,
            ..
        } = &body.blocks[block].terminator
        else {
            return Some(());
        };
        let (mut arguments, mut destination) = (arguments.clone(), destination.clone());
        let mut next = *next;
        let fixed = ty.parameters.len();
        if arguments.len() < fixed || (arguments.len() > fixed && !ty.variadic) {
            return None;
        }
        for (argument, &parameter) in arguments.iter_mut().zip(&ty.parameters) {
            let from = operand_type(body, argument);
            if from != parameter {
                let kind = conversion(self.types, from, parameter)
                    .or_else(|| self.widening(from, parameter))?;
                let value = Rvalue::Cast(kind, argument.clone(), parameter);
                *argument = assign_temporary(body, block, value, parameter, span);
            }
        }
        if let Some(place) = &mut destination
            && place.ty != ty.result
        {
            let kind = conversion(self.types, ty.result, place.ty)?;
            let result = temporary(body, ty.result);
            let value = Rvalue::Cast(kind, Operand::Copy(result), place.ty);
            let target = std::mem::replace(place, whole(result, ty.result));
            next = next.map(|next| {
                body.blocks.push(BlockData {
                    statements: vec![assign(target, value, span)],
                    terminator: Terminator::Goto(next),
                    span,
                })
            });
        }
        if let Terminator::Call {
            arguments: old_arguments,
            destination: old_destination,
            next: old_next,
            ..
        } = &mut body.blocks[block].terminator
        {
            *old_arguments = arguments;
            *old_destination = destination;
            *old_next = next;
        }
        Some(())
    }

    /// The conversion of an argument that a function of the C library takes as a wider integer.
    fn widening(&mut self, from: TypeId, to: TypeId) -> Option<CastKind> {
        let (from, to) = (self.types.int(from)?, self.types.int(to)?);
        let is_wider = !from.signed && from.width < to.width && from.width >= INT_WIDTH;
        self.widens |= self.of_library && is_wider;
        (self.of_library && is_wider).then_some(CastKind::IntToInt)
    }
}

/// The width of `int`: narrower arguments are promoted to it.
const INT_WIDTH: u32 = 32;

/// The conversion between types that the calling convention passes alike.
fn conversion(types: &Types, from: TypeId, to: TypeId) -> Option<CastKind> {
    match (types.kind(from), types.kind(to)) {
        (Type::Pointer { .. }, Type::Pointer { .. }) => Some(CastKind::PointerToPointer),
        _ => {
            let (from, to) = (types.int(from)?, types.int(to)?);
            let alike = from.width == to.width && from.name != ir::IntName::Bool;
            (alike && to.name != ir::IntName::Bool).then_some(CastKind::IntToInt)
        }
    }
}

fn operand_type(body: &Body, operand: &Operand) -> TypeId {
    match operand {
        Operand::Copy(local) => body.locals[*local].ty,
        Operand::Constant(constant) => constant.ty,
    }
}

fn temporary(body: &mut Body, ty: TypeId) -> ir::Local {
    body.locals.push(LocalDecl {
        name: None,
        ty,
        kind: LocalKind::Temporary,
        constant: false,
        address_taken: false,
        volatile: false,
    })
}

fn whole(local: ir::Local, ty: TypeId) -> Place {
    Place {
        base: PlaceBase::Local(local),
        projections: Vec::new(),
        ty,
    }
}

fn assign(place: Place, value: Rvalue, span: SpanId) -> Statement {
    Statement {
        kind: StatementKind::Assign(place, value),
        span,
        operation: None,
    }
}

/// Assigns a value at the end of a block to a temporary.
fn assign_temporary(
    body: &mut Body,
    block: Block,
    value: Rvalue,
    ty: TypeId,
    span: SpanId,
) -> Operand {
    let local = temporary(body, ty);
    let statement = assign(whole(local, ty), value, span);
    body.blocks[block].statements.push(statement);
    Operand::Copy(local)
}
