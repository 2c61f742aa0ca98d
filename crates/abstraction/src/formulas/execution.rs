//! Executions of the formulas on numbers: from a state at a cut to one at the next.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Evaluation, Evaluator, Model as Values, Term, Var};
use fastrand::Rng;
use index_vec::IndexVec;

use crate::formulas::Formulas;
use crate::formulas::arrays::Change;
use crate::formulas::constants::Constants;
use crate::formulas::nodes::{variable, variables_of};
use crate::formulas::segment::{Exit, Segment};
use crate::graph::cuts::CutId;
use crate::objects::location::AtIndex;
use crate::objects::locations::LocationId;
use crate::objects::places::Object;

/// The values of locations at a cut.
pub type Sample = BTreeMap<Var, u128>;

/// How many other indices are tried for each state.
const INDICES: usize = 2;

/// How many are tried, each with a second one, where elements are known at two.
const PAIRS: usize = 8;

/// How many are tried where they are addresses of nodes.
const NODES: usize = 5;

/// The same where they are known at two.
const LINKED_NODES: usize = 8;

/// Where the addresses of nodes begin that are drawn, and how far apart they are.
const FIRST_ADDRESS: u128 = 1 << 20;
const ALIGNMENT: u128 = 64;

/// Executes segments.
pub struct Executor {
    pub rng: Rng,
    constants: Constants,
    evaluator: Evaluator,
    /// How many terms executions evaluated.
    evaluated: u64,
    /// The variables that stand for locations.
    locations: BTreeSet<Var>,
    /// The variables in each segment.
    variables: IndexVec<CutId, Vec<(Var, u32)>>,
    /// The variable of the index at which elements are known.
    index: Option<Var>,
    /// The variables of elements at the index.
    arrays: Vec<(LocationId, Var)>,
    /// The variable of the second index.
    second: Option<Var>,
    /// The variables of elements there, by those at the index.
    at_second: Vec<(LocationId, Var)>,
    /// The arrays that hold the addresses of nodes of their own class.
    links: Vec<LocationId>,
    /// The variables of addresses of nodes on the heap.
    addresses: BTreeSet<Var>,
    /// The variables of pointers that are moved.
    moved: BTreeSet<Var>,
    /// The last address that was drawn.
    last_address: u128,
    /// The arrays that hold which nodes are allocated.
    flags: Vec<LocationId>,
}

/// A state in an execution.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// The values of locations.
    pub locations: Sample,
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
    pub is_doubtful: bool,
}

impl Running {
    /// The state at the start of executions, or one that the solver gave.
    pub fn new(locations: Sample, is_midway: bool) -> Running {
        Running {
            locations,
            is_midway,
            ..Running::default()
        }
    }

    /// The element at an index, which is drawn if nothing is known of it.
    fn element(&mut self, array: LocationId, index: u128, drawn: u128) -> u128 {
        let known = self.known_element(array, index);
        self.is_doubtful |= self.is_midway && known.is_none();
        *self
            .elements
            .entry((array, index))
            .or_insert(known.unwrap_or(drawn))
    }

    /// The element at an index, if it is known.
    pub fn known_element(&self, array: LocationId, index: u128) -> Option<u128> {
        let element = self.elements.get(&(array, index));
        element.or_else(|| self.others.get(&array)).copied()
    }

    /// The values of locations.
    pub fn values(&self) -> Values {
        let locations = self.locations.iter();
        locations.map(|(&var, &value)| (var, value)).collect()
    }

    /// How many values it holds.
    pub fn len(&self) -> usize {
        self.locations.len() + self.elements.len()
    }
}

