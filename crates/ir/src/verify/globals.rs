//! Globals: their types and initial values.

use super::{Invariant, Violation};
use crate::{
    ConstantValue, Global, GlobalId, GlobalKind, Initializer, Program, Type, TypeId, Types,
};

/// Checks all globals.
pub(super) fn check(program: &Program) -> Vec<Violation> {
    let mut checker = Checker {
        program,
        violations: Vec::new(),
    };
    for (id, global) in program.globals.iter_enumerated() {
        checker.global(id, global);
    }
    checker.violations
}

/// Whether a constant refers to a global or function that exists.
pub(super) fn target_exists(program: &Program, value: &ConstantValue) -> bool {
    match value {
        ConstantValue::Global { global, .. } => global.index() < program.globals.len(),
        ConstantValue::Function(function) => function.index() < program.functions.len(),
        ConstantValue::Int(_) | ConstantValue::Float(_) => true,
    }
}

/// Whether there can be objects of a type.
pub(super) fn is_object(types: &Types, ty: TypeId) -> bool {
    !matches!(types.kind(ty), Type::Void | Type::Function(_))
}

struct Checker<'p> {
    program: &'p Program,
    violations: Vec<Violation>,
}

impl Checker<'_> {
    fn fail(&mut self, invariant: Invariant, message: String) {
        self.violations.push(Violation {
            invariant,
            function: None,
            block: None,
            statement: None,
            message,
        });
    }

    fn global(&mut self, id: GlobalId, global: &Global) {
        // `extern const void text;` is C, if odd.
        let defined = global.initializer.is_some();
        if defined && !is_object(&self.program.types, global.ty) {
            self.fail(Invariant::Signatures, format!("{id} has no object type"));
        }
        let functions = self.program.functions.len();
        match global.kind {
            GlobalKind::StaticLocal(function) if function.index() >= functions => {
                self.fail(
                    Invariant::Ids,
                    format!("{id} belongs to {function}, which does not exist"),
                );
            }
            _ => {}
        }
        if let Some(initializer) = &global.initializer {
            self.initializer(id, initializer, global.ty);
        }
    }

    fn initializer(&mut self, id: GlobalId, initializer: &Initializer, ty: TypeId) {
        let size = self.program.types.size(ty);
        let length = initializer.bytes.len() as u64;
        if length > size && !self.ends_in_flexible_array(ty) {
            let message = format!("{id} has {length} bytes for a type of {size}");
            self.fail(Invariant::InitialValues, message);
        }
        let pointer = u64::from(self.program.target.pointer_width / 8);
        let room = size.max(length);
        let mut free = 0;
        for relocation in &initializer.relocations {
            let end = relocation.offset.checked_add(pointer);
            if relocation.offset < free || end.is_none_or(|end| end > room) {
                let message = format!("a pointer at {} does not fit {id}", relocation.offset);
                self.fail(Invariant::InitialValues, message);
            }
            free = end.unwrap_or(u64::MAX);
            if !matches!(
                relocation.target,
                ConstantValue::Global { .. } | ConstantValue::Function(_)
            ) {
                let message = format!("a relocation in {id} is no address");
                self.fail(Invariant::InitialValues, message);
            }
            if !target_exists(self.program, &relocation.target) {
                self.fail(
                    Invariant::Ids,
                    format!("{id} points to what does not exist"),
                );
            }
        }
    }

    fn ends_in_flexible_array(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        let last = |ty| types.record(ty).and_then(|record| record.fields.last());
        let flexible = |ty| match types.kind(ty) {
            Type::Array { length, .. } => matches!(length, None | Some(0)),
            _ => false,
        };
        last(ty).is_some_and(|field| {
            // GNU C lets a record with a flexible array end another record.
            flexible(field.ty) || last(field.ty).is_some_and(|inner| flexible(inner.ty))
        })
    }
}
