//! Which flips lead to abstract paths that no execution covered (PathCrawler, section 5).
//!
//! ```text
//! tree of abstract paths    a node for each prefix; closed once all sides of the decision behind it
//!                           were taken and are closed, or a path ends there and none goes on
//! a flip is needed :=       its edge is one of the abstract tree that no execution took, or leads to
//!                           a node that is not closed
//! ```
//!
//! A flip inside a call, or among the conditions of a decision, leads to the node that the execution
//! was at: it may be another way to an abstract path that could not be covered in the first one.
//! Whether an abstract path is infeasible is known once no flip is needed.
//!
//! Where paths have an order, no flip is needed either that leads to the beginning of a path which is
//! dominated by that of another one, if the node of the latter is closed: then each path that may follow
//! is dominated by one that is covered.

use std::collections::BTreeSet;

use coverage::{
    AbstractPaths, AbstractStep, GoalId, Goals, InfeasiblePath, PathNode, PathStatistics, PathTrie,
    WalkedEdge, WalkedPath,
};
use ir::test::Outcome;
use ir::{CodeEdge, TraceEvent};
use rustc_hash::FxHashMap;
use vm::{ConstraintKind, Execution};

use crate::path_tree::{Flip, Inserted, PathTree};

/// With fewer flips, those that were settled are not looked for.
const SMALL: usize = 1 << 16;

/// How many edges that no input decides on wait for their turn.
const MOST_CONSTANTS: usize = 1_000_000;

/// How many steps that no input takes are recorded, and how many of these are told.
const MOST_REFUTED: usize = 10_000;
const MOST_TOLD: usize = 200;

/// See the module.
pub(crate) struct AbstractSearch<'a> {
    paths: AbstractPaths<'a>,
    /// Whether a decision that comes next follows from the abstract path so far, and all that may end
    /// it, so that nodes can be closed.
    is_determined: bool,
    /// How many events executions record; the paths of longer ones are not known.
    most_events: usize,
    tree: PathTrie<AbstractStep, Standing>,
    /// Where pending flips lead.
    behind: FxHashMap<Flip, Place>,
    /// How many of these there may be before those that were settled are forgotten.
    most_flips: usize,
    /// Edges that executions did not take, and that no input decides on, in the order in which a
    /// depth-first search comes to them, the next one last.
    constants: Vec<Place>,
    /// Where paths have an order: the ends of those that no other one dominated when it was covered.
    covered: Vec<PathNode>,
    /// Steps that no input takes in some way, from nodes of the tree.
    refuted: BTreeSet<(PathNode, AbstractStep)>,
    pub statistics: PathStatistics,
}

/// The path of an execution, as the criterion tells it.
pub(crate) struct TakenPath {
    /// Whether no execution before it took this path, or one that dominates it.
    pub is_new: bool,
    /// Its number, if it is new and a later one may dominate it.
    pub number: Option<usize>,
    /// Its text, if it is new and known.
    pub text: Option<String>,
}

impl TakenPath {
    /// A path that is as new as its place in the path tree.
    pub fn without_text(inserted: &Inserted) -> TakenPath {
        TakenPath {
            is_new: inserted.new_path,
            number: None,
            text: None,
        }
    }
}

/// What is known of a node of the abstract tree.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// Whether an abstract path ends here.
    is_end: bool,
    /// Whether one goes on.
    goes_on: bool,
    /// The decision behind it, by one of its edges.
    decision: Option<AbstractStep>,
    /// How many of its sides are closed.
    closed_sides: usize,
    is_closed: bool,
}

/// A place where another edge may be taken.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The number of its event in the trace.
    event: usize,
    /// Whether it is at a branch of the program.
    is_branch: bool,
    behind: Behind,
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug)]
enum Behind {
    /// To paths that do not count.
    Beyond,
    /// To the node that the execution was at.
    Node(PathNode),
    /// Along a step of the abstract tree.
    Step(PathNode, AbstractStep),
}

