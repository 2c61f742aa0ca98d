//! k-induction over segments (Sheeran, Singh, Stålmarck 2000), strengthened by the invariants that
//! are known (Beyer, Dangl, Wendler 2015, "Boosting k-induction with continuously-refined
//! invariants").
//!
//! ```text
//! for k in 1, 2, 4, 8:
//!     goals := open goals that the first k segments from the start do not reach      // base
//!     unroll k segments from any cut, in any state that satisfies its invariants, and one more
//!     while a model reaches none of goals in the first k, and some in the last:      // step
//!         drop those that it reaches from goals, from what it must not reach, too
//!     what is left is proved
//! ```

pub mod k_evidence;
pub mod unrolling;

use std::collections::BTreeSet;

use crate::formulas::Formulas;
use crate::formulas::segment::CodePlace;
use crate::graph::cuts::CutId;
use crate::k_induction::k_evidence::{StepCase, prove};
use crate::k_induction::unrolling::Unrolling;
use crate::prover::{Goals, Progress, Prover};

/// The numbers of segments.
const LENGTHS: [usize; 4] = [1, 2, 4, 8];

/// See the module.
#[derive(Default)]
pub(crate) struct KInduction {
    /// The next of [`LENGTHS`].
    next: usize,
    base: Option<BaseCase>,
    step: Option<Attempt>,
}

/// What segments from the start do not reach.
struct BaseCase {
    unrolling: Unrolling,
    /// The open goals that no segments so far reach.
    places: Vec<CodePlace>,
    /// Whether that is known of the last segments, too.
    is_known: bool,
}

/// The induction step for one number of segments.
struct Attempt {
    k: usize,
    case: StepCase,
    /// The goals that may be proved.
    places: Vec<CodePlace>,
}

impl Prover for KInduction {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        while let Some(&k) = LENGTHS.get(self.next) {
            if formulas.is_spent() {
                return Progress::Working;
            }
            let base = self
                .base
                .get_or_insert_with(|| BaseCase::new(formulas, goals));
            base.places.retain(|place| goals.open.contains(place));
            if base.places.is_empty() {
                return Progress::Finished;
            }
            if !base.reaches(k) {
                base.advance(formulas);
                continue;
            }
            let step = self
                .step
                .get_or_insert_with(|| Attempt::new(k, formulas, goals, &base.places));
            step.places.retain(|place| base.places.contains(place));
            if step.advance(formulas) == Progress::Finished {
                let Attempt { case, places, .. } = step;
                prove(formulas, goals, (&mut base.unrolling, case), places);
                self.step = None;
                self.next += 1;
            }
        }
        Progress::Finished
    }
}

impl BaseCase {
    fn new(formulas: &mut Formulas<'_>, goals: &Goals) -> BaseCase {
        BaseCase {
            unrolling: Unrolling::from_start(formulas),
            places: goals.open.clone(),
            is_known: true,
        }
    }

    /// Whether it says what so many segments do not reach.
    fn reaches(&self, segments: usize) -> bool {
        self.is_known && self.unrolling.steps.len() >= segments
    }

    /// Adds a segment, or drops a goal that the last one reaches.
    fn advance(&mut self, formulas: &mut Formulas<'_>) {
        match self.unrolling.steps.len().checked_sub(1) {
            Some(last) if !self.is_known => {
                self.is_known = self
                    .unrolling
                    .drop_reached(formulas, last, &[], &mut self.places);
            }
            _ => {
                let all: BTreeSet<CutId> = formulas.model.cuts.iter().collect();
                let places = &self.places;
                self.unrolling
                    .advance(formulas, &all, &|place| places.contains(&place));
                self.is_known = false;
            }
        }
    }
}

impl Attempt {
    fn new(k: usize, formulas: &mut Formulas<'_>, goals: &Goals, places: &[CodePlace]) -> Attempt {
        let cuts = leading(formulas, places, k);
        let unrolling = Unrolling::from_any(formulas, &cuts);
        let mut held = Vec::new();
        for (&cut, state) in unrolling.level() {
            let terms = &mut formulas.arena.terms;
            let is_elsewhere = terms.bool_not(state.reach);
            for &invariant in &goals.invariants[cut] {
                held.push((cut, invariant, terms.bool_or(is_elsewhere, invariant)));
            }
        }
        Attempt {
            k,
            case: StepCase { unrolling, held },
            places: places.to_vec(),
        }
    }

    /// Adds a segment, or drops a goal that is not inductive. Finished, once the others are.
    fn advance(&mut self, formulas: &mut Formulas<'_>) -> Progress {
        let done = self.case.unrolling.steps.len();
        if done <= self.k {
            let from = leading(formulas, &self.places, self.k - done);
            let places = &self.places;
            let wanted = |place| places.contains(&place);
            self.case.unrolling.advance(formulas, &from, &wanted);
            return Progress::Working;
        }
        let mut constraints = self.case.not_before(formulas, &self.places);
        constraints.extend(self.case.held.iter().map(|&(_, _, holds)| holds));
        let places = &mut self.places;
        let unrolling = &mut self.case.unrolling;
        match places.is_empty() || unrolling.drop_reached(formulas, self.k, &constraints, places) {
            true => Progress::Finished,
            false => Progress::Working,
        }
    }
}

/// The cuts from which a place lies behind exactly so many segments.
fn leading(formulas: &Formulas<'_>, places: &[CodePlace], segments: usize) -> BTreeSet<CutId> {
    let all = formulas.segments.iter();
    let with_goal = all.filter(|segment| {
        let mut reached = segment.places.iter();
        reached.any(|reached| places.contains(&reached.place))
    });
    let mut cuts: BTreeSet<CutId> = with_goal.map(|segment| segment.from).collect();
    for _ in 0..segments {
        let all = formulas.segments.iter();
        let before = all.filter(|segment| {
            let mut exits = segment.exits.iter();
            exits.any(|exit| cuts.contains(&exit.to))
        });
        cuts = before.map(|segment| segment.from).collect();
    }
    cuts
}
