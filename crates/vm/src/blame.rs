//! Which guesses about the inputs the defects of pointers rest on.

use ir::input::Root;
use ir::{CellId, DefectKind, FunctionId};

use crate::run::{Run, Stop};
use crate::value::{Value, mask};

/// Accesses this near to address 0 are accesses through a null pointer.
const NULL_PAGE: u128 = 4096;

/// Where more input pointers are null, a defect is not said to rest on one of them.
const MOST_NULLS: usize = 3;

impl Run<'_, '_> {
    /// A defect that an input pointer makes: on what a function without a body returned or wrote, if it is
    /// that.
    pub fn blamed_on(&self, mut stop: Stop, cell: Option<CellId>) -> Stop {
        if let Stop::Defect(defect) = &mut stop {
            defect.rests_on = cell.and_then(|cell| self.guessed_of(cell));
        }
        stop
    }

    /// What a defect rests on whose address is a number that is an input.
    pub fn assumes_number(&self, address: Value) -> Option<String> {
        let term = address.term()?;
        let first = self.terms.variables(term).first()?;
        let cell = CellId::from_raw(first.0);
        let object = self.space.cell_data(cell).object;
        let name = match self.space.object_data(object).root {
            Root::Added(pointer) => self.describe(pointer),
            _ => self.describe(cell),
        };
        Some(format!(
            "the caller may pass a number for {name} that is no address"
        ))
    }

    /// Whether an address was made from the null pointer: it is in the first or the last page.
    pub fn is_near_null(&self, bits: u128) -> bool {
        bits < NULL_PAGE || bits > mask(self.code.pointer_width) - NULL_PAGE
    }

    /// A defect that a null pointer makes: the one in a cell, if it is known, or else one of the input
    /// pointers that are null. It rests on functions without a body if each of these comes from one.
    pub fn null_defect(&self, kind: DefectKind, message: &str, cell: Option<CellId>) -> Stop {
        let nulls = match cell {
            Some(cell) => vec![cell],
            None => self.null_inputs(),
        };
        let names: Vec<String> = nulls
            .iter()
            .take(MOST_NULLS)
            .map(|&cell| self.describe(cell))
            .collect();
        let is_told = !nulls.is_empty() && nulls.len() <= MOST_NULLS;
        let of_caller =
            is_told.then(|| format!("the caller may pass NULL for {}", names.join(" or ")));
        let assumption = match nulls.len() {
            0 | 1 => of_caller,
            _ => self.assumed_failure().or(of_caller),
        };
        let guessed = nulls.iter().map(|&cell| self.guessed_of(cell));
        let guessed: Option<Vec<FunctionId>> = guessed.collect();
        let mut stop = self.assumed_defect(kind, message, assumption);
        if let Stop::Defect(defect) = &mut stop {
            defect.rests_on = guessed.and_then(|guessed| guessed.last().copied());
        }
        stop
    }

    /// A defect with an assumption, if it has none.
    pub fn or_assumed(&self, mut stop: Stop, assumption: Option<String>) -> Stop {
        if let Stop::Defect(defect) = &mut stop {
            defect.assumption = defect.assumption.take().or(assumption);
        }
        stop
    }

    /// The input pointers that are null, in the order of their numbers.
    pub fn null_inputs(&self) -> Vec<CellId> {
        let nulls = self.resolved.iter().filter(|(_, value)| value.bits == 0);
        let mut nulls: Vec<CellId> = nulls.map(|(&cell, _)| cell).collect();
        nulls.sort_unstable();
        nulls
    }
}
