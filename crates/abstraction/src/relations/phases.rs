//! The prover that finds linear equations which hold in some of the states at a cut only: in phases of
//! a loop, such as those of rising and of falling (Sharma, Dillig, Dillig and Aiken 2011, "Simplifying
//! loop invariant generation using splitter predicates").
//!
//! ```text
//! for each split of the states:       // a condition of a branch, or the values of a control variable
//!     find the equations of each of its phases        // fixpoint.rs
//!     each one holds or its phase's condition does not: an invariant
//!     try what is known now excludes
//! for all states, and for each split that has led to such an equation:
//!     keep those of the candidates for each phase that are inductive      // in_phases.rs, houdini.rs
//!     try what is known now excludes
//! ```

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use expr::{Node, Term, Terms};
use index_vec::IndexVec;

use crate::exclusion::Exclusion;
use crate::formulas::nodes::{nodes_with_terms, size};
use crate::formulas::segment::Segment;
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;
use crate::invariants::guesses::Guesser;
use crate::invariants::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};
use crate::relations::fixpoint::is_promising;
use crate::relations::{Round, Shape};

/// How many splits are tried.
const MOST_SPLITS: usize = 16;

/// How many operators, constants and variables a condition may have.
const LARGEST: u64 = 12;

/// How many values a location may have by which states are split.
const FEW: usize = 4;

/// Conditions of which each state satisfies exactly one. If there are none, all states are one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub conditions: Vec<Term>,
}

impl Split {
    /// One phase with all states.
    fn all(terms: &mut Terms) -> Split {
        Split {
            conditions: vec![terms.bool(true)],
        }
    }

    /// The states that satisfy a condition, and the others.
    fn by(terms: &mut Terms, condition: Term) -> Split {
        Split {
            conditions: vec![condition, terms.bool_not(condition)],
        }
    }

    /// The states in which a location has each of some values, and the others.
    fn by_values(terms: &mut Terms, location: Term, values: &[u128]) -> Split {
        let width = terms.width(location);
        let mut other = terms.bool(true);
        let mut conditions = Vec::new();
        for &value in values {
            let value = terms.constant(width, value);
            let equal = terms.eq(location, value);
            let differ = terms.bool_not(equal);
            other = terms.bool_and(other, differ);
            conditions.push(equal);
        }
        conditions.push(other);
        Split { conditions }
    }

    /// The equations of its phases.
    fn shape(&self) -> Shape {
        Shape {
            split: self.clone(),
            ..Shape::default()
        }
    }

