//! What a call can reach: what it is given pointers to, and globals, and what these lead to in
//! turn.
//!
//! Input pointers that nothing has looked at yet may lead to whatever they would be offered, and so
//! may the pointers in that. Calls that were replaced before may have kept pointers to what they
//! reached.

use std::collections::BTreeSet;

use ir::effects::{Effects, Stores};
use ir::sharing::{contains_exactly, may_overlap, may_share, share_characters};
use ir::{FunctionId, Type, TypeId, Types};

use crate::ids::AllocationId;
use crate::leaves::leaves;
use crate::memory::{Kind, Life, UNSEEN};
use crate::passed::Passed;
use crate::replaced::stores::may_be_around;
use crate::run::Run;
use crate::state::ReachedObjects;
use crate::value::Shadow;

/// Types that input pointers have which nothing has looked at.
type Pointers = BTreeSet<TypeId>;

impl Run<'_, '_> {
    /// What a function can reach with these arguments and globals, as far as input pointers were
    /// looked at.
    pub(super) fn reachable(
        &self,
        function: FunctionId,
        arguments: &[Passed],
        globals: &[AllocationId],
    ) -> ReachedObjects {
        let mut waiting: Vec<(AllocationId, Option<TypeId>)> = Vec::new();
        for (argument, pointee) in self.with_pointees(function, arguments) {
            let targets = pointers_in(argument);
            let targets = targets.filter_map(|(bits, shadow)| self.target(bits, shadow));
            waiting.extend(targets.map(|id| (id, pointee)));
        }
        waiting.extend(globals.iter().map(|&id| (id, None)));
        let mut reached = ReachedObjects::new();
        self.add_reachable(waiting, &mut reached);
        reached
    }

    /// The objects that a function can use without a pointer to them: the globals that it uses by
    /// name, and what lies at constant addresses.
    pub(super) fn globals_used(&self, effects: &Effects) -> Vec<AllocationId> {
        let globals = effects.looks_at.iter().chain(&effects.writes);
        let globals = globals.map(|&id| self.code.statics.layout.globals[id]);
        let mapped = self.state.mapped.iter().map(|&(id, _)| id);
        globals.chain(mapped).collect()
    }

