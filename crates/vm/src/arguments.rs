//! The arguments of a program (C17, 5.1.2.2.1): `argc` is not negative, `argv` has that many
//! strings, and NULL after them.
//!
//! As long as nothing looks at `argv`, `argc` is any number from 0 on. What `argv` points to
//! depends on how many arguments there are: then that is fixed, and further numbers are
//! alternatives of their own, up to a bound.

use ir::input::{Extent, InputCell, InputValue, Root};
use ir::test::BoundKind;
use ir::{CellId, Local, ObjectId, Type, TypeId};

use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Value, number};

/// The most arguments that a program is given, its name included.
const MOST: u64 = 8;

impl Run<'_, '_> {
    /// What `argc` is restricted to, once it has its value.
    pub fn restrict_argument_count(&mut self) -> Flow<()> {
        let Some(cell) = self.argument_count() else {
            return Ok(());
        };
        let count = self.cell_value(cell);
        let holds = number(count.bits, cell.width, true) >= 0;
        let term = self.term_of(count, cell.width);
        let zero = self.terms.constant(cell.width, 0);
        let condition = self.terms.sle(zero, term);
        self.decide(ConstraintKind::Assumption, condition, holds);
        if holds { Ok(()) } else { Err(Stop::Rejected) }
    }

    /// The cell of `argc`, if the entry is a `main` with `argc` and `argv`.
    fn argument_count(&self) -> Option<InputCell> {
        let program = self.code.program;
        let function = &program.functions[self.entry];
        let body = function.body.as_ref().filter(|_| function.name == "main")?;
        let types = &program.types;
        let parameter = |at: usize| {
            let exists = function.parameters.len() > at;
            exists
                .then(|| body.locals.get(Local::from_usize(at)))
                .flatten()
        };
        let (count, vector) = (parameter(0)?.ty, parameter(1)?.ty);
        let text = types.pointee(vector)?;
        matches!(types.kind(text), Type::Pointer { .. }).then_some(())?;
        let width = types.int(count)?.width;
        let object = self.space.find(&Root::Parameter(0), count)?;
        Some(InputCell {
            object,
            offset_bits: 0,
            ty: count,
            width,
        })
    }

    /// Whether a cell is `argv`.
    pub fn is_argument_vector(&self, cell: CellId) -> bool {
        let data = self.space.cell_data(cell);
        let root = &self.space.object_data(data.object).root;
        *root == Root::Parameter(1) && data.offset_bits == 0 && self.argument_count().is_some()
    }

    /// Whether an object is `argv`, or one of the strings there: the system makes them for the
    /// program.
    pub fn is_of_arguments(&self, object: ObjectId) -> bool {
        let Root::Pointee(pointer) = self.space.object_data(object).root else {
            return false;
        };
        let holder = self.space.cell_data(pointer).object;
        self.is_argument_vector(pointer)
            || matches!(self.space.object_data(holder).root, Root::Pointee(vector) if self.is_argument_vector(vector))
    }

    /// What an element of `argv` may be, if the cell is one.
    pub fn offered_argument(&self, cell: CellId) -> Option<InputValue> {
        let data = self.space.cell_data(cell);
        let Root::Pointee(vector) = self.space.object_data(data.object).root else {
            return None;
        };
        if !self.is_argument_vector(vector) {
            return None;
        }
        let count = self.space.find_cell(&self.argument_count()?)?;
        let Some(InputValue::Bits(count)) = self.state.record.inputs.values.get(&count) else {
            return None;
        };
        let width = i128::from(self.code.pointer_width);
        let is_text = i128::from(data.offset_bits) < *count as i128 * width;
        Some(match is_text {
            true => InputValue::Fresh,
            false => InputValue::Null,
        })
    }

    /// The object that `argv` points to, with all its elements.
    pub fn arguments_vector(&mut self, object: ObjectId, element: TypeId) -> Flow<Value> {
        let count = match self.argument_count() {
            Some(cell) => self.fixed_argument_count(cell)?,
            None => 0,
        };
        let size = (count + 1) * self.code.program.types.size(element);
        let whole = Extent {
            before: 0,
            after: size,
        };
        let id: AllocationId = self.allocate_input(object, whole, false)?;
        self.first_extent(id, size);
        self.materialise(id, 0, size, None)?;
        Ok(self.pointer_into(id, 0))
    }

    fn fixed_argument_count(&mut self, cell: InputCell) -> Flow<u64> {
        let count = self.cell_value(cell);
        let most = self.code.config.max_array.min(MOST);
        let detail = format!("a program is given at most {most} arguments");
        let bound = (BoundKind::ArrayExtent, detail);
        self.fixed_within(count, cell.width, most, bound)
    }
}
