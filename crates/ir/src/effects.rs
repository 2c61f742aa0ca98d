//! The effects that calls of a function may have on objects of their callers, as data.

mod stores;
mod views;

use std::collections::BTreeSet;

use crate::{FunctionId, GlobalId, Program, Type, TypeId};

pub use stores::Stores;

/// The effects that a function, and all functions that it calls, may have on objects of others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effects {
    /// The globals that it may change by name.
    pub writes: BTreeSet<GlobalId>,
    /// The globals that it may read, or whose address it takes.
    pub looks_at: BTreeSet<GlobalId>,
    /// The objects that it may change through pointers.
    pub stores: Stores,
    /// The casts of pointers, from one pointee to another: other views of an object.
    pub casts: BTreeSet<(TypeId, TypeId)>,
    /// Whether it may convert addresses to numbers, or read pointers as something else.
    pub hides_pointers: bool,
    /// Whether it may end the program.
    pub may_end: bool,
    /// Whether it calls functions of the user without a body, which may change objects of others.
    pub calls_unknown: bool,
    /// Whether it may take inputs that are numbered: results of functions without a body,
    /// allocations, and uninitialised locals of its own.
    pub takes_inputs: bool,
    /// The functions of the C library that are called and may overwrite their earlier results, by
    /// the objects that they share ([`Program::static_family`]).
    pub writes_over: BTreeSet<String>,
    /// The functions of the C library that are called, by name.
    pub of_library: BTreeSet<String>,
}

impl Effects {
    /// Adds the effects of another function.
    pub fn add(&mut self, other: &Effects) {
        self.writes.extend(&other.writes);
        self.looks_at.extend(&other.looks_at);
        self.stores.add(&other.stores);
        self.casts.extend(&other.casts);
        self.hides_pointers |= other.hides_pointers;
        self.may_end |= other.may_end;
        self.calls_unknown |= other.calls_unknown;
        self.takes_inputs |= other.takes_inputs;
        self.writes_over.extend(other.writes_over.iter().cloned());
        self.of_library.extend(other.of_library.iter().cloned());
    }

    /// Whether calls of the function may leave addresses where others can read them: return or
    /// store pointers, or numbers made of them.
    pub fn give_addresses(&self, program: &Program, function: FunctionId) -> bool {
        let types = &program.types;
        let result = match types.kind(program.functions[function].ty) {
            Type::Function(ty) => Some(ty.result),
            _ => None,
        };
        let globals = self.writes.iter();
        let globals = globals.map(|&global| program.globals[global].ty);
        let members = self.stores.members.iter();
        let members = members.filter_map(|&(record, index)| {
            let field = types.record(record)?.fields.get(index as usize)?;
            Some(field.ty)
        });
        let places = self.stores.types.iter().copied();
        let mut given = result
            .into_iter()
            .chain(globals)
            .chain(members)
            .chain(places);
        self.hides_pointers || given.any(|ty| types.has_pointers(ty))
    }
}
