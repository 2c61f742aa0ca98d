//! The arrays of which code compares two elements: `a[i] > a[j]`, or what it read from them before.
//! What is known of one element at a time says nothing of their order, so that of these arrays the
//! abstraction knows two: see [`crate::objects::location`].
//!
//! Variables with several assignments are left out: the largest element so far is compared with each,
//! and facts about one element suffice there.

use std::collections::BTreeSet;

use index_vec::{IndexVec, index_vec};
use ir::{Body, Local, Operand, Place, PlaceBase, Rvalue, Statement, StatementKind};

use crate::graph::unfolding::{ContextId, Unfolding};
use crate::objects::indexed::element;
use crate::objects::location::Location;
use crate::objects::places::Pointers;

/// The elements, by the locations of those at the index, whose value each local may have.
type Read = IndexVec<Local, BTreeSet<Location>>;

/// The elements, by the locations of those at the index, that code compares with others of the same
/// array.
pub fn compared(unfolding: &Unfolding<'_>, pointers: &Pointers) -> BTreeSet<Location> {
    let mut found = BTreeSet::new();
    for (context, data) in unfolding.contexts() {
        let read = read(unfolding, pointers, context, data.body);
        let of = |operand: &Operand| match operand {
            Operand::Copy(local) => Some(&read[*local]),
            Operand::Constant(_) => None,
        };
        for statement in statements(data.body) {
            let StatementKind::Assign(_, Rvalue::Binary(op, left, right)) = &statement.kind else {
                continue;
            };
            if let Some((left, right)) = of(left).zip(of(right))
                && op.is_comparison()
            {
                found.extend(left.intersection(right).cloned());
            }
        }
    }
    found
}

/// What the locals of a body may have read from arrays.
fn read(unfolding: &Unfolding<'_>, pointers: &Pointers, context: ContextId, body: &Body) -> Read {
    let mut read: Read = index_vec![BTreeSet::new(); body.locals.len()];
    let mut assignments: IndexVec<Local, usize> = index_vec![0; body.locals.len()];
    for statement in statements(body) {
        if let StatementKind::Assign(to, _) = &statement.kind
            && let PlaceBase::Local(to) = to.base
        {
            assignments[to] += 1;
        }
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for statement in statements(body) {
            let StatementKind::Assign(to, value) = &statement.kind else {
                continue;
            };
            let PlaceBase::Local(to_local) = to.base else {
                continue;
            };
            if assignments[to_local] > 1 {
                continue;
            }
            let new = match value {
                Rvalue::Load(place) => loaded(unfolding, pointers, context, place, &read),
                Rvalue::Use(Operand::Copy(from)) | Rvalue::Cast(_, Operand::Copy(from), _) => {
                    read[*from].clone()
                }
                _ => BTreeSet::new(),
            };
            let before = read[to_local].len();
            read[to_local].extend(new);
            is_changed |= read[to_local].len() > before;
        }
    }
    read
}

/// The elements that a value may be which is read at a place.
fn loaded(
    unfolding: &Unfolding<'_>,
    pointers: &Pointers,
    context: ContextId,
    place: &Place,
    read: &Read,
) -> BTreeSet<Location> {
    if let Some(element) = element(pointers, unfolding, context, place) {
        let is_small = element.elements.is_small();
        let location = Location::element(element.object, element.elements, place.ty);
        return (!is_small).then_some(location).into_iter().collect();
    }
    match place.base {
        PlaceBase::Local(local) => read[local].clone(),
        _ => BTreeSet::new(),
    }
}

fn statements(body: &Body) -> impl Iterator<Item = &Statement> {
    body.blocks.iter().flat_map(|block| &block.statements)
}
