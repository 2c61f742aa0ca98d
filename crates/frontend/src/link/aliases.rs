//! Other names of functions and objects (`__attribute__((alias))`, `#pragma weak a = b`), which all units see.
//!
//! Once the user's units are linked, what they call by another name becomes what it names, unless a unit defines
//! the name itself, which wins over a weak alias. What a name stands for is its own unit's definition, also where
//! that is weak and another one wins.
//!
//! ```text
//! a.c:  static int dflt(void) {…}
//!       int handler(void) __attribute__((weak, alias("dflt")));
//!
//! b.c:  int handler(void);       handler becomes dflt of a.c
//! b.c:  int handler(void) {…}    handler stays, in a.c too
//! ```
//!
//! The inline definitions of a function in several units are one function, which has one address.

use index_vec::{Idx, IndexVec};
use ir::{FunctionId, GlobalId, GlobalKind, Linkage, UnitId};
use rustc_hash::FxHashMap;

use super::remap::Remap;
use super::{LinkError, Linker};
use crate::ast::Alias;

/// So many names in a row are followed: those that name each other would never end.
const MOST_NAMES: usize = 16;

/// What the functions and objects of a program become.
struct Joined {
    functions: IndexVec<FunctionId, FunctionId>,
    globals: IndexVec<GlobalId, GlobalId>,
    /// Where only the address is another one's.
    addresses: FxHashMap<FunctionId, FunctionId>,
}

impl Linker {
    /// Puts functions and objects in the place of their other names.
    pub(crate) fn join_names(&mut self) -> Result<(), LinkError> {
        let aliases = std::mem::take(&mut self.aliases);
        let (mut functions, mut globals) = (Vec::new(), Vec::new());
        for (unit, alias) in &aliases {
            if let Some(&name) = self.functions.get(&alias.name)
                && self.program.functions[name].body.is_none()
                && let Some(target) = self.aliased_function(&aliases, *unit, alias)
            {
                functions.push((name, target));
            }
            if let Some(&name) = self.globals.get(&alias.name)
                && self.program.globals[name].initializer.is_none()
                && let Some(target) = self.aliased_global(&aliases, *unit, alias)
            {
                self.check_types(name, target)?;
                globals.push((name, target));
            }
        }
        let mut joined = Joined {
            functions: self.program.functions.indices().collect(),
            globals: self.program.globals.indices().collect(),
            addresses: self.inline_addresses(),
        };
        let is_joined =
            !(functions.is_empty() && globals.is_empty() && joined.addresses.is_empty());
        for (name, target) in functions {
            joined.functions[name] = target;
        }
        for (name, target) in globals {
            joined.globals[name] = target;
        }
        if is_joined {
            self.join(&joined);
        }
        Ok(())
    }

    fn aliased_function(
        &mut self,
        aliases: &[(UnitId, Alias)],
        unit: UnitId,
        alias: &Alias,
    ) -> Option<FunctionId> {
        names(aliases, unit, alias).find_map(|name| {
            let mut functions = self.program.functions.iter_enumerated();
            let found = functions.find(|(_, function)| {
                function.unit == unit && function.name == *name && function.body.is_some()
            });
            if let Some((id, _)) = found {
                return Some(id);
            }
            let mut overridden = self.overridden.functions.iter();
            let own = overridden.position(|function| {
                function.unit == unit && function.name == *name && function.body.is_some()
            })?;
            let mut own = self.overridden.functions.swap_remove(own);
            own.linkage = Linkage::Internal;
            Some(self.program.functions.push(own))
        })
    }

    fn aliased_global(
        &mut self,
        aliases: &[(UnitId, Alias)],
        unit: UnitId,
        alias: &Alias,
    ) -> Option<GlobalId> {
        names(aliases, unit, alias).find_map(|name| {
            let mut globals = self.program.globals.iter_enumerated();
            let found = globals.find(|(_, global)| {
                global.unit == unit
                    && matches!(global.kind, GlobalKind::File(_))
                    && global.name == *name
                    && global.initializer.is_some()
            });
            if let Some((id, _)) = found {
                return Some(id);
            }
            let mut overridden = self.overridden.globals.iter();
            let own = overridden.position(|global| {
                global.unit == unit && global.name == *name && global.initializer.is_some()
            })?;
            let mut own = self.overridden.globals.swap_remove(own);
            own.kind = GlobalKind::File(Linkage::Internal);
            Some(self.program.globals.push(own))
        })
    }

