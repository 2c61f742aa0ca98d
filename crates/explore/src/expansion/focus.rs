//! A path that executions are to follow, but for what happens in the calls that were replaced on it, and
//! the flips that may do it.
//!
//! Candidates are flips on paths that agree as far as they have come. Only the execution says
//! whether a flip gets farther, whatever the calls before it changed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ir::input::InputValue;
use ir::{CellId, CodeEdge, FunctionId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{ConstraintKind, WholeEdge};

use super::ahead::Ahead;
use super::aim::Ground;
use super::demands::Demands;
use super::regions::{Region, Station};
use super::summaries::{Occasion, Plan};
use super::trails::{Trail, Trails};
use super::within::UnitCall;
use crate::path_tree::{Flip, NodeId};
use crate::strategy::Place;

/// The lower, the earlier it is tried: behind how many edges of the path, what it is, how far it is and
/// how often the like was tried.
type Score = (Reverse<u32>, Kind, u32);

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A decision of the path.
    Decision,
    /// That a call is executed.
    Call,
    /// A decision in a call that was replaced on the path.
    Inside,
}

/// A pending flip, seen from a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub flip: Flip,
    pub station: &'a Station,
    pub place: Place,
    /// The edge that it takes, if it is of a branch.
    pub edge: Option<CodeEdge>,
    /// How far it is from the end of its function.
    pub distance: u32,
}

/// How many known paths were tried for a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    /// How many were looked at.
    pub looked: usize,
    /// How many of them fitted.
    pub fitted: u32,
    /// Whether the last was tried along with paths for the calls that come next, but not by itself.
    pub is_further: bool,
}

/// A path to follow; see the module.
#[derive(Debug)]
pub(crate) struct Focus {
    path: Vec<WholeEdge>,
    /// How many of its edges are to be followed.
    pub length: usize,
    /// The calls that were executed on it.
    entered: FxHashSet<ObjectId>,
    /// What the others return on it, and what they change.
    pub values: Vec<(CellId, InputValue)>,
    /// What is demanded of their results.
    pub demands: Demands,
    candidates: BinaryHeap<(Reverse<Score>, Reverse<u32>, Flip)>,
    /// Candidates that were put off, since there is little hope for them.
    hopeless: Vec<(Reverse<Score>, Reverse<u32>, Flip)>,
    tries: FxHashMap<Place, u32>,
    added: u32,
    /// How many edges of the path lead to a place; nothing if it is off the path.
    positions: FxHashMap<Trail, Option<u32>>,
    /// The node of the first call that was replaced on it.
    pub first: Option<NodeId>,
    /// That call, with its node, if it is known where it begins to look at
    /// inputs.
    pub next_call: Option<(NodeId, Occasion)>,
    /// All that were, in order.
    pub next_calls: Vec<(ObjectId, FunctionId)>,
    /// What was tried of known paths.
    pub attempts: Attempts,
    /// What is to be tried next of them.
    pub plan: Option<Plan>,
    /// The calls that were executed on it though one before them was not.
    pub ahead: Ahead,
    /// How many edges of the unit demand what flips were left out for that cannot meet it.
    pub refuted: usize,
    /// Nodes whose ways stood in the way of it.
    pub blamed: FxHashSet<NodeId>,
    /// Executions that may still be spent on it.
    pub budget: u32,
}

impl Focus {
    /// On a path with these calls executed.
    pub fn new(path: Vec<WholeEdge>, entered: FxHashSet<ObjectId>, budget: u32) -> Focus {
        Focus {
            length: path.len(),
            path,
            entered,
            values: Vec::new(),
            demands: Demands::default(),
            candidates: BinaryHeap::new(),
            hopeless: Vec::new(),
            tries: FxHashMap::default(),
            added: 0,
            positions: FxHashMap::from_iter([(Trails::START, Some(0))]),
            first: None,
            next_call: None,
            next_calls: Vec::new(),
            attempts: Attempts::default(),
            plan: None,
            ahead: Ahead::default(),
            refuted: 0,
            blamed: FxHashSet::default(),
            budget,
        }
    }

    /// Whether a call was executed on it.
    pub fn is_entered(&self, call: ObjectId) -> bool {
        self.entered.contains(&call)
    }

    /// How many calls were executed on it.
    pub fn entered(&self) -> usize {
        self.entered.len()
    }

    /// How many edges of the path lead to a place; nothing if it is off the path.
    pub fn position(&mut self, trail: Trail, trails: &Trails) -> Option<u32> {
        let mut unknown = Vec::new();
        let mut here = trail;
        let mut position = loop {
            if let Some(&known) = self.positions.get(&here) {
                break known;
            }
            let (before, edge) = trails.before(here)?;
            unknown.push((here, edge));
            here = before;
        };
        for (trail, edge) in unknown.into_iter().rev() {
            let mut around = trails.around(edge.call);
            let is_free = !around.all(|call| self.entered.contains(&call));
            position = position.and_then(|position| match is_free {
                true => Some(position),
                false => (self.path.get(position as usize) == Some(&edge)).then_some(position + 1),
            });
            self.positions.insert(trail, position);
        }
        position
    }