    /// Candidates for what holds in each phase.
    fn candidates(&self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Invariants {
        let guesser = goals.guesser(formulas);
        let start = formulas.model.cuts.start();
        let cuts: Vec<CutId> = formulas.segments.indices().collect();
        let is_split = cuts.iter().map(|&cut| {
            let known = guesser.integers(formulas, cut);
            cut != start && self.is_about(&formulas.arena.terms, &known)
        });
        let is_split: IndexVec<CutId, bool> = is_split.collect();
        guesser.in_phases(formulas, &self.conditions, |cut| is_split[cut])
    }

    /// Whether it splits states by what is among some terms.
    pub fn is_about(&self, terms: &Terms, known: &[Term]) -> bool {
        let known = terms.all_variables(known);
        let read = terms.all_variables(&self.conditions);
        !self.conditions.is_empty() && read.iter().all(|var| known.contains(var))
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct ByPhases {
    /// The splits that are not tried yet, once it has begun.
    waiting: Option<VecDeque<Split>>,
    /// Those with equations for which no other candidates are tried yet.
    related: VecDeque<Split>,
    stage: Stage,
}

/// What is done with a split.
#[derive(Default)]
enum Stage {
    /// There is none.
    #[default]
    Waiting,
    /// It looks for equations.
    Relating(Split, Round),
    /// It drops candidates that are not inductive.
    Inductive(Houdini),
    /// It tries what is known excludes.
    Excluding(Exclusion),
}

impl Prover for ByPhases {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        while !goals.open.is_empty() {
            if formulas.is_spent() {
                return Progress::Working;
            }
            match &mut self.stage {
                Stage::Waiting => match self.next(formulas, goals) {
                    Some(stage) => self.stage = stage,
                    None => return Progress::Finished,
                },
                Stage::Relating(split, round) => {
                    if round.step(formulas, goals) == Progress::Finished {
                        if round.has_found {
                            self.related.push_back(split.clone());
                        }
                        self.stage = Stage::Waiting;
                    }
                }
                Stage::Inductive(houdini) => {
                    if let Some(invariants) = houdini.step(formulas) {
                        goals.learn(invariants);
                        self.stage = Stage::Excluding(Exclusion::default());
                    }
                }
                Stage::Excluding(exclusion) => {
                    if exclusion.step(formulas, goals) == Progress::Finished {
                        self.stage = Stage::Waiting;
                    }
                }
            }
        }
        Progress::Finished
    }
}

impl ByPhases {
    fn next(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Option<Stage> {
        let guesser = goals.guesser(formulas);
        let waiting = match &mut self.waiting {
            Some(waiting) => waiting,
            None => {
                let all = Split::all(&mut formulas.arena.terms);
                self.related.push_back(all);
                self.waiting.insert(splits(formulas, guesser))
            }
        };
        if let Some(split) = waiting.pop_front() {
            let round = Round::new(formulas, goals, &split.shape());
            return Some(Stage::Relating(split, round));
        }
        let split = self.related.pop_front()?;
        let candidates = split.candidates(formulas, goals);
        let houdini = Houdini::new(goals.invariants.clone(), candidates);
        Some(Stage::Inductive(houdini))
    }
}

/// The splits to be tried: by the values of locations with few first, then by conditions that choose
/// between values.
fn splits(formulas: &mut Formulas<'_>, guesser: &Guesser) -> VecDeque<Split> {
    let segments = Arc::clone(&formulas.segments);
    let start = formulas.model.cuts.start();
    let cuts: Vec<CutId> = segments.indices().filter(|&cut| cut != start).collect();
    let mut by_value: Vec<Split> = Vec::new();
    let mut by_condition: Vec<Split> = Vec::new();
    let mut seen: BTreeSet<Term> = BTreeSet::new();
    for cut in cuts {
        let known = guesser.integers(formulas, cut);
        let terms = &mut formulas.arena.terms;
        for &location in &known {
            let values = guesser.values(terms, cut, location);
            if (2..=FEW).contains(&values.len()) && seen.insert(location) {
                by_value.push(Split::by_values(terms, location, &values));
            }
        }
        for condition in choosing(terms, &segments[cut]) {
            let by = Split::by(terms, condition);
            let is_new = by.conditions.iter().all(|it| !seen.contains(it));
            if is_new && by.is_about(terms, &known) {
                seen.insert(condition);
                by_condition.push(by);
            }
        }
    }
    let mut found: VecDeque<Split> = by_value.into_iter().chain(by_condition).collect();
    found.truncate(MOST_SPLITS);
    found.retain(|split| is_promising(formulas, guesser, &split.shape()));
    found
}

/// The comparisons that choose between values of locations behind a segment.
fn choosing(terms: &Terms, segment: &Segment) -> Vec<Term> {
    let exits = segment.exits.iter();
    let values = exits.flat_map(|exit| exit.state.changed.values().copied());
    let all = nodes_with_terms(terms, values.collect());
    let conditions = all.into_iter().filter_map(|(_, node)| match node {
        Node::Ite(condition, ..) => Some(condition),
        _ => None,
    });
    let all = nodes_with_terms(terms, conditions.collect());
    let is_comparison = |&(term, node): &(Term, Node)| {
        matches!(node, Node::Compare(..)) && size(terms, vec![term]) <= LARGEST
    };
    let mut found: Vec<Term> = all
        .into_iter()
        .filter(is_comparison)
        .map(|it| it.0)
        .collect();
    found.sort_unstable();
    found
}
