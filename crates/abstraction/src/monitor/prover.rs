//! Finds the dead ends of all goals, of which a monitor is made.

use std::collections::BTreeMap;

use crate::attempt::TURN;
use crate::formulas::Formulas;
use crate::formulas::segment::CodePlace;
use crate::prover::{Goals, Progress, Prover};

/// The effort that may go to the dead ends of a goal.
const MOST: u64 = TURN / 2;

/// See the module.
#[derive(Default)]
pub(crate) struct Monitoring {
    /// The effort that went to each goal.
    spent: BTreeMap<CodePlace, u64>,
}

impl Prover for Monitoring {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        if formulas.are_changed_by_call_backs() {
            // The next attempt knows more of what inputs lead to.
            return Progress::Finished;
        }
        loop {
            let is_known = |goal: &CodePlace| {
                let dead = goals.dead.get(goal);
                dead.is_some_and(|dead| dead.are_complete())
                    || self.spent.get(goal).is_some_and(|&spent| spent > MOST)
            };
            let Some(&goal) = goals.open.iter().find(|goal| !is_known(goal)) else {
                goals.are_dead_ends_known = true;
                return Progress::Finished;
            };
            if formulas.is_spent() {
                return Progress::Working;
            }
            let before = formulas.spent();
            let mut dead = goals.take_dead_ends(formulas, goal);
            dead.step(formulas, &goals.invariants);
            goals.dead.insert(goal, dead);
            *self.spent.entry(goal).or_default() += formulas.spent() - before;
        }
    }
}
