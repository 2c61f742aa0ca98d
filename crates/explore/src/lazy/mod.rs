//! Lazy expansion: test the function, not everything that it calls (LATEST).
//!
//! A call in which an input decides is replaced by inputs at first, which gives abstract paths
//! through the unit. One that reaches something open becomes the target: the calls on it are
//! expanded, one after the other, until an execution takes the path with no call replaced. Abstract
//! and real executions share the path tree, where each such call is a node with a branch for each
//! mode. No real path leads where no abstract path leads: so most paths of the callees are never
//! looked at.
//!
//! The algorithm is in `abstract_path` and `concretise`, on the data of `target`, `partial_path` and
//! `candidates`; `proof` says what rules a path out, and `accelerate` makes it faster. It executes
//! nothing and solves nothing: the search does, which asks it for the next [`Request`].

mod abstract_path;
mod accelerate;
mod candidates;
mod concretise;
mod decided_by_path;
mod facts;
mod flip_use;
mod guards;
mod node_info;
mod partial_path;
mod proof;
mod proofs;
mod pruned;
mod returns;
mod surroundings;
mod target;
mod unit_paths;
mod whole_paths;

use std::collections::{BTreeMap, VecDeque};

use analysis::PossibleReturns;
use coverage::{GoalId, LazyStatistics, Paths};
use ir::input::InputVector;
use rustc_hash::FxHashMap;
use vm::Execution;

use self::abstract_path::ending;
use self::accelerate::{Accelerations, assemble};
pub(crate) use self::accelerate::{Proposal, Question};
pub(crate) use self::concretise::Request;
use self::facts::Facts;
pub(crate) use self::flip_use::{Outlook, Use};
use self::node_info::{NodeInfos, Region, first_replaced};
use self::partial_path::PathId;
use self::proofs::Proofs;
pub(crate) use self::proofs::UnitProof;
use self::returns::ReturnValues;
pub(crate) use self::surroundings::Surroundings;
use self::target::Target;
pub(crate) use self::unit_paths::{UnitNode, UnitPaths};
use self::whole_paths::{WholeNode, WholePaths};
use crate::acceleration::Acceleration;
use crate::path_tree::{Flip, Inserted};
use crate::sources::NoneLeft;
use crate::strategy::{JoinedRun, SearchStrategy, View};

/// Lazy expansion at work; see the module.
pub(crate) struct LazyExpansion {
    /// Whether there are calls that may be replaced.
    is_on: bool,
    counted: Option<Paths>,
    facts: Facts,
    accelerations: Accelerations,
    proofs: Proofs,
    frontier: Frontier,
    /// See [`crate::Options::lazy_patience`].
    patience: Option<u32>,
    /// The pending flips that may make an abstract path real, by their places.
    waiting: FxHashMap<UnitNode, Vec<Flip>>,
    target: Option<Target>,
    /// The last target that no execution takes.
    given_up: Option<Target>,
    /// The input to execute next.
    input: Option<Box<InputVector>>,
    /// The question to ask next, about the target or one that was given up.
    question: Option<Box<Question>>,
    /// How many paths were followed.
    paths: u64,
    statistics: LazyStatistics,
    /// How often each acceleration was used.
    used: BTreeMap<Acceleration, u64>,
}

/// The source of further abstract paths.
struct Frontier {
    /// Picks among the flips that lead to them.
    strategy: Box<dyn SearchStrategy>,
    is_turn_of_strategy: bool,
    /// OpenGoals that took too long, and abstract paths that were found on the way to others.
    put_aside: VecDeque<Target>,
}

/// The options of lazy expansion.
pub(crate) struct LazyOptions {
    /// Whether there are calls that may be replaced.
    pub is_on: bool,
    pub paths: Option<Paths>,
    /// See [`crate::Options::lazy_patience`].
    pub patience: Option<u32>,
    /// See [`crate::Options::without`].
    pub without: Vec<Acceleration>,
    /// See [`crate::Options::audit`].
    pub audit: bool,
}

/// An execution that has joined the tree.
#[derive(Clone, Copy)]
pub(crate) struct Joined<'a> {
    pub execution: &'a Execution,
    /// The branches that its path took.
    pub path: &'a [Flip],
    /// The places on its path through the unit.
    pub places: &'a [UnitNode],
    /// The places on its whole path.
    pub whole: &'a [WholeNode],
    /// The open goals that it reaches, if the criterion has goals, each with the number of edges
    /// that lead there, in this order.
    pub goals: &'a [(GoalId, usize)],
}

/// Flips that an execution made pending, by their use; some have both uses.
#[derive(Clone, Copy)]
pub(crate) struct NewFlips<'a> {
    /// They lead to further abstract paths.
    pub leading: &'a [Flip],
    /// They may make an abstract path real.
    pub concretising: &'a [Flip],
}

impl LazyExpansion {
    /// Nothing so far.
    pub fn new(
        options: LazyOptions,
        units: UnitPaths,
        returned: PossibleReturns,
        strategy: Box<dyn SearchStrategy>,
    ) -> LazyExpansion {
        LazyExpansion {
            is_on: options.is_on,
            counted: options.paths,
            facts: Facts {
                units,
                whole_paths: WholePaths::default(),
                nodes: NodeInfos::default(),
                returns: ReturnValues::new(returned),
                are_rejected: false,
            },
            accelerations: assemble(options.paths, &options.without),
            proofs: Proofs::new(options.audit),
            frontier: Frontier {
                strategy,
                is_turn_of_strategy: true,
                put_aside: VecDeque::new(),
            },
            patience: options.patience,
            waiting: FxHashMap::default(),
            target: None,
            given_up: None,
            input: None,
            question: None,
            paths: 0,
            statistics: LazyStatistics::default(),
            used: BTreeMap::new(),
        }
    }

