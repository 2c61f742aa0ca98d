//! The facts about the locale that are known before an execution.

use ir::library::is_known;
use ir::{FunctionId, Global, GlobalId, Origin, Program};

use crate::ids::AllocationId;

/// The facts about the locale that are known before an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locale {
    /// Whether something may set another one than "C".
    pub may_be_set: bool,
    /// The tables that macros of ctype.h read, each with the size of its elements.
    pub tables: Vec<(AllocationId, u64)>,
}

/// The tables' number of elements before that of character 0.
pub(crate) const BEFORE_ZERO: u64 = 128;

/// The models' tables of characters.
pub(crate) fn is_table(program: &Program, global: &Global) -> bool {
    let names = ["classes", "lower_case", "upper_case"];
    program.units[global.unit].origin == Origin::Model && names.contains(&global.name.as_str())
}

/// The bytes of a table that depend on the locale, by the size of its elements.
pub(crate) fn ranges(element: u64) -> [(u64, u64); 2] {
    let at = |character: u64| (BEFORE_ZERO + character) * element;
    [(0, (BEFORE_ZERO - 1) * element), (at(128), at(256))]
}

impl Locale {
    /// The facts of a program, given where its globals are.
    pub fn new(program: &Program, place: impl Fn(GlobalId) -> AllocationId) -> Locale {
        let globals = program.globals.iter_enumerated();
        let tables = globals.filter(|(_, global)| is_table(program, global));
        let element = |global: &Global| program.types.size(global.ty) / (BEFORE_ZERO + 256);
        let tables = tables.map(|(id, global)| (place(id), element(global)));
        let sets = |(id, function): (FunctionId, &ir::Function)| {
            // What is loaded may set it, too.
            let is_setter = matches!(
                function.name.as_str(),
                "setlocale" | "uselocale" | "dlopen" | "dlmopen"
            );
            let is_known = function.body.is_some()
                || program.is_library(id)
                || is_known(&program.types, function)
                || program.origin(id) == Origin::Caller;
            is_setter || !is_known
        };
        Locale {
            may_be_set: program.functions.iter_enumerated().any(sets),
            tables: tables.collect(),
        }
    }
}
