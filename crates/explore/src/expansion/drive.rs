//! What is tried next: flips for the target, then flips to further abstract paths, then targets that
//! were put aside.

use coverage::GoalId;
use expr::{Term, Terms};
use ir::input::{CallMode, InputSpace, InputVector, Root};
use ir::{CellId, ObjectId};
use rustc_hash::FxHashMap;
use vm::{ConstraintKind, Execution};

use super::regions::{Station, first_replaced};
use super::summaries::Occasion;
use super::target::{AbstractPath, Purpose, Target};
use super::units::{UnitNode, Units};
use super::{Expansion, ending};
use crate::path_tree::{Demands, Flip, PathTree};
use crate::strategy::{Place, Run, View};

/// What is to be done next.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// To execute this, for the target.
    Input(Box<InputVector>),
    /// To try a flip, for the target.
    Expand(Flip),
    /// To execute a call on a known path, for the target: by this way, with these demands.
    Again(Flip, Vec<Term>),
    /// To look for another abstract path by a flip.
    Abstract(Flip),
}

/// An execution that has joined the tree.
#[derive(Clone, Copy)]
pub(crate) struct Joined<'a> {
    pub execution: &'a Execution,
    /// The nodes on its path.
    pub path: &'a [Flip],
    /// Where its path through the unit comes by.
    pub places: &'a [UnitNode],
    /// The open goals that it comes to, if goals are what counts, each with the number of edges that
    /// lead there, in this order.
    pub goals: &'a [(GoalId, usize)],
}

impl Expansion {
    /// Takes note of pending flips that may make an abstract path real.
    pub fn wait(&mut self, flips: &[Flip], view: &View<'_>) {
        for &flip in flips {
            let Some(station) = self.stations.of(flip.node) else {
                continue;
            };
            self.waiting.entry(station.place).or_default().push(flip);
            if let Some(target) = &mut self.target {
                add(target, flip, station, view);
            }
        }
    }

    /// Takes note of pending flips that lead to further abstract paths.
    pub fn ready(&mut self, run: &Run<'_>, view: &View<'_>) {
        self.strategy.executed(run, view);
    }

    /// Takes note of an execution: it may have reached the target, or be the next one.
    pub fn executed(
        &mut self,
        joined: Joined<'_>,
        (space, terms): (&mut InputSpace, &mut Terms),
        view: &View<'_>,
    ) {
        let execution = joined.execution;
        self.note_calls(joined);
        self.summaries.learn(execution, space, terms);
        if execution.abstracted > 0 && !(execution.losses.is_empty() && execution.bounds.is_empty())
        {
            self.lose();
        }
        if self.target.is_some() {
            self.note_attempt(joined, (space, terms), view);
        } else if execution.abstracted > 0
            && let Some(target) = self.target_of(abstract_path(joined, space, terms), |_| false)
        {
            self.statistics.abstract_paths += 1;
            self.aim(target, view);
            self.note_attempt(joined, (space, terms), view);
        }
    }

    /// Takes note of which goals are covered: what the target is for may be among them.
    pub fn reached(&mut self, is_covered: impl Fn(GoalId) -> bool, view: &View<'_>) {
        let units = &self.units;
        let is_reached = |target: &mut Target| match target.purpose {
            Purpose::Goal(goal) => is_covered(goal),
            Purpose::Path(ending) => {
                let last = target.places().last();
                last.is_some_and(|&last| units.is_known(last, ending))
            }
        };
        let Some(target) = self.target.take_if(is_reached) else {
            return;
        };
        self.input = None;
        let next = match target.purpose {
            Purpose::Path(_) => None,
            Purpose::Goal(_) => self.target_of(target.path, is_covered),
        };
        match next {
            Some(next) => self.aim(next, view),
            None => self.statistics.concretised += 1,
        }
    }

    /// What an abstract path is to be made real for, if for anything.
    fn target_of(&self, path: AbstractPath, is_covered: impl Fn(GoalId) -> bool) -> Option<Target> {
        if self.criterion.paths().is_none() {
            let mut goals = path.goals.iter().copied();
            let (goal, length) = goals.find(|(goal, _)| !is_covered(*goal))?;
            return Some(path.target(Purpose::Goal(goal), length));
        }
        let (ending, last) = (path.ending?, *path.places.last()?);
        let is_open = !self.units.is_known(last, ending) && !self.units.is_finished(last);
        let length = path.edges.len();
        is_open.then(|| path.target(Purpose::Path(ending), length))
    }

    /// What is to be done next, if anything.
    pub fn next(
        &mut self,
        (space, terms): (&mut InputSpace, &mut Terms),
        view: &View<'_>,
    ) -> Option<Step> {
        loop {
            if let Some(input) = self.input.take() {
                return Some(Step::Input(input));
            }
            if self.target.is_some() {
                if let Some((flip, demands)) = self.again((space, terms), view) {
                    return Some(Step::Again(flip, demands));
                }
                if let Some(flip) = self.next_of_target(view) {
                    return Some(Step::Expand(flip));
                }
            } else if let Some(flip) = self.strategy.next(view) {
                if view.tree.is_pending(flip) {
                    return Some(Step::Abstract(flip));
                }
            } else {
                let target = self.put_aside.pop_front()?;
                self.aim(target, view);
            }
        }
    }

