//! Guesses of what holds at each cut: candidates that hold in all sampled states.

use std::collections::BTreeSet;
use std::sync::Arc;

use expr::{BvOp, Node, Term, Terms, Var};
use index_vec::IndexVec;

use crate::atoms::{atoms, many_atoms};
use crate::candidates::{Known, Variable, candidates};
use crate::constants::Constants;
use crate::cuts::CutId;
use crate::formulas::{Formulas, Invariants};
use crate::nodes::nodes;
use crate::samples::Samples;
use crate::segment::Segment;

/// Guesses, those that are quickly tried apart from others.
pub(crate) struct Guesses {
    /// The candidates at each cut without multiplications and divisions.
    pub light: Invariants,
    /// Those with some.
    pub heavy: Invariants,
}

/// Makes guesses.
pub(crate) struct Guesser {
    constants: Constants,
    /// The variables that are read behind each cut.
    read: IndexVec<CutId, BTreeSet<Var>>,
    samples: Samples,
    /// The cuts at which guesses were made from states.
    guessed: BTreeSet<CutId>,
}

impl Guesser {
    /// Draws states.
    pub fn new(formulas: &mut Formulas<'_>) -> Guesser {
        let segments = Arc::clone(&formulas.segments);
        let terms: Vec<Term> = segments.iter().flat_map(terms_of).collect();
        let constants = Constants::of(&formulas.arena.terms, terms);
        Guesser {
            read: read_from(&formulas.arena.terms, &segments),
            samples: Samples::draw(formulas, &constants),
            constants,
            guessed: BTreeSet::from([formulas.model.cuts.start()]),
        }
    }

    /// The constants in the formulas.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The first guesses. A cut that no sampled execution came to may be unreachable.
    pub fn first(&mut self, formulas: &mut Formulas<'_>) -> Guesses {
        let mut found = self.at_new_states(formulas);
        let unreachable = formulas.arena.terms.bool(false);
        let axioms = formulas.axioms();
        let start = formulas.model.cuts.start();
        for (cut, candidates) in found.iter_mut_enumerated() {
            if cut != start {
                candidates.extend_from_slice(&axioms);
            }
            if !self.guessed.contains(&cut) {
                candidates.push(unreachable);
            }
        }
        split(&formulas.arena.terms, &found)
    }

    /// Guesses at cuts that no sampled execution came to, though the invariants do not exclude them.
    pub fn more(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
    ) -> Option<Guesses> {
        let constants = &self.constants;
        let has_more = self.samples.add_by_models(formulas, constants, invariants);
        has_more.then(|| {
            let found = self.at_new_states(formulas);
            split(&formulas.arena.terms, &found)
        })
    }

    /// Candidates at the cuts with states where there were none before.
    fn at_new_states(&mut self, formulas: &mut Formulas<'_>) -> Invariants {
        let segments = Arc::clone(&formulas.segments);
        let mut found: Invariants = segments.iter().map(|_| Vec::new()).collect();
        for cut in segments.indices() {
            if !self.samples.at[cut].is_empty() && self.guessed.insert(cut) {
                found[cut] = self.at(formulas, cut, &segments[cut]);
            }
        }
        found
    }

    /// Candidates at a cut.
    fn at(&self, formulas: &mut Formulas<'_>, cut: CutId, segment: &Segment) -> Vec<Term> {
        self.with_known(formulas, cut, segment, candidates)
    }

    /// The predicates at each cut.
    pub fn atoms(&self, formulas: &mut Formulas<'_>) -> Invariants {
        self.at_all_cuts(formulas, atoms)
    }

    /// More of them, for what tries many at once.
    pub fn many_atoms(&self, formulas: &mut Formulas<'_>) -> Invariants {
        self.at_all_cuts(formulas, many_atoms)
    }

    fn at_all_cuts(
        &self,
        formulas: &mut Formulas<'_>,
        make: fn(&mut Terms, &Known<'_>) -> Vec<Term>,
    ) -> Invariants {
        let segments = Arc::clone(&formulas.segments);
        let all = segments.iter_enumerated();
        all.map(|(cut, segment)| self.with_known(formulas, cut, segment, make))
            .collect()
    }

    /// Calls a function with what is known of a cut.
    fn with_known(
        &self,
        formulas: &mut Formulas<'_>,
        cut: CutId,
        segment: &Segment,
        make: impl FnOnce(&mut Terms, &Known<'_>) -> Vec<Term>,
    ) -> Vec<Term> {
        let Formulas { model, arena, .. } = formulas;
        let point = model.cuts.point(cut);
        let index = model.locations.index();
        let read = &self.read[cut];
        let live = model
            .locations
            .iter()
            .filter(|&(location, _)| Some(location) != index && model.is_live(point, location));
        let known = live.filter_map(|(location, data)| {
            let variable = Variable::of(&arena.terms, model.at_start[location])?;
            let variable = Variable {
                is_element: data.of.is_some(),
                ..variable
            };
            read.contains(&variable.var).then_some(variable)
        });
        let variables: Vec<Variable> = known.collect();
        let vars: BTreeSet<Var> = variables.iter().map(|variable| variable.var).collect();
        let mut conditions = segment.conditions.clone();
        conditions.retain(|&it| {
            let mut read = arena.terms.variables(it).iter();
            read.all(|var| vars.contains(&var))
        });
        let index = index.and_then(|index| Variable::of(&arena.terms, model.at_start[index]));
        let known = Known {
            variables: &variables,
            index,
            conditions: &conditions,
            constants: &self.constants,
            samples: &self.samples.at[cut],
        };
        make(&mut arena.terms, &known)
    }
}

fn split(terms: &Terms, all: &Invariants) -> Guesses {
    let part = |is_heavy: bool| {
        let of_cut = |guesses: &Vec<Term>| {
            let guesses = guesses.iter().copied();
            guesses
                .filter(|&guess| multiplies(terms, guess) == is_heavy)
                .collect()
        };
        all.iter().map(of_cut).collect()
    };
    Guesses {
        light: part(false),
        heavy: part(true),
    }
}

/// Whether a term has multiplications or divisions in it, which solvers find hard.
fn multiplies(terms: &Terms, term: Term) -> bool {
    nodes(terms, vec![term]).into_iter().any(|node| match node {
        Node::Binary(op, ..) => matches!(
            op,
            BvOp::Mul | BvOp::UDiv | BvOp::SDiv | BvOp::URem | BvOp::SRem
        ),
        _ => false,
    })
}

/// The terms of a segment's formulas.
fn terms_of(segment: &Segment) -> Vec<Term> {
    let checks = segment.checks.iter().map(|check| check.holds);
    let places = segment.places.iter().map(|reached| reached.reach);
    let exits = segment.exits.iter().flat_map(|exit| {
        let values = exit.state.changed.values().copied();
        values.chain([exit.state.reach])
    });
    checks.chain(places).chain(exits).collect()
}

/// The variables that the formulas of all segments read that follow a cut.
fn read_from(terms: &Terms, segments: &IndexVec<CutId, Segment>) -> IndexVec<CutId, BTreeSet<Var>> {
    let own = segments.iter().map(|segment| {
        let read = terms.all_variables(&terms_of(segment));
        read.into_iter().collect()
    });
    let mut read: IndexVec<CutId, BTreeSet<Var>> = own.collect();
    loop {
        let mut has_grown = false;
        for (cut, segment) in segments.iter_enumerated() {
            for exit in &segment.exits {
                let later = read[exit.to].clone();
                let before = read[cut].len();
                read[cut].extend(later);
                has_grown |= read[cut].len() > before;
            }
        }
        if !has_grown {
            return read;
        }
    }
}
