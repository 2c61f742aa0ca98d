//! Input pointers: what each may be, and what it is in this execution.

use ir::input::{InputValue, Root};
use ir::test::BoundKind;
use ir::{CellId, FunctionId, ObjectId, Type, TypeId};

use crate::memory::{AllocationId, InputObject, Kind, Life, UNSEEN};
use crate::run::{Run, Step};
use crate::value::{Value, mask};
use crate::{Alternative, ConstraintKind, Demand};

/// The most bytes that an object behind a pointer has each way, unless one element is larger.
const MOST_BYTES: u64 = 1 << 16;

impl Run<'_, '_> {
    /// What the pointer in a cell is; decided when it is first looked at.
    pub fn resolve(&mut self, cell: CellId) -> Step<Value> {
        if let Some(&value) = self.resolved.get(&cell) {
            return Ok(value);
        }
        let mut offered = self.offered(cell);
        let default = offered.first().copied().unwrap_or(InputValue::Null);
        let known = self.inputs.vector.values.get(&cell).copied();
        let chosen = known.unwrap_or_else(|| {
            let suggested = self.inputs.defaults.value(self.space, cell);
            let possible = suggested.filter(|value| offered.contains(value));
            possible.unwrap_or(default)
        });
        let taken = offered.iter().position(|value| *value == chosen);
        let taken = taken.unwrap_or_else(|| {
            offered.push(chosen);
            offered.len() - 1
        });
        let alternatives = offered
            .iter()
            .enumerate()
            .filter(|(way, _)| *way != taken)
            .map(|(way, &value)| Alternative {
                way: way as u32,
                demand: Demand::Pointer(cell, value),
            })
            .collect();
        let term = self.terms.bool(true);
        self.constrain(
            ConstraintKind::PointerChoice(cell),
            term,
            taken as u32,
            alternatives,
        );
        self.record.inputs.values.insert(cell, chosen);
        self.note_unknown_functions(cell);
        let value = self.chosen(cell, chosen)?;
        self.resolved.insert(cell, value);
        Ok(value)
    }

    /// What a pointer input may be, in a fixed order: what is not among these is a bound.
    fn offered(&self, cell: CellId) -> Vec<InputValue> {
        let data = *self.space.cell_data(cell);
        let types = &self.code.program.types;
        let Some(pointee) = types.pointee(data.ty) else {
            return vec![InputValue::Null];
        };
        let mut offered = Vec::new();
        if !self.never_null(cell) {
            offered.push(InputValue::Null);
        }
        if let Type::Function(_) = types.kind(pointee) {
            let functions = &self.code.program.functions;
            let fits = functions
                .iter_enumerated()
                .filter(|(_, function)| function.body.is_some() && function.ty == pointee)
                .map(|(id, _)| InputValue::Function(id));
            offered.extend(fits);
            return offered;
        }
        offered.push(InputValue::Fresh);
        if types.record(pointee).is_some() {
            let aliases = self
                .alias_candidates(pointee)
                .map(|object| InputValue::Alias { object, offset: 0 });
            offered.extend(aliases);
        }
        offered
    }

    /// Whether the cell is a parameter of the entry that is declared never to be NULL.
    fn never_null(&self, cell: CellId) -> bool {
        let data = self.space.cell_data(cell);
        let Root::Parameter(index) = self.space.object_data(data.object).root else {
            return false;
        };
        let nonnull = &self.code.program.functions[self.entry].parameter_nonnull;
        data.offset_bits == 0 && nonnull.get(index as usize) == Some(&true)
    }

    /// Input objects that exist and whose elements are of the type.
    fn alias_candidates(&self, pointee: TypeId) -> impl Iterator<Item = ObjectId> {
        self.objects
            .iter()
            .filter(move |(_, id)| {
                let allocation = self.memory.get(*id);
                let input = allocation.input.as_deref();
                allocation.life == Life::Live && input.is_some_and(|input| input.element == pointee)
            })
            .map(|(object, _)| *object)
    }

    /// Notes that a pointer to a function could also have pointed to one outside the program.
    fn note_unknown_functions(&mut self, cell: CellId) {
        let types = &self.code.program.types;
        let pointee = types.pointee(self.space.cell_data(cell).ty);
        if pointee.is_some_and(|pointee| matches!(types.kind(pointee), Type::Function(_))) {
            let name = self.describe(cell);
            let detail = format!("{name} is not taken to point to a function outside the program");
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// The pointer for a choice.
    fn chosen(&mut self, cell: CellId, choice: InputValue) -> Step<Value> {
        Ok(match choice {
            InputValue::Null => Value::ZERO,
            InputValue::Bits(bits) => Value::concrete(bits & mask(self.code.pointer_width)),
            InputValue::Fresh => self.fresh(cell)?,
            InputValue::Function(function) => self.function_pointer(function),
            InputValue::Alias { object, offset } => {
                let found = self.objects.iter().find(|(known, _)| *known == object);
                match found {
                    Some(&(_, id)) => {
                        let origin = self.memory.get(id).input.as_ref().map_or(0, |i| i.origin);
                        self.pointer_into(id, origin.wrapping_add_signed(offset))
                    }
                    None => {
                        self.lose(
                            ir::test::LossKind::Divergence,
                            "an input pointer should alias an object that does not exist here",
                        );
                        Value::ZERO
                    }
                }
            }
        })
    }

    /// A pointer to a function.
    pub fn function_pointer(&self, function: FunctionId) -> Value {
        let id = self.code.layout.functions[function];
        self.pointer_into(id, 0)
    }

    /// A pointer to an object of its own.
    fn fresh(&mut self, cell: CellId) -> Step<Value> {
        let types = &self.code.program.types;
        let pointee = types.pointee(self.space.cell_data(cell).ty);
        let element = match pointee {
            Some(pointee) if *types.kind(pointee) != Type::Void => pointee,
            _ => self.character_type(),
        };
        let object = self.space.object(Root::Pointee(cell), element);
        let size = types.size(element);
        let max = self.code.config.max_array;
        let room = match MOST_BYTES.checked_div(size) {
            Some(elements) => size * elements.clamp(1, max.max(1)),
            None => 0,
        };
        let extent = self.inputs.vector.extents.get(&object);
        let (before, after) = extent.map_or((room, room), |extent| (extent.before, extent.after));
        let total = before.saturating_add(after);
        let align = types.align(element);
        let id = self
            .memory
            .allocate(Kind::Pointee, total, align, UNSEEN)
            .map_err(|error| self.out_of_memory(error))?;
        self.memory.get_mut(id).input = Some(Box::new(InputObject {
            object,
            element,
            origin: before,
            growable: extent.is_none(),
            touched: (before, before),
            written: false,
        }));
        self.objects.push((object, id));
        self.first_extent(id, size);
        self.note_sharing(id);
        Ok(self.pointer_into(id, before))
    }

    /// An object has at least its one element, whether or not it is accessed; its extent is what
    /// is asked for where that is known.
    fn first_extent(&mut self, id: AllocationId, size: u64) {
        let whole = self.memory.get(id).size;
        let Some(input) = &mut self.memory.get_mut(id).input else {
            return;
        };
        if input.growable {
            input.touched.1 = input.origin + size;
        } else {
            input.touched = (0, whole);
        }
    }
}
