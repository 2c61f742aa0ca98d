//! Which objects functions outside the program may have got the address of. Some surely can: code passes
//! the address to a function without a body, returns it from a function that others can call, or stores it
//! where others see it. Where it is stored in memory of the program, they may get it from there. A
//! function of the C library, and one that attest has a model of, keeps no address.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::library::keeps_for_others;
use ir::test::{Bound, BoundKind, Frame};
use ir::{
    BlockData, Body, Callee, ConstantValue, Function, FunctionId, Global, GlobalId, GlobalKind,
    Linkage, Local, Operand, Origin, Place, PlaceBase, Program, Rvalue, StatementKind, Terminator,
    Type,
};

use crate::called_back::{hands_over_unknown, is_construct, with_mentioned};
use crate::effects::calls_unknown;
use crate::globals::World;

/// Whether an address gets out of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Escape {
    Never,
    /// It lies in memory of the program.
    Perhaps,
    Surely,
}

/// The globals whose address may be known outside the program.
pub(crate) struct Escaped {
    /// Those of which nothing speaks against it.
    pub surely: FixedBitSet,
    /// Others.
    pub perhaps: FixedBitSet,
}

/// The globals whose address may be known outside the program.
pub(crate) fn escaped(program: &Program) -> Escaped {
    let lost = lost_parameters(program);
    let none = FixedBitSet::with_capacity(program.globals.len());
    let mut found = Escaped {
        surely: none.clone(),
        perhaps: none,
    };
    let mut add = |global: GlobalId, escape: Escape| match escape {
        Escape::Never => {}
        Escape::Perhaps => found.perhaps.insert(global.index()),
        Escape::Surely => found.surely.insert(global.index()),
    };
    for (id, function) in program.functions.iter_enumerated() {
        let Some(body) = &function.body else { continue };
        if program.origin(id) == Origin::Model {
            continue;
        }
        for global in globals_of(body) {
            let address = Address::Global(global);
            add(global, escapes(program, (id, body), &lost, address));
        }
    }
    for global in &program.globals {
        let escape = match is_seen_by_others(global) {
            true => Escape::Surely,
            false => Escape::Perhaps,
        };
        for relocation in global.initializer.iter().flat_map(|data| &data.relocations) {
            if let ConstantValue::Global { global: target, .. } = relocation.target {
                add(target, escape);
            }
        }
    }
    found
}

fn is_seen_by_others(global: &Global) -> bool {
    global.kind == GlobalKind::File(Linkage::External)
}

/// The functions that code outside the program may call: those that it can name, those whose address is
/// taken, and what they call.
pub(crate) fn callable_from_outside(program: &Program, entry: FunctionId) -> FixedBitSet {
    let found = program.with_callees(called_from_outside(program, entry));
    found.iter().map(|function| function.index()).collect()
}

/// Whether a function of the program may call the entry function, by its name or through a pointer, and code outside
/// may call that one.
pub(crate) fn is_called_for_others(program: &Program, entry: FunctionId) -> bool {
    let mut others = called_from_outside(program, entry);
    others.retain(|&function| function != entry);
    let others = program.with_callees(others);
    others.contains(&entry)
        || others
            .iter()
            .any(|&function| calls_by_pointer(program, function))
}

/// Whether a function calls one through a pointer.
fn calls_by_pointer(program: &Program, function: FunctionId) -> bool {
    let body = program.functions[function].body.iter();
    let mut blocks = body.flat_map(|body| &body.blocks);
    blocks.any(|block| {
        let Terminator::Call { callee, .. } = &block.terminator else {
            return false;
        };
        matches!(callee, Callee::Indirect(_))
    })
}

