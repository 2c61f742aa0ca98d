//! Executions of the formulas that are steered to goals.
//!
//! ```text
//! executions without a goal, until they come to no new state any more; after some effort, they take
//!     turns with what follows                                              exploration.rs
//! for each open goal in turn, with executions of more and more segments:
//!     dead := the dead ends of the goal                                        ../dead_ends.rs
//!     repeat some times:
//!         state := the start, or a state that was kept, and no dead end           kept.rs
//!         until the execution ends, or is long enough:                            walks.rs
//!             if the state is unlike others: keep it, and ask the solver for inputs that lead to
//!                 an open goal within the segment
//!             inputs := the last ones here, or random ones, or in some executions those of a few
//!                 that come nearest to the goal; if all lead to dead ends, the solver's  distance.rs
//!             go on through the segment
//! ```
//!
//! An execution that reaches a goal is a script: its inputs in their order, which the machine is to
//! try. What the formulas do not know may lead it elsewhere. No proof rests on scripts.

pub mod distance;
pub mod exploration;
pub mod kept;
pub mod known_state;
pub mod moves;
pub mod walks;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::dead_ends::DeadEnds;
use crate::formulas::script::StepId;
use crate::formulas::segment::CodePlace;
use crate::formulas::{Formulas, Invariants};
use crate::prover::{Goals, Progress, Prover};
use crate::steering::distance::Distance;
use crate::steering::exploration::Exploration;
use crate::steering::walks::{Pursued, Walk, Walks};

/// How many executions are tried for a goal before the next goal has its turn.
const TRIES: usize = 8;

/// How many segments an execution passes in the first round, how many times more in each later
/// one, and how many in the last one.
pub const SHORTEST: usize = 64;
const GROWTH: usize = 8;
const LONGEST: usize = 250_000;

/// How many segments executions pass in the first round that waits for dead ends.
const PATIENT: usize = SHORTEST * GROWTH * GROWTH;

/// How many scripts are proposed for one goal.
const MOST_SCRIPTS: usize = 3;

/// See the module.
#[derive(Default)]
pub(crate) struct Steering {
    rounds: Rounds,
    current: Option<Pursuit>,
    /// The effort of executions with a goal.
    effort_of_pursuits: u64,
    /// How many scripts were proposed for each goal.
    proposed: FxHashMap<CodePlace, usize>,
    /// Whether some executions choose inputs by the distance to their goal.
    knows_distance: bool,
}

impl Steering {
    /// Begins, with distances to goals or without.
    pub fn new(knows_distance: bool) -> Steering {
        Steering {
            knows_distance,
            ..Steering::default()
        }
    }
}

/// Rounds over all open goals.
#[derive(Default)]
struct Rounds {
    /// The goals of this round, the next one first.
    waiting: VecDeque<CodePlace>,
    /// How many segments executions pass in this round; 0 before the first.
    length: usize,
}

/// The pursuit of a goal.
struct Pursuit {
    goal: CodePlace,
    /// The distance to it, if inputs are chosen by that.
    distance: Option<Distance>,
    /// How many segments executions pass.
    length: usize,
    /// How many executions are left to begin.
    tries: usize,
    /// The execution under way, with the number of segments that are left to it.
    walk: Option<(Walk, usize)>,
    effort: Effort,
}

/// The effort that went to a goal. In the first rounds, dead ends take no more than executions do,
/// which go without them until all are known.
#[derive(Default)]
struct Effort {
    dead: u64,
    walks: u64,
}

impl Prover for Steering {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        if formulas.are_changed_by_call_backs() {
            // The next attempt knows more of what inputs lead to.
            return Progress::Finished;
        }
        let mut exploration = Exploration::take(formulas, goals);
        let progress = self.go_on(formulas, goals, &mut exploration);
        goals.exploration = Some(exploration);
        progress
    }
}

