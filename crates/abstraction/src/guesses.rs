//! Guesses of what holds at each cut: candidates that hold in all sampled states.

use std::collections::BTreeSet;
use std::sync::Arc;

use expr::{BvOp, Node, Term, Terms, Var};
use index_vec::IndexVec;

use crate::candidates::{Variable, candidates};
use crate::constants::Constants;
use crate::cuts::CutId;
use crate::formulas::{Formulas, Invariants};
use crate::samples::{nodes, sample_states, variable};
use crate::segment::Segment;

/// Guesses, those that are quickly tried apart from others.
pub(crate) struct Guesses {
    /// The candidates at each cut without multiplications and divisions.
    pub light: Invariants,
    /// Those with some.
    pub heavy: Invariants,
}

/// The candidates at each cut.
pub(crate) fn guesses(formulas: &mut Formulas<'_>) -> Guesses {
    let all = all_guesses(formulas);
    let terms = &formulas.arena.terms;
    let split = |is_heavy: bool| {
        let of_cut = |guesses: &Vec<Term>| {
            let guesses = guesses.iter().copied();
            guesses
                .filter(|&guess| multiplies(terms, guess) == is_heavy)
                .collect()
        };
        all.iter().map(of_cut).collect()
    };
    Guesses {
        light: split(false),
        heavy: split(true),
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

fn all_guesses(formulas: &mut Formulas<'_>) -> Invariants {
    let segments = Arc::clone(&formulas.segments);
    let terms: Vec<Term> = segments.iter().flat_map(terms_of).collect();
    let constants = Constants::of(&formulas.arena.terms, terms);
    let read = read_from(&formulas.arena.terms, &segments);
    let samples = sample_states(formulas, &constants, 1);
    let Formulas { model, arena, .. } = formulas;
    let mut found = IndexVec::new();
    for (cut, segment) in segments.iter_enumerated() {
        let point = model.cuts.point(cut);
        let read = &read[cut];
        let variables: Vec<Variable> = model
            .locations
            .iter()
            .filter(|&(location, _)| model.is_live(point, location))
            .filter_map(|(location, _)| {
                let term = model.at_start[location];
                let var = variable(&arena.terms, term)?;
                let width = arena.terms.width(term);
                read.contains(&var).then_some(Variable { var, term, width })
            })
            .collect();
        let known: BTreeSet<Var> = variables.iter().map(|variable| variable.var).collect();
        let mut conditions = segment.conditions.clone();
        conditions.retain(|&it| {
            arena
                .terms
                .variables(it)
                .iter()
                .all(|var| known.contains(&var))
        });
        found.push(match cut == model.cuts.start() {
            true => Vec::new(),
            false if samples[cut].is_empty() => vec![arena.terms.bool(false)],
            false => candidates(
                &mut arena.terms,
                &variables,
                &conditions,
                &constants,
                &samples[cut],
            ),
        });
    }
    found
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
