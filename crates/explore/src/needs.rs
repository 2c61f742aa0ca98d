//! Goals that are only of use for others, and no longer needed.
//!
//! A combination of values of conditions is not asked for, where only the independence of conditions
//! is. It is needed as long as it could show the independence of a condition that no two executions
//! show yet. Flips that lead only to goals that are not needed are dropped, so that nothing follows
//! for these goals from the end of the search.

use coverage::{Derivation, GoalId, Goals};
use fixedbitset::FixedBitSet;

/// The goals that are not needed any more. Their number only grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    unneeded: FixedBitSet,
}

impl Needs {
    /// Whether a goal is not needed any more.
    pub fn excludes(&self, goal: GoalId) -> bool {
        self.unneeded.contains(goal.index())
    }

    /// How many are not needed.
    pub fn excluded(&self) -> usize {
        self.unneeded.count_ones(..)
    }

    /// The goals that are not needed.
    pub fn unneeded(&self) -> &FixedBitSet {
        &self.unneeded
    }

    /// Finds the goals that are not needed, by those that are covered and those that nothing can
    /// reach. Returns whether there are more.
    pub fn update(
        &mut self,
        goals: &Goals,
        is_covered: impl Fn(GoalId) -> bool,
        is_unreachable: impl Fn(GoalId) -> bool,
    ) -> bool {
        if goals.derived().is_empty() {
            return false;
        }
        let mut unneeded = FixedBitSet::with_capacity(goals.len());
        let only_for_others = goals
            .iter()
            .filter(|(_, goal)| !goals.criteria().ask_for(goal.kind));
        unneeded.extend(only_for_others.map(|(id, _)| id.index()));
        for derived in goals.derived() {
            let Derivation::Pairs(pairs) = &derived.derivation else {
                continue;
            };
            if pairs
                .iter()
                .any(|&(yes, no)| is_covered(yes) && is_covered(no))
            {
                continue;
            }
            for &(yes, no) in pairs {
                if !is_unreachable(yes) && !is_unreachable(no) {
                    unneeded.set(yes.index(), false);
                    unneeded.set(no.index(), false);
                }
            }
        }
        let grows = unneeded.count_ones(..) > self.excluded();
        self.unneeded = unneeded;
        grows
    }
}
