//! Accelerations of lazy expansion, one per file, each of which can be left out.
//!
//! There are two kinds. An [`Ordering`] proposes inputs, or says what comes first; it reads facts
//! and changes nothing but itself, so that it can never make a goal unreachable. A [`Pruning`] says
//! that no execution takes an abstract path, and returns the evidence; the core decides what
//! follows from it, and the verdicts cite it. [`assemble`] puts them together.

mod a_star;
mod futile_calls;
mod nogoods;
mod refutation;
mod returned_values;
mod sibling_paths;
mod summaries;
mod whole_expansion;

use std::sync::Arc;

use coverage::Paths;
use expr::{Term, Terms};
use ir::input::{Expands, InputVector};
use rustc_hash::FxHashSet;
use vm::Execution;

use self::a_star::AStar;
use self::futile_calls::FutileCalls;
use self::nogoods::Nogoods;
pub(crate) use self::nogoods::Question;
pub(crate) use self::refutation::Refutation;
use self::returned_values::ReturnedValues;
use self::sibling_paths::SiblingPaths;
use self::summaries::Summaries;
use self::whole_expansion::WholeExpansion;
use super::Joined;
use super::facts::Facts;
use super::partial_path::{Candidate, PartialPath, PathId};
use super::surroundings::Surroundings;
use super::target::Target;
use crate::acceleration::Acceleration;
use crate::path_tree::{Flip, Inserted, NodeId, PathTree};
use crate::strategy::View;

/// An input that an ordering proposes. Nothing follows if no input satisfies it.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// The ordering.
    pub by: Acceleration,
    /// The branch that it takes.
    pub flip: Flip,
    /// The input that it is to agree with, as far as that goes; the flip's own source if `None`.
    pub source: Option<Arc<InputVector>>,
    /// What it has to satisfy beside.
    pub further: Vec<Term>,
    /// The calls that are executed.
    pub expands: Expands,
}

/// Proposes inputs and orders what is tried. It cannot remove anything.
pub(crate) trait Ordering: Send {
    /// Which acceleration it is.
    fn name(&self) -> Acceleration;

    /// Records an execution that joined the tree, and the flips to further abstract paths that it
    /// made pending.
    fn executed(
        &mut self,
        _joined: Joined<'_>,
        _pending: &[Flip],
        _facts: &Facts,
        _surroundings: &mut Surroundings<'_>,
    ) {
    }

    /// Records a path that is followed from now on.
    fn followed(&mut self, _path: &PartialPath) {}

    /// Records whether an execution kept to the target after a call that was replaced and that this
    /// flip executes.
    fn attempted(&mut self, _target: &Target, _expand: Flip, _keeps: bool) {}

    /// Records an execution that took the target's path, with no call on it replaced.
    fn concretised(
        &mut self,
        _joined: Joined<'_>,
        _target: &Target,
        _facts: &Facts,
        _surroundings: &mut Surroundings<'_>,
    ) {
    }

    /// An input to try next.
    fn propose(
        &mut self,
        _target: Option<&Target>,
        _facts: &Facts,
        _surroundings: &mut Surroundings<'_>,
    ) -> Option<Proposal> {
        None
    }

    /// A flip to a further abstract path, when it is this ordering's turn.
    fn next_abstract(&mut self, _view: &View<'_>) -> Option<Flip> {
        None
    }

    /// Whether a candidate for an abstract path is to come after all others.
    fn defers(&self, _path: PathId, _flip: Flip) -> bool {
        false
    }

    /// Records that only deferred candidates are left for a target. None of them may be deferred
    /// again.
    fn resumed(&mut self, _target: &Target) {}

    /// The calls that an input for a flip of a target executes; `None` leaves that as it is.
    fn expands(
        &self,
        _flip: Flip,
        _target: &Target,
        _facts: &Facts,
        _surroundings: &Surroundings<'_>,
    ) -> Option<Expands> {
        None
    }

    /// Forgets a path that is not followed any more.
    fn forget(&mut self, _path: PathId) {}
}

/// Shows that no execution takes certain paths. Each claim is a [`Refutation`].
pub(crate) trait Pruning: Send {
    /// Records an execution that joined the tree, before anything is left out of what it made
    /// pending.
    fn joined(
        &mut self,
        _execution: &Execution,
        _inserted: &Inserted,
        _facts: &Facts,
        _terms: &Terms,
        _view: &View<'_>,
    ) {
    }

    /// Records an abstract path that may become the target.
    fn met(&mut self, _target: &Target, _execution: &Execution, _view: &View<'_>) {}

    /// Records that no input takes a flip, because of the demands of the branches out of these
    /// nodes.
    fn infeasible(&mut self, _flip: Flip, _blamed: &[NodeId], _tree: &PathTree) {}

    /// The evidence that no execution by a candidate follows a path for so many edges of the unit.
    fn refutes_candidate(
        &self,
        _path: &PartialPath,
        _candidate: &Candidate<'_>,
        _edges: usize,
        _facts: &Facts,
        _surroundings: &Surroundings<'_>,
    ) -> Option<Refutation> {
        None
    }

    /// The evidence that no execution follows a target.
    fn refutes_target(&self, _target: &Target) -> Option<Refutation> {
        None
    }

    /// The evidence that no abstract path after a flip can be made real.
    fn refutes_flip(&self, _flip: Flip, _facts: &Facts, _view: &View<'_>) -> Option<Refutation> {
        None
    }

    /// The question about a target for the solver.
    fn question(
        &mut self,
        _target: &Target,
        _facts: &Facts,
        _surroundings: &mut Surroundings<'_>,
    ) -> Option<Question> {
        None
    }

    /// Records the answer: each case contradicts some of these conditions of the path.
    fn learn(&mut self, _question: &Question, _contradicted: &FxHashSet<Term>) {}

    /// Forgets a path that is not followed any more.
    fn forget(&mut self, _path: PathId) {}
}

/// The accelerations of a search, in the order in which they are asked.
pub(crate) struct Accelerations {
    pub orderings: Vec<Box<dyn Ordering>>,
    pub prunings: Vec<Box<dyn Pruning>>,
}

impl Accelerations {
    /// Has them forget a path that is not followed any more.
    pub fn forget(&mut self, path: PathId) {
        self.orderings.iter_mut().for_each(|it| it.forget(path));
        self.prunings.iter_mut().for_each(|it| it.forget(path));
    }
}

/// All accelerations without some, where these paths count. [`UnitPaths`](super::unit_paths::UnitPaths)
/// handles determined branches.
pub(crate) fn assemble(paths: Option<Paths>, without: &[Acceleration]) -> Accelerations {
    let has = |acceleration| !without.contains(&acceleration);
    let mut orderings: Vec<Box<dyn Ordering>> = Vec::new();
    let mut prunings: Vec<Box<dyn Pruning>> = Vec::new();
    if paths.is_none() && has(Acceleration::AStar) {
        orderings.push(Box::new(AStar::default()));
    }
    if has(Acceleration::SiblingPaths) {
        orderings.push(Box::new(SiblingPaths::default()));
    }
    if has(Acceleration::Summaries) {
        orderings.push(Box::new(Summaries::default()));
    }
    if has(Acceleration::FutileCalls) {
        orderings.push(Box::new(FutileCalls::default()));
    }
    if has(Acceleration::WholeExpansion) {
        orderings.push(Box::new(WholeExpansion));
    }
    if has(Acceleration::ReturnedValues) {
        prunings.push(Box::new(ReturnedValues));
    }
    if has(Acceleration::Nogoods) {
        prunings.push(Box::new(Nogoods::default()));
    }
    Accelerations {
        orderings,
        prunings,
    }
}