/// The functions that code outside the program can name, and those whose address is taken.
fn called_from_outside(program: &Program, entry: FunctionId) -> Vec<FunctionId> {
    let is_main = program.functions[entry].name == "main";
    let mut waiting: Vec<FunctionId> = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        if function.linkage == Linkage::External && !(is_main && id == entry) {
            waiting.push(id);
        }
        for body in function.body.iter() {
            waiting.extend(operands(body).filter_map(|operand| match operand {
                Operand::Constant(constant) => match constant.value {
                    ConstantValue::Function(function) => Some(function),
                    _ => None,
                },
                Operand::Copy(_) => None,
            }));
        }
    }
    let relocations = program
        .globals
        .iter()
        .filter_map(|global| global.initializer.as_ref());
    waiting.extend(
        relocations
            .flat_map(|data| &data.relocations)
            .filter_map(|relocation| match relocation.target {
                ConstantValue::Function(function) => Some(function),
                _ => None,
            }),
    );
    waiting
}

/// The call of an unknown function that could call back, among those that some functions
/// make, if there is one.
pub(crate) fn call_back(
    program: &Program,
    entry: FunctionId,
    functions: &[FunctionId],
    world: World,
) -> Option<Bound> {
    let hands_out = program.sets_library_hooks() || registers_any(program);
    // Before `main`, no functions were given to `atexit` or for signals.
    let ends_alone = program.functions[entry].name == "main";
    let of_user = |id: &&FunctionId| program.origin(**id) == Origin::User;
    let functions = with_mentioned(program, functions);
    functions.iter().filter(of_user).find_map(|&function| {
        let body = program.functions[function].body.as_ref()?;
        let mut blocks = body.blocks.iter_enumerated();
        let (block, data) = blocks.find(|(_, data)| {
            // In a whole program, pointers to functions lead to functions that are read.
            let is_known = world == World::Closed && called(data).is_none();
            let unknown = calls_unknown(program, data).filter(|_| !is_known);
            let may_call = unknown == Some(true)
                || hands_out && calls_library(program, data)
                || !ends_alone && ends_program(program, data)
                || switches_context(data);
            (may_call && !is_construct(program, data))
                || hands_over_unknown(program, body, data, world)
        })?;
        Some(Bound {
            kind: BoundKind::UnknownCall,
            detail: "a function without a body is taken not to call back".to_owned(),
            stack: vec![Frame {
                function,
                block,
                span: body.spans.get(data.span)?.clone(),
            }],
        })
    })
}

/// The function that a block calls by its name.
fn called(block: &BlockData) -> Option<FunctionId> {
    match block.terminator {
        Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        } => Some(callee),
        _ => None,
    }
}

/// Whether a block gives a function of the C library functions to call later, as for signals.
fn registers(program: &Program, block: &BlockData) -> bool {
    called(block).is_some_and(|callee| program.takes_callbacks(callee))
}

/// Whether any function of the program does so with one that the machine does not know, as for streams and
/// signals.
fn registers_any(program: &Program) -> bool {
    let is_unknown = |callee| {
        let function: &Function = &program.functions[callee];
        function.body.is_none() && !ir::library::is_known(&program.types, function)
    };
    let registers_unknown =
        |block: &BlockData| registers(program, block) && called(block).is_some_and(is_unknown);
    let functions = program.functions.iter_enumerated();
    let of_user = functions.filter(|(id, _)| program.origin(*id) == Origin::User);
    let mut bodies = of_user.filter_map(|(_, function)| function.body.as_ref());
    bodies.any(|body| body.blocks.iter().any(registers_unknown))
}

/// Whether a block calls a function of the C library that has no body, one that the machine knows included.
fn calls_library(program: &Program, block: &BlockData) -> bool {
    called(block).is_some_and(|callee| {
        let is_own = program.functions[callee].name.starts_with("__attest_");
        program.is_library(callee) && !is_own
    })
}

