//! The calls of a sequence, as the statements of a test.

use std::collections::BTreeMap;

use ir::input::{InputValue, Root};
use ir::sequence::{CHOICE, Call, Role, Sequence, Shared, SharedOrigin, argument};
use ir::test::{Observation, Observed, ObservedPlace, TestCase};
use ir::{Function, ObjectId, Type, TypeId};

use super::scene::Scene;
use super::test_function::passed;
use super::{checks, literal};
use crate::test_program::{Call as Made, CallResult, Declaration, Statement};
use ir::path;

/// Declares what the calls of a test need. Returns the calls, with the checks of what they return.
pub fn calls(scene: &mut Scene<'_>, sequence: &Sequence, test: &TestCase) -> Vec<Statement> {
    let mut walk = Walk {
        sequence,
        test,
        shared: None,
        counts: BTreeMap::new(),
        returned: 0,
        statements: Vec::new(),
    };
    if let Some(shared) = &sequence.shared {
        walk.declare_shared(scene, shared);
    }
    let mut state = Some(0);
    while let Some(call) = state.and_then(|state| walk.next(scene, state)) {
        state = walk.call(scene, &call).then_some(call.next);
    }
    walk.statements
}

/// The functions that a test of a sequence calls, in order.
pub fn called(
    sequence: &Sequence,
    choice: impl Fn(u32) -> Option<u128>,
) -> impl Iterator<Item = Call> {
    let (mut state, mut made) = (0, 0);
    std::iter::from_fn(move || {
        let data = sequence.states.get(state)?;
        let chosen = match data.choices() {
            0 | 1 => 0,
            _ => {
                let value = choice(made)?;
                made += 1;
                data.choice(value)
            }
        };
        let call = *data.calls.get(chosen)?;
        state = call.next;
        Some(call)
    })
}

/// Whether an input of this name is one of the sequence's own, not one that the code declares.
pub fn is_own(sequence: &Sequence, name: &str) -> bool {
    name == CHOICE
        || name.ends_with(')')
        || sequence
            .shared
            .as_ref()
            .is_some_and(|shared| shared.origin == SharedOrigin::Input && shared.name == name)
}

/// A walk along the calls of a test.
struct Walk<'a> {
    sequence: &'a Sequence,
    test: &'a TestCase,
    /// The variable that is the shared object, or points to it.
    shared: Option<String>,
    /// How often each input was met.
    counts: BTreeMap<String, u32>,
    /// How many calls have returned.
    returned: u32,
    statements: Vec<Statement>,
}