    /// What the target says of inputs that an input for one of its flips leaves open.
    pub fn complete(&self, input: &mut InputVector, flip: Flip) {
        let station = self.stations.of(flip.node);
        let is_real = station.is_some_and(|station| station.region.is_real());
        if let Some(target) = self.target.as_ref().filter(|_| is_real) {
            input.values.extend(target.path.values.iter().copied());
        }
    }

    /// A known path through a call that may lead on to the target: through one of the last calls that
    /// executions made on it.
    fn again(
        &mut self,
        (space, terms): (&mut InputSpace, &mut Terms),
        view: &View<'_>,
    ) -> Option<(Flip, Vec<Term>)> {
        let target = self.target.as_mut()?;
        for place in target.places().to_vec().iter().rev() {
            let occasions = self.occasions.get(place).into_iter().flatten().rev();
            let known = occasions.filter(|(node, _)| view.tree.get(*node).is_some());
            for &(node, occasion) in known.take(CALLS) {
                let of_result = target.path.demands.get(&occasion.call);
                let of_result = of_result.map_or(&[][..], Vec::as_slice).to_vec();
                let (next, fits) = target.attempts.entry(node).or_default();
                while *fits < ATTEMPTS && *next < self.summaries.len(occasion.function) {
                    *next += 1;
                    let surroundings = (&mut *space, &mut *terms);
                    let summary = (*next - 1, occasion);
                    let demands = self.summaries.demands(summary, &of_result, surroundings);
                    if let Some(demands) = demands
                        && let Some(flip) = expansion(node, view.tree)
                    {
                        *fits += 1;
                        return Some((flip, demands));
                    }
                }
            }
        }
        None
    }

    /// Takes note of where an execution made calls.
    fn note_calls(&mut self, joined: Joined<'_>) {
        for (at, occasion) in Occasion::all(joined.execution) {
            let Some(node) = joined.path.get(at).map(|flip| flip.node) else {
                return;
            };
            let Some(station) = self.stations.of(node).filter(|at| at.region.is_real()) else {
                continue;
            };
            let there = self.occasions.entry(station.place).or_default();
            if there.iter().all(|(known, _)| *known != node) {
                there.push((node, occasion));
            }
        }
    }

    /// Takes note that a known path is taken again.
    pub fn note_again(&mut self) {
        self.statistics.summaries_used += 1;
    }

    /// The next flip for the target; if there is none, or it took too long, there is no target any
    /// more.
    fn next_of_target(&mut self, view: &View<'_>) -> Option<Flip> {
        let stations = &self.stations;
        let target = self.target.as_mut()?;
        if target.spent < target.budget {
            target.spent += 1;
            let look = |flip: Flip| look(flip, stations.of(flip.node)?, view);
            if let Some(flip) = target.next(look) {
                return Some(flip);
            }
            self.target
                .take()
                .into_iter()
                .for_each(|target| self.give_up(target));
        } else if let Some(mut target) = self.target.take() {
            target.budget *= 2;
            self.put_aside.push_back(target);
        }
        None
    }

    /// Nothing takes the target, or so it seems. No call could be expanded behind the first place that
    /// only executions with all calls replaced came to.
    fn give_up(&mut self, target: Target) {
        if !self.is_exact {
            return;
        }
        self.statistics.spurious += 1;
        let places = target.places();
        let unvisited = places.iter().find(|&&place| !self.units.was_visited(place));
        let last = places.last().copied().unwrap_or(Units::START);
        let is_reached = self.units.was_reached(last);
        match (unvisited, target.purpose) {
            (Some(&place), _) => self.units.rule_out(place),
            (None, _) if !is_reached => self.units.rule_out(last),
            (None, Purpose::Path(ending)) => {
                self.units.ended(last, ending);
            }
            // It was reached, but by no execution that counts.
            (None, Purpose::Goal(_)) => self.is_exact = false,
        }
    }

    /// Turns to a target.
    fn aim(&mut self, mut target: Target, view: &View<'_>) {
        for place in target.places().to_vec() {
            if let Some(waiting) = self.waiting.get_mut(&place) {
                waiting.retain(|&flip| view.tree.is_pending(flip));
                for &flip in waiting.iter() {
                    if let Some(station) = self.stations.of(flip.node) {
                        add(&mut target, flip, station, view);
                    }
                }
            }
        }
        self.target = Some(target);
    }

