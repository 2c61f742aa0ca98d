//! The inputs of a parser's tests that the parser accepts, as text.

use std::collections::BTreeMap;

use explore::Exploration;
use ir::input::{InputValue, Root};
use ir::test::{Observed, ObservedPlace, TestCase};

/// The texts in the declared input `name` of the tests whose entry function returned something
/// other than zero, up to the NUL at their end.
pub fn of(exploration: &Exploration, name: &str) -> Vec<String> {
    let accepted = exploration
        .suite
        .tests
        .iter()
        .filter(|test| is_accepted(test));
    accepted.map(|test| text(exploration, test, name)).collect()
}

fn is_accepted(test: &TestCase) -> bool {
    test.observations.iter().any(|observation| {
        matches!(observation.place, ObservedPlace::Result { .. })
            && matches!(observation.value, Observed::Bits(bits) if bits != 0)
    })
}

fn text(exploration: &Exploration, test: &TestCase, name: &str) -> String {
    let space = &exploration.space;
    let bytes: BTreeMap<i64, u8> = test
        .inputs
        .values
        .iter()
        .filter_map(|(&cell, value)| {
            let cell = space.cell_data(cell);
            let root = &space.object_data(cell.object).root;
            let named = matches!(root, Root::Declared { name: found, .. } if found == name);
            match value {
                InputValue::Bits(bits) if named => Some((cell.offset_bits / 8, *bits as u8)),
                _ => None,
            }
        })
        .collect();
    let text = (0..).map_while(|at| bytes.get(&at).filter(|byte| **byte != 0));
    text.map(|&byte| char::from(byte).escape_default().to_string())
        .collect()
}