impl Walk<'_> {
    fn declare_shared(&mut self, scene: &mut Scene<'_>, shared: &Shared) {
        let types = scene.subject.types;
        self.shared = Some(match shared.origin {
            SharedOrigin::Variable if self.test.allocates_shared => allocate(scene, shared),
            SharedOrigin::Variable => {
                let array = types.find(&shared.array()).filter(|_| shared.length > 1);
                scene.declare_value(&shared.name, None, array.unwrap_or(shared.ty))
            }
            SharedOrigin::Input => {
                let id = self.input(scene, &shared.name);
                scene.declare_value(&shared.name, id, shared.pointer)
            }
            SharedOrigin::Result => {
                let name = scene.names.fresh(&shared.name);
                let declared = path::declare(types, shared.pointer, &name);
                let declared = declared.unwrap_or_else(|| format!("void *{name}"));
                scene.declarations.push(Declaration::Variable {
                    is_static: false,
                    declared,
                    aligned: None,
                    value: Some("NULL".to_owned()),
                });
                name
            }
        });
    }

    /// The next input of a name.
    fn input(&mut self, scene: &Scene<'_>, name: &str) -> Option<ObjectId> {
        let count = self.counts.entry(name.to_owned()).or_default();
        let root = Root::Declared {
            name: name.to_owned(),
            nth: *count,
        };
        *count += 1;
        scene.graph.find(&root).map(|(id, _)| id)
    }

    /// The call that comes next; `None` at the end.
    fn next(&mut self, scene: &Scene<'_>, state: usize) -> Option<Call> {
        let state = self.sequence.states.get(state)?;
        let chosen = match state.choices() {
            0 | 1 => 0,
            _ => {
                let id = self.input(scene, CHOICE)?;
                state.choice(number(scene, id)?)
            }
        };
        state.calls.get(chosen).copied()
    }

    /// Adds a call. Returns true if the test goes on after it.
    fn call(&mut self, scene: &mut Scene<'_>, call: &Call) -> bool {
        let subject = scene.subject;
        let function = &subject.program.functions[call.function];
        let Some(ty) = subject.function_type(call.function) else {
            return false;
        };
        let parameters = ty.parameters.iter().enumerate();
        let arguments: Vec<String> = parameters
            .map(|(index, &ty)| {
                let value = self.argument(scene, function, index, ty);
                passed(function, index, value)
            })
            .collect();
        self.returned += u32::from(call.precondition.is_some());
        let observed = self.observed();
        self.returned += 1;
        let callee = scene.exports.callee(subject, call.function);
        let shared = self.shared.clone().filter(|_| call.adopts);
        let (result, variable) = match (&shared, observed.is_empty()) {
            (Some(shared), _) => (CallResult::Assigned(shared.clone()), Some(shared.clone())),
            (None, true) => (CallResult::Ignored, None),
            (None, false) => {
                let name = scene.names.fresh(&format!("result_{}", self.returned));
                let declared = path::declare(subject.types, ty.result, &name);
                let variable = Some(name.clone());
                (CallResult::Declared { name, declared }, variable)
            }
        };
        self.statements.push(Statement::Call(Made {
            callee,
            arguments,
            result,
        }));
        let Some(variable) = variable else {
            return true;
        };
        let checks = checks::checks(scene, &observed, Some((&variable, ty.result)));
        self.statements.extend(checks);
        let itself = ObservedPlace::Result { offset_bits: 0 };
        let mut results = observed.iter().filter(|one| one.place == itself).peekable();
        let is_observed = results.peek().is_some();
        let is_null = results.any(|one| one.value == Observed::Null);
        let types = &subject.program.types;
        let takes = |&ty: &TypeId| self.sequence.role(types, ty) != Role::Input;
        let makes = shared.is_some() && !ty.parameters.iter().any(takes);
        // An object whose type has no definition is not observed: what comes later shows whether it exists.
        if makes && !is_observed && !self.observes_later_calls() {
            self.statements
                .push(Statement::EndIfNull { pointer: variable });
        }
        !(makes && is_null)
    }

    /// Whether a call that comes later is observed.
    fn observes_later_calls(&self) -> bool {
        let mut observations = self.test.observations.iter();
        observations.any(|observation| {
            matches!(observation.place, ObservedPlace::Call { nth, .. } if nth >= self.returned)
        })
    }

    /// The result of the next call.
    fn observed(&self) -> Vec<Observation> {
        let all = self.test.observations.iter();
        let of_call = all.filter_map(|observation| {
            let value = match &observation.value {
                Observed::Same(place, ty) => Observed::Same(Box::new(self.of_call(place)?), *ty),
                value => value.clone(),
            };
            Some(Observation {
                place: self.of_call(&observation.place)?,
                value,
                ..observation.clone()
            })
        });
        of_call.collect()
    }

    /// A place in the result of the call that comes next, as one in the result.
    fn of_call(&self, place: &ObservedPlace) -> Option<ObservedPlace> {
        match place {
            &ObservedPlace::Call { nth, offset_bits } if nth == self.returned => {
                Some(ObservedPlace::Result { offset_bits })
            }
            ObservedPlace::Behind {
                pointer,
                ty,
                offset_bits,
            } => Some(ObservedPlace::Behind {
                pointer: Box::new(self.of_call(pointer)?),
                ty: *ty,
                offset_bits: *offset_bits,
            }),
            _ => None,
        }
    }

    fn argument(
        &mut self,
        scene: &mut Scene<'_>,
        function: &Function,
        index: usize,
        ty: TypeId,
    ) -> String {
        let types = &scene.subject.program.types;
        let role = self.sequence.role(types, ty);
        match (role, &self.shared, &self.sequence.shared) {
            (Role::SharedPointer, Some(name), _) => return format!("&{name}"),
            (Role::Shared, Some(name), Some(shared)) => {
                let is_variable = shared.origin == SharedOrigin::Variable;
                let is_one = is_variable && shared.length == 1;
                return match is_one && !self.test.allocates_shared {
                    true => format!("&{name}"),
                    false => name.clone(),
                };
            }
            _ => {}
        }
        let name = function.argument_name(index);
        let wanted = format!("{name}_{}", self.returned + 1);
        let id = self.input(scene, &argument(&function.name, &name));
        let types = scene.subject.types;
        match types.kind(ty) {
            Type::Int(_) | Type::Enum(_) => {
                let bits = id.and_then(|id| number(scene, id)).unwrap_or(0);
                let width = (types.size(ty) * 8) as u32;
                literal::integer(types, ty, width, bits)
            }
            _ => scene.declare_value(&wanted, id, ty),
        }
    }
}

/// Declares a pointer to a shared object of all zeros that `malloc` returns.
fn allocate(scene: &mut Scene<'_>, shared: &Shared) -> String {
    let types = scene.subject.types;
    let name = scene.names.fresh(&shared.name);
    let declared = path::declare(types, shared.pointer, &name);
    let declared = declared.unwrap_or_else(|| format!("void *{name}"));
    let size = match path::nameable(types, shared.ty) {
        true => format!("sizeof *{name}"),
        false => types.size(shared.ty).to_string(),
    };
    let size = match shared.length {
        0 | 1 => size,
        length => format!("{length} * {size}"),
    };
    scene
        .declarations
        .push(Declaration::Zeroed { declared, size });
    name
}

/// The number that an input is.
fn number(scene: &Scene<'_>, id: ObjectId) -> Option<u128> {
    let object = scene.graph.objects.get(&id)?;
    match object.cells.get(&0)?.value {
        InputValue::Bits(bits) => Some(bits),
        _ => None,
    }
}
