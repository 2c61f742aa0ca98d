//! The prover that guesses invariants and keeps those that are inductive.
//!
//! ```text
//! until there are no new candidates:
//!     first for locations that seem constant, then, over all others,
//!     for candidates without arithmetic, for those with sums, for those with products:
//!         keep those that are inductive together with what is known
//!         try what the invariants exclude
//!     // no sampled execution comes behind a loop of many rounds
//!     ask for states at further cuts that the invariants allow, and make candidates from these
//! ```

pub mod atoms;
pub mod candidates;
pub mod compared;
pub mod guesses;
pub mod houdini;
pub mod in_phases;
pub mod linked;
pub mod neighbours;
pub mod node_facts;
pub mod pairs;
pub mod range_parts;
pub mod ranges;
pub mod samples;
pub mod windows;

use crate::exclusion::Exclusion;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};

/// What the prover does.
enum Stage {
    /// It is to make candidates.
    Guessing,
    /// It drops candidates that are not inductive.
    Inductive(Box<Houdini>),
    /// It tries what is known excludes.
    Excluding(Exclusion),
}

/// The guesses to make next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guessing {
    /// What is constant where executions came.
    First,
    /// What is constant where the solver came.
    More,
    /// What holds of all else there.
    Further,
}

/// See the module.
pub(crate) struct ByInvariants {
    stage: Stage,
    /// Which guesses it makes next.
    next: Guessing,
    /// Candidates that were not tried yet, those to be tried next last.
    waiting: Vec<Invariants>,
}

impl ByInvariants {
    /// Begins.
    pub fn new() -> ByInvariants {
        ByInvariants {
            stage: Stage::Guessing,
            next: Guessing::First,
            waiting: Vec::new(),
        }
    }

    /// The candidates to try next.
    fn next(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Option<Invariants> {
        loop {
            while let Some(next) = self.waiting.pop() {
                if next.iter().any(|candidates| !candidates.is_empty()) {
                    return Some(next);
                }
            }
            let known = goals.invariants.clone();
            let guesser = goals.guesser(formulas);
            (self.next, self.waiting) = match self.next {
                Guessing::First => (Guessing::Further, vec![guesser.first(formulas)]),
                Guessing::More => (Guessing::Further, vec![guesser.more(formulas, &known)?]),
                Guessing::Further => {
                    let guesses = guesser.further(formulas, &known);
                    (Guessing::More, guesses.into_iter().rev().collect())
                }
            };
        }
    }
}

impl Prover for ByInvariants {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        while !goals.open.is_empty() {
            if formulas.is_spent() {
                return Progress::Working;
            }
            match &mut self.stage {
                Stage::Inductive(houdini) => {
                    if let Some(invariants) = houdini.step(formulas) {
                        self.stage = match goals.learn(invariants) {
                            true => Stage::Excluding(Exclusion::default()),
                            false => Stage::Guessing,
                        };
                    }
                }
                Stage::Excluding(exclusion) => {
                    if exclusion.step(formulas, goals) == Progress::Finished {
                        self.stage = Stage::Guessing;
                    }
                }
                Stage::Guessing => match self.next(formulas, goals) {
                    Some(next) => {
                        let houdini = Houdini::new(goals.invariants.clone(), next);
                        self.stage = Stage::Inductive(Box::new(houdini));
                    }
                    None => return Progress::Finished,
                },
            }
        }
        Progress::Finished
    }
}
