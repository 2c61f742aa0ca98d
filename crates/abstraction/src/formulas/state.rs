//! What is known at one place of a segment: how control gets there from the segment's start, and
//! the values of locations as terms over those at the start.

use std::collections::BTreeMap;

use expr::Term;
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;

use crate::formulas::arena::Arena;
use crate::objects::locations::LocationId;

/// The state at a place of a segment.
#[derive(Clone, Debug)]
pub struct State {
    /// Whether control gets there.
    pub reach: Term,
    /// The values of locations that may differ from those at the segment's start.
    pub changed: BTreeMap<LocationId, Term>,
    /// The checks that precede it: positions in the segment's.
    pub checks: FixedBitSet,
}

impl State {
    /// The state at the start of a segment.
    pub fn start(arena: &mut Arena) -> State {
        State {
            reach: arena.terms.bool(true),
            changed: BTreeMap::new(),
            checks: FixedBitSet::new(),
        }
    }

    /// The value of a location, given those at the start.
    pub fn value(&self, location: LocationId, at_start: &IndexVec<LocationId, Term>) -> Term {
        self.changed
            .get(&location)
            .copied()
            .unwrap_or(at_start[location])
    }

    /// The state behind an edge that is taken under a condition.
    pub fn under(&self, condition: Term, arena: &mut Arena) -> State {
        State {
            reach: arena.terms.bool_and(self.reach, condition),
            ..self.clone()
        }
    }

    /// The state where edges meet, of which an execution takes at most one; `None` if there is
    /// none.
    pub fn join(
        states: Vec<State>,
        at_start: &IndexVec<LocationId, Term>,
        arena: &mut Arena,
    ) -> Option<State> {
        let mut states = states.into_iter();
        let first = states.next()?;
        Some(states.fold(first, |joined, other| {
            let terms = &mut arena.terms;
            let mut changed = joined.changed.clone();
            for &location in joined.changed.keys().chain(other.changed.keys()) {
                let here = other.value(location, at_start);
                let there = joined.value(location, at_start);
                let value = match here == there {
                    true => here,
                    false => terms.ite(other.reach, here, there),
                };
                changed.insert(location, value);
            }
            let mut checks = joined.checks;
            checks.union_with(&other.checks);
            State {
                reach: terms.bool_or(joined.reach, other.reach),
                changed,
                checks,
            }
        }))
    }
}