impl Executor {
    /// An executor of the segments of some formulas, with the terms of each that it evaluates.
    pub fn new(
        formulas: &Formulas<'_>,
        constants: &Constants,
        evaluated: impl Fn(&Segment) -> Vec<Term>,
    ) -> Executor {
        let terms = &formulas.arena.terms;
        let locations = &formulas.model.locations;
        let at_start = &formulas.model.at_start;
        let of = |location: LocationId| variable(terms, at_start[location]);
        let arrays = locations.elements().iter();
        let segments = formulas.segments.iter();
        Executor {
            locations: at_start
                .iter()
                .filter_map(|&term| variable(terms, term))
                .collect(),
            rng: Rng::with_seed(1),
            constants: constants.clone(),
            evaluator: Evaluator::default(),
            evaluated: 0,
            index: locations.index().and_then(of),
            second: locations.index_at(AtIndex::Second).and_then(of),
            at_second: locations
                .pairs()
                .filter_map(|(first, second)| Some((first, of(second)?)))
                .collect(),
            links: {
                let pairs = locations.pairs().map(|(first, _)| first);
                let is_link = |it: &LocationId| {
                    let leads_to = locations.leads_to(&formulas.model.unfolding, *it);
                    leads_to.map(Object::Nodes) == Some(locations.get(*it).object)
                };
                pairs.filter(is_link).collect()
            },
            addresses: segments
                .clone()
                .flat_map(|segment| &segment.addresses)
                .filter_map(|&address| variable(terms, address))
                .collect(),
            moved: segments
                .clone()
                .flat_map(|segment| &segment.moved)
                .filter_map(|&pointer| variable(terms, pointer))
                .collect(),
            last_address: FIRST_ADDRESS,
            flags: {
                let is_flag =
                    |it: &&LocationId| matches!(locations.get(**it).object, Object::Allocated(_));
                locations
                    .elements()
                    .iter()
                    .filter(is_flag)
                    .copied()
                    .collect()
            },
            arrays: arrays
                .filter_map(|&array| Some((array, of(array)?)))
                .collect(),
            variables: segments
                .map(|segment| variables_of(terms, evaluated(segment)))
                .collect(),
        }
    }

    /// The same state with another index at which elements are known.
    pub fn at_other_indices(&mut self, formulas: &Formulas<'_>, state: &Running) -> Vec<Sample> {
        let Some(index) = self.index else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let indices = match (self.has_nodes(), self.second) {
            (true, Some(_)) => LINKED_NODES,
            (true, None) => NODES,
            (false, Some(_)) => PAIRS,
            (false, None) => INDICES,
        };
        for at in 0..indices {
            let known = match at {
                0 => state.last,
                _ if self.has_nodes() || at > PAIRS / 2 => self.known_index(state),
                _ => None,
            };
            let k = known.unwrap_or_else(|| u128::from(self.rng.u8(0..8)));
            let mut sample = state.locations.clone();
            sample.insert(index, k);
            let mut is_drawn = draw(
                &mut self.rng,
                formulas,
                (state, k),
                &self.arrays,
                &mut sample,
            );
            if let Some(second) = self.second {
                let l = self.second_index(state, k);
                sample.insert(second, l);
                let elements = &self.at_second;
                is_drawn |= draw(&mut self.rng, formulas, (state, l), elements, &mut sample);
            }
            if !(state.is_midway && is_drawn) {
                found.push(sample);
            }
        }
        found
    }

    /// A second index: next to the first one, or one that elements are known at, or any. Of nodes, it
    /// is one that the first one leads to, or any that is known.
    fn second_index(&mut self, state: &Running, first: u128) -> u128 {
        if !self.links.is_empty() {
            let link = self.links[self.rng.usize(..self.links.len())];
            let next = state.known_element(link, first);
            let next = next.filter(|&next| next != 0 && self.rng.u8(0..3) > 0);
            return next.or_else(|| self.known_index(state)).unwrap_or(0);
        }
        let any = u128::from(self.rng.u8(0..8));
        match self.rng.u8(0..4) {
            0 => first.wrapping_add(1),
            1 | 2 => any,
            _ => self.known_index(state).unwrap_or(any),
        }
    }

    /// Whether any elements are of nodes.
    pub fn has_nodes(&self) -> bool {
        !self.flags.is_empty()
    }

    /// One of the indices that elements are known at; most of the time, that of a node which is
    /// allocated, if there is one.
    fn known_index(&mut self, state: &Running) -> Option<u128> {
        let is_allocated = |&(&(array, _), &value): &(&(LocationId, u128), &u128)| {
            value == 1 && self.flags.contains(&array)
        };
        let allocated = state.elements.iter().filter(is_allocated);
        let allocated: Vec<u128> = allocated.map(|(&(_, index), _)| index).collect();
        if !allocated.is_empty() && self.rng.u8(0..8) > 0 {
            return Some(allocated[self.rng.usize(..allocated.len())]);
        }
        let count = state.elements.len();
        let at = self.rng.usize(..count.max(1));
        state.elements.keys().nth(at).map(|&(_, index)| index)
    }

