//! What is tested, and questions that every writer asks about it.

use std::path::Path;

use ir::input::InputSpace;
use ir::{
    Function, FunctionId, FunctionType, Global, GlobalId, GlobalKind, Linkage, Origin, Program,
    Span, Type, UnitId,
};

/// The tested function in its program, with the numbering of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// The numbering of inputs.
    pub space: &'a InputSpace,
    /// The tested function.
    pub entry: FunctionId,
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

    /// Whether the tests can name the global: it is a file-scope object that is no other unit's
    /// `static`, and none of the C library's.
    pub fn is_visible_global(&self, id: GlobalId) -> bool {
        let global = &self.program.globals[id];
        let named = match global.kind {
            GlobalKind::File(Linkage::External) => true,
            GlobalKind::File(Linkage::Internal) => global.unit == self.unit(),
            _ => false,
        };
        named
            && self.program.units[global.unit].origin == Origin::User
            && !self.in_system_header(&global.span)
    }

    /// Whether the tests must define the global: no unit does, nor does a library.
    pub fn needs_definition(&self, global: &Global) -> bool {
        global.initializer.is_none()
            && matches!(global.kind, GlobalKind::File(_))
            && self.program.units[global.unit].origin == Origin::User
            && !self.in_system_header(&global.span)
    }

    /// Whether a function comes from the C library or the compiler: it is declared in a header of
    /// the system, or nowhere.
    pub fn is_library(&self, function: &Function) -> bool {
        function.span.is_none() || self.in_system_header(&function.span)
    }

    fn in_system_header(&self, span: &Option<Span>) -> bool {
        let file = span
            .as_ref()
            .and_then(|span| self.program.files.get(span.place().file));
        file.is_some_and(|file| {
            ["/usr/include", "/usr/lib", "/usr/local/include"]
                .iter()
                .any(|prefix| Path::new(&file.path).starts_with(prefix))
        })
    }
}
