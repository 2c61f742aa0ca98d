//! Sampled states: what locations hold at cuts in random executions of the formulas.
//!
//! Inputs, and values of which nothing is known, are drawn at random. The states are those of the
//! formulas, so that an invariant that one of them breaks is no invariant of the formulas.

use std::sync::Arc;

use expr::{Evaluator, Model as Values, Term};
use fastrand::Rng;
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use solver::Answer;

use crate::formulas::constants::Constants;
use crate::formulas::execution::{Executor, Running, Sample};
use crate::formulas::nodes::{size, variable};
use crate::formulas::segment::{Exit, Segment};
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;
use crate::objects::locations::INDEX_WIDTH;

/// How many executions are drawn.
const RUNS: usize = 64;

/// How many where nodes of the heap are known, and how many times the terms are evaluated.
const RUNS_WITH_NODES: usize = 4 * RUNS;

/// How many cuts one of them passes at most.
const LONGEST: usize = 40;

/// How many executions are drawn to come behind loops of many rounds, how many cuts one of them
/// passes, and how many terms are evaluated for them at most.
const LONG_RUNS: usize = 4;
const VERY_LONG: usize = 250_000;
const LONG_TERMS: u64 = 5_000_000;

/// How many states are kept first at a cut that executions of many rounds come to.
const FEW: usize = 24;

/// How many states are kept at a cut.
const MOST: usize = 120;

/// How many where nodes of the heap are known. They are drawn from those of all executions, since
/// each of these has nodes of its own.
const MOST_OF_NODES: usize = 360;

/// How many states are asked of the solver for one exit.
const MODELS: usize = 4;

/// One in so many times, an execution that keeps to the last inputs takes others.
const KEPT: u8 = 8;

/// How many terms are evaluated for them at most.
const TERMS: u64 = 300_000;

/// How many times its equal share of these an execution may take.
const MOST_SHARES: u64 = 2;

/// The effort that the evaluation of a term takes.
pub const EVALUATION: u64 = 1;

/// Sampled states at each cut.
pub struct Samples {
    /// The states.
    pub at: IndexVec<CutId, Vec<Sample>>,
    /// How many states were seen at each cut, where nodes of the heap are known.
    seen: IndexVec<CutId, usize>,
    /// How many terms may still be evaluated.
    left: u64,
}

impl Samples {
    /// Draws states at all cuts that random executions from the start come to.
    pub fn draw(formulas: &mut Formulas<'_>, constants: &Constants) -> Samples {
        let mut samples = Samples {
            at: formulas.segments.iter().map(|_| Vec::new()).collect(),
            seen: formulas.segments.iter().map(|_| 0).collect(),
            left: TERMS,
        };
        let start = formulas.model.cuts.start();
        let mut elements = formulas.model.locations.elements().iter();
        let has_nodes = elements.any(|&it| formulas.model.locations.is_of_nodes(it));
        let runs = if has_nodes { RUNS_WITH_NODES } else { RUNS };
        samples.left *= (runs / RUNS) as u64;
        let begins = vec![(start, Sample::new()); runs];
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

    /// Keeps some of all states that it is called with, each as likely as any other.
    fn keep_some(&mut self, cut: CutId, state: &Sample, rng: &mut Rng) {
        self.seen[cut] += 1;
        let kept = &mut self.at[cut];
        if kept.len() < MOST_OF_NODES {
            return kept.push(state.clone());
        }
        if let Some(kept) = kept.get_mut(rng.usize(..self.seen[cut])) {
            *kept = state.clone();
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
        let mut executor = Executor::new(formulas, constants, evaluated_in);
        for (number, (cut, locations)) in starts.iter().enumerate() {
            // An execution of many rounds leaves others their share.
            let share = self.left / (starts.len() - number) as u64 * MOST_SHARES;
            let mut own = share.min(self.left);
            let mut at = *cut;
            let is_midway = *cut != formulas.model.cuts.start();
            let mut state = Running::new(locations.clone(), is_midway);
            // Half of the executions keep to the last inputs most of the time.
            let mut last: FxHashMap<CutId, Values> = FxHashMap::default();
            let keeps = number % 2 == 1;
            for round in 0..longest {
                let Some(left) = own.checked_sub(sizes[at]) else {
                    break;
                };
                self.left -= sizes[at];
                own = left;
                let segment = &segments[at];
                let given = match keeps && executor.rng.u8(0..KEPT) > 0 {
                    true => last.remove(&at).unwrap_or_default(),
                    false => Values::default(),
                };
                let values = executor.values(formulas, segment, &mut state, &given);
                if keeps {
                    last.insert(at, executor.inputs(&values));
                }
                let Some(exit) = executor.exit(formulas, segment, &values) else {
                    break;
                };
                executor.take(formulas, (segment, exit), &values, &mut state);
                let next = exit.to;
                if state.is_doubtful {
                    break;
                }
                if executor.has_nodes() {
                    for sample in executor.at_other_indices(formulas, &state) {
                        self.keep_some(next, &sample, &mut executor.rng);
                    }
                } else if round < LONGEST || round.is_power_of_two() || self.at[next].len() < FEW {
                    self.keep(next, &state.locations);
                    for sample in executor.at_other_indices(formulas, &state) {
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
pub fn evaluated_in(segment: &Segment) -> Vec<Term> {
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
