//! The inputs of a script, which the provers' formulas were followed with, as an input of the
//! machine.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// How many results were asked for that it does not have.
    further: AtomicU64,
}

/// How many results an execution may use that its script does not have, so that it may end by itself.
const FURTHER: u64 = 64;

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
            further: AtomicU64::new(0),
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
                let result = results.and_then(|results| results.get(*nth as usize));
                if result.is_none() {
                    self.further.fetch_add(1, Ordering::Relaxed);
                }
                result
            }
            _ => None,
        };
        value.map(|value| InputValue::Bits(value & expr::mask(data.width)))
    }

    fn are_used_up(&self) -> bool {
        self.further.load(Ordering::Relaxed) > FURTHER
    }
}
