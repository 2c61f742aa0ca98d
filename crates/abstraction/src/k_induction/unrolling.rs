//! Several segments in a row.
//!
//! Level n holds how control is at each cut behind n segments. The states at one cut are joined, so
//! that an unrolling grows with its length, not with the number of paths.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Model as Values, Term};
use solver::{Answer, Query, Sat, Solver};

use crate::evidence::CheckedFailure;
use crate::formulas::Formulas;
use crate::formulas::segment::{Check, CodePlace};
use crate::formulas::state::State;
use crate::graph::cuts::CutId;

/// A requirement of C in an unrolling.
#[derive(Clone, Debug)]
pub(crate) struct UnrolledCheck {
    /// What is the matter where it does not hold, with its function and place.
    pub failure: CheckedFailure,
    /// Whether it holds, or control does not get there.
    pub holds: Term,
}

/// How a place is reached in an unrolling.
#[derive(Clone, Debug)]
pub(crate) struct UnrolledPlace {
    /// The place.
    pub place: CodePlace,
    /// Whether control gets there, apart from checks.
    pub reach: Term,
    /// The checks of its own segment before it.
    pub checks: Vec<UnrolledCheck>,
}

impl UnrolledPlace {
    /// Whether control gets there, and its own segment's checks hold.
    pub fn reached(&self, formulas: &mut Formulas<'_>) -> Term {
        let checks: Vec<Term> = self.checks.iter().map(|check| check.holds).collect();
        formulas.all([&self.reach].into_iter().chain(&checks))
    }
}

/// What lies between two levels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    /// The places in its segments.
    pub places: Vec<UnrolledPlace>,
    /// The checks in its segments.
    pub checks: Vec<UnrolledCheck>,
}

/// Segments in a row, with a solver for questions about them.
pub(crate) struct Unrolling {
    /// How control is at each cut at the last level.
    level: BTreeMap<CutId, State>,
    /// What lies before it.
    pub steps: Vec<Step>,
    /// Whether all segments are complete.
    is_complete: bool,
    solver: Sat,
}

impl Unrolling {
    /// No segment yet: control is at the start.
    pub fn from_start(formulas: &mut Formulas<'_>) -> Unrolling {
        let start = formulas.model.cuts.start();
        let state = State::start(&mut formulas.arena);
        Unrolling {
            level: BTreeMap::from([(start, state)]),
            steps: Vec::new(),
            is_complete: true,
            solver: formulas.solver(),
        }
    }

    /// No segment yet: control is at one of some cuts, in any state.
    pub fn from_any(formulas: &mut Formulas<'_>, cuts: &BTreeSet<CutId>) -> Unrolling {
        let arena = &mut formulas.arena;
        let mut rest = State::start(arena);
        let mut level = BTreeMap::new();
        for &cut in cuts {
            let is_here = arena.fresh_truth();
            level.insert(cut, rest.under(is_here, arena));
            let is_elsewhere = arena.terms.bool_not(is_here);
            rest = rest.under(is_elsewhere, arena);
        }
        Unrolling {
            level,
            steps: Vec::new(),
            is_complete: true,
            solver: formulas.solver(),
        }
    }

    /// How control is at each cut at the last level.
    pub fn level(&self) -> &BTreeMap<CutId, State> {
        &self.level
    }