    /// Whether the path leads to a place, all of it that is to be followed.
    pub fn ends_at(&mut self, trail: Trail, trails: &Trails) -> bool {
        self.position(trail, trails) == Some(self.length as u32)
    }

    /// The outermost call around a station that was replaced on the path.
    pub fn replaced<'s>(&self, station: &'s Station) -> Option<&'s UnitCall> {
        let mut calls = station.calls.iter();
        calls.find(|call| !self.entered.contains(&call.call))
    }

    /// Adds a flip, if it keeps to the path.
    pub fn add(&mut self, candidate: &Candidate<'_>, trails: &Trails) {
        let Some(position) = self.position(candidate.station.trail, trails) else {
            return;
        };
        let is_on_path = self.is_on_path(candidate.station);
        let path = &self.path[..self.length];
        let wanted = path.get(position as usize).map(|edge| edge.edge);
        let agrees = match candidate.edge.filter(|_| is_on_path) {
            Some(edge) => wanted == Some(edge),
            None => position as usize <= path.len(),
        };
        if agrees && self.may_try(candidate) {
            self.push(candidate, position);
        }
    }

    /// Whether the edges that are taken at a station are of the path, and not of a call that was
    /// replaced on it or of one that is never replaced.
    fn is_on_path(&self, station: &Station) -> bool {
        self.replaced(station).is_none() && (station.inside || !station.calls.is_empty())
    }

    /// Not every node behind a call that was replaced leads anywhere.
    fn may_try(&self, candidate: &Candidate<'_>) -> bool {
        match candidate.station.region {
            Region::Start | Region::Real => true,
            Region::Mixed => !is_call(candidate.place),
            Region::Abstract => false,
        }
    }

    fn push(&mut self, candidate: &Candidate<'_>, position: u32) {
        let score = self.score(candidate, position);
        // Of equals, the last comes first.
        self.added += 1;
        let age = Reverse(u32::MAX - self.added);
        self.candidates.push((Reverse(score), age, candidate.flip));
    }

    fn score(&self, candidate: &Candidate<'_>, position: u32) -> Score {
        let kind = match (is_call(candidate.place), self.is_on_path(candidate.station)) {
            (true, _) => Kind::Call,
            (false, true) => Kind::Decision,
            (false, false) => Kind::Inside,
        };
        let tries = self.tries.get(&candidate.place).copied().unwrap_or(0);
        let cost = match kind {
            Kind::Decision | Kind::Call => 0,
            Kind::Inside => candidate.distance + tries,
        };
        (Reverse(position), kind, cost)
    }

    /// Whether the best candidate is a decision of the path itself, or behind the first call that was
    /// replaced on it.
    pub fn leads_on(&mut self, ground: &Ground) -> bool {
        let Some((Reverse((Reverse(best), kind, _)), ..)) = self.candidates.peek() else {
            return false;
        };
        let (best, is_decision) = (*best, *kind == Kind::Decision);
        let first = self.first.and_then(|first| ground.stations.of(first));
        let first = first.and_then(|first| self.position(first.trail, &ground.trails));
        is_decision || first.is_some_and(|first| best > first)
    }

    /// Takes up again what was hopeless and what was left out. Returns whether there is anything.
    pub fn take_heart(&mut self, left_out: Vec<Flip>) -> bool {
        self.candidates.extend(self.hopeless.drain(..));
        let last = Reverse((Reverse(0), Kind::Inside, u32::MAX));
        let left_out = left_out.into_iter();
        let left_out = left_out.map(|flip| (last, Reverse(0), flip));
        self.candidates.extend(left_out);
        !self.candidates.is_empty()
    }

    /// The best candidate. `look` tells what is known of a flip; nothing if it is settled, or leads
    /// nowhere. Those that are hopeless come last.
    pub fn next<'s>(
        &mut self,
        trails: &Trails,
        look: impl Fn(Flip) -> Option<Candidate<'s>>,
        is_hopeless: impl Fn(Flip) -> bool,
    ) -> Option<Flip> {
        while let Some((Reverse(score), _, flip)) = self.candidates.pop() {
            let Some(candidate) = look(flip) else {
                continue;
            };
            let Some(position) = self.position(candidate.station.trail, trails) else {
                continue;
            };
            if self.score(&candidate, position) > score {
                self.push(&candidate, position);
                continue;
            }
            if is_hopeless(flip) {
                self.hopeless.push((Reverse(score), Reverse(0), flip));
                continue;
            }
            *self.tries.entry(candidate.place).or_default() += 1;
            return Some(flip);
        }
        None
    }
}

fn is_call(place: Place) -> bool {
    matches!(place.kind, ConstraintKind::Call(_))
}
