//! Checks of what the tested function returned and wrote.

use ir::test::{Observation, Observed, ObservedPlace};
use ir::{Type, TypeId};

use super::literal;
use super::runs::{self, Item};
use super::scene::Scene;
use crate::test_program::{Check, Statement};
use ir::path;

/// The checks of a test; `result` is the variable that holds what the function returned.
pub fn checks(
    scene: &Scene<'_>,
    observations: &[Observation],
    result: Option<(&str, TypeId)>,
) -> Vec<Statement> {
    let checks: Vec<Item> = observations
        .iter()
        .filter_map(|observation| check(scene, observation, result))
        .collect();
    runs::joined(&checks, |address, expected| {
        Statement::Check(Check::Bytes { address, expected })
    })
}

/// The expression for what is observed.
fn actual(
    scene: &Scene<'_>,
    observation: &Observation,
    place: &ObservedPlace,
    result: Option<(&str, TypeId)>,
) -> Option<String> {
    let types = scene.subject.types;
    match *place {
        ObservedPlace::Result { offset_bits } => {
            let (name, ty) = result?;
            let part = path::scalar(types, ty, offset_bits, observation.ty, observation.width)?;
            Some(format!("{name}{}", part.path))
        }
        // The result of each call of a sequence is checked right after the call.
        ObservedPlace::Call { .. } => None,
        // A stub checks it.
        ObservedPlace::Argument { .. } => None,
        ObservedPlace::Cell {
            object,
            offset_bits,
        } => {
            let is_observable = scene.is_observable(object);
            let place = || scene.place(object, offset_bits, observation.ty, observation.width);
            is_observable.then(place).flatten()
        }
        ObservedPlace::Behind {
            ref pointer,
            ty,
            offset_bits,
        } => {
            let holder = Observation {
                ty,
                width: (types.size(ty) * 8) as u32,
                ..observation.clone()
            };
            let mut text = actual(scene, &holder, pointer, result)?;
            if !has_type(scene, pointer, ty, result) {
                text = format!("(({}){text})", path::declare(types, ty, "")?);
            }
            let element = types.pointee(ty)?;
            // The tested unit may know the type by name only.
            let is_known = types.record(element).is_none_or(|record| record.complete);
            let element = is_known.then_some(element)?;
            let size = (types.size(element) * 8).max(1);
            let (index, offset) = (offset_bits / size, offset_bits % size);
            let part = path::scalar(types, element, offset, observation.ty, observation.width)?;
            Some(match part.path.strip_prefix('.') {
                Some(member) if index == 0 => format!("{text}->{member}"),
                _ => format!("{text}[{index}]{}", part.path),
            })
        }
    }
}

/// Whether the expression for a place has this very type: in a union it may be a member of another
/// one.
fn has_type(
    scene: &Scene<'_>,
    place: &ObservedPlace,
    ty: TypeId,
    result: Option<(&str, TypeId)>,
) -> bool {
    let types = scene.subject.types;
    let has_part = |whole: TypeId, offset: u64| {
        let inside = offset % (types.size(whole) * 8).max(1);
        path::part_of_type(types, whole, inside, ty).is_some()
    };
    match *place {
        ObservedPlace::Result { offset_bits } => {
            result.is_some_and(|(_, whole)| has_part(whole, offset_bits))
        }
        ObservedPlace::Call { .. } | ObservedPlace::Argument { .. } => false,
        ObservedPlace::Cell {
            object,
            offset_bits,
        } => scene.has_part(object, offset_bits, ty),
        ObservedPlace::Behind {
            ty: holder,
            offset_bits,
            ..
        } => types
            .pointee(holder)
            .is_some_and(|whole| has_part(whole, offset_bits)),
    }
}

fn check(
    scene: &Scene<'_>,
    observation: &Observation,
    result: Option<(&str, TypeId)>,
) -> Option<Item> {
    let types = scene.subject.types;
    let actual = actual(scene, observation, &observation.place, result)?;
    if matches!(types.kind(observation.ty), Type::Float(_)) {
        return None;
    }
    // The object's type may have a number where the execution stored a pointer.
    let is_pointer = matches!(types.kind(observation.ty), Type::Pointer { .. });
    let pointer = match is_pointer {
        true => actual.clone(),
        false => format!("(void *){actual}"),
    };
    let check = match observation.value {
        Observed::Bits(_) if is_pointer => return None,
        Observed::Bits(bits) => {
            let expected = literal::integer(types, observation.ty, observation.width, bits);
            Check::Equal {
                actual: actual.clone(),
                expected,
            }
        }
        Observed::Null => Check::Null { actual: pointer },
        Observed::Same(ref place, ty) => {
            let width = (types.size(ty) * 8) as u32;
            let holder = Observation {
                ty,
                width,
                ..observation.clone()
            };
            Check::Pointer {
                actual: pointer,
                expected: self::actual(scene, &holder, place, result)?,
            }
        }
        // Only stubs are told of globals that are no inputs.
        Observed::NotNull | Observed::Global(..) => Check::NotNull { actual: pointer },
        Observed::Function(function) => {
            let own = &scene.subject.program.functions[function].name;
            let name = scene.exports.function(function).unwrap_or(own);
            Check::Pointer {
                actual: pointer,
                expected: name.to_owned(),
            }
        }
        Observed::Inside(object, offset) => Check::Pointer {
            actual: pointer,
            expected: scene.address(object, offset, observation.ty)?,
        },
    };
    let byte = match observation.value {
        Observed::Bits(bits) => runs::character(types, observation.ty, observation.width, bits),
        _ => None,
    };
    Some(Item {
        statement: Statement::Check(check),
        place: actual,
        byte,
        is_zero: false,
    })
}