impl Steering {
    fn go_on(
        &mut self,
        formulas: &mut Formulas<'_>,
        goals: &mut Goals,
        exploration: &mut Exploration,
    ) -> Progress {
        loop {
            if formulas.is_spent() || !goals.scripts.is_empty() {
                return Progress::Working;
            }
            let proposed = &self.proposed;
            let is_open =
                |goal: &CodePlace| proposed.get(goal).is_none_or(|&count| count < MOST_SCRIPTS);
            let open: Vec<CodePlace> = goals.open.iter().copied().filter(is_open).collect();
            let before = formulas.spent();
            if exploration.is_next(self.effort_of_pursuits) {
                let found = exploration.step(formulas, &open);
                propose(&exploration.walks, goals, &mut self.proposed, found);
                continue;
            }
            let current = self.current.take().filter(|it| it.is_under_way(&open));
            let rounds = &mut self.rounds;
            let knows_distance = self.knows_distance;
            let next = current.or_else(|| {
                let (goal, length) = rounds.next(&open)?;
                let distance = knows_distance.then(|| Distance::new(formulas, goal));
                Some(Pursuit::new(goal, distance, length))
            });
            let Some(mut pursuit) = next else {
                if exploration.is_over() {
                    return Progress::Finished;
                }
                self.effort_of_pursuits = u64::MAX;
                continue;
            };
            let mut dead = goals.take_dead_ends(formulas, pursuit.goal);
            let walks = &mut exploration.walks;
            let found = pursuit.step(formulas, &goals.invariants, &mut dead, (walks, &open));
            goals.dead.insert(pursuit.goal, dead);
            propose(walks, goals, &mut self.proposed, found);
            self.current = Some(pursuit);
            let effort = formulas.spent() - before;
            self.effort_of_pursuits = self.effort_of_pursuits.saturating_add(effort);
        }
    }
}

/// Proposes the inputs of steps that lead to goals, and counts how many are proposed for each.
fn propose(
    walks: &Walks,
    goals: &mut Goals,
    proposed: &mut FxHashMap<CodePlace, usize>,
    found: Vec<(CodePlace, StepId)>,
) {
    for (goal, last) in found {
        *proposed.entry(goal).or_default() += 1;
        goals.scripts.push((goal, walks.steps.script(last)));
    }
}

impl Rounds {
    /// The next goal, and how many segments executions to it pass.
    fn next(&mut self, open: &[CodePlace]) -> Option<(CodePlace, usize)> {
        loop {
            match self.waiting.pop_front() {
                Some(goal) if open.contains(&goal) => return Some((goal, self.length)),
                Some(_) => {}
                None if self.length >= LONGEST || open.is_empty() => return None,
                None => {
                    self.length = (self.length * GROWTH).clamp(SHORTEST, LONGEST);
                    self.waiting.extend(open);
                }
            }
        }
    }
}

impl Pursuit {
    fn new(goal: CodePlace, distance: Option<Distance>, length: usize) -> Pursuit {
        Pursuit {
            goal,
            distance,
            length,
            tries: TRIES,
            walk: None,
            effort: Effort::default(),
        }
    }

    /// Whether the goal is open, and executions are left.
    fn is_under_way(&self, open: &[CodePlace]) -> bool {
        open.contains(&self.goal) && (self.walk.is_some() || self.tries > 0)
    }

    /// Goes on by a segment. Returns the goals that it leads to.
    fn step(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        dead: &mut DeadEnds,
        (walks, open): (&mut Walks, &[CodePlace]),
    ) -> Vec<(CodePlace, StepId)> {
        let before = formulas.spent();
        let is_capped = self.length < PATIENT && self.effort.dead > self.effort.walks;
        if !is_capped && !dead.are_complete() {
            dead.step(formulas, invariants);
            self.effort.dead += formulas.spent() - before;
            return Vec::new();
        }
        let mut pursued = Pursued {
            open,
            dead,
            distance: self.distance.as_ref(),
        };
        let Some((walk, left)) = &mut self.walk else {
            self.tries -= 1;
            self.walk = Some((walks.begin(formulas, &pursued), self.length));
            return Vec::new();
        };
        *left -= 1;
        let advance = walks.advance(formulas, walk, &mut pursued);
        if advance.is_over || *left == 0 {
            self.walk = None;
        }
        self.effort.walks += formulas.spent() - before;
        advance.found
    }
}
