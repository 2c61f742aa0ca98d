//! What functions without a body may return: what the solver had them return, the constants of the
//! program, and random numbers.

use std::collections::BTreeSet;

use fastrand::Rng;
use ir::input::InputValue;
use ir::{FunctionId, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many values of one function are kept.
const MOST: usize = 256;

/// See the module.
pub(crate) struct Results {
    /// The functions that return numbers.
    numbers: FxHashSet<FunctionId>,
    /// The integer constants of the program.
    constants: Vec<u64>,
    known: FxHashMap<FunctionId, Known>,
}

/// The values that the solver had a function return.
#[derive(Default)]
struct Known {
    all: FxHashSet<u64>,
    inputs: Vec<u64>,
}

impl Results {
    /// Nothing is known but the program.
    pub fn new(program: &Program) -> Results {
        let functions = program.functions.iter_enumerated();
        let numbers = functions.filter(|(_, data)| {
            let result = match program.types.kind(data.ty) {
                Type::Function(ty) => program.types.int(ty.result),
                _ => None,
            };
            data.body.is_none() && result.is_some()
        });
        let constants: BTreeSet<u64> = analysis::integers(program)
            .map(|value| value as u64)
            .collect();
        Results {
            numbers: numbers.map(|(id, _)| id).collect(),
            constants: constants.into_iter().collect(),
            known: FxHashMap::default(),
        }
    }

    /// The integer constants of the program.
    pub fn constants(&self) -> &[u64] {
        &self.constants
    }

    /// Whether a function returns a number.
    pub fn is_number(&self, function: FunctionId) -> bool {
        self.numbers.contains(&function)
    }

    /// Notes a result. Returns whether it is a new one.
    pub fn learn(&mut self, function: FunctionId, value: InputValue) -> bool {
        let InputValue::Bits(value) = value else {
            return false;
        };
        let known = self.known.entry(function).or_default();
        let is_new = known.inputs.len() < MOST && known.all.insert(value as u64);
        if is_new {
            known.inputs.push(value as u64);
        }
        is_new
    }

    /// A result of so many bits; `last` is the one before.
    pub fn draw(
        &self,
        rng: &mut Rng,
        (function, width): (FunctionId, u32),
        last: Option<u64>,
    ) -> u64 {
        let known = self.known.get(&function).map(|known| &known.inputs);
        let of = |values: &[u64], rng: &mut Rng| match values.len() {
            0 => 0,
            count => values[rng.usize(0..count)],
        };
        let value = match rng.u8(0..16) {
            0..=3 => last.unwrap_or_default(),
            4..=10 => known.map_or(0, |known| of(known, rng)),
            11..=12 => of(&self.constants, rng),
            13 => of(&self.constants, rng)
                .wrapping_add(rng.u64(0..3))
                .wrapping_sub(1),
            14 => rng.u64(0..16),
            _ => rng.u64(..) >> rng.u32(0..64),
        };
        of_width(value, width)
    }
}

/// The low bits of a value.
pub(super) fn of_width(value: u64, width: u32) -> u64 {
    match width {
        64.. => value,
        _ => value & ((1 << width) - 1),
    }
}
