//! The values of globals where executions start.
//!
//! Before `main`, all objects hold their initial values, unless functions run before it. Any other
//! function may be called in any state, and so may `main` if code that others may call leads to it.

use std::collections::BTreeMap;

use analysis::callbacks::is_called_for_others;
use ir::{FunctionId, GlobalId, Program};

use crate::objects::location::Location;
use crate::objects::locations::{LocationId, Locations};
use crate::objects::places::Object;
use crate::objects::scalars::width;

/// The locations whose values are known where executions start, with these values in bits. All
/// elements of an array have the same.
pub fn initial_values(
    program: &Program,
    entry: FunctionId,
    locations: &Locations,
) -> BTreeMap<LocationId, u128> {
    let is_main = program.functions[entry].name == "main";
    let is_first = program.run_by_themselves().is_empty() && !is_called_for_others(program, entry);
    let mut known = BTreeMap::new();
    for (number, location) in locations.iter() {
        // Nodes of earlier calls are none that these pointers lead to.
        if let Object::Allocated(_) = location.object {
            known.insert(number, 0);
        }
    }
    if !is_main || !is_first {
        return known;
    }
    for (number, location) in locations.iter() {
        if let Some(bits) = initial_value(program, location) {
            known.insert(number, bits);
        }
    }
    known
}

fn initial_value(program: &Program, location: &Location) -> Option<u128> {
    let Object::Global(global) = location.object else {
        return None;
    };
    let size = program.types.size(location.ty);
    let width = width(program, location.ty)?;
    let value_at = |first: u64| initial_bits(program, global, (first, first + size), width);
    match location.of {
        None => value_at(location.offset),
        Some(elements) => {
            let end = elements.end(size);
            is_zero(program, global, (elements.first, end)).then_some(0)
        }
    }
}

/// The bits that a part of a global holds at first, as a number of a width.
pub fn initial_bits(
    program: &Program,
    global: GlobalId,
    (first, end): (u64, u64),
    width: u32,
) -> Option<u128> {
    if end - first != u64::from(width / 8) {
        return None;
    }
    let bytes = initial_bytes(program, global, (first, end))?;
    let bytes = bytes.into_iter().rev();
    Some(bytes.fold(0, |bits, byte| bits << 8 | u128::from(byte)))
}

/// Whether all bytes of a part of a global are zero at first.
pub fn is_zero(program: &Program, global: GlobalId, part: (u64, u64)) -> bool {
    initial_bytes(program, global, part).is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
}

/// The bytes of a part of a global at first, if they are numbers that C determines.
fn initial_bytes(program: &Program, global: GlobalId, (first, end): (u64, u64)) -> Option<Vec<u8>> {
    let initializer = program.globals[global].initializer.as_ref()?;
    let pointer = u64::from(program.target.pointer_width / 8);
    let mut relocations = initializer.relocations.iter();
    let is_address = relocations.any(|at| at.offset < end && first < at.offset + pointer);
    let byte = |bytes: &[u8], at: u64| bytes.get(at as usize).copied().unwrap_or(0);
    let is_open = (first..end).any(|at| byte(&initializer.open, at) != 0);
    let is_known = !is_address && !is_open;
    is_known.then(|| {
        (first..end)
            .map(|at| byte(&initializer.bytes, at))
            .collect()
    })
}
