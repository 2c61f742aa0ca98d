//! Objects of the C library itself that input pointers may lead to, though the unit does not name
//! them: `errno`, which nearly each function may set, and what few functions change.

use ir::{Type, TypeId, Types};

use crate::ids::AllocationId;
use crate::memory::{InputObject, Kind, Life};
use crate::run::Run;

impl Run<'_, '_> {
    /// Notes what a function of the C library may have changed where input pointers lead to objects
    /// of the library: a bound where code reads it.
    pub fn narrow_own_objects(&mut self, name: &str) {
        let changes = changes(name);
        self.narrow_inputs(|run, input| {
            run.could_be_errno(input) || changes.iter().any(|&kind| run.is_of(input, kind))
        });
        if changes_environment(name) {
            self.narrow_environments();
        }
    }

    /// Marks as bounds the arrays of texts that the program may have stored in `environ` before.
    fn narrow_environments(&mut self) {
        let program = self.code.program;
        let unaddressed = &self.code.config.unaddressed_globals;
        let globals = program.globals.iter_enumerated().filter(|(id, global)| {
            unaddressed.binary_search(id).is_err() && has_texts(&program.types, global.ty)
        });
        let found = globals.map(|(id, _)| self.code.statics.layout.globals[id]);
        let found: Vec<AllocationId> = found.filter(|&id| self.can_change(id)).collect();
        for id in found {
            let size = self.state.memory.get(id).size;
            self.narrow(id, (0, size));
        }
    }

    /// The same where `errno` is set.
    pub fn narrow_pointers_to_errno(&mut self) {
        self.narrow_inputs(Run::could_be_errno);
    }

    /// An input pointer to a pointer to a stream may be to `stdout`, `stdin` or `stderr`: after one
    /// of them was written, the other is a bound where code reads it.
    pub fn note_streams(&mut self, id: AllocationId) {
        let code = self.code;
        let variables = code
            .statics
            .streams
            .iter()
            .map(|&global| (global, code.statics.layout.globals[global]));
        for (global, variable) in variables {
            let ty = code.program.globals[global].ty;
            if variable == id {
                self.narrow_inputs(|_, input| input.element == ty);
            } else if self
                .behind_pointer(id)
                .is_some_and(|input| input.element == ty)
            {
                let size = self.state.memory.get(variable).size;
                self.narrow(variable, (0, size));
            }
        }
    }

    fn narrow_inputs(&mut self, is_meant: impl Fn(&Self, InputObject) -> bool) {
        let is_meant = |&id: &AllocationId| {
            let input = self.behind_pointer(id);
            input.is_some_and(|input| is_meant(self, input))
        };
        let all = self.state.objects.iter().map(|&(_, id)| id);
        let found: Vec<AllocationId> = all.filter(is_meant).collect();
        for id in found {
            let size = self.state.memory.get(id).size;
            self.narrow(id, (0, size));
        }
    }

    /// Whether the input pointer that leads to an object could point to `errno`.
    pub fn is_possible_errno(&self, id: AllocationId) -> bool {
        let input = self.behind_pointer(id);
        input.is_some_and(|input| self.could_be_errno(input))
    }

    /// The input object of an allocation, if it is live and an input pointer leads to it.
    fn behind_pointer(&self, id: AllocationId) -> Option<InputObject> {
        let allocation = self.state.memory.get(id);
        let is_there = allocation.kind == Kind::Pointee && allocation.life == Life::Live;
        allocation.input.as_deref().copied().filter(|_| is_there)
    }

    /// Whether it could be `errno`: an `int`, or the characters of one.
    fn could_be_errno(&self, input: InputObject) -> bool {
        let types = &self.code.program.types;
        let int = types.int(input.element);
        let is_int = int.is_some_and(|int| int.width == 32 || int.name.is_character());
        is_int && input.touched.1 - input.touched.0 <= 4
    }

    fn is_of(&self, input: InputObject, kind: LibraryObject) -> bool {
        let types = &self.code.program.types;
        match kind {
            LibraryObject::Long => types
                .int(input.element)
                .is_some_and(|int| int.width == self.code.pointer_width),
            LibraryObject::Character => {
                let int = types.int(input.element);
                int.is_some_and(|int| int.name.is_character())
            }
            LibraryObject::Text => is_text(types, input.element),
            LibraryObject::Texts => {
                let pointee = types.pointee(input.element);
                pointee.is_some_and(|pointee| is_text(types, pointee))
            }
            LibraryObject::Int => {
                matches!(types.kind(input.element), Type::Int(int) if int.width == 32)
            }
        }
    }
}

/// Whether a type is a pointer to characters.
fn is_text(types: &Types, ty: TypeId) -> bool {
    let pointee = types.pointee(ty).and_then(|pointee| types.int(pointee));
    pointee.is_some_and(|int| int.name.is_character())
}

/// Whether a type is or has an array of pointers to characters.
fn has_texts(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => is_text(types, *element) || has_texts(types, *element),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| has_texts(types, field.ty))
        }
        _ => false,
    }
}

/// Whether a function changes the array that `environ` leads to.
fn changes_environment(name: &str) -> bool {
    matches!(name, "setenv" | "unsetenv" | "putenv" | "clearenv")
}

/// The kind of an object of the library that a function changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LibraryObject {
    /// `optind`, `daylight`.
    Int,
    /// `timezone`, `re_syntax_options`.
    Long,
    /// Members of what `localeconv` returns.
    Character,
    /// `optarg`, `tzname`, what `environ` leads to, members of what `localeconv` returns.
    Text,
    /// `environ`.
    Texts,
}

/// What a function changes beside `errno`, by its name.
fn changes(name: &str) -> &'static [LibraryObject] {
    match name {
        _ if changes_environment(name) => &[LibraryObject::Text, LibraryObject::Texts],
        "re_set_syntax" => &[LibraryObject::Long],
        "setlocale" | "localeconv" => &[LibraryObject::Character, LibraryObject::Text],
        "getopt" | "getopt_long" | "getopt_long_only" => &[LibraryObject::Int, LibraryObject::Text],
        "tzset" | "localtime" | "localtime_r" | "mktime" | "timelocal" | "strftime" | "ctime"
        | "ctime_r" => &[LibraryObject::Int, LibraryObject::Long, LibraryObject::Text],
        _ => &[],
    }
}
