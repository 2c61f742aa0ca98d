//! `optind`, the index of the argument that `getopt` and its kin look at next: 1 when a program starts, and
//! after each call between 1 and the number of arguments (POSIX, `getopt`).

use ir::TypeId;

use crate::calls::Passed;
use crate::memory::AllocationId;
use crate::run::{Run, Step};
use crate::value::{Scalar, Value, number};

impl Run<'_, '_> {
    /// Gives `optind` the value that it has where a program starts.
    pub fn start_options(&mut self) -> Step<()> {
        let is_main = self.code.program.functions[self.entry].name == "main";
        match self.option_index().filter(|_| is_main) {
            Some((id, scalar)) => self.store_at(id, 0, scalar, Value::concrete(1)),
            None => Ok(()),
        }
    }

    /// What `optind` holds before a call of a function that changes it.
    pub(super) fn options_before(&mut self, name: &str) -> Step<Option<Value>> {
        match self.option_index().filter(|_| name.starts_with("getopt")) {
            Some((id, scalar)) => self.load_at(id, 0, scalar).map(Some),
            None => Ok(None),
        }
    }

    /// Takes `optind` to be as its documentation says. One that the program itself set beyond the arguments
    /// stays there.
    pub(super) fn keep_options(&mut self, before: Value, arguments: &[Passed]) -> Step<()> {
        let (Some((id, scalar)), Some(&Passed::Scalar(count, _))) =
            (self.option_index(), arguments.first())
        else {
            return Ok(());
        };
        let count = self.used(count)?;
        let width = scalar.bits();
        let at = |value: Value| number(value.bits, width, true);
        let bits = at(before).max(at(count)).max(1) as u128;
        let most = if before.is_concrete() && count.is_concrete() {
            Value::concrete(bits)
        } else {
            let (before, count) = (self.term_of(before, width), self.term_of(count, width));
            let is_less = self.terms.slt(before, count);
            let greater = self.terms.ite(is_less, count, before);
            // It is 1 also where there are no arguments.
            let one = self.terms.constant(width, 1);
            let is_less = self.terms.slt(greater, one);
            let term = self.terms.ite(is_less, one, greater);
            self.valued(bits, term)
        };
        let now = self.load_at(id, 0, scalar)?;
        let kept = self.within(now, scalar, (1, most))?;
        self.store_at(id, 0, scalar, kept)
    }

    fn option_index(&self) -> Option<(AllocationId, Scalar)> {
        let program = self.code.program;
        let mut globals = program.globals.iter_enumerated();
        let (id, global) = globals
            .find(|(_, global)| global.name == "optind" && program.is_changed_by_library(global))?;
        let ty: TypeId = global.ty;
        Some((
            self.code.layout.globals[id],
            Scalar::of(&program.types, ty)?,
        ))
    }
}
