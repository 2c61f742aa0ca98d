//! What the code of a segment does to arrays, and what it reads of them.
//!
//! ```text
//! a[i] = v       the element at the index k becomes   i == k ? v : a[k]
//! … a[j] …       the last write to j before it; before all writes,   j == k ? a[k] : a fresh variable
//! ```
//!
//! A fresh variable is the element at j when the segment starts. What holds of the element at k for
//! each k holds of that one, too: an *instance* of what is known ([`Instance`]). Of some arrays the
//! element at a second index is known as well; what holds of both holds of any two.

use std::collections::BTreeMap;

use expr::{Term, Terms};

use crate::formulas::arena::Arena;
use crate::objects::locations::LocationId;

/// How many writes to an array a read looks at; behind more, elements are unknown.
const MOST_WRITES: usize = 16;

/// How many indices elements are read at that are told apart.
const MOST_INDICES: usize = 16;

/// A change of an array.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// The element at an index has a value.
    One {
        /// The index.
        index: Term,
        /// The value.
        value: Term,
    },
    /// All elements have a value.
    All(Term),
    /// Any element may have any value.
    Unknown,
}

/// A change of an array, with the condition that control gets there.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Whether control gets there.
    pub reach: Term,
    /// The change.
    pub change: Change,
}

/// An index at which elements are read.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The index.
    pub index: Term,
    /// The element of each array there when the segment starts.
    pub elements: BTreeMap<LocationId, Term>,
}

/// The arrays of a segment. An array is named by its location: its element at the index.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// The elements of each array that are known when the segment starts, each with its index.
    pub initial: BTreeMap<LocationId, Vec<(Term, Term)>>,
    /// What is done to each array, in order.
    pub events: BTreeMap<LocationId, Vec<Event>>,
    /// The indices at which elements are read, in order.
    pub instances: Vec<Instance>,
}

impl Arrays {
    /// Records a change of an array.
    pub fn change(&mut self, array: LocationId, reach: Term, change: Change) {
        let events = self.events.entry(array).or_default();
        if let Change::Unknown = change
            && events.len() >= MOST_WRITES
        {
            return;
        }
        events.push(Event { reach, change });
    }

    /// The element of an array at an index, now.
    pub fn read(
        &mut self,
        terms: &mut Terms,
        fresh: &mut dyn FnMut(&mut Terms, u32) -> Term,
        (array, index): (LocationId, Term),
        width: u32,
    ) -> Term {
        let events = self.events.get(&array).cloned().unwrap_or_default();
        let instance = self.instances.iter().position(|it| it.index == index);
        let is_known = instance.is_some() || self.instances.len() < MOST_INDICES;
        if events.len() >= MOST_WRITES || !is_known {
            return fresh(terms, width);
        }
        let at = instance.unwrap_or_else(|| {
            self.instances.push(Instance {
                index,
                elements: BTreeMap::new(),
            });
            self.instances.len() - 1
        });
        let elements = &mut self.instances[at].elements;
        let other = elements.entry(array);
        let other = *other.or_insert_with(|| fresh(terms, width));
        let mut value = other;
        for &(k, at_k) in self.initial.get(&array).into_iter().flatten() {
            let is_k = terms.eq(index, k);
            value = terms.ite(is_k, at_k, value);
        }
        for event in events {
            let (is_changed, changed) = match event.change {
                Change::One { index: at, value } => (terms.eq(at, index), value),
                Change::All(value) => (terms.bool(true), value),
                Change::Unknown => (terms.bool(true), fresh(terms, width)),
            };
            let is_changed = terms.bool_and(event.reach, is_changed);
            value = terms.ite(is_changed, changed, value);
        }
        value
    }

    /// Gives each instance an element of each array.
    pub fn complete(&mut self, arena: &mut Arena, arrays: impl Iterator<Item = (LocationId, u32)>) {
        for (array, width) in arrays {
            for instance in &mut self.instances {
                let elements = &mut instance.elements;
                elements.entry(array).or_insert_with(|| arena.fresh(width));
            }
        }
    }
}
