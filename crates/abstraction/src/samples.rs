//! Sampled states: what locations hold at cuts in random executions of the formulas.
//!
//! Inputs, and values of which nothing is known, are drawn at random. The states are those of the
//! formulas, so that an invariant that one of them breaks is no invariant of the formulas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use expr::{Evaluator, Model as Values, Node, Term, Terms, Var};
use fastrand::Rng;
use index_vec::IndexVec;
use rustc_hash::FxHashSet;

use crate::constants::Constants;
use crate::cuts::CutId;
use crate::formulas::Formulas;
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

/// How many terms are evaluated for them at most.
const TERMS: u64 = 300_000;

/// The effort that the evaluation of a term takes.
pub const EVALUATION: u64 = 1;

/// Draws states at all cuts.
pub fn sample_states(
    formulas: &mut Formulas<'_>,
    constants: &Constants,
    seed: u64,
) -> IndexVec<CutId, Vec<Sample>> {
    let segments = Arc::clone(&formulas.segments);
    let terms = &formulas.arena.terms;
    let at_start = &formulas.model.at_start;
    let locations = at_start.iter().filter_map(|&term| variable(terms, term));
    let mut sampler = Sampler {
        terms,
        locations: locations.collect(),
        rng: Rng::with_seed(seed),
        constants,
        evaluator: Evaluator::default(),
        inputs: segments
            .iter()
            .map(|segment| variables_of(terms, evaluated_in(segment)))
            .collect(),
    };
    let sizes: IndexVec<CutId, u64> = segments
        .iter()
        .map(|it| size(terms, evaluated_in(it)))
        .collect();
    let mut evaluated = 0;
    let mut found: IndexVec<CutId, Vec<Sample>> = segments.iter().map(|_| Vec::new()).collect();
    for _ in 0..RUNS {
        let mut at = CutId::from_raw(0);
        let mut state = Sample::new();
        for _ in 0..LONGEST {
            evaluated += sizes[at];
            if evaluated > TERMS {
                break;
            }
            let Some((next, locations)) = sampler.step(&segments[at], &state, at_start) else {
                break;
            };
            if found[next].len() < MOST && !found[next].contains(&locations) {
                found[next].push(locations.clone());
            }
            (at, state) = (next, locations);
        }
    }
    formulas.count(evaluated * EVALUATION);
    found
}

/// What an execution of a segment may evaluate.
fn evaluated_in(segment: &Segment) -> Vec<Term> {
    let checks = segment.checks.iter().map(|check| check.holds);
    let exits = segment.exits.iter().flat_map(|exit| {
        let values = exit.state.changed.values().copied();
        values.chain([exit.state.reach])
    });
    checks.chain(exits).collect()
}

/// All operators, constants and variables in some terms, each once.
pub fn nodes(terms: &Terms, mut waiting: Vec<Term>) -> Vec<Node> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(term) = waiting.pop() {
        if seen.insert(term) {
            let node = terms.node(term);
            waiting.extend(node.operands());
            found.push(node);
        }
    }
    found
}

/// How many operators, constants and variables there are in some terms.
pub fn size(terms: &Terms, of: Vec<Term>) -> u64 {
    nodes(terms, of).len() as u64
}

/// The variables in some terms, with their widths.
pub fn variables_of(terms: &Terms, of: Vec<Term>) -> Vec<(Var, u32)> {
    let found = nodes(terms, of).into_iter().filter_map(|node| match node {
        Node::Var { var, width } => Some((var, width)),
        _ => None,
    });
    let found: BTreeMap<Var, u32> = found.collect();
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
    constants: &'a Constants,
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
        let known: Vec<u128> = self.constants.all(width).collect();
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
