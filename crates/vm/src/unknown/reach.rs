//! What a call of a function without a body can reach, and how.
//!
//! A function of the user can reach what its arguments lead to, `const` or not, the globals that
//! other code may change, the caller's objects, and what earlier calls were given. From a scalar
//! member, or an array of scalars that is one, it is not taken to go to the record around it, nor
//! to call back into the unit: both are bounds where code reads what it could have changed so. A
//! function of the C library writes to what it is given pointers to that are not `const`, and to
//! `errno`.

use std::collections::{BTreeMap, BTreeSet};

use ir::input::{AccessStart, Root};
use ir::library;
use ir::{FloatName, FunctionId, GlobalKind, Origin, Type, TypeId};

use super::library::is_null;
use super::parts::joined;
use super::reached::{Changed, Reached, Target};
use super::route::Route;
use crate::code::{Argument, CallCode};
use crate::ids::AllocationId;
use crate::memory::{Kind, Life};
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

/// What the arguments of a call lead to.
#[derive(Default)]
struct Handed {
    /// What the function may change.
    changed: Vec<Target>,
    /// What it only reads, and may return pointers to.
    read: Vec<Target>,
    /// The `const` records among that whose pointers lead to what it may change.
    constant_records: Vec<Target>,
}

impl Run<'_, '_> {
    /// What a call of a function without a body can reach.
    pub(super) fn reached_by_unknown(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        call: &CallCode,
    ) -> Flow<Reached> {
        let program = self.code.program;
        let is_library = program.keeps_to_itself(function);
        let types = self.argument_types(function, call);
        let Handed {
            mut changed,
            read,
            constant_records,
        } = self.given_to(function, arguments, &types, is_library)?;
        let calls_back = self.calls_back(function, arguments, &types);
        let registers = library::only_registers(self.name_of(function));
        let lets_others_run = !is_library || (calls_back && !registers);
        if lets_others_run {
            changed.extend(self.shared_objects());
        }
        if program.is_library(function) {
            changed.extend(self.library_objects());
            changed.extend(self.earlier_results(function));
        }
        let mut reached = Reached::default();
        if self.watch.is_some() && changed.is_empty() && read.is_empty() {
            // All else is about bounds, which nobody asks for.
            return Ok(reached);
        }
        let keeps = !is_library || library::keeps_for_others(self.name_of(function));
        self.follow_targets(changed, keeps, &mut reached);
        for id in self.given_as_numbers(arguments, &types) {
            self.narrow_unnamed(id, &mut reached);
        }
        let only_read = read
            .into_iter()
            .filter(|target| !reached.changed.contains_key(&target.id));
        reached.given = only_read
            .filter_map(|target| Some((target.id, target.route?)))
            .collect();
        self.expose_numbers(arguments, &reached);
        if is_library {
            self.expose_copied(arguments, &types);
        }
        if lets_others_run {
            self.note_possible_free();
            self.narrow_exposed(&mut reached);
        } else if !self.state.library.is_empty() && program.static_family(function).is_some() {
            // It may write over what a native call of its kind returned.
            self.narrow_exposed(&mut reached);
        }
        if !is_library || calls_back {
            self.narrow_called_back(&mut reached);
            self.expose_called_back();
        }
        if is_library {
            self.note_sent_addresses(function, arguments, &types)?;
            let name = self.name_of(function).to_owned();
            self.narrow_behind_unseen(&name, &constant_records, &mut reached);
        }
        self.settle_open_pointers(arguments, lets_others_run, &reached)?;
        self.narrow_moved_arguments(function, arguments, &types, &mut reached)?;
        self.narrow_of_others(function, &mut reached);
        self.add_library_state(&mut reached);
        Ok(reached)
    }

    /// What the arguments of a call lead to.
    fn given_to(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        types: &[Option<TypeId>],
        is_library: bool,
    ) -> Flow<Handed> {
        let hands_out = self.hands_out(function, types);
        let mut given = Handed::default();
        for (index, argument) in arguments.iter().enumerate() {
            let ty = types.get(index).copied().flatten();
            if is_library && ty.is_some_and(|ty| !self.library_writes(ty)) {
                self.check_stream(function, argument, ty)?;
                let (records, behind) =
                    self.behind_constant_record(function, index, argument, types)?;
                given.constant_records.extend(records);
                given.changed.extend(behind);
                if hands_out {
                    let found =
                        self.behind_argument(function, index, argument, ty, types, is_library)?;
                    self.give(found, &mut given.read);
                }
                continue;
            }
            let mut targets =
                self.behind_argument(function, index, argument, ty, types, is_library)?;
            if is_library && let Some(target) = targets.first_mut() {
                target.part = self.written_part(function, index, arguments)?;
            }
            given.changed.extend(targets);
        }
        Ok(given)
    }

