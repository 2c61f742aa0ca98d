//! Objects of the C library itself that input pointers may lead to, though the unit does not name them: `errno`,
//! which nearly each function may set, and what few functions change.

use ir::{Type, TypeId};

use crate::memory::{AllocationId, InputObject, Kind, Life};
use crate::run::Run;

impl Run<'_, '_> {
    /// Notes what a function of the C library may have changed where input pointers lead to objects of the
    /// library: a bound for who reads it.
    pub fn narrow_own_objects(&mut self, name: &str) {
        let changes = changes(name);
        self.narrow_inputs(|run, input| {
            run.could_be_errno(input) || changes.iter().any(|&kind| run.is_of(input, kind))
        });
    }

    /// The same where `errno` is set.
    pub fn narrow_pointers_to_errno(&mut self) {
        self.narrow_inputs(Run::could_be_errno);
    }

    /// An input pointer to a pointer to a stream may be to `stdout`, `stdin` or `stderr`: what one of them is
    /// after the other was written is a bound for who reads it.
    pub fn note_streams(&mut self, id: AllocationId) {
        let code = self.code;
        let variables = code
            .streams
            .iter()
            .map(|&global| (global, code.layout.globals[global]));
        for (global, variable) in variables {
            let ty = code.program.globals[global].ty;
            if variable == id {
                self.narrow_inputs(|_, input| input.element == ty);
            } else if self
                .behind_pointer(id)
                .is_some_and(|input| input.element == ty)
            {
                let size = self.memory.get(variable).size;
                self.narrow(variable, (0, size));
            }
        }
    }

    fn narrow_inputs(&mut self, is_meant: impl Fn(&Self, InputObject) -> bool) {
        let is_meant = |&id: &AllocationId| {
            let input = self.behind_pointer(id);
            input.is_some_and(|input| is_meant(self, input))
        };
        let all = self.objects.iter().map(|&(_, id)| id);
        let found: Vec<AllocationId> = all.filter(is_meant).collect();
        for id in found {
            let size = self.memory.get(id).size;
            self.narrow(id, (0, size));
        }
    }

    /// Whether an object lies behind an input pointer that could point to `errno`.
    pub fn is_possible_errno(&self, id: AllocationId) -> bool {
        let input = self.behind_pointer(id);
        input.is_some_and(|input| self.could_be_errno(input))
    }

    /// The input that a live object behind an input pointer is.
    fn behind_pointer(&self, id: AllocationId) -> Option<InputObject> {
        let allocation = self.memory.get(id);
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

    fn is_of(&self, input: InputObject, kind: Changed) -> bool {
        let types = &self.code.program.types;
        let is_text = |ty: TypeId| {
            let pointee = types.pointee(ty).and_then(|pointee| types.int(pointee));
            pointee.is_some_and(|int| int.name.is_character())
        };
        match kind {
            Changed::Long => types
                .int(input.element)
                .is_some_and(|int| int.width == self.code.pointer_width),
            Changed::Text => is_text(input.element),
            Changed::Int => matches!(types.kind(input.element), Type::Int(int) if int.width == 32),
        }
    }
}

/// What kind of object of the library a function changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    /// `optind`, `daylight`.
    Int,
    /// `timezone`.
    Long,
    /// `optarg`, `tzname`, what `environ` leads to.
    Text,
}

/// What a function changes beside `errno`, by its name.
fn changes(name: &str) -> &'static [Changed] {
    match name {
        "setenv" | "unsetenv" | "putenv" | "clearenv" => &[Changed::Text],
        "getopt" | "getopt_long" | "getopt_long_only" => &[Changed::Int, Changed::Text],
        "tzset" | "localtime" | "localtime_r" | "mktime" | "timelocal" | "strftime" | "ctime"
        | "ctime_r" => &[Changed::Int, Changed::Long, Changed::Text],
        _ => &[],
    }
}
