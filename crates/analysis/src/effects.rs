//! The effects of calls on memory that their callers see: an analysis of the code alone.
//!
//! It answers for a function and all that it may call: which globals it may change or reach by
//! name, what it may change through pointers, and whether it may end the program.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use ir::effects::{Effects, Stores};
use ir::library::{keeps_for_others, may_end_program};
use ir::{
    BlockData, Body, Callee, CastKind, ConstantValue, ERRNO_OF_MODELS, FunctionId, GlobalId,
    GlobalKind, LocalKind, Operand, Origin, Place, PlaceBase, Program, Projection, RecordKind,
    Rvalue, StatementKind, Terminator, Type, TypeId, Types, Typing,
};

use crate::call_graph::Summaries;
use crate::callbacks::calls_unknown;
use crate::callees::has_code;
use crate::globals::GlobalUses;
use crate::reach::Reach;

/// What calls of each function of a program may do, and those that they make.
#[derive(Clone, Debug)]
pub struct CallEffects(Summaries<Found>);

/// What is known of calls of a function.
#[derive(Clone, Debug, Default)]
struct Found {
    effects: Effects,
    /// Whether they may call functions that may do more than those of the C library do.
    calls_others: bool,
}

impl CallEffects {
    /// What calls of a program's functions may do.
    pub fn new(program: &Program, reach: &Reach) -> Self {
        let code = Code {
            program,
            library_state: library_state(program),
            maps_memory: program.maps_memory(),
        };
        let own = |function| code.own(function);
        CallEffects(reach.summaries(own, |found, other| {
            found.effects.add(&other.effects);
            found.calls_others |= other.calls_others;
        }))
    }

    /// What calls of a function may do. Unknown functions may change the globals that `others` may
    /// reach.
    pub fn of(&self, function: FunctionId, others: &[GlobalId]) -> Effects {
        let found = self.0.of(function);
        let mut effects = found.effects.clone();
        if found.calls_others {
            effects.writes.extend(others);
        }
        effects
    }
}

/// The program that the effects are of.
struct Code<'a> {
    program: &'a Program,
    library_state: Vec<GlobalId>,
    maps_memory: bool,
}

impl Code<'_> {
    /// What the code of a function does itself.
    fn own(&self, function: FunctionId) -> Found {
        let program = self.program;
        let mut found = Found::default();
        let function_data = &program.functions[function];
        let Some(body) = function_data
            .body
            .as_ref()
            .filter(|_| has_code(function_data))
        else {
            return found;
        };
        let mut uses = GlobalUses::new(program);
        uses.function(program, function);
        let typing = Typing {
            types: &program.types,
            globals: &program.globals,
            locals: &body.locals,
        };
        let effects = &mut found.effects;
        effects.takes_inputs |= may_be_unwritten(program, body);
        for block in &body.blocks {
            add_block(program, typing, block, effects);
            let unknown = calls_unknown(program, block);
            if unknown.is_some() || calls_output(program, block) {
                effects.writes.extend(&self.library_state);
            }
            if let Some(is_other) = unknown {
                effects.calls_unknown |= is_other || self.maps_memory;
                found.calls_others |= is_other;
            }
        }
        effects.writes.extend(globals(&uses.written));
        effects
            .looks_at
            .extend(globals(&uses.read).chain(globals(&uses.escaped)));
        found
    }
}

/// Whether these functions make calls themselves that may end the program or return, and no edge
/// of theirs says which: by pointers, or of `error`.
pub fn may_end_at_calls(program: &Program, functions: &BTreeSet<FunctionId>) -> bool {
    let bodies = functions
        .iter()
        .filter_map(|&id| program.functions[id].body.as_ref());
    let mut blocks = bodies.flat_map(|body| &body.blocks);
    blocks.any(|block| match &block.terminator {
        Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        } => may_end_program(&program.functions[*callee].name),
        Terminator::Call { .. } => true,
        _ => false,
    })
}

fn globals(bits: &FixedBitSet) -> impl Iterator<Item = GlobalId> + '_ {
    bits.ones().map(GlobalId::from_usize)
}

fn add_block(program: &Program, typing: Typing<'_>, block: &BlockData, effects: &mut Effects) {
    for statement in &block.statements {
        if let StatementKind::Assign(place, value) = &statement.kind {
            add_store(typing, place, &mut effects.stores);
            effects.casts.extend(cast(typing, value));
            effects.hides_pointers |= hides_pointers(typing, value);
        }
    }
    let Terminator::Call {
        callee,
        arguments,
        destination,
        ..
    } = &block.terminator
    else {
        return;
    };
    let places = destination.iter();
    places.for_each(|place| add_store(typing, place, &mut effects.stores));
    match callee {
        Callee::Direct(callee) if program.functions[*callee].body.is_some() => {}
        Callee::Direct(callee) => add_bodiless(program, *callee, arguments, effects),
        // An unknown one may be among those that the pointer points to.
        Callee::Indirect(_) => {
            effects.stores.any = true;
            effects.takes_inputs = true;
            effects.may_end = true;
        }
    }
}

/// Whether a block ends in a call of a function that the machine knows and that may set `errno`.
fn calls_output(program: &Program, block: &BlockData) -> bool {
    match &block.terminator {
        Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        } => ir::library::sets_errno(&program.functions[*callee].name),
        _ => false,
    }
}

