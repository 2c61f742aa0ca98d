//! Pointers that are declared never to be NULL: what functions are given, and what they return.

use ir::{DefectKind, FunctionId, Nonnull, Type};

use crate::passed::Passed;
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// Checks the arguments of parameters that are declared non-NULL.
    pub fn check_nonnull(&mut self, function: FunctionId, arguments: &[Passed]) -> Flow<()> {
        let program = self.code.program;
        let function = &program.functions[function];
        let Type::Function(ty) = program.types.kind(function.ty) else {
            return Ok(());
        };
        let parameters = ty.parameters.iter().zip(&function.parameters);
        for (argument, (&ty, parameter)) in arguments.iter().zip(parameters) {
            let Passed::Scalar(raw, _) = *argument else {
                continue;
            };
            let is_pointer = program.types.pointee(ty).is_some();
            let demands = parameter.nonnull == Nonnull::Demanded && is_pointer;
            if demands && self.tested_pointer(raw)?.bits == 0 {
                let message = format!("{} is given NULL where it must not be", function.name);
                return Err(self.unwanted_null(raw, message));
            }
        }
        Ok(())
    }

    /// Checks a result that is declared non-NULL.
    pub fn check_nonnull_result(&mut self, function: FunctionId, raw: Value) -> Flow<()> {
        if self.tested_pointer(raw)?.bits != 0 {
            return Ok(());
        }
        let name = &self.code.program.functions[function].name;
        let message = format!("{name} returns NULL, which it is declared never to do");
        Err(self.unwanted_null(raw, message))
    }

    /// Chooses values for the pointers that must not be NULL and that the execution did not look
    /// at. Nothing depends on the choice, so that it leaves no constraint, bound or loss.
    pub fn settle_nonnull(&mut self) {
        let (bounds, losses) = (
            self.state.record.imprecision.found.bounds.len(),
            self.state.record.imprecision.found.losses.len(),
        );
        let path = self.state.record.path.len();
        for cell in std::mem::take(&mut self.state.record.noted.nonnull) {
            if self.state.resolved.contains_key(&cell) {
                continue;
            }
            let offered = self.offered(cell).values;
            let known = self.inputs.vector.values.get(&cell);
            let known = known.filter(|value| offered.contains(value));
            let Some(&chosen) = known.or(offered.first()) else {
                continue;
            };
            self.state.record.inputs.values.insert(cell, chosen);
            if let Ok(value) = self.chosen(cell, chosen) {
                self.state.resolved.insert(cell, value);
            }
        }
        self.state.record.imprecision.found.bounds.truncate(bounds);
        self.state.record.imprecision.found.losses.truncate(losses);
        self.state.record.path.truncate(path);
    }

    /// The defect of a null pointer, which may be one that the caller passes.
    fn unwanted_null(&self, raw: Value, message: String) -> Stop {
        let assumption = match raw.shadow {
            Shadow::Lazy(cell) => Some(self.assumes_null(cell)),
            _ => None,
        };
        self.assumed_defect(DefectKind::NullDereference, message, assumption)
    }
}
