//! The prover that guesses invariants and keeps those that are inductive.
//!
//! ```text
//! until there are no new candidates:
//!     for candidates without arithmetic, for those with sums, for those with products:
//!         keep those that are inductive together with what is known
//!         try what the invariants exclude
//!     // no sampled execution comes behind a loop of many rounds
//!     ask for states at further cuts that the invariants allow, and make candidates from these
//! ```

pub mod atoms;
pub mod candidates;
pub mod guesses;
pub mod houdini;
pub mod neighbours;
pub mod node_facts;
pub mod ranges;
pub mod samples;

use crate::exclusion::Exclusion;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};

/// What the prover does.
enum Stage {
    /// It is to make candidates.
    Guessing,
    /// It drops candidates that are not inductive.
    Inductive(Houdini),
    /// It tries what is known excludes.
    Excluding(Exclusion),
}

/// See the module.
pub(crate) struct ByInvariants {
    stage: Stage,
    /// Whether it has made the first candidates.
    has_begun: bool,
    /// Candidates that were not tried yet, those to be tried next last.
    waiting: Vec<Invariants>,
}

impl ByInvariants {
    /// Begins.
    pub fn new() -> ByInvariants {
        ByInvariants {
            stage: Stage::Guessing,
            has_begun: false,
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
            let guesses = match std::mem::replace(&mut self.has_begun, true) {
                true => guesser.more(formulas, &known)?,
                false => guesser.first(formulas),
            };
            self.waiting = guesses.into_iter().rev().collect();
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
                        goals.learn(invariants);
                        self.stage = Stage::Excluding(Exclusion::default());
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
                        self.stage = Stage::Inductive(houdini);
                    }
                    None => return Progress::Finished,
                },
            }
        }
        Progress::Finished
    }
}