impl<'a> AbstractSearch<'a> {
    /// A search for abstract paths, none of which is covered. Executions record so many events.
    pub fn new(
        paths: AbstractPaths<'a>,
        is_determined: bool,
        most_events: usize,
    ) -> AbstractSearch<'a> {
        AbstractSearch {
            paths,
            most_events,
            is_determined,
            tree: PathTrie::default(),
            behind: FxHashMap::default(),
            most_flips: SMALL,
            constants: Vec::new(),
            covered: Vec::new(),
            refuted: BTreeSet::new(),
            statistics: PathStatistics::default(),
        }
    }

    /// Records an execution that has joined the path tree, and that was made for a flip.
    pub fn joined(
        &mut self,
        execution: &Execution,
        inserted: &Inserted,
        flip: Option<Flip>,
        edge_of: impl Fn(Flip) -> Option<CodeEdge>,
    ) -> TakenPath {
        let Some(trace) = execution.visited.ordered.as_ref() else {
            return TakenPath::without_text(inserted);
        };
        let before = execution.visited.ordered_precondition.as_ref();
        let before = before.map_or(0, |trace| trace.len());
        let decided = decided_events(execution, before);
        let since = flip.and_then(|flip| self.behind.get(&flip));
        let since = since.map_or(0, |place| place.event + 1);
        let walked = self.paths.walk(trace);
        let is_exit = matches!(execution.outcome, Outcome::Exit(_));
        let ends_well = execution.outcome == Outcome::Return || is_exit;
        let is_recorded = before + trace.len() < self.most_events;
        if !is_recorded || (ends_well && !is_exit && !walked.has_returned) {
            // The rest of its path is not known: each one of the path tree counts.
            return TakenPath::without_text(inserted);
        }
        let nodes = self.tree.walk(&walked.path);
        for (step, &node) in walked.path.iter().zip(&nodes) {
            let standing = &mut self.tree[node];
            standing.goes_on = true;
            let known = *standing.decision.get_or_insert(*step);
            let is_same = self.paths.are_alternatives(known, *step);
            debug_assert!(
                is_same || !self.is_determined,
                "another decision comes next"
            );
        }
        self.note_flips(execution, inserted, (&walked, &nodes, before), edge_of);
        self.note_constants((&walked, &nodes), &decided, since);
        let counts = ends_well && !walked.is_beyond;
        let end = nodes[nodes.len() - 1];
        let is_new = match self.paths.tells_all_apart() {
            true => inserted.new_path,
            false => !self.tree[end].is_end && !self.is_covered_by_others(&walked.path),
        };
        let mut number = None;
        if counts {
            if !self.paths.tells_all_apart() {
                self.end(&walked, &nodes);
            }
            if is_new && self.paths.has_order() {
                number = Some(self.covered.len());
                self.covered.push(end);
            }
            self.statistics.covered += u64::from(is_new);
            self.statistics.redundant += u64::from(!is_new);
        }
        let is_new = counts && is_new;
        TakenPath {
            is_new,
            number,
            text: is_new.then(|| self.paths.text(trace)),
        }
    }

    /// The beginning of the paths that a flip leads to, by the execution of the input that it was found
    /// with; `edge` is the one that the flip takes, if it is at a branch.
    pub fn prefix_text(
        &self,
        flip: Flip,
        execution: &Execution,
        edge: Option<CodeEdge>,
    ) -> Option<String> {
        let place = self.behind.get(&flip)?;
        let trace = execution.visited.ordered.as_ref()?;
        let end = edge.filter(|_| place.is_branch).map(TraceEvent::Edge);
        let prefix = trace.with_other_end(place.event, end);
        Some(self.paths.text(&prefix))
    }

    /// Records where the flips lead that an execution made pending.
    fn note_flips(
        &mut self,
        execution: &Execution,
        inserted: &Inserted,
        (walked, nodes, before): (&WalkedPath, &[PathNode], usize),
        edge_of: impl Fn(Flip) -> Option<CodeEdge>,
    ) {
        let mut pending = inserted.pending.iter().copied().peekable();
        for (step, constraint) in inserted.path.iter().zip(&execution.path) {
            while let Some(flip) = pending.next_if(|flip| flip.node == step.node) {
                let Some(event) = constraint.events.checked_sub(before) else {
                    continue;
                };
                let at = walked.edges.partition_point(|edge| edge.event < event);
                let place = walked.edges.get(at);
                let branch = place.filter(|place| {
                    place.event == event && constraint.kind == ConstraintKind::Branch
                });
                let behind = match (branch.zip(edge_of(flip)), place) {
                    (Some((place, edge)), _) => self.behind(place, nodes, edge),
                    (None, Some(place)) if place.is_beyond => Behind::Beyond,
                    (None, Some(place)) => Behind::Node(nodes[place.before]),
                    (None, None) if walked.is_beyond => Behind::Beyond,
                    (None, None) => Behind::Node(nodes[nodes.len() - 1]),
                };
                let is_branch = branch.is_some();
                let place = Place {
                    event,
                    behind,
                    is_branch,
                };
                self.behind.insert(flip, place);
            }
        }
    }

    /// Where another edge leads than the one that an execution took at a place.
    fn behind(&self, place: &WalkedEdge, nodes: &[PathNode], edge: CodeEdge) -> Behind {
        let node = nodes[place.before];
        if self.paths.leads_beyond(place, edge) {
            return Behind::Beyond;
        }
        match self.paths.step(edge).filter(|_| place.counts) {
            Some(step) => Behind::Step(node, step),
            None => Behind::Node(node),
        }
    }

    /// Records the edges that an execution did not take since an event, and that no input decides on.
    fn note_constants(
        &mut self,
        (walked, nodes): (&WalkedPath, &[PathNode]),
        decided: &[usize],
        since: usize,
    ) {
        for place in walked.edges.iter().filter(|place| place.event >= since) {
            if decided.binary_search(&place.event).is_ok() {
                continue;
            }
            for edge in self.paths.others(place.edge) {
                let behind = self.behind(place, nodes, edge);
                let event = place.event;
                self.constants.push(Place {
                    event,
                    behind,
                    is_branch: true,
                });
            }
        }
        // Whether these are open does not change where there is no tree.
        if self.paths.tells_all_apart() || self.constants.len() > MOST_CONSTANTS {
            self.leave(|_| true);
        }
    }

    /// Records that an abstract path is covered, and closes nodes.
    fn end(&mut self, walked: &WalkedPath, nodes: &[PathNode]) {
        let last = &mut self.tree[nodes[nodes.len() - 1]];
        last.is_end = true;
        if last.is_closed || last.goes_on || !self.is_determined {
            return;
        }
        last.is_closed = true;
        for (edge, &node) in walked.path.iter().zip(nodes).rev() {
            let standing = &mut self.tree[node];
            standing.closed_sides += 1;
            if standing.closed_sides < self.paths.sides(*edge) {
                return;
            }
            standing.is_closed = true;
        }
    }

    /// Whether a flip may lead to an abstract path that is not covered.
    pub fn is_needed(&self, flip: Flip) -> bool {
        self.behind
            .get(&flip)
            .is_none_or(|place| self.is_open(place.behind))
    }

    /// Whether a flip leads to paths that do not count.
    pub fn leads_beyond(&self, flip: Flip) -> bool {
        let place = self.behind.get(&flip);
        place.is_some_and(|place| matches!(place.behind, Behind::Beyond))
    }

    fn is_open(&self, behind: Behind) -> bool {
        match behind {
            Behind::Beyond => false,
            Behind::Node(node) => {
                let path = || self.tree.path_to(node);
                !self.tree[node].is_closed && !self.is_dominated(path)
            }
            Behind::Step(node, step) => {
                let behind = self.tree.behind(node, step);
                let path = || {
                    let mut path = self.tree.path_to(node);
                    path.push(step);
                    path
                };
                behind.is_none_or(|node| !self.tree[node].is_closed) && !self.is_dominated(path)
            }
        }
    }

    /// Whether each path that begins like this is dominated by one that is covered: the beginning of
    /// some path dominates this one, and all that may follow on it is covered.
    fn is_dominated(&self, path: impl FnOnce() -> Vec<AbstractStep>) -> bool {
        if !self.paths.has_order() || !self.is_determined {
            return false;
        }
        let dominators = self.paths.dominators(&self.tree, &path());
        let mut nodes = dominators.into_iter().flatten();
        nodes.any(|node| self.tree[node].is_closed)
    }

    /// Whether a path that is covered dominates this one.
    fn is_covered_by_others(&self, path: &[AbstractStep]) -> bool {
        if !self.paths.has_order() {
            return false;
        }
        let dominators = self.paths.dominators(&self.tree, path);
        let mut nodes = dominators.into_iter().flatten();
        nodes.any(|node| self.tree[node].is_end)
    }

    /// The numbers of the paths that were covered, and that others dominate which are covered.
    pub fn dominated(&self) -> BTreeSet<usize> {
        let covered = self.covered.iter().enumerate();
        let dominated =
            covered.filter(|&(_, &node)| self.is_covered_by_others(&self.tree.path_to(node)));
        dominated.map(|(number, _)| number).collect()
    }

    /// Records that a flip is tried next: a depth-first search is through with what is behind it.
    pub fn tries(&mut self, flip: Flip) {
        if let Some(&Place { event, .. }) = self.behind.get(&flip) {
            self.leave(|place| place.event > event);
        }
    }

    /// The counts, once nothing is left to try.
    pub fn finish(&mut self) -> PathStatistics {
        self.leave(|_| true);
        let dominated = self.dominated().len() as u64;
        PathStatistics {
            covered: self.statistics.covered - dominated,
            redundant: self.statistics.redundant + dominated,
            ..self.statistics.clone()
        }
    }

    /// Counts edges that no input decides on as infeasible partial paths, if they would lead to
    /// abstract paths that are not covered.
    fn leave(&mut self, is_behind: impl Fn(&Place) -> bool) {
        while let Some(place) = self.constants.pop_if(|place| is_behind(place)) {
            if self.is_open(place.behind) {
                self.statistics.infeasible += 1;
                self.note_refuted(place.behind);
            }
        }
    }

    /// Records that a step is infeasible in one way; it may be taken in another.
    fn note_refuted(&mut self, behind: Behind) {
        if let Behind::Step(node, step) = behind
            && self.refuted.len() < MOST_REFUTED
        {
            self.refuted.insert((node, step));
        }
    }

    /// The shortest beginnings of abstract paths that no execution took, if the search tried all that it
    /// needs: they are infeasible.
    pub fn infeasible_paths(&self, goals: &Goals) -> Vec<InfeasiblePath> {
        let refuted = self.refuted.iter();
        let untaken = refuted.filter(|&&(node, step)| self.tree.behind(node, step).is_none());
        let paths = untaken.map(|&(node, step)| {
            let mut path = self.tree.path_to(node);
            path.push(step);
            let mut passed: Vec<GoalId> = path
                .iter()
                .flat_map(|&step| self.paths.goals(goals, step))
                .collect();
            passed.sort_unstable();
            passed.dedup();
            InfeasiblePath {
                path: self.paths.text_of(&path),
                goals: passed,
            }
        });
        paths.take(MOST_TOLD).collect()
    }

    /// Records that no input takes a flip.
    pub fn infeasible(&mut self, flip: Flip) {
        if let Some(&Place { behind, .. }) = self.behind.get(&flip).filter(|it| it.is_branch) {
            self.statistics.infeasible += 1;
            self.note_refuted(behind);
        }
    }

    /// Forgets flips that were settled, if there are many.
    pub fn evict(&mut self, tree: &PathTree) {
        if self.behind.len() > self.most_flips {
            self.behind.retain(|&flip, _| tree.is_pending(flip));
            self.most_flips = SMALL.max(2 * self.behind.len());
        }
    }
}

/// The numbers of the events at which the input decided which edge is taken.
fn decided_events(execution: &Execution, before: usize) -> Vec<usize> {
    let branches = execution.path.iter();
    let branches = branches.filter(|constraint| constraint.kind == ConstraintKind::Branch);
    let events = branches.filter_map(|constraint| constraint.events.checked_sub(before));
    events.collect()
}
