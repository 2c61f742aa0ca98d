//! Input pointers: what each may be, and what it points to.

use expr::Var;
use ir::input::{Extent, InputValue, Root};
use ir::library::{HOLD_NO_NULL, NEVER_RETURN_NULL};
use ir::test::BoundKind;
use ir::{CellId, Function, FunctionId, Nonnull, ObjectId, Origin, Type, TypeId};

use crate::candidates::Candidates;
use crate::ids::AllocationId;
use crate::leaves::has_padding;
use crate::memory::{InputObject, Kind, UNSEEN};
use crate::run::Run;
use crate::stop::Flow;
use crate::used::NUMBER;
use crate::value::{Shadow, Value, mask};

/// The alignment of objects whose pointers' low bits the code reads. An input gives the distance of
/// the pointer from a multiple of it.
const LEAST_TAGGED: u64 = 16;

impl Run<'_, '_> {
    /// What a pointer input may be, in a fixed order: what is not among these is a bound.
    pub fn offered(&self, cell: CellId) -> Candidates {
        let mut offered = match self.is_either(cell) {
            true => Candidates {
                values: vec![InputValue::Null],
                cut: false,
            },
            false if self.is_allocated_by_library(cell) => self.offered_new(cell),
            false => self.offered_anew(cell),
        };
        if let Some(before) = self.pointer_before(cell) {
            // One that inputs moved is elsewhere in other executions.
            let is_moved = self.is_moved(cell);
            let is_it = |value: &InputValue| self.address(cell, *value) == Some(before.bits);
            offered.values.retain(|value| is_moved || !is_it(value));
            offered.values.insert(0, InputValue::Kept);
        }
        offered
    }

    /// What it may be, if it is no part of anything that exists.
    fn offered_new(&self, cell: CellId) -> Candidates {
        let mut offered = self.offered_anew(cell);
        let is_new = |value: &InputValue| !matches!(value, InputValue::Alias { .. });
        offered.values.retain(is_new);
        offered.cut = false;
        offered
    }

    /// What it may be, whatever it was before.
    fn offered_anew(&self, cell: CellId) -> Candidates {
        let data = *self.space.cell_data(cell);
        let types = &self.code.program.types;
        let mut offered = Candidates::default();
        if self.is_argument_vector(cell) {
            offered.values.push(InputValue::Fresh);
            return offered;
        }
        if let Some(argument) = self.offered_argument(cell) {
            offered.values.push(argument);
            return offered;
        }
        let arrays = self.arrays_of(cell);
        let within = arrays.iter().map(|&object| InputValue::Within(object));
        offered.values.extend(within);
        match types.pointee(data.ty) {
            None => offered.values.push(NUMBER),
            Some(_) => match self.nonnull(cell) {
                Nonnull::No if self.is_assumed_nonnull(cell) => {}
                Nonnull::No => offered.values.push(InputValue::Null),
                // A bound where the code asks for it, see [`Run::note_meant`].
                Nonnull::Meant | Nonnull::Demanded => {}
            },
        }
        if let Some(pointee) = types.pointee(data.ty) {
            if let Type::Function(_) = types.kind(pointee) {
                self.offer_functions(pointee, &mut offered);
                return offered;
            }
            offered.values.push(InputValue::Fresh);
            let containers = self
                .code
                .facts
                .containers
                .get(&pointee)
                .into_iter()
                .flatten();
            let members = containers.map(|&(whole, offset)| InputValue::Member { whole, offset });
            offered.values.extend(members);
        }
        offered.cut |= self.use_of_cell(cell).is_some_and(|used| used.cut);
        for &pointer in self.other_pointers(cell) {
            let Some(whole) = types.pointee(pointer) else {
                continue;
            };
            match types.kind(whole) {
                Type::Function(_) => self.offer_functions(whole, &mut offered),
                _ => offered.add_one(InputValue::Member { whole, offset: 0 }),
            }
        }
        let aliases = self.alias_choices(cell);
        let declared = self.declared_bytes(cell);
        let is_beside = |value: &InputValue| match value {
            InputValue::Alias { object, offset } => {
                !arrays.contains(object) && self.has_room((*object, *offset), declared)
            }
            _ => true,
        };
        offered.cut |= aliases.cut;
        aliases
            .values
            .into_iter()
            .filter(is_beside)
            .for_each(|value| offered.add_one(value));
        offered
    }

