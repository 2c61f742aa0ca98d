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
use solver::Answer;

use crate::arrays::Change;
use crate::constants::Constants;
use crate::cuts::CutId;
use crate::formulas::{Formulas, Invariants};
use crate::locations::{INDEX_WIDTH, LocationId};
use crate::segment::{Exit, Segment};

/// The values of locations at a cut.
pub type Sample = BTreeMap<Var, u128>;

/// How many executions are drawn.
const RUNS: usize = 64;

/// How many cuts one of them passes at most.
const LONGEST: usize = 40;

/// How many executions are drawn to come behind loops of many rounds, how many cuts one of them
/// passes, and how many terms are evaluated for them at most.
const LONG_RUNS: usize = 4;
const VERY_LONG: usize = 250_000;
const LONG_TERMS: u64 = 5_000_000;

/// How many states are kept first at a cut that executions of many rounds come to.
const FEW: usize = 24;

/// How many other indices are tried for each state.
const INDICES: usize = 2;

/// How many states are kept at a cut.
const MOST: usize = 120;

/// How many states are asked of the solver for one exit.
const MODELS: usize = 4;

/// How many terms are evaluated for them at most.
const TERMS: u64 = 300_000;

/// The effort that the evaluation of a term takes.
pub const EVALUATION: u64 = 1;

/// Sampled states at each cut.
pub struct Samples {
    /// The states.
    pub at: IndexVec<CutId, Vec<Sample>>,
    /// How many terms may still be evaluated.
    left: u64,
}

impl Samples {
    /// Draws states at all cuts that random executions from the start come to.
    pub fn draw(formulas: &mut Formulas<'_>, constants: &Constants) -> Samples {
        let mut samples = Samples {
            at: formulas.segments.iter().map(|_| Vec::new()).collect(),
            left: TERMS,
        };
        let start = formulas.model.cuts.start();
        let begins = vec![(start, Sample::new()); RUNS];
        samples.run(formulas, constants, &begins, LONGEST);
        if samples.at.iter().skip(1).any(Vec::is_empty) {
            // A cut may lie behind a loop of many rounds.
            samples.left = LONG_TERMS;
            samples.run(formulas, constants, &begins[..LONG_RUNS], VERY_LONG);
        }
        samples
    }

    /// Adds states at cuts that the solver comes to from known invariants, where none were drawn, and
    /// at those behind them. Returns whether there are any.
    pub fn add_by_models(
        &mut self,
        formulas: &mut Formulas<'_>,
        constants: &Constants,
        invariants: &Invariants,
    ) -> bool {
        let segments = Arc::clone(&formulas.segments);
        let mut rng = Rng::with_seed(1);
        let mut starts = Vec::new();
        let start = formulas.model.cuts.start();
        for segment in segments.iter() {
            // Nothing is known yet where there are no states.
            if segment.from != start && self.at[segment.from].is_empty() {
                continue;
            }
            for exit in &segment.exits {
                if self.at[exit.to].is_empty() {
                    let models = (0..MODELS).filter_map(|_| {
                        state_behind(formulas, (segment, exit), invariants, &mut rng)
                    });
                    starts.extend(models.map(|state| (exit.to, state)));
                }
            }
        }
        for (cut, state) in &starts {
            self.keep(*cut, state);
        }
        self.left = TERMS;
        self.run(formulas, constants, &starts, LONGEST);
        !starts.is_empty()
    }

    fn keep(&mut self, cut: CutId, state: &Sample) {
        let kept = &mut self.at[cut];
        if kept.len() < MOST && !kept.contains(state) {
            kept.push(state.clone());
        }
    }

    /// Executes the formulas from some states on.
    fn run(
        &mut self,
        formulas: &mut Formulas<'_>,
        constants: &Constants,
        starts: &[(CutId, Sample)],
        longest: usize,
    ) {
        let segments = Arc::clone(&formulas.segments);
        let sizes: IndexVec<CutId, u64> = segments
            .iter()
            .map(|it| size(&formulas.arena.terms, evaluated_in(it)))
            .collect();
        let before = self.left;
        let mut sampler = Sampler::new(formulas, constants);
        for (cut, locations) in starts {
            let mut at = *cut;
            let mut state = Running {
                locations: locations.clone(),
                is_midway: *cut != formulas.model.cuts.start(),
                ..Running::default()
            };
            for round in 0..longest {
                let Some(left) = self.left.checked_sub(sizes[at]) else {
                    break;
                };
                self.left = left;
                let Some(next) = sampler.step(&segments[at], &mut state) else {
                    break;
                };
                if state.is_doubtful {
                    break;
                }
                if round < LONGEST || round.is_power_of_two() || self.at[next].len() < FEW {
                    self.keep(next, &state.locations);
                    for sample in sampler.at_other_indices(&state) {
                        self.keep(next, &sample);
                    }
                }
                at = next;
            }
        }
        formulas.count((before - self.left) * EVALUATION);
    }
}

