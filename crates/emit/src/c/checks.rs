//! Assertions on what the tested function returned and wrote.

use std::iter::Peekable;

use ir::test::{Observation, Observed, ObservedPlace};
use ir::{ObjectId, Type, TypeId};

use super::literal;
use super::scene::{Scene, Shape};
use crate::path;

/// A run of written characters shorter than this is checked one by one.
const SHORTEST_RUN: usize = 3;

/// The assertions of a test, one line each; `result` is the variable that holds what the function
/// returned.
pub fn checks(
    scene: &Scene<'_>,
    observations: &[Observation],
    result: Option<(&str, TypeId)>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = observations.iter().peekable();
    while let Some(&first) = rest.peek() {
        if let Some(line) = character_run(scene, &mut rest.clone()) {
            lines.push(line.text);
            rest.nth(line.length - 1);
            continue;
        }
        lines.extend(check(scene, first, result));
        rest.next();
    }
    lines
}

fn check(
    scene: &Scene<'_>,
    observation: &Observation,
    result: Option<(&str, TypeId)>,
) -> Option<String> {
    let types = &scene.subject.program.types;
    let actual = match observation.place {
        ObservedPlace::Result { offset_bits } => {
            let (name, ty) = result?;
            let path = path::scalar(types, ty, offset_bits, observation.ty, observation.width)?;
            format!("{name}{path}")
        }
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
    Some(match observation.value {
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
            let name = &scene.subject.program.functions[function].name;
            format!("CHECK_POINTER({actual}, {name});")
        }
        Observed::Inside(object, offset) => {
            let expected = scene.address(object, offset, observation.ty)?;
            format!("CHECK_POINTER({actual}, {expected});")
        }
    })
}

struct Run {
    text: String,
    length: usize,
}

/// One assertion for consecutive characters of a character array.
fn character_run<'o>(
    scene: &Scene<'_>,
    rest: &mut Peekable<impl Iterator<Item = &'o Observation>>,
) -> Option<Run> {
    let (object, start) = character_at(scene, rest.peek()?)?;
    let mut bytes = Vec::new();
    while let Some(next) = rest.peek() {
        let Observed::Bits(bits) = next.value else {
            break;
        };
        if character_at(scene, next) != Some((object, start + 8 * bytes.len() as i64)) {
            break;
        }
        bytes.push(bits as u8);
        rest.next();
    }
    if bytes.len() < SHORTEST_RUN {
        return None;
    }
    let storage = scene.storages.get(&object)?;
    let index = start / 8 + storage.before as i64;
    let place = match index {
        0 => storage.name.clone(),
        _ => format!("&{}[{index}]", storage.name),
    };
    Some(Run {
        text: format!("CHECK_BYTES({place}, {});", literal::bytes(&bytes)),
        length: bytes.len(),
    })
}

/// The place of a written character in a test's own character array.
fn character_at(scene: &Scene<'_>, observation: &Observation) -> Option<(ObjectId, i64)> {
    let ObservedPlace::Cell {
        object,
        offset_bits,
    } = observation.place
    else {
        return None;
    };
    let types = &scene.subject.program.types;
    let is_character = |ty| matches!(types.kind(ty), Type::Int(int) if int.name.is_character());
    let storage = scene.storages.get(&object)?;
    let fits = matches!(storage.shape, Shape::Array(_))
        && is_character(storage.ty)
        && is_character(observation.ty)
        && observation.width == 8
        && matches!(observation.value, Observed::Bits(_));
    fits.then_some((object, offset_bits))
}