    /// The parts of objects that the pointer in a cell may point to, in a fixed order.
    pub fn alias_choices(&self, cell: CellId) -> Candidates {
        let found = self.all_alias_choices(cell);
        match self.code.config.disjoint_inputs {
            true => Candidates {
                cut: found.cut || !found.values.is_empty(),
                values: Vec::new(),
            },
            false => found,
        }
    }

    /// The same, also where inputs are taken to be disjoint: that is a bound of its own.
    pub fn all_alias_choices(&self, cell: CellId) -> Candidates {
        let own = self.space.cell_data(cell).ty;
        let mut found = self.alias_candidates(cell, own);
        for &pointer in self.other_pointers(cell) {
            let others = self.alias_candidates(cell, pointer);
            found.cut |= others.cut;
            others
                .values
                .into_iter()
                .for_each(|value| found.add_one(value));
        }
        found
    }

    /// Notes that a pointer shares memory with no other input only because the user says so.
    pub fn note_disjoint(&mut self, cell: CellId) {
        if self.code.config.disjoint_inputs && self.alias_choices(cell).cut {
            let name = self.describe(cell);
            let detail = format!("{name} is taken to share memory with no other input");
            self.hit(BoundKind::AssumedDisjoint, detail);
        }
    }

    /// Offers the functions of a type.
    fn offer_functions(&self, ty: TypeId, offered: &mut Candidates) {
        let program = self.code.program;
        let can_be_had = |id: FunctionId| {
            program.functions[id].body.is_some() || program.origin(id) == Origin::Caller
        };
        let functions = program.functions.iter_enumerated();
        let types = &program.types;
        let is_compatible = |function: &Function| match function.old_style {
            true => types.is_compatible_with_old_style(ty, function.ty),
            false => types.has_functions_of(ty, function.ty),
        };
        let fits = functions
            .filter(|&(id, function)| can_be_had(id) && is_compatible(function))
            .map(|(id, _)| InputValue::Function(id));
        offered.values.extend(fits);
    }

    /// The type of function that the pointer in a cell points to, if it is one to functions.
    fn function_behind(&self, cell: CellId) -> Option<TypeId> {
        let types = &self.code.program.types;
        let own = self.space.cell_data(cell).ty;
        let others = self.other_pointers(cell).iter().copied();
        let mut pointees = [own]
            .into_iter()
            .chain(others)
            .filter_map(|pointer| types.pointee(pointer));
        pointees.find(|&pointee| matches!(types.kind(pointee), Type::Function(_)))
    }

    /// Records whether the pointer to an object of its own could have pointed elsewhere.
    pub fn note_cut(&mut self, value: Value, cut: bool) {
        if let Shadow::Pointer(id, _) = value.shadow
            && let Some(input) = &mut self.state.memory.get_mut(id).input
        {
            input.cut |= cut;
        }
    }

    /// Whether the pointer in a cell may be NULL: by the declaration of a parameter of the entry or
    /// of a result, or by the documentation of the C library.
    pub fn nonnull(&self, cell: CellId) -> Nonnull {
        let data = self.space.cell_data(cell);
        let program = self.code.program;
        let of_library = |function: FunctionId, names: &[&str]| {
            let name = program.functions[function].name.as_str();
            match program.is_library(function) && names.contains(&name) {
                true => Nonnull::Demanded,
                false => Nonnull::No,
            }
        };
        match self.space.object_data(data.object).root {
            Root::Parameter(index) if data.offset_bits == 0 => {
                let parameters = &program.functions[self.entry].parameters;
                let declared = parameters.get(index as usize);
                declared.map_or(Nonnull::No, |parameter| parameter.nonnull)
            }
            Root::Result { function, .. } if data.offset_bits == 0 => {
                match program.functions[function].result_nonnull {
                    Nonnull::No => of_library(function, NEVER_RETURN_NULL),
                    declared => declared,
                }
            }
            Root::Pointee(pointer) => {
                let object = self.space.cell_data(pointer).object;
                match self.space.object_data(object).root {
                    Root::Result { function, .. } => of_library(function, HOLD_NO_NULL),
                    _ => Nonnull::No,
                }
            }
            _ => Nonnull::No,
        }
    }

    /// Whether the pointer in a cell is a parameter that the user says is not NULL. A bound where the
    /// code asks for it, see [`Run::note_meant`].
    pub fn is_assumed_nonnull(&self, cell: CellId) -> bool {
        let data = self.space.cell_data(cell);
        match self.space.object_data(data.object).root {
            Root::Parameter(index) => {
                data.offset_bits == 0 && self.code.config.assumed_nonnull.contains(&index)
            }
            _ => false,
        }
    }

