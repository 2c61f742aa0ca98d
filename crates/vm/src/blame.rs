//! The assumptions about inputs that a defect rests on where it happens. Those that lead there,
//! only other executions show.

use ir::input::Root;
use ir::{Assumption, AssumptionKind, CellId, DefectKind, FunctionId, ObjectId};

use crate::ids::AllocationId;
use crate::run::Run;
use crate::stop::Stop;
use crate::value::{Value, mask};

/// Accesses this near to address 0 are accesses through a null pointer.
const NULL_PAGE: u128 = 4096;

impl Run<'_, '_> {
    /// The pointer in a cell is NULL; or the function without a body that it comes from returns
    /// NULL.
    pub fn assumes_null(&self, cell: CellId) -> Assumption {
        match self.guessed_of(cell) {
            Some(function) => self.assumes_result(function),
            None => Assumption::null(self.describe(cell)),
        }
    }

    /// A function without a body returns or writes what it does in this execution.
    pub fn assumes_result(&self, function: FunctionId) -> Assumption {
        Assumption::of_result(&self.code.program.functions[function].name)
    }

    /// The address is a number that is an input.
    pub fn assumes_number(&self, address: Value) -> Option<Assumption> {
        let term = address.term()?;
        let first = self.terms.variables(term).first()?;
        let cell = CellId::from_raw(first.0);
        if let Some(function) = self.guessed_of(cell) {
            return Some(self.assumes_result(function));
        }
        let object = self.space.cell_data(cell).object;
        let name = match self.space.object_data(object).root {
            Root::Added(pointer) => self.describe(pointer),
            _ => self.describe(cell),
        };
        let text = format!("{name} may be a number that is no address");
        Some(Assumption::new(AssumptionKind::Number, name, text))
    }

    /// The object that an input pointer leads to ends where it does in this execution.
    pub fn assumes_extent(&self, object: ObjectId, bytes: u64) -> Assumption {
        let name = self.object_name(object);
        let text = format!("{name} may be {bytes} bytes long");
        Assumption::new(AssumptionKind::Extent, name, text)
    }

    /// Input pointers lead to two different objects.
    pub fn assumes_apart(&self, left: AllocationId, right: AllocationId) -> Assumption {
        let name = |id: AllocationId| {
            let input = self.state.memory.get(id).input.as_deref();
            input.map(|input| self.object_name(input.object))
        };
        let names: Vec<String> = [left, right].into_iter().filter_map(name).collect();
        let names = names.join(" and ");
        let text = format!("{names} may be different objects");
        Assumption::new(AssumptionKind::Apart, names, text)
    }

    /// The pointer in a cell is NULL; if it is not known which one, each input pointer that is, from
    /// which others may have been made.
    pub fn assumes_nulls(&self, cell: Option<CellId>) -> Vec<Assumption> {
        let resolved = self.state.resolved.iter();
        let nulls = resolved.filter(|(_, value)| value.bits == 0);
        let mut nulls: Vec<CellId> = match cell {
            Some(cell) => vec![cell],
            None => nulls.map(|(&cell, _)| cell).collect(),
        };
        nulls.sort_unstable();
        nulls
            .into_iter()
            .map(|cell| self.assumes_null(cell))
            .collect()
    }

    /// Whether an address was made from the null pointer: it is in the first or the last page.
    pub fn is_near_null(&self, bits: u128) -> bool {
        bits < NULL_PAGE || bits > mask(self.code.pointer_width) - NULL_PAGE
    }

    /// A defect that a null pointer makes, which is that in a cell if the cell is known.
    pub fn null_defect(&self, kind: DefectKind, message: &str, cell: Option<CellId>) -> Stop {
        self.assumed_defect(kind, message, self.assumes_nulls(cell))
    }
}
