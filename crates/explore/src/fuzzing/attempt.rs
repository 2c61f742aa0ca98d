//! One execution of a fuzzer: it gives results, and keeps states.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use ir::CellId;
use ir::input::{InputSpace, InputValue, Root};
use vm::{Defaults, Part, StateObserver};

use super::patterns::Patterned;
use super::results::{Results, of_width};
use super::runs::Runs;
use super::states::States;
use super::{Base, Beginning, Taken};

/// How many results are copied at most from what the execution took before.
const LONGEST_COPY: usize = 12;

/// See the module. Executions have it by shared reference only.
pub(crate) struct Attempt<'a> {
    state: Mutex<AttemptState<'a>>,
}

struct AttemptState<'a> {
    beginning: Beginning,
    /// The results that were taken so far.
    taken: Vec<Taken>,
    /// How many may be taken.
    most: usize,
    /// Results that are copied from earlier ones: the next one, and one past the last.
    copied: (usize, usize),
    /// The results that have terms, by when they were taken.
    symbolic: Range<usize>,
    /// What results are, if they are none of the above.
    patterned: Option<Patterned>,
    /// Results that come many times in a row.
    runs: Option<Runs>,
    /// The cells of results, in the order in which they were taken.
    cells: Vec<CellId>,
    is_new: bool,
    /// How many parts of states were looked at.
    parts: u64,
    results: &'a mut Results,
    states: &'a mut States,
    rng: &'a mut Rng,
}

/// What an attempt did.
pub(crate) struct Attempted {
    /// The results that it gave.
    pub taken: Vec<Taken>,
    /// How many of them led to the beginning.
    pub begun: usize,
    /// Their cells.
    pub cells: Vec<CellId>,
    /// The inputs beside them.
    pub base: Base,
    /// Whether it came to a state that is unlike others.
    pub is_new: bool,
    /// How many parts of states it looked at.
    pub parts: u64,
}

impl<'a> Attempt<'a> {
    /// An attempt that takes so many results behind those that lead to the beginning.
    pub fn new(
        beginning: Beginning,
        length: usize,
        (results, states, rng): (&'a mut Results, &'a mut States, &'a mut Rng),
    ) -> Attempt<'a> {
        let most = beginning.results.len() + length;
        Attempt {
            state: Mutex::new(AttemptState {
                beginning,
                taken: Vec::new(),
                most,
                copied: (0, 0),
                symbolic: 0..0,
                patterned: None,
                runs: None,
                cells: Vec::new(),
                is_new: false,
                parts: 0,
                results,
                states,
                rng,
            }),
        }
    }

    /// Results have terms, from one of those on that lead to the beginning. States are not looked
    /// at.
    pub fn with_terms(self, first: usize) -> Attempt<'a> {
        let mut state = self.state();
        state.symbolic = first..state.most;
        drop(state);
        self
    }

    /// Results follow a pattern. States are not looked at.
    pub fn with_pattern(self, patterned: Patterned) -> Attempt<'a> {
        self.state().patterned = Some(patterned);
        self
    }

    /// Few results come many times in a row.
    pub fn with_runs(self) -> Attempt<'a> {
        self.state().runs = Some(Runs::default());
        self
    }

    /// Ends the attempt.
    pub fn end(self) -> Attempted {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        Attempted {
            taken: state.taken,
            cells: state.cells,
            begun: state.beginning.results.len(),
            base: state.beginning.base,
            is_new: state.is_new,
            parts: state.parts,
        }
    }

    fn state(&self) -> MutexGuard<'_, AttemptState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AttemptState<'_> {
    /// The next result, of so many bits.
    fn next(&mut self, function: ir::FunctionId, width: u32) -> u64 {
        if let Some(patterned) = &mut self.patterned {
            let value = patterned.next(function, width, self.rng);
            self.taken.push((function, value));
            return value;
        }
        let at = self.taken.len();
        let planned = self.beginning.results.get(at);
        let value = match planned {
            Some(&(_, value)) => value,
            None => {
                let again = self.again(function).map(|value| of_width(value, width));
                let known = again.or_else(|| self.copy(function));
                known.unwrap_or_else(|| self.draw(function, width))
            }
        };
        self.taken.push((function, value));
        value
    }

    /// A result that is drawn anew.
    fn draw(&mut self, function: ir::FunctionId, width: u32) -> u64 {
        let last = self.taken.iter().rev();
        let last = last.take(LONGEST_COPY).find(|taken| taken.0 == function);
        self.results
            .draw(self.rng, (function, width), last.map(|it| it.1))
    }

    /// A result of a run: what came before comes again.
    fn again(&mut self, function: ir::FunctionId) -> Option<u64> {
        let new = &self.taken[self.beginning.results.len()..];
        self.runs.as_mut()?.next(function, new, self.rng)
    }

    /// A result as it was earlier in this execution: some part of it may be tried again.
    fn copy(&mut self, function: ir::FunctionId) -> Option<u64> {
        let count = self.taken.len();
        if self.copied.0 >= self.copied.1 {
            if count == 0 || self.rng.u8(0..32) > 0 {
                return None;
            }
            let first = self.rng.usize(0..count);
            self.copied = (first, first + self.rng.usize(1..=LONGEST_COPY));
        }
        let next = self.taken.get(self.copied.0);
        self.copied.0 += 1;
        next.filter(|taken| taken.0 == function).map(|it| it.1)
    }
}

impl Defaults for Attempt<'_> {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let data = space.cell_data(cell);
        let Root::Result { function, .. } = space.object_data(data.object).root else {
            return None;
        };
        let mut state = self.state();
        if data.offset_bits != 0 || !state.results.is_number(function) {
            return None;
        }
        let value = state.next(function, data.width);
        state.cells.push(cell);
        Some(InputValue::Bits(u128::from(value)))
    }

    fn are_used_up(&self) -> bool {
        let state = self.state();
        state.taken.len() >= state.most
    }
}

impl StateObserver for Attempt<'_> {
    fn is_looking(&self) -> bool {
        self.state().patterned.is_none()
    }

    fn state(&self, position: u32, parts: &[Part]) {
        let mut state = self.state();
        let state = &mut *state;
        state.parts += parts.len() as u64;
        // Where the inputs are those of the beginning, states are known.
        if state.taken.len() <= state.beginning.results.len() || !state.symbolic.is_empty() {
            return;
        }
        let Some(kind) = state.states.news(position, parts) else {
            return;
        };
        state.is_new = true;
        let beginning = Beginning {
            base: Arc::clone(&state.beginning.base),
            results: state.taken.as_slice().into(),
        };
        state.states.keep(kind, beginning, state.rng);
    }

    fn is_symbolic(&self, cell: CellId) -> bool {
        let state = self.state();
        let last = state.cells.len().wrapping_sub(1);
        state.symbolic.contains(&last) && state.cells.last() == Some(&cell)
    }
}
