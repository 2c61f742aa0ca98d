//! The prover that guesses invariants and keeps those that are inductive.
//!
//! ```text
//! try what segments exclude without any invariant
//! for candidates without multiplications and divisions, and then for those with some:
//!     keep those that are inductive together with what is known
//!     try what the invariants exclude
//! ```

use crate::exclusion::Exclusion;
use crate::formulas::{Formulas, Invariants};
use crate::guesses::guesses;
use crate::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};

/// What the prover does.
enum Stage {
    /// It drops candidates that are not inductive.
    Inductive(Houdini),
    /// It tries what is known excludes.
    Excluding(Exclusion),
}

/// See the module.
pub(crate) struct ByInvariants {
    stage: Stage,
    /// Candidates that were not tried yet, those to be tried next last; `None` where nothing was
    /// guessed yet.
    waiting: Option<Vec<Invariants>>,
}

impl ByInvariants {
    /// Begins.
    pub fn new() -> ByInvariants {
        ByInvariants {
            stage: Stage::Excluding(Exclusion::default()),
            waiting: None,
        }
    }

    /// The candidates to try next.
    fn next(&mut self, formulas: &mut Formulas<'_>) -> Option<Invariants> {
        let waiting = self.waiting.get_or_insert_with(|| {
            let guesses = guesses(formulas);
            vec![guesses.heavy, guesses.light]
        });
        while let Some(next) = waiting.pop() {
            if next.iter().any(|candidates| !candidates.is_empty()) {
                return Some(next);
            }
        }
        None
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
                        goals.invariants = invariants;
                        self.stage = Stage::Excluding(Exclusion::default());
                    }
                }
                Stage::Excluding(exclusion) => {
                    if exclusion.step(formulas, goals) == Progress::Finished {
                        match self.next(formulas) {
                            Some(next) => {
                                let houdini = Houdini::new(goals.invariants.clone(), next);
                                self.stage = Stage::Inductive(houdini);
                            }
                            None => return Progress::Finished,
                        }
                    }
                }
            }
        }
        Progress::Finished
    }
}