    /// The arguments of a call, each with what the function takes it to point to, if it is a
    /// pointer.
    fn with_pointees<'b>(
        &self,
        function: FunctionId,
        arguments: &'b [Passed],
    ) -> impl Iterator<Item = (&'b Passed, Option<TypeId>)> {
        let types = &self.code.program.types;
        let parameters = match types.kind(self.code.program.functions[function].ty) {
            Type::Function(ty) => ty.parameters.as_slice(),
            _ => &[],
        };
        arguments.iter().enumerate().map(|(index, argument)| {
            let pointee = parameters.get(index).and_then(|&ty| types.pointee(ty));
            let is_scalar = matches!(argument, Passed::Scalar(..));
            (argument, pointee.filter(|_| is_scalar))
        })
    }

    /// The same, and what it may reach by input pointers that nothing has looked at. Marks as
    /// bounds the objects that the call could store to through these although no candidate offers
    /// them.
    pub(super) fn may_reach(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        globals: &[AllocationId],
        stores: &Stores,
    ) -> ReachedObjects {
        let mut reached = self.reachable(function, arguments, globals);
        let mut pointers = Pointers::new();
        let mut seen_as = BTreeSet::new();
        for (argument, pointee) in self.with_pointees(function, arguments) {
            let passed = pointers_in(argument);
            let unsettled = passed.filter_map(|(_, shadow)| self.unsettled(shadow));
            let unsettled: Pointers = unsettled.collect();
            seen_as.extend(pointee.filter(|_| !unsettled.is_empty()));
            pointers.extend(unsettled);
        }
        loop {
            for &id in reached.keys() {
                pointers.extend(self.unsettled_in(id));
            }
            self.lead_on(&mut pointers);
            let objects = self.state.objects.iter().map(|&(_, id)| id);
            let offered = objects.filter(|&id| self.is_offered_to(id, &pointers));
            let offered = offered.flat_map(|id| {
                let known = seen_as.iter().map(move |&ty| (id, Some(ty)));
                known.chain([(id, None)])
            });
            let kept = self.state.calls.kept.iter();
            let kept = kept.flat_map(|(&id, seen_as)| {
                let known = seen_as.iter().map(move |&ty| (id, Some(ty)));
                known.chain([(id, None)])
            });
            let mut further: Vec<_> = offered.chain(kept).collect();
            further.retain(|(id, ty)| {
                let known = reached.get(id);
                known.is_none_or(|known| ty.is_some_and(|ty| !known.contains(&ty)))
            });
            if further.is_empty() {
                break;
            }
            self.add_reachable(further, &mut reached);
        }
        self.narrow_unoffered(&reached, &pointers, stores);
        self.narrow_around_given(arguments, &reached, stores);
        reached
    }

    /// Adds objects, and what they lead to.
    fn add_reachable(
        &self,
        mut waiting: Vec<(AllocationId, Option<TypeId>)>,
        reached: &mut ReachedObjects,
    ) {
        while let Some((id, ty)) = waiting.pop() {
            let is_new = !reached.contains_key(&id);
            let seen_as = reached.entry(id).or_default();
            if ty.is_some_and(|ty| seen_as.insert(ty)) || is_new {
                waiting.extend(self.targets_in(id, ty));
            }
        }
    }

    /// What the pointers in an allocation lead to, each with the type of what it points to.
    fn targets_in(
        &self,
        id: AllocationId,
        ty: Option<TypeId>,
    ) -> Vec<(AllocationId, Option<TypeId>)> {
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        let element = self.element(id, &ty.into_iter().collect());
        let size = types.size(element).max(1);
        let origin = allocation.input.as_deref().map_or(0, |input| input.origin);
        let targets = allocation.entries.iter().filter_map(|(&at, entry)| {
            let bits = allocation.bits(at, entry.size);
            let target = self.target(bits, entry.shadow)?;
            let inside = (at + size - origin % size) % size * 8;
            let mut scalars = leaves(types, element, (inside, inside + 8), None).into_iter();
            let pointer = scalars.find(|leaf| leaf.offset == inside);
            Some((target, pointer.and_then(|leaf| types.pointee(leaf.ty))))
        });
        targets.collect()
    }

    /// The type of an input pointer that nothing has looked at.
    fn unsettled(&self, shadow: Shadow) -> Option<TypeId> {
        match shadow {
            Shadow::Lazy(cell) if !self.state.resolved.contains_key(&cell) => {
                Some(self.space.cell_data(cell).ty)
            }
            _ => None,
        }
    }

    /// The types of those in an allocation.
    fn unsettled_in(&self, id: AllocationId) -> Pointers {
        let types = &self.code.program.types;
        let allocation = self.state.memory.get(id);
        let known = allocation.entries.values();
        let mut found: Pointers = known.filter_map(|it| self.unsettled(it.shadow)).collect();
        let Some(input) = allocation.input.as_deref() else {
            return found;
        };
        let mut inside = Vec::new();
        pointers_of(types, input.element, 0, &mut inside);
        let size = types.size(input.element).max(1);
        let starts = (0..).map(|index| input.origin % size + index * size);
        for start in starts.take_while(|&start| !inside.is_empty() && start < allocation.size) {
            found.extend(inside.iter().filter_map(|&(low, high, pointer)| {
                let bytes = (start + low) as usize..(start + high) as usize;
                let flags = allocation.flags.get(bytes)?;
                flags
                    .iter()
                    .any(|flag| flag & UNSEEN != 0)
                    .then_some(pointer)
            }));
        }
        found
    }

    /// Adds the types of the pointers that pointers of such types may lead to.
    fn lead_on(&self, pointers: &mut Pointers) {
        let types = &self.code.program.types;
        let mut waiting: Vec<TypeId> = pointers.iter().copied().collect();
        while let Some(pointer) = waiting.pop() {
            let mut behind = Vec::new();
            if let Some(pointee) = types.pointee(pointer) {
                pointers_of(types, pointee, 0, &mut behind);
            }
            let behind = behind.into_iter().map(|(_, _, pointer)| pointer);
            waiting.extend(behind.filter(|&pointer| pointers.insert(pointer)));
        }
    }

    /// Whether one of these pointers may be to an object or a part of it.
    fn is_offered_to(&self, id: AllocationId, pointers: &Pointers) -> bool {
        let types = &self.code.program.types;
        let Some(element) = self.shared_element(id) else {
            return false;
        };
        let element = types.element_of(element);
        let pointees = pointers.iter().filter_map(|&ty| types.pointee(ty));
        let mut pointees = pointees.map(|ty| types.element_of(ty));
        pointees.any(|pointee| {
            matches!(types.kind(pointee), Type::Void)
                || self.code.program.target.relaxed_aliasing
                || contains_exactly(types, element, pointee)
                || contains_exactly(types, pointee, element)
                || may_overlap(types, element, pointee)
                || share_characters(types, element, pointee)
        })
    }

    /// Narrows what stores by one of these pointers could be to, though they are not offered it.
    fn narrow_unoffered(&mut self, reached: &ReachedObjects, pointers: &Pointers, stores: &Stores) {
        let program = self.code.program;
        let pointees = pointers.iter().filter_map(|&ty| program.types.pointee(ty));
        let pointees: Vec<TypeId> = pointees.collect();
        let is_open = |id: AllocationId| {
            let element = self.shared_element(id)?;
            let kind = self.state.memory.get(id).kind;
            let is_offered = !stores.changed(&program.types, element).is_empty();
            let may_be_changed = stores.any
                || may_be_around(stores, program, kind, element)
                || (is_offered && !reached.contains_key(&id));
            let mut pointees = pointees.iter();
            let is_shared = pointees.any(|&pointee| may_share(program, pointee, element));
            (may_be_changed && is_shared).then_some(id)
        };
        let objects = self.state.objects.iter();
        let open: Vec<AllocationId> = objects.filter_map(|&(_, id)| is_open(id)).collect();
        for id in open {
            let size = self.state.memory.get(id).size;
            self.narrow(id, (0, size));
        }
    }

    /// Narrows the input objects that the call may store to through a pointer to another element
    /// than the first of an input object: in C the input pointer may point past the start of an
    /// object, where it is not offered that.
    fn narrow_around_given(
        &mut self,
        arguments: &[Passed],
        reached: &ReachedObjects,
        stores: &Stores,
    ) {
        let program = self.code.program;
        let mut open = BTreeSet::new();
        for given in self.with_further_elements(arguments, reached) {
            let around = self.unoffered_around(given);
            if around.is_empty() {
                continue;
            }
            let is_changed = |&id: &AllocationId| {
                let Some(element) = self.shared_element(id) else {
                    return false;
                };
                let kind = self.state.memory.get(id).kind;
                stores.any
                    || may_be_around(stores, program, kind, element)
                    || !stores.changed(&program.types, element).is_empty()
            };
            let all = around.into_iter().chain([given]);
            open.extend(all.filter(is_changed));
        }
        for id in open {
            let size = self.state.memory.get(id).size;
            self.narrow(id, (0, size));
        }
    }

    /// The input objects of which the call can reach other elements than the first.
    fn with_further_elements(
        &self,
        arguments: &[Passed],
        reached: &ReachedObjects,
    ) -> BTreeSet<AllocationId> {
        let inside = reached.keys().flat_map(|&id| {
            let allocation = self.state.memory.get(id);
            let entries = allocation.entries.iter();
            entries.map(|(&at, entry)| (allocation.bits(at, entry.size), entry.shadow))
        });
        let passed = arguments.iter().flat_map(pointers_in).chain(inside);
        let given = passed.filter_map(|(bits, shadow)| self.given_elsewhere(bits, shadow));
        let larger = reached.keys().copied().filter(|&id| self.is_larger(id));
        given.chain(larger).collect()
    }

    /// The input object that a pointer points into, unless it points to the first element.
    fn given_elsewhere(&self, bits: u128, shadow: Shadow) -> Option<AllocationId> {
        let Shadow::Pointer(id, moved) = shadow else {
            return None;
        };
        let (low, high) = self.first_element(id)?;
        let offset = (bits as u64).wrapping_sub(self.state.memory.get(id).base);
        (moved.is_some() || !(low..high).contains(&offset)).then_some(id)
    }

    /// Whether an input object is known to have more elements than the first.
    fn is_larger(&self, id: AllocationId) -> bool {
        let size = self.state.memory.get(id).size;
        self.first_element(id)
            .is_some_and(|(low, high)| low > 0 || size > high)
    }

    /// The range of bytes of the element that the input pointer to an object points to.
    fn first_element(&self, id: AllocationId) -> Option<(u64, u64)> {
        let allocation = self.state.memory.get(id);
        let input = allocation
            .input
            .as_deref()
            .filter(|_| allocation.kind == Kind::Pointee)?;
        let size = self.code.program.types.size(input.element);
        Some((input.origin, input.origin + size))
    }

    /// The element of a live input object that pointers of the caller, or of functions without a
    /// body, may point to.
    fn shared_element(&self, id: AllocationId) -> Option<TypeId> {
        let allocation = self.state.memory.get(id);
        let is_static_or_input = matches!(allocation.kind, Kind::Pointee | Kind::Global(_));
        let is_shared = is_static_or_input || self.is_known_to_others(id);
        let input = allocation.input.as_deref();
        let input = input.filter(|_| is_shared && allocation.life == Life::Live);
        input.map(|input| input.element)
    }
}