    /// Whether a function may return, or write somewhere, a pointer that it is given.
    fn hands_out(&self, function: FunctionId, types: &[Option<TypeId>]) -> bool {
        let mut types = types.iter().flatten();
        self.returns_pointer(function)
            || library::keeps_for_others(self.name_of(function))
            || types.any(|&ty| self.library_writes_pointers(ty))
            || self.library_has_pointers()
    }

    /// Whether a call may run functions of the program before it returns: those that it is given,
    /// or hooks.
    fn calls_back(
        &self,
        function: FunctionId,
        arguments: &[Passed],
        types: &[Option<TypeId>],
    ) -> bool {
        let program = self.code.program;
        let mut given = types.iter().zip(arguments);
        let is_given = given.any(|(ty, argument)| {
            ty.is_some_and(|ty| program.is_callback(ty)) && !is_null(argument)
        });
        is_given
            || self.code.features.sets_library_hooks
            || library::calls_hook(self.name_of(function))
    }

    /// Adds objects that a function is given, and what the pointers in them lead to.
    fn give(&self, found: Vec<Target>, given: &mut Vec<Target>) {
        let mut waiting = found;
        while let Some(target) = waiting.pop() {
            if given.iter().any(|known| known.id == target.id) {
                continue;
            }
            if let Some(route) = &target.route {
                waiting.extend(self.targets_of(target.id, route, None));
            }
            given.push(target);
        }
    }

    /// The objects whose addresses are arguments that are no pointers, as `ioctl` takes them.
    fn given_as_numbers(
        &self,
        arguments: &[Passed],
        types: &[Option<TypeId>],
    ) -> Vec<AllocationId> {
        let program_types = &self.code.program.types;
        let given = arguments.iter().zip(types);
        let numbers = given.filter_map(|(argument, ty)| match argument {
            Passed::Scalar(value, _) if program_types.pointee((*ty)?).is_none() => {
                match value.shadow {
                    Shadow::Pointer(id, _) => Some(id),
                    _ => None,
                }
            }
            _ => None,
        });
        numbers.collect()
    }

    fn returns_pointer(&self, function: FunctionId) -> bool {
        let types = &self.code.program.types;
        match types.kind(self.code.program.functions[function].ty) {
            Type::Function(ty) => types.has_pointers(ty.result),
            _ => false,
        }
    }

    /// The type of each argument: that of its parameter, or its own.
    fn argument_types(&self, function: FunctionId, call: &CallCode) -> Vec<Option<TypeId>> {
        let program = self.code.program;
        let parameters = match program.types.kind(program.functions[function].ty) {
            Type::Function(ty) => ty.parameters.as_slice(),
            _ => &[],
        };
        let arguments = call.arguments.iter().enumerate();
        arguments
            .map(|(index, argument)| {
                let own = match argument {
                    Argument::Scalar(_, _, ty) => Some(*ty),
                    Argument::Object(..) => None,
                };
                parameters.get(index).copied().or(own)
            })
            .collect()
    }

    /// Whether a function of the C library writes through an argument of this type.
    pub(super) fn library_writes(&self, ty: TypeId) -> bool {
        let types = &self.code.program.types;
        match types.kind(ty) {
            Type::Pointer {
                pointee, constant, ..
            } => {
                !constant
                    && !types.is_library_object(*pointee)
                    && !self.code.program.is_function_pointer(ty)
            }
            _ => types.has_pointers(ty),
        }
    }

    /// Checks that an argument is a stream, if it must be one.
    fn check_stream(
        &mut self,
        function: FunctionId,
        argument: &Passed,
        ty: Option<TypeId>,
    ) -> Flow<()> {
        let types = &self.code.program.types;
        let pointee = ty.and_then(|ty| types.pointee(ty));
        let is_stream = pointee.is_some_and(|pointee| types.is_library_object(pointee));
        // Of all streams.
        let may_be_null = self.code.program.functions[function]
            .name
            .starts_with("fflush");
        match argument {
            Passed::Scalar(stream, _) if is_stream && !may_be_null => {
                let stream = self.used(*stream)?;
                self.not_null_stream(stream)
            }
            _ => Ok(()),
        }
    }

