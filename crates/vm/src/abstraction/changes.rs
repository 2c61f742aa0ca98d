//! What a call that is replaced may have changed: each such object holds inputs from then on.
//!
//! Where the call can come to is what it is given pointers to, and globals, and what these lead to in
//! turn. Inputs that nothing has looked at yet stand for any value, before the call as after it.

use std::collections::BTreeMap;

use ir::input::Root;
use ir::{FunctionId, ObjectId, Type, TypeId};

use crate::calls::Passed;
use crate::leaves::leaves;
use crate::memory::{AllocationId, CHANGED, InputObject, Kind, Life, UNSEEN};
use crate::run::{Run, Step};
use crate::{CallPolicy, Stores};

/// The objects that a call can come to, each with the type that it is pointed to as, if any.
type Reached = BTreeMap<AllocationId, Option<TypeId>>;

/// Ranges of bytes, each with one past its end.
type Ranges = Vec<(u64, u64)>;

impl Run<'_, '_> {
    /// Makes inputs of what a call may change.
    pub(super) fn change(
        &mut self,
        function: FunctionId,
        call: ObjectId,
        arguments: &[Passed],
    ) -> Step<()> {
        let code = self.code;
        let Some(CallPolicy::Abstract(effects)) = code.config.policies.get(&function) else {
            return Ok(());
        };
        let mut reached = Reached::new();
        if !effects.stores.is_empty() {
            self.decide_all()?;
            let globals = effects.looks_at.iter().chain(&effects.writes);
            let globals: Vec<AllocationId> = globals.map(|&id| code.layout.globals[id]).collect();
            reached = self.reachable(function, arguments, &globals);
        }
        let mut changed: Vec<(AllocationId, TypeId, Ranges)> = Vec::new();
        for &global in &effects.writes {
            let id = code.layout.globals[global];
            reached.remove(&id);
            let element = self.element(id, None);
            changed.push((id, element, vec![(0, self.memory.get(id).size)]));
        }
        for (id, ty) in reached {
            let element = self.element(id, ty);
            let ranges = self.ranges(id, element, &effects.stores);
            changed.push((id, element, ranges));
        }
        changed.retain(|(id, _, ranges)| self.is_variable(*id) && !ranges.is_empty());
        for (nth, (id, element, ranges)) in changed.into_iter().enumerate() {
            let nth = nth as u32;
            self.make_changed(id, element, &ranges, Root::Changed { call, nth });
        }
        Ok(())
    }

    /// The bytes of an allocation that stores may change.
    fn ranges(&self, id: AllocationId, element: TypeId, stores: &Stores) -> Ranges {
        let types = &self.code.program.types;
        let allocation = self.memory.get(id);
        let inside = stores.changed(types, element);
        let size = types.size(element).max(1);
        if inside == [(0, size)] {
            return vec![(0, allocation.size)];
        }
        let origin = allocation.input.as_deref().map_or(0, |input| input.origin);
        let first = origin % size;
        let starts = (0..).map(|index| first + index * size);
        let starts = starts.take_while(|start| start + size <= allocation.size);
        let ranges = starts.flat_map(|start| {
            let inside = inside.iter();
            inside.map(move |(low, high)| (start + low, start + high))
        });
        // What lies around whole elements may hold anything.
        let rest = (allocation.size - first.min(allocation.size)) % size;
        let around = [(0, first), (allocation.size - rest, allocation.size)];
        let around = around
            .into_iter()
            .filter(|(low, high)| !inside.is_empty() && low < high);
        ranges.chain(around).collect()
    }

    /// Whether the contents of an allocation can change.
    fn is_variable(&self, id: AllocationId) -> bool {
        let allocation = self.memory.get(id);
        let is_object = !matches!(allocation.kind, Kind::Function(_) | Kind::Opaque);
        is_object && allocation.life == Life::Live && !allocation.constant && allocation.size > 0
    }

    /// What a function can come to with these arguments and globals.
    pub(super) fn reachable(
        &self,
        function: FunctionId,
        arguments: &[Passed],
        globals: &[AllocationId],
    ) -> Reached {
        let types = &self.code.program.types;
        let parameters = match types.kind(self.code.program.functions[function].ty) {
            Type::Function(ty) => ty.parameters.as_slice(),
            _ => &[],
        };
        let mut reached = Reached::new();
        let mut waiting: Vec<(AllocationId, Option<TypeId>)> = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let pointee = parameters.get(index).and_then(|&ty| types.pointee(ty));
            match argument {
                Passed::Nothing => {}
                Passed::Scalar(value, _) => {
                    let target = self.target(value.bits, value.shadow);
                    waiting.extend(target.map(|id| (id, pointee)));
                }
                Passed::Object(blob) => {
                    let targets = blob.entries.iter().filter_map(|(at, entry)| {
                        let range = *at as usize..(at + entry.size) as usize;
                        let bits = crate::memory::read_bits(&blob.bytes[range]);
                        self.target(bits, entry.shadow)
                    });
                    waiting.extend(targets.map(|id| (id, None)));
                }
            }
        }
        waiting.extend(globals.iter().map(|&id| (id, None)));
        while let Some((id, ty)) = waiting.pop() {
            if reached.contains_key(&id) {
                continue;
            }
            reached.insert(id, ty);
            waiting.extend(self.targets_in(id, ty));
        }
        reached
    }

    /// What the pointers in an allocation lead to, each with the type of what it points to.
    fn targets_in(
        &self,
        id: AllocationId,
        ty: Option<TypeId>,
    ) -> Vec<(AllocationId, Option<TypeId>)> {
        let types = &self.code.program.types;
        let allocation = self.memory.get(id);
        let element = self.element(id, ty);
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

    /// The type of an object, or of one of its elements.
    pub(super) fn element(&self, id: AllocationId, pointed_to_as: Option<TypeId>) -> TypeId {
        let types = &self.code.program.types;
        let allocation = self.memory.get(id);
        let input = allocation.input.as_deref().map(|input| input.element);
        let known = input.or(allocation.ty).or(pointed_to_as);
        let known = known.filter(|&ty| types.size(ty) > 0);
        known.unwrap_or_else(|| self.character_type())
    }

    /// Makes inputs of some bytes of an object.
    fn make_changed(
        &mut self,
        id: AllocationId,
        element: TypeId,
        ranges: &[(u64, u64)],
        root: Root,
    ) {
        let object = self.space.object(root, element);
        for &(low, high) in ranges {
            let allocation = self.memory.change(id);
            allocation.touch(low, high - low);
            allocation.cut(self.terms, low, high - low);
            allocation.clear(low, high - low);
            let range = low as usize..high as usize;
            allocation.flags[range.clone()].fill(UNSEEN | CHANGED);
            allocation.bytes[range].fill(0);
        }
        let allocation = self.memory.change(id);
        let size = allocation.size;
        allocation.changed = Some(object);
        allocation.input.get_or_insert_with(|| {
            Box::new(InputObject {
                object,
                element,
                origin: 0,
                growable: false,
                touched: (0, size),
                written: false,
                cut: false,
            })
        });
        if !self.objects.iter().any(|&(_, known)| known == id) {
            self.objects.push((object, id));
        }
    }
}
