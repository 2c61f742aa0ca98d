//! An abstract path that is to be made real, and the flips that may do it (LATEST, section 4.1: what
//! `concretize` does, without state as in section 4.2).
//!
//! Candidates are flips on paths that agree with the target as far as they have come. Nobody but the
//! execution says whether a flip gets farther, whatever the calls before it changed. When no candidate
//! is left, nothing takes the target.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use coverage::GoalId;
use expr::Term;
use ir::input::InputValue;
use ir::{CellId, CodeEdge, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::regions::{Region, Station};
use super::units::{Ending, UnitNode};
use crate::path_tree::{Flip, NodeId};
use crate::strategy::Place;

/// What an abstract path is to be made real for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The path itself, to its end.
    Path(Ending),
    /// A goal, which it covers last.
    Goal(GoalId),
}

/// An abstract path.
#[derive(Clone, Debug)]
pub(crate) struct AbstractPath {
    /// The edges of the unit that it takes.
    pub edges: Vec<CodeEdge>,
    /// The places that it comes by, one more than there are edges.
    pub places: Vec<UnitNode>,
    /// What calls return on it, and what they change.
    pub values: Vec<(CellId, InputValue)>,
    /// How it ends, if it ends well.
    pub ending: Option<Ending>,
    /// What is demanded of the results of its calls.
    pub demands: FxHashMap<ObjectId, Vec<Term>>,
    /// The goals that it comes to, each with the number of edges that lead there, in this order.
    pub goals: Vec<(GoalId, usize)>,
}

impl AbstractPath {
    /// The target that it is for a purpose, which so many edges lead to.
    pub fn target(self, purpose: Purpose, length: usize) -> Target {
        Target {
            purpose,
            length,
            path: self,
            budget: FIRST_BUDGET,
            spent: 0,
            candidates: BinaryHeap::new(),
            in_vain: FxHashSet::default(),
            tries: FxHashMap::default(),
            added: 0,
            attempts: FxHashMap::default(),
        }
    }
}

/// The lower, the earlier it is tried: behind how many edges of the unit, whether it is up to a callee
/// to get there, how far it is and how often the like was tried.
type Score = (Reverse<u32>, bool, u32);

/// A target; see the module.
#[derive(Debug)]
pub(crate) struct Target {
    pub purpose: Purpose,
    /// How many edges of the path lead there.
    pub length: usize,
    pub path: AbstractPath,
    /// Executions that may be spent before it is another target's turn.
    pub budget: u32,
    /// Those that were.
    pub spent: u32,
    candidates: BinaryHeap<(Reverse<Score>, Reverse<u32>, Flip)>,
    /// Calls behind which an execution left the path though they were replaced.
    in_vain: FxHashSet<Flip>,
    tries: FxHashMap<Place, u32>,
    added: u32,
    /// For each call that a known path was looked for, how many were, and how many fitted.
    pub attempts: FxHashMap<NodeId, (usize, u32)>,
}

impl Target {
    /// The edges up to the purpose.
    pub fn edges(&self) -> &[CodeEdge] {
        &self.path.edges[..self.length]
    }

    /// The places up to the purpose.
    pub fn places(&self) -> &[UnitNode] {
        &self.path.places[..=self.length]
    }

    /// Whether a flip at a station keeps to the target. `edge` is the one that it takes, if it is of a
    /// branch.
    pub fn agrees(&self, station: Station, edge: Option<CodeEdge>) -> bool {
        let position = station.position as usize;
        let is_on = self.places().get(position) == Some(&station.place);
        let decides = edge.filter(|_| station.inside);
        is_on && decides.is_none_or(|edge| self.edges().get(position) == Some(&edge))
    }

    /// Whether the path of an execution in which calls were replaced keeps to the target.
    pub fn is_followed(&self, edges: &[CodeEdge], how: Option<Ending>) -> bool {
        match self.purpose {
            Purpose::Path(Ending::Returned) => {
                self.edges() == edges && how == Some(Ending::Returned)
            }
            // One of the calls that were replaced may be where it ends.
            Purpose::Path(Ending::InCallee) | Purpose::Goal(_) => edges.starts_with(self.edges()),
        }
    }

    /// Adds a flip that agrees. `distance` is how far it is from the end of its function.
    pub fn add(&mut self, flip: Flip, station: Station, place: Place, distance: u32) {
        let score = self.score(station, place, distance);
        // Of equals, the last comes first.
        self.added += 1;
        let age = Reverse(u32::MAX - self.added);
        self.candidates.push((Reverse(score), age, flip));
    }

    fn score(&self, station: Station, place: Place, distance: u32) -> Score {
        let is_deed = matches!(place.kind, vm::ConstraintKind::Call(_)) || station.inside;
        let tries = self.tries.get(&place).copied().unwrap_or(0);
        let cost = if is_deed { 0 } else { distance + tries };
        (Reverse(station.position), !is_deed, cost)
    }

    /// The best candidate. `look` tells of a flip where it is, which place that is, and how far from the
    /// end of its function; nothing if it is settled.
    pub fn next(&mut self, look: impl Fn(Flip) -> Option<(Station, Place, u32)>) -> Option<Flip> {
        while let Some((Reverse(score), _, flip)) = self.candidates.pop() {
            let Some((station, place, distance)) = look(flip) else {
                continue;
            };
            if self.in_vain.contains(&flip) {
                continue;
            }
            if self.score(station, place, distance) > score {
                self.add(flip, station, place, distance);
                continue;
            }
            *self.tries.entry(place).or_default() += 1;
            return Some(flip);
        }
        None
    }

    /// Takes note of whether an execution kept to the path behind a call that was replaced.
    pub fn note_replaced(&mut self, expand: Flip, keeps: bool) {
        match keeps {
            true => self.in_vain.remove(&expand),
            false => self.in_vain.insert(expand),
        };
    }

    /// Whether a flip may be a candidate at all: not every node behind a call that was replaced.
    pub fn may_try(station: Station, is_call: bool) -> bool {
        match station.region {
            Region::Start | Region::Real => true,
            Region::Mixed => !is_call,
            Region::Abstract => false,
        }
    }
}

/// Executions for a target before others have their turn.
const FIRST_BUDGET: u32 = 2_000;
