//! Sampled states: what locations hold at cuts in random executions of the formulas.
//!
//! Inputs, and values of which nothing is known, are drawn at random. The states are those of the
//! formulas, so that an invariant that one of them breaks is no invariant of the formulas.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Evaluator, Model as Values, Node, Term, Terms, Var};
use fastrand::Rng;
use index_vec::IndexVec;
use rustc_hash::FxHashSet;

use crate::cuts::CutId;
use crate::locations::LocationId;
use crate::segment::Segment;

/// The values of locations at a cut.
pub type Sample = BTreeMap<Var, u128>;

/// How many executions are drawn.
const RUNS: usize = 64;

/// How many cuts one of them passes at most.
const LONGEST: usize = 40;

/// How many states are kept at a cut.
const MOST: usize = 120;

/// Draws states at all cuts.
pub fn sample_states(
    terms: &Terms,
    segments: &IndexVec<CutId, Segment>,
    at_start: &IndexVec<LocationId, Term>,
    constants: &BTreeMap<u32, Vec<u128>>,
    seed: u64,
) -> IndexVec<CutId, Vec<Sample>> {
    let locations = at_start.iter().filter_map(|&term| variable(terms, term));
    let mut sampler = Sampler {
        terms,
        locations: locations.collect(),
        rng: Rng::with_seed(seed),
        constants,
        evaluator: Evaluator::default(),
        inputs: segments
            .iter()
            .map(|segment| variables(terms, segment))
            .collect(),
    };
    let mut found: IndexVec<CutId, Vec<Sample>> = segments.iter().map(|_| Vec::new()).collect();
    for _ in 0..RUNS {
        let mut at = CutId::from_raw(0);
        let mut state = Sample::new();
        for _ in 0..LONGEST {
            let Some((next, locations)) = sampler.step(&segments[at], &state, at_start) else {
                break;
            };
            if found[next].len() < MOST && !found[next].contains(&locations) {
                found[next].push(locations.clone());
            }
            (at, state) = (next, locations);
        }
    }
    found
}

/// The variables of a segment's formulas, with their widths.
fn variables(terms: &Terms, segment: &Segment) -> Vec<(Var, u32)> {
    let checks = segment.checks.iter().map(|check| check.holds);
    let exits = segment.exits.iter().flat_map(|exit| {
        let values = exit.state.changed.values().copied();
        values.chain([exit.state.reach])
    });
    let all: Vec<Term> = checks.chain(exits).collect();
    let mut found = BTreeMap::new();
    let mut waiting = all;
    let mut seen = FxHashSet::default();
    while let Some(term) = waiting.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Var { var, width } => {
                found.insert(var, width);
            }
            node => waiting.extend(node.operands()),
        }
    }
    found.into_iter().collect()
}

/// The variable that a term is.
pub fn variable(terms: &Terms, term: Term) -> Option<Var> {
    match terms.node(term) {
        Node::Var { var, .. } => Some(var),
        _ => None,
    }
}

struct Sampler<'a> {
    terms: &'a Terms,
    rng: Rng,
    constants: &'a BTreeMap<u32, Vec<u128>>,
    evaluator: Evaluator,
    /// The variables that stand for locations.
    locations: BTreeSet<Var>,
    inputs: IndexVec<CutId, Vec<(Var, u32)>>,
}

impl Sampler<'_> {
    /// Executes a segment: the cut that it leads to, and the locations there. `None` if it leads to
    /// none, or a check fails.
    fn step(
        &mut self,
        segment: &Segment,
        state: &Sample,
        at_start: &IndexVec<LocationId, Term>,
    ) -> Option<(CutId, Sample)> {
        let inputs = self.inputs[segment.from].clone();
        let values: Values = inputs
            .into_iter()
            .map(|(var, width)| {
                (
                    var,
                    state
                        .get(&var)
                        .copied()
                        .unwrap_or_else(|| self.value(width)),
                )
            })
            .collect();
        let mut evaluation = self.evaluator.under(self.terms, &values);
        let exits = &mut segment.exits.iter();
        let exit = exits.find(|exit| evaluation.holds(exit.state.reach))?;
        let mut checks = exit.state.checks.ones();
        if checks.any(|at| !evaluation.holds(segment.checks[at].holds)) {
            return None;
        }
        let mut locations = state.clone();
        for (&location, &value) in &exit.state.changed {
            if let Some(var) = variable(self.terms, at_start[location]) {
                locations.insert(var, evaluation.eval(value));
            }
        }
        let of_locations = values
            .iter()
            .filter(|(var, _)| self.locations.contains(var));
        for (var, value) in of_locations {
            locations.entry(var).or_insert(value);
        }
        Some((exit.to, locations))
    }

    /// A value for an input: often a small one, or a constant of the program.
    fn value(&mut self, width: u32) -> u128 {
        let known = self.constants.get(&width).map_or(&[][..], Vec::as_slice);
        let value = match self.rng.u8(0..5) {
            0 => 0,
            1 => u128::from(self.rng.u8(0..4)),
            2 if !known.is_empty() => known[self.rng.usize(0..known.len())],
            3 => u128::from(self.rng.u8(..)),
            _ => self.rng.u128(..),
        };
        value & expr::mask(width)
    }
}
