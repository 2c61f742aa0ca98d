//! The fixed point of the values of locations at cuts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use expr::Term;
use index_vec::IndexVec;

use crate::formulas::Formulas;
use crate::formulas::constants::Constants;
use crate::formulas::segment::{CodePlace, Exit, Segment};
use crate::graph::cuts::CutId;
use crate::objects::locations::LocationId;
use crate::values::sweep::{Cases, Order, Sweep};
use crate::values::value::Value;

/// How often the values at a cut may grow before ends that still move are widened, and before nothing
/// is known of what still grows.
const GROWTHS: usize = 3;
const MOST_GROWTHS: usize = 16;

/// How often all values are computed once more from those that are known, which makes them narrower.
const NARROWINGS: usize = 2;

/// How many cases the terms behind an exit are split into, and how many terms are looked at for these.
const CASES: usize = 32;
const TERMS_OF_CASES: usize = 100_000;

/// The effort that a term takes that is looked at.
const TERM: u64 = 4;

/// What is known at a cut of locations of which anything is known.
pub type State = BTreeMap<LocationId, Value>;

/// See the module.
pub struct Analysis {
    /// What is known at each cut, if control comes there.
    pub states: IndexVec<CutId, Option<State>>,
    /// How often each grew.
    growths: IndexVec<CutId, usize>,
    /// The cuts from which values are to be computed.
    open: VecDeque<CutId>,
    /// The terms of each segment; `None` if they are too many.
    orders: IndexVec<CutId, Option<Arc<Order>>>,
    /// The numbers that ends of bounds are widened to.
    constants: Constants,
    /// How often values are still to be made narrower.
    narrowings: usize,
    /// What is computed in the round of this that is under way.
    narrower: IndexVec<CutId, Option<State>>,
}

impl Analysis {
    /// Begins at the start, where nothing is known.
    pub fn new(formulas: &Formulas<'_>) -> Analysis {
        let terms = &formulas.arena.terms;
        let segments = &formulas.segments;
        let nothing: IndexVec<CutId, Option<State>> = segments.iter().map(|_| None).collect();
        let mut states = nothing.clone();
        let start = formulas.model.cuts.start();
        states[start] = Some(State::new());
        let all = segments.iter().flat_map(Segment::terms).collect();
        let orders = segments.iter().map(|segment| {
            let order = Order::of(terms, &roots(segment));
            order.map(Arc::new)
        });
        Analysis {
            states,
            growths: segments.iter().map(|_| 0).collect(),
            open: VecDeque::from([start]),
            orders: orders.collect(),
            constants: Constants::of(terms, all),
            narrowings: NARROWINGS,
            narrower: nothing,
        }
    }

    /// Computes what the values at one cut lead to. Returns whether there is nothing left to do.
    pub fn step(&mut self, formulas: &mut Formulas<'_>) -> bool {
        let Some(cut) = self.open.pop_front() else {
            return self.narrow(formulas);
        };
        for (to, new) in self.behind(formulas, cut) {
            match self.narrowings == NARROWINGS {
                true => self.grow(formulas, to, new),
                false => join_into(&mut self.narrower[to], new),
            }
        }
        false
    }

    /// Ends a round, and begins the next one. Returns whether there is none.
    fn narrow(&mut self, formulas: &Formulas<'_>) -> bool {
        let start = formulas.model.cuts.start();
        if self.narrowings < NARROWINGS {
            for (cut, narrower) in self.narrower.iter_mut_enumerated() {
                if cut != start {
                    self.states[cut] = narrower.take();
                }
            }
        }
        if self.narrowings == 0 {
            return true;
        }
        self.narrowings -= 1;
        self.open = self.states.indices().collect();
        false
    }

    /// Adds values at a cut.
    fn grow(&mut self, formulas: &Formulas<'_>, to: CutId, new: State) {
        let before = self.states[to].clone();
        let mut joined = before.clone();
        join_into(&mut joined, new);
        if joined == before {
            return;
        }
        self.growths[to] += 1;
        if let (Some(before), Some(joined)) = (&before, &mut joined) {
            self.widen(formulas, (to, before), joined);
        }
        self.states[to] = joined;
        if !self.open.contains(&to) {
            self.open.push_back(to);
        }
    }

    /// Widens what still grows.
    fn widen(&self, formulas: &Formulas<'_>, (to, before): (CutId, &State), joined: &mut State) {
        let growths = self.growths[to];
        if growths <= GROWTHS {
            return;
        }
        joined.retain(|location, value| {
            let Some(earlier) = before.get(location).filter(|&earlier| earlier != value) else {
                return true;
            };
            if growths > MOST_GROWTHS {
                return false;
            }
            let width = formulas
                .arena
                .terms
                .width(formulas.model.at_start[*location]);
            let ends = self.ends(width);
            *value = earlier.widened(value, &ends);
            !value.is_any()
        });
    }

