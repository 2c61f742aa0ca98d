//! The members of nodes of the heap whose values are known.
//!
//! Code may see the memory of a node as several types. A member is known if each of these has it as a
//! scalar at the same place, or does not reach to it: so nothing that is written to another scalar, to
//! its padding or to a member of a union changes it.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Place, PlaceBase, Rvalue, StatementKind, Terminator, TypeId};

use crate::extents::{Reached, extent};
use crate::objects::{Class, Leaf, Object, leaf};
use crate::targets::{Leads, Offset, Targets};
use crate::unfolding::{FrameId, Unfolding};

/// A member: its first byte, and its size in bytes.
pub type Member = (u64, u64);

/// How the nodes of a class are accessed.
#[derive(Default)]
struct Accesses {
    /// The scalars.
    scalars: BTreeSet<Member>,
    /// The types behind pointers, and how far these are from the start of the node.
    types: BTreeSet<(u64, TypeId)>,
}

/// The members of each class that are known.
pub fn members(unfolding: &Unfolding<'_>, targets: &Targets) -> BTreeMap<Class, BTreeSet<Member>> {
    let mut all: BTreeMap<Class, Accesses> = BTreeMap::new();
    for (frame, data) in unfolding.frames.iter_enumerated() {
        for block in &data.body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    note(unfolding, targets, (frame, place), &mut all);
                    if let Rvalue::Load(from) = value {
                        note(unfolding, targets, (frame, from), &mut all);
                    }
                }
            }
            if let Terminator::Call {
                destination: Some(place),
                ..
            } = &block.terminator
            {
                note(unfolding, targets, (frame, place), &mut all);
            }
        }
    }
    let known = all.iter().map(|(&class, accesses)| {
        let scalars = accesses.scalars.iter().copied();
        let known = scalars.filter(|&member| is_known(unfolding, accesses, member));
        (class, known.collect())
    });
    known.collect()
}

/// Notes an access, if it is to a node.
fn note(
    unfolding: &Unfolding<'_>,
    targets: &Targets,
    (frame, place): (FrameId, &Place),
    all: &mut BTreeMap<Class, Accesses>,
) {
    let PlaceBase::Deref(pointer) = &place.base else {
        return;
    };
    let Leads::Into(Object::Nodes(class), Offset::Exact(at)) =
        targets.of(unfolding, frame, pointer)
    else {
        return;
    };
    let accesses = all.entry(class).or_default();
    if let Some(ty) = unfolding.typing(frame).base(&place.base) {
        accesses.types.insert((at, ty));
    }
    let is_scalar = unfolding.program.types.is_scalar(place.ty);
    if let Reached::In(at) = extent(unfolding, targets, frame, place)
        && at.is_exact
        && is_scalar
    {
        accesses.scalars.insert((at.first, at.end - at.first));
    }
}

fn is_known(unfolding: &Unfolding<'_>, accesses: &Accesses, member: Member) -> bool {
    let (first, size) = member;
    let end = first + size;
    let mut scalars = accesses.scalars.iter();
    let mut types = accesses.types.iter();
    let is_alone = scalars
        .all(|&(other, bytes)| (other, bytes) == member || other + bytes <= first || end <= other);
    is_alone
        && types.all(|&(start, ty)| {
            let bytes = unfolding.program.types.size(ty);
            let is_apart = end <= start || start.saturating_add(bytes) <= first;
            let is_scalar = || {
                let bit = first.checked_sub(start)?.checked_mul(8)?;
                let found = leaf(unfolding.program, ty, bit);
                Some(found == Leaf::Scalar(bit, size.checked_mul(8)?))
            };
            is_apart || is_scalar() == Some(true)
        })
}
