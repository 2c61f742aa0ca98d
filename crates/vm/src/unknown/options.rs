//! `optind`, the index of the argument that `getopt` and its kin look at next: 1 when a program
//! starts, and after each call as it was, or between 1 and the number of arguments (POSIX,
//! `getopt`).

use ir::input::InputValue;
use ir::{CellId, FunctionId};

use crate::execution::ConstraintKind;
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Value, number};

impl Run<'_, '_> {
    /// Gives `optind` the value that it has where a program starts.
    pub fn start_options(&mut self) -> Flow<()> {
        let is_main = self.code.program.functions[self.entry].name == "main";
        match self.code.statics.option_index.filter(|_| is_main) {
            Some((id, scalar)) => self.store_at(id, 0, scalar, Value::concrete(1)),
            None => Ok(()),
        }
    }

    /// What `optind` holds before a call of a function of the C library that changes it.
    pub(super) fn options_before(&mut self, function: FunctionId) -> Flow<Option<Value>> {
        let program = self.code.program;
        let name = program.functions[function].name.as_str();
        let changes = matches!(name, "getopt" | "getopt_long" | "getopt_long_only");
        let changes = changes && program.is_library(function);
        match self.code.statics.option_index.filter(|_| changes) {
            Some((id, scalar)) => self.load_at(id, 0, scalar).map(Some),
            None => Ok(None),
        }
    }

    /// Takes `optind` to be as it was, or as its documentation says: without arguments, and beyond
    /// them, it stays what the program set.
    pub(super) fn keep_options(&mut self, before: Value, arguments: &[Passed]) -> Flow<()> {
        let (Some((id, scalar)), Some(&Passed::Scalar(count, _))) =
            (self.code.statics.option_index, arguments.first())
        else {
            return Ok(());
        };
        let count = self.used(count)?;
        let mut now = self.load_at(id, 0, scalar)?;
        let Some(term) = now.term() else {
            return Ok(());
        };
        let width = scalar.bits();
        let at = |value: Value| number(value.bits, width, true);
        let holds = at(now) == at(before) || (1..=at(count)).contains(&at(now));
        if !holds {
            now.bits = before.bits;
            if let Some(cell) = self.terms.variables(term).first() {
                let (cell, bits) = (CellId::from_raw(cell.0), InputValue::Bits(now.bits));
                self.state.record.inputs.values.insert(cell, bits);
            }
        }
        let (before, count) = (self.term_of(before, width), self.term_of(count, width));
        let one = self.terms.constant(width, 1);
        let (above, below) = (self.terms.sle(one, term), self.terms.sle(term, count));
        let is_inside = self.terms.bool_and(above, below);
        let is_same = self.terms.eq(term, before);
        let is_kept = self.terms.bool_or(is_same, is_inside);
        self.constrain(ConstraintKind::Assumption, is_kept, 1, Vec::new());
        self.store_at(id, 0, scalar, now)
    }
}
