//! Alias probes: flips to inputs in which two pointers point to the same object, tried after the
//! goals.
//!
//! Goals are often covered before any such input is tried, and these inputs show defects of code
//! that links objects: an element that is in a list twice, an object that is its own child.

use std::collections::VecDeque;

use ir::input::InputValue;

use super::{FlipSource, Offered, Situation};
use crate::path_tree::{Demands, Flip, PathTree};

/// The most flips that wait.
const MOST_WAITING: usize = 4096;

/// Flips to try once all goals are decided.
#[derive(Debug)]
pub(crate) struct AliasProbes {
    waiting: VecDeque<Flip>,
    /// How many more are tried.
    left: u32,
}

impl AliasProbes {
    /// So many probes are tried.
    pub fn new(tries: u32) -> Self {
        AliasProbes {
            waiting: VecDeque::new(),
            left: tries,
        }
    }
}

impl FlipSource for AliasProbes {
    /// Takes a flip on the path of an input in which pointers point to the same object, or may.
    fn takes(&mut self, flip: Flip, offered: &Offered<'_>, situation: &Situation<'_>) -> bool {
        let is_alias = |value: &InputValue| matches!(value, InputValue::Alias { .. });
        // A pointer that is not NULL may still become an alias.
        let own = match &situation.tree.branch(flip).demands {
            Demands::Pointer(choice) => choice.1 != InputValue::Null,
            Demands::Terms(_) | Demands::Exact(..) | Demands::Call(..) => false,
        };
        let values = &offered.execution.inputs.values;
        let is_worth = self.left > 0
            && self.waiting.len() < MOST_WAITING
            && (own || values.values().any(is_alias));
        if is_worth {
            self.waiting.push_back(flip);
        }
        is_worth
    }

    fn next(&mut self, situation: &Situation<'_>) -> Option<Flip> {
        while self.left > 0 {
            let flip = self.waiting.pop_front()?;
            if situation.tree.is_pending(flip) {
                self.left -= 1;
                return Some(flip);
            }
        }
        None
    }

    fn evict(&mut self, tree: &PathTree) {
        self.waiting.retain(|&flip| tree.is_pending(flip));
    }
}