/// Whether a block may end the program by a function of the C library that first runs functions which
/// others gave to `atexit`, for signals, or for the end of a thread.
fn ends_program(program: &Program, block: &BlockData) -> bool {
    let Some(callee) = called(block) else {
        return false;
    };
    let data = &program.functions[callee];
    match data.name.as_str() {
        "exit" | "abort" | "quick_exit" | "error" | "error_at_line" => true,
        "_exit"
        | "_Exit"
        | "longjmp"
        | "_longjmp"
        | "siglongjmp"
        | "__longjmp_chk"
        | "__builtin_longjmp"
        | "__builtin_unreachable" => false,
        _ => data.noreturn && data.body.is_none(),
    }
}

/// Whether a block goes on in another context, whose functions may be any.
fn switches_context(block: &BlockData) -> bool {
    let names = ["`setcontext`", "`swapcontext`"];
    matches!(&block.terminator, Terminator::Unsupported { construct, .. }
        if names.contains(&construct.as_str()))
}

/// An address that is followed through a function.
#[derive(Clone, Copy)]
enum Address {
    Global(GlobalId),
    Parameter(Local),
}

/// For each function, how addresses get out of the program through its parameters.
type Lost = IndexVec<FunctionId, Vec<Escape>>;

fn lost_parameters(program: &Program) -> Lost {
    let parameters = |function: &Function| vec![Escape::Never; function.parameter_names.len()];
    let mut lost: Lost = program.functions.iter().map(parameters).collect();
    loop {
        let mut is_stable = true;
        for (id, function) in program.functions.iter_enumerated() {
            let Some(body) = &function.body else { continue };
            if program.origin(id) == Origin::Model {
                continue;
            }
            for (index, local) in function.parameters().enumerate() {
                let address = Address::Parameter(local);
                let escape = escapes(program, (id, body), &lost, address);
                if escape > lost[id][index] {
                    lost[id][index] = escape;
                    is_stable = false;
                }
            }
        }
        if is_stable {
            return lost;
        }
    }
}

/// Whether an address gets out of a function.
fn escapes(
    program: &Program,
    (function, body): (FunctionId, &Body),
    lost: &Lost,
    address: Address,
) -> Escape {
    let mut held = FixedBitSet::with_capacity(body.locals.len());
    if let Address::Parameter(local) = address {
        held.insert(local.index());
    }
    let mut escape = Escape::Never;
    loop {
        let before = held.count_ones(..);
        for block in &body.blocks {
            for statement in &block.statements {
                let StatementKind::Assign(place, value) = &statement.kind else {
                    continue;
                };
                if gives(value, address, &held) {
                    match (&place.base, place.projections.is_empty()) {
                        (PlaceBase::Local(local), true) => held.insert(local.index()),
                        _ => escape = escape.max(stored(program, place)),
                    }
                }
                if let Rvalue::AddressOf(place) = value
                    && let PlaceBase::Local(local) = place.base
                    && held.contains(local.index())
                {
                    escape = escape.max(Escape::Perhaps);
                }
            }
            let end = leaves(program, (function, &block.terminator), lost, address, &held);
            escape = escape.max(end);
        }
        if held.count_ones(..) == before {
            return escape;
        }
    }
}

/// Whether an address gets out that is stored in a place.
fn stored(program: &Program, place: &Place) -> Escape {
    match place.base {
        PlaceBase::Local(_) => Escape::Perhaps,
        PlaceBase::Global(global) if !is_seen_by_others(&program.globals[global]) => {
            Escape::Perhaps
        }
        PlaceBase::Global(_) | PlaceBase::Deref(_) => Escape::Surely,
    }
}

/// Whether a value is the address, or made from it.
fn gives(value: &Rvalue, address: Address, held: &FixedBitSet) -> bool {
    let is_it = |operand: &Operand| is_address(operand, address, held);
    match value {
        Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
            is_it(operand)
        }
        Rvalue::AddressOf(place) => match &place.base {
            PlaceBase::Global(global) => matches!(address, Address::Global(of) if of == *global),
            PlaceBase::Deref(pointer) => is_it(pointer),
            PlaceBase::Local(_) => false,
        },
        Rvalue::Binary(op, left, right) => !op.is_comparison() && (is_it(left) || is_it(right)),
        Rvalue::PointerOffset { pointer, .. } => is_it(pointer),
        Rvalue::Load(_) | Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => false,
    }
}

