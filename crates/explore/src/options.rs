//! The options of a search, and its observer.

use std::ops::ControlFlow;

use abstraction::{ProverName, WATCHED_EVENTS};
use coverage::{Criteria, Criterion, Scope};
use ir::FunctionId;
use ir::test::{Bound, BoundKind};
use solver::ChainOptions;
use vm::{Defaults, Natives, NoNatives};

use crate::acceleration::Acceleration;
use crate::proof_share::ProofShare;

/// The search strategies. All but `Coverage` are there to be compared with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StrategyName {
    /// A fair interleaving of several of the others.
    #[default]
    Coverage,
    /// Depth-first (CUTE, section 3.4).
    DepthFirst,
    /// Depth-first down to a depth ([`Options::depth`]).
    BoundedDepthFirst,
    /// Breadth-first.
    BreadthFirst,
    /// A random branch of the last path (CREST).
    RandomBranch,
    /// A random path through the tree (CREST).
    UniformRandom,
    /// The flip nearest to an uncovered goal by the control-flow graph (CREST).
    Cfg,
    /// Every flip of the execution that covered most that is new (SAGE).
    Generational,
    /// Breadth-first the flips whose edge covers a goal, then the nearest (PathCrawler).
    TwoPass,
}

impl StrategyName {
    /// All of them.
    pub const ALL: [StrategyName; 9] = [
        StrategyName::Coverage,
        StrategyName::DepthFirst,
        StrategyName::BoundedDepthFirst,
        StrategyName::BreadthFirst,
        StrategyName::RandomBranch,
        StrategyName::UniformRandom,
        StrategyName::Cfg,
        StrategyName::Generational,
        StrategyName::TwoPass,
    ];

    /// The strategy of criteria (PathCrawler, section 5): that of the one which asks for paths, or the
    /// one of all.
    pub fn of(criteria: &Criteria) -> StrategyName {
        let all = criteria.all();
        let of_paths = all.iter().find(|criterion| criterion.paths().is_some());
        let chosen = of_paths.unwrap_or(&all[0]);
        let own = StrategyName::of_one(chosen);
        let is_shared = |other: &Criterion| StrategyName::of_one(other) == own;
        match of_paths.is_some() || all.iter().all(is_shared) {
            true => own,
            false => StrategyName::default(),
        }
    }

    fn of_one(criterion: &Criterion) -> StrategyName {
        match criterion {
            Criterion::KPath(_)
            | Criterion::MinimalAllPaths
            | Criterion::EmptyElse
            | Criterion::MaxIterations => StrategyName::DepthFirst,
            Criterion::MinimalAllConditions
            | Criterion::MinimalAllDecisions
            | Criterion::ConditionCombinations
            | Criterion::Mcdc(_) => StrategyName::TwoPass,
            Criterion::Decisions
            | Criterion::Conditions
            | Criterion::DecisionCondition
            | Criterion::Boundary
            | Criterion::Labels
            | Criterion::WeakMutation
            | Criterion::AllUses
            | Criterion::CallPairs
            | Criterion::Statements
            | Criterion::Calls
            | Criterion::Error(_)
            | Criterion::AllPaths
            | Criterion::UnitPaths => StrategyName::default(),
        }
    }

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            StrategyName::Coverage => "coverage",
            StrategyName::DepthFirst => "dfs",
            StrategyName::BoundedDepthFirst => "bounded-dfs",
            StrategyName::BreadthFirst => "bfs",
            StrategyName::RandomBranch => "random-branch",
            StrategyName::UniformRandom => "uniform-random",
            StrategyName::Cfg => "cfg",
            StrategyName::Generational => "generational",
            StrategyName::TwoPass => "two-pass",
        }
    }

    /// Whether it needs a maximal depth.
    pub fn is_bounded(self) -> bool {
        self == StrategyName::BoundedDepthFirst
    }
}

/// Which calls may be replaced by inputs (lazy expansion).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lazy {
    /// None.
    #[default]
    Off,
    /// Calls of functions outside the unit that have many paths of their own, where every path
    /// through the unit is a goal and an ordinary search takes long.
    Auto,
    /// Calls of these functions.
    Functions(Vec<FunctionId>),
}

/// How long further defects are looked for once every goal is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefectSearch {
    /// Not at all.
    #[default]
    None,
    /// With as many executions and steps as the search made before, and some more for short searches.
    Adapted,
    /// Until every path is taken, or the observer ends it.
    Patient,
}

/// The depth of a bounded strategy where none is given.
pub const DEFAULT_DEPTH: u32 = 100;

