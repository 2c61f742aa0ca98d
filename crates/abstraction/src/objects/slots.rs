//! The pointers to nodes and objects of the heap that memory holds: parts of known objects and of
//! nodes, with where the pointers in them lead.
//!
//! A part that is written in another way, at another offset or with another size may hold anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::objects::places::{Object, Target};

/// What a pointer may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// Nothing.
    Nowhere,
    /// One object.
    To(Target),
    /// Anything.
    Anywhere,
}

/// The bytes of an object from one on, up to another.
type Range = (u64, u64);

/// The pointers that memory holds.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    written: BTreeMap<Object, BTreeMap<Range, Leads>>,
    /// The objects that code changes which is not followed.
    changed_by_others: BTreeSet<Object>,
}

impl Slots {
    /// No pointers; some objects may hold anything.
    pub fn new(changed_by_others: BTreeSet<Object>) -> Slots {
        Slots {
            written: BTreeMap::new(),
            changed_by_others,
        }
    }

    /// What is written to a part, as a whole.
    pub fn written(&self, object: Object, range: Range) -> Leads {
        let written = self.written.get(&object);
        let written = written.and_then(|written| written.get(&range));
        written.copied().unwrap_or(Leads::Nowhere)
    }

    /// Sets what is written to a part as a whole. Returns whether that is new.
    pub fn write(&mut self, object: Object, range: Range, leads: Leads) -> bool {
        let old = self.written.entry(object).or_default().insert(range, leads);
        old != Some(leads)
    }

    /// Where the pointer that a part holds leads.
    pub fn read(&self, object: Object, range: Range) -> Leads {
        if matches!(object, Object::Global(_)) || self.changed_by_others.contains(&object) {
            return Leads::Anywhere;
        }
        let mut found = Leads::Nowhere;
        for (&written, &leads) in self.written.get(&object).into_iter().flatten() {
            if written == range {
                found = leads;
            } else if written.0 < range.1 && range.0 < written.1 {
                return Leads::Anywhere;
            }
        }
        found
    }

    /// The objects that pointers in a part of an object lead to.
    pub fn inside(&self, object: Object, range: Range) -> impl Iterator<Item = Object> + '_ {
        let written = self.written.get(&object).into_iter().flatten();
        let inside = written.filter(move |(at, _)| at.0 < range.1 && range.0 < at.1);
        inside.filter_map(|(_, leads)| match leads {
            Leads::To(target) => Some(target.object),
            Leads::Nowhere | Leads::Anywhere => None,
        })
    }
}