    /// How many bytes the pointer in a cell leads to at least, if it is a parameter that is
    /// declared as an array.
    pub fn declared_bytes(&self, cell: CellId) -> u64 {
        let data = self.space.cell_data(cell);
        let parameters = &self.code.program.functions[self.entry].parameters;
        let parameter = match self.space.object_data(data.object).root {
            Root::Parameter(index) if data.offset_bits == 0 => parameters.get(index as usize),
            _ => None,
        };
        let types = &self.code.program.types;
        let element = types
            .pointee(data.ty)
            .map_or(0, |pointee| types.size(pointee));
        let length = parameter.and_then(|parameter| parameter.length);
        length.unwrap_or(0).saturating_mul(element)
    }

    /// Records a bound where function pointers are compared: one function stands for all those
    /// outside the program.
    pub fn note_unknown_functions(&mut self, cell: CellId) {
        if self.function_behind(cell).is_some() {
            let name = self.describe(cell);
            let detail = format!("{name} points to at most one function outside the program");
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// Notes that a pointer to a function could also have pointed to one outside the program, where
    /// none stands for those.
    pub fn note_missing_function(&mut self, cell: CellId) {
        let program = self.code.program;
        let Some(pointee) = self.function_behind(cell) else {
            return;
        };
        let mut functions = program.functions.iter_enumerated();
        let stands_for_others = |(id, function): (FunctionId, &ir::Function)| {
            function.ty == pointee && program.origin(id) == Origin::Caller
        };
        if !functions.any(stands_for_others) {
            let name = self.describe(cell);
            let detail = format!("{name} is not taken to point to a function outside the program");
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// The pointer for a choice.
    pub fn chosen(&mut self, cell: CellId, choice: InputValue) -> Flow<Value> {
        let value = match choice {
            InputValue::Null => Value::ZERO,
            InputValue::Kept => return Ok(self.pointer_before(cell).unwrap_or(Value::ZERO)),
            InputValue::Bits(_) if self.is_number(cell) => {
                return Ok(self.chosen_number(cell));
            }
            InputValue::Within(object) => {
                return Ok(self
                    .pointer_within(cell, object)
                    .unwrap_or_else(|| self.no_such_object()));
            }
            InputValue::Bits(bits) => Value::concrete(bits & mask(self.code.pointer_width)),
            InputValue::Fresh => self.fresh(cell)?,
            InputValue::Member { whole, offset } => self.member(cell, whole, offset)?,
            InputValue::Function(function) => self.function_pointer(function),
            InputValue::Alias { object, offset } => match self.alias(object, offset) {
                Some((id, place)) => {
                    self.extend(id, place, self.declared_bytes(cell).max(1));
                    self.pointer_into(id, place)
                }
                None => self.no_such_object(),
            },
        };
        Ok(self.with_tag(cell, value))
    }

    /// An integer that could be a pointer and is a number.
    fn chosen_number(&mut self, cell: CellId) -> Value {
        let width = self.code.pointer_width;
        let bits = match self.state.record.inputs.values.get(&cell) {
            Some(InputValue::Bits(bits)) => bits & mask(width),
            _ => 0,
        };
        let term = self.terms.var(Var(cell.raw()), width);
        Value::symbolic(bits, term)
    }

    fn no_such_object(&mut self) -> Value {
        self.lose(
            ir::test::LossKind::Divergence,
            "an input pointer should alias an object that does not exist here",
        );
        Value::ZERO
    }

    /// Where a part of an input object or constant is.
    pub fn alias(&self, object: ObjectId, offset: i64) -> Option<(AllocationId, u64)> {
        let mut objects = self.state.objects.iter().chain(&self.state.constants);
        let &(_, id) = objects.find(|(known, _)| *known == object)?;
        let origin = self
            .state
            .memory
            .get(id)
            .input
            .as_ref()
            .map_or(0, |i| i.origin);
        Some((id, origin.wrapping_add_signed(offset)))
    }

    /// Whether a part of an object has so many bytes up to the object's end.
    fn has_room(&self, (object, offset): (ObjectId, i64), bytes: u64) -> bool {
        bytes <= 1
            || self.alias(object, offset).is_none_or(|(id, place)| {
                let end = place.checked_add(bytes);
                end.is_some_and(|end| end <= self.state.memory.get(id).size)
            })
    }

    /// A pointer to a function.
    pub fn function_pointer(&self, function: FunctionId) -> Value {
        let id = self.code.statics.layout.functions[function];
        self.pointer_into(id, 0)
    }

    /// A pointer to an object of its own.
    fn fresh(&mut self, cell: CellId) -> Flow<Value> {
        let types = &self.code.program.types;
        let pointee = types.pointee(self.space.cell_data(cell).ty);
        let element = match pointee {
            Some(pointee) if *types.kind(pointee) != Type::Void => pointee,
            _ => self.character_type(),
        };
        let size = types.size(element).max(self.declared_bytes(cell));
        let object = self.space.object(Root::Pointee(cell), element);
        if self.is_argument_vector(cell) {
            return self.arguments_vector(object, element);
        }
        let extent = self.inputs.vector.extents.get(&object).copied();
        let mut room = self.room(element, size);
        if self.is_allocated_by_library(cell) {
            // It is the start of what was allocated.
            room.before = 0;
        }
        let id = self.allocate_input(object, extent.unwrap_or(room), extent.is_none())?;
        self.guess_length(cell, object, id);
        self.first_extent(id, size);
        self.note_sharing(id);
        self.note_exposed(cell, id);
        Ok(self.pointer_from_origin(id, 0))
    }

    /// A pointer to an input object, so many bytes after the origin of its cells.
    fn pointer_from_origin(&self, id: AllocationId, offset: u64) -> Value {
        let input = self.state.memory.get(id).input.as_ref();
        let origin = input.map_or(0, |input| input.origin);
        self.pointer_into(id, origin + offset)
    }

    /// How far an object that a pointer points to, which has at least so many bytes, may extend.
    pub fn room(&self, element: TypeId, least: u64) -> Extent {
        let size = self.code.program.types.size(element);
        if self.code.facts.containers.contains_key(&element) {
            // What lies around a member is not more of its kind, but the rest of a record.
            return Extent {
                before: 0,
                after: least,
            };
        }
        let room = self.code.config.room_of(size);
        Extent {
            before: room,
            after: room.max(least),
        }
    }

    /// A pointer to a member of an object of its own.
    fn member(&mut self, cell: CellId, whole: TypeId, offset: u64) -> Flow<Value> {
        let object = self.space.object(Root::Pointee(cell), whole);
        let size = self.code.program.types.size(whole);
        // What the code casts the pointer to may be an array of that.
        let is_cast = offset == 0 && self.is_cast_to(cell, whole);
        let extent = self.inputs.vector.extents.get(&object).copied();
        let (room, growable) = match (is_cast, extent) {
            (true, Some(extent)) => (extent, false),
            (true, None) => (self.room(whole, size), true),
            (false, _) => {
                let after = size;
                (Extent { before: 0, after }, true)
            }
        };
        let id = self.allocate_input(object, room, growable)?;
        self.first_extent(id, size);
        self.note_sharing(id);
        self.note_exposed(cell, id);
        Ok(self.pointer_from_origin(id, offset))
    }

    /// Whether the code casts what a cell holds to pointers to this type.
    fn is_cast_to(&self, cell: CellId, whole: TypeId) -> bool {
        let types = &self.code.program.types;
        let mut pointers = self.other_pointers(cell).iter();
        pointers.any(|&pointer| types.pointee(pointer) == Some(whole))
    }

    /// Makes an object that a pointer points to.
    pub fn allocate_input(
        &mut self,
        object: ObjectId,
        room: Extent,
        growable: bool,
    ) -> Flow<AllocationId> {
        let element = self.space.object_data(object).ty;
        let total = room.before.saturating_add(room.after);
        let align = self.code.program.types.align(element);
        let align = match self.space.object_data(object).root {
            Root::Pointee(pointer) if self.is_tagged(pointer) => align.max(LEAST_TAGGED),
            _ => align,
        };
        let id = self
            .state
            .memory
            .allocate(Kind::Pointee, total, align, UNSEEN)
            .map_err(|error| self.out_of_memory(error))?;
        self.state.memory.get_mut(id).declaration.padded =
            has_padding(&self.code.program.types, element);
        self.state.memory.get_mut(id).input = Some(Box::new(InputObject {
            object,
            element,
            origin: room.before,
            growable,
            touched: (room.before, room.before),
            accessed: u64::MAX,
            written: false,
            cut: false,
        }));
        self.state.objects.push((object, id));
        Ok(id)
    }

    /// An object has at least its one element, whether or not it is accessed; its extent is what
    /// is asked for where that is known.
    pub fn first_extent(&mut self, id: AllocationId, size: u64) {
        let whole = self.state.memory.get(id).size;
        let Some(input) = &mut self.state.memory.get_mut(id).input else {
            return;
        };
        if input.growable {
            input.touched.1 = input.origin + size;
        } else {
            input.touched = (0, whole);
        }
    }
}