    /// What an argument leads to.
    pub(super) fn behind_argument(
        &mut self,
        function: FunctionId,
        index: usize,
        argument: &Passed,
        ty: Option<TypeId>,
        arguments: &[Option<TypeId>],
        is_library: bool,
    ) -> Flow<Vec<Target>> {
        let start = self.argument_start(function, index, arguments);
        let types = &self.code.program.types;
        let pointee = ty.and_then(|ty| types.pointee(ty));
        Ok(match argument {
            Passed::Nothing => Vec::new(),
            Passed::Scalar(value, _) => {
                // What the pointer is matters, where not all that it could be is changed anyway.
                let value = match value.shadow {
                    Shadow::Lazy(_) if is_library => self.used(*value)?,
                    Shadow::Lazy(cell) => self.state.resolved.get(&cell).copied().unwrap_or(*value),
                    _ => *value,
                };
                let from = start.map(|start| (Route::to(start), 0));
                let mut target = self.target_of(value, pointee, true, from);
                if let Some(target) = &mut target {
                    self.fix_part(value, target);
                }
                target.into_iter().collect()
            }
            Passed::Object(blob) => {
                let entries = blob.entries.iter();
                let targets = entries.filter_map(|(at, entry)| {
                    let range = *at as usize..(at + entry.size) as usize;
                    let value = Value {
                        bits: crate::memory::read_bits(&blob.bytes[range]),
                        shadow: entry.shadow,
                    };
                    let from = start.clone().map(|start| (Route::to(start), *at as i64));
                    self.target_of(value, None, false, from)
                });
                targets.collect()
            }
        })
    }

    /// Where the route to what an argument leads to begins; `None` where no test can name it.
    fn argument_start(
        &self,
        function: FunctionId,
        index: usize,
        arguments: &[Option<TypeId>],
    ) -> Option<AccessStart> {
        let types = &self.code.program.types;
        let Type::Function(ty) = types.kind(self.code.program.functions[function].ty) else {
            return None;
        };
        if index < ty.parameters.len() {
            return Some(AccessStart::Argument(index as u32));
        }
        // What `...` takes, which stands after a parameter.
        if ty.parameters.is_empty() {
            return None;
        }
        let rest = arguments[ty.parameters.len()..=index].iter().copied();
        let rest = rest.collect::<Option<Vec<TypeId>>>()?;
        let is_plain = |&ty: &TypeId| match types.kind(ty) {
            Type::Pointer { .. } => true,
            Type::Float(name) => matches!(name, FloatName::Double | FloatName::LongDouble),
            _ => types.int(ty).is_some_and(|int| int.width <= 64),
        };
        rest.iter().all(is_plain).then_some(AccessStart::Rest(rest))
    }

    /// What a pointer leads to, if it is to an object. `from` says how the call reaches the
    /// pointer, and where it lies there; what tests know by name needs no such route.
    pub(super) fn target_of(
        &self,
        value: Value,
        seen_as: Option<TypeId>,
        is_argument: bool,
        from: Option<(Route, i64)>,
    ) -> Option<Target> {
        let value = match value.shadow {
            Shadow::Lazy(cell) => self.state.resolved.get(&cell).copied()?,
            _ => value,
        };
        let Shadow::Pointer(id, moved) = value.shadow else {
            return None;
        };
        let allocation = self.state.memory.get(id);
        let offset = (value.bits as u64).wrapping_sub(allocation.base);
        let inside = (offset as i64).wrapping_sub(self.origin(id) as i64);
        let route = match self.known_start(id) {
            Some(start) => Some(Route::to(start)),
            None => from.and_then(|(route, at)| route.through(at, inside, moved.is_some())),
        };
        Some(Target {
            id,
            offset,
            route,
            seen_as,
            is_argument,
            part: None,
        })
    }

    pub(super) fn origin(&self, id: AllocationId) -> u64 {
        let input = self.state.memory.get(id).input.as_deref();
        input.map_or(0, |input| input.origin)
    }

    /// How a test gets to an object without the call's arguments.
    fn known_start(&self, id: AllocationId) -> Option<AccessStart> {
        let allocation = self.state.memory.get(id);
        match (allocation.kind, allocation.input.as_deref()) {
            (Kind::Pointee, Some(input)) => Some(AccessStart::Object(input.object)),
            (Kind::Global(global), _) => {
                let data = &self.code.program.globals[global];
                let is_named = matches!(data.kind, GlobalKind::File(_))
                    && self.code.program.units[data.unit].origin == Origin::User;
                is_named.then_some(AccessStart::Global(global))
            }
            _ => self
                .state
                .unknown
                .kept
                .get(&id)
                .map(|&(object, _)| AccessStart::Kept(object)),
        }
    }