    /// Takes note of how far an execution came for the target.
    fn note_attempt(
        &mut self,
        joined: Joined<'_>,
        (space, terms): (&InputSpace, &Terms),
        view: &View<'_>,
    ) {
        let execution = joined.execution;
        let Some(target) = &mut self.target else {
            return;
        };
        let keeps = target.is_followed(&execution.unit.edges, ending(&execution.outcome));
        let Some(first) = first_replaced(execution) else {
            return;
        };
        let is_behind = execution.unit.places[first].edges as usize >= target.length;
        if keeps && is_behind && matches!(target.purpose, Purpose::Goal(_)) {
            self.input = Some(Box::new(expanded(execution, first)));
        }
        let node = joined.path.get(first).map(|at| at.node);
        let expand = node.and_then(|node| expansion(node, view.tree));
        let station = node.and_then(|node| self.stations.of(node));
        if let Some((expand, station)) = expand.zip(station) {
            target.note_replaced(expand, keeps);
            if keeps {
                // Calls in those that were expanded have demands of their own.
                let further = demands(execution, space, terms);
                further.into_iter().for_each(|(call, demands)| {
                    target.path.demands.entry(call).or_insert(demands);
                });
                add(target, expand, station, view);
            }
        }
    }
}

/// The path of an abstract execution.
fn abstract_path(joined: Joined<'_>, space: &InputSpace, terms: &Terms) -> AbstractPath {
    let execution = joined.execution;
    let values = execution.inputs.values.iter();
    let values = values.filter(|(cell, _)| is_of_call(space, **cell));
    AbstractPath {
        edges: execution.unit.edges.clone(),
        places: joined.places.to_vec(),
        values: values.map(|(&cell, &value)| (cell, value)).collect(),
        ending: ending(&execution.outcome),
        demands: demands(execution, space, terms),
        goals: joined.goals.to_vec(),
    }
}

/// What a path demands of the results of its calls.
fn demands(
    execution: &Execution,
    space: &InputSpace,
    terms: &Terms,
) -> FxHashMap<ObjectId, Vec<Term>> {
    let mut demands: FxHashMap<ObjectId, Vec<Term>> = FxHashMap::default();
    for constraint in &execution.path {
        let variables = terms.variables(constraint.term);
        if variables.len() > FEW {
            continue;
        }
        for var in variables {
            let cell = space.cell_data(CellId::from_raw(var.0));
            if let Root::Returned(call) = space.object_data(cell.object).root {
                demands.entry(call).or_default().push(constraint.term);
            }
        }
    }
    demands
}

/// The input of an execution, to execute what was replaced from a constraint of its path on.
fn expanded(execution: &Execution, first: usize) -> InputVector {
    let before = execution.path[..first].iter();
    let calls = before.filter_map(|constraint| match constraint.kind {
        ConstraintKind::Call(call) => Some((call, CallMode::ALL[constraint.taken as usize])),
        _ => None,
    });
    InputVector {
        values: execution.inputs.values.clone(),
        calls: calls.collect(),
        expands: true,
        ..InputVector::default()
    }
}

/// The way out of a node that executes its call.
fn expansion(node: crate::path_tree::NodeId, tree: &PathTree) -> Option<Flip> {
    let ways = tree.get(node)?.ways.iter();
    let entered = ways
        .enumerate()
        .find(|(_, way)| matches!(way.demands, Demands::Call(_, CallMode::Entered)));
    entered.map(|(way, _)| Flip {
        node,
        way: way as u32,
    })
}

/// Adds a flip to a target that it keeps to.
fn add(target: &mut Target, flip: Flip, station: Station, view: &View<'_>) {
    let Some((station, place, distance)) = look(flip, station, view) else {
        return;
    };
    let is_call = matches!(place.kind, ConstraintKind::Call(_));
    if Target::may_try(station, is_call) && target.agrees(station, view.targets.edge(place)) {
        target.add(flip, station, place, distance);
    }
}

/// Where a pending flip is, and how far from the end of its function.
fn look(flip: Flip, station: Station, view: &View<'_>) -> Option<(Station, Place, u32)> {
    view.tree.is_pending(flip).then(|| {
        let place = Place::of(flip, view.tree);
        let distance = view.targets.to_return(place).unwrap_or(FAR);
        (station, place, distance)
    })
}

/// What is demanded of a result along with many other inputs is no help in finding a path.
const FEW: usize = 4;

/// How many of the last calls at one place are looked at for known paths.
const CALLS: usize = 2;

/// How many known paths that fit are tried for one call.
const ATTEMPTS: u32 = 8;

/// How far a flip is from the end of a function that never returns.
const FAR: u32 = 1 << 16;

/// Whether a cell is what a call returned that was replaced, or what it changed.
fn is_of_call(space: &InputSpace, cell: CellId) -> bool {
    match space.object_data(space.cell_data(cell).object).root {
        Root::Returned(_) | Root::Changed { .. } => true,
        Root::Pointee(pointer) => is_of_call(space, pointer),
        _ => false,
    }
}