    /// Whether there are calls that may be replaced.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Records that precision was lost in an execution with replaced calls.
    pub fn lose(&mut self) {
        self.proofs.lose();
    }

    /// The proof that abstract paths stand for all paths through the unit. It exists once no
    /// abstract path is left to try, neither here nor in the tree.
    pub fn unit_proof(&self, _: &NoneLeft) -> Option<UnitProof> {
        let is_idle = self.target.is_none()
            && self.given_up.is_none()
            && self.input.is_none()
            && self.question.is_none()
            && self.frontier.put_aside.is_empty();
        self.proofs.unit_proof().filter(|_| is_idle)
    }

    /// The names of the prunings that verdicts rest on: those that ruled out places, and determined
    /// branches where nothing is looked for after the edge that they were left by.
    pub fn prunings(&self) -> Vec<String> {
        let determined = (self.facts.units.finished_by_determined() > 0)
            .then_some(Acceleration::DeterminedBranches);
        let all = self.proofs.prunings().chain(determined);
        all.map(|by| by.name().to_owned()).collect()
    }

    /// Whether too many executions were spent on one abstract path, or nothing can be proved any
    /// more.
    pub fn is_out_of_patience(&self) -> bool {
        let executions = self.target.as_ref().map_or(0, |target| target.executions);
        let is_spent = |patience| executions >= patience || !self.proofs.is_exact();
        self.patience.is_some_and(is_spent)
    }

    /// Proofs that an execution contradicted.
    pub fn contradictions(&self) -> &[String] {
        self.proofs.contradictions()
    }

    /// The counts of its work.
    pub fn statistics(&self) -> Option<LazyStatistics> {
        let mut statistics = self.statistics.clone();
        let determined = self.facts.units.finished_by_determined();
        let determined = (determined > 0).then_some((Acceleration::DeterminedBranches, determined));
        let used = self.used.iter().map(|(&by, &count)| (by, count));
        statistics.accelerations = used
            .chain(determined)
            .map(|(by, count)| (by.name().to_owned(), count))
            .collect();
        self.is_on.then_some(statistics)
    }

    /// Records an execution that has joined the tree. Gives the places on its path through the
    /// unit, and on its whole path.
    pub fn joined(
        &mut self,
        execution: &Execution,
        inserted: &Inserted,
        surroundings: &Surroundings<'_>,
    ) -> (Vec<UnitNode>, Vec<WholeNode>) {
        let Surroundings { space, terms, view } = surroundings;
        let facts = &mut self.facts;
        let places = facts.units.walk(&execution.unit.edges);
        let whole = facts.whole_paths.walk(&execution.unit.whole, space);
        let path = &inserted.path;
        facts.nodes.note(execution, path, &places, &whole, terms);
        if self.is_on {
            for pruning in &mut self.accelerations.prunings {
                pruning.joined(execution, inserted, &self.facts, terms, view);
            }
        }
        let real = match first_replaced(execution) {
            None => places.len(),
            Some(first) => execution.unit.places[first].edges as usize + 1,
        };
        let expanded = match region_at_end(execution) {
            Region::Abstract => {
                self.statistics.iterations_outside += 1;
                real
            }
            Region::Mixed | Region::Real => {
                self.statistics.iterations_inside += 1;
                places.len()
            }
            Region::Start => places.len(),
        };
        let contradicts = self.facts.units.reached(&places, real, expanded);
        self.proofs.check(execution, path, &places, contradicts);
        (places, whole)
    }

    /// Records that a real execution ended well. Returns whether its path through the unit is new.
    pub fn ended(&mut self, execution: &Execution, places: &[UnitNode]) -> bool {
        let (Some(ending), Some(&last)) = (ending(&execution.outcome), places.last()) else {
            return false;
        };
        self.facts.units.ended(last, ending)
    }

    /// Records pending flips that lead to further abstract paths.
    pub fn ready(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        self.frontier.strategy.executed(run, view);
    }

    /// Counts an input that an ordering proposed and that the search executes.
    pub fn proposed(&mut self, by: Acceleration) {
        self.statistics.summaries_used += u64::from(by == Acceleration::Summaries);
        self.count(by);
    }

    /// Counts one use of an acceleration.
    fn count(&mut self, by: Acceleration) {
        *self.used.entry(by).or_default() += 1;
    }

    /// Has the accelerations forget a target that is done.
    fn forget(&mut self, target: &mut Target) {
        self.drop_layers(target);
        self.accelerations.forget(target.path.partial.id);
    }

    /// Drops all layers of a target but the abstract path itself.
    fn drop_layers(&mut self, target: &mut Target) {
        for layer in target.layers.drain(..) {
            self.accelerations.forget(layer.id);
        }
    }

    fn next_id(&mut self) -> PathId {
        self.paths += 1;
        PathId(self.paths)
    }
}

fn region_at_end(execution: &Execution) -> Region {
    let calls = execution.inputs.calls.values();
    calls.fold(Region::Start, |region, &mode| region.behind(mode))
}
