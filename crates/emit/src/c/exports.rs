//! Definitions with internal linkage in other units that tests need: the file that includes such a
//! unit exports the addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use ir::input::{InputValue, Root};
use ir::test::{Observed, TestCase};
use ir::{FunctionId, GlobalId, GlobalKind, Linkage, Type, UnitId, qualifier_words};

use super::apart::known_as;
use super::names::{Names, callee, identifier};
use super::records::is_foreign;
use crate::{Subject, Tested};
use ir::path;

/// The names of exported addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exports {
    objects: BTreeMap<GlobalId, String>,
    functions: BTreeMap<FunctionId, String>,
    /// Objects of other units that a declaration is enough for.
    declared: BTreeSet<GlobalId>,
    /// Functions of other units that sequences call.
    called: BTreeSet<FunctionId>,
}

impl Exports {
    /// The definitions that the tests of some functions of a unit need.
    pub fn new(all: &[Tested<'_>], names: &mut Names<'_>) -> Self {
        let mut exports = Exports::default();
        for tested in all {
            exports.add(tested, names);
        }
        exports
    }

    fn add(&mut self, tested: &Tested<'_>, names: &mut Names<'_>) {
        let subject = &tested.subject;
        let program = subject.program;
        let name = |names: &mut Names<'_>, unit: UnitId, name: &str| {
            let file = Path::new(&program.units[unit].path).file_stem();
            let file = file.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            names.fresh(&format!("attest@{}_{name}", identifier(&file)))
        };
        for (_, object) in subject.space.objects() {
            let Root::Global(id) = object.root else {
                continue;
            };
            let global = &program.globals[id];
            if !is_of_other_unit(subject, id) || self.objects.contains_key(&id) {
                continue;
            }
            let internal = global.kind == GlobalKind::File(Linkage::Internal);
            let types = subject.types;
            if internal || !path::nameable(types, global.ty) || is_foreign(types, global.ty) {
                let name = name(names, global.unit, &global.name);
                self.objects.insert(id, name);
            } else {
                self.declared.insert(id);
            }
        }
        for id in functions_pointed_to(tested.tests.iter().copied()) {
            let function = &program.functions[id];
            if subject.is_of_other_unit(function) && !self.functions.contains_key(&id) {
                let name = name(names, function.unit, &function.name);
                self.functions.insert(id, name);
            }
        }
        self.called.extend(called(subject));
    }

    /// The name of an object's address, if it is exported.
    pub fn object(&self, id: GlobalId) -> Option<&str> {
        self.objects.get(&id).map(String::as_str)
    }

    /// The name of a function's address, if it is exported.
    pub fn function(&self, id: FunctionId) -> Option<&str> {
        self.functions.get(&id).map(String::as_str)
    }

    /// The name by which a sequence calls a function. The tests declare one of their own if the
    /// tested unit may declare the function with other types.
    pub fn callee(&self, subject: &Subject<'_>, id: FunctionId) -> String {
        let function = &subject.program.functions[id];
        let is_own = self.called.contains(&id) && is_foreign(subject.types, function.ty);
        match is_own {
            true => format!("attest@call_{}", function.name),
            false => callee(&function.name),
        }
    }

    /// The declarations of all exported addresses, for the tests.
    pub fn declarations(&self, subject: &Subject<'_>) -> String {
        let mut text = String::new();
        for (&id, name) in &self.objects {
            let _ = writeln!(text, "extern {};", object_pointer(subject, id, name));
        }
        for &id in &self.declared {
            let global = &subject.program.globals[id];
            let _ = writeln!(text, "extern {};", declaration(subject, id, &global.name));
        }
        for &id in &self.called {
            let function = &subject.program.functions[id];
            let declared = subject
                .types
                .declare(function.ty, &self.callee(subject, id));
            let _ = match is_foreign(subject.types, function.ty) {
                true => writeln!(text, "{declared} ATTEST@LIBC(\"{}\");", function.name),
                false => writeln!(text, "{declared};"),
            };
        }
        for name in self.functions.values() {
            let _ = writeln!(text, "extern void (*const {name})(void);");
        }
        text
    }

    /// The definitions of the addresses in a unit, which follow its text.
    pub fn definitions(&self, subject: &Subject<'_>, unit: UnitId) -> String {
        let program = subject.program;
        let mut text = String::new();
        for (&id, name) in &self.objects {
            let global = &program.globals[id];
            if global.unit == unit {
                // Through `void *`, since the tests may know the object as so many bytes.
                let _ = writeln!(
                    text,
                    "#undef {0}\nvoid *const {name} = (void *)&{0};",
                    known_as(program, unit, &global.name)
                );
            }
        }
        for (&id, name) in &self.functions {
            let function = &program.functions[id];
            if function.unit == unit {
                let own = known_as(program, unit, &function.name);
                let _ = writeln!(
                    text,
                    "#undef {own}\nvoid (*const {name})(void) = (void (*)(void)){own};"
                );
            }
        }
        text
    }
}

/// The functions of other units that the calls of a sequence may be of, if their types have names
/// here: the tested unit need not declare them.
fn called(subject: &Subject<'_>) -> BTreeSet<FunctionId> {
    let program = subject.program;
    let states = subject
        .sequence
        .iter()
        .flat_map(|sequence| &sequence.states);
    let calls = states.flat_map(|state| state.calls.iter().map(|call| call.function));
    calls
        .filter(|&id| {
            let function = &program.functions[id];
            subject.is_of_other_unit(function)
                && function.linkage == Linkage::External
                && path::nameable(subject.types, function.ty)
        })
        .collect()
}

/// Whether another unit defines an object, or declares one of a library.
fn is_of_other_unit(subject: &Subject<'_>, id: GlobalId) -> bool {
    let global = &subject.program.globals[id];
    let is_defined = global.initializer.is_some() || !subject.needs_definition(global);
    subject.is_visible_global(id) && global.unit != subject.unit() && is_defined
}

fn declaration(subject: &Subject<'_>, id: GlobalId, declarator: &str) -> String {
    let global = &subject.program.globals[id];
    let qualifiers = qualifier_words(global.constant, global.volatile);
    subject
        .types
        .declare_qualified(global.ty, qualifiers, declarator)
}

/// The declaration of a pointer to an exported object; to its bytes, if its type has no name here.
fn object_pointer(subject: &Subject<'_>, id: GlobalId, name: &str) -> String {
    let global = &subject.program.globals[id];
    let types = subject.types;
    if !path::nameable(types, global.ty) {
        return format!("unsigned char *const {name}");
    }
    let pointer = match types.kind(global.ty) {
        Type::Array { .. } => format!("(*const {name})"),
        _ => format!("*const {name}"),
    };
    declaration(subject, id, &pointer)
}

/// The functions whose addresses tests give or compare.
pub fn functions_pointed_to<'a>(
    tests: impl Iterator<Item = &'a TestCase> + Clone,
) -> BTreeSet<FunctionId> {
    let given = tests.clone().flat_map(|test| test.inputs.values.values());
    let given = given.filter_map(|value| match value {
        InputValue::Function(id) => Some(*id),
        _ => None,
    });
    let seen = tests.flat_map(|test| test.observations.iter().chain(test.given.iter().flatten()));
    let seen = seen.filter_map(|observation| match observation.value {
        Observed::Function(id) => Some(id),
        _ => None,
    });
    given.chain(seen).collect()
}
