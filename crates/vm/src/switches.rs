//! The conditions of the branches of switches: the same for the same operand in each execution.

use std::sync::Arc;

use expr::Term;
use rustc_hash::FxHashMap;

/// So many conditions are kept; then all are made anew.
const MOST: usize = 1 << 18;
/// Switches with fewer arms are quicker made than looked up.
const LEAST: usize = 16;

/// Conditions of switches that executions met.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    /// By the switch's number and its operand; the default's condition is the last.
    known: FxHashMap<(u32, Term), Arc<[Term]>>,
    kept: usize,
}

impl Switches {
    /// The conditions of the branches, if they were made before.
    pub fn get(&self, switch: u32, operand: Term) -> Option<Arc<[Term]>> {
        self.known.get(&(switch, operand)).cloned()
    }

    /// Keeps the conditions of the branches of a switch.
    pub fn keep(&mut self, switch: u32, operand: Term, conditions: Vec<Term>) -> Arc<[Term]> {
        let conditions: Arc<[Term]> = conditions.into();
        if conditions.len() >= LEAST {
            if self.kept + conditions.len() > MOST {
                self.known.clear();
                self.kept = 0;
            }
            self.kept += conditions.len();
            self.known.insert((switch, operand), conditions.clone());
        }
        conditions
    }
}
