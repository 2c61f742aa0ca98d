//! Goals that what holds at the cuts excludes.

use std::sync::Arc;

use crate::evidence::{EVIDENCE, UsedFacts, add_dependencies, described};
use crate::formulas::segment::CodePlace;
use crate::formulas::{Formulas, Invariants};
use crate::prover::{Goals, Progress, Prover};

/// Tries each open goal once.
#[derive(Default)]
pub(crate) struct Exclusion {
    /// The goals that are not tried yet, once it has begun.
    waiting: Option<Vec<CodePlace>>,
}

impl Exclusion {
    /// Tries some goals only.
    pub fn of(goals: Vec<CodePlace>) -> Exclusion {
        Exclusion {
            waiting: Some(goals),
        }
    }
}

impl Prover for Exclusion {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        let waiting = self.waiting.get_or_insert_with(|| goals.open.clone());
        while let Some(&place) = waiting.last() {
            if formulas.is_spent() {
                return Progress::Working;
            }
            waiting.pop();
            if !goals.open.contains(&place) {
                continue;
            }
            if let Some(mut used) = excluded(formulas, &goals.invariants, place) {
                formulas.allow(EVIDENCE);
                add_dependencies(formulas, &goals.invariants, &mut used);
                goals.close(place, described(formulas, place, &used));
            }
        }
        Progress::Finished
    }
}

/// What excludes a place wherever it may be reached; `None` if nothing does.
fn excluded(
    formulas: &mut Formulas<'_>,
    invariants: &Invariants,
    place: CodePlace,
) -> Option<UsedFacts> {
    let segments = Arc::clone(&formulas.segments);
    let mut used = UsedFacts::default();
    for (cut, segment) in segments.iter_enumerated() {
        let places = segment.places.iter();
        for reached in places.filter(|reached| reached.place == place) {
            let checks: Vec<(usize, expr::Term)> = segment.passed(&reached.checks).collect();
            used.refute(formulas, invariants, cut, &checks, &[reached.reach])?;
        }
    }
    Some(used)
}
