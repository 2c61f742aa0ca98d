//! What a function that nobody knows may change: a loss.
//!
//! The machine takes a function without a body to change nothing. In C it may write to what it is
//! given a pointer to, directly or by further pointers, to globals, and to the objects of the
//! caller, which others may have pointers to; and it may call the functions that it is given. An input that nothing has looked at yet stands for any
//! value, before the call as after it, so that no change of it is missed.

use ir::test::LossKind;
use ir::{FunctionId, Type, TypeId, Types};

use crate::code::{Argument, CallCode};
use crate::memory::{AllocationId, Kind, Life};
use crate::run::{Run, Step};
use crate::value::{Shadow, Value};

/// How many pointers are followed from type to type.
const DEPTH: u32 = 4;

impl Run<'_, '_> {
    /// Records the loss if a function that nobody knows may change something that matters.
    pub fn note_effects(&mut self, function: FunctionId, call: &CallCode) -> Step<()> {
        let program = self.code.program;
        let parameters = match program.types.kind(program.functions[function].ty) {
            Type::Function(ty) => ty.parameters.as_slice(),
            _ => &[],
        };
        let (mut writes, mut calls_back) = (false, false);
        for (index, &argument) in call.arguments.iter().enumerate() {
            let parameter = parameters.get(index).copied();
            writes |= match argument {
                Argument::Scalar(source, scalar, ty) => {
                    let value = self.read(source);
                    if value.shadow == Shadow::Uninitialised && !scalar.character {
                        self.used(value)?;
                    }
                    let ty = parameter.unwrap_or(ty);
                    calls_back |= self.may_call(value, ty);
                    self.may_write_through(value, ty)
                }
                Argument::Object(_) => {
                    parameter.is_some_and(|ty| leads_to_writable(&program.types, ty, DEPTH))
                }
            };
        }
        let name = &program.functions[function].name;
        if writes {
            let detail = format!("{name} has no body and may write through a pointer it is given");
            self.lose(LossKind::UnmodelledCall, detail);
        } else if calls_back {
            let detail = format!("{name} has no body and may call a function it is given");
            self.lose(LossKind::UnmodelledCall, detail);
        } else if self.has_shared_state() {
            let detail =
                format!("{name} has no body and may change globals or the caller's objects");
            self.lose(LossKind::UnmodelledCall, detail);
        }
        Ok(())
    }

    /// Whether an argument of this type is a function that comes back into the program.
    fn may_call(&self, value: Value, ty: TypeId) -> bool {
        let types = &self.code.program.types;
        let pointee = types.pointee(ty);
        let is_function = pointee.is_some_and(|ty| matches!(types.kind(ty), Type::Function(_)));
        is_function
            && match value.shadow {
                Shadow::None => value.bits != 0,
                Shadow::Pointer(id, _) => match self.memory.get(id).kind {
                    Kind::Function(given) => self.code.program.functions[given].body.is_some(),
                    _ => false,
                },
                _ => true,
            }
    }

    /// Whether an argument of this type leads to memory that may be written.
    fn may_write_through(&self, value: Value, ty: TypeId) -> bool {
        let types = &self.code.program.types;
        let Type::Pointer {
            pointee, constant, ..
        } = types.kind(ty)
        else {
            return false;
        };
        if matches!(types.kind(*pointee), Type::Function(_)) {
            return false;
        }
        match value.shadow {
            Shadow::None if value.bits == 0 => false,
            Shadow::Pointer(id, _) => {
                let allocation = self.memory.get(id);
                let reachable = allocation.kind != Kind::Opaque && allocation.life == Life::Live;
                reachable && (!constant || self.holds_pointers(id))
            }
            _ => !constant || leads_to_writable(types, *pointee, DEPTH),
        }
    }

    /// Whether an object holds pointers to something that may be written, or will when it is
    /// looked at.
    fn holds_pointers(&self, id: AllocationId) -> bool {
        let types = &self.code.program.types;
        let allocation = self.memory.get(id);
        let input = allocation.input.as_deref().map(|input| input.element);
        let declared = [input, allocation.ty].into_iter().flatten();
        let by_type = declared
            .into_iter()
            .any(|ty| leads_to_writable(types, ty, DEPTH));
        let by_contents = allocation.ty.is_none() && input.is_none();
        by_type
            || by_contents
                && allocation.entries.values().any(|entry| match entry.shadow {
                    Shadow::Pointer(target, _) => {
                        let target = self.memory.get(target);
                        !target.constant && !matches!(target.kind, Kind::Function(_) | Kind::Opaque)
                    }
                    Shadow::Lazy(_) | Shadow::Tainted => true,
                    _ => false,
                })
    }

    /// Whether there is anything that other code may hold and that was looked at.
    fn has_shared_state(&self) -> bool {
        let looked_at = |id: AllocationId| {
            let allocation = self.memory.get(id);
            allocation.life == Life::Live && allocation.dirty.0 < allocation.dirty.1
        };
        let by_pointer = self.objects.iter().any(|&(_, id)| looked_at(id));
        let changing = &self.code.config.changing_globals;
        by_pointer
            || changing.iter().any(|&global| {
                let id = self.code.layout.globals[global];
                self.memory.get(id).input.is_none() || looked_at(id)
            })
    }
}

/// Whether a value of the type is or holds a pointer that leads to something that is not `const`.
fn leads_to_writable(types: &Types, ty: TypeId, depth: u32) -> bool {
    if depth == 0 {
        return true;
    }
    match types.kind(ty) {
        Type::Pointer {
            pointee, constant, ..
        } => {
            let function = matches!(types.kind(*pointee), Type::Function(_));
            !function && (!constant || leads_to_writable(types, *pointee, depth - 1))
        }
        Type::Array { element, .. } => leads_to_writable(types, *element, depth),
        Type::Record(record) => {
            let fields = &types.records[*record].fields;
            fields
                .iter()
                .any(|field| leads_to_writable(types, field.ty, depth))
        }
        _ => false,
    }
}
