//! What calls of functions may do to what their callers see: an analysis of the code alone.
//!
//! It answers for a function and all that it may call: which globals it may change or come to by
//! name, whether it may write through pointers, and whether it may end the program.

use coverage::Reach;
use ir::{
    BlockData, Callee, FunctionId, Place, PlaceBase, Program, StatementKind, Terminator, Type,
};
use vm::Effects;

use crate::globals::Uses;

/// What calls of a function may do.
pub(crate) fn effects(program: &Program, reach: &Reach, function: FunctionId) -> Effects {
    let mut uses = Uses::new(program);
    let mut effects = Effects::default();
    for callee in reach.functions_from(function) {
        uses.function(program, callee);
        let body = program.functions[callee].body.iter();
        for block in body.flat_map(|body| &body.blocks) {
            add_block(program, block, &mut effects);
        }
    }
    let of_bits = |bits: &fixedbitset::FixedBitSet| bits.ones().map(Into::into).collect();
    effects.writes = of_bits(&uses.written);
    uses.read.union_with(&uses.escaped);
    effects.looks_at = of_bits(&uses.read);
    effects
}

fn add_block(program: &Program, block: &BlockData, effects: &mut Effects) {
    for statement in &block.statements {
        if let StatementKind::Assign(place, _) = &statement.kind {
            effects.writes_through_pointers |= is_behind_pointer(place);
        }
    }
    let Terminator::Call {
        callee,
        destination,
        ..
    } = &block.terminator
    else {
        return;
    };
    effects.writes_through_pointers |= destination.iter().any(is_behind_pointer);
    match callee {
        Callee::Direct(callee) if program.functions[*callee].body.is_some() => {}
        Callee::Direct(callee) => add_bodiless(program, *callee, effects),
        // One that nobody knows may be among those that the pointer points to.
        Callee::Indirect(_) => effects.writes_through_pointers = true,
    }
}

fn add_bodiless(program: &Program, callee: FunctionId, effects: &mut Effects) {
    let data = &program.functions[callee];
    effects.may_end |= data.noreturn;
    let Type::Function(ty) = program.types.kind(data.ty) else {
        return;
    };
    let writable = |parameter: &ir::TypeId| {
        let kind = program.types.kind(*parameter);
        matches!(kind, Type::Pointer { constant, .. } if !constant)
    };
    effects.writes_through_pointers |= ty.variadic || ty.parameters.iter().any(writable);
}

fn is_behind_pointer(place: &Place) -> bool {
    matches!(place.base, PlaceBase::Deref(_))
}
