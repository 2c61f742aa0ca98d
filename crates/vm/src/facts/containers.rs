//! Which records a pointer to a record may point into.
//!
//! Code that is given a pointer to a member often works on what the member lies in: `container_of`,
//! or the record that a first member is the head of. It gets there by a cast, so the records that
//! the program casts pointers to are the ones that a member's pointer may come from.

use ir::{CastKind, Origin, Program, Rvalue, StatementKind, TypeId, Types};
use rustc_hash::FxHashMap;

/// For each record type the records that it is a member of, with its offsets in bytes.
pub(crate) type Containers = FxHashMap<TypeId, Vec<(TypeId, u64)>>;

/// The most that a pointer is offered.
const MOST: usize = 4;

/// The containers of a program.
pub(crate) fn containers(program: &Program) -> Containers {
    let types = &program.types;
    let mut found = Containers::default();
    for whole in cast_targets(program) {
        members(types, whole, 0, &mut |member, offset| {
            let known = found.entry(member).or_default();
            if known.len() < MOST && !known.contains(&(whole, offset)) {
                known.push((whole, offset));
            }
        });
    }
    found
}

/// The record types whose pointers the user's code makes from other pointers, in order.
fn cast_targets(program: &Program) -> Vec<TypeId> {
    let mut targets = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        if program.origin(id) != Origin::User {
            continue;
        }
        let blocks = function.body.iter().flat_map(|body| &body.blocks);
        for statement in blocks.flat_map(|block| &block.statements) {
            if let StatementKind::Assign(_, Rvalue::Cast(CastKind::PointerToPointer, _, ty)) =
                &statement.kind
                && let Some(target) = program.types.pointee(*ty)
                && program.types.record(target).is_some()
                && !targets.contains(&target)
            {
                targets.push(target);
            }
        }
    }
    targets
}

/// Calls `tell` for each member of a record that is a record itself, and of theirs.
fn members(types: &Types, whole: TypeId, start: u64, tell: &mut impl FnMut(TypeId, u64)) {
    let fields = types
        .record(whole)
        .into_iter()
        .flat_map(|record| &record.fields);
    for field in fields.filter(|field| field.bit_width.is_none()) {
        if types.record(field.ty).is_some() {
            let offset = start + field.offset_bits / 8;
            tell(field.ty, offset);
            members(types, field.ty, offset, tell);
        }
    }
}
