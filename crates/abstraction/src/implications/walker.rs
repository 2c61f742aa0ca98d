//! Executions of the formulas from any state on, to find further states that are allowed if it is.
//!
//! Clauses that are inductive, and hold in a state, hold in all states that executions from there
//! come to. So each of these weakens clauses as a model of the solver does, for less effort.

use std::collections::BTreeMap;
use std::sync::Arc;

use expr::{Model as Values, Term};
use index_vec::IndexVec;

use crate::formulas::Formulas;
use crate::formulas::constants::Constants;
use crate::formulas::execution::{Executor, Running, Sample};
use crate::formulas::nodes::variable;
use crate::formulas::segment::Exit;
use crate::graph::cuts::CutId;
use crate::invariants::samples::{EVALUATION, evaluated_in};

/// How many segments an execution passes at most.
const LONGEST: usize = 40;

/// How many inputs are tried for one that takes an exit.
const DRAWS: usize = 6;

/// How many inputs are kept of each segment.
const MOST: usize = 400;

/// How often inputs may take no exit more often than they take one, before they are given up.
const FAILURES: i32 = 3;

/// Inputs of a segment that took it somewhere.
struct Move {
    inputs: Values,
    /// How much more often they took an exit than they did not, in states of other executions.
    successes: i32,
}

/// See the module.
pub struct Walker {
    executor: Executor,
    moves: IndexVec<CutId, Vec<Move>>,
    /// How many locations there are.
    variables: u64,
}

/// A state at a cut.
pub type StateAt = (CutId, Values);

impl Walker {
    /// A walker that knows inputs of each segment.
    pub fn new(
        formulas: &Formulas<'_>,
        constants: &Constants,
        moves: IndexVec<CutId, Vec<Values>>,
    ) -> Walker {
        let new = |inputs| Move {
            inputs,
            successes: 0,
        };
        let moves = moves.into_iter();
        let moves = moves.map(|moves| moves.into_iter().map(new).collect());
        Walker {
            executor: Executor::new(formulas, constants, evaluated_in),
            moves: moves.collect(),
            variables: formulas.model.at_start.len() as u64,
        }
    }

    /// Keeps the inputs of a model of a segment.
    pub fn learn(&mut self, segment: CutId, values: &Values) {
        let new = Move {
            inputs: self.executor.inputs(values),
            successes: 0,
        };
        let known = &mut self.moves[segment];
        if known.len() < MOST {
            known.push(new);
        } else {
            let at = self.executor.rng.usize(0..known.len());
            known[at] = new;
        }
    }

    /// The states of executions from the start on.
    pub fn walk_from_start(&mut self, formulas: &mut Formulas<'_>) -> Vec<StateAt> {
        let start = formulas.model.cuts.start();
        self.walk(formulas, (start, Running::default()))
    }

    /// The states of executions from a state on that others came to.
    pub fn walk_from(
        &mut self,
        formulas: &mut Formulas<'_>,
        (cut, state): &StateAt,
    ) -> Vec<StateAt> {
        let state = Running::new(state.iter().collect(), true);
        self.walk(formulas, (*cut, state))
    }

    /// One of some numbers below a limit, at random.
    pub fn any_below(&mut self, limit: usize) -> usize {
        self.executor.rng.usize(..limit.max(1))
    }

    /// The states of an execution from the state behind a model of a segment on.
    pub fn walk_behind(
        &mut self,
        formulas: &mut Formulas<'_>,
        exit: &Exit,
        values: &Values,
    ) -> Vec<StateAt> {
        let state = state_behind(formulas, exit, values);
        self.walk(formulas, (exit.to, Running::new(state, true)))
    }

    fn walk(
        &mut self,
        formulas: &mut Formulas<'_>,
        (mut at, mut state): (CutId, Running),
    ) -> Vec<StateAt> {
        let segments = Arc::clone(&formulas.segments);
        let mut found = Vec::new();
        let mut last: BTreeMap<CutId, Values> = BTreeMap::new();
        for _ in 0..LONGEST {
            let segment = &segments[at];
            let taken = (0..DRAWS).find_map(|_| {
                let again = last.get(&at).filter(|_| self.executor.rng.bool());
                let (chosen, given) = match again {
                    Some(again) => (None, again.clone()),
                    None => self.any_move(at),
                };
                let values = self.executor.values(formulas, segment, &mut state, &given);
                let exit = self.executor.exit(formulas, segment, &values);
                if let Some(chosen) = chosen {
                    self.judge(at, chosen, exit.is_some());
                }
                Some((values, exit?))
            });
            let Some((values, exit)) = taken else {
                break;
            };
            let executor = &mut self.executor;
            executor.take(formulas, (segment, exit), &values, &mut state);
            if state.is_doubtful {
                break;
            }
            last.insert(at, executor.inputs(&values));
            at = exit.to;
            found.push((at, state.values()));
            for sample in executor.at_other_indices(formulas, &state) {
                found.push((at, sample.into_iter().collect()));
            }
        }
        let variables = self.variables * found.len() as u64;
        formulas.count((self.executor.evaluated() + variables) * EVALUATION);
        found
    }

    /// Inputs that took the segment somewhere, with their number, or nothing.
    fn any_move(&mut self, segment: CutId) -> (Option<usize>, Values) {
        let rng = &mut self.executor.rng;
        let moves = &self.moves[segment];
        match rng.u8(0..4) > 0 && !moves.is_empty() {
            true => {
                let chosen = rng.usize(0..moves.len());
                (Some(chosen), moves[chosen].inputs.clone())
            }
            false => (None, Values::default()),
        }
    }

    /// Notes whether inputs took an exit. Those that do not are given up.
    fn judge(&mut self, segment: CutId, chosen: usize, is_success: bool) {
        let moves = &mut self.moves[segment];
        let successes = &mut moves[chosen].successes;
        *successes += if is_success { 1 } else { -1 };
        if *successes <= -FAILURES {
            moves.swap_remove(chosen);
        }
    }
}

/// The state behind an exit of a segment in a model of it. What the model does not give is 0, as
/// where terms are evaluated with it.
fn state_behind(formulas: &mut Formulas<'_>, exit: &Exit, values: &Values) -> Sample {
    let at_start: Vec<(Term, Option<Term>)> = formulas
        .model
        .at_start
        .iter_enumerated()
        .map(|(location, &term)| (term, exit.state.changed.get(&location).copied()))
        .collect();
    let vars = at_start.iter().map(|&(term, changed)| {
        let var = variable(&formulas.arena.terms, term);
        (var, changed.unwrap_or(term))
    });
    let vars: Vec<_> = vars.collect();
    let mut evaluation = formulas.under(values);
    let state = vars
        .into_iter()
        .filter_map(|(var, value)| Some((var?, evaluation.eval(value))));
    state.collect()
}
