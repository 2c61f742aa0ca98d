//! A partially concretised path: executions are to follow it, except in the calls that are replaced
//! on it (LATEST, section 4.2: the bit vector of a partially expanded path).
//!
//! Candidates are flips on paths that agree with it as far as they go. Only an execution shows
//! whether a flip gets farther, whatever the calls before it changed.

use std::cmp::Reverse;

use ir::input::{CallMode, InputValue};
use ir::{CellId, CodeEdge, FunctionId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{ConstraintKind, WholeEdge};

use super::Joined;
use super::accelerate::Refutation;
use super::candidates::{Candidates, Exhausted, Kind, Score};
use super::facts::Facts;
use super::guards::Guards;
use super::node_info::{NodeInfo, Region, first_replaced};
use super::returns::UnitCall;
use super::whole_paths::{WholeNode, WholePaths};
use crate::branch_site::BranchSite;
use crate::path_tree::{Flip, NodeId};
use crate::strategy::View;

/// A number for each path that is followed, never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PathId(pub u64);

/// A pending flip, seen from a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub flip: Flip,
    pub info: &'a NodeInfo,
    pub place: BranchSite,
    /// The edge that it takes, if it is of a branch.
    pub edge: Option<CodeEdge>,
    /// How far it is from the end of its function.
    pub distance: u32,
}

impl<'a> Candidate<'a> {
    /// The facts about a flip, if it is pending.
    pub fn of(flip: Flip, facts: &'a Facts, view: &View<'_>) -> Option<Candidate<'a>> {
        let info = facts.nodes.of(flip.node)?;
        view.tree.is_pending(flip).then(|| {
            let place = BranchSite::of(flip, view.tree);
            Candidate {
                flip,
                info,
                place,
                edge: view.open_goals.edge(place),
                distance: view.open_goals.to_return(place).unwrap_or(FAR),
            }
        })
    }

    fn is_call(&self) -> bool {
        matches!(self.place.kind, ConstraintKind::Call(_))
    }
}

/// How far a flip is from the end of a function that never returns.
const FAR: u32 = 1 << 16;

/// The path; see the module.
#[derive(Debug)]
pub(crate) struct PartialPath {
    pub id: PathId,
    path: Vec<WholeEdge>,
    /// How many of its edges are to be followed.
    pub length: usize,
    /// The calls that were executed on it.
    entered: FxHashSet<ObjectId>,
    /// The values that the other calls return on it, and those that they change.
    pub values: Vec<(CellId, InputValue)>,
    /// The conditions on their results.
    pub guards: Guards,
    /// The node of the first of them, with the number of edges that lead there.
    pub first: Option<(NodeId, u32)>,
    /// All of them, in order.
    pub replaced: Vec<(ObjectId, FunctionId)>,
    candidates: Candidates,
    /// How often candidates of a place were tried.
    tries: FxHashMap<BranchSite, u32>,
    /// How many edges of the path lead to a place; `None` if it is off the path.
    positions: FxHashMap<WholeNode, Option<u32>>,
    /// Executions that may still be spent on it, if there is a limit.
    budget: Option<u32>,
}

impl PartialPath {
    /// A path with these calls executed.
    pub fn new(id: PathId, path: Vec<WholeEdge>, entered: FxHashSet<ObjectId>) -> PartialPath {
        PartialPath {
            id,
            length: path.len(),
            path,
            entered,
            values: Vec::new(),
            guards: Guards::default(),
            first: None,
            replaced: Vec::new(),
            candidates: Candidates::default(),
            tries: FxHashMap::default(),
            positions: FxHashMap::from_iter([(WholePaths::START, Some(0))]),
            budget: None,
        }
    }

    /// The path, on which so many executions may be spent.
    pub fn within(self, budget: u32) -> PartialPath {
        PartialPath {
            budget: Some(budget),
            ..self
        }
    }

    /// Records the calls that an execution replaced within so many edges of the unit.
    pub fn set_replaced(&mut self, joined: Joined<'_>, edges: usize, facts: &Facts) {
        let execution = joined.execution;
        let replaced = execution.made.iter().filter(|made| {
            let place = execution.unit.places.get(made.at);
            let is_before = place.is_some_and(|place| place.edges as usize <= edges);
            made.mode != CallMode::Entered && is_before
        });
        self.replaced = replaced.map(|made| (made.call, made.function)).collect();
        let first = first_replaced(execution).and_then(|at| joined.path.get(at));
        self.first = first.and_then(|flip| {
            let info = facts.nodes.of(flip.node)?;
            let position = self.position(info.whole, &facts.whole_paths)?;
            Some((flip.node, position))
        });
    }

    /// Whether a call was executed on it.
    pub fn is_entered(&self, call: ObjectId) -> bool {
        self.entered.contains(&call)
    }

