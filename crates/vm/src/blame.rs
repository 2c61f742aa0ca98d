//! Which guesses about the inputs the defects of pointers rest on.

use ir::input::{InputValue, Root};
use ir::test::{Defect, Outcome};
use ir::{CellId, DefectKind, FunctionId, GlobalKind, Linkage};

use crate::ids::AllocationId;
use crate::memory::Kind;
use crate::run::Run;
use crate::stop::Stop;
use crate::value::{Value, mask};

/// Accesses this near to address 0 are accesses through a null pointer.
const NULL_PAGE: u128 = 4096;

/// Where more input pointers are null, a defect is not said to rest on one of them.
const MOST_NULLS: usize = 3;

/// So many objects that earlier calls left values in are told.
const MOST_LEFT: usize = 3;

/// Says what a defect rests on, unless something nearer is known.
fn explain(defect: &mut Defect, assumption: Option<&String>) {
    if defect.rests_on.is_none() && defect.assumption.is_none() {
        defect.assumption = assumption.cloned();
    }
}

impl Run<'_, '_> {
    /// A defect that an input pointer makes: on what a function without a body returned or wrote,
    /// if it is that.
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

    /// A defect that a null pointer makes: the one in a cell, if it is known, or else one of the
    /// input pointers that are null. It rests on functions without a body if each of these comes
    /// from one.
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

    /// A defect of an access to an object, or of its end. It rests on the input pointer that leads
    /// there without the object being its own, if there is one: callers pass separate objects more
    /// often.
    pub fn defect_of(
        &self,
        kind: DefectKind,
        message: impl Into<String>,
        id: AllocationId,
    ) -> Stop {
        let mut stop = self.defect(kind, message);
        let mut values = self.state.record.inputs.values.iter();
        let found = values.find(|(_, value)| self.leads_to(**value, id));
        if let (Some((&cell, _)), Stop::Defect(defect)) = (found, &mut stop) {
            defect.rests_on = self.space.function_behind(cell);
            if defect.rests_on.is_none() {
                let pointer = self.describe(cell);
                let assumption =
                    format!("the caller may have {pointer} lead to an object that is not its own");
                defect.assumption = Some(assumption);
            }
        }
        stop
    }

    /// Whether an input pointer is chosen to lead to an object that others lead to.
    fn leads_to(&self, value: InputValue, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        match (value, allocation.kind) {
            (InputValue::Function(function), Kind::Function(this)) => function == this,
            (InputValue::Alias { object, .. }, _) => {
                let input = allocation.input.as_deref().map(|input| input.object);
                input == Some(object) || self.state.unknown.given_as(id) == Some(object)
            }
            _ => false,
        }
    }

    /// What a write to a constant rests on, if the caller may have passed its address.
    pub fn assumed_constant(&self, id: AllocationId) -> Option<String> {
        let constant = self.state.constants.iter().find(|(_, known)| *known == id);
        let input = self.state.memory.get(id).input.as_ref();
        let object = constant.map(|&(object, _)| object);
        let object = object.or_else(|| input.map(|input| input.object))?;
        let mut inputs = self.state.record.inputs.values.iter();
        let leads_there = |value: &InputValue| matches!(value, InputValue::Alias { object: to, .. } if *to == object);
        let (&cell, _) = inputs.find(|(_, value)| leads_there(value))?;
        let pointer = self.describe(cell);
        let Kind::Global(global) = self.state.memory.get(id).kind else {
            return None;
        };
        let global = &self.code.program.globals[global];
        Some(match global.kind {
            GlobalKind::StringLiteral => format!(
                "the caller may pass a string literal for {pointer}, which may be one object with an \
                 equal literal of the code"
            ),
            _ => format!(
                "the caller may pass the address of {} for {pointer}",
                global.name
            ),
        })
    }

    /// Adds to the defects of an execution that ended what they rest on in its inputs.
    pub fn explain_defects(&mut self, outcome: &mut Outcome) {
        let is_end = matches!(outcome, Outcome::Defect(_));
        if !is_end && self.state.record.findings.reported.is_empty() {
            return;
        }
        let inputs = self.assumed_literal().or_else(|| self.assumed_state());
        if let Outcome::Defect(defect) = outcome {
            let circle = self.assumed_circle(defect.kind);
            explain(defect, circle.as_ref().or(inputs.as_ref()));
        }
        for defect in &mut self.state.record.findings.reported {
            explain(defect, inputs.as_ref());
        }
    }

    /// The assumption that the caller passes a string literal of the code, or an equal one that is
    /// one object with it.
    fn assumed_literal(&self) -> Option<String> {
        let is_literal = |id: AllocationId| match self.state.memory.get(id).kind {
            Kind::Global(global) => {
                self.code.program.globals[global].kind == GlobalKind::StringLiteral
            }
            _ => false,
        };
        let mut literals = self
            .state
            .constants
            .iter()
            .filter(|(_, id)| is_literal(*id));
        literals.find_map(|&(_, id)| self.assumed_constant(id))
    }

    /// The assumption that earlier calls left values in objects of the unit that the input gives
    /// them and that they do not have at first.
    fn assumed_state(&self) -> Option<String> {
        let values = self.state.record.inputs.values.iter();
        let left = values.filter(|&(&cell, value)| self.is_left_behind(cell, *value));
        let mut names: Vec<String> = left.map(|(&cell, _)| self.describe(cell)).collect();
        if names.is_empty() {
            return None;
        }
        if names.len() > MOST_LEFT {
            names.truncate(MOST_LEFT);
            names.push("others".to_owned());
        }
        Some(format!(
            "earlier calls may leave such values in {}",
            names.join(" and ")
        ))
    }

    /// Whether a cell is of an object of the unit with another value than it has at first.
    fn is_left_behind(&self, cell: CellId, value: InputValue) -> bool {
        let object = self.space.cell_data(cell).object;
        let Root::Global(global) = self.space.object_data(object).root else {
            return false;
        };
        let global = &self.code.program.globals[global];
        let is_own = global.kind == GlobalKind::File(Linkage::Internal);
        let is_zero = global.initializer.as_ref().is_none_or(|initial| {
            initial.relocations.is_empty() && initial.bytes.iter().all(|&byte| byte == 0)
        });
        let is_first = is_zero && matches!(value, InputValue::Bits(0) | InputValue::Null);
        is_own && !is_first
    }

    /// The assumption that input objects lead to each other in a circle, which may be why a loop
    /// does not end.
    fn assumed_circle(&self, kind: DefectKind) -> Option<String> {
        let mut values = self.state.record.inputs.values.iter();
        let is_alias = |value: &InputValue| matches!(value, InputValue::Alias { .. });
        let is_inside = |cell: CellId| {
            let object = self.space.cell_data(cell).object;
            matches!(self.space.object_data(object).root, Root::Pointee(_))
        };
        let (&cell, _) = values.find(|&(&cell, value)| is_alias(value) && is_inside(cell))?;
        (kind == DefectKind::NonTermination).then(|| {
            let pointer = self.describe(cell);
            format!("the caller may pass objects that lead back to each other, by {pointer}")
        })
    }

    /// The input pointers that are null, in the order of their numbers.
    pub fn null_inputs(&self) -> Vec<CellId> {
        let nulls = self
            .state
            .resolved
            .iter()
            .filter(|(_, value)| value.bits == 0);
        let mut nulls: Vec<CellId> = nulls.map(|(&cell, _)| cell).collect();
        nulls.sort_unstable();
        nulls
    }
}