fn is_address(operand: &Operand, address: Address, held: &FixedBitSet) -> bool {
    match operand {
        Operand::Copy(local) => held.contains(local.index()),
        Operand::Constant(constant) => match (constant.value.clone(), address) {
            (ConstantValue::Global { global, .. }, Address::Global(of)) => global == of,
            _ => false,
        },
    }
}

/// Whether an address gets out of a function where a block ends.
fn leaves(
    program: &Program,
    (function, terminator): (FunctionId, &Terminator),
    lost: &Lost,
    address: Address,
    held: &FixedBitSet,
) -> Escape {
    let is_it = |operand: &Operand| is_address(operand, address, held);
    match terminator {
        Terminator::Return(Some(operand)) if is_it(operand) => {
            match program.functions[function].linkage {
                Linkage::External => Escape::Surely,
                Linkage::Internal | Linkage::Inline => Escape::Perhaps,
            }
        }
        Terminator::Call {
            callee, arguments, ..
        } => {
            let passed = arguments.iter().enumerate().filter(|(_, it)| is_it(it));
            let passed = passed.map(|(index, _)| match callee {
                Callee::Indirect(_) => Escape::Surely,
                Callee::Direct(callee) => given_to(program, *callee, lost, index),
            });
            passed.max().unwrap_or(Escape::Never)
        }
        _ => Escape::Never,
    }
}

/// Whether an address gets out that is an argument of a function.
fn given_to(program: &Program, callee: FunctionId, lost: &Lost, index: usize) -> Escape {
    let function = &program.functions[callee];
    let keeps_none = program.origin(callee) == Origin::Model
        || ir::library::is_known(&program.types, function)
        || program.keeps_to_itself(callee) && !keeps_for_others(&function.name);
    match (&function.body, lost[callee].get(index)) {
        // What it returns may be what it is given.
        _ if keeps_none => Escape::Perhaps.min(returned(program, callee)),
        (Some(_), Some(&escape)) => escape,
        _ => Escape::Surely,
    }
}

/// Whether what a function is given may be in what it returns.
fn returned(program: &Program, callee: FunctionId) -> Escape {
    let types = &program.types;
    match types.kind(program.functions[callee].ty) {
        Type::Function(ty) if types.has_pointers(ty.result) => Escape::Perhaps,
        _ => Escape::Never,
    }
}

/// The globals whose address is taken in a function.
fn globals_of(body: &Body) -> BTreeSet<GlobalId> {
    let constants = operands(body).filter_map(|operand| match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Global { global, .. } => Some(global),
            _ => None,
        },
        Operand::Copy(_) => None,
    });
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    let places = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(
            _,
            Rvalue::AddressOf(Place {
                base: PlaceBase::Global(global),
                ..
            }),
        ) => Some(*global),
        _ => None,
    });
    constants.chain(places).collect()
}

/// The operands of a function that are values, not parts of places.
fn operands(body: &Body) -> impl Iterator<Item = &Operand> {
    body.blocks.iter().flat_map(|block| {
        let statements = block.statements.iter();
        let values = statements.flat_map(|statement| match &statement.kind {
            StatementKind::Assign(_, value) => match value {
                Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                    vec![operand]
                }
                Rvalue::Binary(_, left, right) => vec![left, right],
                Rvalue::PointerOffset { pointer, .. } => vec![pointer],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        });
        let ends = match &block.terminator {
            Terminator::Return(Some(operand)) => vec![operand],
            Terminator::Call { arguments, .. } => arguments.iter().collect(),
            _ => Vec::new(),
        };
        values.chain(ends)
    })
}
