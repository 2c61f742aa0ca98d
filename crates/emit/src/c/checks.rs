//! Assertions on what the tested function returned and wrote.

use ir::test::{Observation, Observed, ObservedPlace};
use ir::{Type, TypeId};

use super::literal;
use super::runs::{self, Item};
use super::scene::Scene;
use crate::path;

/// The assertions of a test, one line each; `result` is the variable that holds what the function
/// returned.
pub fn checks(
    scene: &Scene<'_>,
    observations: &[Observation],
    result: Option<(&str, TypeId)>,
) -> Vec<String> {
    let checks: Vec<Item> = observations
        .iter()
        .filter_map(|observation| check(scene, observation, result))
        .collect();
    runs::joined(&checks, |place, bytes| {
        format!("CHECK_BYTES({place}, {});", literal::bytes(bytes))
    })
}

fn check(
    scene: &Scene<'_>,
    observation: &Observation,
    result: Option<(&str, TypeId)>,
) -> Option<Item> {
    let types = scene.subject.types;
    let actual = match observation.place {
        ObservedPlace::Result { offset_bits } => {
            let (name, ty) = result?;
            let part = path::scalar(types, ty, offset_bits, observation.ty, observation.width)?;
            format!("{name}{}", part.path)
        }
        // What a sequence's calls return is looked at right behind each.
        ObservedPlace::Call { .. } => return None,
        ObservedPlace::Cell {
            object,
            offset_bits,
        } => {
            if !scene.is_observable(object) {
                return None;
            }
            scene.place(object, offset_bits, observation.ty, observation.width)?
        }
    };
    if matches!(types.kind(observation.ty), Type::Float(_)) {
        return None;
    }
    let line = match observation.value {
        Observed::Bits(_) if matches!(types.kind(observation.ty), Type::Pointer { .. }) => {
            return None;
        }
        Observed::Bits(bits) => {
            let expected = literal::integer(types, observation.ty, observation.width, bits);
            format!("CHECK({actual}, {expected});")
        }
        Observed::Null => format!("CHECK_NULL({actual});"),
        Observed::NotNull => format!("CHECK_NOT_NULL({actual});"),
        Observed::Function(function) => {
            let own = &scene.subject.program.functions[function].name;
            let name = scene.exports.function(function).unwrap_or(own);
            format!("CHECK_POINTER({actual}, {name});")
        }
        Observed::Inside(object, offset) => {
            let expected = scene.address(object, offset, observation.ty)?;
            format!("CHECK_POINTER({actual}, {expected});")
        }
    };
    let byte = match observation.value {
        Observed::Bits(bits) => runs::character(types, observation.ty, observation.width, bits),
        _ => None,
    };
    Some(Item {
        line,
        place: actual,
        byte,
    })
}