/// A state behind an exit of a segment that starts in one which satisfies the invariants.
fn state_behind(
    formulas: &mut Formulas<'_>,
    (segment, exit): (&Segment, &Exit),
    invariants: &Invariants,
    rng: &mut Rng,
) -> Option<Sample> {
    let mut held = formulas.taken(segment, exit);
    held.extend(formulas.all_instances(segment.from, &invariants[segment.from]));
    let k = formulas.model.locations.index();
    let k = k.map(|k| formulas.model.at_start[k]);
    if let Some(k) = k {
        let terms = &mut formulas.arena.terms;
        let small = terms.constant(INDEX_WIDTH, u128::from(rng.u8(0..8)));
        held.push(terms.eq(k, small));
    }
    let Answer::Sat(values) = formulas.check(segment.from, &held) else {
        return None;
    };
    let terms = &formulas.arena.terms;
    let at_start = &formulas.model.at_start;
    let mut evaluator = Evaluator::default();
    let mut evaluation = evaluator.under(terms, &values);
    let mut sample = Sample::new();
    for (location, &term) in at_start.iter_enumerated() {
        let changed = exit.state.changed.get(&location);
        let var = variable(terms, term)?;
        let value = match changed {
            Some(&value) => Some(evaluation.eval(value)),
            None => values.get(var),
        };
        sample.extend(value.map(|value| (var, value)));
    }
    Some(sample)
}

/// What an execution of a segment may evaluate.
fn evaluated_in(segment: &Segment) -> Vec<Term> {
    let checks = segment.checks.iter().map(|check| check.holds);
    let exits = segment.exits.iter().flat_map(|exit| {
        let values = exit.state.changed.values().copied();
        values.chain([exit.state.reach])
    });
    let instances = segment.arrays.instances.iter();
    let read = instances.flat_map(|instance| {
        let elements = instance.elements.values().copied();
        elements.chain([instance.index])
    });
    checks.chain(exits).chain(read).collect()
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
    /// The variable of the index at which elements are known.
    index: Option<Var>,
    /// The variables of elements at the index.
    arrays: Vec<(LocationId, Var)>,
    at_start: &'a IndexVec<LocationId, Term>,
}

/// A state in an execution.
#[derive(Clone, Debug, Default)]
struct Running {
    locations: Sample,
    /// The elements that were read or written so far.
    elements: BTreeMap<(LocationId, u128), u128>,
    /// The values of all other elements, where they were set.
    others: BTreeMap<LocationId, u128>,
    /// The index of the last element that was written.
    last: Option<u128>,
    /// Whether the execution begins in a state that the solver gave: elements that it does not give
    /// may be related to others.
    is_midway: bool,
    /// Whether such an element was drawn.
    is_doubtful: bool,
}

impl Running {
    /// The element at an index, which is drawn if nothing is known of it.
    fn element(&mut self, array: LocationId, index: u128, drawn: u128) -> u128 {
        let other = self.others.get(&array).copied();
        self.is_doubtful |=
            self.is_midway && other.is_none() && !self.elements.contains_key(&(array, index));
        *self
            .elements
            .entry((array, index))
            .or_insert(other.unwrap_or(drawn))
    }
}