    /// The exit that control takes with these values, if its checks hold.
    pub fn exit<'s>(
        &mut self,
        formulas: &Formulas<'_>,
        segment: &'s Segment,
        values: &Values,
    ) -> Option<&'s Exit> {
        let mut evaluation = self.evaluator.under(&formulas.arena.terms, values);
        let mut exits = segment.exits.iter();
        let exit = exits.find(|exit| evaluation.holds(exit.state.reach));
        let exit = exit.filter(|exit| {
            let mut checks = exit.state.checks.ones();
            checks.all(|at| evaluation.holds(segment.checks[at].holds))
        });
        self.evaluated += self.evaluator.evaluated() as u64;
        exit
    }

    /// How many terms executions evaluated since this was asked last.
    pub fn evaluated(&mut self) -> u64 {
        std::mem::take(&mut self.evaluated)
    }

    /// Takes an exit with these values.
    pub fn take(
        &mut self,
        formulas: &Formulas<'_>,
        (segment, exit): (&Segment, &Exit),
        values: &Values,
        state: &mut Running,
    ) {
        let terms = &formulas.arena.terms;
        let mut evaluation = self.evaluator.under(terms, values);
        let mut locations = state.locations.clone();
        for (&location, &value) in &exit.state.changed {
            if let Some(var) = variable(terms, formulas.model.at_start[location]) {
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
        self.evaluated += self.evaluator.evaluated() as u64;
        let of_locations = values
            .iter()
            .filter(|(var, _)| self.locations.contains(var));
        for (var, value) in of_locations {
            locations.entry(var).or_insert(value);
        }
        state.locations = locations;
    }

    /// Those of some values that are neither of locations nor addresses of new nodes.
    pub fn inputs(&self, values: &Values) -> Values {
        let is_input = |var: &Var| !self.locations.contains(var) && !self.addresses.contains(var);
        values.iter().filter(|(var, _)| is_input(var)).collect()
    }

    /// Evaluates terms with these values. What they have in common is evaluated once.
    pub fn under<'a>(
        &'a mut self,
        formulas: &'a Formulas<'_>,
        values: &'a Values,
    ) -> Evaluation<'a> {
        self.evaluator.under(&formulas.arena.terms, values)
    }

    /// Values for all variables of a segment: those that the state has, those that are given, and
    /// others drawn.
    pub fn values(
        &mut self,
        formulas: &Formulas<'_>,
        segment: &Segment,
        state: &mut Running,
        given: &Values,
    ) -> Values {
        let terms = &formulas.arena.terms;
        let mut values = Values::default();
        for at in 0..self.variables[segment.from].len() {
            let (var, width) = self.variables[segment.from][at];
            let known = state.locations.get(&var).copied();
            let value = match known.or_else(|| given.get(var)) {
                Some(value) => value,
                None if Some(var) == self.index || Some(var) == self.second => {
                    u128::from(self.rng.u8(0..8))
                }
                None if self.addresses.contains(&var) => self.address() & expr::mask(width),
                None if self.moved.contains(&var) => self.last_address & expr::mask(width),
                None => self.value(width),
            };
            values.set(var, value);
        }
        let first = self.index.map(|index| (index, &self.arrays));
        let second = self.second.map(|index| (index, &self.at_second));
        for (index, elements) in first.into_iter().chain(second) {
            let Some(k) = values.get(index) else {
                continue;
            };
            for &(array, var) in elements {
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
            let index = terms.eval(instance.index, &values);
            for (&array, &element) in &instance.elements {
                let var = variable(terms, element);
                let drawn = var.and_then(|var| values.get(var)).unwrap_or(0);
                let value = state.element(array, index, drawn);
                if let Some(var) = var {
                    values.set(var, value);
                }
            }
        }
        values
    }

    /// The address of a new node, or sometimes 0.
    fn address(&mut self) -> u128 {
        self.last_address += ALIGNMENT;
        match self.rng.u8(0..16) {
            0 => 0,
            _ => self.last_address,
        }
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

/// Gives variables of elements the values at an index. Returns whether any is not known but drawn.
fn draw(
    rng: &mut Rng,
    formulas: &Formulas<'_>,
    (state, index): (&Running, u128),
    elements: &[(LocationId, Var)],
    sample: &mut Sample,
) -> bool {
    let mut is_drawn = false;
    for &(array, var) in elements {
        let known = state.known_element(array, index);
        let width = formulas.arena.terms.width(formulas.model.at_start[array]);
        let value = known.unwrap_or_else(|| rng.u128(..) & expr::mask(width));
        is_drawn |= known.is_none();
        sample.insert(var, value);
    }
    is_drawn
}