    fn check_types(&self, name: GlobalId, target: GlobalId) -> Result<(), LinkError> {
        let (one, other) = (&self.program.globals[name], &self.program.globals[target]);
        if self.common_type(one, other) == Some(other.ty) {
            return Ok(());
        }
        Err(LinkError::Conflict {
            name: one.name.clone(),
            first: self.source_place(one.unit, &one.span),
            second: self.source_place(other.unit, &other.span),
        })
    }

    /// For each inline definition the function whose address it has, if that is another one: the external
    /// definition, or else the first inline one.
    fn inline_addresses(&self) -> FxHashMap<FunctionId, FunctionId> {
        let functions = &self.program.functions;
        let mut by_name: FxHashMap<&str, FunctionId> = FxHashMap::default();
        let mut found = FxHashMap::default();
        for (id, function) in functions.iter_enumerated() {
            if function.linkage != Linkage::Inline {
                continue;
            }
            let external = self.functions.get(&function.name).copied();
            let external = external.filter(|&external| functions[external].body.is_some());
            let first = *by_name.entry(&function.name).or_insert(id);
            let to = external.unwrap_or(first);
            if to != id {
                found.insert(id, to);
            }
        }
        found
    }

    /// Gives all that refers to a name its target, and leaves out the name.
    fn join(&mut self, joined: &Joined) {
        let program = &mut self.program;
        let functions = renumbered(&joined.functions);
        let addresses = joined.addresses.iter();
        let addresses = addresses.filter_map(|(from, to)| Some((*from, functions[*to]?)));
        let remap = Remap {
            types: program.types.iter().map(|(id, _)| id).collect(),
            files: program.files.indices().collect(),
            units: program.units.indices().collect(),
            addresses: addresses.collect(),
            functions,
            globals: renumbered(&joined.globals),
        };
        let is_kept = |(id, to): (FunctionId, &FunctionId)| id == *to;
        let mut kept = joined.functions.iter_enumerated().map(is_kept);
        program.functions.retain(|_| kept.next() == Some(true));
        let is_kept = |(id, to): (GlobalId, &GlobalId)| id == *to;
        let mut kept = joined.globals.iter_enumerated().map(is_kept);
        program.globals.retain(|_| kept.next() == Some(true));
        let all = program.functions.iter_mut();
        all.for_each(|function| remap.function(function));
        let all = program.globals.iter_mut();
        all.for_each(|global| remap.global(global));
        for id in self.functions.values_mut() {
            *id = remap.functions[*id].unwrap_or(*id);
        }
        for id in self.globals.values_mut() {
            *id = remap.globals[*id].unwrap_or(*id);
        }
    }
}

/// What an alias names, and what that names in turn, as far as it is an alias of the same unit.
fn names<'a>(
    aliases: &'a [(UnitId, Alias)],
    unit: UnitId,
    alias: &'a Alias,
) -> impl Iterator<Item = &'a str> {
    let next = move |name: &&'a str| {
        let mut of_unit = aliases.iter().filter(|(of, _)| *of == unit);
        let found = of_unit.find(|(_, alias)| alias.name == **name);
        found.map(|(_, alias)| alias.target.as_str())
    };
    std::iter::successors(Some(alias.target.as_str()), next).take(MOST_NAMES)
}

/// The new numbers where what becomes another one is left out.
fn renumbered<I: Idx>(joined: &IndexVec<I, I>) -> IndexVec<I, Option<I>> {
    let mut next = 0;
    let mut number = |(id, to): (I, &I)| {
        let is_kept = id == *to;
        next += usize::from(is_kept);
        is_kept.then(|| I::from_usize(next - 1))
    };
    let kept: IndexVec<I, Option<I>> = joined.iter_enumerated().map(&mut number).collect();
    joined.iter().map(|to| kept[*to]).collect()
}