impl<'a> Sampler<'a> {
    fn new(formulas: &'a Formulas<'_>, constants: &'a Constants) -> Sampler<'a> {
        let terms = &formulas.arena.terms;
        let locations = &formulas.model.locations;
        let at_start = &formulas.model.at_start;
        let of = |location: LocationId| variable(terms, at_start[location]);
        let arrays = locations.elements().iter();
        let inputs = formulas.segments.iter();
        Sampler {
            terms,
            locations: at_start
                .iter()
                .filter_map(|&term| variable(terms, term))
                .collect(),
            rng: Rng::with_seed(1),
            constants,
            evaluator: Evaluator::default(),
            index: locations.index().and_then(of),
            arrays: arrays
                .filter_map(|&array| Some((array, of(array)?)))
                .collect(),
            inputs: inputs
                .map(|segment| variables_of(terms, evaluated_in(segment)))
                .collect(),
            at_start,
        }
    }

    /// The same state with another index at which elements are known.
    fn at_other_indices(&mut self, state: &Running) -> Vec<Sample> {
        let Some(index) = self.index else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for at in 0..INDICES {
            let known = state.last.filter(|_| at == 0);
            let k = known.unwrap_or_else(|| u128::from(self.rng.u8(0..8)));
            let mut sample = state.locations.clone();
            let mut is_drawn = false;
            sample.insert(index, k);
            for &(array, var) in &self.arrays {
                let element = state.elements.get(&(array, k));
                let known = element.or_else(|| state.others.get(&array)).copied();
                let mask = expr::mask(self.terms.width(self.at_start[array]));
                let value = known.unwrap_or_else(|| self.rng.u128(..) & mask);
                is_drawn |= known.is_none();
                sample.insert(var, value);
            }
            if !(state.is_midway && is_drawn) {
                found.push(sample);
            }
        }
        found
    }

    /// Executes a segment: the cut that it leads to. `None` if it leads to none, or a check fails.
    fn step(&mut self, segment: &Segment, state: &mut Running) -> Option<CutId> {
        let values = self.values(segment, state);
        let mut evaluation = self.evaluator.under(self.terms, &values);
        let exits = &mut segment.exits.iter();
        let exit = exits.find(|exit| evaluation.holds(exit.state.reach))?;
        let mut checks = exit.state.checks.ones();
        if checks.any(|at| !evaluation.holds(segment.checks[at].holds)) {
            return None;
        }
        let mut locations = state.locations.clone();
        for (&location, &value) in &exit.state.changed {
            if let Some(var) = variable(self.terms, self.at_start[location]) {
                locations.insert(var, evaluation.eval(value));
            }
        }
        for (&array, events) in &segment.arrays.events {
            for event in events {
                if !evaluation.holds(event.reach) {
                    continue;
                }
                match event.change {
                    Change::One { index, value } => {
                        let at = (array, evaluation.eval(index));
                        state.elements.insert(at, evaluation.eval(value));
                        state.last = Some(at.1);
                    }
                    Change::All(value) => {
                        state.elements.retain(|at, _| at.0 != array);
                        state.others.insert(array, evaluation.eval(value));
                    }
                    Change::Unknown => {
                        state.elements.retain(|at, _| at.0 != array);
                        state.others.remove(&array);
                    }
                }
            }
        }
        let of_locations = values
            .iter()
            .filter(|(var, _)| self.locations.contains(var));
        for (var, value) in of_locations {
            locations.entry(var).or_insert(value);
        }
        state.locations = locations;
        Some(exit.to)
    }

    /// Values for the inputs of a segment, with those of elements that it reads.
    fn values(&mut self, segment: &Segment, state: &mut Running) -> Values {
        let inputs = self.inputs[segment.from].clone();
        let mut values = Values::default();
        for (var, width) in inputs {
            let known = state.locations.get(&var).copied();
            let value = match known {
                Some(value) => value,
                None if Some(var) == self.index => u128::from(self.rng.u8(0..8)),
                None => self.value(width),
            };
            values.set(var, value);
        }
        if let Some(k) = self.index.and_then(|index| values.get(index)) {
            for &(array, var) in &self.arrays {
                match state.locations.get(&var) {
                    Some(&value) => {
                        state.elements.insert((array, k), value);
                    }
                    None => {
                        let read = values.get(var).unwrap_or(0);
                        let value = state.element(array, k, read);
                        values.set(var, value);
                    }
                }
            }
        }
        for instance in &segment.arrays.instances {
            let index = self.terms.eval(instance.index, &values);
            for (&array, &element) in &instance.elements {
                let drawn = variable(self.terms, element)
                    .and_then(|var| values.get(var))
                    .unwrap_or(0);
                let value = state.element(array, index, drawn);
                if let Some(var) = variable(self.terms, element) {
                    values.set(var, value);
                }
            }
        }
        values
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