    /// Adds the segments from some of the cuts, with the places that are wanted.
    pub fn advance(
        &mut self,
        formulas: &mut Formulas<'_>,
        from: &BTreeSet<CutId>,
        wanted: &dyn Fn(CodePlace) -> bool,
    ) {
        let mut arrived: BTreeMap<CutId, Vec<State>> = BTreeMap::new();
        let mut step = Step::default();
        for (cut, state) in std::mem::take(&mut self.level) {
            if !from.contains(&cut) {
                continue;
            }
            let Formulas { model, arena, .. } = formulas;
            let segment = model.segment_from(cut, state, wanted, arena);
            self.is_complete &= segment.unfinished.is_empty();
            let unrolled = |check: &Check| UnrolledCheck {
                failure: (check.failure, check.function, check.span.clone()),
                holds: check.holds,
            };
            for reached in &segment.places {
                let checks = reached.checks.ones().map(|at| &segment.checks[at]);
                step.places.push(UnrolledPlace {
                    place: reached.place,
                    reach: reached.reach,
                    checks: checks.map(unrolled).collect(),
                });
            }
            step.checks.extend(segment.checks.iter().map(unrolled));
            for exit in segment.exits {
                let mut state = exit.state;
                // The checks of a level are known to those behind it.
                state.checks.clear();
                arrived.entry(exit.to).or_default().push(state);
            }
        }
        let Formulas { model, arena, .. } = formulas;
        for (cut, states) in arrived {
            let state = State::join(states, &model.at_start, arena);
            self.level.extend(state.map(|state| (cut, state)));
        }
        self.steps.push(step);
    }

    /// What reaches some places in the segments behind a level, each with its checks there.
    fn reached(
        &self,
        formulas: &mut Formulas<'_>,
        level: usize,
        places: &[CodePlace],
    ) -> Vec<(CodePlace, Term)> {
        let all = self.steps[level].places.iter();
        let wanted = all.filter(|unrolled| places.contains(&unrolled.place));
        wanted
            .map(|unrolled| (unrolled.place, unrolled.reached(formulas)))
            .collect()
    }

    /// That one of some places is reached in the segments behind a level.
    pub fn any_reached(
        &self,
        formulas: &mut Formulas<'_>,
        level: usize,
        places: &[CodePlace],
    ) -> Term {
        let none = formulas.arena.terms.bool(false);
        let reached = self.reached(formulas, level, places);
        reached.into_iter().fold(none, |any, (_, term)| {
            formulas.arena.terms.bool_or(any, term)
        })
    }

    /// The checks before a level. They hold where control got there.
    pub fn checks_before(&self, level: usize) -> impl Iterator<Item = &UnrolledCheck> {
        self.steps[..level].iter().flat_map(|step| &step.checks)
    }

    /// The checks before a place in the segments behind a level.
    pub fn own_checks(&self, level: usize, place: CodePlace) -> Vec<UnrolledCheck> {
        let all = self.steps[level].places.iter();
        let here = all.filter(|unrolled| unrolled.place == place);
        here.flat_map(|unrolled| unrolled.checks.iter().cloned())
            .collect()
    }

    /// The answer to a question about it.
    pub fn ask(&mut self, formulas: &mut Formulas<'_>, constraints: &[Term]) -> Answer {
        let nothing = Values::default();
        let query = Query::new(constraints, &nothing);
        self.solver.check(&mut formulas.arena.terms, &query)
    }

    /// Drops places that some execution reaches in the segments behind a level under constraints, or
    /// about which the solver gives up. Returns whether there are no more of them.
    pub fn drop_reached(
        &mut self,
        formulas: &mut Formulas<'_>,
        level: usize,
        constraints: &[Term],
        places: &mut Vec<CodePlace>,
    ) -> bool {
        if !self.is_complete {
            places.clear();
            return true;
        }
        let any = self.any_reached(formulas, level, places);
        let checks: Vec<Term> = self.checks_before(level).map(|check| check.holds).collect();
        let held = formulas.all(checks.iter().chain(constraints));
        match self.ask(formulas, &[held, any]) {
            Answer::Unsat(_) => return true,
            Answer::Sat(values) => {
                let reached = self.reached(formulas, level, places);
                let mut evaluation = formulas.under(&values);
                let met = reached
                    .into_iter()
                    .filter(|&(_, term)| evaluation.holds(term));
                let met: Vec<CodePlace> = met.map(|(place, _)| place).collect();
                if met.is_empty() {
                    // A model that reaches nothing answers another question.
                    places.clear();
                }
                places.retain(|place| !met.contains(place));
            }
            Answer::Unknown(_) => places.clear(),
        }
        false
    }
}
