//! Dead ends of a goal: predicates of cuts such that no execution from a state in which one holds
//! reaches the goal.
//!
//! ```text
//! dead[cut] := all predicates of the cut, and their negations
//! repeat until nothing is dropped:
//!     for each segment from a cut a:
//!         while a model has some of dead[a] and what is known at a, and
//!               either the goal, or an exit to a cut b and none of dead[b] behind it:
//!             drop from dead[a] what holds in the model
//! ```
//!
//! What is left is the largest set of predicates with that property. It says which inputs and
//! branches are not worth trying ([`crate::steering`], [`crate::monitor`]); no verdict rests on it.

use std::sync::Arc;

use expr::{Model as Values, Term};
use rustc_hash::FxHashMap;
use solver::Answer;

use crate::formulas::segment::{CodePlace, Exit, Segment};
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;

/// The dead ends of a goal.
#[derive(Clone)]
pub struct DeadEnds {
    /// The goal, if there is one.
    goal: Option<CodePlace>,
    /// The predicates at each cut that are not dropped.
    at: Invariants,
    /// The cuts whose segments are to be looked at.
    waiting: Vec<CutId>,
    /// Predicates behind an exit, over the state at its segment's start.
    behind: FxHashMap<(CutId, CutId, Term), Option<Term>>,
}

impl DeadEnds {
    /// No dead ends, for executions that have no goal.
    pub fn none(formulas: &Formulas<'_>) -> DeadEnds {
        DeadEnds {
            goal: None,
            at: formulas.segments.iter().map(|_| Vec::new()).collect(),
            waiting: Vec::new(),
            behind: FxHashMap::default(),
        }
    }

    /// Begins with the predicates of all cuts.
    pub fn new(formulas: &mut Formulas<'_>, goal: CodePlace, atoms: &Invariants) -> DeadEnds {
        let terms = &mut formulas.arena.terms;
        let both = |atoms: &Vec<Term>| {
            let both = atoms.iter().flat_map(|&atom| [atom, terms.bool_not(atom)]);
            both.collect()
        };
        let at: Invariants = atoms.iter().map(both).collect();
        DeadEnds {
            goal: Some(goal),
            waiting: at.indices().collect(),
            at,
            behind: FxHashMap::default(),
        }
    }

    /// The predicates at a cut, once all are known.
    pub fn at(&self, cut: CutId) -> &[Term] {
        match self.are_complete() {
            true => &self.at[cut],
            false => &[],
        }
    }

    /// Whether all that are left have the property.
    pub fn are_complete(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Drops the predicates that one model breaks.
    pub fn step(&mut self, formulas: &mut Formulas<'_>, invariants: &Invariants) {
        let segments = Arc::clone(&formulas.segments);
        let Some(&cut) = self.waiting.last() else {
            return;
        };
        match self.counterexample(formulas, invariants, &segments[cut]) {
            Some(model) => {
                self.drop_holding(formulas, cut, &model);
                let before = segments.iter().filter(|segment| {
                    let mut exits = segment.exits.iter();
                    exits.any(|exit| exit.to == cut) && !self.waiting.contains(&segment.from)
                });
                let before: Vec<CutId> = before.map(|segment| segment.from).collect();
                self.waiting.splice(0..0, before);
            }
            None => {
                self.waiting.pop();
            }
        }
    }

    /// A state in which a predicate of a segment's start holds, and from which the segment leads to
    /// the goal, or to a cut where none of its predicates holds.
    fn counterexample(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        segment: &Segment,
    ) -> Option<Values> {
        let cut = segment.from;
        let none = formulas.arena.terms.bool(false);
        let dead = self.at[cut].iter();
        let dead = dead.fold(none, |any, &it| formulas.arena.terms.bool_or(any, it));
        if dead == none {
            return None;
        }
        let mut held = formulas.all_instances(cut, &invariants[cut]);
        held.push(dead);
        let places = segment.places.iter();
        let goals = places.filter(|reached| Some(reached.place) == self.goal);
        let mut ways: Vec<Vec<Term>> = goals
            .map(|reached| {
                let checks = segment.passed(&reached.checks).map(|(_, holds)| holds);
                checks.chain([reached.reach]).collect()
            })
            .collect();
        for exit in &segment.exits {
            let mut way = formulas.taken(segment, exit);
            way.extend(self.none_behind(formulas, cut, exit));
            ways.push(way);
        }
        ways.into_iter().find_map(|way| {
            let asked: Vec<Term> = held.iter().copied().chain(way).collect();
            match formulas.check(cut, &asked) {
                Answer::Sat(model) => Some(model),
                Answer::Unsat(_) => None,
                // What is not known to be dead is not.
                Answer::Unknown(_) => {
                    self.at[cut].clear();
                    Some(Values::default())
                }
            }
        })
    }

    /// What says that an exit leads to no dead end, as far as they are known.
    pub fn alive_behind(
        &mut self,
        formulas: &mut Formulas<'_>,
        from: CutId,
        exit: &Exit,
    ) -> Vec<Term> {
        match self.are_complete() {
            true => self.none_behind(formulas, from, exit),
            false => Vec::new(),
        }
    }

    /// What says that behind an exit no predicate holds.
    fn none_behind(&mut self, formulas: &mut Formulas<'_>, from: CutId, exit: &Exit) -> Vec<Term> {
        let mut alive = Vec::new();
        for &dead in &self.at[exit.to] {
            let behind = *self.behind.entry((from, exit.to, dead)).or_insert_with(|| {
                let mut substitution = formulas.substitution(exit);
                substitution.apply(&mut formulas.arena.terms, dead, LARGEST)
            });
            alive.extend(behind.map(|behind| formulas.arena.terms.bool_not(behind)));
        }
        alive
    }

    fn drop_holding(&mut self, formulas: &mut Formulas<'_>, cut: CutId, model: &Values) {
        let mut evaluation = formulas.under(model);
        let dead = &mut self.at[cut];
        let before = dead.len();
        dead.retain(|&dead| !evaluation.holds(dead));
        if dead.len() == before {
            dead.clear();
        }
    }
}
