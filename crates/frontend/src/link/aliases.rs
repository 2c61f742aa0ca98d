//! Other names of functions and objects (`__attribute__((alias))`, `#pragma weak a = b`), which all
//! units see.
//!
//! Once the user's units are linked, what they call by another name becomes what it names, unless a
//! unit defines the name itself, which wins over a weak alias. What a name stands for is its own
//! unit's definition, also where that is weak and another one wins. It is weak itself if one of its
//! other names is: what calls it may call what an unknown unit defines by that name.
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
use ir::{Function, FunctionId, Global, GlobalId, GlobalKind, Linkage, UnitId};
use rustc_hash::FxHashMap;

use super::remap::Remap;
use super::{LinkError, Linker};
use crate::ast::Alias;

/// So many names in a row are followed: those that name each other would never end.
const MOST_NAMES: usize = 16;

/// The functions and objects that those of a program become.
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
            let names: Vec<&str> = names(&aliases, *unit, alias).collect();
            if let Some(&name) = self.functions.get(&alias.name)
                && self.program.functions[name].body.is_none()
                && let Some(target) = self.aliased_function(*unit, &names)
            {
                let is_weak = self.program.functions[name].weak;
                self.program.functions[target].weak |= is_weak;
                functions.push((name, target));
            }
            if let Some(&name) = self.globals.get(&alias.name)
                && self.program.globals[name].initializer.is_none()
                && let Some(target) = self.aliased_global(*unit, &names)
            {
                self.check_types(name, target)?;
                let is_weak = self.program.globals[name].weak;
                self.program.globals[target].weak |= is_weak;
                globals.push((name, target));
            }
        }
        let mut addresses = FxHashMap::default();
        self.join_inline(&mut functions, &mut addresses);
        if functions.is_empty() && globals.is_empty() && addresses.is_empty() {
            return Ok(());
        }
        let mut joined = Joined {
            functions: self.program.functions.indices().collect(),
            globals: self.program.globals.indices().collect(),
            addresses,
        };
        for (name, target) in functions {
            joined.functions[name] = target;
        }
        for (name, target) in globals {
            joined.globals[name] = target;
        }
        self.join(&joined);
        Ok(())
    }

    fn aliased_function(&mut self, unit: UnitId, names: &[&str]) -> Option<FunctionId> {
        let is_named = |function: &Function, name: &str| {
            function.unit == unit && function.name == name && function.body.is_some()
        };
        let all = (&mut self.program.functions, &mut self.overridden.functions);
        let make_own = |function: &mut Function| function.linkage = Linkage::Internal;
        own_definition(all, names, is_named, make_own)
    }

    fn aliased_global(&mut self, unit: UnitId, names: &[&str]) -> Option<GlobalId> {
        let is_named = |global: &Global, name: &str| {
            let is_of_file = matches!(global.kind, GlobalKind::File(_));
            is_of_file && global.unit == unit && global.name == name && global.initializer.is_some()
        };
        let all = (&mut self.program.globals, &mut self.overridden.globals);
        let make_own = |global: &mut Global| global.kind = GlobalKind::File(Linkage::Internal);
        own_definition(all, names, is_named, make_own)
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

    /// Joins the inline definitions of functions of one name. All have the address of the external
    /// definition, or else of the first of them, which then stands for the external one, too: C
    /// takes them to be the same.
    fn join_inline(
        &self,
        functions: &mut Vec<(FunctionId, FunctionId)>,
        addresses: &mut FxHashMap<FunctionId, FunctionId>,
    ) {
        let all = &self.program.functions;
        let mut stands_for: FxHashMap<&str, FunctionId> = FxHashMap::default();
        let inline = |function: &Function| function.linkage == Linkage::Inline;
        for (id, function) in all.iter_enumerated().filter(|(_, it)| inline(it)) {
            let name = function.name.as_str();
            let to = *stands_for.entry(name).or_insert_with(|| {
                match self.functions.get(name).copied() {
                    Some(external) if all[external].body.is_some() => external,
                    Some(declared) => {
                        functions.push((declared, id));
                        id
                    }
                    None => id,
                }
            });
            if to != id {
                addresses.insert(id, to);
            }
        }
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

/// The definition of one of some names that a unit has, which becomes its own where another one
/// replaced it.
fn own_definition<I: Idx, T>(
    (all, overridden): (&mut IndexVec<I, T>, &mut Vec<T>),
    names: &[&str],
    is_named: impl Fn(&T, &str) -> bool,
    make_own: impl Fn(&mut T),
) -> Option<I> {
    names.iter().find_map(|name| {
        if let Some(found) = all.position(|it| is_named(it, name)) {
            return Some(found);
        }
        let at = overridden.iter().position(|it| is_named(it, name))?;
        let mut own = overridden.swap_remove(at);
        make_own(&mut own);
        Some(all.push(own))
    })
}

/// The name that an alias stands for, and those that this one stands for in turn, as far as they
/// are aliases of the same unit.
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

/// The new numbers once the joined items are removed.
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