/// The task and the limits of a search. Nothing here is a time: time is the observer's.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function to test.
    pub entry: FunctionId,
    /// The functions whose goals count: the entry, or those that a driver calls.
    pub tested: Vec<FunctionId>,
    /// A function with the entry's parameters. Only inputs for which it returns non-zero count.
    pub precondition: Option<FunctionId>,
    /// What to cover.
    pub criteria: Criteria,
    /// Whose goals count.
    pub scope: Scope,
    /// The strategy that picks the next pending branch.
    pub strategy: StrategyName,
    /// The seed of all random decisions of the strategy.
    pub seed: u64,
    /// Whether unconstrained inputs are random numbers, which depend on the seed, and not 0.
    pub random_values: bool,
    /// The most choices of an input on a path before the last one that is flipped. Deeper flips are
    /// left out, which is a bound.
    pub depth: Option<u32>,
    /// The most nodes of the path tree. When it has more, the deepest flips are left out, which is
    /// a loss.
    pub tree_limit: usize,
    /// Limits of one execution and of inputs. The search itself finds the roles of globals.
    pub machine: vm::Config,
    /// The kinds of bounds among these limits that the user chose.
    pub accepted_bounds: Vec<BoundKind>,
    /// Bounds on which all proofs of the search rest.
    pub assumed: Vec<Bound>,
    /// Whether the units are taken to be the whole program, though they may call functions of
    /// others.
    pub closed_world: bool,
    /// Which calls may be replaced by inputs.
    pub lazy: Lazy,
    /// The most executions in a row for making one abstract path real, if there is such a limit.
    /// The search ends after these, and as soon as abstract paths prove nothing any more.
    pub lazy_patience: Option<u32>,
    /// The accelerations of lazy expansion that are left out.
    pub without: Vec<Acceleration>,
    /// Whether the search tries all that the accelerations would leave out, to check them.
    pub audit: bool,
    /// The share of the work that goes to proofs that open goals are unreachable.
    pub proofs: ProofShare,
    /// The share of the work that goes to fuzzing of what functions without a body return.
    pub fuzzing: ProofShare,
    /// Whether proofs go on at the end of the search until they are through or the observer ends
    /// them.
    pub patient_proofs: bool,
    /// Whether an execution that takes too many steps is executed again with more, once nothing else
    /// is left to try, until it ends or the observer ends the search.
    pub longer_executions: bool,
    /// The provers that are left out.
    pub without_provers: Vec<ProverName>,
    /// How the solver chain is put together.
    pub solver: ChainOptions,
    /// The number of branches with aliased pointers that are tried once all goals are decided.
    pub alias_probes: u32,
    /// Executions to make at most.
    pub iteration_limit: u64,
    /// Steps of all executions to make at most, together.
    pub all_steps: u64,
    /// Whether the first defect ends the search.
    pub stop_on_defect: bool,
    /// Whether further defects are looked for once every goal is decided.
    pub defect_search: DefectSearch,
    /// Whether tests get inputs that callers most likely pass, where these reach their goals too.
    pub usual_inputs: bool,
    /// Whether the search looks for nothing but defects, on all paths.
    pub(crate) only_defects: bool,
    /// Whether the search looks for tests of goals beyond defects to which compilers give a
    /// meaning, where no other test covers the goal.
    pub beyond_defects: bool,
}

impl Options {
    /// Whether the entry is the driver of a sequence of calls, whose goals do not count.
    pub(crate) fn is_driver(&self) -> bool {
        !self.tested.contains(&self.entry)
    }

    /// How many events of executions are recorded: some for the monitor of the abstraction, if there
    /// may be one, and for criteria that count paths.
    pub(crate) fn recorded_events(&self) -> usize {
        let is_off = self.proofs == ProofShare::None;
        let has_monitor = !is_off && !self.without_provers.contains(&ProverName::Monitor);
        let are_counted = self.criteria.follow_from_paths()
            || StrategyName::of(&self.criteria) == StrategyName::TwoPass;
        let watched = if has_monitor || are_counted {
            WATCHED_EVENTS
        } else {
            0
        };
        self.machine.recorded_events.max(watched)
    }

    /// Covers the decisions of a function, with default limits.
    pub fn new(entry: FunctionId) -> Self {
        Options {
            entry,
            tested: vec![entry],
            precondition: None,
            criteria: Criteria::default(),
            scope: Scope::Function,
            strategy: StrategyName::default(),
            seed: 0,
            random_values: false,
            depth: None,
            tree_limit: 1_000_000,
            machine: vm::Config::default(),
            accepted_bounds: Vec::new(),
            assumed: Vec::new(),
            closed_world: false,
            lazy: Lazy::default(),
            lazy_patience: None,
            without: Vec::new(),
            audit: false,
            proofs: ProofShare::default(),
            fuzzing: ProofShare::default(),
            patient_proofs: false,
            longer_executions: false,
            without_provers: Vec::new(),
            solver: ChainOptions::default(),
            alias_probes: 0,
            iteration_limit: u64::MAX,
            all_steps: u64::MAX,
            stop_on_defect: false,
            defect_search: DefectSearch::default(),
            usual_inputs: false,
            only_defects: false,
            beyond_defects: true,
        }
    }
}

/// Inputs of a search from outside the program.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// Inputs to begin with.
    pub seeds: &'a [&'a dyn Defaults],
    /// Who executes calls of functions of the host.
    pub natives: &'a dyn Natives,
}

impl Default for Outside<'_> {
    fn default() -> Self {
        Outside {
            seeds: &[],
            natives: &NoNatives,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Executions of the machine so far.
    pub iterations: u64,
    /// Queries to the solver so far.
    pub solver_queries: u64,
    /// Distinct paths so far.
    pub paths: u64,
    /// Goals in all.
    pub goals: usize,
    /// Goals that an execution reached.
    pub covered: usize,
    /// Defects found.
    pub defects: usize,
}

/// Observes the progress of a search, after every execution and between queries, and may end it:
/// because time is up, or the user stops it.
pub trait Observer {
    /// Records the progress. `Break` ends the search, which keeps its findings.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// The search has decided its goals, and looks for further defects from now on.
    fn looks_for_defects(&mut self) {}

    /// The search is over, and what its defects rest on is found from now on, until [`Stop`] of the
    /// options says so.
    ///
    /// [`Stop`]: solver::Stop
    fn explains_defects(&mut self) {}

    /// Whether it ended the search because attest itself needs too much memory.
    fn is_out_of_memory(&self) -> bool {
        false
    }
}

/// An observer that lets the search run to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