    /// How many calls were executed on it.
    pub fn entered(&self) -> usize {
        self.entered.len()
    }

    /// How many edges of the path lead to a place; `None` if it is off the path.
    fn position(&mut self, place: WholeNode, paths: &WholePaths) -> Option<u32> {
        let mut unknown = Vec::new();
        let mut here = place;
        let mut position = loop {
            if let Some(&known) = self.positions.get(&here) {
                break known;
            }
            let (before, edge) = paths.before(here)?;
            unknown.push((here, edge));
            here = before;
        };
        for (place, edge) in unknown.into_iter().rev() {
            let mut around = paths.around(edge.call);
            let is_free = !around.all(|call| self.entered.contains(&call));
            position = position.and_then(|position| match is_free {
                true => Some(position),
                false => (self.path.get(position as usize) == Some(&edge)).then_some(position + 1),
            });
            self.positions.insert(place, position);
        }
        position
    }

    /// Whether the part of the path that is to be followed ends at a place.
    pub fn ends_at(&mut self, place: WholeNode, paths: &WholePaths) -> bool {
        self.position(place, paths) == Some(self.length as u32)
    }

    /// The outermost call around a node that is replaced on the path.
    pub fn replaced_around<'n>(&self, info: &'n NodeInfo) -> Option<&'n UnitCall> {
        let mut calls = info.calls.iter();
        calls.find(|call| !self.entered.contains(&call.call))
    }

    /// Adds a flip, if it is a candidate: its path agrees with this one so far, and each call
    /// before it that may be replaced was executed. No other flip leads to the end of this path.
    pub fn add(&mut self, candidate: &Candidate<'_>, paths: &WholePaths) {
        let Some(position) = self.position(candidate.info.whole, paths) else {
            return;
        };
        let is_on_path = self.is_on_path(candidate.info);
        let path = &self.path[..self.length];
        let wanted = path.get(position as usize).map(|edge| edge.edge);
        let agrees = match candidate.edge.filter(|_| is_on_path) {
            Some(edge) => wanted == Some(edge),
            None => position as usize <= path.len(),
        };
        if agrees && may_follow(candidate) {
            let score = self.score(candidate, position);
            self.candidates.add(candidate.flip, score);
        }
    }

    /// Leaves a flip out on the evidence of a pruning.
    pub fn refute(&mut self, refutation: Refutation) {
        self.candidates.refute(refutation);
    }

    /// Whether the edges that are taken at a node are of the path, and not of a call that is
    /// replaced on it or of one that is never replaced.
    fn is_on_path(&self, info: &NodeInfo) -> bool {
        self.replaced_around(info).is_none() && (info.inside || !info.calls.is_empty())
    }

    fn score(&self, candidate: &Candidate<'_>, position: u32) -> Score {
        let kind = match (candidate.is_call(), self.is_on_path(candidate.info)) {
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

    /// Whether the best candidate is a decision of the path itself, or lies after the first call
    /// that is replaced on it.
    pub fn leads_on(&self) -> bool {
        let Some((Reverse(best), kind, _)) = self.candidates.best() else {
            return false;
        };
        let first = self.first.map(|(_, position)| position);
        kind == Kind::Decision || first.is_some_and(|first| best > first)
    }

    /// Takes out the best candidate that is pending, within the budget. Deferred ones come last.
    pub fn next(
        &mut self,
        facts: &Facts,
        view: &View<'_>,
        mut is_deferred: impl FnMut(Flip) -> bool,
    ) -> Option<Flip> {
        if let Some(budget) = &mut self.budget {
            *budget = budget.checked_sub(1)?;
        }
        while let Some((score, flip)) = self.candidates.take() {
            // The search has settled it, for this path or for another one.
            let Some(candidate) = Candidate::of(flip, facts, view) else {
                continue;
            };
            let Some(position) = self.position(candidate.info.whole, &facts.whole_paths) else {
                continue;
            };
            let now = self.score(&candidate, position);
            if now > score {
                self.candidates.add(flip, now);
            } else if is_deferred(flip) {
                self.candidates.defer(flip, score);
            } else {
                *self.tries.entry(candidate.place).or_default() += 1;
                return Some(flip);
            }
        }
        None
    }

    /// Puts the deferred flips back. Returns whether there is anything to try.
    pub fn resume(&mut self) -> bool {
        self.candidates.resume()
    }

    /// The proof that nothing is left to try, if nothing is.
    pub fn exhausted(&mut self) -> Option<Exhausted> {
        self.candidates.exhausted()
    }
}

/// Whether a flip may lead on: in a path with replaced calls, another call is executed only when
/// the replaced call before it is.
fn may_follow(candidate: &Candidate<'_>) -> bool {
    match candidate.info.region {
        Region::Start | Region::Real => true,
        Region::Mixed => !candidate.is_call(),
        Region::Abstract => false,
    }
}