/// The values in an argument that may be pointers.
fn pointers_in(argument: &Passed) -> impl Iterator<Item = (u128, Shadow)> + '_ {
    let scalar = match argument {
        Passed::Scalar(value, _) => Some((value.bits, value.shadow)),
        Passed::Nothing | Passed::Object(_) => None,
    };
    let blob = match argument {
        Passed::Object(blob) => Some(blob),
        Passed::Nothing | Passed::Scalar(..) => None,
    };
    let inside = blob.into_iter().flat_map(|blob| {
        blob.entries.iter().map(|(at, entry)| {
            let range = *at as usize..(at + entry.size) as usize;
            (crate::memory::read_bits(&blob.bytes[range]), entry.shadow)
        })
    });
    scalar.into_iter().chain(inside)
}

/// The pointers in an object of a type that starts at a byte: where they are, roughly in arrays,
/// and their types.
fn pointers_of(types: &Types, ty: TypeId, start: u64, out: &mut Vec<(u64, u64, TypeId)>) {
    if !types.has_pointers(ty) {
        return;
    }
    let end = start + types.size(ty);
    match types.kind(ty) {
        Type::Pointer { .. } => out.push((start, end, ty)),
        Type::Array { element, .. } => {
            let before = out.len();
            pointers_of(types, *element, start, out);
            for (low, high, _) in &mut out[before..] {
                (*low, *high) = (start, end);
            }
        }
        Type::Record(record) => {
            for field in &types.records[*record].fields {
                pointers_of(types, field.ty, start + field.offset_bits / 8, out);
            }
        }
        _ => {}
    }
}