    /// What functions of the user can reach without being given it: the caller's objects, globals
    /// that other code may change, and what they were given before.
    pub(super) fn shared_objects(&self) -> Vec<Target> {
        let pointees = self.state.objects.iter().filter(|&&(object, _)| {
            matches!(self.space.object_data(object).root, Root::Pointee(_))
        });
        let globals = self.code.config.changing_globals.iter();
        let globals = globals.map(|&global| self.code.statics.layout.globals[global]);
        let kept = self
            .state
            .unknown
            .kept
            .iter()
            .map(|(&id, &(_, part))| (id, part));
        let mapped = self.state.mapped.iter().map(|&(id, _)| id);
        let all = pointees.map(|&(_, id)| id).chain(globals).chain(mapped);
        let all = all.map(|id| (id, None)).chain(kept);
        let target = |(id, part)| Target {
            part,
            ..self.whole_target(id)
        };
        all.map(target).collect()
    }

    /// An object that a call can reach without its arguments.
    pub(super) fn whole_target(&self, id: AllocationId) -> Target {
        let route = self.known_start(id).map(Route::to);
        Target {
            id,
            offset: 0,
            route,
            seen_as: None,
            is_argument: false,
            part: None,
        }
    }

    /// Adds the objects that a replaced call may change through the bodiless user functions that it
    /// calls.
    pub fn add_shared(
        &mut self,
        arguments: &[Passed],
        reached: &mut BTreeMap<AllocationId, BTreeSet<TypeId>>,
    ) {
        let mut shared = Reached::default();
        self.follow_targets(self.shared_objects(), true, &mut shared);
        self.add_library_state(&mut shared);
        self.narrow_called_back(&mut shared);
        self.expose_numbers(arguments, &shared);
        if reached.keys().any(|&id| self.holds_number(id)) {
            self.expose_all();
        }
        self.expose_called_back();
        self.narrow_exposed(&mut shared);
        for id in shared.changed.into_keys() {
            reached.entry(id).or_default();
        }
        for (id, range) in shared.narrowed {
            if !self.can_change(id) {
                continue;
            }
            self.narrow(id, range);
        }
    }

    /// Adds objects, and what the pointers in them lead to.
    pub(super) fn follow_targets(
        &self,
        mut waiting: Vec<Target>,
        keeps: bool,
        reached: &mut Reached,
    ) {
        let mut whole = BTreeSet::new();
        waiting.reverse();
        while let Some(target) = waiting.pop() {
            let Target { id, .. } = target;
            if self.state.memory.get(id).life != Life::Live {
                continue;
            }
            let part = self.part_of_argument(&target);
            if part == Some((0, 0)) {
                continue;
            }
            let Some(route) = target.route else {
                self.narrow_unnamed(id, reached);
                continue;
            };
            let is_news = match part {
                Some(_) => !reached.changed.contains_key(&id),
                None => whole.insert(id),
            };
            if !is_news {
                // Several members of one object are all of it.
                if let Some(known) = reached.changed.get_mut(&id)
                    && known.part != part
                    && known.part.is_some()
                    && part.is_some()
                {
                    known.part = joined(known.part, part);
                }
                continue;
            }
            waiting.extend(self.targets_of(id, &route, part));
            let known = reached.changed.entry(id).or_insert(Changed {
                route,
                seen_as: target.seen_as,
                part,
                kept: keeps,
                is_state: false,
            });
            known.part = known.part.filter(|_| part.is_some());
        }
        if keeps {
            self.narrow_around_parts(reached);
        }
    }

    /// What the pointers in an object, or a part of it, lead to.
    pub(super) fn targets_of(
        &self,
        id: AllocationId,
        route: &Route,
        part: Option<(u64, u64)>,
    ) -> Vec<Target> {
        let targets = self.targets_at(id, route, part).into_iter();
        targets.map(|(_, target)| target).collect()
    }

    /// The same, each with where its pointer is.
    pub(super) fn targets_at(
        &self,
        id: AllocationId,
        route: &Route,
        part: Option<(u64, u64)>,
    ) -> Vec<(u64, Target)> {
        let allocation = self.state.memory.get(id);
        let origin = self.origin(id);
        let (low, high) = part.unwrap_or((0, allocation.size));
        let high = if allocation.leads { high } else { low };
        let entries = allocation.entries.range(low..high);
        let targets = entries.filter_map(|(&at, entry)| {
            let value = Value {
                bits: allocation.bits(at, entry.size),
                shadow: entry.shadow,
            };
            let from = (route.clone(), at as i64 - origin as i64);
            let target = self.target_of(value, None, false, Some(from))?;
            Some((at, target))
        });
        targets.collect()
    }

    /// Any function may set `errno`.
    fn add_library_state(&self, reached: &mut Reached) {
        for &global in &self.code.statics.library_state {
            let id = self.code.statics.layout.globals[global];
            let changed = Changed {
                route: Route::to(AccessStart::Global(global)),
                seen_as: None,
                part: None,
                kept: false,
                is_state: true,
            };
            reached.changed.insert(id, changed);
        }
    }
}
