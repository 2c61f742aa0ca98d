//! Other names of functions and objects (`__attribute__((alias))`, `#pragma weak a = b`), which all units see.
//!
//! Once the user's units are linked, what they call by another name becomes what it names, unless a unit defines
//! the name itself, which wins over a weak alias.
//!
//! ```text
//! a.c:  static int dflt(void) {…}
//!       int handler(void) __attribute__((weak, alias("dflt")));
//!
//! b.c:  int handler(void);       handler becomes dflt of a.c
//! b.c:  int handler(void) {…}    handler stays, in a.c too
//! ```

use index_vec::{Idx, IndexVec};
use ir::{FunctionId, GlobalId, GlobalKind, UnitId};

use super::remap::Remap;
use super::{LinkError, Linker};
use crate::ast::Alias;

/// So many names in a row are followed: those that name each other would never end.
const MOST_NAMES: usize = 16;

impl Linker {
    /// Puts functions and objects in the place of their other names.
    pub(crate) fn join_aliases(&mut self) -> Result<(), LinkError> {
        let aliases = std::mem::take(&mut self.aliases);
        let mut functions: IndexVec<FunctionId, FunctionId> =
            self.program.functions.indices().collect();
        let mut globals: IndexVec<GlobalId, GlobalId> = self.program.globals.indices().collect();
        for (unit, alias) in &aliases {
            if let Some(&name) = self.functions.get(&alias.name)
                && let Some(target) = self.aliased_function(&aliases, *unit, alias)
                && self.program.functions[name].body.is_none()
            {
                functions[name] = target;
            }
            if let Some(&name) = self.globals.get(&alias.name)
                && let Some(target) = self.aliased_global(&aliases, *unit, alias)
                && self.program.globals[name].initializer.is_none()
            {
                self.check_types(name, target)?;
                globals[name] = target;
            }
        }
        let is_joined = functions.iter_enumerated().any(|(from, to)| from != *to)
            || globals.iter_enumerated().any(|(from, to)| from != *to);
        if is_joined {
            self.join(&functions, &globals);
        }
        Ok(())
    }

    fn aliased_function(
        &self,
        aliases: &[(UnitId, Alias)],
        unit: UnitId,
        alias: &Alias,
    ) -> Option<FunctionId> {
        let functions = &self.program.functions;
        let defined = |name: &str| {
            let of_unit = functions.iter_enumerated().find(|(_, function)| {
                function.unit == unit && function.name == name && function.body.is_some()
            });
            // A weak one gave way to that of another unit.
            let external = || self.functions.get(name).copied();
            of_unit.map(|(id, _)| id).or_else(external)
        };
        names(aliases, unit, alias).find_map(defined)
    }

    fn aliased_global(
        &self,
        aliases: &[(UnitId, Alias)],
        unit: UnitId,
        alias: &Alias,
    ) -> Option<GlobalId> {
        let globals = &self.program.globals;
        let defined = |name: &str| {
            let of_unit = globals.iter_enumerated().find(|(_, global)| {
                global.unit == unit
                    && matches!(global.kind, GlobalKind::File(_))
                    && global.name == name
                    && global.initializer.is_some()
            });
            let external = || self.globals.get(name).copied();
            of_unit.map(|(id, _)| id).or_else(external)
        };
        names(aliases, unit, alias).find_map(defined)
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

    /// Gives all that refers to a name its target, and leaves out the name.
    fn join(
        &mut self,
        functions: &IndexVec<FunctionId, FunctionId>,
        globals: &IndexVec<GlobalId, GlobalId>,
    ) {
        let program = &mut self.program;
        let remap = Remap {
            types: program.types.iter().map(|(id, _)| id).collect(),
            files: program.files.indices().collect(),
            units: program.units.indices().collect(),
            functions: renumbered(functions),
            globals: renumbered(globals),
        };
        let is_kept = |(id, to): (FunctionId, &FunctionId)| id == *to;
        let mut kept = functions.iter_enumerated().map(is_kept);
        program.functions.retain(|_| kept.next() == Some(true));
        let is_kept = |(id, to): (GlobalId, &GlobalId)| id == *to;
        let mut kept = globals.iter_enumerated().map(is_kept);
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
