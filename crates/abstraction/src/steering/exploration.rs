//! Executions of the formulas that have no goal: they look for states that are unlike those which
//! others came to.

use crate::dead_ends::DeadEnds;
use crate::formulas::Formulas;
use crate::formulas::script::StepId;
use crate::formulas::segment::CodePlace;
use crate::prover::Goals;
use crate::steering::SHORTEST;
use crate::steering::walks::{Pursued, Walk, Walks};

/// How many segments executions pass that come to no new state.
const IDLE: usize = 4_096;

/// The effort of these before others have their turn, too.
const ALONE: u64 = 5_000_000;

/// See the module.
pub(crate) struct Exploration {
    /// What executes, with or without a goal.
    pub walks: Walks,
    /// The execution under way, with the number of segments that are left to it.
    walk: Option<(Walk, usize)>,
    /// How many segments were passed since the last such state.
    idle: usize,
    effort: u64,
}

impl Exploration {
    /// The one that provers share, to be put back into [`Goals::exploration`].
    pub fn take(formulas: &mut Formulas<'_>, goals: &mut Goals) -> Exploration {
        let known = goals.exploration.take();
        known.unwrap_or_else(|| Exploration {
            walks: Walks::new(formulas, goals),
            walk: None,
            idle: 0,
            effort: 0,
        })
    }

    /// Whether it finds little that is new.
    pub fn is_over(&self) -> bool {
        self.idle >= IDLE
    }

    /// Whether it took so much effort, or finds little that is new.
    pub fn has_taken(&self, effort: u64) -> bool {
        self.is_over() || self.effort >= effort
    }

    /// Whether it has the next turn, after so much effort of executions with a goal.
    pub fn is_next(&self, effort_of_pursuits: u64) -> bool {
        !self.is_over() && self.effort < effort_of_pursuits.max(ALONE)
    }

    /// Goes on by a segment. Returns the goals that it leads to.
    pub fn step(
        &mut self,
        formulas: &mut Formulas<'_>,
        open: &[CodePlace],
    ) -> Vec<(CodePlace, StepId)> {
        let before = formulas.spent();
        let mut pursued = Pursued {
            open,
            dead: &mut DeadEnds::none(formulas),
            distance: None,
        };
        let (mut walk, left) = match self.walk.take() {
            Some(walk) => walk,
            None => (self.walks.begin(formulas, &pursued), SHORTEST),
        };
        let advance = self.walks.advance(formulas, &mut walk, &mut pursued);
        self.idle = if advance.is_new { 0 } else { self.idle + 1 };
        self.walk = (left > 1 && !advance.is_over).then_some((walk, left - 1));
        self.effort += formulas.spent() - before;
        advance.found
    }
}
