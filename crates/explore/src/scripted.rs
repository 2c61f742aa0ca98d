//! The inputs of a script, which the provers' formulas were followed with, as an input of the
//! machine.

use std::collections::BTreeMap;

use abstraction::Script;
use ir::input::{InputSpace, InputValue, Root};
use ir::{CellId, FunctionId, GlobalId};
use vm::Defaults;

/// See the module.
pub(crate) struct ScriptedInputs {
    parameters: BTreeMap<u32, u128>,
    /// By the global and the offset in bits.
    globals: BTreeMap<(GlobalId, i64), u128>,
    results: BTreeMap<FunctionId, Vec<u128>>,
}

impl ScriptedInputs {
    /// The inputs of a script.
    pub fn of(script: &Script) -> ScriptedInputs {
        let mut results: BTreeMap<FunctionId, Vec<u128>> = BTreeMap::new();
        for &(function, value) in &script.results {
            results.entry(function).or_default().push(value);
        }
        let globals = script.globals.iter();
        let globals = globals.map(|&(global, offset, value)| ((global, offset as i64 * 8), value));
        ScriptedInputs {
            parameters: script.parameters.iter().copied().collect(),
            globals: globals.collect(),
            results,
        }
    }
}

impl Defaults for ScriptedInputs {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let data = space.cell_data(cell);
        let value = match (&space.object_data(data.object).root, data.offset_bits) {
            (Root::Parameter(number), 0) => self.parameters.get(number),
            (&Root::Global(global), offset) => self.globals.get(&(global, offset)),
            (Root::Result { function, nth }, 0) => {
                let results = self.results.get(function);
                results.and_then(|results| results.get(*nth as usize))
            }
            _ => None,
        };
        value.map(|value| InputValue::Bits(value & expr::mask(data.width)))
    }
}