    /// The numbers that ends of bounds are widened to: constants of the program, and those next to them.
    fn ends(&self, width: u32) -> Vec<u128> {
        let near = |constant: u128| {
            let below = constant.wrapping_sub(1) & expr::mask(width);
            [
                below,
                constant,
                constant.wrapping_add(1) & expr::mask(width),
            ]
        };
        let all: BTreeSet<u128> = self
            .constants
            .all(width)
            .flat_map(near)
            .chain([0])
            .collect();
        all.into_iter().collect()
    }

    /// The values that those at a cut lead to, behind each exit that control may take.
    fn behind(&self, formulas: &mut Formulas<'_>, cut: CutId) -> Vec<(CutId, State)> {
        let segments = Arc::clone(&formulas.segments);
        let segment = &segments[cut];
        let Some(state) = &self.states[cut] else {
            return Vec::new();
        };
        let Some(sweep) = self.sweep(formulas, segment, state) else {
            let nothing = |exit: &Exit| (exit.to, State::new());
            return match self.orders[cut] {
                Some(_) => Vec::new(),
                None => segment.exits.iter().map(nothing).collect(),
            };
        };
        let exits = segment.exits.iter();
        let found = exits.filter_map(|exit| {
            let behind = behind_exit(formulas, (segment, &sweep), exit)?;
            Some((exit.to, behind))
        });
        found.collect()
    }

    /// What is known of the terms of a segment.
    fn sweep(
        &self,
        formulas: &mut Formulas<'_>,
        segment: &Segment,
        state: &State,
    ) -> Option<Sweep> {
        let order = Arc::clone(self.orders[segment.from].as_ref()?);
        let mut known: BTreeMap<Term, Value> = BTreeMap::new();
        for (&location, &value) in state {
            known.insert(formulas.model.at_start[location], value);
            // What holds at each index holds of the elements that the segment reads.
            let instances = segment.arrays.instances.iter();
            let read = instances.filter_map(|instance| instance.elements.get(&location));
            known.extend(read.map(|&element| (element, value)));
        }
        formulas.count(order.len() as u64 * TERM);
        Sweep::new(&formulas.arena.terms, order, |term| {
            known.get(&term).copied()
        })
    }

    /// Those of some places that no values at cuts lead to.
    pub fn excluded(&self, formulas: &mut Formulas<'_>, open: &[CodePlace]) -> Vec<CodePlace> {
        let segments = Arc::clone(&formulas.segments);
        let mut left: BTreeSet<CodePlace> = open.iter().copied().collect();
        for (cut, segment) in segments.iter_enumerated() {
            let Some(state) = &self.states[cut] else {
                continue;
            };
            let sweep = self.sweep(formulas, segment, state);
            let is_known = self.orders[cut].is_some();
            for reached in &segment.places {
                let may_be = match &sweep {
                    Some(sweep) if left.contains(&reached.place) => {
                        let checks = segment.passed(&reached.checks).map(|(_, holds)| holds);
                        let all = checks.chain([reached.reach]);
                        let all: Vec<(Term, bool)> = all.map(|term| (term, true)).collect();
                        let (found, looked_at) = sweep.where_hold(&formulas.arena.terms, &all);
                        formulas.count(looked_at * TERM);
                        found.is_some()
                    }
                    Some(_) => false,
                    None => !is_known,
                };
                if may_be {
                    left.remove(&reached.place);
                }
            }
        }
        left.into_iter().collect()
    }
}

/// The values behind an exit, if control may take it.
fn behind_exit(
    formulas: &mut Formulas<'_>,
    (segment, sweep): (&Segment, &Sweep),
    exit: &Exit,
) -> Option<State> {
    let taken = formulas.taken(segment, exit);
    let taken: Vec<(Term, bool)> = taken.into_iter().map(|term| (term, true)).collect();
    let terms = &formulas.arena.terms;
    let (found, mut looked_at) = sweep.where_hold(terms, &taken);
    let Some(found) = found else {
        formulas.count(looked_at * TERM);
        return None;
    };
    let cases = CASES.min(TERMS_OF_CASES / (looked_at as usize).max(1));
    let mut cases = Cases::new(terms, &found, cases);
    let at_start = &formulas.model.at_start;
    let mut state = State::new();
    for location in at_start.indices() {
        let value = cases.value(exit.state.value(location, at_start));
        if !value.is_any() {
            state.insert(location, value);
        }
    }
    looked_at += cases.looked_at;
    formulas.count(looked_at * TERM);
    Some(state)
}

/// The terms of a segment that values are computed of.
fn roots(segment: &Segment) -> Vec<Term> {
    let instances = segment.arrays.instances.iter();
    let elements = instances.flat_map(|instance| instance.elements.values().copied());
    segment.terms().into_iter().chain(elements).collect()
}

/// Adds what may be, too.
fn join_into(known: &mut Option<State>, new: State) {
    *known = Some(match known.take() {
        None => new,
        Some(mut known) => {
            known.retain(|location, value| {
                let Some(other) = new.get(location) else {
                    return false;
                };
                *value = value.or(other);
                !value.is_any()
            });
            known
        }
    });
}
