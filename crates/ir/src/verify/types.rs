//! The tables that everything else refers to: types, records, units, files.

use super::{Invariant, Violation};
use crate::{IntType, Program, Span, Type, TypeId};

/// Checks that types refer to what exists, and that functions and globals have types and units.
pub(super) fn check(program: &Program) -> Vec<Violation> {
    let mut checker = Checker {
        program,
        violations: Vec::new(),
    };
    for (id, info) in program.types.iter() {
        checker.shape(id, &info.kind);
    }
    for (id, def) in program.types.enums.iter_enumerated() {
        checker.width(def.underlying, &id.to_string());
    }
    for (id, record) in program.types.records.iter_enumerated() {
        for field in &record.fields {
            checker.ty(field.ty, &format!("a member of {id}"));
        }
    }
    for (id, unit) in program.units.iter_enumerated() {
        let records = unit.unknown_records.iter().chain(&unit.absent_records);
        let records = records.map(|record| record.index());
        let enums = unit.unknown_enums.iter().map(|def| def.index());
        if records.max() >= Some(program.types.records.len())
            || enums.max() >= Some(program.types.enums.len())
        {
            checker.fail(format!("{id} is without a type that does not exist"));
        }
    }
    for (id, global) in program.globals.iter_enumerated() {
        checker.ty(global.ty, &id.to_string());
        checker.unit(global.unit.index(), &id.to_string());
        checker.span(global.span.as_ref(), &id.to_string());
    }
    for (id, function) in program.functions.iter_enumerated() {
        checker.ty(function.ty, &id.to_string());
        checker.unit(function.unit.index(), &id.to_string());
        checker.span(function.span.as_ref(), &id.to_string());
    }
    checker.violations
}

/// Whether a span lies in files of the program.
pub(super) fn span_in_range(program: &Program, span: &Span) -> bool {
    let expansions = span.expansions.iter().map(|expansion| expansion.at);
    [span.begin, span.end]
        .into_iter()
        .chain(expansions)
        .all(|position| position.file.index() < program.files.len())
}

struct Checker<'p> {
    program: &'p Program,
    violations: Vec<Violation>,
}

impl Checker<'_> {
    fn fail(&mut self, message: String) {
        self.violations.push(Violation {
            invariant: Invariant::Ids,
            function: None,
            block: None,
            statement: None,
            message,
        });
    }

    fn ty(&mut self, ty: TypeId, user: &str) {
        if self.program.types.get(ty).is_none() {
            self.fail(format!("{user} has the type {ty}, which does not exist"));
        }
    }

    fn unit(&mut self, unit: usize, user: &str) {
        if unit >= self.program.units.len() {
            self.fail(format!("{user} is of unit{unit}, which does not exist"));
        }
    }

    fn span(&mut self, span: Option<&Span>, user: &str) {
        if span.is_some_and(|span| !span_in_range(self.program, span)) {
            self.fail(format!("{user} is in a file that does not exist"));
        }
    }

    fn width(&mut self, int: IntType, user: &str) {
        if !(8..=128).contains(&int.width) {
            self.fail(format!("{user} has {} bits", int.width));
        }
    }

    fn shape(&mut self, id: TypeId, kind: &Type) {
        let user = id.to_string();
        match kind {
            Type::Int(int) => self.width(*int, &user),
            Type::Pointer { pointee, .. } => self.ty(*pointee, &user),
            Type::Array { element, .. } => self.ty(*element, &user),
            Type::Function(function) => {
                self.ty(function.result, &user);
                for &parameter in &function.parameters {
                    self.ty(parameter, &user);
                }
            }
            Type::Record(record) if record.index() >= self.program.types.records.len() => {
                self.fail(format!("{user} is {record}, which does not exist"));
            }
            Type::Enum(def) if def.index() >= self.program.types.enums.len() => {
                self.fail(format!("{user} is {def}, which does not exist"));
            }
            _ => {}
        }
    }
}