/// What any function may change that C library functions remember, and their own objects.
fn library_state(program: &Program) -> Vec<GlobalId> {
    let globals = program.globals.iter_enumerated();
    let state = globals.filter(|(_, global)| {
        let of_models = program.units[global.unit].origin == Origin::Model;
        let is_errno = of_models && global.name == ERRNO_OF_MODELS;
        is_errno || program.is_changed_by_library(global)
    });
    state.map(|(id, _)| id).collect()
}

fn add_bodiless(
    program: &Program,
    callee: FunctionId,
    arguments: &[Operand],
    effects: &mut Effects,
) {
    let data = &program.functions[callee];
    let family = program.static_family(callee).map(str::to_owned);
    effects.writes_over.extend(family);
    if program.is_library(callee) {
        effects.of_library.insert(data.name.clone());
    }
    effects.may_end |= data.noreturn || may_end_program(&data.name);
    effects.takes_inputs |= ir::library::takes_input(&program.types, data);
    let Type::Function(ty) = program.types.kind(data.ty) else {
        return;
    };
    let keeps_to_itself = program.keeps_to_itself(callee) && !program.may_call_back(callee);
    let may_store = |(&parameter, argument): (&ir::TypeId, &Operand)| {
        let types = &program.types;
        match types.kind(parameter) {
            _ if is_literal(program, argument) => false,
            Type::Pointer {
                pointee, constant, ..
            } => !constant || !keeps_to_itself || types.has_pointers(*pointee),
            _ => types.has_pointers(parameter),
        }
    };
    let mut given = ty.parameters.iter().zip(arguments);
    // A declaration may say nothing of the parameters.
    let has_more = ty.variadic || arguments.len() > ty.parameters.len();
    effects.stores.any |= has_more || given.any(may_store) || keeps_for_others(&data.name);
}

/// Whether an operand is a string literal, or NULL.
fn is_literal(program: &Program, operand: &Operand) -> bool {
    match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Global { global, .. } => {
                program.globals[global].kind == GlobalKind::StringLiteral
            }
            ConstantValue::Int(bits) => bits == 0,
            _ => false,
        },
        Operand::Copy(_) => false,
    }
}

/// Whether a function has a local variable in memory: it may read that before it writes it.
fn may_be_unwritten(program: &Program, body: &Body) -> bool {
    let types = &program.types;
    body.locals.iter().any(|local| {
        let kind = types.kind(local.ty);
        let is_whole = matches!(kind, Type::Record(_) | Type::Array { .. });
        local.kind == LocalKind::Variable && (is_whole || local.address_taken)
    })
}

/// What a pointer points to that is cast, before and after.
fn cast(typing: Typing<'_>, value: &Rvalue) -> Option<(TypeId, TypeId)> {
    let Rvalue::Cast(CastKind::PointerToPointer, operand, to) = value else {
        return None;
    };
    let from = typing.types.pointee(typing.operand(operand)?)?;
    let to = typing.types.pointee(*to)?;
    (from != to).then_some((from, to))
}

/// Whether a value is a number made of an address, or what memory that may hold a pointer is read
/// as.
fn hides_pointers(typing: Typing<'_>, value: &Rvalue) -> bool {
    let types = typing.types;
    match value {
        Rvalue::Cast(CastKind::PointerToInt, ..) => true,
        Rvalue::Cast(CastKind::PointerToPointer, ..) => cast(typing, value)
            .is_some_and(|(from, to)| types.has_pointers(from) && !types.has_pointers(to)),
        Rvalue::Load(place) if !types.has_pointers(place.ty) => {
            let mut here = typing.base(&place.base);
            place.projections.iter().any(|step| {
                let is_union = here.is_some_and(|ty| {
                    let record = types.record(ty);
                    record.is_some_and(|it| it.kind == RecordKind::Union) && types.has_pointers(ty)
                });
                here = here.and_then(|ty| typing.step(ty, step));
                is_union
            })
        }
        _ => false,
    }
}

/// Adds a store to a place, if it is behind a pointer: to the innermost member that it lies in, or
/// to whatever has its type.
fn add_store(typing: Typing<'_>, place: &Place, stores: &mut Stores) {
    if !matches!(place.base, PlaceBase::Deref(_)) {
        return;
    }
    let mut here = typing.base(&place.base);
    let mut member = None;
    for step in &place.projections {
        if let (Projection::Field(index), Some(record)) = (step, here) {
            member = Some((record, *index));
        }
        here = here.and_then(|ty| typing.step(ty, step));
    }
    match (member, here) {
        (Some(member), _) => {
            stores.members.insert(member);
        }
        (None, Some(ty)) if !is_byte_wide(typing.types, ty) => {
            stores.types.insert(ty);
        }
        (None, _) => stores.any = true,
    }
}

/// Whether a type has the width of a byte. `_Bool` and enums of one byte are no characters, but a
/// store to one of them is taken to be a store to anything too, to be on the safe side.
fn is_byte_wide(types: &Types, ty: TypeId) -> bool {
    types.int(ty).is_some_and(|int| int.width <= 8)
}
