//! The tested program, and questions that every writer asks about it.

use ir::c_library::is_in_c_library;
use ir::input::{InputSpace, Root};
use ir::sequence::Sequence;
use ir::test::TestCase;
use ir::{
    Function, FunctionId, FunctionType, Global, GlobalId, GlobalKind, Origin, Program, Span, Type,
    Types, UnitId,
};

use crate::record::is_of_system;

/// Objects of the C library that a test cannot replace, since its own process uses them.
const OF_THE_PROCESS: [&str; 5] = ["__environ", "environ", "stderr", "stdin", "stdout"];

/// The tested function in its program, with the numbering of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// The types as C text that is compiled with the tested unit can name them.
    pub types: &'a Types,
    /// The numbering of inputs.
    pub space: &'a InputSpace,
    /// The tested function.
    pub entry: FunctionId,
    /// The sequence of calls, where the tested function is its driver.
    pub sequence: Option<&'a Sequence>,
}

/// All tests of a function. Those of several functions of a unit may share a file.
#[derive(Clone, Copy, Debug)]
pub struct Tested<'a> {
    /// The function, with the numbering of its inputs.
    pub subject: Subject<'a>,
    /// The tests.
    pub tests: &'a [&'a TestCase],
}

impl<'a> Subject<'a> {
    /// The tested function.
    pub fn function(&self) -> &'a Function {
        &self.program.functions[self.entry]
    }

    /// The unit that the tests include.
    pub fn unit(&self) -> UnitId {
        self.function().unit
    }

    /// The type of a function.
    pub fn function_type(&self, function: FunctionId) -> Option<&'a FunctionType> {
        match self.program.types.kind(self.program.functions[function].ty) {
            Type::Function(ty) => Some(ty),
            _ => None,
        }
    }

    /// The user's units beside the tested one.
    pub fn other_units(&self) -> impl Iterator<Item = UnitId> {
        let units = self.program.units.iter_enumerated();
        units
            .filter(|(id, unit)| *id != self.unit() && unit.origin == Origin::User)
            .map(|(id, _)| id)
    }

    /// Whether the tests can set the global: it is a file-scope object, and none that the runner's
    /// own process lives on.
    pub fn is_visible_global(&self, id: GlobalId) -> bool {
        let global = &self.program.globals[id];
        let library = self.in_system_header(&global.span);
        matches!(global.kind, GlobalKind::File(_))
            && self.program.units[global.unit].origin == Origin::User
            && !(library && OF_THE_PROCESS.contains(&global.name.as_str()))
    }

    /// The first global that a test has a value for and cannot set.
    pub fn out_of_reach(&self, test: &TestCase) -> Option<&'a str> {
        let mut cells = test.inputs.values.keys();
        cells.find_map(|&cell| {
            let object = self.space.cell_data(cell).object;
            match self.space.object_data(object).root {
                Root::Global(id) if !self.is_visible_global(id) => {
                    Some(self.program.globals[id].name.as_str())
                }
                _ => None,
            }
        })
    }

    /// Whether a function is one of the user's that another unit than the tested one defines.
    pub fn is_of_other_unit(&self, function: &Function) -> bool {
        function.body.is_some()
            && function.unit != self.unit()
            && self.program.units[function.unit].origin == Origin::User
    }

    /// Whether the tests must define the global: no unit does, nor does a library.
    pub fn needs_definition(&self, global: &Global) -> bool {
        global.initializer.is_none()
            && matches!(global.kind, GlobalKind::File(_))
            && self.program.units[global.unit].origin == Origin::User
            && !self.in_system_header(&global.span)
    }

    /// Whether a function comes from the C library or the compiler: it is declared in a header of
    /// the system, or nowhere and has such a name.
    pub fn is_library(&self, function: &Function) -> bool {
        match function.span {
            Some(_) => self.in_system_header(&function.span),
            None => is_in_c_library(&function.name) || function.name.starts_with("__"),
        }
    }

    fn in_system_header(&self, span: &Option<Span>) -> bool {
        let file = span
            .as_ref()
            .and_then(|span| self.program.files.get(span.place().file));
        file.is_some_and(|file| is_of_system(&file.path))
    }
}
