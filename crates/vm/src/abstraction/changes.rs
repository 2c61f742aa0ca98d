//! What a call that is replaced may have changed: each such object holds inputs from then on.
//!
//! Where the call can come to is what it is given pointers to, and globals, and what these lead to in
//! turn. Inputs that nothing has looked at yet stand for any value, before the call as after it.

use std::collections::BTreeMap;

use ir::input::Root;
use ir::{FunctionId, ObjectId, Type, TypeId};

use crate::CallPolicy;
use crate::calls::Passed;
use crate::leaves::leaves;
use crate::memory::{AllocationId, InputObject, Kind, Life, UNSEEN};
use crate::run::{Run, Step};

/// The objects that a call can come to, each with the type that it is pointed to as, if any.
type Reached = BTreeMap<AllocationId, Option<TypeId>>;

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
        let mut changed = Reached::new();
        if effects.writes_through_pointers {
            self.decide_all()?;
            let globals = effects.looks_at.iter().chain(&effects.writes);
            let globals: Vec<AllocationId> = globals.map(|&id| code.layout.globals[id]).collect();
            changed = self.reachable(function, arguments, &globals);
        }
        for &global in &effects.writes {
            changed.insert(code.layout.globals[global], None);
        }
        let changed = changed.into_iter().filter(|&(id, _)| self.is_variable(id));
        let changed: Vec<(AllocationId, Option<TypeId>)> = changed.collect();
        for (nth, (id, ty)) in changed.into_iter().enumerate() {
            let nth = nth as u32;
            self.make_changed(id, ty, Root::Changed { call, nth });
        }
        Ok(())
    }

    /// Whether the contents of an allocation can change.
    fn is_variable(&self, id: AllocationId) -> bool {
        let allocation = self.memory.get(id);
        let is_object = !matches!(allocation.kind, Kind::Function(_) | Kind::Opaque);
        is_object && allocation.life == Life::Live && !allocation.constant && allocation.size > 0
    }

    /// What a function can come to with these arguments and globals.
    fn reachable(
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
    fn element(&self, id: AllocationId, pointed_to_as: Option<TypeId>) -> TypeId {
        let types = &self.code.program.types;
        let allocation = self.memory.get(id);
        let input = allocation.input.as_deref().map(|input| input.element);
        let known = input.or(allocation.ty).or(pointed_to_as);
        let known = known.filter(|&ty| types.size(ty) > 0);
        known.unwrap_or_else(|| self.character_type())
    }

    /// Makes inputs of all that an object holds.
    fn make_changed(&mut self, id: AllocationId, ty: Option<TypeId>, root: Root) {
        let element = self.element(id, ty);
        let object = self.space.object(root, element);
        let allocation = self.memory.change(id);
        let size = allocation.size;
        allocation.touch(0, size);
        allocation.entries.clear();
        allocation.flags.fill(UNSEEN);
        allocation.bytes.fill(0);
        let before = allocation.input.take();
        allocation.input = Some(Box::new(match before {
            Some(input) => InputObject { object, ..*input },
            None => InputObject {
                object,
                element,
                origin: 0,
                growable: false,
                touched: (0, size),
                written: false,
                cut: false,
            },
        }));
        if !self.objects.iter().any(|&(_, known)| known == id) {
            self.objects.push((object, id));
        }
    }
}
